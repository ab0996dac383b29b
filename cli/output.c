/* SPDX-License-Identifier: MIT */
/*
 * output.c - see output.h.
 *
 * JSON is one array, opened by its first element, so that an interrupted set is
 * still a whole document; JSON lines are one record a line.
 */
#include "cli/output.h"

#include "cli/interrupt.h"

#include <stdlib.h>
#include <unistd.h>

static bool wants_colour(void)
{
	const char *no_colour = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no_colour && *no_colour);
}

int output_open(struct output *output, struct set_options *options, struct message *msg)
{
	int error;

	*output = (struct output){.options = options};
	lab_table_init(&output->table, stdout, &options->plan, wants_colour());
	if (options->output) {
		error = lab_store_open(&output->store, options->output, msg);
		if (error)
			return error;
		output->has_store = true;
	}
	options->lab.interrupt = interrupt_catch();
	if (!options->progress || !isatty(STDERR_FILENO))
		return 0;
	lab_progress_start(&options->progress_line, stderr,
			   lab_plan_runs(&options->lab, &options->plan));
	options->lab.progress = &options->progress_line;
	return 0;
}

/* Takes @text. */
static int print_json(struct output *output, char *text, struct message *msg)
{
	if (!text)
		return message_set(msg, -ENOMEM, "no memory to print a result");
	if (output->options->format == FORMAT_JSON)
		fputs(output->nr_printed ? ",\n" : "[\n", stdout);
	fputs(text, stdout);
	fflush(stdout);
	free(text);
	output->nr_printed++;
	return 0;
}

static enum lab_json_style json_style(const struct output *output)
{
	return output->options->format == FORMAT_JSON ? JSON_PRETTY : JSON_ONE_LINE;
}

static int keep(struct output *output, const struct lab_record *record, struct message *msg)
{
	return output->has_store ? lab_store_record(&output->store, record, msg) : 0;
}

int output_record(struct output *output, const struct lab_record *record, struct message *msg)
{
	int error = keep(output, record, msg);

	lab_progress_clear(output->options->lab.progress);
	if (error)
		return error;
	if (output->options->format != FORMAT_TABLE)
		return print_json(output, lab_record_json(record, json_style(output)), msg);
	lab_table_record(&output->table, record);
	return 0;
}

int output_comparison(struct output *output, const struct lab_comparison *comparison,
		      struct message *msg)
{
	int error = keep(output, comparison->base, msg);

	if (!error)
		error = keep(output, comparison->test, msg);
	lab_progress_clear(output->options->lab.progress);
	if (error)
		return error;
	if (output->options->format != FORMAT_TABLE)
		return print_json(output, lab_comparison_json(comparison, json_style(output)), msg);
	lab_table_comparison(&output->table, comparison);
	return 0;
}

int output_close(struct output *output, int error, struct message *msg)
{
	lab_progress_clear(output->options->lab.progress);
	if (output->options->format == FORMAT_JSON)
		fputs(output->nr_printed ? "]\n" : "[]\n", stdout);
	if (!output->has_store)
		return error;
	if (!error)
		error = lab_store_finish(&output->store, true, msg);
	lab_store_free(&output->store);
	return error;
}
