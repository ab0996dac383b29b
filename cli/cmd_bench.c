/* SPDX-License-Identifier: MIT */
/*
 * cmd_bench.c - vmasim bench: micro-benchmarks, each beside a yardstick of the same run.
 */
#include "cli/interrupt.h"
#include "cli/options.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS       64
#define DEFAULT_PASSES 7
#define MAX_PASSES     1000

struct bench_options {
	const char *engine, *machine_name, *kernel;
	int what; /* index in bench_names */
	enum output_format format;
	unsigned passes;
};

static const char *const bench_names[] = {"slab", "sim"};

enum { KEY_PASSES = 0x2000 };

static const struct argp_option option_table[] = {
	{"engine", 'e', "ENGINE", 0, "native (default) or virtual", 0},
	{"machine", 'm', "NAME", 0, "host (default) or a name of 'vmasim machine list'", 0},
	{"kernel", 'k', "SPEC", 0, "PRESET[:KNOB=VALUE,...] (default 6.18)", 0},
	{"passes", KEY_PASSES, "N", 0, "passes, of which the median counts (default 7)", 0},
	{"format", 'f', "FORMAT", 0, "table (default), json or jsonl", 0},
	{0}
};

static int set_passes(struct bench_options *options, const char *arg, struct message *msg)
{
	u64 value;
	int error = parse_number("--passes", arg, 1, MAX_PASSES, &value, msg);

	if (!error)
		options->passes = (unsigned)value;
	return error;
}

static int set_format(struct bench_options *options, const char *arg, struct message *msg)
{
	int index = parse_choice("--format", arg, format_names, ARRAY_SIZE(format_names), msg);

	if (index >= 0)
		options->format = (enum output_format)index;
	return min(index, 0);
}

static int set_what(struct bench_options *options, const char *arg, struct message *msg)
{
	options->what = parse_choice("argument", arg, bench_names, ARRAY_SIZE(bench_names), msg);
	return min(options->what, 0);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct bench_options *options = state->input;
	struct message msg;
	int error = 0;

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
	case KEY_PASSES:
		error = set_passes(options, arg, &msg);
		break;
	case 'f':
		error = set_format(options, arg, &msg);
		break;
	case ARGP_KEY_ARG:
		if (state->arg_num)
			cli_unexpected(state, arg, "one of slab, sim");
		error = set_what(options, arg, &msg);
		break;
	case ARGP_KEY_END:
		if (options->what < 0)
			error = message_set(&msg, -EINVAL, "argument missing; allowed: slab, sim");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (error)
		cli_refuse(state, &msg);
	return 0;
}

static void print_table(const struct bench_row *rows, int nr)
{
	printf("%-32s %12s %10s\n", "BENCHMARK", "NS", "RATIO");
	for (int i = 0; i < nr; i++) {
		if (rows[i].ratio > 0)
			printf("%-32s %12.2f %10.2f\n", rows[i].name, rows[i].ns, rows[i].ratio);
		else
			printf("%-32s %12.2f %10s\n", rows[i].name, rows[i].ns,
			       nr > 1 ? "yardstick" : "-");
	}
}

static json_t *row_to_json(const struct bench_row *row)
{
	return json_pack("{s:s, s:f, s:o}", "name", row->name, "ns", row->ns, "ratio",
			 row->ratio > 0 ? json_real(row->ratio) : json_null());
}

static int print_json(const struct bench_options *options, const struct bench_row *rows, int nr,
		      struct message *msg)
{
	size_t layout = options->format == FORMAT_JSON ? JSON_INDENT(2) : JSON_COMPACT;
	json_t *array = json_array(), *json;

	for (int i = 0; i < nr; i++)
		json_array_append_new(array, row_to_json(&rows[i]));
	json = json_pack("{s:s, s:s, s:s, s:s, s:i, s:o}", "schema", "vmasim.bench/1", "bench",
			 bench_names[options->what], "engine", options->engine, "kernel",
			 options->kernel, "passes", (int)options->passes, "rows", array);
	if (!json || json_dumpf(json, stdout, JSON_SORT_KEYS | layout))
		return message_set(msg, -ENOMEM, "no memory to print the benchmark");
	putchar('\n');
	json_decref(json);
	return 0;
}

static int run_bench(const struct bench_options *options, struct message *msg)
{
	const struct vmasim_core *core = lab_core(options->engine, msg);
	struct bench_row rows[MAX_ROWS];
	struct machine_desc machine;
	struct policy policy;
	struct bench_request request = {
		.policy = &policy, .machine = &machine, .passes = options->passes};
	int nr;

	if (!core || policy_parse(options->kernel, &policy, msg))
		return -EINVAL;
	nr = lab_machine(core, options->machine_name, &machine, msg);
	if (nr)
		return nr;
	request.interrupt = interrupt_catch();
	nr = (options->what ? core->bench_sim : core->bench_slab)(&request, rows, MAX_ROWS, msg);
	if (*request.interrupt)
		return -EINTR;
	if (nr < 0)
		return nr;
	if (options->format != FORMAT_TABLE)
		return print_json(options, rows, nr, msg);
	print_table(rows, nr);
	return 0;
}

int command_bench(int argc, char **argv)
{
	const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "slab|sim",
		.doc = "Time the allocator or the memory calls: nanoseconds of a pair or "
		       "operation, and the ratio to a yardstick timed in the same run.",
	};
	struct bench_options options = {.engine = "native", .machine_name = "host",
					.kernel = "6.18", .what = -1, .passes = DEFAULT_PASSES};
	struct message msg = {""};
	int error;

	argp_parse(&argp, argc, argv, 0, NULL, &options);
	error = run_bench(&options, &msg);
	return error ? cli_complain(argv[0], error, &msg) : EXIT_OK;
}
