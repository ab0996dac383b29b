/* SPDX-License-Identifier: MIT */
/*
 * test_levels.c - stores that change more than one node: each way a split, a
 * rebalance and a spanning store can end.
 *
 * Dense trees (no holes) make the arithmetic plain: a leaf has 16 slots, an inner
 * node with gaps 10, and a split is as even as can be.
 */
#include "mtree_fixture.h"

enum { ARENA = 128 << 20 };

static void no_range_was_lost(struct tree_bench *b, unsigned long ranges)
{
	for (unsigned long i = 0; i < ranges; i++)
		cr_assert_eq(mtree_load(&b->tree, i * 10 + 9), entry_of(i), "range %lu", i);
}

/* Cut range @i of a dense tree in two, which adds a slot to its leaf. */
static u64 cut_range(struct tree_bench *b, unsigned long i)
{
	return store(b, i * 10, i * 10 + 4, entry_of(100000 + i));
}

Test(levels, a_full_root_leaf_becomes_two_below_a_new_root)
{
	struct tree_bench b;
	struct store_plan plan;
	unsigned long max;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	fill_dense(&b, 0, 15); /* and the hole behind: 16 slots */
	cr_assert_eq(mt_height(&b.tree), 1);
	plan = plan_store(&b, 150, 159, entry_of(15));
	cr_assert_eq(plan.type, wr_split_store);
	cr_assert_eq(plan.nodes, 3);
	cr_assert_eq(store(&b, 150, 159, entry_of(15)), 3);
	cr_assert_eq(mt_height(&b.tree), 2);
	cr_assert_eq(leaf_slots(&b, 0, NULL, &max), 9);
	cr_assert_eq(leaf_slots(&b, max + 1, NULL, NULL), 8);
	no_range_was_lost(&b, 16);
	end_tree(&b);
}

/* Two leaves below the root, the left one full, the right one with @right slots. */
static void two_leaves(struct tree_bench *b, unsigned left, unsigned right)
{
	unsigned long max;

	boot_tree(b, "6.18", IN_RCU, ARENA);
	fill_dense(b, 0, 16);
	for (unsigned long i = 0; leaf_slots(b, 0, NULL, NULL) < left; i++)
		cut_range(b, i);
	leaf_slots(b, 0, NULL, &max);
	for (unsigned long i = (max + 1) / 10; leaf_slots(b, max + 1, NULL, NULL) < right; i++)
		cut_range(b, i);
	cr_assert_eq(mt_nr_nodes(&b->tree), 3);
}

Test(levels, a_full_leaf_pushes_to_the_right_and_the_change_ends_there)
{
	struct tree_bench b;
	unsigned long max;

	two_leaves(&b, 16, 8);
	cr_assert_eq(plan_store(&b, 0, 1, entry_of(1)).type, wr_split_store);
	cr_assert_eq(store(&b, 0, 1, entry_of(1)), 3);
	cr_assert_eq(mt_nr_nodes(&b.tree), 3);
	cr_assert_eq(leaf_slots(&b, 0, NULL, &max), 10);
	cr_assert_eq(leaf_slots(&b, max + 1, NULL, NULL), 15);
	end_tree(&b);
}

Test(levels, a_full_leaf_pushes_to_the_left_first)
{
	struct tree_bench b;
	unsigned long max;

	two_leaves(&b, 9, 16);
	leaf_slots(&b, 0, NULL, &max);
	cr_assert_eq(plan_store(&b, max + 2, max + 2, entry_of(1)).type, wr_split_store);
	cr_assert_eq(store(&b, max + 2, max + 2, entry_of(1)), 3);
	cr_assert_eq(mt_nr_nodes(&b.tree), 3);
	cr_assert_eq(leaf_slots(&b, 0, NULL, &max), 15);
	end_tree(&b);
}

Test(levels, a_full_leaf_beside_a_full_one_becomes_two)
{
	struct tree_bench b;
	unsigned long max;

	two_leaves(&b, 16, 16);
	cr_assert_eq(store(&b, 0, 1, entry_of(1)), 3);
	cr_assert_eq(mt_nr_nodes(&b.tree), 4);
	cr_assert_eq(leaf_slots(&b, 0, NULL, &max), 9);
	cr_assert_eq(leaf_slots(&b, max + 1, NULL, NULL), 8);
	end_tree(&b);
}

