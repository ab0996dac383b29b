/* SPDX-License-Identifier: MIT */
/*
 * cmd_replay.c - vmasim replay: recorded calls through the simulator.
 */
#include "cli/cli.h"
#include "lab/lab.h"

#include <stdio.h>
#include <stdlib.h>

struct replay_options {
	const char *engine, *machine_name, *kernel;
	bool check, maps;
	char **files;
	int nr_files;
};

enum { KEY_CHECK = 0x2000, KEY_MAPS };

static const struct argp_option option_table[] = {
	{"engine", 'e', "ENGINE", 0, "native (default) or virtual", 0},
	{"machine", 'm', "NAME", 0, "host (default) or a name of 'vmasim machine list'", 0},
	{"kernel", 'k', "SPEC", 0, "PRESET[:KNOB=VALUE,...] (default 6.18)", 0},
	{"check", KEY_CHECK, NULL, 0,
	 "compare results, layouts and counts with what was recorded; exit 1 when one differs", 0},
	{"maps", KEY_MAPS, NULL, 0,
	 "print the first process's memory at the end as /proc/PID/maps does; the summary then "
	 "goes to standard error", 0},
	{0}
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct replay_options *options = state->input;

	switch (key) {
	case 'e':
		options->engine = arg;
		return 0;
	case 'm':
		options->machine_name = arg;
		return 0;
	case 'k':
		options->kernel = arg;
		return 0;
	case KEY_CHECK:
		options->check = true;
		return 0;
	case KEY_MAPS:
		options->maps = true;
		return 0;
	case ARGP_KEY_ARGS:
		options->files = state->argv + state->next;
		options->nr_files = state->argc - state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void add_results(struct replay_result *sum, const struct replay_result *one)
{
	sum->operations += one->operations;
	sum->layouts += one->layouts;
	sum->counters += one->counters;
	sum->object_counts += one->object_counts;
	sum->differences += one->differences;
}

static void print_total(const struct replay_options *options, const struct replay_result *sum,
			FILE *out)
{
	if (!options->check) {
		fprintf(out, "%d files: %llu operations replayed\n", options->nr_files,
			(unsigned long long)sum->operations);
		return;
	}
	fprintf(out,
		"%d files: %llu operations, %llu layouts, %llu counters and %llu object counts "
		"compared: %llu differences\n",
		options->nr_files, (unsigned long long)sum->operations,
		(unsigned long long)sum->layouts, (unsigned long long)sum->counters,
		(unsigned long long)sum->object_counts, (unsigned long long)sum->differences);
}

static int replay_all(const struct replay_options *options, struct replay_result *sum,
		      struct message *msg)
{
	const struct vmasim_core *core = lab_core(options->engine, msg);
	FILE *out = options->maps ? stderr : stdout;
	struct machine_desc machine;
	struct policy policy;
	int error;

	if (!core)
		return -EINVAL;
	if (!options->nr_files)
		return message_set(msg, -EINVAL,
				   "no FILE given; allowed: .jsonl kernel traces and strace logs");
	error = policy_parse(options->kernel, &policy, msg);
	if (!error)
		error = lab_machine(core, options->machine_name, &machine, msg);
	for (int i = 0; i < options->nr_files && !error; i++) {
		struct replay_request request = {
			.path = options->files[i],
			.policy = &policy,
			.machine = &machine,
			.check = options->check,
			.maps_out = options->maps ? stdout : NULL,
			.out = out,
		};
		struct replay_result one = {0};

		error = core->replay(&request, &one, msg);
		add_results(sum, &one);
	}
	if (!error && options->nr_files > 1)
		print_total(options, sum, out);
	return error;
}

int command_replay(int argc, char **argv)
{
	const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "FILE...",
		.doc = "Replay recorded memory calls: a kernel trace (.jsonl) or a log of "
		       "strace -f.",
	};
	struct replay_options options = {
		.engine = "native", .machine_name = "host", .kernel = "6.18"};
	struct replay_result sum = {0};
	struct message msg = {""};
	int error;

	argp_parse(&argp, argc, argv, 0, NULL, &options);
	error = replay_all(&options, &sum, &msg);
	if (error)
		return cli_complain(argv[0], error, &msg);
	return options.check && sum.differences ? EXIT_DIFFERENT : EXIT_OK;
}
