/* SPDX-License-Identifier: MIT */
/*
 * root.c - stores that make, or replace, the root.
 *
 *	ma_root == NULL		nothing is stored
 *	ma_root == entry	[0, 0] has an entry, everything else is NULL
 *	ma_root == node | 2	a tree of nodes
 *
 * A release store into ma_root publishes. Called by the writer, under the tree's lock.
 */
#include "mtree/internal.h"

static void set_height(struct maple_tree *mt, unsigned height)
{
	WRITE_ONCE(mt->ma_flags, (mt->ma_flags & ~MT_FLAGS_HEIGHT_MASK) |
					 height << MT_FLAGS_HEIGHT_OFFSET);
}

/* mas_set_root() - the node of @mas is the root of a tree of so many levels. */
void mas_set_root(struct ma_state *mas, unsigned height)
{
	vm_assert(height <= MAPLE_HEIGHT_MAX);
	set_height(mas->tree, height);
	rcu_assign_pointer(mas->tree->ma_root, mte_mk_root(mas_enode(mas)));
}

static struct maple_node *new_root_leaf(struct ma_state *mas)
{
	struct maple_node *node = mas_pop_node(mas);

	node->parent = ma_root_word(mas->tree);
	mas->node = mt_mk_node(node, maple_leaf_64);
	mas->min = 0;
	mas->max = ULONG_MAX;
	mas->depth = 0;
	mas->status = ma_active;
	return node;
}

static void leaf_put(struct maple_node *node, unsigned slot, void *entry, unsigned long last)
{
	node->mr64.slot[slot] = entry;
	node->mr64.pivot[slot] = last;
}

/*
 * From no node to a leaf:  [0: what was there] [NULL] [entry] [NULL]
 * where each part is left out when it is empty.
 */
static void root_expand(struct ma_state *mas, void *entry)
{
	void *contents = mas->tree->ma_root;
	struct maple_node *node = new_root_leaf(mas);
	unsigned slot = 0;

	if (mas->index && contents)
		leaf_put(node, slot++, contents, 0);
	if (mas->index > (contents ? 1 : 0))
		leaf_put(node, slot++, NULL, mas->index - 1);
	mas->offset = (u8)slot;
	leaf_put(node, slot, entry, mas->last);
	if (mas->last != ULONG_MAX)
		leaf_put(node, ++slot, NULL, ULONG_MAX);
	ma_set_end(node, maple_leaf_64, slot);
	mas->end = (u8)slot;
	mas_set_root(mas, 1);
}

/* mas_store_root() - store into a tree without nodes. */
void mas_store_root(struct ma_state *mas, void *entry)
{
	if (!entry) {
		if (!mas->index)
			rcu_assign_pointer(mas->tree->ma_root, NULL);
		return;
	}
	if (mas->index || mas->last || ((unsigned long)entry & 3) == 2) {
		root_expand(mas, entry);
		return;
	}
	rcu_assign_pointer(mas->tree->ma_root, entry);
	mas_reset(mas);
}

/* mas_new_root() - one range over everything: all nodes go. */
void mas_new_root(struct ma_state *mas, void *entry)
{
	void *old = mas->tree->ma_root;

	mas->index = 0;
	mas->last = ULONG_MAX;
	if (entry) {
		leaf_put(new_root_leaf(mas), 0, entry, ULONG_MAX);
		mas->offset = 0;
		mas->end = 0;
		mas_set_root(mas, 1);
	} else {
		set_height(mas->tree, 0);
		rcu_assign_pointer(mas->tree->ma_root, NULL);
		mas_reset(mas);
	}
	if (xa_is_node(old))
		mte_destroy_walk(mte_safe_root(old), mas->tree, ULONG_MAX);
}
