/* SPDX-License-Identifier: MIT */
/*
 * options.c - see options.h.
 */
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NATIVE_WINDOW_NS  NS_A_SECOND
#define NATIVE_WARMUP_NS  200000000ull
#define VIRTUAL_WINDOW_NS 60000000ull
#define VIRTUAL_WARMUP_NS 10000000ull

const char *const format_names[3] = {"table", "json", "jsonl"};

/* X(identifier, letter or 0, "name", "ARGUMENT" or NULL, "meaning") */
#define OPTIONS(X)                                                                                 \
	X(ENGINE, 'e', "engine", "ENGINE",                                                         \
	  "native (default): real threads; virtual: simulated CPUs")                               \
	X(MACHINE, 'm', "machine", "NAME", "host (default) or a name of 'vmasim machine list'")    \
	X(MODE, 0, "mode", "MODE", "processes (default), threads, or processes|threads for both")  \
	X(PLACEMENT, 0, "placement", "HOW",                                                        \
	  "cores (default): one task a core first; smt: siblings first; none: not pinned")         \
	X(TASKS, 't', "tasks", "LIST", "numbers of tasks, such as 1,8,64..512:x2 (default 1)")     \
	X(RUNS, 'n', "runs", "N", "runs of a point, a side (default 1, compare 5)")                \
	X(SEED, 0, "seed", "N", "seed of run 0; run r has N + r (default 1)")                      \
	X(DURATION, 'd', "duration", "TIME",                                                       \
	  "measured window on the engine's clock, s, ms or us (default 1s native, 60ms virtual)")  \
	X(WARMUP, 0, "warmup", "TIME",                                                             \
	  "time before the window (default 200ms native, 10ms virtual)")                           \
	X(OPS, 0, "ops", "N", "end after N operations a task; without --duration, by these alone") \
	X(LAYOUT, 0, "layout", "FILE",                                                             \
	  "start from this /proc/PID/maps (default: a lean built-in one)")                         \
	X(FORMAT, 'f', "format", "FORMAT", "table (default), json or jsonl on standard output")    \
	X(OUTPUT, 'o', "output", "DIR", "also write one record a point into DIR, and set.json")    \
	X(NO_PROGRESS, 0, "no-progress", NULL, "no progress line on a terminal")

enum {
	BEFORE_FIRST_KEY = 0x1000,
#define X(id, letter, name, argument, text) KEY_##id,
	OPTIONS(X)
#undef X
};

