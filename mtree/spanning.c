/* SPDX-License-Identifier: MIT */
/*
 * spanning.c - a store over more than one leaf.
 *
 *	[ a b c ]   [ ..... ]   [ d e f ]
 *	    [========= new =======]
 *	     \                    /
 *	 left walk: index    right walk: last + 1
 *
 * What lies left of the store in the left leaf, the new range, and what lies right
 * of it in the right leaf become the new leaves; everything wholly inside is
 * detached. The right walk looks one index further, since what follows the store is
 * what has to be kept, and may be NULL, which a NULL store swallows.
 *
 * Called by the writer, under the tree's lock.
 */
#include "mtree/stage.h"

/* NULL ranges beside a NULL store belong to it. A leaf's end is never one of them. */
static void extend_null_left(struct ma_wr_state *wr)
{
	struct ma_state *mas = wr->mas;

	if (!wr->content)
		mas->index = wr->r_min;
	if (mas->index != wr->r_min || !mas->offset || wr->slots[mas->offset - 1])
		return;
	mas->offset--;
	mas->index = ma_slot_min(wr->node, mas->offset, mas->min);
}

static void extend_null_right(struct ma_wr_state *wr)
{
	struct ma_state *mas = wr->mas;

	if (wr->content)
		return;
	if (mas->last < wr->r_max)
		mas->last = wr->r_max;
	mas->offset++;
}

/* mas_wr_spanning_store() - see above. The state stands where the walk saw the span. */
void mas_wr_spanning_store(struct ma_wr_state *wr)
{
	struct ma_state *mas = wr->mas;
	struct ma_rebuild rb;
	MA_WR_STATE(left_wr, &rb.left, wr->entry);
	MA_WR_STATE(right_wr, &rb.right, wr->entry);

	count_event(EVENT_MA_WRITE, 1);
	count_event(EVENT_MA_OP, 1);
	rb.mas = mas;
	rb.left = rb.right = *mas;
	rb.nr_dest = rb.nr_inner = rb.height = 0;
	if (rb.right.last != ULONG_MAX)
		rb.right.last++;
	rb.right.index = rb.right.last;
	mas_wr_walk_index(&right_wr);
	rb.right.index = rb.right.last = mas->last;
	mas_wr_walk_index(&left_wr);
	wr->content = left_wr.content;
	if (!wr->entry) {
		extend_null_left(&left_wr);
		extend_null_right(&right_wr);
		mas->index = rb.left.index;
		mas->last = rb.left.last = rb.right.last;
	}
	if (!mas->index && mas->last == ULONG_MAX) {
		mas_new_root(mas, wr->entry);
		return;
	}
	stage_store_left(&left_wr, &rb.stage);
	if (rb.right.max > rb.right.last)
		stage_append(&rb.stage, &rb.right, rb.right.offset);
	rebuild_balance(&rb);
}
