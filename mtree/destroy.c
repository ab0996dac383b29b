/* SPDX-License-Identifier: MIT */
/*
 * destroy.c - whole subtrees and trees away.
 *
 * A subtree leaves in two walks. The first, while readers may still be in it,
 * marks every node dead, so that they restart, and notes in each inner node what
 * the second needs. The second, after a grace period, frees the children of one
 * parent in one bulk call and the top last. One RCU callback, at the top, serves
 * the whole subtree.
 *
 * Called by the writer, under the tree's lock, after the subtree was unlinked.
 * Depth of recursion: the tree's height.
 */
#include "mtree/internal.h"

/* First walk. @max: highest index of the subtree. */
static void subtree_kill(struct maple_enode *enode, unsigned long max)
{
	struct maple_node *node = mte_to_node(enode);
	enum maple_type type = mte_node_type(enode);
	unsigned end, offset;

	if (ma_is_leaf(type)) {
		mte_set_node_dead(enode);
		WRITE_ONCE(node->dead.type, (u8)type);
		return;
	}
	end = ma_data_end(node, type, max);
	for (offset = 0; offset <= end; offset++)
		subtree_kill(ma_slots(node, type)[offset], ma_slot_max(node, offset, end, max));
	mte_set_node_dead(enode);
	WRITE_ONCE(node->dead.type, (u8)type);
	WRITE_ONCE(node->dead.slot_len, (u8)(end + 1));
}

/* Second walk: everything below @node. */
static void subtree_free_below(struct maple_node *node)
{
	enum maple_type type = (enum maple_type)node->dead.type;
	void **slots = ma_slots(node, type);
	void *nodes[MAPLE_RANGE64_SLOTS];
	unsigned i;

	if (ma_is_leaf(type))
		return;
	for (i = 0; i < node->dead.slot_len; i++) {
		struct maple_enode *child = slots[i];

		nodes[i] = mte_to_node(child);
		if (!mte_is_leaf(child))
			subtree_free_below(nodes[i]);
	}
	mt_free_bulk(i, nodes);
}

static void subtree_free_callback(struct rcu_head *head)
{
	struct maple_node *node = container_of(head, struct maple_node, rcu);

	subtree_free_below(node);
	mt_free_one(node);
}

/* mte_free_subtree() - free a subtree that no reader ever saw. */
void mte_free_subtree(struct maple_enode *enode, unsigned long max)
{
	subtree_kill(enode, max);
	subtree_free_callback(&mte_to_node(enode)->rcu);
}

/**
 * mte_destroy_walk() - free the unlinked subtree @enode, which ends at @max: after a
 * grace period when the tree has RCU readers, else at once.
 */
void mte_destroy_walk(struct maple_enode *enode, struct maple_tree *mt, unsigned long max)
{
	struct maple_node *node = mte_to_node(enode);

	subtree_kill(enode, max);
	if (mt_in_rcu(mt))
		call_rcu(&node->rcu, subtree_free_callback);
	else
		subtree_free_callback(&node->rcu);
}

void __mt_destroy(struct maple_tree *mt)
{
	void *root = mt->ma_root;

	rcu_assign_pointer(mt->ma_root, NULL);
	if (xa_is_node(root))
		mte_destroy_walk(mte_safe_root(root), mt, ULONG_MAX);
	WRITE_ONCE(mt->ma_flags, mt->ma_flags & ~MT_FLAGS_HEIGHT_MASK);
}

void mtree_destroy(struct maple_tree *mt)
{
	mtree_lock(mt);
	__mt_destroy(mt);
	mtree_unlock(mt);
}
