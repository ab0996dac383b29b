/* SPDX-License-Identifier: MIT */
/*
 * gap.c - the lowest or highest gap of a size, by the gap words of inner nodes.
 *
 * A subtree is entered only when its longest gap is long enough; since a bound of
 * the search may cut that gap, a subtree can still disappoint, and the search goes
 * on beside it. Depth of recursion: the tree's height.
 *
 * Called under the tree's lock or, for a mm, with mmap_lock held.
 */
#include "mtree/internal.h"

struct gap_search {
	unsigned long low, high; /* inclusive */
	unsigned long size;
	bool from_top;
	unsigned long index; /* result: start of the part of the gap that is taken */
};

/* Does the part of a NULL range that lies within the bounds suffice? */
static bool take(struct gap_search *s, unsigned long first, unsigned long last)
{
	first = max(first, s->low);
	last = min(last, s->high);
	if (first > last || last - first < s->size - 1)
		return false;
	s->index = s->from_top ? last - s->size + 1 : first;
	return true;
}

static bool search_node(struct gap_search *s, struct maple_enode *enode, unsigned long min,
			unsigned long max);

static bool search_slot(struct gap_search *s, struct maple_node *node, enum maple_type type,
			unsigned slot, unsigned long first, unsigned long last)
{
	void *content;

	if (last < s->low || first > s->high)
		return false;
	content = ma_slot(node, type, slot);
	if (ma_is_leaf(type))
		return !content && take(s, first, last);
	return READ_ONCE(ma_gaps(node)[slot]) >= s->size && search_node(s, content, first, last);
}

static bool search_node(struct gap_search *s, struct maple_enode *enode, unsigned long min,
			unsigned long max)
{
	struct maple_node *node = mte_to_node(enode);
	enum maple_type type = mte_node_type(enode);
	unsigned end = ma_data_end(node, type, max);

	for (unsigned i = 0; i <= end; i++) {
		unsigned slot = s->from_top ? end - i : i;

		if (search_slot(s, node, type, slot, ma_slot_min(node, slot, min),
				ma_slot_max(node, slot, end, max)))
			return true;
	}
	return false;
}

static bool search_tree(struct gap_search *s, const struct maple_tree *mt)
{
	void *root = smp_load_acquire(&mt->ma_root);

	if (xa_is_node(root))
		return search_node(s, mte_safe_root(root), 0, ULONG_MAX);
	return take(s, root ? 1 : 0, ULONG_MAX);
}

static int empty_area(struct ma_state *mas, struct gap_search *s)
{
	vm_assert(mt_is_alloc(mas->tree));
	if (s->low > s->high || !s->size || s->size - 1 > s->high - s->low)
		return -EINVAL;
	mas_reset(mas);
	if (!search_tree(s, mas->tree))
		return -EBUSY;
	mas->index = s->index;
	mas->last = s->index + s->size - 1;
	return 0;
}

int mas_empty_area(struct ma_state *mas, unsigned long min, unsigned long max, unsigned long size)
{
	struct gap_search s = {.low = min, .high = max, .size = size};

	return empty_area(mas, &s);
}

int mas_empty_area_rev(struct ma_state *mas, unsigned long min, unsigned long max,
		       unsigned long size)
{
	struct gap_search s = {.low = min, .high = max, .size = size, .from_top = true};

	return empty_area(mas, &s);
}
