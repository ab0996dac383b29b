/* SPDX-License-Identifier: MIT */
/*
 * main.c - find the subcommand and call it.
 */
#include "cli/cli.h"

#include "base/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "vmasim " VMASIM_VERSION;

static const struct command {
	const char *name, *full_name, *arguments, *text;
	int (*main)(int argc, char **argv);
} commands[] = {
#define X(name, arguments, text) {#name, "vmasim " #name, arguments, text, command_##name},
	COMMANDS(X)
#undef X
};

int cli_status(int error)
{
	if (!error)
		return EXIT_OK;
	if (error == -EINTR)
		return EXIT_INTERRUPTED;
	return error == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
}

int cli_complain(const char *command, int error, const struct message *msg)
{
	if (error == -EINTR)
		fprintf(stderr, "%s: interrupted; finished points were kept\n", command);
	else
		fprintf(stderr, "%s: %s\n", command, msg->text);
	return cli_status(error);
}

void cli_refuse(const struct argp_state *state, const struct message *msg)
{
	fprintf(stderr, "%s: %s\n", state->argv[0], msg->text);
	exit(EXIT_USAGE);
}

void cli_unexpected(const struct argp_state *state, const char *argument, const char *allowed)
{
	struct message msg;

	message_set(&msg, -EINVAL, "argument '%s' is not expected; allowed: %s", argument, allowed);
	cli_refuse(state, &msg);
}

static void print_help(FILE *out)
{
	fputs("Usage: vmasim COMMAND [OPTION...] [ARGUMENT...]\n"
	      "Simulates the memory management of Linux processes: VMAs in a maple tree, "
	      "nodes and\nVMAs from SLUB caches with per-CPU sheaves.\n\nCommands:\n",
	      out);
	for (unsigned i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-8s %-34s %s\n", commands[i].name, commands[i].arguments,
			commands[i].text);
	fputs("\n  -?, --help                 print this help; vmasim COMMAND --help tells more\n"
	      "  -V, --version              print the version\n\n"
	      "Exit status: 0 ok, 1 difference or regression found, 2 bad input, 3 inconclusive\n"
	      "with --strict, 4 a run failed, 130 interrupted.\n", out);
}

static int unknown_command(const char *name)
{
	const char *names[ARRAY_SIZE(commands)];
	char allowed[256];

	for (unsigned i = 0; i < ARRAY_SIZE(commands); i++)
		names[i] = commands[i].name;
	parse_join(allowed, sizeof(allowed), names, ARRAY_SIZE(names));
	fprintf(stderr,
		"vmasim: command '%s' at position 1 is unknown; allowed: %s, --help, --version\n",
		name, allowed);
	return EXIT_USAGE;
}

static bool is_option(const char *text, const char *name, const char *letter)
{
	return !strcmp(text, name) || !strcmp(text, letter);
}

static int dispatch(int argc, char **argv)
{
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (is_option(argv[1], "--help", "-?") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return EXIT_OK;
	}
	if (is_option(argv[1], "--version", "-V")) {
		puts(argp_program_version);
		return EXIT_OK;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		argv[1] = (char *)commands[i].full_name;
		return commands[i].main(argc - 1, argv + 1);
	}
	return unknown_command(argv[1]);
}

/* A full disk shows when the data is flushed; that must not look like success. */
static int flush_output(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	fprintf(stderr, "vmasim: can't write to standard output: %s\n", strerror(errno));
	return EXIT_FAILED;
}

int main(int argc, char **argv)
{
	argp_err_exit_status = EXIT_USAGE;
	return flush_output(dispatch(argc, argv));
}
