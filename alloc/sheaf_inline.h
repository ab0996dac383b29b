/* SPDX-License-Identifier: MIT */
/*
 * sheaf_inline.h - the sheaf fast path, inline, and the structs it looks into.
 *
 * A sheaf is an array of free objects. Each CPU has up to three a cache:
 *
 *	main	 allocated from and freed to; never NULL while unlocked
 *	spare	 full, empty or (given back by a prefill) in between; may be NULL
 *	rcu_free collects objects of kfree_rcu(); may be NULL
 *
 * The CPU's local_trylock guards them. It is no atomic: it fails only for a callback
 * that interrupted a holder on the same CPU, which then goes to the slab. The fast
 * paths touch the CPU's own lines and the sheaf, neither object nor slab.
 *
 * Nothing here is for callers but kmem_cache_alloc() and kmem_cache_free().
 */
#ifndef VMASIM_ALLOC_SHEAF_INLINE_H
#define VMASIM_ALLOC_SHEAF_INLINE_H

#define NUMA_NO_NODE (-1)

struct node_barn;
struct kmem_cache_node;

/* 32 bytes and the array. Who uses the first 16 depends on where the sheaf is. */
struct slab_sheaf {
	union {
		struct rcu_head rcu_head;   /* waiting for a grace period */
		struct list_head barn_list; /* in a barn */
		unsigned capacity;	    /* lent to a caller by prefill */
	};
	struct kmem_cache *cache;
	unsigned size; /* objects held */
	int node;      /* rcu sheaves: where it was submitted */
	void *objects[];
};

/* 32 bytes on a line of their own, one a cache and CPU. */
struct slub_percpu_sheaves {
	struct local_trylock lock;
	struct slab_sheaf *main;
	struct slab_sheaf *spare;
	struct slab_sheaf *rcu_free;
};

/* Constant while tasks run, so host memory; all that changes lies in the arena. */
struct kmem_cache {
	unsigned sheaf_capacity; /* 0: no sheaves, cpu_sheaves is not valid */
	percpu_t cpu_sheaves;	 /* struct slub_percpu_sheaves */
	percpu_t cpu_slab;	 /* struct kmem_cache_cpu */
	unsigned index;		 /* of its counters */
	bool check_node;	 /* the machine has more than one memory node */
	bool frees_by_sheaf;
	unsigned object_size; /* what the user asked for */
	unsigned size;	      /* what an object takes */
	unsigned offset;      /* of the link in a free object */
	slab_flags_t flags;
	u64 tid_step;
	unsigned order, min_order, objects;
	unsigned cpu_partial, cpu_partial_slabs, min_partial, remote_ratio;
	unsigned barn_max_full, barn_max_empty;
	unsigned nr_nodes;
	struct kmem_cache_node *node[MACHINE_MAX_NODES];
	char name[32];
	struct object_type type;
	u64 stat_base[NR_SLAB_STATS]; /* counts left by an earlier user of the index */
};

/* ---- Slow halves (pcs.c, objects.c) ---------------------------------------- */

struct slub_percpu_sheaves *__pcs_replace_empty_main(struct kmem_cache *s,
						     struct slub_percpu_sheaves *pcs, gfp_t gfp);
struct slub_percpu_sheaves *__pcs_replace_full_main(struct kmem_cache *s,
						    struct slub_percpu_sheaves *pcs);
void *slab_alloc_node(struct kmem_cache *s, gfp_t gfp, int node);
void slab_free_to_slab(struct kmem_cache *s, void *object);
bool object_is_local(const void *object);
void slab_fault_foreign(const struct kmem_cache *s, const void *object) __cold;

/* Who holds which object, kept where VMASIM_SLOW_CHECKS is defined (marks_inspect.c). */
#ifdef VMASIM_SLOW_CHECKS
void slab_mark_alloc(struct kmem_cache *s, void *object);
bool slab_mark_free(struct kmem_cache *s, const void *object);
#else
static always_inline void slab_mark_alloc(struct kmem_cache *s, void *object)
{
	(void)s;
	(void)object;
}

static always_inline bool slab_mark_free(struct kmem_cache *s, const void *object)
{
	(void)s;
	(void)object;
	return true;
}
#endif

/* ---- The lock --------------------------------------------------------------- */

/** pcs_trylock() - lock this CPU's sheaves; the task stays on the CPU until pcs_unlock(). */
static always_inline struct slub_percpu_sheaves *pcs_trylock(const struct kmem_cache *s)
{
	struct slub_percpu_sheaves *pcs;

	preempt_disable();
	pcs = (struct slub_percpu_sheaves *)this_cpu_ptr(s->cpu_sheaves);
	if (likely(local_trylock(&pcs->lock)))
		return pcs;
	preempt_enable();
	return NULL;
}

static always_inline void pcs_unlock(struct slub_percpu_sheaves *pcs)
{
	local_unlock(&pcs->lock);
	preempt_enable();
}

/* ---- Fast paths --------------------------------------------------------------- */

/** alloc_from_pcs() - pop the last object of the main sheaf; NULL: ask the slab. */
static always_inline void *alloc_from_pcs(struct kmem_cache *s, gfp_t gfp)
{
	struct slub_percpu_sheaves *pcs = pcs_trylock(s);
	void *object;

	if (unlikely(!pcs))
		return NULL;
	if (unlikely(!pcs->main->size)) {
		pcs = __pcs_replace_empty_main(s, pcs, gfp);
		if (!pcs)
			return NULL;
	}
	object = pcs->main->objects[--pcs->main->size];
	pcs_unlock(pcs);
	stat_add(s->index, STAT_ALLOC_CPU_SHEAF, 1);
	return object;
}

/** free_to_pcs() - push @object to the main sheaf; false: give it to the slab. */
static always_inline bool free_to_pcs(struct kmem_cache *s, void *object)
{
	struct slub_percpu_sheaves *pcs = pcs_trylock(s);

	if (unlikely(!pcs))
		return false;
	if (unlikely(pcs->main->size == s->sheaf_capacity)) {
		pcs = __pcs_replace_full_main(s, pcs);
		if (!pcs)
			return false;
	}
	pcs->main->objects[pcs->main->size++] = object;
	pcs_unlock(pcs);
	stat_add(s->index, STAT_FREE_CPU_SHEAF, 1);
	return true;
}

/** slab_free() - free without looking whether the caller may: sheaf first, then slab. */
static always_inline void slab_free(struct kmem_cache *s, void *object)
{
	if (likely(s->sheaf_capacity) && (!s->check_node || object_is_local(object)) &&
	    likely(free_to_pcs(s, object)))
		return;
	slab_free_to_slab(s, object);
}

/* ---- The face ------------------------------------------------------------------ */

static always_inline void *kmem_cache_alloc(struct kmem_cache *s, gfp_t gfp)
{
	void *object = NULL;

	if (likely(s->sheaf_capacity))
		object = alloc_from_pcs(s, gfp);
	if (unlikely(!object)) {
		object = slab_alloc_node(s, gfp, NUMA_NO_NODE);
		if (!object)
			return NULL;
	}
	slab_mark_alloc(s, object);
	if (unlikely(gfp & __GFP_ZERO))
		mem_zero(object, s->object_size);
	return object;
}

static always_inline void kmem_cache_free(struct kmem_cache *s, void *object)
{
	if (unlikely(!in_arena(object))) {
		slab_fault_foreign(s, object);
		return;
	}
	if (likely(slab_mark_free(s, object)))
		slab_free(s, object);
}

#endif
