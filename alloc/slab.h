/* SPDX-License-Identifier: MIT */
/*
 * slab.h - the face of the allocator: slab caches with per-CPU sheaves.
 *
 * Names, argument order and meaning are the kernel's. All calls act on the
 * current machine (engine.h). Objects live in the engine's arena. Everything
 * here may be called from RCU callbacks except create, destroy and shrink.
 */
#ifndef VMASIM_ALLOC_SLAB_H
#define VMASIM_ALLOC_SLAB_H

#include "engine/engine.h"

struct kmem_cache;
struct slab_sheaf;

typedef unsigned gfp_t;
enum {
	GFP_NOWAIT = 0x1,  /* never waits: no oversize array's pages by waiting */
	GFP_KERNEL = 0x3,  /* may wait */
	__GFP_ZERO = 0x10, /* zero the object */
};

typedef unsigned slab_flags_t;
enum {
	SLAB_TYPESAFE_BY_RCU = 0x1, /* free pointer lies behind the object */
};

struct kmem_cache_args {
	unsigned align;		 /* 0: 8 */
	int sheaf_capacity;	 /* wanted objects a sheaf, before the policy; 0: none */
	unsigned freeptr_offset; /* with use_freeptr_offset: where free objects keep the link */
	bool use_freeptr_offset;
	const struct object_type *type; /* fields for attribution; NULL: name and size only */
	const struct cache_policy *policy; /* overrides; NULL: all defaults */
};

/* ---- The kernel's set of caches ------------------------------------------- */

/**
 * slab_boot() - create the caches of names.h and the kmalloc buckets (8 bytes to 8 KiB,
 * powers of two and 96, 192) on the current machine, by @policy. Boot CPU.
 * Sizes and wanted sheaf capacities are those of 6.18: maple_node 256 and vm_area_struct
 * 192 with 32, anon_vma 96 (104 with its link) and anon_vma_chain 64 without; whether
 * sheaves are used at all is @policy->sheaves. maple_node is 256-aligned, anon_vma and
 * vm_area_struct are SLAB_TYPESAFE_BY_RCU.
 */
int slab_boot(const struct policy *policy, struct message *msg);

/**
 * slab_shutdown() - flush every CPU, wait for RCU, destroy all caches. Boot CPU.
 * Return: live objects found (reported on stderr by cache, slab and object); 0 is clean.
 */
u64 slab_shutdown(void);

/** kernel_cache() - a cache of names.h on the current machine. */
static inline struct kmem_cache *kernel_cache(enum kmem_cache_id id)
{
	return (struct kmem_cache *)machine_slot(id);
}

/* ---- Objects -------------------------------------------------------------- */

/** kmem_cache_create() - a new cache; @name is copied. NULL: too many caches or no memory. */
struct kmem_cache *kmem_cache_create(const char *name, unsigned size,
				     const struct kmem_cache_args *args, slab_flags_t flags);

/** kmem_cache_describe() - name the fields of a cache's objects, for attribution. Boot CPU. */
void kmem_cache_describe(struct kmem_cache *s, const struct object_type *type);

/** kmem_cache_destroy() - waits for RCU, reports what is still live. Return: live objects. */
u64 kmem_cache_destroy(struct kmem_cache *s);

/*
 * kmem_cache_alloc() and kmem_cache_free() are inline on the sheaf fast path
 * (alloc/sheaf_inline.h): no call, no atomic.
 *
 * void *kmem_cache_alloc(struct kmem_cache *s, gfp_t gfp);       NULL: arena full
 * void kmem_cache_free(struct kmem_cache *s, void *object);
 */

/** kmem_cache_alloc_node() - from @node if it can be had, else elsewhere. */
void *kmem_cache_alloc_node(struct kmem_cache *s, gfp_t gfp, int node);

/** kmem_cache_alloc_bulk() - @size objects into @p. Return: @size, or 0 and none allocated. */
unsigned kmem_cache_alloc_bulk(struct kmem_cache *s, gfp_t gfp, size_t size, void **p);

