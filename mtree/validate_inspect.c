/* SPDX-License-Identifier: MIT */
/*
 * validate_inspect.c - the eight promises of a tree, checked from the root down.
 *
 * 1 no node in the tree is dead. 2 A node keeps its minimum of slots unless it is
 * the root or the right-most. 3 A child's parent word names this node and slot.
 * 4 Every used inner slot has a child, all leaves lie at one depth. 5 Pivots ascend
 * within the bounds. 6 Nothing lies behind the end. 7 Gaps are exact, the named one
 * is the largest. 8 No two NULL ranges are neighbours, in the whole leaf level.
 *
 * Called under the tree's lock; a fault is a vm_bug().
 */
#include "mtree/internal.h"

struct validate {
	const struct maple_tree *mt;
	unsigned height;
	bool last_was_null;
	bool any_leaf;
	u64 nodes;
};

static void check_bounds(struct maple_node *node, enum maple_type type, unsigned end,
			 unsigned long min, unsigned long max)
{
	unsigned long before = min;

	for (unsigned i = 0; i < end; i++) {
		unsigned long pivot = ma_pivots(node)[i];

		vm_assert(pivot >= before && pivot < max);
		before = pivot + 1;
	}
	if (end < mt_pivots(type))
		vm_assert(ma_pivots(node)[end] == max || !ma_pivots(node)[end]);
}

static void check_tail(struct maple_node *node, enum maple_type type, unsigned end)
{
	/* The last slot of a leaf or range node that is not full holds the metadata. */
	unsigned slots = type == maple_arange_64 ? MAPLE_ARANGE64_SLOTS : MAPLE_RANGE64_SLOTS - 1;

	for (unsigned i = end + 1; i < slots; i++)
		vm_assert(!ma_slots(node, type)[i]);
	for (unsigned i = end + 1; i < mt_pivots(type); i++)
		vm_assert(!ma_pivots(node)[i]);
}

static void check_leaf(struct validate *v, struct maple_node *node, unsigned end)
{
	for (unsigned i = 0; i <= end; i++) {
		bool null = !node->mr64.slot[i];

		vm_assert(!(v->any_leaf && null && v->last_was_null));
		v->any_leaf = true;
		v->last_was_null = null;
	}
}

static unsigned long check_node(struct validate *v, struct maple_enode *enode, unsigned depth,
				unsigned long min, unsigned long max);

static unsigned long check_inner(struct validate *v, struct maple_node *node, enum maple_type type,
				 unsigned end, unsigned depth, unsigned long min, unsigned long max)
{
	unsigned long largest = 0;

	for (unsigned i = 0; i <= end; i++) {
		struct maple_enode *child = ma_slots(node, type)[i];
		unsigned long gap;

		vm_assert(child);
		vm_assert(mte_to_node(child)->parent == ma_parent_word(node, i));
		gap = check_node(v, child, depth + 1, ma_slot_min(node, i, min),
				 ma_slot_max(node, i, end, max));
		if (type == maple_arange_64)
			vm_assert(ma_gaps(node)[i] == gap);
		largest = max(largest, gap);
	}
	if (type == maple_arange_64)
		vm_assert(ma_gaps(node)[node->ma64.meta.gap] == largest);
	return largest;
}

/* Return: the longest gap below the node. */
static unsigned long check_node(struct validate *v, struct maple_enode *enode, unsigned depth,
				unsigned long min, unsigned long max)
{
	struct maple_node *node = mte_to_node(enode);
	enum maple_type type = mte_node_type(enode);
	unsigned end = ma_data_end(node, type, max);

	vm_assert(!ma_dead_node(node));
	vm_assert(end < mt_slots(type));
	vm_assert(ma_is_root(node) || max == ULONG_MAX || end >= mt_min_slots(type));
	vm_assert(ma_is_leaf(type) == (depth == v->height));
	v->nodes++;
	check_bounds(node, type, end, min, max);
	check_tail(node, type, end);
	if (!ma_is_leaf(type)) {
		vm_assert(type == mt_inner_type(v->mt));
		return check_inner(v, node, type, end, depth, min, max);
	}
	check_leaf(v, node, end);
	vm_assert(max == ULONG_MAX || node->mr64.slot[end]);
	return ma_leaf_max_gap(node, min, max);
}

void mt_validate(struct maple_tree *mt)
{
	struct validate v = {.mt = mt, .height = mt_height(mt)};
	void *root = mt->ma_root;

	if (!xa_is_node(root)) {
		vm_assert(!v.height);
		return;
	}
	vm_assert(mte_to_node(mte_safe_root(root))->parent == ma_root_word(mt));
	check_node(&v, mte_safe_root(root), 1, 0, ULONG_MAX);
}

static u64 count_nodes(const struct maple_enode *enode, unsigned long max)
{
	struct maple_node *node = mte_to_node(enode);
	enum maple_type type = mte_node_type(enode);
	unsigned end = ma_data_end(node, type, max);
	u64 count = 1;

	for (unsigned i = 0; !ma_is_leaf(type) && i <= end; i++)
		count += count_nodes(ma_slots(node, type)[i], ma_slot_max(node, i, end, max));
	return count;
}

u64 mt_nr_nodes(const struct maple_tree *mt)
{
	return xa_is_node(mt->ma_root) ? count_nodes(mte_safe_root(mt->ma_root), ULONG_MAX) : 0;
}