/* argp knows an option by its letter, or by a number outside of characters. */
static const struct argp_option option_table[] = {
#define X(id, letter, name, argument, text)                                                        \
	{name, letter ? letter : KEY_##id, argument, 0, text, 1},
	OPTIONS(X)
#undef X
	{0}
};

void options_init(struct set_options *options)
{
	memset(options, 0, sizeof(*options));
	options->engine = "native";
	options->machine_name = "host";
	options->progress = true;
	options->seed = 1;
	options->tasks.nr = 1;
	options->tasks.value[0] = 1;
	options->plan.modes[0] = MODE_PROCESSES;
	options->plan.nr_modes = 1;
	options->plan.policies = options->policies;
	options->plan.tasks = options->tasks.value;
}

/* ---- Values -------------------------------------------------------------------- */

static int set_choice(const char *what, const char *text, const char *const *names, unsigned nr,
		      unsigned *out, struct message *msg)
{
	int index = parse_choice(what, text, names, nr, msg);

	if (index < 0)
		return index;
	*out = (unsigned)index;
	return 0;
}

static int set_modes(struct set_options *options, const char *text, struct message *msg)
{
	static const char *const names[] = {"processes", "threads", "processes|threads",
					    "threads|processes"};
	unsigned index;
	int error = set_choice("--mode", text, names, ARRAY_SIZE(names), &index, msg);

	if (error)
		return error;
	options->plan.nr_modes = index < 2 ? 1 : 2;
	options->plan.modes[0] = index % 2 ? MODE_THREADS : MODE_PROCESSES;
	options->plan.modes[1] = index % 2 ? MODE_PROCESSES : MODE_THREADS;
	return 0;
}

static int set_runs(struct set_options *options, const char *text, struct message *msg)
{
	u64 value;
	int error = parse_number("--runs", text, 1, LAB_MAX_RUNS, &value, msg);

	if (!error)
		options->nr_runs = (unsigned)value;
	return error;
}

static int set_time(const char *what, const char *text, u64 min_ns, u64 *out, bool *given,
		    struct message *msg)
{
	*given = true;
	return parse_duration(what, text, min_ns, MAX_SECONDS * NS_A_SECOND, out, msg);
}

static int set_value(struct set_options *o, int key, const char *arg, struct message *msg)
{
	switch (key) {
	case 'e':
		o->engine = arg;
		return lab_core(arg, msg) ? 0 : -EINVAL;
	case 'm':
		o->machine_name = arg;
		return 0;
	case KEY_MODE:
		return set_modes(o, arg, msg);
	case KEY_PLACEMENT:
		return set_choice("--placement", arg, lab_placement_names,
				  ARRAY_SIZE(lab_placement_names), &o->placement, msg);
	case 't':
		return parse_list("--tasks", arg, 1, LAB_MAX_TASKS, &o->tasks, msg);
	case 'n':
		return set_runs(o, arg, msg);
	case KEY_SEED:
		return parse_number("--seed", arg, 0, INT64_MAX - LAB_MAX_RUNS, &o->seed, msg);
	case 'd':
		return set_time("--duration", arg, 1000, &o->window_ns, &o->window_given, msg);
	case KEY_WARMUP:
		return set_time("--warmup", arg, 0, &o->warmup_ns, &o->warmup_given, msg);
	case KEY_OPS:
		return parse_number("--ops", arg, 1, INT64_MAX, &o->max_operations, msg);
	case KEY_LAYOUT:
		o->layout_path = arg;
		return 0;
	case 'f':
		return set_choice("--format", arg, format_names, ARRAY_SIZE(format_names),
				  &o->format, msg);
	case 'o':
		o->output = arg;
		return 0;
	case KEY_NO_PROGRESS:
		o->progress = false;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct message msg;
	int error = set_value(state->input, key, arg, &msg);

	if (error < 0)
		cli_refuse(state, &msg);
	return error;
}

const struct argp *options_argp(void)
{
	static const struct argp argp = {.options = option_table, .parser = parse_option};

	return &argp;
}

static int add_kernel(struct set_options *options, const char *what, const char *spec,
		      struct message *msg)
{
	struct lab_plan *plan = &options->plan;
	int error;

	for (unsigned i = 0; i < plan->nr_policies; i++)
		if (!strcmp(options->policies[i].spec, spec))
			return message_set(msg, -EINVAL,
					   "%s: '%s' is given twice; allowed: each once", what,
					   spec);
	if (plan->nr_policies == LAB_MAX_KERNELS)
		return message_set(msg, -EINVAL,
				   "%s: '%s' is kernel number %d; allowed: at most %d", what, spec,
				   LAB_MAX_KERNELS + 1, LAB_MAX_KERNELS);
	error = policy_parse(spec, &options->policies[plan->nr_policies], msg);
	if (!error)
		plan->nr_policies++;
	return error;
}

int options_add_kernels(struct set_options *options, const char *what, const char *specs,
			struct message *msg)
{
	for (;; specs++) {
		size_t length = strcspn(specs, "|");
		char *spec = strndup(specs, length);
		int error = spec ? add_kernel(options, what, spec, msg)
				 : message_set(msg, -ENOMEM, "no memory for a kernel");

		free(spec);
		specs += length;
		if (error || !*specs)
			return error;
	}
}

int options_add_workload(struct set_options *options, const char *name, struct message *msg)
{
	struct lab_plan *plan = &options->plan;

	for (unsigned i = 0; i < plan->nr_workloads; i++)
		if (!strcmp(plan->workloads[i], name))
			return message_set(msg, -EINVAL,
					   "workload '%s' is given twice; allowed: each once",
					   name);
	if (plan->nr_workloads == LAB_MAX_WORKLOADS)
		return message_set(msg, -EINVAL, "workload '%s' is number %d; allowed: at most %d",
				   name, LAB_MAX_WORKLOADS + 1, LAB_MAX_WORKLOADS);
	plan->workloads[plan->nr_workloads++] = name;
	return 0;
}

/* ---- Resolving ------------------------------------------------------------------- */

static int check_workloads(const struct lab_plan *plan, const struct vmasim_core *core,
			   struct message *msg)
{
	int error = 0;

	if (!plan->nr_workloads)
		return message_set(msg, -EINVAL,
				   "no WORKLOAD given; allowed: names of 'vmasim list workloads'");
	for (unsigned i = 0; i < plan->nr_workloads && !error; i++)
		error = lab_check_workload(core, plan->workloads[i], msg);
	return error;
}

static void resolve_times(struct set_options *options, bool native)
{
	if (!options->warmup_given)
		options->warmup_ns = native ? NATIVE_WARMUP_NS : VIRTUAL_WARMUP_NS;
	if (options->window_given)
		return;
	options->window_ns = native ? NATIVE_WINDOW_NS : VIRTUAL_WINDOW_NS;
	if (options->max_operations)
		options->window_ns = MAX_SECONDS * NS_A_SECOND;
}

int options_resolve(struct set_options *options, unsigned default_runs, struct message *msg)
{
	const struct vmasim_core *core = lab_core(options->engine, msg);
	int error;

	if (!core)
		return -EINVAL;
	error = check_workloads(&options->plan, core, msg);
	if (!error)
		error = lab_machine(core, options->machine_name, &options->machine, msg);
	if (error)
		return error;
	options->plan.nr_tasks = options->tasks.nr;
	resolve_times(options, !strcmp(core->engine, "native"));
	options->lab = (struct lab){
		.core = core,
		.machine = &options->machine,
		.placement = options->placement,
		.nr_runs = options->nr_runs ? options->nr_runs : default_runs,
		.seed = options->seed,
		.warmup_ns = options->warmup_ns,
		.window_ns = options->window_ns,
		.max_operations = options->max_operations,
		.layout_path = options->layout_path,
	};
	return 0;
}
