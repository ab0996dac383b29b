/* SPDX-License-Identifier: MIT */
/*
 * cmd_run.c - vmasim run: every point of workloads x kernels x modes x tasks.
 */
#include "cli/output.h"

#define DEFAULT_KERNEL "6.18"

static const struct argp_option option_table[] = {
	{"kernel", 'k', "SPEC[|SPEC...]", 0,
	 "kernels, PRESET[:KNOB=VALUE,...]; repeat the option or separate them by | (default "
	 DEFAULT_KERNEL ")", 0},
	{0}
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct set_options *options = state->input;
	struct message msg;
	int error = 0;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = options;
		return 0;
	case 'k':
		error = options_add_kernels(options, "--kernel", arg, &msg);
		break;
	case ARGP_KEY_ARG:
		error = options_add_workload(options, arg, &msg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (error)
		cli_refuse(state, &msg);
	return 0;
}

static int record_done(void *arg, const struct lab_record *record, struct message *msg)
{
	return output_record(arg, record, msg);
}

static int run_all(struct set_options *options, struct message *msg)
{
	struct output output;
	int error;

	if (!options->plan.nr_policies)
		error = options_add_kernels(options, "--kernel", DEFAULT_KERNEL, msg);
	else
		error = 0;
	if (!error)
		error = options_resolve(options, 1, msg);
	if (!error)
		error = output_open(&output, options, msg);
	if (error)
		return error;
	error = lab_run_set(&options->lab, &options->plan, record_done, &output, msg);
	return output_close(&output, error, msg);
}

int command_run(int argc, char **argv)
{
	const struct argp_child children[] = {{options_argp(), 0, NULL, 0}, {0}};
	const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "WORKLOAD...",
		.doc = "Run workloads and print operations a second, tree writes and objects an "
		       "operation.\vNames: 'vmasim list workloads', 'vmasim list knobs', 'vmasim "
		       "machine list'.",
		.children = children,
	};
	struct set_options options;
	struct message msg;
	int error;

	options_init(&options);
	argp_parse(&argp, argc, argv, 0, NULL, &options);
	error = run_all(&options, &msg);
	return error ? cli_complain(argv[0], error, &msg) : EXIT_OK;
}
