/* SPDX-License-Identifier: MIT */
/*
 * node.h - the 256 bytes of a maple node: layouts, encoded pointers, accessors.
 *
 *	word	leaf_64, range_64	arange_64		dead node
 *	0	parent			parent			own address
 *	1..2	pivot[0..1]		pivot[0..1]		rcu_head
 *	3	pivot[2]		pivot[2]		type, slot_len
 *	..15	pivot[14]		pivot[8] in word 9
 *	16..31	slot[16]		slot[10] in 10..19, gap[10] in 20..29, meta in 30
 *	31	slot[15] or meta
 *
 * Slot i covers (pivot[i-1], pivot[i]]; the node's own bounds close both ends.
 * Invariant: when the node has room, pivot[end] equals the node's maximum and all
 * pivots behind it are 0, as are the slots.
 *
 * Nodes are 256-aligned, so the low 8 bits of their address carry:
 *
 *	encoded node	bit 1: stored in ma_root; bit 2: always set; bits 3..6: type
 *	parent word	bit 0: the rest is the tree (this is the root); else
 *			bits 3..7: slot in the parent, bits 0..2: 110b
 *
 * A parent word holds no type: inner nodes of one tree are all of one type, which
 * the tree's flags tell.
 *
 * Ordering: readers load pivots, ends and slots with acquire, then look whether
 * the node is dead; a writer marks a node dead before anything of it is reused.
 * Only words of published nodes that change in place are stored with release or
 * WRITE_ONCE. The writer, who holds the lock, may read anything plainly.
 */
#ifndef VMASIM_MTREE_NODE_H
#define VMASIM_MTREE_NODE_H

#include "mtree/maple_tree.h"

enum maple_type {
	maple_dense, /* never made */
	maple_leaf_64,
	maple_range_64,
	maple_arange_64,
};

enum {
	MAPLE_RANGE64_SLOTS = 16,
	MAPLE_ARANGE64_SLOTS = 10,
	MAPLE_NODE_SLOTS = 31, /* offset of a state that is at no slot */
};

#define MAPLE_NODE_MASK	   255ul
#define MAPLE_ENODE_ROOT   2ul
#define MAPLE_ENODE_NULL   4ul
#define MAPLE_ENODE_SHIFT  3
#define MAPLE_PARENT_ROOT  1ul
#define MAPLE_PARENT_INNER 6ul
#define MAPLE_PARENT_SHIFT 3

struct maple_metadata {
	u8 end; /* last used slot */
	u8 gap; /* slot of the largest gap */
};

struct maple_range_64 {
	unsigned long parent;
	unsigned long pivot[MAPLE_RANGE64_SLOTS - 1];
	union {
		void *slot[MAPLE_RANGE64_SLOTS];
		struct {
			void *slots_but_one[MAPLE_RANGE64_SLOTS - 1];
			struct maple_metadata meta;
		};
	};
};

struct maple_arange_64 {
	unsigned long parent;
	unsigned long pivot[MAPLE_ARANGE64_SLOTS - 1];
	void *slot[MAPLE_ARANGE64_SLOTS];
	unsigned long gap[MAPLE_ARANGE64_SLOTS];
	struct maple_metadata meta;
};

/* What a dead node keeps beside its slots until its grace period is over. */
struct maple_dead {
	unsigned long parent;
	struct rcu_head rcu;
	u8 type;
	u8 slot_len;
};

struct maple_node {
	union {
		struct {
			unsigned long parent;
			struct rcu_head rcu;
		};
		struct maple_dead dead;
		struct maple_range_64 mr64;
		struct maple_arange_64 ma64;
	};
};

_Static_assert(sizeof(struct maple_node) == 256, "a node is four cache lines");
_Static_assert(sizeof(struct maple_arange_64) <= 256, "fits a node");

/* An encoded node pointer; never defined. */
struct maple_enode;

/* ---- Types ------------------------------------------------------------------ */

static inline unsigned mt_slots(enum maple_type type)
{
	return type == maple_arange_64 ? MAPLE_ARANGE64_SLOTS : MAPLE_RANGE64_SLOTS;
}

static inline unsigned mt_pivots(enum maple_type type)
{
	return mt_slots(type) - 1;
}

/* A node other than the root and the right-most keeps at least this data end. */
static inline unsigned mt_min_slots(enum maple_type type)
{
	return type == maple_arange_64 ? MAPLE_ARANGE64_SLOTS / 2 - 1 : MAPLE_RANGE64_SLOTS / 2 - 2;
}

static inline bool ma_is_leaf(enum maple_type type)
{
	return type < maple_range_64;
}

static inline bool mt_is_alloc(const struct maple_tree *mt)
{
	return (READ_ONCE(mt->ma_flags) & MT_FLAGS_ALLOC_RANGE) != 0;
}

/* Type of every inner node of @mt. */
static inline enum maple_type mt_inner_type(const struct maple_tree *mt)
{
	return mt_is_alloc(mt) ? maple_arange_64 : maple_range_64;
}

/* ---- Encoded pointers --------------------------------------------------------- */

static inline struct maple_node *mte_to_node(const struct maple_enode *enode)
{
	return (struct maple_node *)((unsigned long)enode & ~MAPLE_NODE_MASK);
}

static inline enum maple_type mte_node_type(const struct maple_enode *enode)
{
	return (enum maple_type)(((unsigned long)enode >> MAPLE_ENODE_SHIFT) & 15);
}

