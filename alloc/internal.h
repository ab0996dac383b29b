/* SPDX-License-Identifier: MIT */
/*
 * internal.h - what the files of this floor share.
 *
 *	struct slab		64 bytes, one line, laid over the engine's struct page
 *	struct kmem_cache_cpu	a CPU's current slab, one line, per-CPU area
 *	struct kmem_cache_node	partial slabs of a memory node, arena
 *	struct node_barn	full and empty sheaves of a memory node, arena, 48 bytes
 *	struct slab_state	caches of one machine, host memory, constant between
 *				create and destroy
 *
 * A slab is in one of these places; only the first three can be found from a list:
 *
 *	cpu slab (frozen) | cpu partial list | node partial list | full, on no list
 *
 * Its freelist and counters change only by one 16-byte exchange, or by its owner
 * before anyone else knows it. Its links belong to the list it is on: the node's
 * list_lock, or the CPU with interrupts off.
 */
#ifndef VMASIM_ALLOC_INTERNAL_H
#define VMASIM_ALLOC_INTERNAL_H

#include "alloc/slab.h"

/* ---- Slabs -------------------------------------------------------------------- */

#define SLAB_MAGIC	  0x736c6162ull /* upper half of flags while the page is a slab */
#define LARGE_MAGIC	  0x6c617267ull /* a kmalloc too large for any bucket */
#define SLAB_NODE_MASK	  0xffffull
#define SLAB_NODE_PARTIAL (1ull << 16) /* on its node's partial list; list_lock */
#define SLAB_ORDER_SHIFT  20
#define SLAB_ORDER_MASK	  (0xfull << SLAB_ORDER_SHIFT)

struct slab {
	u64 flags;
	struct kmem_cache *slab_cache; /* bit 0 clear: no tail page */
	union {
		struct list_head slab_list; /* node partial list */
		struct {
			struct slab *next; /* cpu partial list */
			u64 slabs;	   /* on it from here on */
		};
		struct rcu_head rcu_head; /* pages wait for readers */
	};
	void *freelist; /* with counters: one 16-byte pair */
	u64 counters;
	u64 *marks; /* slow checks: a bit an object in callers' hands */
	u64 unused;
};

_Static_assert(sizeof(struct slab) == sizeof(struct page), "a slab lies over its page");
_Static_assert(offsetof(struct slab, freelist) % 16 == 0, "the pair is exchanged as one");

#define COUNTER_OBJECTS_SHIFT 16
#define COUNTER_FROZEN	      (1ull << 31)

static inline u64 counters_make(unsigned inuse, unsigned objects, bool frozen)
{
	return inuse | (u64)objects << COUNTER_OBJECTS_SHIFT | (frozen ? COUNTER_FROZEN : 0);
}

static inline unsigned counters_inuse(u64 counters)
{
	return counters & 0xffff;
}

static inline unsigned counters_objects(u64 counters)
{
	return (counters >> COUNTER_OBJECTS_SHIFT) & 0x7fff;
}

static inline unsigned slab_nid(const struct slab *slab)
{
	return (unsigned)(READ_ONCE(slab->flags) & SLAB_NODE_MASK);
}

static inline unsigned slab_order(const struct slab *slab)
{
	return (unsigned)((READ_ONCE(slab->flags) & SLAB_ORDER_MASK) >> SLAB_ORDER_SHIFT);
}

static inline bool slab_is_one(const struct slab *slab)
{
	return READ_ONCE(slab->flags) >> 32 == SLAB_MAGIC;
}

/** virt_to_slab() - slab of an address in the arena; NULL: its page is none. */
static inline struct slab *virt_to_slab(const void *p)
{
	struct slab *slab = (struct slab *)virt_to_head_page(p);

	return slab_is_one(slab) ? slab : NULL;
}

static inline char *slab_address(const struct slab *slab)
{
	return (char *)page_address((const struct page *)slab);
}

/** slab_object() - the object that @p lies in. */
static inline void *slab_object(const struct kmem_cache *s, const struct slab *slab, const void *p)
{
	char *start = slab_address(slab);

	return start + (unsigned)((const char *)p - start) / s->size * s->size;
}

static inline void *get_freepointer(const struct kmem_cache *s, const void *object)
{
	return READ_ONCE(*(void **)((char *)(uintptr_t)object + s->offset));
}

static inline void set_freepointer(const struct kmem_cache *s, void *object, void *next)
{
	WRITE_ONCE(*(void **)((char *)object + s->offset), next);
}

/** slab_update_freelist() - exchange the pair; counts and returns a failure. */
static inline bool slab_update_freelist(struct kmem_cache *s, struct slab *slab, void *freelist,
					u64 counters, void *new_freelist, u64 new_counters)
{
	if (likely(cas16(&slab->freelist, (u64)(uintptr_t)freelist, counters,
			 (u64)(uintptr_t)new_freelist, new_counters)))
		return true;
	stat_add(s->index, STAT_CMPXCHG_DOUBLE_FAIL, 1);
	return false;
}

