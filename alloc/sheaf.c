/* SPDX-License-Identifier: MIT */
/*
 * sheaf.c - making, filling and emptying sheaves.
 *
 * A sheaf is itself a kmalloc object. Objects move between sheaves and slabs by
 * the bulk paths below the sheaves, so a refill may be served by the cpu slab and
 * a flush may end there.
 *
 * Context: any, without the CPU's sheaf lock.
 */
#include "alloc/internal.h"

struct slab_sheaf *alloc_empty_sheaf(struct kmem_cache *s, gfp_t gfp)
{
	size_t bytes = sizeof(struct slab_sheaf) + s->sheaf_capacity * sizeof(void *);
	struct slab_sheaf *sheaf = kzalloc_any(bytes, gfp);

	if (!sheaf)
		return NULL;
	sheaf->cache = s;
	stat_add(s->index, STAT_SHEAF_ALLOC, 1);
	return sheaf;
}

void free_empty_sheaf(struct kmem_cache *s, struct slab_sheaf *sheaf)
{
	vm_assert(!sheaf->size);
	kfree(sheaf);
	stat_add(s->index, STAT_SHEAF_FREE, 1);
}

int refill_sheaf(struct kmem_cache *s, struct slab_sheaf *sheaf, gfp_t gfp)
{
	unsigned want = s->sheaf_capacity - sheaf->size;

	if (!want)
		return 0;
	if (!slab_alloc_bulk(s, gfp, want, sheaf->objects + sheaf->size))
		return -ENOMEM;
	sheaf->size = s->sheaf_capacity;
	stat_add(s->index, STAT_SHEAF_REFILL, want);
	return 0;
}

void sheaf_flush_unused(struct kmem_cache *s, struct slab_sheaf *sheaf)
{
	if (!sheaf->size)
		return;
	stat_add(s->index, STAT_SHEAF_FLUSH, sheaf->size);
	slab_free_bulk(s, sheaf->size, sheaf->objects);
	sheaf->size = 0;
}

/* Take up to PCS_BATCH_MAX objects off the main sheaf; -EAGAIN: lock not got. */
static int take_batch(struct kmem_cache *s, void **objects, unsigned *left)
{
	struct slub_percpu_sheaves *pcs = pcs_trylock(s);
	unsigned batch;

	if (!pcs)
		return -EAGAIN;
	batch = min((unsigned)PCS_BATCH_MAX, pcs->main->size);
	pcs->main->size -= batch;
	*left = pcs->main->size;
	mem_copy(objects, pcs->main->objects + *left, batch * sizeof(void *));
	pcs_unlock(pcs);
	return (int)batch;
}

bool sheaf_flush_main(struct kmem_cache *s)
{
	void *objects[PCS_BATCH_MAX];
	bool flushed = false;
	unsigned left;

	do {
		int batch = take_batch(s, objects, &left);

		if (batch < 0)
			break;
		slab_free_bulk(s, (size_t)batch, objects);
		stat_add(s->index, STAT_SHEAF_FLUSH, (u64)batch);
		flushed = true;
	} while (left);
	return flushed;
}

/* ---- CPUs that are stopped ---- */

void pcs_flush_stopped(struct kmem_cache *s, unsigned cpu)
{
	struct slub_percpu_sheaves *pcs =
		(struct slub_percpu_sheaves *)per_cpu_ptr(s->cpu_sheaves, cpu);
	struct slab_sheaf *spare = pcs->spare;

	pcs->spare = NULL;
	if (spare) {
		sheaf_flush_unused(s, spare);
		free_empty_sheaf(s, spare);
	}
	pcs_submit_rcu_free(s, cpu);
	sheaf_flush_unused(s, pcs->main);
}
