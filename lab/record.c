/* SPDX-License-Identifier: MIT */
/*
 * record.c - a record as JSON, vmasim.result/1; lab/result.schema.json is its schema.
 *
 * Fields are only ever added. Everything a run measured is in it, so statistics
 * can be redone from the file alone; rates and medians are there for reading.
 */
#include "lab/json.h"

#include "lab/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef VMASIM_BUILD_FLAGS
#define VMASIM_BUILD_FLAGS "unknown"
#endif

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* Which events count objects of which cache: the same list for both directions. */
static const struct {
	enum kmem_cache_id cache;
	enum vm_event event;
} object_events[] = {
	{CACHE_MAPLE_NODE, EVENT_NODE_ALLOC},
	{CACHE_VM_AREA_STRUCT, EVENT_VMA_ALLOC},
	{CACHE_ANON_VMA, EVENT_ANON_VMA_ALLOC},
	{CACHE_ANON_VMA_CHAIN, EVENT_AVC_ALLOC},
};

char *json_text(json_t *value, enum lab_json_style style)
{
	size_t layout = style == JSON_PRETTY ? JSON_INDENT(2) : JSON_COMPACT;
	char *text = json_dumps(value, JSON_SORT_KEYS | JSON_REAL_PRECISION(17) | layout);
	char *line = NULL;

	json_decref(value);
	if (text && asprintf(&line, "%s\n", text) < 0)
		line = NULL;
	free(text);
	return line;
}

json_t *tool_to_json(void)
{
	json_t *tool = json_object();

	json_put_text(tool, "name", "vmasim");
	json_put_text(tool, "version", VMASIM_VERSION);
	json_put_text(tool, "compiler", COMPILER);
	json_put_text(tool, "flags", VMASIM_BUILD_FLAGS);
	return tool;
}

static json_t *machine_to_json(const struct machine_desc *machine)
{
	json_t *json = json_object();

	json_put_text(json, "name", machine->name);
	json_put_text(json, "topology", machine->topology);
	json_put_u64(json, "cpus", machine->nr_cpus);
	json_put_u64(json, "cores", machine->nr_cores);
	json_put_u64(json, "nodes", machine->nr_nodes);
	json_put_u64(json, "hz", machine->hz);
	json_put_u64(json, "access_ps", machine->access_ps);
	json_put_text(json, "provenance", machine->provenance);
	return json;
}

static void put_knob(void *arg, const char *knob, const char *value)
{
	json_put(arg, knob, json_string(value));
}

static json_t *kernel_to_json(const struct policy *policy)
{
	json_t *json = json_object(), *knobs = json_object();

	json_put_text(json, "spec", policy->spec);
	json_put_text(json, "preset", policy->preset);
	policy_visit(policy, put_knob, knobs);
	json_put(json, "knobs", knobs);
	return json;
}

static json_t *host_to_json(void)
{
	struct host_info info;
	json_t *json = json_object(), *load = json_array();

	host_read(&info);
	json_put_text(json, "cpu_model", info.cpu_model);
	json_put_text(json, "governor", info.governor);
	json_put_text(json, "kernel", info.kernel);
	json_put_text(json, "architecture", info.architecture);
	json_put(json, "smt", info.smt < 0 ? json_null() : json_boolean(info.smt));
	for (unsigned i = 0; i < 3 && info.load[0] >= 0; i++)
		json_array_append_new(load, json_real(info.load[i]));
	json_put(json, "load_average", load);
	json_put(json, "memory_bytes",
		 info.memory_bytes < 0 ? json_null() : json_integer(info.memory_bytes));
	return json;
}

/* ---- A run --------------------------------------------------------------------- */

static json_t *u64_array(const u64 *values, size_t nr)
{
	json_t *array = json_array();

	for (size_t i = 0; i < nr; i++)
		json_array_append_new(array, json_integer((json_int_t)values[i]));
	return array;
}

