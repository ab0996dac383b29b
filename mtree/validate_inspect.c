/* SPDX-License-Identifier: MIT */
/*
 * validate_inspect.c - is the tree what it should be? And how many nodes has it?
 *
 * One walk in index order, each node checked with its bounds from above:
 *	1 no node is dead, and no slot holds one
 *	2 the data end is at least the minimum, but for the root and nodes on the
 *	  right edge
 *	3 the parent's slot holds this node, and no other slot does
 *	4 every used inner slot has a child, whose parent word is this node and slot
 *	5 pivots ascend within the bounds, the last one is the maximum
 *	6 behind the end there is nothing
 *	7 with gap tracking: each gap is that of the child, the named one the largest
 *	8 two NULL ranges are never neighbours, in a leaf or across two
 *
 * Called under the tree's lock. Compiled without access hooks.
 */
#include "mtree/internal.h"

struct validation {
	struct maple_tree *mt;
	unsigned height;      /* levels found so far below the root */
	bool any_leaf;
	bool last_null;	      /* was the range before this one NULL? */
	unsigned long next;   /* first index not seen */
};

struct node_view {
	struct maple_enode *enode;
	struct maple_node *node;
	enum maple_type type;
	unsigned end;
	unsigned long min;
	unsigned long max;
	unsigned depth;
};

#define node_check(view, cond)                                                                     \
	do {                                                                                       \
		if (!(cond))                                                                       \
			vm_bug("maple node %p [%lx, %lx] depth %u: %s", (void *)(view)->node,      \
			       (view)->min, (view)->max, (view)->depth, #cond);                    \
	} while (0)

static struct node_view view_node(struct maple_enode *enode, unsigned long min, unsigned long max,
				  unsigned depth)
{
	struct node_view view = { .enode = enode, .node = mte_to_node(enode),
				  .type = mte_node_type(enode), .min = min, .max = max,
				  .depth = depth };

	view.end = ma_data_end(view.node, view.type, max);
	return view;
}

static unsigned long slot_min(const struct node_view *view, unsigned slot)
{
	return slot ? view->node->mr64.pivot[slot - 1] + 1 : view->min;
}

static unsigned long slot_max(const struct node_view *view, unsigned slot)
{
	return slot < view->end ? view->node->mr64.pivot[slot] : view->max;
}

static struct node_view view_child(const struct node_view *view, unsigned slot)
{
	return view_node(ma_slots(view->node, view->type)[slot], slot_min(view, slot),
			 slot_max(view, slot), view->depth + 1);
}

/* Checks 1 and 2. */
static void check_node(const struct validation *v, const struct node_view *view)
{
	node_check(view, !ma_dead_node(view->node));
	node_check(view, view->end < mt_slots(view->type));
	node_check(view, ma_is_leaf(view->type) || view->type == mt_inner_type(v->mt));
	if (view->depth == 0)
		node_check(view, view->node->parent == ma_root_word(v->mt));
	else if (view->max != ULONG_MAX)
		node_check(view, view->end >= mt_min_slots(view->type));
}

/* Check 5. */
static void check_pivots(const struct node_view *view)
{
	for (unsigned i = 0; i <= view->end; i++) {
		node_check(view, slot_min(view, i) <= slot_max(view, i));
		node_check(view, slot_max(view, i) <= view->max);
	}
	if (view->end < mt_pivots(view->type))
		node_check(view, view->node->mr64.pivot[view->end] == view->max);
}

/* Check 6. The last word of a leaf that is not full is its metadata. */
static void check_rest(const struct node_view *view)
{
	unsigned slots = mt_slots(view->type);

	if (view->type != maple_arange_64)
		slots--;
	for (unsigned i = view->end + 1; i < slots; i++)
		node_check(view, !ma_slots(view->node, view->type)[i]);
	for (unsigned i = view->end + 1; i < mt_pivots(view->type); i++)
		node_check(view, !view->node->mr64.pivot[i]);
	for (unsigned i = view->end + 1; view->type == maple_arange_64 && i < slots; i++)
		node_check(view, !view->node->ma64.gap[i]);
}

/* Checks 3 and 4 for one slot. */
static void check_child(const struct node_view *view, unsigned slot)
{
	void **slots = ma_slots(view->node, view->type);

	node_check(view, slots[slot] != NULL);
	for (unsigned i = 0; i < slot; i++)
		node_check(view, slots[i] != slots[slot]);
	node_check(view, mte_to_node(slots[slot])->parent == ma_parent_word(view->node, slot));
}

static unsigned long largest_gap(const struct node_view *view)
{
	unsigned long largest = 0;

	for (unsigned i = 0; i <= view->end; i++) {
		unsigned long gap = 0;

		if (!ma_is_leaf(view->type))
			gap = view->node->ma64.gap[i];
		else if (!view->node->mr64.slot[i])
			gap = slot_max(view, i) - slot_min(view, i) + 1;
		largest = max(largest, gap);
	}
	return largest;
}

/* Check 7. */
static void check_gaps(const struct node_view *view)
{
	const struct maple_arange_64 *node = &view->node->ma64;

	for (unsigned i = 0; i <= view->end; i++) {
		struct node_view child = view_child(view, i);

		node_check(view, node->gap[i] == largest_gap(&child));
		node_check(view, node->gap[i] <= slot_max(view, i) - slot_min(view, i) + 1);
	}
	node_check(view, node->meta.gap <= view->end);
	node_check(view, node->gap[node->meta.gap] == largest_gap(view));
}

/* Check 8, and that the leaves follow each other at one depth. */
static void check_leaf(struct validation *v, const struct node_view *view)
{
	node_check(view, !v->any_leaf || v->height == view->depth + 1);
	node_check(view, view->min == v->next);
	v->height = view->depth + 1;
	v->any_leaf = true;
	for (unsigned i = 0; i <= view->end; i++) {
		bool null = !view->node->mr64.slot[i];

		node_check(view, !null || !v->last_null);
		v->last_null = null;
	}
	node_check(view, !v->last_null || view->max == ULONG_MAX);
	v->next = view->max + 1;
}

static void validate_below(struct validation *v, const struct node_view *view)
{
	check_node(v, view);
	check_pivots(view);
	check_rest(view);
	if (ma_is_leaf(view->type)) {
		check_leaf(v, view);
		return;
	}
	for (unsigned i = 0; i <= view->end; i++) {
		struct node_view child;

		check_child(view, i);
		child = view_child(view, i);
		validate_below(v, &child);
	}
	if (view->type == maple_arange_64)
		check_gaps(view);
}

void mt_validate(struct maple_tree *mt)
{
	struct validation v = { .mt = mt };
	struct node_view root;

	if (!xa_is_node(mt->ma_root)) {
		vm_assert(mt_height(mt) == 0);
		return;
	}
	root = view_node(mte_safe_root(mt->ma_root), 0, ULONG_MAX, 0);
	validate_below(&v, &root);
	vm_assert(v.height == mt_height(mt));
}

static u64 count_below(const struct node_view *view)
{
	u64 nodes = 1;

	for (unsigned i = 0; !ma_is_leaf(view->type) && i <= view->end; i++) {
		struct node_view child = view_child(view, i);

		nodes += count_below(&child);
	}
	return nodes;
}

u64 mt_nr_nodes(const struct maple_tree *mt)
{
	struct node_view root;

	if (!xa_is_node(mt->ma_root))
		return 0;
	root = view_node(mte_safe_root(mt->ma_root), 0, ULONG_MAX, 0);
	return count_below(&root);
}
