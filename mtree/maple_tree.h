/* SPDX-License-Identifier: MIT */
/*
 * maple_tree.h - the face of the maple tree: a map from ranges of unsigned long
 * to pointers, for one writer at a time and any number of RCU readers.
 *
 * Names, argument order and meaning are the kernel's. The tree always covers
 * 0..ULONG_MAX: what was never stored is a NULL range, and neighbouring NULL
 * ranges are one. Storing NULL erases. Entries are pointers; a word whose low two
 * bits are 10b and which is below 4096 is reserved (xa_is_zero() is the one such
 * word that may be stored, through the mas_ calls).
 *
 * Two ways in:
 *
 *	mtree_*(), mt_*()	one call, takes the tree's own lock where it writes
 *	mas_*()			a state (struct ma_state) that remembers where it is;
 *				the caller holds the lock for writing, and the lock
 *				or rcu_read_lock() for reading
 *
 * A state is `start` until its first walk, then `active` at one range
 * [index, last]. A walk that would pass its limit leaves it in overflow or
 * underflow; stepping back from there returns the range it stood at. mas_pause()
 * before the lock or RCU section is dropped; mas_set() to go elsewhere.
 *
 * Writers publish a change by one release store, so that a reader sees the tree
 * before or after it. Nodes come from the current machine's maple_node cache
 * (alloc/slab.h) and every replaced node is freed after a grace period.
 */
#ifndef VMASIM_MTREE_MAPLE_TREE_H
#define VMASIM_MTREE_MAPLE_TREE_H

#include "alloc/slab.h"

#include <limits.h>
#include <stdio.h>

/* ---- The tree -------------------------------------------------------------- */

#define MT_FLAGS_ALLOC_RANGE	0x01u  /* track gaps: mas_empty_area() works */
#define MT_FLAGS_USE_RCU	0x02u  /* readers without the lock: no rewriting in place */
#define MT_FLAGS_HEIGHT_OFFSET	0x02u  /* first bit of the height, kept in the flags */
#define MT_FLAGS_HEIGHT_MASK	0x7cu
#define MT_FLAGS_LOCK_MASK	0x300u
#define MT_FLAGS_LOCK_EXTERN	0x300u /* the caller's lock guards the tree */

#define MAPLE_HEIGHT_MAX 31

struct maple_node;
struct maple_tree;

/*
 * struct maple_tree - may be embedded or on the stack. ma_root is NULL, or the
 * entry of index 0 alone, or an encoded node.
 */
struct maple_tree {
	union {
		struct spinlock ma_lock;
		struct rw_semaphore *ma_external_lock; /* NULL: not checked (mt_on_stack()) */
	};
	unsigned ma_flags;
	void *ma_root;
};

/** maple_tree_init() - name the fields of nodes on the current machine. After slab_boot(). */
void maple_tree_init(void);

/**
 * mt_init_flags() - make @mt an empty tree.
 * @flags: MT_FLAGS_*; without MT_FLAGS_LOCK_EXTERN the own lock is initialised.
 */
void mt_init_flags(struct maple_tree *mt, unsigned flags);
static inline void mt_init(struct maple_tree *mt)
{
	mt_init_flags(mt, 0);
}

/** mt_set_external_lock() - writers are asserted to hold @lock for writing. */
static inline void mt_set_external_lock(struct maple_tree *mt, struct rw_semaphore *lock)
{
	mt->ma_external_lock = lock;
}

/** mt_on_stack() - a private tree of one function needs no lock; takes the tree itself. */
#define mt_on_stack(mt) ((mt).ma_external_lock = NULL)

/** MTREE_INIT_EXT() - initialiser of an empty tree guarded by rw_semaphore @lock. */
#define MTREE_INIT_EXT(name, flags, lock)                                                          \
	{                                                                                          \
		.ma_external_lock = &(lock), .ma_flags = (flags), .ma_root = NULL,                 \
	}

static inline bool mt_external_lock(const struct maple_tree *mt)
{
	return (mt->ma_flags & MT_FLAGS_LOCK_MASK) == MT_FLAGS_LOCK_EXTERN;
}

