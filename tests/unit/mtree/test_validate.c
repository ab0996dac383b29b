/* SPDX-License-Identifier: MIT */
/*
 * test_validate.c - the validator notices each kind of damage.
 *
 * A damaged tree ends the process (vm_bug), so each case is a test that must die. One
 * more test does no damage and must not, or all of them would pass on a crash.
 */
#include "mtree_fixture.h"

#include <signal.h>

enum { ARENA = 64 << 20 };

static void boot_deep(struct tree_bench *b)
{
	boot_tree(b, "6.18", IN_RCU, ARENA);
	fill(b, 0, 300);
	cr_assert_eq(mt_height(&b->tree), 3);
}

static struct maple_node *root_of(struct tree_bench *b)
{
	return mte_to_node(mte_safe_root(b->tree.ma_root));
}

/* The inner node over index 0, and the first leaf. */
static struct maple_node *inner_of(struct tree_bench *b)
{
	return mte_to_node(root_of(b)->ma64.slot[0]);
}

static struct maple_node *leaf_of(struct tree_bench *b)
{
	return mte_to_node(inner_of(b)->ma64.slot[0]);
}

Test(validate, passes_a_sound_tree)
{
	struct tree_bench b;

	boot_deep(&b);
	end_tree(&b);
}

#define DAMAGE(claim, statement)                                                                   \
	Test(validate, claim, .signal = SIGABRT)                                                   \
	{                                                                                          \
		struct tree_bench b;                                                               \
                                                                                                   \
		boot_deep(&b);                                                                     \
		statement;                                                                         \
		mt_validate(&b.tree);                                                              \
	}

DAMAGE(notices_a_dead_node, leaf_of(&b)->parent = (unsigned long)leaf_of(&b))
DAMAGE(notices_a_root_that_names_no_tree, root_of(&b)->parent = 1)
DAMAGE(notices_a_wrong_parent, leaf_of(&b)->parent = ma_parent_word(root_of(&b), 0))
DAMAGE(notices_a_wrong_parent_slot, leaf_of(&b)->parent = ma_parent_word(inner_of(&b), 1))
DAMAGE(notices_a_node_that_is_in_two_slots,
       inner_of(&b)->ma64.slot[1] = inner_of(&b)->ma64.slot[0])
DAMAGE(notices_an_empty_inner_slot, inner_of(&b)->ma64.slot[1] = NULL)
DAMAGE(notices_too_few_slots, inner_of(&b)->ma64.meta.end = 1)
DAMAGE(notices_pivots_out_of_order, leaf_of(&b)->mr64.pivot[1] = 1)
DAMAGE(notices_a_pivot_beyond_the_node, leaf_of(&b)->mr64.pivot[1] = 1 << 20)
DAMAGE(notices_a_last_pivot_that_is_not_the_maximum,
       inner_of(&b)->ma64.pivot[inner_of(&b)->ma64.meta.end] = 0)
DAMAGE(notices_a_stale_slot, root_of(&b)->ma64.slot[9] = entry_of(1))
DAMAGE(notices_a_stale_pivot, root_of(&b)->ma64.pivot[8] = ULONG_MAX)
DAMAGE(notices_a_stale_gap, root_of(&b)->ma64.gap[9] = 1)
DAMAGE(notices_a_gap_too_long, inner_of(&b)->ma64.gap[1]++)
DAMAGE(notices_a_gap_too_short, inner_of(&b)->ma64.gap[0]--)
DAMAGE(notices_a_wrong_largest_gap, root_of(&b)->ma64.meta.gap = 0)
DAMAGE(notices_two_holes_side_by_side, leaf_of(&b)->mr64.slot[0] = NULL)
DAMAGE(notices_a_wrong_height, b.tree.ma_flags += 1u << MT_FLAGS_HEIGHT_OFFSET)
