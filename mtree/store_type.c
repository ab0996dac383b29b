/* SPDX-License-Identifier: MIT */
/*
 * store_type.c - what a store will do to the tree, decided before anything is
 * allocated or changed.
 *
 * The walk goes down to the leaf of the store's first index and stops early at a
 * node whose slot the store leaves: that store spans. Storing NULL up to the last
 * index of a leaf spans too, since a leaf ends with NULL only where the tree ends.
 * On the way the walk notes the deepest level that can take one more child and
 * the deepest that can lose one: levels above them cannot change.
 *
 * In the leaf the number of slots after the store decides:
 *
 *	new_end = end + 2 - (slots overwritten)
 *		          - (store starts where a range starts)
 *		          - (store ends where a range ends)
 *
 * A NULL first swallows the NULL ranges beside it, so that there are never two.
 * With RCU readers a leaf changes in place only by one slot (exact fit) or by one
 * boundary (slot store); readers may have kept its end, so it never grows.
 *
 * Called by the writer, under the tree's lock.
 */
#include "mtree/internal.h"

/* Does a state that has a position not fit what is about to be stored? */
static bool position_unfit(const struct ma_wr_state *wr)
{
	const struct ma_state *mas = wr->mas;

	if (!mas_is_active(mas))
		return true;
	if (mas->index < mas->min || mas->last > mas->max)
		return true;
	return !wr->entry && mas->last == mas->max && mte_is_leaf(mas_enode(mas));
}

/* mas_wr_prealloc_setup() - start from where the state is when that can be, else the root. */
void mas_wr_prealloc_setup(struct ma_wr_state *wr)
{
	if (wr->mas->status != ma_start && position_unfit(wr))
		mas_reset(wr->mas);
	wr->content = mas_start(wr->mas);
}

/* mas_wr_walk_descend() - from offset on, the slot that index lies in. */
void mas_wr_walk_descend(struct ma_wr_state *wr)
{
	struct ma_state *mas = wr->mas;
	unsigned offset = mas->offset;

	wr->node = mas_mn(mas);
	wr->type = mas_type(mas);
	wr->pivots = ma_pivots(wr->node);
	wr->slots = ma_slots(wr->node, wr->type);
	mas->end = (u8)ma_data_end(wr->node, wr->type, mas->max);
	while (offset < mas->end && mas->index > wr->pivots[offset])
		offset++;
	wr->r_min = ma_slot_min(wr->node, offset, mas->min);
	wr->r_max = ma_slot_max(wr->node, offset, mas->end, mas->max);
	wr->offset_end = mas->offset = (u8)offset;
	vm_assert(mas->index >= wr->r_min);
}

static void walk_into_child(struct ma_wr_state *wr)
{
	struct ma_state *mas = wr->mas;

	mas->min = wr->r_min;
	mas->max = wr->r_max;
	mas->node = wr->content;
	mas->depth++;
	mas->offset = 0;
}

/* mas_wr_walk_index() - to the leaf of index, whatever last is. */
void mas_wr_walk_index(struct ma_wr_state *wr)
{
	for (;;) {
		mas_wr_walk_descend(wr);
		wr->content = wr->slots[wr->mas->offset];
		if (ma_is_leaf(wr->type))
			return;
		walk_into_child(wr);
	}
}

/* Does the store leave the slot (in a leaf: the leaf), or empty the leaf's end? */
static bool store_spans(const struct ma_wr_state *wr)
{
	const struct ma_state *mas = wr->mas;
	unsigned long max = ma_is_leaf(wr->type) ? mas->max : wr->r_max;

	if (mas->last != max)
		return mas->last > max;
	return !wr->entry && mas->last != ULONG_MAX;
}

static void note_heights(struct ma_wr_state *wr)
{
	const struct ma_state *mas = wr->mas;
	/* A root may go down to two children, any other node to its minimum. */
	unsigned keeps = ma_is_root(wr->node) ? 2 : mt_min_slots(wr->type) + 1;

	if (mas->end < mt_slots(wr->type) - 1)
		wr->vacant_height = mas->depth + 1;
	if (mas->end > keeps)
		wr->sufficient_height = mas->depth + 1;
}