/** new_slab() - pages of @node or near it, all objects free and linked, frozen; or NULL. */
struct slab *new_slab(struct kmem_cache *s, int node, void **freelist);

/** discard_slab() - give an empty slab's pages back; TYPESAFE_BY_RCU: after a grace period. */
void discard_slab(struct kmem_cache *s, struct slab *slab);

/* ---- Node partial lists (partial.c) --------------------------------------------- */

/* The barn pointer is not on the line of the lock, as with SLUB_DEBUG in the kernel. */
struct kmem_cache_node {
	struct spinlock list_lock;
	u64 nr_partial;
	struct list_head partial;
	u64 nr_slabs;	   /* atomic */
	u64 total_objects; /* atomic */
	u64 pad[1];
	struct node_barn *barn __attribute__((aligned(CACHE_LINE)));
};

_Static_assert(sizeof(struct kmem_cache_node) == 128, "two lines");

static inline struct kmem_cache_node *get_node(const struct kmem_cache *s, unsigned node)
{
	return s->node[node];
}

/** add_partial(), remove_partial() - list_lock of @n held. */
void add_partial(struct kmem_cache_node *n, struct slab *slab, enum slab_stat where);
void remove_partial(struct kmem_cache_node *n, struct slab *slab);

/**
 * get_partial() - a slab with free objects that is then the caller's alone.
 * @node: only from there; NUMA_NO_NODE: from the CPU's node, then from others. More
 * slabs are moved to this CPU's partial list on the way. NULL: none.
 */
struct slab *get_partial(struct kmem_cache *s, int node);

/* ---- CPU slabs (cpu_slab.c) ------------------------------------------------------ */

struct kmem_cache_cpu {
	void *freelist; /* with tid: one 16-byte pair */
	u64 tid;	/* CPU number plus a multiple of tid_step, grows with each change */
	struct slab *slab;
	struct slab *partial;
	u64 cycles; /* stands for the cycle counter where the kernel draws lots */
} __attribute__((aligned(CACHE_LINE)));

/**
 * cpu_slab_exchange() - exchange freelist and tid of the CPU running now; fails
 * where the task moved since it read them, as the tid names the CPU.
 */
static inline bool cpu_slab_exchange(struct kmem_cache *s, void *freelist, u64 tid,
				     void *new_freelist)
{
	struct kmem_cache_cpu *c;
	bool done;

	preempt_disable();
	c = (struct kmem_cache_cpu *)this_cpu_ptr(s->cpu_slab);
	done = this_cpu_cas16(&c->freelist, (u64)(uintptr_t)freelist, tid,
			      (u64)(uintptr_t)new_freelist, tid + s->tid_step);
	preempt_enable();
	if (unlikely(!done))
		stat_add(s->index, STAT_CMPXCHG_DOUBLE_CPU_FAIL, 1);
	return done;
}

/** slab_alloc_slow() - the current slab has nothing on its CPU freelist. */
void *slab_alloc_slow(struct kmem_cache *s, int node);

/**
 * put_cpu_partial() - @slab, which is on no list, to this CPU's partial list.
 * @drain: a list at its limit goes to the nodes first.
 */
void put_cpu_partial(struct kmem_cache *s, struct slab *slab, bool drain);

/** flush_cpu_slab() - a CPU's slabs go back to the nodes; the CPU is stopped or this one. */
void flush_cpu_slab(struct kmem_cache *s, unsigned cpu);

/* ---- Freeing to slabs (slub_free.c, slub_alloc.c) ----------------------------------- */

/** do_slab_free() - @head..@tail are linked, @cnt objects of @slab. */
void do_slab_free(struct kmem_cache *s, struct slab *slab, void *head, void *tail, unsigned cnt);

/** slab_alloc_bulk() - past the sheaves. Return: @size, or 0 and none allocated. */
unsigned slab_alloc_bulk(struct kmem_cache *s, gfp_t gfp, size_t size, void **p);

/** slab_free_bulk() - past the sheaves; reorders @p. */
void slab_free_bulk(struct kmem_cache *s, size_t size, void **p);

/* ---- Barns (barn.c) ------------------------------------------------------------------ */

struct node_barn {
	struct spinlock lock;
	struct list_head sheaves_full;
	struct list_head sheaves_empty;
	unsigned nr_full;
	unsigned nr_empty;
} __attribute__((aligned(16)));

_Static_assert(sizeof(struct node_barn) == 48, "a barn fits in one line");

void barn_init(struct node_barn *barn);
struct node_barn *get_barn(const struct kmem_cache *s);
struct slab_sheaf *barn_get_empty_sheaf(struct node_barn *barn);
struct slab_sheaf *barn_get_full_or_empty_sheaf(struct node_barn *barn);
void barn_put_empty_sheaf(struct node_barn *barn, struct slab_sheaf *sheaf);
void barn_put_full_sheaf(struct node_barn *barn, struct slab_sheaf *sheaf);

