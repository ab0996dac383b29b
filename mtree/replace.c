/* SPDX-License-Identifier: MIT */
/*
 * replace.c - a private new node or subtree takes the place of an old one.
 *
 * Order, which readers rely on:
 *	1 one release store, into the parent's slot or ma_root, publishes
 *	2 new inner nodes adopt the children that moved into them: until then such a
 *	  child names its old parent, which still leads a reader to an old, whole tree
 *	3 old nodes are marked dead: readers in them restart
 *	4 they are freed after a grace period
 *
 * An old node's child that still names it after step 2 was not adopted, so it is
 * old too. A child wholly inside the range of the store goes with all below it.
 *
 * Called by the writer, under the tree's lock.
 */
#include "mtree/stage.h"

/* Step 1. The node of @mas has its parent word. */
static void publish(struct ma_state *mas, unsigned height)
{
	struct maple_enode *enode = mas_enode(mas);
	unsigned long word = mte_to_node(enode)->parent;
	void **slots;

	if (word & MAPLE_PARENT_ROOT) {
		mas_set_root(mas, height);
		return;
	}
	slots = ma_slots(ma_word_node(word), mt_inner_type(mas->tree));
	rcu_assign_pointer(slots[ma_word_slot(word)], enode);
}

/* mas_replace_leaf() - the leaf of @mas, which has its parent word, replaces @old. */
void mas_replace_leaf(struct ma_state *mas, struct maple_enode *old)
{
	publish(mas, mas_mt_height(mas));
	mte_set_node_dead(old);
	ma_free_rcu(mte_to_node(old));
}

/* Step 2. */
static void adopt(const struct ma_dest *inner)
{
	struct maple_node *node = mte_to_node(inner->node);
	enum maple_type type = mte_node_type(inner->node);
	unsigned end = ma_data_end(node, type, inner->max);
	void **slots = ma_slots(node, type);

	for (unsigned i = 0; i <= end; i++)
		WRITE_ONCE(mte_to_node(slots[i])->parent, ma_parent_word(node, i));
}

/* Steps 3 and 4 for @enode, covering @min to @max, and for its old children. */
static void retire(const struct ma_state *mas, struct maple_enode *enode, unsigned long min,
		   unsigned long max)
{
	struct maple_node *node = mte_to_node(enode);
	enum maple_type type = mte_node_type(enode);
	unsigned end, i;

	end = ma_is_leaf(type) ? 0 : ma_data_end(node, type, max) + 1;
	for (i = 0; i < end; i++) {
		struct maple_enode *child = ma_slots(node, type)[i];
		unsigned long child_min = ma_slot_min(node, i, min);
		unsigned long child_max = ma_slot_max(node, i, end - 1, max);

		if (mte_parent(child) != node)
			continue;
		if (child_min >= mas->index && child_max <= mas->last)
			mte_destroy_walk(child, mas->tree, child_max);
		else
			retire(mas, child, child_min, child_max);
	}
	mte_set_node_dead(enode);
	ma_free_rcu(node);
}

/* @top replaces @old; both cover the same range. Leaves @mas at the stored range. */
static void replace(struct ma_rebuild *rb, const struct ma_dest *top, struct maple_enode *old)
{
	struct ma_state *mas = rb->mas;

	mas->node = top->node;
	mas->min = top->min;
	mas->max = top->max;
	mas->status = ma_active;
	publish(mas, rb->height);
	for (unsigned i = 0; i < rb->nr_inner; i++)
		adopt(&rb->inner[i]);
	retire(mas, old, top->min, top->max);
	mas_update_gap(mas);
	mas_descend_to_leaf(mas);
}

/* rebuild_finish() - what the stage holds is one node: it replaces that of the left edge. */
void rebuild_finish(struct ma_rebuild *rb)
{
	struct maple_enode *old = mas_enode(&rb->left);
	struct ma_cut whole = { .split = rb->stage.count - 1 };

	vm_assert(old == mas_enode(&rb->right));
	rebuild_level(rb, whole);
	mte_to_node(rb->dest[0].node)->parent = mte_to_node(old)->parent;
	replace(rb, &rb->dest[0], old);
}

/* rebuild_publish_root() - the one new node covers everything: it replaces the root. */
void rebuild_publish_root(struct ma_rebuild *rb)
{
	struct maple_tree *mt = rb->mas->tree;

	mte_to_node(rb->dest[0].node)->parent = ma_root_word(mt);
	replace(rb, &rb->dest[0], mte_safe_root(mt->ma_root));
}
