/* SPDX-License-Identifier: MIT */
/*
 * cmd_compare.c - vmasim compare: one workload under two kernels, and a verdict.
 */
#include "cli/output.h"

#define DEFAULT_BASE	  "6.17"
#define DEFAULT_TEST	  "6.18"
#define DEFAULT_THRESHOLD 0.05

struct compare_options {
	struct set_options set;
	const char *base, *test;
	double threshold;
	double fail_on; /* 0: never */
	bool strict;

	struct output output;
	bool regressed, undecided;
};

enum { KEY_BASE = 0x2000, KEY_TEST, KEY_THRESHOLD, KEY_FAIL_ON, KEY_STRICT };

static const struct argp_option option_table[] = {
	{"base", KEY_BASE, "SPEC", 0, "kernel that is the measure (default " DEFAULT_BASE ")", 0},
	{"test", KEY_TEST, "SPEC", 0, "kernel that is judged (default " DEFAULT_TEST ")", 0},
	{"threshold", KEY_THRESHOLD, "PERCENT", 0,
	 "smallest change of the median that counts (default 5%)", 0},
	{"fail-on", KEY_FAIL_ON, "PERCENT", 0,
	 "exit 1 when a point is worse by this or more", 0},
	{"strict", KEY_STRICT, NULL, 0, "exit 3 when a point is inconclusive", 0},
	{0}
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct compare_options *options = state->input;
	struct message msg;
	int error = 0;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->set;
		return 0;
	case KEY_BASE:
		options->base = arg;
		return 0;
	case KEY_TEST:
		options->test = arg;
		return 0;
	case KEY_THRESHOLD:
		error = parse_percent("--threshold", arg, &options->threshold, &msg);
		break;
	case KEY_FAIL_ON:
		error = parse_percent("--fail-on", arg, &options->fail_on, &msg);
		break;
	case KEY_STRICT:
		options->strict = true;
		return 0;
	case ARGP_KEY_ARG:
		error = options_add_workload(&options->set, arg, &msg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (error)
		cli_refuse(state, &msg);
	return 0;
}

static int comparison_done(void *arg, const struct lab_comparison *comparison, struct message *msg)
{
	struct compare_options *options = arg;
	const struct lab_judgement *judgement = &comparison->judgement;

	if (judgement->verdict == VERDICT_INCONCLUSIVE)
		options->undecided = true;
	if (judgement->verdict == VERDICT_WORSE && options->fail_on > 0 &&
	    -judgement->change >= options->fail_on)
		options->regressed = true;
	return output_comparison(&options->output, comparison, msg);
}

/* One kernel exactly: a list would leave open what is compared with what. */
static int add_side(struct compare_options *options, const char *what, const char *spec,
		    struct message *msg)
{
	struct lab_plan *plan = &options->set.plan;
	int error = policy_parse(spec, &options->set.policies[plan->nr_policies], msg);
	struct message inner = *msg;

	if (error)
		return message_set(msg, error, "%s: %s", what, inner.text);
	plan->nr_policies++;
	return 0;
}

static int compare_all(struct compare_options *options, struct message *msg)
{
	int error = add_side(options, "--base", options->base, msg);

	if (!error)
		error = add_side(options, "--test", options->test, msg);
	if (!error)
		error = options_resolve(&options->set, LAB_VERDICT_RUNS, msg);
	if (!error)
		error = output_open(&options->output, &options->set, msg);
	if (error)
		return error;
	error = lab_compare_set(&options->set.lab, &options->set.plan, options->threshold,
				comparison_done, options, msg);
	return output_close(&options->output, error, msg);
}

int command_compare(int argc, char **argv)
{
	const struct argp_child children[] = {{options_argp(), 0, NULL, 0}, {0}};
	const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "WORKLOAD...",
		.doc = "Run workloads under two kernels, run by run in turn, and judge each point."
		       "\vbetter or worse: exact two-sided p < 0.05 and a median change of at "
		       "least the threshold. same: the 95 % interval of the median ratio lies "
		       "within the threshold. Else inconclusive, as with fewer than 5 runs a "
		       "side.",
		.children = children,
	};
	struct compare_options options = {
		.base = DEFAULT_BASE, .test = DEFAULT_TEST, .threshold = DEFAULT_THRESHOLD};
	struct message msg = {""};
	int error;

	options_init(&options.set);
	argp_parse(&argp, argc, argv, 0, NULL, &options);
	error = compare_all(&options, &msg);
	if (error)
		return cli_complain(argv[0], error, &msg);
	if (options.regressed)
		return EXIT_DIFFERENT;
	return options.undecided && options.strict ? EXIT_UNDECIDED : EXIT_OK;
}
