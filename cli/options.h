/* SPDX-License-Identifier: MIT */
/*
 * options.h - the options that run and compare share, one table.
 *
 * A command makes them an argp child of its own table; what they say is in struct
 * set_options, resolved and checked by set_options_resolve() when all is read.
 */
#ifndef VMASIM_CLI_OPTIONS_H
#define VMASIM_CLI_OPTIONS_H

#include "base/parse.h"
#include "cli/cli.h"
#include "lab/lab.h"

#define MAX_SECONDS 86400ull
#define NS_A_SECOND 1000000000ull

enum output_format { FORMAT_TABLE, FORMAT_JSON, FORMAT_JSONL };
extern const char *const format_names[3];

struct set_options {
	const char *engine, *machine_name, *output, *layout_path;
	enum output_format format;
	bool progress;

	/* 0 where the user said nothing and the engine decides */
	unsigned nr_runs;
	u64 window_ns, max_operations;
	bool window_given, warmup_given;
	u64 warmup_ns, seed;
	enum run_placement placement;

	struct policy policies[LAB_MAX_KERNELS];
	struct parse_list tasks;
	struct lab_plan plan;

	struct machine_desc machine; /* resolved */
	struct lab lab;
	struct lab_progress progress_line;
};

/** options_argp() - the shared table and its parser; input is a struct set_options. */
const struct argp *options_argp(void);

/** options_init() - defaults. */
void options_init(struct set_options *options);

/** options_add_kernels() - SPEC[|SPEC...], at most LAB_MAX_KERNELS in all. */
int options_add_kernels(struct set_options *options, const char *what, const char *specs,
			struct message *msg);

/** options_add_workload() - a positional argument. */
int options_add_workload(struct set_options *options, const char *name, struct message *msg);

/**
 * options_resolve() - check everything that needs the core and fill plan and lab.
 * @default_runs: where --runs was not given.
 */
int options_resolve(struct set_options *options, unsigned default_runs, struct message *msg);

#endif
