/* SPDX-License-Identifier: MIT */
/*
 * stage.h - several nodes replaced at once.
 *
 * Data of neighbouring old nodes is collected in a stage, on the stack, cut into
 * one, two or three new nodes, and these are collected with what stays beside them
 * in the level above, until one new node covers what one old node covered:
 *
 *	old, level n	[ . . L ]   [ detached ]   [ R . . ]
 *			    left edge         right edge
 *	stage		[ . . ][ new data ][ . . ]  -> dest[0], dest[1], dest[2]
 *
 *	old, level n-1	[ . (L ... R) . ]
 *	stage		[ . dest0 dest1 dest2 . ]   -> ...
 *
 * The new subtree is private until replace.c publishes its top.
 */
#ifndef VMASIM_MTREE_STAGE_H
#define VMASIM_MTREE_STAGE_H

#include "mtree/internal.h"

/* Two full leaves and what a store adds, or a small rest with two nodes beside it. */
enum { STAGE_SLOTS = 3 * MAPLE_RANGE64_SLOTS };

struct ma_stage {
	enum maple_type type;
	unsigned count; /* ranges in use */
	unsigned long pivot[STAGE_SLOTS];
	unsigned long gap[STAGE_SLOTS]; /* inner nodes of trees with gaps only */
	void *slot[STAGE_SLOTS];
};

/* A new node of the level built last. */
struct ma_dest {
	struct maple_enode *node;
	unsigned long min;
	unsigned long max;
};

struct ma_rebuild {
	struct ma_state *mas;	/* of the store: its nodes, its range */
	struct ma_state left;	/* old tree: the first and the last node of this level */
	struct ma_state right;	/* that are replaced; offset: slot of the level below */
	struct ma_stage stage;
	unsigned nr_dest;
	struct ma_dest dest[3];
	unsigned nr_inner;	/* new inner nodes; they adopt their children last */
	struct ma_dest inner[3 * MAPLE_HEIGHT_MAX + 1];
	unsigned height;	/* levels built */
};

/* Where a stage is cut: last slot of the first node; of the second, 0: there is none. */
struct ma_cut {
	unsigned split;
	unsigned mid;
};

/* stage.c */
void stage_leaf(struct ma_wr_state *wr, struct ma_stage *stage);
void stage_store_left(struct ma_wr_state *wr, struct ma_stage *stage);
void stage_append(struct ma_stage *stage, const struct ma_state *mas, unsigned from);
void stage_prepend(struct ma_stage *stage, const struct ma_state *mas);
struct ma_cut stage_cut(const struct ma_stage *stage);
unsigned stage_no_null_cut(const struct ma_stage *stage, unsigned split, unsigned limit);
void rebuild_level(struct ma_rebuild *rb, struct ma_cut cut);
void rebuild_ascend(struct ma_rebuild *rb);

/* replace.c */
void rebuild_finish(struct ma_rebuild *rb);
void rebuild_publish_root(struct ma_rebuild *rb);

/* rebalance.c */
void rebuild_balance(struct ma_rebuild *rb);

#endif