/** kmem_cache_free_bulk() - free @size objects of one cache. */
void kmem_cache_free_bulk(struct kmem_cache *s, size_t size, void **p);

/* ---- Prefilled sheaves (what the maple tree uses) -------------------------- */

/** kmem_cache_prefill_sheaf() - a sheaf with at least @size objects, lent to the caller. */
struct slab_sheaf *kmem_cache_prefill_sheaf(struct kmem_cache *s, gfp_t gfp, unsigned size);

/** kmem_cache_refill_sheaf() - make *@sheaf hold at least @size; may replace it. 0 or -ENOMEM. */
int kmem_cache_refill_sheaf(struct kmem_cache *s, gfp_t gfp, struct slab_sheaf **sheaf,
			    unsigned size);

/** kmem_cache_alloc_from_sheaf() - pop one; NULL when it is empty, never falls back. */
void *kmem_cache_alloc_from_sheaf(struct kmem_cache *s, gfp_t gfp, struct slab_sheaf *sheaf);

/** kmem_cache_return_sheaf() - give it back with what it still holds. */
void kmem_cache_return_sheaf(struct kmem_cache *s, gfp_t gfp, struct slab_sheaf *sheaf);

unsigned kmem_cache_sheaf_size(const struct slab_sheaf *sheaf);

/** kmem_cache_has_sheaves() - false in V0 and in caches without. */
bool kmem_cache_has_sheaves(const struct kmem_cache *s);

/* ---- RCU ------------------------------------------------------------------ */

/** kmem_cache_frees_by_sheaf() - policy `free=kfree_rcu-sheaf` and the cache has sheaves. */
bool kmem_cache_frees_by_sheaf(const struct kmem_cache *s);

/**
 * kvfree_call_rcu() - free the slab object @ptr after a grace period: into the
 * rcu_free sheaf of its cache, or where there is none by a callback at @head.
 */
void kvfree_call_rcu(struct rcu_head *head, void *ptr);
#define kfree_rcu(ptr, member) kvfree_call_rcu(&(ptr)->member, (ptr))

/** kvfree_rcu_barrier() - submit every CPU's rcu_free sheaves and wait. Boot CPU. */
void kvfree_rcu_barrier(void);

/* ---- kmalloc --------------------------------------------------------------- */

/** kmalloc() - at most 8 KiB. NULL: too large or no memory. */
void *kmalloc(size_t size, gfp_t gfp);
void *kzalloc(size_t size, gfp_t gfp);
void kfree(const void *object);

/* ---- Inspection (compiled without hooks) ----------------------------------- */

struct slab_info {
	const char *name;
	unsigned object_size, size, order, objects_per_slab;
	unsigned sheaf_capacity, cpu_partial, cpu_partial_slabs, min_partial;
	u64 slabs, objects_total;
	u64 live;	     /* in callers' hands, RCU in flight included */
	u64 in_sheaves;	     /* main, spare, barns */
	u64 in_rcu_sheaves;  /* rcu_free sheaves not yet submitted */
	u64 cpu_slabs, cpu_partial_nr, node_partial;
	u64 stats[NR_SLAB_STATS];
};

/** kmem_cache_info() - exact while no task runs. */
void kmem_cache_info(struct kmem_cache *s, struct slab_info *info);

/** kmem_cache_validate() - walk every list of the cache; vm_bug() on a fault. No task runs. */
void kmem_cache_validate(struct kmem_cache *s);

/** slab_validate_all(), slab_nr_caches(), slab_cache_at() - the same over all caches. */
void slab_validate_all(void);
unsigned slab_nr_caches(void);
struct kmem_cache *slab_cache_at(unsigned index);

/** kmem_cache_shrink() - flush CPUs and barns, free empty slabs. Boot CPU, no task runs. */
void kmem_cache_shrink(struct kmem_cache *s);

/** slab_report_fault() hook: reports go to stderr, then abort(), unless a test replaces it. */
typedef void slab_fault_fn(const char *report);
void slab_set_fault_handler(slab_fault_fn *handler);

#include "alloc/sheaf_inline.h"

#endif
