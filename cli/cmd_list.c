/* SPDX-License-Identifier: MIT */
/*
 * cmd_list.c - vmasim list: names to choose from, each from its one table.
 */
#include "cli/cli.h"
#include "lab/lab.h"

#include "base/parse.h"

#include <stdio.h>

static void list_workloads(void)
{
	const struct vmasim_core *core = &vmasim_core_native;
	const struct workload_view *view;

	for (unsigned i = 0; (view = core->workload_at(i)); i++)
		printf("%-14s  %s (%s)\n", view->name, view->description, view->unit);
}

static void list_kernels(void)
{
	policy_print_presets(stdout);
}

static void list_knobs(void)
{
	policy_print_knobs(stdout);
}

static void list_events(void)
{
#define X(id, name, text) printf("%-24s  %s\n", name, text);
	EVENTS(X)
	puts("\nof each slab cache:");
	SLAB_STATS(X)
#undef X
}

/* X(name, heading): the parts, in the order in which all are printed */
#define PARTS(X)                                                                                   \
	X(workloads, "workloads")                                                                  \
	X(kernels, "kernels, PRESET[:KNOB=VALUE,...]")                                             \
	X(knobs, "knobs, what they may be, and what they mean")                                    \
	X(events, "event counters")

static const struct {
	void (*print)(void);
	const char *heading;
} parts[] = {
#define X(name, heading) {list_##name, heading},
	PARTS(X)
#undef X
};

static const char *const part_names[] = {
#define X(name, heading) #name,
	PARTS(X)
#undef X
};

static void list_all(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(parts); i++) {
		printf("%s%s:\n", i ? "\n" : "", parts[i].heading);
		parts[i].print();
	}
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	int *part = state->input;
	struct message msg;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (state->arg_num)
		cli_unexpected(state, arg, "one part, or none for all");
	*part = parse_choice("argument", arg, part_names, ARRAY_SIZE(part_names), &msg);
	if (*part < 0)
		cli_refuse(state, &msg);
	return 0;
}

int command_list(int argc, char **argv)
{
	const struct argp argp = {
		.parser = parse_option,
		.args_doc = "[workloads|kernels|knobs|events]",
		.doc = "List what there is to choose from.",
	};
	int part = -1;

	argp_parse(&argp, argc, argv, 0, NULL, &part);
	if (part < 0)
		list_all();
	else
		parts[part].print();
	return EXIT_OK;
}