/* To the leaf. False: the store spans, the state stays where it was seen. */
static bool walk_to_leaf(struct ma_wr_state *wr)
{
	for (;;) {
		mas_wr_walk_descend(wr);
		if (unlikely(store_spans(wr)))
			return false;
		wr->content = wr->slots[wr->mas->offset];
		if (ma_is_leaf(wr->type))
			return true;
		note_heights(wr);
		walk_into_child(wr);
	}
}

/* mas_wr_end_piv() - the slot of the leaf in which the store ends. */
void mas_wr_end_piv(struct ma_wr_state *wr)
{
	const struct ma_state *mas = wr->mas;
	unsigned end = wr->offset_end;

	while (end < mas->end && mas->last > wr->pivots[end])
		end++;
	wr->offset_end = (u8)end;
	wr->end_piv = end < mas->end ? wr->pivots[end] : mas->max;
}

/* NULL up to the end of a range swallows a NULL range behind it. */
static void extend_null_up(struct ma_wr_state *wr)
{
	struct ma_state *mas = wr->mas;

	if (!wr->slots[wr->offset_end]) {
		mas->last = wr->end_piv;
		return;
	}
	if (mas->last != wr->end_piv || wr->offset_end == mas->end ||
	    wr->slots[wr->offset_end + 1])
		return;
	wr->offset_end++;
	mas->last = ma_slot_max(wr->node, wr->offset_end, mas->end, mas->max);
	wr->end_piv = mas->last;
}

static void extend_null_down(struct ma_wr_state *wr)
{
	struct ma_state *mas = wr->mas;

	if (!wr->content) {
		mas->index = wr->r_min;
		return;
	}
	if (mas->index != wr->r_min || !mas->offset || wr->slots[mas->offset - 1])
		return;
	mas->offset--;
	wr->r_max = wr->pivots[mas->offset];
	wr->r_min = ma_slot_min(wr->node, mas->offset, mas->min);
	mas->index = wr->r_min;
}

/* mas_wr_new_end() - data end of the leaf after the store; may be past its slots. */
unsigned mas_wr_new_end(const struct ma_wr_state *wr)
{
	const struct ma_state *mas = wr->mas;
	unsigned new_end = mas->end + 2u - (wr->offset_end - mas->offset);

	if (wr->r_min == mas->index)
		new_end--;
	if (wr->end_piv == mas->last)
		new_end--;
	return new_end;
}

static enum store_type leaf_store_type(const struct ma_wr_state *wr)
{
	const struct ma_state *mas = wr->mas;
	bool in_rcu = mt_in_rcu(mas->tree);
	unsigned new_end;

	if (wr->r_min == mas->index && wr->r_max == mas->last)
		return wr_exact_fit;
	if (!mas->index && mas->last == ULONG_MAX)
		return wr_new_root;
	new_end = mas_wr_new_end(wr);
	if (new_end < mt_min_slots(wr->type))
		return ma_is_root(wr->node) ? wr_node_store : wr_rebalance;
	if (new_end >= mt_slots(wr->type))
		return wr_split_store;
	if (!in_rcu && mas->offset == mas->end)
		return wr_append;
	if (new_end == mas->end && (!in_rcu || wr->offset_end - mas->offset == 1))
		return wr_slot_store;
	return wr_node_store;
}

/* mas_wr_store_type() - walk and decide; a NULL store is widened. */
void mas_wr_store_type(struct ma_wr_state *wr)
{
	struct ma_state *mas = wr->mas;

	if (unlikely(mas->status == ma_none || mas->status == ma_root)) {
		mas->store_type = wr_store_root;
		return;
	}
	if (unlikely(!walk_to_leaf(wr))) {
		mas->store_type = wr_spanning_store;
		return;
	}
	mas_wr_end_piv(wr);
	if (!wr->entry) {
		extend_null_up(wr);
		extend_null_down(wr);
	}
	mas->store_type = leaf_store_type(wr);
}