static inline bool mte_is_leaf(const struct maple_enode *enode)
{
	return ma_is_leaf(mte_node_type(enode));
}

static inline struct maple_enode *mt_mk_node(const struct maple_node *node, enum maple_type type)
{
	return (struct maple_enode *)((unsigned long)node | MAPLE_ENODE_NULL |
				      (unsigned long)type << MAPLE_ENODE_SHIFT);
}

static inline void *mte_mk_root(const struct maple_enode *enode)
{
	return (void *)((unsigned long)enode | MAPLE_ENODE_ROOT);
}

static inline struct maple_enode *mte_safe_root(const void *root)
{
	return (struct maple_enode *)((unsigned long)root & ~MAPLE_ENODE_ROOT);
}

/* Is the word in ma_root a node? */
static inline bool xa_is_node(const void *root)
{
	return ((unsigned long)root & 3) == 2 && (unsigned long)root >= 4096;
}

/* Entries that may not be stored by the simple calls. */
static inline bool mt_is_reserved(const void *entry)
{
	return ((unsigned long)entry & 3) == 2 && (unsigned long)entry < 4096;
}

static inline void *ma_error_node(int error)
{
	return (void *)((unsigned long)-error << 2 | 2);
}

/* ---- Parent words -------------------------------------------------------------- */

static inline unsigned long ma_parent_word(const struct maple_node *parent, unsigned slot)
{
	return (unsigned long)parent | MAPLE_PARENT_INNER |
	       (unsigned long)slot << MAPLE_PARENT_SHIFT;
}

static inline unsigned long ma_root_word(const struct maple_tree *mt)
{
	return (unsigned long)mt | MAPLE_PARENT_ROOT;
}

static inline struct maple_node *ma_word_node(unsigned long word)
{
	return (struct maple_node *)(word & ~MAPLE_NODE_MASK);
}

static inline unsigned ma_word_slot(unsigned long word)
{
	return (unsigned)((word & MAPLE_NODE_MASK) >> MAPLE_PARENT_SHIFT);
}

static inline bool ma_is_root(const struct maple_node *node)
{
	return (READ_ONCE(node->parent) & MAPLE_PARENT_ROOT) != 0;
}

static inline bool mte_is_root(const struct maple_enode *enode)
{
	return ma_is_root(mte_to_node(enode));
}

static inline unsigned mte_parent_slot(const struct maple_enode *enode)
{
	return ma_word_slot(READ_ONCE(mte_to_node(enode)->parent));
}

static inline struct maple_node *mte_parent(const struct maple_enode *enode)
{
	return ma_word_node(READ_ONCE(mte_to_node(enode)->parent));
}

/* Callers loaded what they want to trust with acquire, so this load comes after. */
static inline bool ma_dead_node(const struct maple_node *node)
{
	return READ_ONCE(node->parent) == (unsigned long)node;
}

/* ---- Content -------------------------------------------------------------------- */

static inline unsigned long *ma_pivots(struct maple_node *node)
{
	return node->mr64.pivot;
}

static inline void **ma_slots(struct maple_node *node, enum maple_type type)
{
	return type == maple_arange_64 ? node->ma64.slot : node->mr64.slot;
}

static inline unsigned long *ma_gaps(struct maple_node *node)
{
	return node->ma64.gap;
}

static inline struct maple_metadata *ma_meta(struct maple_node *node, enum maple_type type)
{
	return type == maple_arange_64 ? &node->ma64.meta : &node->mr64.meta;
}

static inline unsigned long ma_pivot(struct maple_node *node, unsigned offset)
{
	return smp_load_acquire(&node->mr64.pivot[offset]);
}

static inline void *ma_slot(struct maple_node *node, enum maple_type type, unsigned offset)
{
	return smp_load_acquire(&ma_slots(node, type)[offset]);
}

/**
 * ma_data_end() - last used slot of a node whose maximum is @max.
 *
 * The end of a full leaf or range node has no place of its own: its last slot
 * lies where it would stand. A last pivot tells that it is full, or, being the
 * node's maximum, that the last slot is unused.
 */
static inline unsigned ma_data_end(struct maple_node *node, enum maple_type type, unsigned long max)
{
	unsigned long pivot;

	if (type == maple_arange_64)
		return smp_load_acquire(&node->ma64.meta.end);
	pivot = ma_pivot(node, MAPLE_RANGE64_SLOTS - 2);
	if (likely(!pivot))
		return smp_load_acquire(&node->mr64.meta.end);
	return pivot == max ? MAPLE_RANGE64_SLOTS - 2 : MAPLE_RANGE64_SLOTS - 1;
}

/* Set the end of a leaf or range node; a full one has no room for it. */
static inline void ma_set_end(struct maple_node *node, enum maple_type type, unsigned end)
{
	if (type == maple_arange_64)
		node->ma64.meta.end = (u8)end;
	else if (end < MAPLE_RANGE64_SLOTS - 1)
		node->mr64.meta = (struct maple_metadata){ .end = (u8)end };
}

/* Lowest index of slot @offset in a node that starts at @min. */
static inline unsigned long ma_slot_min(struct maple_node *node, unsigned offset, unsigned long min)
{
	return offset ? ma_pivot(node, offset - 1) + 1 : min;
}

/* Highest index of slot @offset in a node of data end @end and maximum @max. */
static inline unsigned long ma_slot_max(struct maple_node *node, unsigned offset, unsigned end,
					unsigned long max)
{
	return offset < end ? ma_pivot(node, offset) : max;
}

#endif