static json_t *slab_to_json(const struct run_slab *slab)
{
	json_t *json = json_object(), *stats = json_object();

	json_put_text(json, "name", slab->name);
	json_put_u64(json, "object_size", slab->object_size);
	json_put_u64(json, "objs_per_slab", slab->objects_per_slab);
	json_put_u64(json, "order", slab->order);
	json_put_u64(json, "sheaf_capacity", slab->sheaf_capacity);
	json_put_u64(json, "cpu_partial_slabs", slab->cpu_partial_slabs);
	json_put_u64(json, "slabs", slab->slabs);
	json_put_u64(json, "total_objects", slab->objects_total);
	json_put_u64(json, "objects", slab->live);
	for (unsigned i = 0; i < NR_SLAB_STATS; i++)
		json_put_u64(stats, slab_stat_names[i], slab->stats[i]);
	json_put(json, "stats", stats);
	return json;
}

static json_t *slabs_to_json(const struct run_result *result)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < result->nr_slabs; i++)
		json_array_append_new(array, slab_to_json(&result->slabs[i]));
	return array;
}

static json_t *samples_to_json(const struct run_result *result)
{
	json_t *json = json_object();

	json_put(json, "clock_ns", u64_array(result->sample_clock_ns, result->nr_samples));
	json_put(json, "operations", u64_array(result->sample_operations, result->nr_samples));
	json_put(json, "rss_bytes", u64_array(result->sample_rss, result->nr_samples));
	return json;
}

static json_t *events_to_json(const u64 *events)
{
	json_t *json = json_object();

	for (unsigned i = 0; i < NR_EVENTS; i++)
		json_put_u64(json, event_names[i], events[i]);
	return json;
}

static double per_operation(u64 count, u64 operations)
{
	return operations ? (double)count / (double)operations : 0;
}

static bool counts_objects(unsigned event)
{
	for (unsigned i = 0; i < ARRAY_SIZE(object_events); i++)
		if ((unsigned)object_events[i].event == event)
			return true;
	return false;
}

static void put_per_operation(json_t *json, const u64 *events, u64 operations)
{
	json_t *per_op = json_object(), *objects = json_object();

	for (unsigned i = 0; i < NR_EVENTS; i++)
		if (!counts_objects(i))
			json_put_real(per_op, event_names[i], per_operation(events[i], operations));
	for (unsigned i = 0; i < ARRAY_SIZE(object_events); i++)
		json_put_real(objects, kmem_cache_names[object_events[i].cache],
			      per_operation(events[object_events[i].event], operations));
	json_put(json, "events_per_op", per_op);
	json_put(json, "objects_per_op", objects);
}

static json_t *flags_to_json(bool oversubscribed, bool interrupted)
{
	json_t *json = json_object();

	json_put(json, "oversubscribed", json_boolean(oversubscribed));
	json_put(json, "interrupted", json_boolean(interrupted));
	return json;
}

static json_t *run_to_json(const struct lab_run *run, unsigned nr_tasks)
{
	const struct run_result *result = &run->result;
	json_t *json = json_object(), *start = json_object(), *leaked = json_object();

	json_put_u64(json, "seed", run->seed);
	json_put_u64(json, "measured_ns", result->measured_ns);
	json_put_u64(json, "operations", result->operations);
	json_put(json, "operations_by_task", u64_array(result->operations_by_task, nr_tasks));
	json_put_real(json, "ops_per_second", lab_run_ops_per_second(run));
	json_put(json, "events", events_to_json(result->events));
	put_per_operation(json, result->events, result->operations);
	json_put(json, "samples", samples_to_json(result));
	json_put(json, "slabs", slabs_to_json(result));
	json_put_u64(start, "tree_height", result->tree_height);
	json_put_u64(start, "tree_nodes", result->tree_nodes);
	json_put_u64(start, "map_count", result->map_count);
	json_put(json, "start", start);
	json_put_u64(leaked, "objects", result->leaked_objects);
	json_put_u64(leaked, "pages", result->leaked_pages);
	json_put(json, "leaked", leaked);
	json_put(json, "flags", flags_to_json(result->oversubscribed, result->interrupted));
	json_put_real(json, "gp_thread_share", result->gp_thread_share);
	return json;
}

/* ---- The record ------------------------------------------------------------------- */

static json_t *stats_to_json(const struct lab_stats *stats)
{
	json_t *json = json_object();

	json_put_u64(json, "runs", stats->nr);
	json_put_real(json, "min", stats->min);
	json_put_real(json, "max", stats->max);
	json_put_real(json, "mean", stats->mean);
	json_put_real(json, "median", stats->median);
	json_put_real(json, "stddev", stats->stddev);
	return json;
}

