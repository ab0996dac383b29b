/* SPDX-License-Identifier: MIT */
/*
 * test_store_types.c - what a store does to the tree, for each kind of store, and the
 * nodes that it asks for and takes.
 */
#include "mtree_fixture.h"

enum { ARENA = 64 << 20 };

/* The store is of @type, asks for @asked nodes and takes @taken. */
static void check_store(struct tree_bench *b, unsigned long first, unsigned long last, void *entry,
			enum store_type type, unsigned asked, u64 taken)
{
	struct store_plan plan = plan_store(b, first, last, entry);
	u64 used;

	cr_assert_eq(plan.type, type, "[%lu, %lu] is of type %d, not %d", first, last, plan.type,
		     type);
	cr_assert_eq(plan.nodes, asked, "[%lu, %lu] asks for %u nodes", first, last, plan.nodes);
	used = store(b, first, last, entry);
	cr_assert_eq(used, taken, "[%lu, %lu] took %llu nodes", first, last,
		     (unsigned long long)used);
	for (unsigned long i = first; i < last && i < first + 100; i++)
		cr_assert_eq(mtree_load(&b->tree, i), entry);
	cr_assert_eq(mtree_load(&b->tree, last), entry);
}

Test(store_types, an_entry_at_zero_needs_no_node)
{
	struct tree_bench b;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	check_store(&b, 0, 0, entry_of(1), wr_store_root, 0, 0);
	check_store(&b, 0, 0, entry_of(2), wr_store_root, 0, 0);
	cr_assert_eq(mt_height(&b.tree), 0);
	check_store(&b, 0, 0, NULL, wr_store_root, 0, 0);
	cr_assert(mtree_empty(&b.tree));
	end_tree(&b);
}

Test(store_types, an_entry_that_looks_like_a_node_gets_one)
{
	struct tree_bench b;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	check_store(&b, 0, 0, (void *)0x10002, wr_store_root, 1, 1);
	cr_assert_eq(mt_height(&b.tree), 1);
	cr_assert_eq(mtree_load(&b.tree, 0), (void *)0x10002);
	end_tree(&b);
}

Test(store_types, the_first_range_keeps_the_entry_at_zero)
{
	struct tree_bench b;

	for (unsigned long first = 0; first < 4; first++) {
		boot_tree(&b, "6.18", IN_RCU, ARENA);
		store(&b, 0, 0, entry_of(1));
		check_store(&b, first, 9, entry_of(2), wr_store_root, 1, 1);
		cr_assert_eq(mtree_load(&b.tree, 0), first ? entry_of(1) : entry_of(2));
		if (first == 2)
			cr_assert_null(mtree_load(&b.tree, 1));
		cr_assert_null(mtree_load(&b.tree, 10));
		end_tree(&b);
	}
}

Test(store_types, everything_in_one_range_is_a_new_root)
{
	struct tree_bench b;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	fill(&b, 0, 5);
	check_store(&b, 0, ULONG_MAX, entry_of(7), wr_new_root, 1, 1);
	cr_assert_eq(mt_nr_nodes(&b.tree), 1);
	fill(&b, 0, 200);
	cr_assert_eq(mt_height(&b.tree), 3);
	check_store(&b, 0, ULONG_MAX, entry_of(8), wr_spanning_store, 10, 1);
	cr_assert_eq(mt_nr_nodes(&b.tree), 1);
	check_store(&b, 0, ULONG_MAX, entry_of(9), wr_exact_fit, 0, 0);
	fill(&b, 0, 200);
	check_store(&b, 0, ULONG_MAX, NULL, wr_spanning_store, 10, 0);
	cr_assert(mtree_empty(&b.tree));
	cr_assert_eq(live_nodes(), 0);
	end_tree(&b);
}

Test(store_types, the_same_bounds_change_one_slot)
{
	struct tree_bench b;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	fill(&b, 0, 100);
	for (unsigned long i = 0; i < 100; i++)
		check_store(&b, i * 10, i * 10 + 4, entry_of(1000 + i), wr_exact_fit, 0, 0);
	end_tree(&b);
}

