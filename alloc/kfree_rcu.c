/* SPDX-License-Identifier: MIT */
/*
 * kfree_rcu.c - objects that are freed after a grace period, a sheaf at a time.
 *
 *	kfree_rcu() --> rcu_free sheaf --(full)--> call_rcu --> barn of the node
 *							    \-> slabs, barn has enough
 *
 * One callback serves a whole sheaf, by the rcu_head inside it. A sheaf that is not
 * full has no timer: it waits for more objects, a flush or a barrier. Where no
 * sheaf can be had the object's own rcu_head is queued.
 *
 * Context: any but inside a holder of the CPU's sheaf lock; callbacks run on the
 * CPU that queued them.
 */
#include "alloc/internal.h"

/* ---- Callbacks --------------------------------------------------------------------- */

static void rcu_free_sheaf(struct rcu_head *head)
{
	struct slab_sheaf *sheaf = container_of(head, struct slab_sheaf, rcu_head);
	struct kmem_cache *s = sheaf->cache;
	struct node_barn *barn = get_node(s, (unsigned)sheaf->node)->barn;

	if (READ_ONCE(barn->nr_full) < s->barn_max_full) {
		stat_add(s->index, STAT_BARN_PUT, 1);
		barn_put_full_sheaf(barn, sheaf);
		return;
	}
	stat_add(s->index, STAT_BARN_PUT_FAIL, 1);
	sheaf_flush_unused(s, sheaf);
	if (READ_ONCE(barn->nr_empty) < s->barn_max_empty)
		barn_put_empty_sheaf(barn, sheaf);
	else
		free_empty_sheaf(s, sheaf);
}

static void rcu_free_sheaf_nobarn(struct rcu_head *head)
{
	struct slab_sheaf *sheaf = container_of(head, struct slab_sheaf, rcu_head);
	struct kmem_cache *s = sheaf->cache;

	sheaf_flush_unused(s, sheaf);
	free_empty_sheaf(s, sheaf);
}

/* @head lies anywhere in the object: the slab knows its cache and where it starts. */
static void rcu_free_object(struct rcu_head *head)
{
	struct slab *slab = virt_to_slab(head);
	struct kmem_cache *s = slab->slab_cache;

	slab_free(s, slab_object(s, slab, head));
}

/* ---- Queueing ------------------------------------------------------------------------- */

/* Give @pcs an rcu_free sheaf without dropping the lock. */
static bool take_rcu_sheaf(struct kmem_cache *s, struct slub_percpu_sheaves *pcs)
{
	if (pcs->rcu_free)
		return true;
	if (pcs->spare && !pcs->spare->size) {
		pcs->rcu_free = pcs->spare;
		pcs->spare = NULL;
		return true;
	}
	pcs->rcu_free = barn_get_empty_sheaf(get_barn(s));
	return pcs->rcu_free != NULL;
}

/* The same by allocation; drops the lock and takes it again. */
static struct slub_percpu_sheaves *make_rcu_sheaf(struct kmem_cache *s,
						  struct slub_percpu_sheaves *pcs)
{
	struct slab_sheaf *empty;

	pcs_unlock(pcs);
	empty = alloc_empty_sheaf(s, GFP_NOWAIT);
	if (!empty)
		return NULL;
	pcs = pcs_trylock(s);
	if (!pcs || pcs->rcu_free)
		barn_put_empty_sheaf(get_barn(s), empty);
	else
		pcs->rcu_free = empty;
	return pcs;
}

/* Submitted before the lock is dropped, so that a flush of this CPU can't miss it. */
static void push_rcu_free(struct kmem_cache *s, struct slub_percpu_sheaves *pcs, void *object)
{
	struct slab_sheaf *sheaf = pcs->rcu_free;

	sheaf->objects[sheaf->size++] = object;
	if (sheaf->size < s->sheaf_capacity)
		return;
	pcs->rcu_free = NULL;
	sheaf->node = (int)numa_node_id();
	call_rcu(&sheaf->rcu_head, rcu_free_sheaf);
}

static bool kfree_rcu_sheaf(struct kmem_cache *s, void *object)
{
	struct slub_percpu_sheaves *pcs = pcs_trylock(s);

	if (likely(pcs) && unlikely(!take_rcu_sheaf(s, pcs)))
		pcs = make_rcu_sheaf(s, pcs);
	if (unlikely(!pcs)) {
		stat_add(s->index, STAT_FREE_RCU_SHEAF_FAIL, 1);
		return false;
	}
	push_rcu_free(s, pcs, object);
	pcs_unlock(pcs);
	stat_add(s->index, STAT_FREE_RCU_SHEAF, 1);
	return true;
}

/* ---- The face ------------------------------------------------------------------------------ */

bool kmem_cache_frees_by_sheaf(const struct kmem_cache *s)
{
	return s->frees_by_sheaf;
}

void kvfree_call_rcu(struct rcu_head *head, void *ptr)
{
	struct slab *slab = in_arena(ptr) ? virt_to_slab(ptr) : NULL;
	struct kmem_cache *s;

	if (unlikely(!slab)) {
		slab_fault_foreign(NULL, ptr);
		return;
	}
	s = slab->slab_cache;
	if (!slab_mark_free(s, ptr))
		return;
	if (s->frees_by_sheaf && slab_nid(slab) == numa_node_id() && kfree_rcu_sheaf(s, ptr))
		return;
	call_rcu(head, rcu_free_object);
}

void pcs_submit_rcu_free(struct kmem_cache *s, unsigned cpu)
{
	struct slub_percpu_sheaves *pcs =
		(struct slub_percpu_sheaves *)per_cpu_ptr(s->cpu_sheaves, cpu);
	struct slab_sheaf *sheaf = pcs->rcu_free;

	if (!sheaf)
		return;
	pcs->rcu_free = NULL;
	call_rcu(&sheaf->rcu_head, rcu_free_sheaf_nobarn);
}

void kvfree_rcu_barrier(void)
{
	struct slab_state *state = slab_state();

	for (unsigned i = 0; i < MACHINE_MAX_CACHES; i++) {
		struct kmem_cache *s = state->cache[i];

		if (!s || !s->sheaf_capacity)
			continue;
		for (unsigned cpu = 0; cpu < nr_cpus(); cpu++)
			pcs_submit_rcu_free(s, cpu);
	}
	rcu_barrier();
}
