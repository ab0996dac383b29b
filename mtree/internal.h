/* SPDX-License-Identifier: MIT */
/*
 * internal.h - what the files of this floor share. Nobody above includes it.
 *
 * A store goes through three steps, each with its file: store_type.c decides what
 * the store does to the tree, prealloc.c how many nodes that may take, and
 * write_leaf.c, split.c, rebalance.c, spanning.c or root.c do it. Several nodes
 * replaced at once are built in a stage (stage.c) and swapped in by replace.c.
 */
#ifndef VMASIM_MTREE_INTERNAL_H
#define VMASIM_MTREE_INTERNAL_H

#include "mtree/node.h"

enum {
	MA_STATE_PREALLOC = 1, /* mas_flags: nodes are there, allocating more is a fault */
};

/* One store under way. */
struct ma_wr_state {
	struct ma_state *mas;
	struct maple_node *node; /* of mas */
	enum maple_type type;
	unsigned long *pivots;
	void **slots;
	void *entry;		 /* to be stored */
	void *content;		 /* what lies at mas->offset */
	unsigned long r_min;	 /* bounds of the slot at mas->offset */
	unsigned long r_max;
	unsigned long end_piv;	 /* highest index of the slot at offset_end */
	u8 offset_end;		 /* slot in which the store ends */
	u8 vacant_height;	 /* deepest level (root: 1) that can take one more child */
	u8 sufficient_height;	 /* deepest level that can lose one */
};

#define MA_WR_STATE(name, state, new_entry)                                                        \
	struct ma_wr_state name = { .mas = (state), .entry = (new_entry) }

static inline struct maple_enode *mas_enode(const struct ma_state *mas)
{
	return (struct maple_enode *)mas->node;
}

static inline struct maple_node *mas_mn(const struct ma_state *mas)
{
	return mte_to_node(mas_enode(mas));
}

static inline enum maple_type mas_type(const struct ma_state *mas)
{
	return mte_node_type(mas_enode(mas));
}

static inline unsigned mas_data_end(const struct ma_state *mas)
{
	return ma_data_end(mas_mn(mas), mas_type(mas), mas->max);
}

static inline bool mas_covers_all(const struct ma_state *mas)
{
	return !mas->min && mas->max == ULONG_MAX;
}

static inline void mas_set_err(struct ma_state *mas, int error)
{
	mas->node = ma_error_node(error);
	mas->status = ma_error;
}

static inline unsigned mas_mt_height(const struct ma_state *mas)
{
	return mt_height(mas->tree);
}

/* store.c: may the caller write? For vm_assert_slow(). */
bool mt_write_locked(struct maple_tree *mt);

/* walk.c */
void *mas_start(struct ma_state *mas);
void *mas_descend_to_leaf(struct ma_state *mas);
bool mas_ascend(struct ma_state *mas);
void mas_descend(struct ma_state *mas);
bool mas_next_sibling(struct ma_state *mas);
bool mas_prev_sibling(struct ma_state *mas);

/* nodes.c */
bool mas_alloc_nodes(struct ma_state *mas, gfp_t gfp);
struct maple_node *mas_pop_node(struct ma_state *mas);
void mte_set_node_dead(struct maple_enode *enode);
void ma_free_rcu(struct maple_node *node);
void mt_free_one(struct maple_node *node);
void mt_free_bulk(size_t count, void **nodes);

/* destroy.c */
void mte_destroy_walk(struct maple_enode *enode, struct maple_tree *mt, unsigned long max);
void mte_free_subtree(struct maple_enode *enode, unsigned long max);

/* store_type.c */
void mas_wr_prealloc_setup(struct ma_wr_state *wr);
void mas_wr_store_type(struct ma_wr_state *wr);
void mas_wr_walk_descend(struct ma_wr_state *wr);
void mas_wr_walk_index(struct ma_wr_state *wr);
void mas_wr_end_piv(struct ma_wr_state *wr);
unsigned mas_wr_new_end(const struct ma_wr_state *wr);

/* prealloc.c */
void mas_prealloc_calc(struct ma_wr_state *wr);
void mas_wr_preallocate(struct ma_wr_state *wr);

/* The writers, one a store type. Nodes are at hand; none can fail. */
void mas_wr_store_entry(struct ma_wr_state *wr);
void mas_wr_exact_fit(struct ma_wr_state *wr);
void mas_wr_append(struct ma_wr_state *wr);
void mas_wr_slot_store(struct ma_wr_state *wr);
void mas_wr_node_store(struct ma_wr_state *wr);
void mas_wr_split(struct ma_wr_state *wr);
void mas_wr_rebalance(struct ma_wr_state *wr);
void mas_wr_spanning_store(struct ma_wr_state *wr);
void mas_store_root(struct ma_state *mas, void *entry);
void mas_new_root(struct ma_state *mas, void *entry);

/* root.c */
void mas_set_root(struct ma_state *mas, unsigned height);

/* replace.c */
void mas_replace_leaf(struct ma_state *mas, struct maple_enode *old);

/* gap_upkeep.c */
unsigned long ma_leaf_max_gap(struct maple_node *node, unsigned long min, unsigned long max);
unsigned long mte_max_gap(struct maple_tree *mt, struct maple_enode *enode, unsigned long min,
			  unsigned long max);
void mas_update_gap(struct ma_state *mas);

#endif