static inline bool mt_in_rcu(const struct maple_tree *mt)
{
	return (mt->ma_flags & MT_FLAGS_USE_RCU) != 0;
}

/** mt_set_in_rcu() - readers may come without the lock from now on. Context: lock held. */
void mt_set_in_rcu(struct maple_tree *mt);
/** mt_clear_in_rcu() - no reader without the lock is left. Context: lock held. */
void mt_clear_in_rcu(struct maple_tree *mt);

/** mt_height() - levels of nodes; 0: empty or one entry at index 0. */
static inline unsigned mt_height(const struct maple_tree *mt)
{
	return (mt->ma_flags & MT_FLAGS_HEIGHT_MASK) >> MT_FLAGS_HEIGHT_OFFSET;
}

static inline bool mtree_empty(const struct maple_tree *mt)
{
	return READ_ONCE(mt->ma_root) == NULL;
}

/* Own lock of trees without MT_FLAGS_LOCK_EXTERN. Never taken by RCU callbacks. */
static inline void mtree_lock(struct maple_tree *mt)
{
	spin_lock(&mt->ma_lock);
}

static inline void mtree_unlock(struct maple_tree *mt)
{
	spin_unlock(&mt->ma_lock);
}

/* ---- Entries ---------------------------------------------------------------- */

#define XA_ZERO_ENTRY ((void *)0x406ul) /* reserved but empty: mt_find() passes over it */

static inline bool xa_is_zero(const void *entry)
{
	return entry == XA_ZERO_ENTRY;
}

/* ---- Simple calls ----------------------------------------------------------- */

/** mtree_load() - entry at @index or NULL. Context: any; takes rcu_read_lock(). */
void *mtree_load(struct maple_tree *mt, unsigned long index);

/**
 * mtree_store_range() - map [@first, @last] to @entry, whatever was there.
 * Context: takes the tree's lock. Return: 0, -EINVAL (reserved entry, first > last), -ENOMEM.
 */
int mtree_store_range(struct maple_tree *mt, unsigned long first, unsigned long last, void *entry,
		      gfp_t gfp);
int mtree_store(struct maple_tree *mt, unsigned long index, void *entry, gfp_t gfp);

/** mtree_insert_range() - the same, but -EEXIST when any index of it is taken. */
int mtree_insert_range(struct maple_tree *mt, unsigned long first, unsigned long last, void *entry,
		       gfp_t gfp);
int mtree_insert(struct maple_tree *mt, unsigned long index, void *entry, gfp_t gfp);

/** mtree_erase() - remove the whole range that covers @index. Return: its entry or NULL. */
void *mtree_erase(struct maple_tree *mt, unsigned long index);

/** mtree_destroy() - free every node; the tree is empty after. Takes the tree's lock. */
void mtree_destroy(struct maple_tree *mt);
/** __mt_destroy() - the same, lock held by the caller. */
void __mt_destroy(struct maple_tree *mt);

/**
 * __mt_dup() - make @new a copy of @mt, node by node. Context: both locks held.
 * @new: empty, with the same flags. Return: 0, -EINVAL, -ENOMEM (then @new is empty).
 */
int __mt_dup(struct maple_tree *mt, struct maple_tree *new, gfp_t gfp);
/** mtree_dup() - the same, takes both own locks. */
int mtree_dup(struct maple_tree *mt, struct maple_tree *new, gfp_t gfp);

/**
 * mt_find() - first entry at or after *@index and not above @max; passes over zero entries.
 * *@index becomes the index after the entry's range. Context: takes rcu_read_lock().
 */
void *mt_find(struct maple_tree *mt, unsigned long *index, unsigned long max);
/** mt_find_after() - the same for a next call; NULL once *@index wrapped to 0. */
void *mt_find_after(struct maple_tree *mt, unsigned long *index, unsigned long max);
/** mt_next() - first entry above @index, at most @max; mt_prev() - last below, at least @min. */
void *mt_next(struct maple_tree *mt, unsigned long index, unsigned long max);
void *mt_prev(struct maple_tree *mt, unsigned long index, unsigned long min);

