/* SPDX-License-Identifier: MIT */
/*
 * test_dup.c - copies and destruction, and what happens when memory ends.
 */
#include "mtree_fixture.h"

enum { ARENA = 64 << 20, SMALL_ARENA = 1 << 20 };

static const char *const specs[] = {"6.17", "6.18"};

static void same_entries(struct maple_tree *a, struct maple_tree *b)
{
	MA_STATE(left, a, 0, 0);
	MA_STATE(right, b, 0, 0);
	void *entry;

	do {
		entry = mas_find(&left, ULONG_MAX);
		cr_assert_eq(mas_find(&right, ULONG_MAX), entry);
		if (entry) {
			cr_assert_eq(left.index, right.index);
			cr_assert_eq(left.last, right.last);
		}
	} while (entry);
}

Test(dup, a_copy_has_the_same_ranges_and_its_own_nodes)
{
	static const unsigned long sizes[] = {0, 1, 10, 40, 700};
	struct tree_bench b;

	for (unsigned s = 0; s < ARRAY_SIZE(specs); s++) {
		for (unsigned n = 0; n < ARRAY_SIZE(sizes); n++) {
			struct maple_tree copy;

			boot_tree(&b, specs[s], IN_RCU, ARENA);
			fill(&b, 0, sizes[n]);
			mt_init_flags(&copy, IN_RCU);
			cr_assert_eq(mtree_dup(&b.tree, &copy, GFP_KERNEL), 0);
			cr_assert_eq(mt_height(&copy), mt_height(&b.tree));
			cr_assert_eq(live_nodes(), 2 * mt_nr_nodes(&b.tree));
			same_entries(&b.tree, &copy);
			mtree_store_range(&copy, 3, 6999, entry_of(5), GFP_KERNEL);
			mtree_lock(&copy);
			mt_validate(&copy);
			mtree_unlock(&copy);
			check_tree(&b);
			cr_assert_eq(mtree_load(&b.tree, 3), sizes[n] ? entry_of(0) : NULL);
			mtree_destroy(&copy);
			end_tree(&b);
		}
	}
}

Test(dup, a_tree_that_is_not_empty_or_differs_in_flags_is_refused)
{
	struct tree_bench b;
	struct maple_tree copy;

	boot_tree(&b, "6.18", IN_RCU, ARENA);
	fill(&b, 0, 20);
	mt_init_flags(&copy, GAPS);
	cr_assert_eq(mtree_dup(&b.tree, &copy, GFP_KERNEL), -EINVAL);
	mt_init_flags(&copy, IN_RCU);
	cr_assert_eq(mtree_store(&copy, 0, entry_of(1), GFP_KERNEL), 0);
	cr_assert_eq(mtree_dup(&b.tree, &copy, GFP_KERNEL), -EINVAL);
	mtree_destroy(&copy);
	end_tree(&b);
}

/* Take all pages, then all nodes of slabs that are there. Return: nodes taken. */
static unsigned take_all_nodes(void **nodes, unsigned most)
{
	unsigned n = 0;
	void *node;

	while (n < most && (node = kmem_cache_alloc(kernel_cache(CACHE_MAPLE_NODE), GFP_NOWAIT)))
		nodes[n++] = node;
	cr_assert_lt(n, most);
	return n;
}

static void give_back(void **nodes, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		kmem_cache_free(kernel_cache(CACHE_MAPLE_NODE), nodes[i]);
}

enum { MOST_NODES = 32768 };

Test(dup, a_copy_that_gets_no_memory_leaves_nothing)
{
	static void *nodes[MOST_NODES];

	for (unsigned s = 0; s < ARRAY_SIZE(specs); s++) {
		struct maple_tree copy;
		struct tree_bench b;
		unsigned all, failures = 0;

		boot_tree(&b, specs[s], IN_RCU, SMALL_ARENA);
		fill(&b, 0, 400);
		mt_init_flags(&copy, IN_RCU);
		all = take_all_nodes(nodes, MOST_NODES);
		/* Ever more memory: it fails at each node of the copy, then succeeds. */
		for (unsigned spare = 0; spare < all; spare++) {
			give_back(&nodes[all - 1 - spare], 1);
			if (mtree_dup(&b.tree, &copy, GFP_KERNEL) == 0)
				break;
			failures++;
			cr_assert(mtree_empty(&copy));
			cr_assert_eq(live_nodes(), mt_nr_nodes(&b.tree) + all - 1 - spare);
		}
		cr_assert_gt(failures, 10);
		cr_assert_not(mtree_empty(&copy));
		same_entries(&b.tree, &copy);
		mtree_destroy(&copy);
		give_back(nodes, all - 1 - failures);
		end_tree(&b);
	}
}

Test(dup, a_store_that_gets_no_memory_changes_nothing)
{
	static void *nodes[MOST_NODES];

	for (unsigned s = 0; s < ARRAY_SIZE(specs); s++) {
		struct tree_bench b;
		unsigned all, refused = 0;

		boot_tree(&b, specs[s], IN_RCU, SMALL_ARENA);
		fill(&b, 0, 400);
		live_nodes();
		all = take_all_nodes(nodes, MOST_NODES);
		for (unsigned long first = 3; first < 3990; first += 31) {
			void *before = mtree_load(&b.tree, first);
			int error = mtree_store_range(&b.tree, first, first + first % 70,
						      entry_of(7), GFP_KERNEL);

			cr_assert(error == 0 || error == -ENOMEM);
			refused += error != 0;
			if (error)
				cr_assert_eq(mtree_load(&b.tree, first), before);
			check_tree(&b);
		}
		cr_assert_gt(refused, 10);
		MA_STATE(mas, &b.tree, 2003, 2303);
		mtree_lock(&b.tree);
		cr_assert_eq(mas_preallocate(&mas, entry_of(8), GFP_KERNEL), -ENOMEM);
		mtree_unlock(&b.tree);
		give_back(nodes, all);
		cr_assert_eq(mtree_store_range(&b.tree, 2003, 2303, entry_of(8), GFP_KERNEL), 0);
		end_tree(&b);
	}
}

Test(dup, destruction_gives_back_every_node_of_any_tree)
{
	static const unsigned flags[] = {IN_RCU, GAPS, PLAIN};
	struct tree_bench b;

	for (unsigned f = 0; f < ARRAY_SIZE(flags); f++) {
		boot_tree(&b, "6.18", flags[f], ARENA);
		for (unsigned long n = 0; n < 600; n = n * 3 + 1) {
			fill(&b, 0, n);
			mtree_destroy(&b.tree);
			cr_assert(mtree_empty(&b.tree));
			cr_assert_eq(mt_height(&b.tree), 0);
			cr_assert_eq(live_nodes(), 0);
		}
		end_tree(&b);
	}
}