Test(levels, splits_reach_every_height_with_gaps_and_without)
{
	static const unsigned flags[] = {IN_RCU, GAPS, PLAIN, MT_FLAGS_USE_RCU};
	struct tree_bench b;

	for (unsigned f = 0; f < ARRAY_SIZE(flags); f++) {
		unsigned highest = 0;

		boot_tree(&b, "6.18", flags[f], ARENA);
		for (unsigned long i = 0; i < 1500; i++) {
			struct store_plan plan = plan_store(&b, i * 10, i * 10 + 9, entry_of(i));
			u64 used = store(&b, i * 10, i * 10 + 9, entry_of(i));

			cr_assert_leq(used, plan.nodes);
			highest = max(highest, mt_height(&b.tree));
		}
		cr_assert_geq(highest, 3);
		no_range_was_lost(&b, 1500);
		end_tree(&b);
	}
}

Test(levels, descending_and_scattered_stores_split_as_well)
{
	struct tree_bench b;

	for (unsigned long step = 1; step < 8; step += 2) {
		boot_tree(&b, "6.18", IN_RCU, ARENA);
		for (unsigned long n = 0; n < 1024; n++) {
			unsigned long i = (1023 - n) * step % 1024;

			store(&b, i * 10, i * 10 + 9, entry_of(i));
		}
		no_range_was_lost(&b, 1024);
		end_tree(&b);
	}
}

Test(levels, a_small_leaf_takes_from_its_right_sibling)
{
	struct tree_bench b;
	unsigned long max;
	u64 operations, used = 0;

	two_leaves(&b, 9, 16);
	leaf_slots(&b, 0, NULL, &max);
	operations = event_total(EVENT_MA_OP);
	/* Two ranges become one: 9, 8, 7 slots, then 6 would be one too few. */
	for (unsigned long end = 19; end <= 39; end += 10) {
		bool last = end == 39;

		cr_assert_eq(plan_store(&b, 0, end, entry_of(0)).type,
			     last ? wr_rebalance : wr_node_store, "end %lu", end);
		used = store(&b, 0, end, entry_of(0));
	}
	cr_assert_eq(used, 3);
	cr_assert_eq(event_total(EVENT_MA_OP), operations + 1);
	cr_assert_eq(mt_nr_nodes(&b.tree), 3);
	cr_assert_eq(leaf_slots(&b, 0, NULL, &max), 11);
	cr_assert_eq(leaf_slots(&b, max + 1, NULL, NULL), 11);
	end_tree(&b);
}

Test(levels, two_small_leaves_become_one_and_the_root_goes)
{
	struct tree_bench b;

	two_leaves(&b, 9, 8);
	for (unsigned long end = 19; end <= 39; end += 10)
		store(&b, 0, end, entry_of(0));
	cr_assert_eq(mt_height(&b.tree), 1);
	cr_assert_eq(mt_nr_nodes(&b.tree), 1);
	cr_assert_eq(leaf_slots(&b, 0, NULL, NULL), 14);
	end_tree(&b);
}

Test(levels, the_last_child_takes_from_its_left_sibling)
{
	struct tree_bench b;
	unsigned long max;

	two_leaves(&b, 16, 8);
	leaf_slots(&b, 0, NULL, &max);
	cr_assert_eq(plan_store(&b, max + 1, max + 40, entry_of(1)).type, wr_rebalance);
	cr_assert_eq(store(&b, max + 1, max + 40, entry_of(1)), 3);
	cr_assert_eq(mt_nr_nodes(&b.tree), 3);
	cr_assert_eq(leaf_slots(&b, 0, NULL, &max), 11);
	end_tree(&b);
}

Test(levels, erasing_all_takes_every_level_down_again)
{
	static const unsigned flags[] = {IN_RCU, GAPS, PLAIN};
	struct tree_bench b;

	for (unsigned f = 0; f < ARRAY_SIZE(flags); f++) {
		for (unsigned long step = 1; step <= 401; step += 200) {
			boot_tree(&b, "6.18", flags[f], ARENA);
			fill(&b, 0, 500);
			for (unsigned long n = 0; n < 500; n++) {
				unsigned long i = n * step % 500;
				struct store_plan plan = plan_store(&b, i * 10, i * 10 + 4, NULL);
				u64 before = event_total(EVENT_NODE_ALLOC);

				cr_assert_eq(mtree_erase(&b.tree, i * 10), entry_of(i));
				cr_assert_leq(event_total(EVENT_NODE_ALLOC) - before, plan.nodes);
				check_tree(&b);
				op_end(1);
			}
			cr_assert_null(mtree_load(&b.tree, 0));
			cr_assert_leq(mt_height(&b.tree), 1);
			end_tree(&b);
		}
	}
}