#define mt_for_each(tree, entry, index, max)                                                       \
	for (entry = mt_find(tree, &(index), max); entry;                                          \
	     entry = mt_find_after(tree, &(index), max))

/* ---- States ------------------------------------------------------------------ */

enum maple_status {
	ma_active,    /* node, offset, min and max are where [index, last] lies */
	ma_start,     /* not walked yet */
	ma_root,      /* the tree is one entry at index 0 and the state is at it */
	ma_none,      /* nothing was found */
	ma_pause,     /* the lock was dropped: walk again, continue behind last */
	ma_overflow,  /* a step up met its limit */
	ma_underflow, /* a step down met its limit */
	ma_error,     /* xa_err(mas->node) says which */
};

/* What a store does to the tree, in the order in which it is decided. */
enum store_type {
	wr_invalid,
	wr_new_root,	   /* [0, ULONG_MAX]: the tree is replaced */
	wr_store_root,	   /* there is no node yet */
	wr_exact_fit,	   /* same bounds: one slot */
	wr_spanning_store, /* leaves its leaf */
	wr_split_store,	   /* the leaf overflows */
	wr_rebalance,	   /* the leaf becomes too small */
	wr_append,	   /* a range at the leaf's end */
	wr_node_store,	   /* the leaf is rewritten */
	wr_slot_store,	   /* boundaries move in place */
};

struct ma_state {
	struct maple_tree *tree;
	unsigned long index;  /* the range asked for, then the range found */
	unsigned long last;
	void *node;	      /* encoded node, or the error */
	unsigned long min;    /* bounds of node */
	unsigned long max;
	struct slab_sheaf *sheaf; /* nodes asked for, more than one, with sheaves */
	void *alloc;	      /* one node asked for, or the list of all without sheaves */
	unsigned node_request; /* nodes that the next store needs */
	enum maple_status status;
	enum store_type store_type;
	u8 depth;
	u8 offset;	      /* slot in node */
	u8 end;		      /* last used slot of node */
	u8 mas_flags;
};

#define MA_STATE(name, mt, first, end)                                                             \
	struct ma_state name = {                                                                   \
		.tree = (mt), .index = (first), .last = (end), .max = ULONG_MAX,                   \
		.status = ma_start, .store_type = wr_invalid,                                      \
	}

/** mas_init() - a state of @tree at @addr. */
static inline void mas_init(struct ma_state *mas, struct maple_tree *tree, unsigned long addr)
{
	*mas = (struct ma_state){
		.tree = tree, .index = addr, .last = addr, .max = ULONG_MAX,
		.status = ma_start, .store_type = wr_invalid,
	};
}

/** mas_reset() - walk again from the root at the next call; index and last stay. */
static inline void mas_reset(struct ma_state *mas)
{
	mas->status = ma_start;
	mas->node = NULL;
}

/** __mas_set_range() - another range, the position kept. For writers about to store next to it. */
static inline void __mas_set_range(struct ma_state *mas, unsigned long start, unsigned long last)
{
	/* An unfinished state has no position; an active one must stay in its node. */
	vm_assert(mas->status != ma_active || (mas->index <= start && mas->last >= start));
	mas->index = start;
	mas->last = last;
}

/** mas_set_range() - another range; the next call walks from the root. */
static inline void mas_set_range(struct ma_state *mas, unsigned long start, unsigned long last)
{
	mas_reset(mas);
	mas->index = start;
	mas->last = last;
}

static inline void mas_set(struct ma_state *mas, unsigned long index)
{
	mas_set_range(mas, index, index);
}

static inline bool mas_is_active(const struct ma_state *mas)
{
	return mas->status == ma_active;
}

static inline bool mas_is_err(const struct ma_state *mas)
{
	return mas->status == ma_error;
}

/** xa_err() - the negative errno in the node of a state that mas_is_err(); 0 for others. */
static inline int xa_err(const void *node)
{
	unsigned long word = (unsigned long)node;

	return (word & 3) == 2 && word < 4096 ? -(int)(word >> 2) : 0;
}

static inline void mas_lock(struct ma_state *mas)
{
	mtree_lock(mas->tree);
}

