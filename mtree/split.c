/* SPDX-License-Identifier: MIT */
/*
 * split.c - a leaf overflows.
 *
 *	parent	[ . a N b . ]		N has one or two ranges too many
 *
 * First choice: N and its left sibling a, else its right one b, together leave room:
 * two new nodes for the two, the parent keeps its number of children and the change
 * ends there. Else N becomes two, the parent gains a child, and if it overflows the
 * same is done to it. The last step may put a new root on top.
 *
 * A push must leave a free slot, or the next store into the same place would push or
 * split again.
 *
 * Called by the writer, under the tree's lock.
 */
#include "mtree/stage.h"

/* Do the stage and a sibling ending in slot @end fit two nodes with room to spare? */
static bool push_fits(const struct ma_rebuild *rb, const struct ma_state *sibling)
{
	enum maple_type type = rb->stage.type;
	unsigned total = rb->stage.count - 1 + mas_data_end(sibling);
	unsigned space = 2 * mt_slots(type) - 2;

	if (ma_is_leaf(type)) /* a cut that meets a NULL needs one more */
		space--;
	if (rb->left.max == ULONG_MAX) /* the tree's end, where stores go on arriving */
		space--;
	return total < space;
}

/* Fill the left sibling, all but one slot; the rest stays. */
static bool push_left(struct ma_rebuild *rb)
{
	struct ma_state sibling = rb->left;
	struct ma_cut cut;

	if (!mas_prev_sibling(&sibling) || !push_fits(rb, &sibling))
		return false;
	stage_prepend(&rb->stage, &sibling);
	cut.mid = 0;
	cut.split = stage_no_null_cut(&rb->stage, mt_slots(rb->stage.type) - 2,
				      rb->stage.count - 1);
	rb->left = sibling;
	rebuild_level(rb, cut);
	return true;
}

/* Fill the right sibling, all but one slot; the rest stays. */
static bool push_right(struct ma_rebuild *rb)
{
	struct ma_state sibling = rb->right;
	struct ma_cut cut;

	if (!mas_next_sibling(&sibling) || !push_fits(rb, &sibling))
		return false;
	stage_append(&rb->stage, &sibling, 0);
	cut.mid = 0;
	cut.split = stage_no_null_cut(&rb->stage, rb->stage.count - mt_slots(rb->stage.type),
				      rb->stage.count);
	rb->right = sibling;
	rebuild_level(rb, cut);
	return true;
}

/* mas_wr_split() - store into a leaf that has no room for it. */
void mas_wr_split(struct ma_wr_state *wr)
{
	struct ma_rebuild rb;

	rb.mas = wr->mas;
	rb.left = rb.right = *wr->mas;
	rb.nr_dest = rb.nr_inner = rb.height = 0;
	count_event(EVENT_MA_WRITE, 1);
	count_event(EVENT_MA_OP, 1);
	stage_leaf(wr, &rb.stage);
	while (rb.stage.count > mt_slots(rb.stage.type)) {
		bool pushed = push_left(&rb) || push_right(&rb);

		if (!pushed)
			rebuild_level(&rb, stage_cut(&rb.stage));
		rebuild_ascend(&rb);
		if (pushed)
			break;
	}
	/* With a new root the tree is one level higher than was built below the old one. */
	rebuild_finish(&rb);
}
