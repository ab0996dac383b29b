/* SPDX-License-Identifier: MIT */
/*
 * cli.h - what the files of the command share: subcommands and exit statuses.
 *
 * stdout carries data, stderr messages and progress. Each subcommand is one file
 * with one argp table; main() only finds it by name.
 */
#ifndef VMASIM_CLI_CLI_H
#define VMASIM_CLI_CLI_H

#include "base/message.h"

#include <argp.h>

enum exit_status {
	EXIT_OK = 0,
	EXIT_DIFFERENT = 1,    /* a difference or a regression was found */
	EXIT_USAGE = 2,	       /* bad input */
	EXIT_UNDECIDED = 3,    /* inconclusive, with --strict */
	EXIT_FAILED = 4,       /* a run or the output failed */
	EXIT_INTERRUPTED = 130 /* finished points were kept */
};

/* X(name, arguments, one line) */
#define COMMANDS(X)                                                                                \
	X(run, "WORKLOAD...", "run workloads and print rates and counters")                        \
	X(compare, "WORKLOAD...", "two kernels, run by run against each other")                    \
	X(replay, "FILE...", "run a recorded trace or strace log, check what it recorded")         \
	X(list, "[workloads|kernels|knobs|events]", "what there is to choose from")                \
	X(machine, "list | show NAME", "machines that can be simulated")                           \
	X(bench, "slab|sim", "micro-benchmarks beside a yardstick")

/* Each gets argv with "vmasim NAME" in argv[0] and returns an exit status. */
#define X(name, arguments, text) int command_##name(int argc, char **argv);
COMMANDS(X)
#undef X

/** cli_status() - the exit status of a negative errno. */
int cli_status(int error);

/** cli_complain() - print @msg on stderr as @command's and return cli_status(@error). */
int cli_complain(const char *command, int error, const struct message *msg);

/** cli_refuse() - print @msg and exit 2; for argp parsers. */
void cli_refuse(const struct argp_state *state, const struct message *msg)
	__attribute__((noreturn));

/** cli_no_arguments() - refuse an argument that the command does not take. */
void cli_unexpected(const struct argp_state *state, const char *argument, const char *allowed)
	__attribute__((noreturn));

#endif
