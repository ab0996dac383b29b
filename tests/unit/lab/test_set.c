/* SPDX-License-Identifier: MIT */
/*
 * test_set.c - which runs a plan makes, in which order, and what is handed out.
 */
#include "tests/unit/lab/fake_core.h"

#include <criterion/criterion.h>

struct seen {
	unsigned nr, runs[16], nr_tasks[16];
	char kernel[16][16];
	double medians[16];
	bool interrupted[16], oversubscribed[16];
	enum lab_verdict verdict[16];
	int refuse;
};

static int see_record(void *arg, const struct lab_record *record, struct message *msg)
{
	struct seen *seen = arg;
	struct lab_stats stats;

	(void)msg;
	lab_record_stats(record, &stats);
	seen->runs[seen->nr] = record->nr_runs;
	seen->nr_tasks[seen->nr] = record->point.nr_tasks;
	seen->medians[seen->nr] = stats.median;
	seen->interrupted[seen->nr] = record->interrupted;
	seen->oversubscribed[seen->nr] = lab_record_oversubscribed(record);
	snprintf(seen->kernel[seen->nr], 16, "%.15s", record->point.policy->spec);
	seen->nr++;
	return seen->refuse;
}

static int see_comparison(void *arg, const struct lab_comparison *comparison, struct message *msg)
{
	struct seen *seen = arg;

	seen->verdict[seen->nr] = comparison->judgement.verdict;
	cr_assert_str_eq(comparison->base->side, "base");
	cr_assert_str_eq(comparison->test->side, "test");
	cr_assert_eq(comparison->base_stats.nr, comparison->base->nr_runs);
	return see_record(arg, comparison->base, msg);
}

Test(set, runs_every_combination_and_frees_every_result)
{
	struct seen seen = {0};
	struct fake_set set;

	fake_set_init(&set, 3);
	set.plan.workloads[1] = "second";
	set.plan.nr_workloads = 2;
	set.plan.modes[1] = MODE_THREADS;
	set.plan.nr_modes = 2;
	set.tasks[1] = 8;
	set.plan.nr_tasks = 2;
	cr_assert_eq(lab_run_set(&set.lab, &set.plan, see_record, &seen, NULL), 0);
	cr_assert_eq(seen.nr, 16);
	cr_assert_eq(fake.nr_calls, 48);
	cr_assert_eq(lab_plan_runs(&set.lab, &set.plan), 48);
	cr_assert_eq(fake.nr_freed, 48);
	for (unsigned i = 0; i < 16; i++) {
		cr_assert_eq(seen.runs[i], 3);
		cr_assert_eq(seen.nr_tasks[i], i % 2 ? 8 : 1);
		cr_assert_eq(seen.oversubscribed[i], i % 2 == 1);
		cr_assert_str_eq(seen.kernel[i], i % 8 < 4 ? "6.17" : "6.18");
	}
}

Test(set, each_run_of_a_point_has_its_own_seed)
{
	struct seen seen = {0};
	struct fake_set set;

	fake_set_init(&set, 3);
	cr_assert_eq(lab_run_set(&set.lab, &set.plan, see_record, &seen, NULL), 0);
	for (unsigned i = 0; i < 6; i++)
		cr_assert_eq(fake.calls[i].seed, 100 + i % 3);
}

Test(set, a_comparison_interleaves_the_sides_and_shares_seeds)
{
	static const char *const order[] = {"6.17", "6.18", "6.18", "6.17", "6.17", "6.18",
					    "6.18", "6.17", "6.17", "6.18"};
	struct seen seen = {0};
	struct fake_set set;

	fake_set_init(&set, 5);
	fake.step = 1;
	cr_assert_eq(lab_compare_set(&set.lab, &set.plan, 0.05, see_comparison, &seen, NULL), 0);
	cr_assert_eq(seen.nr, 1);
	cr_assert_eq(fake.nr_calls, 10);
	cr_assert_eq(fake.nr_freed, 10);
	for (unsigned i = 0; i < 10; i++) {
		cr_assert_str_eq(fake.calls[i].kernel, order[i], "call %u", i);
		cr_assert_eq(fake.calls[i].seed, 100 + i / 2, "call %u", i);
	}
	cr_assert_eq(seen.verdict[0], VERDICT_BETTER);
	cr_assert_float_eq(seen.medians[0], 1002, 1e-9);
}

Test(set, an_interrupt_keeps_what_is_finished_and_drops_the_rest)
{
	struct seen seen = {0};
	struct fake_set set;

	fake_set_init(&set, 3);
	fake.interrupt_at = 5; /* the second run of the second point */
	cr_assert_eq(lab_run_set(&set.lab, &set.plan, see_record, &seen, NULL), -EINTR);
	cr_assert_eq(fake.nr_calls, 5);
	cr_assert_eq(fake.nr_freed, 5);
	cr_assert_eq(seen.nr, 2);
	cr_assert_eq(seen.runs[0], 3);
	cr_assert(!seen.interrupted[0]);
	cr_assert_eq(seen.runs[1], 1);
	cr_assert(seen.interrupted[1]);
}