/* A dense tree whose leaves are as full as they get, three levels or more. */
static void full_leaves(struct tree_bench *b, unsigned long ranges, unsigned flags)
{
	boot_tree(b, "6.18", flags, ARENA);
	fill_dense(b, 0, ranges);
	for (unsigned long i = 0; i < ranges; i++) {
		if (leaf_slots(b, i * 10, NULL, NULL) < MAPLE_RANGE64_SLOTS)
			cut_range(b, i);
	}
}

Test(levels, a_span_over_two_full_leaves_becomes_three)
{
	struct tree_bench b;
	unsigned long max;
	u64 nodes;

	full_leaves(&b, 100, IN_RCU);
	leaf_slots(&b, 0, NULL, &max);
	cr_assert_eq(leaf_slots(&b, 0, NULL, NULL), 16);
	cr_assert_eq(leaf_slots(&b, max + 1, NULL, NULL), 16);
	nodes = mt_nr_nodes(&b.tree);
	cr_assert_eq(plan_store(&b, max, max + 1, entry_of(1)).type, wr_spanning_store);
	cr_assert_eq(store(&b, max, max + 1, entry_of(1)), 4); /* three leaves and their parent */
	cr_assert_eq(mt_nr_nodes(&b.tree), nodes + 1);
	end_tree(&b);
}

Test(levels, a_span_ends_in_one_two_or_three_nodes_at_every_place)
{
	static const unsigned flags[] = {IN_RCU, GAPS, PLAIN};
	static const unsigned long lengths[] = {2, 11, 75, 160, 333, 900, 2500};

	for (unsigned f = 0; f < ARRAY_SIZE(flags); f++) {
		for (unsigned l = 0; l < ARRAY_SIZE(lengths); l++) {
			struct tree_bench b;

			full_leaves(&b, 400, flags[f]);
			for (unsigned long at = 5; at + lengths[l] < 4000; at += 97) {
				unsigned long last = at + lengths[l] - 1;
				void *entry = at % 3 ? entry_of(at) : NULL;
				void *before = mtree_load(&b.tree, at - 1);
				void *behind = mtree_load(&b.tree, last + 1);
				struct store_plan plan = plan_store(&b, at, last, entry);

				cr_assert_leq(store(&b, at, last, entry), plan.nodes);
				cr_assert_eq(mtree_load(&b.tree, at - 1), before);
				cr_assert_eq(mtree_load(&b.tree, at), entry);
				cr_assert_eq(mtree_load(&b.tree, last), entry);
				cr_assert_eq(mtree_load(&b.tree, last + 1), behind);
			}
			end_tree(&b);
		}
	}
}

Test(levels, a_span_frees_whole_subtrees)
{
	struct tree_bench b;

	full_leaves(&b, 1000, IN_RCU);
	cr_assert_geq(mt_height(&b.tree), 3);
	store(&b, 25, 9975, entry_of(1));
	cr_assert_leq(mt_nr_nodes(&b.tree), 3);
	cr_assert_eq(live_nodes(), mt_nr_nodes(&b.tree));
	cr_assert_eq(mtree_load(&b.tree, 24), entry_of(2));
	cr_assert_eq(mtree_load(&b.tree, 9976), entry_of(997));
	end_tree(&b);
}

Test(levels, a_null_span_swallows_the_holes_beside_it)
{
	struct tree_bench b;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	fill(&b, 0, 300);
	store(&b, 100, 1504, NULL); /* whole ranges: 95..99 and 1505..1509 are holes already */
	MA_STATE(mas, &b.tree, 700, 700);
	cr_assert_null(mas_walk(&mas));
	cr_assert_eq(mas.index, 95);
	cr_assert_eq(mas.last, 1509);
	end_tree(&b);
}
