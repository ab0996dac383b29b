/* SPDX-License-Identifier: MIT */
/*
 * test_iterate.c - where a state stands after each call, in each kind of tree.
 *
 * The tree of most tests: entry i over [10i, 10i + 4], a hole behind each, enough of
 * them for three levels, so that steps cross leaves and their parents.
 */
#include "mtree_fixture.h"

enum { RANGES = 300 };

static void boot_filled(struct tree_bench *b, unsigned flags)
{
	boot_tree(b, "6.18", flags, 256ul << 20);
	fill(b, 0, RANGES);
}

static void at(const struct ma_state *mas, unsigned long index, unsigned long last)
{
	cr_assert_eq(mas->index, index, "index %lu, not %lu", mas->index, index);
	cr_assert_eq(mas->last, last, "last %lu, not %lu", mas->last, last);
}

Test(iterate, find_and_next_meet_every_entry_in_order)
{
	struct tree_bench b;
	unsigned long n = 0;
	void *entry;

	boot_filled(&b, IN_RCU);
	cr_assert_eq(mt_height(&b.tree), 3);
	MA_STATE(mas, &b.tree, 0, 0);
	rcu_read_lock();
	mas_for_each(&mas, entry, ULONG_MAX) {
		cr_assert_eq(entry, entry_of(n));
		at(&mas, n * 10, n * 10 + 4);
		n++;
	}
	cr_assert_eq(n, RANGES);
	mas_set(&mas, 0);
	for (n = 1; (entry = mas_next(&mas, ULONG_MAX)) != NULL; n++)
		cr_assert_eq(entry, entry_of(n));
	cr_assert_eq(n, RANGES);
	rcu_read_unlock();
	end_tree(&b);
}

Test(iterate, find_rev_and_prev_meet_every_entry_backwards)
{
	struct tree_bench b;
	unsigned long n = RANGES;
	void *entry;

	boot_filled(&b, GAPS);
	MA_STATE(mas, &b.tree, ULONG_MAX, ULONG_MAX);
	while ((entry = mas_find_rev(&mas, 0)) != NULL) {
		cr_assert_eq(entry, entry_of(--n));
		at(&mas, n * 10, n * 10 + 4);
	}
	cr_assert_eq(n, 0);
	mas_set(&mas, RANGES * 10);
	for (n = RANGES; (entry = mas_prev(&mas, 0)) != NULL;)
		cr_assert_eq(entry, entry_of(--n));
	cr_assert_eq(n, 0);
	end_tree(&b);
}

Test(iterate, range_steps_stop_at_holes_too)
{
	struct tree_bench b;

	boot_filled(&b, PLAIN);
	MA_STATE(mas, &b.tree, 0, 0);
	cr_assert_eq(mas_walk(&mas), entry_of(0));
	for (unsigned long n = 0; n + 1 < RANGES; n++) {
		cr_assert_null(mas_next_range(&mas, ULONG_MAX));
		at(&mas, n * 10 + 5, n * 10 + 9);
		cr_assert_eq(mas_next_range(&mas, ULONG_MAX), entry_of(n + 1));
	}
	cr_assert_null(mas_next_range(&mas, ULONG_MAX));
	at(&mas, RANGES * 10 - 5, ULONG_MAX);
	for (unsigned long n = RANGES; n-- > 0;) {
		cr_assert_eq(mas_prev_range(&mas, 0), entry_of(n));
		if (n)
			cr_assert_null(mas_prev_range(&mas, 0));
	}
	end_tree(&b);
}

Test(iterate, a_step_back_from_a_limit_returns_the_range_it_stood_at)
{
	struct tree_bench b;

	boot_filled(&b, IN_RCU);
	for (unsigned long n = 1; n + 1 < RANGES; n++) {
		MA_STATE(mas, &b.tree, n * 10, n * 10);

		cr_assert_eq(mas_walk(&mas), entry_of(n));
		cr_assert_null(mas_next(&mas, n * 10 + 4));
		cr_assert_eq(mas.status, ma_overflow);
		cr_assert_eq(mas_prev(&mas, 0), entry_of(n));
		cr_assert_eq(mas.status, ma_active);
		cr_assert_null(mas_prev(&mas, n * 10));
		cr_assert_eq(mas.status, ma_underflow);
		cr_assert_eq(mas_next(&mas, ULONG_MAX), entry_of(n));
		cr_assert_eq(mas.status, ma_active);
	}
	end_tree(&b);
}