Test(set, an_interrupt_in_the_first_run_hands_out_nothing)
{
	struct seen seen = {0};
	struct fake_set set;

	fake_set_init(&set, 3);
	fake.interrupt_at = 1;
	cr_assert_eq(lab_run_set(&set.lab, &set.plan, see_record, &seen, NULL), -EINTR);
	cr_assert_eq(seen.nr, 0);
	cr_assert_eq(fake.nr_freed, 1);
	fake_set_init(&set, 5);
	fake.interrupt_at = 2; /* one side has a run, the other none */
	cr_assert_eq(lab_compare_set(&set.lab, &set.plan, 0.05, see_comparison, &seen, NULL),
		     -EINTR);
	cr_assert_eq(seen.nr, 0);
	cr_assert_eq(fake.nr_freed, 2);
}

Test(set, a_failing_run_ends_the_set_with_its_message)
{
	struct seen seen = {0};
	struct fake_set set;
	struct message msg;

	fake_set_init(&set, 3);
	fake.fail_at = 5;
	cr_assert_eq(lab_run_set(&set.lab, &set.plan, see_record, &seen, &msg), -ENOMEM);
	cr_assert_str_eq(msg.text, "the fake ran out");
	cr_assert_eq(seen.nr, 1);
	cr_assert_eq(fake.nr_freed, 4);
}

Test(set, a_run_that_leaks_fails)
{
	struct seen seen = {0};
	struct fake_set set;
	struct message msg;

	fake_set_init(&set, 3);
	fake.leak_at = 2;
	cr_assert_eq(lab_run_set(&set.lab, &set.plan, see_record, &seen, &msg), -EIO);
	cr_assert(strstr(msg.text, "1 objects and 0 pages"), "%s", msg.text);
	cr_assert_eq(seen.nr, 0);
	cr_assert_eq(fake.nr_freed, 2);
}

Test(set, a_refusal_of_the_taker_ends_the_set)
{
	struct seen seen = {.refuse = -EIO};
	struct fake_set set;

	fake_set_init(&set, 1);
	cr_assert_eq(lab_run_set(&set.lab, &set.plan, see_record, &seen, NULL), -EIO);
	cr_assert_eq(seen.nr, 1);
}

Test(set, the_native_engine_takes_no_foreign_machine)
{
	struct vmasim_core other = fake_core;
	struct machine_desc machine;
	struct message msg;

	cr_assert_eq(lab_machine(&fake_core, "host", &machine, &msg), 0);
	cr_assert(machine.is_host);
	cr_assert_eq(lab_machine(&fake_core, "turin", &machine, &msg), -EINVAL);
	cr_assert(strstr(msg.text, "'turin'") && strstr(msg.text, "allowed: host"), "%s", msg.text);
	other.engine = "virtual";
	cr_assert_eq(lab_machine(&other, "turin", &machine, &msg), 0);
	cr_assert_eq(machine.nr_cpus, 512);
	cr_assert_eq(lab_machine(&other, "tarin", &machine, &msg), -EINVAL);
}

Test(set, unknown_engines_and_workloads_are_named)
{
	struct message msg;

	cr_assert_null(lab_core("quantum", &msg));
	cr_assert_str_eq(msg.text, "--engine: 'quantum' is unknown; allowed: native, virtual");
	cr_assert_str_eq(lab_core("native", &msg)->engine, "native");
	cr_assert_eq(lab_check_workload(&fake_core, "second", &msg), 0);
	cr_assert_eq(lab_check_workload(&fake_core, "third", &msg), -EINVAL);
	cr_assert_str_eq(msg.text, "workload 'third' is unknown; allowed: first, second");
}

Test(set, progress_names_the_run_and_is_wiped)
{
	struct lab_progress progress;
	struct seen seen = {0};
	struct fake_set set;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fake_set_init(&set, 2);
	lab_progress_start(&progress, out, lab_plan_runs(&set.lab, &set.plan));
	set.lab.progress = &progress;
	cr_assert_eq(lab_run_set(&set.lab, &set.plan, see_record, &seen, NULL), 0);
	cr_assert_eq(progress.done_runs, 4);
	lab_progress_clear(&progress);
	fclose(out);
	cr_assert(strstr(text, "[1/4] first 6.17 processes tasks=1 run 1"), "%s", text);
	cr_assert(size > 4 && !strcmp(text + size - 4, "\r\033[K"), "%s", text);
	free(text);
}