static void put_settings(json_t *json, const struct lab_record *record)
{
	const struct lab *lab = record->lab;

	json_put_text(json, "workload", record->point.workload);
	json_put_text(json, "engine", lab->core->engine);
	json_put(json, "machine", machine_to_json(lab->machine));
	json_put(json, "kernel", kernel_to_json(record->point.policy));
	json_put_text(json, "mode", lab_mode_names[record->point.mode]);
	json_put_text(json, "placement", lab_placement_names[lab->placement]);
	json_put_u64(json, "tasks", record->point.nr_tasks);
	json_put_u64(json, "seed", lab->seed);
	json_put_u64(json, "runs_wanted", lab->nr_runs);
	json_put_u64(json, "warmup_ns", lab->warmup_ns);
	json_put_u64(json, "window_ns", lab->window_ns);
	json_put_u64(json, "max_operations", lab->max_operations);
	json_put_text(json, "layout", lab->layout_path);
	json_put_text(json, "side", record->side);
}

/* Over all runs together: sums of events over sums of operations. */
static void put_totals(json_t *json, const struct lab_record *record)
{
	u64 events[NR_EVENTS] = {0}, operations = 0;

	for (unsigned r = 0; r < record->nr_runs; r++) {
		operations += record->runs[r].result.operations;
		for (unsigned i = 0; i < NR_EVENTS; i++)
			events[i] += record->runs[r].result.events[i];
	}
	put_per_operation(json, events, operations);
}

json_t *record_to_json(const struct lab_record *record)
{
	json_t *json = json_object(), *runs = json_array();
	struct lab_stats stats;

	lab_record_stats(record, &stats);
	json_put_text(json, "schema", "vmasim.result/1");
	json_put(json, "tool", tool_to_json());
	put_settings(json, record);
	for (unsigned i = 0; i < record->nr_runs; i++)
		json_array_append_new(runs, run_to_json(&record->runs[i], record->point.nr_tasks));
	json_put(json, "runs", runs);
	json_put_real(json, "ops_per_second", stats.median);
	json_put(json, "statistics", stats_to_json(&stats));
	put_totals(json, record);
	json_put(json, "flags",
		 flags_to_json(lab_record_oversubscribed(record), record->interrupted));
	json_put(json, "host", host_to_json());
	return json;
}

char *lab_record_json(const struct lab_record *record, enum lab_json_style style)
{
	return json_text(record_to_json(record), style);
}

/* ---- The comparison ----------------------------------------------------------------- */

static json_t *judgement_to_json(const struct lab_judgement *judgement)
{
	json_t *json = json_object();

	json_put_text(json, "verdict", lab_verdict_names[judgement->verdict]);
	json_put_real(json, "change", judgement->change);
	json_put_real(json, "p", judgement->p);
	json_put_real(json, "ratio_low", judgement->low);
	json_put_real(json, "ratio_high", judgement->high);
	json_put_u64(json, "runs_needed", judgement->runs_needed);
	return json;
}

static json_t *side_to_json(const struct lab_record *record, const struct lab_stats *stats)
{
	json_t *json = json_object();

	json_put_text(json, "kernel", record->point.policy->spec);
	json_put(json, "statistics", stats_to_json(stats));
	json_put(json, "record", record_to_json(record));
	return json;
}

char *lab_comparison_json(const struct lab_comparison *comparison, enum lab_json_style style)
{
	const struct lab_record *base = comparison->base;
	json_t *json = json_object();

	json_put_text(json, "schema", "vmasim.comparison/1");
	json_put(json, "tool", tool_to_json());
	json_put_text(json, "workload", base->point.workload);
	json_put_text(json, "engine", base->lab->core->engine);
	json_put_text(json, "mode", lab_mode_names[base->point.mode]);
	json_put_u64(json, "tasks", base->point.nr_tasks);
	json_put(json, "base", side_to_json(base, &comparison->base_stats));
	json_put(json, "test", side_to_json(comparison->test, &comparison->test_stats));
	json_put(json, "judgement", judgement_to_json(&comparison->judgement));
	return json_text(json, style);
}