Test(iterate, a_raised_limit_lets_a_state_go_on)
{
	struct tree_bench b;

	boot_filled(&b, IN_RCU);
	for (unsigned long n = 1; n + 2 < RANGES; n++) {
		MA_STATE(mas, &b.tree, n * 10, n * 10);

		cr_assert_eq(mas_find(&mas, n * 10 + 4), entry_of(n));
		cr_assert_null(mas_find(&mas, n * 10 + 4));
		cr_assert_eq(mas_find(&mas, n * 10 + 14), entry_of(n + 1));
		cr_assert_null(mas_next(&mas, n * 10 + 14));
		cr_assert_eq(mas.status, ma_overflow);
		cr_assert_null(mas_next(&mas, n * 10 + 14));
		cr_assert_eq(mas_next(&mas, n * 10 + 24), entry_of(n + 2));
		cr_assert_null(mas_prev(&mas, n * 10 + 20));
		cr_assert_eq(mas.status, ma_underflow);
		cr_assert_eq(mas_prev(&mas, n * 10 + 10), entry_of(n + 1));
		cr_assert_null(mas_find_rev(&mas, n * 10 + 10));
		cr_assert_eq(mas_find_rev(&mas, n * 10), entry_of(n));
	}
	end_tree(&b);
}

Test(iterate, a_pause_continues_behind_the_range_even_when_the_tree_changed)
{
	struct tree_bench b;

	boot_filled(&b, IN_RCU);
	for (unsigned long n = 1; n + 2 < RANGES; n += 2) {
		MA_STATE(mas, &b.tree, n * 10, n * 10);

		cr_assert_eq(mas_find(&mas, ULONG_MAX), entry_of(n));
		mas_pause(&mas);
		store(&b, n * 10, n * 10 + 4, NULL);
		cr_assert_eq(mas_find(&mas, ULONG_MAX), entry_of(n + 1));
		mas_pause(&mas);
		cr_assert_eq(mas_find_rev(&mas, 0), entry_of(n - 1));
	}
	end_tree(&b);
}

Test(iterate, an_empty_tree_is_one_hole)
{
	struct tree_bench b;

	boot_tree(&b, "6.18", IN_RCU, 64ul << 20);
	MA_STATE(mas, &b.tree, 77, 77);
	cr_assert_null(mas_walk(&mas));
	at(&mas, 0, ULONG_MAX);
	cr_assert_eq(mas.status, ma_none);
	mas_set(&mas, 77);
	cr_assert_null(mas_find(&mas, ULONG_MAX));
	mas_set(&mas, 77);
	cr_assert_null(mas_next(&mas, ULONG_MAX));
	mas_set(&mas, 77);
	cr_assert_null(mas_prev(&mas, 0));
	mas_set(&mas, 77);
	cr_assert_null(mas_find_rev(&mas, 0));
	end_tree(&b);
}

Test(iterate, one_entry_at_zero_is_found_from_either_side)
{
	struct tree_bench b;

	boot_tree(&b, "6.18", IN_RCU, 64ul << 20);
	cr_assert_eq(store(&b, 0, 0, entry_of(1)), 0);
	cr_assert_eq(mt_height(&b.tree), 0);
	MA_STATE(mas, &b.tree, 0, 0);
	cr_assert_eq(mas_find(&mas, ULONG_MAX), entry_of(1));
	cr_assert_null(mas_find(&mas, ULONG_MAX));
	mas_set(&mas, 5);
	cr_assert_null(mas_walk(&mas));
	at(&mas, 1, ULONG_MAX);
	mas_set(&mas, 5);
	cr_assert_eq(mas_prev(&mas, 0), entry_of(1));
	at(&mas, 0, 0);
	mas_set(&mas, 5);
	cr_assert_eq(mas_find_rev(&mas, 0), entry_of(1));
	cr_assert_null(mas_find_rev(&mas, 0));
	mas_set(&mas, 0);
	cr_assert_null(mas_next(&mas, ULONG_MAX));
	end_tree(&b);
}

Test(iterate, mt_find_passes_over_zero_entries_and_moves_the_index)
{
	struct tree_bench b;
	unsigned long index = 0, seen = 0;
	void *entry;

	boot_filled(&b, GAPS);
	MA_STATE(mas, &b.tree, 10, 14);
	mtree_lock(&b.tree);
	cr_assert_eq(mas_store_gfp(&mas, XA_ZERO_ENTRY, GFP_KERNEL), 0);
	mtree_unlock(&b.tree);
	cr_assert_null(mtree_load(&b.tree, 12));
	mt_for_each(&b.tree, entry, index, ULONG_MAX) {
		cr_assert_eq(entry, entry_of(seen == 0 ? 0 : seen + 1));
		seen++;
	}
	cr_assert_eq(seen, RANGES - 1);
	cr_assert_eq(mt_next(&b.tree, 20, ULONG_MAX), entry_of(3));
	cr_assert_eq(mt_prev(&b.tree, 30, 0), entry_of(2));
	cr_assert_null(mt_next(&b.tree, 20, 29));
	cr_assert_null(mt_prev(&b.tree, 30, 25));
	end_tree(&b);
}
