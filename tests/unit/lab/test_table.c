/* SPDX-License-Identifier: MIT */
/*
 * test_table.c - the comparison's table is the kernel list's own, to the letter.
 */
#include "tests/unit/lab/fake_core.h"

#include <criterion/criterion.h>

struct printed {
	struct lab_table table;
	char *text;
	size_t size;
};

static void begin(struct printed *printed, const struct lab_plan *plan, bool colour)
{
	lab_table_init(&printed->table, open_memstream(&printed->text, &printed->size), plan,
		       colour);
}

static int print_record(void *arg, const struct lab_record *record, struct message *msg)
{
	(void)msg;
	lab_table_record(arg, record);
	return 0;
}

static int print_comparison(void *arg, const struct lab_comparison *comparison, struct message *msg)
{
	(void)msg;
	lab_table_comparison(arg, comparison);
	return 0;
}

Test(table, a_comparison_has_base_test_and_percent_lines)
{
	static const char wanted[] =
		"BASE 6.17\n"
		"TEST 6.18\n"
		"operations a second, all tasks together, native engine, host\n"
		"\n"
		"first_1_processes (5 + 5 runs)\n"
		"                  MIN            MAX           MEAN         MEDIAN         "
		"STDDEV\n"
		"BASE             1000           1040           1020           1020             "
		"16\n"
		"TEST             2000           2040           2020           2020             "
		"16\n"
		"%             100.00%         96.15%         98.04%         98.04%          "
		"0.00%\n"
		"verdict: better (median +98.04 %, 95 % interval";
	struct printed printed;
	struct fake_set set;

	fake_set_init(&set, 5);
	fake.step = 10;
	begin(&printed, &set.plan, false);
	cr_assert_eq(lab_compare_set(&set.lab, &set.plan, 0.05, print_comparison, &printed.table,
				     NULL), 0);
	fclose(printed.table.out);
	cr_assert_eq(strncmp(printed.text, wanted, strlen(wanted)), 0, "%s", printed.text);
	cr_assert(strstr(printed.text, "p = 0.007937)\n"));
	cr_assert_null(strstr(printed.text, "note:"));
	free(printed.text);
}

Test(table, oversubscribed_points_and_missing_runs_are_noted)
{
	struct printed printed;
	struct fake_set set;

	fake_set_init(&set, 3);
	set.tasks[0] = 8;
	begin(&printed, &set.plan, false);
	cr_assert_eq(lab_compare_set(&set.lab, &set.plan, 0.05, print_comparison, &printed.table,
				     NULL), 0);
	fclose(printed.table.out);
	cr_assert(strstr(printed.text, "verdict: inconclusive"), "%s", printed.text);
	cr_assert(strstr(printed.text, "; a verdict needs at least --runs=5\n"), "%s",
		  printed.text);
	cr_assert(strstr(printed.text, "note: oversubscribed: 8 tasks on 2 CPUs"), "%s",
		  printed.text);
	/* Nothing varies here, so a percentage of the deviation has no meaning. */
	cr_assert(strstr(printed.text, "100.00%              -\n"), "%s", printed.text);
	free(printed.text);
}

Test(table, colour_is_only_there_when_asked_for)
{
	for (int colour = 0; colour < 2; colour++) {
		struct printed printed;
		struct fake_set set;

		fake_set_init(&set, 5);
		begin(&printed, &set.plan, colour);
		cr_assert_eq(lab_compare_set(&set.lab, &set.plan, 0.05, print_comparison,
					     &printed.table, NULL), 0);
		fclose(printed.table.out);
		cr_assert_eq(strchr(printed.text, '\033') != NULL, colour == 1);
		free(printed.text);
	}
}

Test(table, records_are_one_line_each_below_one_heading)
{
	struct printed printed;
	struct fake_set set;
	unsigned lines = 0;

	fake_set_init(&set, 1);
	set.tasks[1] = 8;
	set.plan.nr_tasks = 2;
	begin(&printed, &set.plan, false);
	cr_assert_eq(lab_run_set(&set.lab, &set.plan, print_record, &printed.table, NULL), 0);
	fclose(printed.table.out);
	for (const char *c = printed.text; *c; c++)
		lines += *c == '\n';
	cr_assert_eq(lines, 5);
	cr_assert_eq(strncmp(printed.text, "WORKLOAD ", 9), 0);
	cr_assert(strstr(printed.text, "oversubscribed (2 CPUs)\n"));
	free(printed.text);
}
