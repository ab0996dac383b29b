/* SPDX-License-Identifier: MIT */
/*
 * prealloc.c - how many nodes a store may take, asked for before it starts.
 *
 * The most a change can take is a new node or two on each level it reaches, three
 * where the store spans, and one for the node that takes it in:
 *
 *	split, rebalance	2 * levels + 1
 *	spanning		3 * levels + 1
 *
 * levels = height - vacant height: a node with a free slot stops a split, so the
 * levels above it stay. What loses children stops earlier, at the deepest node that
 * can lose one, when that is the higher of the two. A walk that began in the leaf
 * knows neither (0), and counts the whole height and a new root.
 *
 * Called by the writer, under the tree's lock.
 */
#include "mtree/internal.h"

static unsigned root_store_nodes(const struct ma_wr_state *wr)
{
	bool at_zero = !wr->mas->index && !wr->mas->last;

	/* One entry at 0 lies in ma_root itself, unless it would look like a node there. */
	return at_zero && ((unsigned long)wr->entry & 3) != 2 ? 0 : 1;
}

static unsigned node_count(const struct ma_wr_state *wr)
{
	unsigned height = mas_mt_height(wr->mas);
	unsigned grows = height - wr->vacant_height;
	unsigned shrinks = height - min(wr->sufficient_height, wr->vacant_height);

	switch (wr->mas->store_type) {
	case wr_store_root:
		return root_store_nodes(wr);
	case wr_spanning_store:
		return shrinks * 3 + 1;
	case wr_rebalance:
		return shrinks * 2 + 1;
	case wr_split_store:
		return grows * 2 + 1;
	case wr_node_store:
		return mt_in_rcu(wr->mas->tree) ? 1 : 0;
	case wr_new_root:
		return 1;
	default:
		return 0;
	}
}

/* mas_prealloc_calc() - set node_request for the store that was decided. */
void mas_prealloc_calc(struct ma_wr_state *wr)
{
	wr->mas->node_request = node_count(wr);
}

/* Decide and count. */
static void plan(struct ma_wr_state *wr)
{
	mas_wr_prealloc_setup(wr);
	mas_wr_store_type(wr);
	mas_prealloc_calc(wr);
}

/* mas_wr_preallocate() - decide, count, allocate; the state is in error without memory. */
void mas_wr_preallocate(struct ma_wr_state *wr)
{
	plan(wr);
	mas_alloc_nodes(wr->mas, GFP_NOWAIT);
}

int mas_preallocate(struct ma_state *mas, void *entry, gfp_t gfp)
{
	MA_WR_STATE(wr, mas, entry);

	vm_assert_slow(mt_write_locked(mas->tree));
	plan(&wr);
	mas->mas_flags &= (u8)~MA_STATE_PREALLOC;
	if (unlikely(!mas_alloc_nodes(mas, gfp))) {
		int error = xa_err(mas->node);

		mas_destroy(mas);
		mas_reset(mas);
		return error;
	}
	mas->mas_flags |= MA_STATE_PREALLOC;
	return 0;
}
