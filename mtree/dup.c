/* SPDX-License-Identifier: MIT */
/*
 * dup.c - a copy of a tree, node by node, the children of a node allocated at once.
 *
 * The copy is published only when it is whole. Leaves keep the entries of the
 * original; whoever duplicates replaces them. Called with both trees' locks held.
 * Depth of recursion: the tree's height.
 */
#include "mtree/internal.h"

static bool alloc_children(unsigned count, void **nodes, gfp_t gfp)
{
	if (!kmem_cache_alloc_bulk(kernel_cache(CACHE_MAPLE_NODE), gfp, count, nodes))
		return false;
	count_event(EVENT_NODE_ALLOC, count);
	return true;
}

/* @copy is a copy of a node whose children are still the original's: copy those. */
static bool dup_below(struct maple_node *copy, enum maple_type type, unsigned long max, gfp_t gfp)
{
	void **slots = ma_slots(copy, type);
	unsigned end = ma_data_end(copy, type, max);
	void *nodes[MAPLE_RANGE64_SLOTS];

	if (ma_is_leaf(type))
		return true;
	if (!alloc_children(end + 1, nodes, gfp))
		return false;
	for (unsigned i = 0; i <= end; i++) {
		struct maple_enode *old = slots[i];
		struct maple_node *child = nodes[i];

		mem_copy(child, mte_to_node(old), sizeof(*child));
		child->parent = ma_parent_word(copy, i);
		slots[i] = mt_mk_node(child, mte_node_type(old));
	}
	for (unsigned i = 0; i <= end; i++) {
		unsigned long child_max = ma_slot_max(copy, i, end, max);

		if (dup_below(nodes[i], mte_node_type(slots[i]), child_max, gfp))
			continue;
		/* What is whole goes as subtrees, the rest has no children of its own. */
		for (unsigned k = 0; k < i; k++)
			mte_free_subtree(slots[k], ma_slot_max(copy, k, end, max));
		mt_free_bulk(end + 1 - i, nodes + i);
		return false;
	}
	return true;
}

static int dup_nodes(struct maple_enode *root, struct maple_tree *new, gfp_t gfp)
{
	struct maple_node *copy;
	void *node;

	if (!alloc_children(1, &node, gfp))
		return -ENOMEM;
	copy = node;
	mem_copy(copy, mte_to_node(root), sizeof(*copy));
	copy->parent = ma_root_word(new);
	if (!dup_below(copy, mte_node_type(root), ULONG_MAX, gfp)) {
		mt_free_one(copy);
		return -ENOMEM;
	}
	rcu_assign_pointer(new->ma_root, mte_mk_root(mt_mk_node(copy, mte_node_type(root))));
	return 0;
}

int __mt_dup(struct maple_tree *mt, struct maple_tree *new, gfp_t gfp)
{
	void *root = mt->ma_root;
	int error = 0;

	if (new->ma_root || ((mt->ma_flags ^ new->ma_flags) & ~MT_FLAGS_HEIGHT_MASK))
		return -EINVAL;
	if (xa_is_node(root))
		error = dup_nodes(mte_safe_root(root), new, gfp);
	else
		rcu_assign_pointer(new->ma_root, root);
	if (!error)
		WRITE_ONCE(new->ma_flags, mt->ma_flags);
	return error;
}

int mtree_dup(struct maple_tree *mt, struct maple_tree *new, gfp_t gfp)
{
	int error;

	mtree_lock(new);
	mtree_lock(mt);
	error = __mt_dup(mt, new, gfp);
	mtree_unlock(mt);
	mtree_unlock(new);
	return error;
}
