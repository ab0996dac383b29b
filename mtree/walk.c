/* SPDX-License-Identifier: MIT */
/*
 * walk.c - from the root to a leaf, and one node up, down or sideways.
 *
 * Invariant: a state that is active has node, min and max of one node, and offset
 * and end of a slot in it.
 *
 * Called under rcu_read_lock() or the tree's lock. A reader may stand in a node
 * that has just been replaced: everything read from a node is used only after the
 * node was seen not to be dead. mas_descend(), mas_*_sibling() are the writer's.
 * Progress: a walk is restarted only when a writer has published a change.
 */
#include "mtree/internal.h"

/**
 * mas_start() - put a state in `start` at the root.
 * Return: the entry, where the tree is one entry at index 0 and the state wants
 * it; NULL otherwise. The status becomes active, none (empty tree) or root.
 */
void *mas_start(struct ma_state *mas)
{
	void *root;

	if (mas->status != ma_start)
		return NULL;
	mas->min = 0;
	mas->max = ULONG_MAX;
	mas->depth = 0;
	for (;;) {
		root = smp_load_acquire(&mas->tree->ma_root);
		if (unlikely(!xa_is_node(root)))
			break;
		mas->status = ma_active;
		mas->node = mte_safe_root(root);
		mas->offset = 0;
		if (likely(!ma_dead_node(mas_mn(mas))))
			return NULL;
	}
	mas->node = NULL;
	mas->offset = MAPLE_NODE_SLOTS;
	mas->status = root ? ma_root : ma_none;
	return mas->index ? NULL : root;
}

/* First slot whose highest index is not below @index. */
static unsigned node_find(struct maple_node *node, unsigned end, unsigned long index)
{
	unsigned offset = 0;

	while (offset < end && ma_pivot(node, offset) < index)
		offset++;
	return offset;
}

/**
 * mas_descend_to_leaf() - from the node of an active state to the leaf slot of index.
 * [index, last] becomes the range of the slot. Return: its entry; when a dead node
 * was met, NULL and the state is in `start`.
 */
void *mas_descend_to_leaf(struct ma_state *mas)
{
	struct maple_enode *next = mas_enode(mas);
	unsigned long min = mas->min, max = mas->max;

	for (;;) {
		struct maple_node *node = mte_to_node(next);
		enum maple_type type = mte_node_type(next);
		unsigned end = ma_data_end(node, type, max);
		unsigned offset = node_find(node, end, mas->index);
		unsigned long slot_min = ma_slot_min(node, offset, min);
		unsigned long slot_max = ma_slot_max(node, offset, end, max);
		void *content = ma_slot(node, type, offset);

		if (unlikely(ma_dead_node(node))) {
			mas_reset(mas);
			return NULL;
		}
		if (ma_is_leaf(type)) {
			mas->node = next;
			mas->min = min;
			mas->max = max;
			mas->end = (u8)end;
			mas->offset = (u8)offset;
			mas->index = slot_min;
			mas->last = slot_max;
			return content;
		}
		min = slot_min;
		max = slot_max;
		next = content;
	}
}

/*
 * Bounds of the node that a state has just reached from below, where a bound is
 * not one that the child shared: they stand in the nearest ancestor that does not
 * have the path on that edge. False: a dead node was met.
 */
static bool ascend_bounds(struct ma_state *mas, bool know_min, bool know_max)
{
	struct maple_node *node = mas_mn(mas);

	while (!know_min || !know_max) {
		unsigned long word = READ_ONCE(node->parent);
		struct maple_node *parent = ma_word_node(word);
		unsigned slot = ma_word_slot(word);

		if (word & MAPLE_PARENT_ROOT)
			return true;
		if (unlikely(parent == node))
			return false;
		if (!know_min && slot) {
			mas->min = ma_pivot(parent, slot - 1) + 1;
			know_min = true;
		}
		if (!know_max && slot < mt_pivots(mas_type(mas))) {
			/* An unused pivot is 0: then this is the last slot, go on upwards. */
			unsigned long pivot = ma_pivot(parent, slot);

			know_max = pivot != 0;
			if (know_max)
				mas->max = pivot;
		}
		if (unlikely(ma_dead_node(parent)))
			return false;
		node = parent;
	}
	return true;
}

/**
 * mas_ascend() - to the parent; offset becomes the slot the state came from.
 * At the root the state stays. Return: false when a dead node was met.
 */
bool mas_ascend(struct ma_state *mas)
{
	struct maple_node *node = mas_mn(mas);
	unsigned long word = READ_ONCE(node->parent);
	struct maple_node *parent = ma_word_node(word);
	bool know_min, know_max;

	if (word & MAPLE_PARENT_ROOT) {
		mas->offset = 0;
		return true;
	}
	if (unlikely(parent == node))
		return false;
	mas->offset = (u8)ma_word_slot(word);
	mas->node = mt_mk_node(parent, mt_inner_type(mas->tree));
	/* The word changes when the child is adopted; then the slot is another node's. */
	if (unlikely(READ_ONCE(node->parent) != word))
		return false;
	if (ma_is_root(parent)) {
		mas->min = 0;
		mas->max = ULONG_MAX;
		return true;
	}
	know_min = !mas->offset;
	know_max = mas->max == ULONG_MAX;
	if (!know_min)
		mas->min = 0;
	if (!know_max)
		mas->max = ULONG_MAX;
	return ascend_bounds(mas, know_min, know_max);
}

/* The writer: into the child at offset. */
void mas_descend(struct ma_state *mas)
{
	struct maple_node *node = mas_mn(mas);
	enum maple_type type = mas_type(mas);
	unsigned end = ma_data_end(node, type, mas->max);
	unsigned long min = ma_slot_min(node, mas->offset, mas->min);

	mas->max = ma_slot_max(node, mas->offset, end, mas->max);
	mas->min = min;
	mas->node = ma_slots(node, type)[mas->offset];
}

/* The writer: to the node at the right of the same parent; offset 0. False: there is none. */
bool mas_next_sibling(struct ma_state *mas)
{
	struct ma_state parent = *mas;

	if (mte_is_root(mas_enode(mas)))
		return false;
	mas_ascend(&parent);
	if (parent.offset >= mas_data_end(&parent))
		return false;
	parent.offset++;
	*mas = parent;
	mas_descend(mas);
	mas->offset = 0;
	return true;
}

/* The writer: to the node at the left of the same parent; offset 0. False: there is none. */
bool mas_prev_sibling(struct ma_state *mas)
{
	struct ma_state parent = *mas;

	if (mte_is_root(mas_enode(mas)))
		return false;
	mas_ascend(&parent);
	if (!parent.offset)
		return false;
	parent.offset--;
	*mas = parent;
	mas_descend(mas);
	mas->offset = 0;
	return true;
}
