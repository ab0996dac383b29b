/* SPDX-License-Identifier: MIT */
/*
 * walk_inspect.h - every object of a cache with the place it was found in.
 */
#ifndef VMASIM_ALLOC_WALK_INSPECT_H
#define VMASIM_ALLOC_WALK_INSPECT_H

#include "alloc/internal.h"

enum object_place {
	OBJECT_LIVE, /* on no list: a caller's, or in RCU's hands */
	OBJECT_ON_SLAB,
	OBJECT_ON_CPU_SLAB,
	OBJECT_IN_SHEAF,
	OBJECT_IN_RCU_SHEAF,
};

struct walked_slab {
	struct slab *slab;
	unsigned objects;
	u8 *place;   /* enum object_place of each object */
	u8 lists;    /* times found as cpu slab, on a cpu partial or a node partial list */
};

struct cache_walk {
	struct kmem_cache *s;
	struct walked_slab *slab; /* ascending by address */
	size_t nr, room;
	u64 cpu_slabs, cpu_partial_nr, node_partial;
	u64 count[OBJECT_IN_RCU_SHEAF + 1];
};

/** cache_walk() - find every slab and object; vm_bug() where two lists hold one. */
void cache_walk(struct kmem_cache *s, struct cache_walk *walk);
void cache_walk_free(struct cache_walk *walk);

#endif