Test(store_types, one_boundary_moves_in_place_even_with_readers)
{
	struct tree_bench b;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	fill(&b, 0, 6);
	check_store(&b, 20, 26, entry_of(2), wr_slot_store, 0, 0); /* grows into the hole above */
	check_store(&b, 28, 34, entry_of(3), wr_slot_store, 0, 0); /* and into the one below */
	check_store(&b, 33, 34, NULL, wr_slot_store, 0, 0);	   /* shrinks, the hole grows */
	cr_assert_eq(mtree_load(&b.tree, 26), entry_of(2));
	cr_assert_null(mtree_load(&b.tree, 27));
	cr_assert_eq(mtree_load(&b.tree, 28), entry_of(3));
	cr_assert_eq(mtree_load(&b.tree, 32), entry_of(3));
	end_tree(&b);
}

Test(store_types, two_boundaries_move_in_place_only_without_readers)
{
	struct tree_bench b;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	fill(&b, 0, 6);
	check_store(&b, 22, 32, entry_of(9), wr_node_store, 1, 1);
	end_tree(&b);
	boot_tree(&b, "6.18", GAPS, ARENA);
	fill(&b, 0, 6);
	check_store(&b, 22, 32, entry_of(9), wr_slot_store, 0, 0);
	cr_assert_eq(mtree_load(&b.tree, 21), entry_of(2));
	cr_assert_eq(mtree_load(&b.tree, 33), entry_of(3));
	end_tree(&b);
}

Test(store_types, the_last_range_is_cut_in_place_only_without_readers)
{
	struct tree_bench b;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	fill(&b, 0, 5);
	check_store(&b, 100, 104, entry_of(9), wr_node_store, 1, 1);
	end_tree(&b);
	boot_tree(&b, "6.18", GAPS, ARENA);
	fill(&b, 0, 4);
	check_store(&b, 100, 104, entry_of(9), wr_append, 0, 0);
	check_store(&b, 105, 109, entry_of(8), wr_append, 0, 0);
	check_store(&b, 200, ULONG_MAX, entry_of(7), wr_append, 0, 0);
	end_tree(&b);
}

Test(store_types, a_range_in_a_hole_rewrites_the_leaf)
{
	struct tree_bench b;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	fill(&b, 0, 5);
	check_store(&b, 26, 28, entry_of(9), wr_node_store, 1, 1);
	check_store(&b, 26, 28, NULL, wr_node_store, 1, 1);
	cr_assert_null(mtree_load(&b.tree, 25));
	end_tree(&b);
	boot_tree(&b, "6.18", GAPS, ARENA);
	fill(&b, 0, 5);
	check_store(&b, 26, 28, entry_of(9), wr_node_store, 0, 0);
	end_tree(&b);
}

Test(store_types, a_root_leaf_may_be_as_small_as_it_likes)
{
	struct tree_bench b;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	fill(&b, 0, 5);
	for (unsigned long i = 5; i-- > 1;)
		check_store(&b, i * 10, i * 10 + 4, NULL, wr_node_store, 1, 1);
	end_tree(&b);
}

Test(store_types, emptying_the_end_of_a_leaf_spans)
{
	struct tree_bench b;
	unsigned long max;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	fill_dense(&b, 0, 100);
	leaf_slots(&b, 0, NULL, &max);
	cr_assert_eq(plan_store(&b, max - 9, max, NULL).type, wr_spanning_store);
	cr_assert_eq(plan_store(&b, max - 9, max, entry_of(1)).type, wr_exact_fit);
	cr_assert_eq(plan_store(&b, max - 8, max + 1, entry_of(1)).type, wr_spanning_store);
	store(&b, max - 9, max, NULL);
	cr_assert_null(mtree_load(&b.tree, max));
	cr_assert_not_null(mtree_load(&b.tree, max + 1));
	end_tree(&b);
}

