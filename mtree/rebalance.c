/* SPDX-License-Identifier: MIT */
/*
 * rebalance.c - nodes that became too small.
 *
 * A leaf below its minimum is joined with its right sibling, or, where it is the last
 * child, its left one, and both are cut again. When one node holds both, the
 * parent lost a child and may be too small itself: it takes in a neighbour, of the
 * same parent or beyond, and so on upwards. When one new node covers everything it
 * is the root and the tree is lower.
 *
 * Spanning stores join more and end the same way (rebuild_balance()).
 *
 * Called by the writer, under the tree's lock.
 */
#include "mtree/stage.h"

/* From the node of @mas so many levels down along its first or last children. */
static void descend_edge(struct ma_state *mas, unsigned levels, bool first)
{
	while (levels--) {
		mas_descend(mas);
		mas->offset = first ? 0 : (u8)mas_data_end(mas);
	}
}

/*
 * The level's nodes are too small a whole: add the node right of them, else the one
 * left of them, looking first near then far. False: there is none.
 */
static bool take_neighbour(struct ma_rebuild *rb)
{
	struct ma_state left = rb->left, right = rb->right;
	unsigned levels = 0;

	do {
		mas_ascend(&left);
		mas_ascend(&right);
		levels++;
		if (right.offset < mas_data_end(&right)) {
			right.offset++;
			descend_edge(&right, levels, true);
			stage_append(&rb->stage, &right, 0);
			rb->right = right;
			return true;
		}
		if (left.offset) {
			left.offset--;
			descend_edge(&left, levels, false);
			stage_prepend(&rb->stage, &left);
			rb->left = left;
			return true;
		}
	} while (!mte_is_root(mas_enode(&right)));
	return false;
}

static bool too_small(const struct ma_stage *stage)
{
	return stage->count <= mt_min_slots(stage->type);
}

static bool one_node(const struct ma_rebuild *rb)
{
	return rb->stage.count <= mt_slots(rb->stage.type) &&
	       rb->left.node == rb->right.node;
}

/**
 * rebuild_balance() - from a staged lowest level upwards until one new node takes the
 * place of one old node.
 */
void rebuild_balance(struct ma_rebuild *rb)
{
	if (too_small(&rb->stage) && (rb->left.min || rb->right.max != ULONG_MAX))
		take_neighbour(rb);
	for (;;) {
		rebuild_level(rb, stage_cut(&rb->stage));
		if (!rb->dest[0].min && rb->dest[0].max == ULONG_MAX) {
			rebuild_publish_root(rb);
			return;
		}
		rebuild_ascend(rb);
		if (!too_small(&rb->stage)) {
			if (one_node(rb))
				break;
		} else if (mas_covers_all(&rb->left)) {
			break;
		} else {
			take_neighbour(rb);
		}
	}
	rebuild_finish(rb);
}

/* mas_wr_rebalance() - store into a leaf that is too small afterwards. */
void mas_wr_rebalance(struct ma_wr_state *wr)
{
	struct ma_rebuild rb;

	rb.mas = wr->mas;
	rb.left = rb.right = *wr->mas;
	rb.nr_dest = rb.nr_inner = rb.height = 0;
	count_event(EVENT_MA_OP, 1);
	stage_leaf(wr, &rb.stage);
	if (mas_next_sibling(&rb.right)) {
		stage_append(&rb.stage, &rb.right, 0);
	} else {
		mas_prev_sibling(&rb.left);
		stage_prepend(&rb.stage, &rb.left);
	}
	rebuild_balance(&rb);
}
