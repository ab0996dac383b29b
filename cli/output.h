/* SPDX-License-Identifier: MIT */
/*
 * output.h - where finished points go: a table or JSON on stdout, and a folder.
 */
#ifndef VMASIM_CLI_OUTPUT_H
#define VMASIM_CLI_OUTPUT_H

#include "cli/options.h"

struct output {
	struct set_options *options;
	struct lab_table table;
	struct lab_store store;
	bool has_store;
	u64 nr_printed;
};

/**
 * output_open() - before the first run: the folder must exist and be writable, the
 * interrupt flag and the progress line are connected.
 */
int output_open(struct output *output, struct set_options *options, struct message *msg);

/** output_record(), output_comparison() - print one finished point and keep it. */
int output_record(struct output *output, const struct lab_record *record, struct message *msg);
int output_comparison(struct output *output, const struct lab_comparison *comparison,
		      struct message *msg);

/**
 * output_close() - end what was begun; the set is complete when @error is 0.
 * Return: @error, or why the set could not be finished.
 */
int output_close(struct output *output, int error, struct message *msg);

#endif
