/* SPDX-License-Identifier: MIT */
/*
 * table.c - records and comparisons for reading.
 *
 * The comparison's table is the kernel list's own: for each point the lines BASE,
 * TEST and %, in columns MIN MAX MEAN MEDIAN STDDEV of operations a second of all
 * tasks together, so it can be pasted beside a mail's.
 */
#include "lab/lab.h"

#include <math.h>
#include <string.h>

#define RED   "\033[31m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

void lab_table_init(struct lab_table *table, FILE *out, const struct lab_plan *plan, bool colour)
{
	*table = (struct lab_table){.out = out, .kernel_width = 6, .colour = colour};
	for (unsigned i = 0; i < plan->nr_policies; i++)
		table->kernel_width =
			max(table->kernel_width, (int)strlen(plan->policies[i].spec));
}

/* ---- Records ------------------------------------------------------------------- */

static double per_op(const struct lab_record *record, enum vm_event event)
{
	u64 events = 0, operations = 0;

	for (unsigned i = 0; i < record->nr_runs; i++) {
		events += record->runs[i].result.events[event];
		operations += record->runs[i].result.operations;
	}
	return operations ? (double)events / (double)operations : 0;
}

static void print_notes(struct lab_table *table, const struct lab_record *record)
{
	if (lab_record_oversubscribed(record))
		fprintf(table->out, "  oversubscribed (%u CPUs)", record->lab->machine->nr_cpus);
	if (record->interrupted)
		fputs("  interrupted", table->out);
	fputc('\n', table->out);
}

void lab_table_record(struct lab_table *table, const struct lab_record *record)
{
	struct lab_stats stats;

	if (!table->begun)
		fprintf(table->out, "%-10s %-*s %-9s %5s %4s %13s %13s %8s %11s %8s %8s\n",
			"WORKLOAD", table->kernel_width, "KERNEL", "MODE", "TASKS", "RUNS", "OPS/S",
			"OPS/S/TASK", "STDDEV", "MA_WRITE/OP", "NODES/OP", "VMAS/OP");
	table->begun = true;
	lab_record_stats(record, &stats);
	fprintf(table->out, "%-10s %-*s %-9s %5u %4u %13.0f %13.0f %7.1f%% %11.4f %8.4f %8.4f",
		record->point.workload, table->kernel_width, record->point.policy->spec,
		lab_mode_names[record->point.mode], record->point.nr_tasks, record->nr_runs,
		stats.median, stats.median / record->point.nr_tasks,
		stats.mean > 0 ? 100 * stats.stddev / stats.mean : 0,
		per_op(record, EVENT_MA_WRITE), per_op(record, EVENT_NODE_ALLOC),
		per_op(record, EVENT_VMA_ALLOC));
	print_notes(table, record);
	fflush(table->out);
}

/* ---- Comparisons ------------------------------------------------------------------ */

#define NR_COLUMNS 5

static void columns_of(const struct lab_stats *stats, double *columns)
{
	columns[0] = stats->min;
	columns[1] = stats->max;
	columns[2] = stats->mean;
	columns[3] = stats->median;
	columns[4] = stats->stddev;
}

static void print_line(FILE *out, const char *head, const struct lab_stats *stats)
{
	double columns[NR_COLUMNS];

	columns_of(stats, columns);
	fprintf(out, "%-6s", head);
	for (unsigned i = 0; i < NR_COLUMNS; i++)
		fprintf(out, " %14.0f", columns[i]);
	fputc('\n', out);
}

static void print_change(FILE *out, const struct lab_comparison *comparison)
{
	double base[NR_COLUMNS], test[NR_COLUMNS];

	columns_of(&comparison->base_stats, base);
	columns_of(&comparison->test_stats, test);
	fprintf(out, "%-6s", "%");
	for (unsigned i = 0; i < NR_COLUMNS; i++) {
		if (base[i] > 0)
			fprintf(out, " %13.2f%%", 100 * (test[i] / base[i] - 1));
		else
			fprintf(out, " %14s", "-");
	}
	fputc('\n', out);
}

static void print_verdict(const struct lab_table *table, const struct lab_judgement *judgement,
			  unsigned runs)
{
	const char *colour = "", *plain = table->colour ? PLAIN : "";

	if (table->colour && judgement->verdict == VERDICT_BETTER)
		colour = GREEN;
	if (table->colour && judgement->verdict == VERDICT_WORSE)
		colour = RED;
	fprintf(table->out,
		"verdict: %s%s%s (median %+.2f %%, 95 %% interval %+.2f to %+.2f %%, p = %.4g)",
		colour, lab_verdict_names[judgement->verdict], plain, 100 * judgement->change,
		100 * (judgement->low - 1), 100 * (judgement->high - 1), judgement->p);
	if (judgement->verdict != VERDICT_INCONCLUSIVE)
		return;
	if (runs < LAB_VERDICT_RUNS)
		fprintf(table->out, "; a verdict needs at least --runs=%u", LAB_VERDICT_RUNS);
	else if (judgement->runs_needed)
		fprintf(table->out, "; about --runs=%u would decide", judgement->runs_needed);
	else
		fprintf(table->out, "; more than %u runs would be needed", LAB_MAX_RUNS);
}

static void print_warnings(const struct lab_table *table, const struct lab_comparison *comparison)
{
	const struct lab_record *base = comparison->base, *test = comparison->test;

	if (lab_record_oversubscribed(base) || lab_record_oversubscribed(test))
		fprintf(table->out,
			"note: oversubscribed: %u tasks on %u CPUs; what is compared "
			"includes time-sharing\n",
			base->point.nr_tasks, base->lab->machine->nr_cpus);
	if (base->interrupted || test->interrupted)
		fprintf(table->out, "note: interrupted: %u and %u of %u runs\n", base->nr_runs,
			test->nr_runs, base->lab->nr_runs);
}

void lab_table_comparison(struct lab_table *table, const struct lab_comparison *comparison)
{
	const struct lab_point *point = &comparison->base->point;
	FILE *out = table->out;

	if (!table->begun)
		fprintf(out,
			"BASE %s\nTEST %s\n"
			"operations a second, all tasks together, %s engine, %s\n",
			point->policy->spec, comparison->test->point.policy->spec,
			comparison->base->lab->core->engine, comparison->base->lab->machine->name);
	table->begun = true;
	fprintf(out, "\n%s_%u_%s (%u + %u runs)\n", point->workload, point->nr_tasks,
		lab_mode_names[point->mode], comparison->base_stats.nr, comparison->test_stats.nr);
	fprintf(out, "%-6s %14s %14s %14s %14s %14s\n", "", "MIN", "MAX", "MEAN", "MEDIAN",
		"STDDEV");
	print_line(out, "BASE", &comparison->base_stats);
	print_line(out, "TEST", &comparison->test_stats);
	print_change(out, comparison);
	print_verdict(table, &comparison->judgement,
		      min(comparison->base_stats.nr, comparison->test_stats.nr));
	fputc('\n', out);
	print_warnings(table, comparison);
	fflush(out);
}
