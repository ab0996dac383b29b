/* SPDX-License-Identifier: MIT */
/*
 * cmd_machine.c - vmasim machine: machines as data.
 */
#include "cli/cli.h"
#include "lab/lab.h"

#include <stdio.h>
#include <string.h>

struct machine_options {
	const char *verb, *name;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct machine_options *options = state->input;
	bool wants_name = options->verb && !strcmp(options->verb, "show");
	struct message msg;

	if (key == ARGP_KEY_ARG && state->arg_num == 0) {
		options->verb = arg;
		if (strcmp(arg, "list") && strcmp(arg, "show")) {
			message_set(&msg, -EINVAL,
				    "argument '%s' is unknown; allowed: list, show NAME", arg);
			cli_refuse(state, &msg);
		}
		return 0;
	}
	if (key == ARGP_KEY_ARG && state->arg_num == 1 && wants_name) {
		options->name = arg;
		return 0;
	}
	if (key == ARGP_KEY_ARG)
		cli_unexpected(state, arg, "list, or show with one NAME");
	if (key == ARGP_KEY_END && (!options->verb || (wants_name && !options->name))) {
		message_set(&msg, -EINVAL, "argument missing; allowed: list, show NAME");
		cli_refuse(state, &msg);
	}
	return key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}

static void print_row(const struct machine_desc *machine)
{
	printf("%-14s %5u %6u %6u  %s\n", machine->name, machine->nr_cpus, machine->nr_cores,
	       machine->nr_nodes, machine->is_host ? "this system" : machine->topology);
}

static int list_machines(struct message *msg)
{
	const struct machine_desc *machine;
	struct machine_desc host;
	int error = vmasim_core_native.describe_host(&host, msg);

	if (error)
		return error;
	printf("%-14s %5s %6s %6s  %s\n", "NAME", "CPUS", "CORES", "NODES", "TOPOLOGY");
	print_row(&host);
	for (unsigned i = 0; (machine = machine_builtin_at(i)); i++)
		print_row(machine);
	return 0;
}

static int show_machine(const char *name, struct message *msg)
{
	const struct machine_desc *machine;
	struct machine_desc host;
	int error = 0;

	if (!strcmp(name, "host")) {
		error = vmasim_core_native.describe_host(&host, msg);
		machine = &host;
	} else {
		machine = machine_builtin(name, msg);
	}
	if (error || !machine)
		return error ? error : -EINVAL;
	printf("name        %s\n", machine->name);
	printf("topology    %s\n", machine->is_host ? "this system" : machine->topology);
	printf("cpus        %u\ncores       %u\nnodes       %u\n", machine->nr_cpus,
	       machine->nr_cores, machine->nr_nodes);
	printf("hz          %u\naccess_ps   %u\n", machine->hz, machine->access_ps);
	printf("provenance  %s\n", machine->provenance);
	return 0;
}

int command_machine(int argc, char **argv)
{
	const struct argp argp = {
		.parser = parse_option,
		.args_doc = "list\nshow NAME",
		.doc = "List the machines that can be simulated, or show one with where its "
		       "numbers come from.",
	};
	struct machine_options options = {0};
	struct message msg = {""};
	int error;

	argp_parse(&argp, argc, argv, 0, NULL, &options);
	if (!strcmp(options.verb, "list"))
		error = list_machines(&msg);
	else
		error = show_machine(options.name, &msg);
	return error ? cli_complain(argv[0], error, &msg) : EXIT_OK;
}