/** barn_replace_empty_sheaf() - a full sheaf for @empty, or NULL and @empty stays. */
struct slab_sheaf *barn_replace_empty_sheaf(struct node_barn *barn, struct slab_sheaf *empty);

/**
 * barn_replace_full_sheaf() - an empty sheaf for @full.
 * Return: 0 and *@empty; -E2BIG: the barn has @max_full or more; -ENOMEM: no empty one.
 */
int barn_replace_full_sheaf(struct node_barn *barn, struct slab_sheaf *full, unsigned max_full,
			    struct slab_sheaf **empty);

/** barn_shrink() - flush and free every sheaf of the barn. */
void barn_shrink(struct kmem_cache *s, struct node_barn *barn);

/* ---- Sheaves (sheaf.c, pcs.c, objects.c) ----------------------------------------------- */

enum { PCS_BATCH_MAX = 32 };

struct slab_sheaf *alloc_empty_sheaf(struct kmem_cache *s, gfp_t gfp);
void free_empty_sheaf(struct kmem_cache *s, struct slab_sheaf *sheaf);

/** refill_sheaf() - up to the capacity. 0, or -ENOMEM and unchanged. */
int refill_sheaf(struct kmem_cache *s, struct slab_sheaf *sheaf, gfp_t gfp);

/** sheaf_flush_unused() - all objects to their slabs; the sheaf is the caller's alone. */
void sheaf_flush_unused(struct kmem_cache *s, struct slab_sheaf *sheaf);

/** sheaf_flush_main() - this CPU's main sheaf, in batches. false: lock not got. */
bool sheaf_flush_main(struct kmem_cache *s);

/* Where a full sheaf goes when the lock was dropped to fill it; pcs locked. */
struct slub_percpu_sheaves *pcs_install_full_sheaf(struct kmem_cache *s,
						   struct slub_percpu_sheaves *pcs,
						   struct slab_sheaf *full,
						   struct node_barn *barn);
void pcs_install_empty_sheaf(struct kmem_cache *s, struct slub_percpu_sheaves *pcs,
			     struct slab_sheaf *empty, struct node_barn *barn);

/** pcs_flush_stopped() - flush all sheaves of a CPU that is stopped or this one. */
void pcs_flush_stopped(struct kmem_cache *s, unsigned cpu);

/** pcs_submit_rcu_free() - hand its rcu_free sheaf to RCU, not to come back as a sheaf. */
void pcs_submit_rcu_free(struct kmem_cache *s, unsigned cpu);

/* ---- kmalloc (kmalloc.c) ------------------------------------------------------------------ */

enum { NR_KMALLOC = 13 };

extern const unsigned kmalloc_sizes[NR_KMALLOC];

/** kmalloc_any() - as kzalloc(), also above 8 KiB; kfree() frees it. */
void *kzalloc_any(size_t size, gfp_t gfp);

/* ---- Machine state (cache.c, boot.c) -------------------------------------------------------- */

enum { SLAB_STATE_SLOT = NR_KMEM_CACHES };

/* A node's fixed places for what each cache keeps a node; indexed as the counters are. */
struct node_area {
	struct kmem_cache_node node[MACHINE_MAX_CACHES];
	struct {
		struct node_barn barn;
		u64 pad[2];
	} barn[MACHINE_MAX_CACHES];
};

struct slab_state {
	struct policy policy;
	struct kmem_cache *cache[MACHINE_MAX_CACHES];
	struct kmem_cache *kmalloc[NR_KMALLOC];
	struct page *node_page[MACHINE_MAX_NODES];
	slab_fault_fn *fault_handler;
};

static inline struct slab_state *slab_state(void)
{
	return (struct slab_state *)machine_slot(SLAB_STATE_SLOT);
}

/** cache_create() - at a given counter index; kmem_cache_create() without the choice. */
struct kmem_cache *cache_create(unsigned index, const char *name, unsigned size,
				const struct kmem_cache_args *args, slab_flags_t flags);

/** cache_flush_all() - CPU slabs and sheaves of every CPU, barns; no task runs. */
void cache_flush_all(struct kmem_cache *s);

/* ---- Reports (fault_inspect.c, walk_inspect.c) ----------------------------------- */

/** slab_fault() - report a misuse of @s: to the handler, or to stderr and abort(). */
void slab_fault(const struct kmem_cache *s, const void *object, const char *what) __cold;

/** cache_report_live() - report every live object on stderr or to the handler; how many. */
u64 cache_report_live(struct kmem_cache *s);

/** cache_release_slabs() - give back all slabs, live objects or not. */
void cache_release_slabs(struct kmem_cache *s);

#ifdef VMASIM_SLOW_CHECKS
void slab_marks_create(struct kmem_cache *s, struct slab *slab);
void slab_marks_destroy(struct slab *slab);
#else
static inline void slab_marks_create(struct kmem_cache *s, struct slab *slab)
{
	(void)s;
	(void)slab;
}

static inline void slab_marks_destroy(struct slab *slab)
{
	(void)slab;
}
#endif

#endif
