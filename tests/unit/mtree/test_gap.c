/* SPDX-License-Identifier: MIT */
/*
 * test_gap.c - the gap search against a search of every index.
 */
#include "base/rng.h"
#include "mtree_fixture.h"

enum { ARENA = 64 << 20, WINDOW = 1500, SEARCHES = 4000 };

struct gap_model {
	struct tree_bench b;
	bool taken[WINDOW];
	struct rng rng;
};

static bool fits(const struct gap_model *m, unsigned long from, unsigned long size)
{
	for (unsigned long i = from; i < from + size; i++)
		if (m->taken[i])
			return false;
	return true;
}

/* Lowest or highest start of @size free indexes in [@min, @max]; WINDOW: there is none. */
static unsigned long expected(const struct gap_model *m, unsigned long min, unsigned long max,
			      unsigned long size, bool highest)
{
	unsigned long found = WINDOW;

	for (unsigned long i = min; i + size - 1 <= max; i++) {
		if (!fits(m, i, size))
			continue;
		found = i;
		if (!highest)
			break;
	}
	return found;
}

static void compare(struct gap_model *m, unsigned long min, unsigned long max, unsigned long size)
{
	MA_STATE(mas, &m->b.tree, 0, 0);
	unsigned long low = expected(m, min, max, size, false);
	unsigned long high = expected(m, min, max, size, true);

	mtree_lock(&m->b.tree);
	cr_assert_eq(mas_empty_area(&mas, min, max, size), low == WINDOW ? -EBUSY : 0);
	if (low != WINDOW) {
		cr_assert_eq(mas.index, low);
		cr_assert_eq(mas.last, low + size - 1);
	}
	mas_reset(&mas);
	cr_assert_eq(mas_empty_area_rev(&mas, min, max, size), low == WINDOW ? -EBUSY : 0);
	if (high != WINDOW) {
		cr_assert_eq(mas.index, high);
		cr_assert_eq(mas.last, high + size - 1);
	}
	mtree_unlock(&m->b.tree);
}

static void fill_at_random(struct gap_model *m)
{
	for (unsigned n = 0; n < 250; n++) {
		unsigned long first = rng_below(&m->rng, WINDOW);
		unsigned long last = min(first + rng_below(&m->rng, 9), WINDOW - 1ul);
		void *entry = rng_below(&m->rng, 4) ? entry_of(n) : NULL;

		store(&m->b, first, last, entry);
		for (unsigned long i = first; i <= last; i++)
			m->taken[i] = entry != NULL;
	}
}

Test(gap, lowest_and_highest_gap_are_those_of_a_search_index_by_index)
{
	static struct gap_model m;

	boot_tree(&m.b, "6.18", IN_RCU, ARENA);
	rng_seed(&m.rng, 1, 0);
	fill_at_random(&m);
	for (unsigned n = 0; n < SEARCHES; n++) {
		unsigned long min = rng_below(&m.rng, WINDOW), size = 1 + rng_below(&m.rng, 24);
		unsigned long max = min + rng_below(&m.rng, WINDOW - min);

		if (max - min >= size - 1)
			compare(&m, min, max, size);
	}
	end_tree(&m.b);
}

Test(gap, a_found_gap_can_be_filled_until_none_is_left)
{
	struct tree_bench b;
	unsigned found = 0;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	fill(&b, 0, 100); /* a hole of 5 behind each */
	for (;;) {
		MA_STATE(mas, &b.tree, 0, 0);

		mtree_lock(&b.tree);
		if (found % 2 ? mas_empty_area(&mas, 0, 999, 5)
			      : mas_empty_area_rev(&mas, 0, 999, 5)) {
			mtree_unlock(&b.tree);
			break;
		}
		mtree_unlock(&b.tree);
		cr_assert_eq(mas.index % 10, 5);
		store(&b, mas.index, mas.last, entry_of(1000));
		found++;
	}
	cr_assert_eq(found, 100);
	end_tree(&b);
}

Test(gap, impossible_questions_are_refused)
{
	struct tree_bench b;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	fill(&b, 0, 50);
	MA_STATE(mas, &b.tree, 0, 0);
	mtree_lock(&b.tree);
	cr_assert_eq(mas_empty_area(&mas, 10, 9, 1), -EINVAL);
	cr_assert_eq(mas_empty_area_rev(&mas, 10, 9, 1), -EINVAL);
	cr_assert_eq(mas_empty_area(&mas, 10, 19, 11), -EINVAL);
	cr_assert_eq(mas_empty_area_rev(&mas, 10, 19, 11), -EINVAL);
	cr_assert_eq(mas_empty_area(&mas, 10, 19, 0), -EINVAL);
	cr_assert_eq(mas_empty_area_rev(&mas, 10, 19, 0), -EINVAL);
	cr_assert_eq(mas_empty_area(&mas, 0, ULONG_MAX, ULONG_MAX), -EBUSY);
	cr_assert_eq(mas_empty_area_rev(&mas, 0, ULONG_MAX, ULONG_MAX), -EBUSY);
	mtree_unlock(&b.tree);
	end_tree(&b);
}

Test(gap, a_tree_without_nodes_is_free_but_for_its_entry)
{
	struct tree_bench b;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	MA_STATE(mas, &b.tree, 0, 0);
	mtree_lock(&b.tree);
	cr_assert_eq(mas_empty_area(&mas, 0, 99, 10), 0);
	cr_assert_eq(mas.index, 0);
	mtree_unlock(&b.tree);
	store(&b, 0, 0, entry_of(1));
	mas_reset(&mas);
	mtree_lock(&b.tree);
	cr_assert_eq(mas_empty_area(&mas, 0, 99, 10), 0);
	cr_assert_eq(mas.index, 1);
	mas_reset(&mas);
	cr_assert_eq(mas_empty_area_rev(&mas, 0, 99, 10), 0);
	cr_assert_eq(mas.index, 90);
	mas_reset(&mas);
	cr_assert_eq(mas_empty_area(&mas, 0, 9, 10), -EBUSY);
	mtree_unlock(&b.tree);
	end_tree(&b);
}
