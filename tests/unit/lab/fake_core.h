/* SPDX-License-Identifier: MIT */
/*
 * fake_core.h - a core made of arithmetic, for tests of the lab alone.
 *
 * A run measures what the test said it would; the core notes every request, so a
 * test can ask in which order and with which seeds runs were made.
 */
#ifndef VMASIM_TESTS_FAKE_CORE_H
#define VMASIM_TESTS_FAKE_CORE_H

#include "lab/lab.h"

#include <stdlib.h>
#include <string.h>

#define FAKE_MAX_CALLS 256

struct fake_call {
	char kernel[64];
	u64 seed;
	unsigned nr_tasks;
	enum run_mode mode;
};

static struct {
	struct fake_call calls[FAKE_MAX_CALLS];
	unsigned nr_calls, nr_freed;
	unsigned interrupt_at; /* this call sees Ctrl-C; 0: none */
	unsigned fail_at;      /* this call fails with -ENOMEM */
	unsigned leak_at;      /* this call leaves an object behind */
	volatile int interrupt;
	/* operations of a call, by kernel preset: base + step * (run number of that kernel) */
	u64 base_617, base_618, step;
} fake;

static unsigned fake_calls_of(const char *preset)
{
	unsigned nr = 0;

	for (unsigned i = 0; i + 1 < fake.nr_calls; i++)
		nr += !strncmp(fake.calls[i].kernel, preset, 4);
	return nr;
}

static void fake_note(const struct run_request *request)
{
	struct fake_call *call = &fake.calls[fake.nr_calls++];

	snprintf(call->kernel, sizeof(call->kernel), "%.63s", request->policy->spec);
	call->seed = request->seed;
	call->nr_tasks = request->nr_tasks;
	call->mode = request->mode;
}

static void fake_slabs(struct run_result *result)
{
	result->slabs = calloc(2, sizeof(*result->slabs));
	result->nr_slabs = 2;
	for (unsigned i = 0; i < 2; i++) {
		strcpy(result->slabs[i].name, kmem_cache_names[i]);
		result->slabs[i].object_size = 256;
		result->slabs[i].stats[STAT_ALLOC_FASTPATH] = 11 + i;
	}
}

static void fake_samples(struct run_result *result)
{
	result->nr_samples = 2;
	result->sample_clock_ns = calloc(2, sizeof(u64));
	result->sample_operations = calloc(2, sizeof(u64));
	result->sample_rss = calloc(2, sizeof(u64));
	result->sample_clock_ns[1] = 1000000000;
	result->sample_operations[1] = result->operations;
}

static int fake_run(const struct run_request *request, struct run_result *result,
		    struct message *msg)
{
	bool old = !strcmp(request->policy->preset, "6.17");

	fake_note(request);
	*result = (struct run_result){0};
	if (fake.nr_calls == fake.fail_at)
		return message_set(msg, -ENOMEM, "the fake ran out");
	if (fake.nr_calls == fake.interrupt_at)
		fake.interrupt = 1;
	if (request->progress)
		request->progress(request->progress_arg, 0.5);
	result->interrupted = fake.interrupt != 0;
	result->measured_ns = 1000000000;
	result->operations = (old ? fake.base_617 : fake.base_618) +
			     fake.step * fake_calls_of(request->policy->preset);
	result->operations_by_task = calloc(request->nr_tasks, sizeof(u64));
	result->operations_by_task[0] = result->operations;
	result->events[EVENT_MA_WRITE] = 3 * result->operations;
	result->events[EVENT_NODE_ALLOC] = result->operations / 2;
	result->tree_height = 3;
	result->tree_nodes = 9;
	result->map_count = 40;
	result->oversubscribed = request->nr_tasks > request->machine->nr_cpus;
	result->leaked_objects = fake.nr_calls == fake.leak_at;
	fake_slabs(result);
	fake_samples(result);
	return 0;
}

static void fake_run_free(struct run_result *result)
{
	free(result->operations_by_task);
	free(result->slabs);
	free(result->sample_clock_ns);
	free(result->sample_operations);
	free(result->sample_rss);
	*result = (struct run_result){0};
	fake.nr_freed++;
}

static const struct workload_view *fake_workload_at(unsigned index)
{
	static const struct workload_view views[] = {{"first", "the first", "loops"},
						     {"second", "the second", "loops"}};

	return index < ARRAY_SIZE(views) ? &views[index] : NULL;
}

static int fake_describe_host(struct machine_desc *desc, struct message *msg)
{
	(void)msg;
	*desc = (struct machine_desc){.name = "host", .is_host = true, .nr_cpus = 2, .nr_cores = 2,
				      .nr_nodes = 1, .hz = 250, .provenance = "measured"};
	return 0;
}

static const struct vmasim_core fake_core = {
	.engine = "native",
	.run = fake_run,
	.run_free = fake_run_free,
	.workload_at = fake_workload_at,
	.describe_host = fake_describe_host,
};

/* Everything a set needs: two kernels, one workload, on the fake core. */
struct fake_set {
	struct machine_desc machine;
	struct policy policies[2];
	u64 tasks[4];
	struct lab lab;
	struct lab_plan plan;
};

static void fake_set_init(struct fake_set *set, unsigned nr_runs)
{
	memset(&fake, 0, sizeof(fake));
	memset(set, 0, sizeof(*set));
	fake.base_617 = 1000;
	fake.base_618 = 2000;
	fake_describe_host(&set->machine, NULL);
	policy_parse("6.17", &set->policies[0], NULL);
	policy_parse("6.18", &set->policies[1], NULL);
	set->tasks[0] = 1;
	set->lab = (struct lab){.core = &fake_core, .machine = &set->machine, .nr_runs = nr_runs,
				.seed = 100, .window_ns = 1000000000, .interrupt = &fake.interrupt};
	set->plan = (struct lab_plan){.workloads = {"first"}, .nr_workloads = 1,
				      .policies = set->policies, .nr_policies = 2,
				      .modes = {MODE_PROCESSES}, .nr_modes = 1,
				      .tasks = set->tasks, .nr_tasks = 1};
}

#endif