Test(store_types, mmap_and_munmap_take_one_node_each)
{
	struct tree_bench b;

	unsigned long hole = 6;

	/* The tree of a process: holes between ranges, two levels, readers. */
	boot_tree(&b, "6.18", IN_RCU, ARENA);
	fill(&b, 0, 30);
	/* In a leaf neither full nor at its minimum, as nearly all are. */
	while (leaf_slots(&b, hole, NULL, NULL) > 13 || leaf_slots(&b, hole, NULL, NULL) < 9)
		hole += 10;
	for (unsigned loop = 0; loop < 100; loop++) {
		MA_STATE(mas, &b.tree, hole, hole + 2);
		u64 before = event_total(EVENT_NODE_ALLOC), writes = event_total(EVENT_MA_WRITE);

		mtree_lock(&b.tree);
		cr_assert_eq(mas_preallocate(&mas, entry_of(9), GFP_KERNEL), 0);
		mas_store_prealloc(&mas, entry_of(9));
		mtree_unlock(&b.tree);
		cr_assert_eq(event_total(EVENT_NODE_ALLOC) - before, 1);
		cr_assert_eq(event_total(EVENT_MA_WRITE) - writes, 2);
		mas_set_range(&mas, hole, hole + 2);
		mtree_lock(&b.tree);
		cr_assert_eq(mas_store_gfp(&mas, NULL, GFP_KERNEL), 0);
		mtree_unlock(&b.tree);
		cr_assert_eq(event_total(EVENT_NODE_ALLOC) - before, 2);
		cr_assert_eq(event_total(EVENT_MA_WRITE) - writes, 3);
		op_end(1);
	}
	end_tree(&b);
}

Test(store_types, a_side_tree_on_the_stack_counts_nothing_for_one_entry)
{
	struct tree_bench b;
	struct maple_tree side;
	u64 writes, nodes;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	writes = event_total(EVENT_MA_WRITE);
	nodes = event_total(EVENT_NODE_ALLOC);
	mt_init_flags(&side, MT_FLAGS_LOCK_EXTERN);
	mt_on_stack(side);
	MA_STATE(mas, &side, 0, 0);
	cr_assert_eq(mas_store_gfp(&mas, entry_of(1), GFP_KERNEL), 0);
	cr_assert_eq(mtree_load(&side, 0), entry_of(1));
	__mt_destroy(&side);
	cr_assert_eq(event_total(EVENT_MA_WRITE), writes);
	cr_assert_eq(event_total(EVENT_NODE_ALLOC), nodes);
	end_tree(&b);
}

Test(store_types, the_simple_calls_refuse_what_they_must)
{
	struct tree_bench b;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	fill(&b, 0, 40);
	cr_assert_eq(mtree_store_range(&b.tree, 9, 8, entry_of(1), GFP_KERNEL), -EINVAL);
	cr_assert_eq(mtree_store(&b.tree, 9, XA_ZERO_ENTRY, GFP_KERNEL), -EINVAL);
	cr_assert_eq(mtree_insert_range(&b.tree, 9, 8, entry_of(1), GFP_KERNEL), -EINVAL);
	for (unsigned long i = 0; i < 40; i++) {
		cr_assert_eq(mtree_insert(&b.tree, i * 10 + 4, entry_of(1), GFP_KERNEL), -EEXIST);
		cr_assert_eq(mtree_insert_range(&b.tree, i * 10 + 4, i * 10 + 5, entry_of(1),
						GFP_KERNEL), -EEXIST);
		cr_assert_eq(mtree_insert_range(&b.tree, i * 10 + 5, i * 10 + 9, entry_of(1000 + i),
						GFP_KERNEL), 0);
		cr_assert_eq(mtree_erase(&b.tree, i * 10 + 7), entry_of(1000 + i));
		cr_assert_null(mtree_erase(&b.tree, i * 10 + 7));
		cr_assert_eq(mtree_load(&b.tree, i * 10 + 4), entry_of(i));
	}
	end_tree(&b);
}

Test(store_types, a_prepared_store_that_is_dropped_gives_all_nodes_back)
{
	static const char *const specs[] = {"6.17", "6.18"};
	struct tree_bench b;

	for (unsigned i = 0; i < ARRAY_SIZE(specs); i++) {
		boot_tree(&b, specs[i], IN_RCU, ARENA);
		fill(&b, 0, 200);
		for (unsigned long first = 0; first < 1900; first += 7) {
			MA_STATE(mas, &b.tree, first, first + first % 90);

			mtree_lock(&b.tree);
			cr_assert_eq(mas_preallocate(&mas, entry_of(1), GFP_KERNEL), 0);
			mas_destroy(&mas);
			mtree_unlock(&b.tree);
		}
		cr_assert_eq(live_nodes(), mt_nr_nodes(&b.tree));
		end_tree(&b);
	}
}
