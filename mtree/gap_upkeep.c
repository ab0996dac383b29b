/* SPDX-License-Identifier: MIT */
/*
 * gap_upkeep.c - the largest gap below each slot, kept exact after every write.
 *
 * An inner node of a tree with MT_FLAGS_ALLOC_RANGE holds for each child the length
 * of its longest NULL range, and in its metadata the slot of the longest of all, so
 * that its own maximum is one read. Leaves hold none: they are scanned. A leaf ends
 * with NULL only where the tree ends, so no gap lies in two leaves.
 *
 * Called by the writer, under the tree's lock.
 */
#include "mtree/internal.h"

/* ma_leaf_max_gap() - longest NULL range of a leaf covering @min to @max. */
unsigned long ma_leaf_max_gap(struct maple_node *node, unsigned long min, unsigned long max)
{
	unsigned end = ma_data_end(node, maple_leaf_64, max);
	unsigned long largest = 0;

	for (unsigned i = 0; i <= end; i++) {
		unsigned long gap;

		if (node->mr64.slot[i])
			continue;
		gap = ma_slot_max(node, i, end, max) - ma_slot_min(node, i, min) + 1;
		largest = max(largest, gap);
		i++; /* no two are neighbours */
	}
	return largest;
}

/* mte_max_gap() - longest gap below a node; 0 in trees that keep none. */
unsigned long mte_max_gap(struct maple_tree *mt, struct maple_enode *enode, unsigned long min,
			  unsigned long max)
{
	struct maple_node *node = mte_to_node(enode);

	if (!mt_is_alloc(mt))
		return 0;
	if (mte_is_leaf(enode))
		return ma_leaf_max_gap(node, min, max);
	return ma_gaps(node)[node->ma64.meta.gap];
}

/* Find the largest gap of a node anew. */
static void find_largest(struct maple_node *node)
{
	unsigned end = node->ma64.meta.end, largest = 0;

	for (unsigned i = 1; i <= end; i++) {
		if (ma_gaps(node)[i] > ma_gaps(node)[largest])
			largest = i;
	}
	node->ma64.meta.gap = (u8)largest;
}

/* Slot @slot of @node has the gap @gap now. Return: the node's own maximum changed. */
static bool set_gap(struct maple_node *node, unsigned slot, unsigned long gap)
{
	unsigned named = node->ma64.meta.gap;
	unsigned long before = ma_gaps(node)[named];

	ma_gaps(node)[slot] = gap;
	if (slot == named) {
		if (gap < before)
			find_largest(node);
	} else if (gap > before) {
		node->ma64.meta.gap = (u8)slot;
	}
	return ma_gaps(node)[node->ma64.meta.gap] != before;
}

/* mas_update_gap() - after the node of @mas changed: upwards while a maximum changes. */
void mas_update_gap(struct ma_state *mas)
{
	struct maple_node *node = mas_mn(mas);
	unsigned long gap;

	if (!mt_is_alloc(mas->tree) || ma_is_root(node))
		return;
	gap = mte_max_gap(mas->tree, mas_enode(mas), mas->min, mas->max);
	while (!ma_is_root(node)) {
		unsigned slot = ma_word_slot(node->parent);

		node = ma_word_node(node->parent);
		if (ma_gaps(node)[slot] == gap || !set_gap(node, slot, gap))
			return;
		gap = ma_gaps(node)[node->ma64.meta.gap];
	}
}
