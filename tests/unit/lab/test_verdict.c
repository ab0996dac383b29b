/* SPDX-License-Identifier: MIT */
/*
 * test_verdict.c - the rule of better, worse, same and inconclusive at its edges.
 */
#include "lab/verdict.h"

#include <criterion/criterion.h>

static struct lab_judgement judge(const double *base, unsigned nr_base, const double *test,
				  unsigned nr_test)
{
	struct lab_judgement judgement;

	verdict_judge(base, nr_base, test, nr_test, 0.05, &judgement);
	return judgement;
}

static const double level[] = {100, 101, 99, 100.5, 99.5, 100.2};

Test(verdict, a_clear_change_of_five_runs_is_better_or_worse)
{
	static const double up[] = {110, 111, 109, 110.5, 109.5};
	struct lab_judgement judgement = judge(level, 5, up, 5);

	cr_assert_eq(judgement.verdict, VERDICT_BETTER);
	cr_assert_float_eq(judgement.change, 0.10, 1e-9);
	cr_assert_float_eq(judgement.p, 2.0 / 252, 1e-12);
	judgement = judge(up, 5, level, 5);
	cr_assert_eq(judgement.verdict, VERDICT_WORSE);
	cr_assert_eq(judgement.runs_needed, 0);
}

Test(verdict, four_runs_on_either_side_are_never_enough)
{
	static const double up[] = {200, 201, 199, 200.5, 199.5};

	cr_assert_eq(judge(level, 4, up, 5).verdict, VERDICT_INCONCLUSIVE);
	cr_assert_eq(judge(level, 5, up, 4).verdict, VERDICT_INCONCLUSIVE);
	cr_assert_eq(judge(level, 4, up, 4).runs_needed, LAB_VERDICT_RUNS);
	cr_assert_eq(judge(level, 4, level, 4).verdict, VERDICT_INCONCLUSIVE);
	cr_assert_eq(judge(level, 5, up, 5).verdict, VERDICT_BETTER);
}

Test(verdict, a_significant_change_below_the_threshold_is_the_same_if_surely_below)
{
	static const double up[] = {103.0, 103.2, 102.8, 103.1, 102.9};
	struct lab_judgement judgement = judge(level, 5, up, 5);

	cr_assert_lt(judgement.p, 0.05);
	cr_assert_eq(judgement.verdict, VERDICT_SAME);
}

Test(verdict, the_threshold_itself_counts_as_a_change)
{
	static const double base[] = {100, 100, 100, 100, 100}, five[] = {105, 105, 105, 105, 105};
	static const double less[] = {104.9, 104.9, 104.9, 104.9, 104.9};
	struct lab_judgement judgement;

	verdict_judge(base, 5, five, 5, 0.0499999, &judgement);
	cr_assert_eq(judgement.verdict, VERDICT_BETTER);
	cr_assert_eq(judge(base, 5, less, 5).verdict, VERDICT_SAME);
}

Test(verdict, equal_samples_are_the_same)
{
	struct lab_judgement judgement = judge(level, 6, level, 6);

	cr_assert_eq(judgement.verdict, VERDICT_SAME);
	cr_assert_float_eq(judgement.change, 0, 0);
	cr_assert_float_eq(judgement.p, 1, 1e-12);
}

Test(verdict, noise_wider_than_the_threshold_is_inconclusive_and_says_how_many_runs)
{
	static const double wild[] = {60, 140, 100, 80, 125}, other[] = {70, 130, 101, 85, 118};
	struct lab_judgement judgement = judge(wild, 5, other, 5);

	cr_assert_eq(judgement.verdict, VERDICT_INCONCLUSIVE);
	cr_assert_gt(judgement.runs_needed, 5);
}

Test(verdict, less_noise_needs_fewer_runs)
{
	static const double calm[] = {96, 106, 100, 94, 103}, wild[] = {60, 140, 100, 80, 125};
	struct lab_judgement a = judge(calm, 5, calm, 5), b = judge(wild, 5, wild, 5);

	cr_assert_eq(a.verdict, VERDICT_INCONCLUSIVE);
	cr_assert_eq(b.verdict, VERDICT_INCONCLUSIVE);
	cr_assert_gt(a.runs_needed, 5);
	cr_assert_lt(a.runs_needed, b.runs_needed);
}

Test(verdict, a_base_of_nothing_has_no_ratio)
{
	static const double nothing[] = {0, 0, 0, 0, 0};
	struct lab_judgement judgement = judge(nothing, 5, level, 5);

	cr_assert_eq(judgement.verdict, VERDICT_INCONCLUSIVE);
	cr_assert_float_eq(judgement.change, 0, 0);
	cr_assert_eq(judge(level, 5, nothing, 5).verdict, VERDICT_WORSE);
	cr_assert_eq(judge(level, 0, level, 5).verdict, VERDICT_INCONCLUSIVE);
}