static inline void mas_unlock(struct ma_state *mas)
{
	mtree_unlock(mas->tree);
}

/** mas_pause() - call before the lock or RCU section is dropped in a loop. */
void mas_pause(struct ma_state *mas);

/* ---- Reading. Context: the tree's lock or rcu_read_lock() ---------------------- */

/** mas_walk() - entry at mas->index; [index, last] becomes its range, NULL ranges too. */
void *mas_walk(struct ma_state *mas);

/**
 * mas_find() - first call: the entry at mas->index or the first above; later ones: the next.
 * @max: last index of interest. Return: entry, NULL: none up to @max.
 */
void *mas_find(struct ma_state *mas, unsigned long max);
/** mas_find_rev() - the same downwards to @min. */
void *mas_find_rev(struct ma_state *mas, unsigned long min);
/** mas_find_range(), mas_find_range_rev() - the same, stopping at NULL ranges too. */
void *mas_find_range(struct ma_state *mas, unsigned long max);
void *mas_find_range_rev(struct ma_state *mas, unsigned long min);

/** mas_next() - the entry behind the state's range, at most at @max. mas_prev() - before it. */
void *mas_next(struct ma_state *mas, unsigned long max);
void *mas_prev(struct ma_state *mas, unsigned long min);
/** mas_next_range(), mas_prev_range() - the neighbouring range, NULL ranges too. */
void *mas_next_range(struct ma_state *mas, unsigned long max);
void *mas_prev_range(struct ma_state *mas, unsigned long min);

#define mas_for_each(mas, entry, max) while (((entry) = mas_find((mas), (max))) != NULL)

/**
 * mas_empty_area() - lowest gap of @size indexes in [@min, @max]; mas_empty_area_rev() - highest.
 * Needs MT_FLAGS_ALLOC_RANGE. On success index and last are the gap taken: the lowest
 * @size indexes of the lowest gap, or the highest of the highest.
 * Return: 0, -EINVAL (bounds or size impossible), -EBUSY (no such gap).
 */
int mas_empty_area(struct ma_state *mas, unsigned long min, unsigned long max, unsigned long size);
int mas_empty_area_rev(struct ma_state *mas, unsigned long min, unsigned long max,
		       unsigned long size);

/* ---- Writing. Context: the tree's lock ------------------------------------------ */

/**
 * mas_store_gfp() - map [index, last] to @entry (NULL: erase), allocating as needed.
 * Return: 0, -ENOMEM.
 */
int mas_store_gfp(struct ma_state *mas, void *entry, gfp_t gfp);

/**
 * mas_preallocate() - get the nodes that storing @entry over [index, last] needs, for
 * mas_store_prealloc(). Nothing may change the tree between. Return: 0, -ENOMEM.
 */
int mas_preallocate(struct ma_state *mas, void *entry, gfp_t gfp);

/** mas_store_prealloc() - the store that was prepared; cannot fail. Calls mas_destroy(). */
void mas_store_prealloc(struct ma_state *mas, void *entry);

/** mas_store() - store without sleeping. Return: the entry that was at index, or error state. */
void *mas_store(struct ma_state *mas, void *entry);

/** mas_erase() - remove the range that covers mas->index. Return: its entry or NULL. */
void *mas_erase(struct ma_state *mas);

/** mas_nomem() - after -ENOMEM: allocate what was missing with @gfp. Return: try again. */
bool mas_nomem(struct ma_state *mas, gfp_t gfp);

/** mas_destroy() - give back what was preallocated and not used. */
void mas_destroy(struct ma_state *mas);

/* ---- Inspection (compiled without hooks) ------------------------------------------ */

/** mt_validate() - the whole structure, see validate_inspect.c; vm_bug() on a fault. Lock held. */
void mt_validate(struct maple_tree *mt);
/** mt_nr_nodes() - nodes in the tree. Lock held. */
u64 mt_nr_nodes(const struct maple_tree *mt);
/** mt_dump() - the tree as indented text. Lock held. */
void mt_dump(const struct maple_tree *mt, FILE *out);

#endif
