/* SPDX-License-Identifier: MIT */
/*
 * slub_alloc.c - objects straight from slabs, one or many.
 *
 * The single fast path pops the CPU's freelist by one 16-byte exchange that has
 * no lock prefix: it races with this CPU's callbacks only. The bulk path keeps
 * interrupts off while it pops.
 *
 * Context: any. Progress: a failed exchange means this CPU's other user advanced.
 */
#include "alloc/internal.h"

static struct kmem_cache_cpu *this_cpu_slab(struct kmem_cache *s)
{
	return (struct kmem_cache_cpu *)this_cpu_ptr(s->cpu_slab);
}

void *slab_alloc_node(struct kmem_cache *s, gfp_t gfp, int node)
{
	(void)gfp;
	for (;;) {
		struct kmem_cache_cpu *c = this_cpu_slab(s);
		u64 tid = READ_ONCE(c->tid);
		void *object = READ_ONCE(c->freelist);
		struct slab *slab = READ_ONCE(c->slab);
		void *next;

		if (unlikely(!object || !slab ||
			     (node != NUMA_NO_NODE && slab_nid(slab) != (unsigned)node)))
			return slab_alloc_slow(s, node);
		next = get_freepointer(s, object);
		if (unlikely(!cpu_slab_exchange(s, object, tid, next)))
			continue;
		if (next)
			__builtin_prefetch((char *)next + s->offset, 1);
		stat_add(s->index, STAT_ALLOC_FASTPATH, 1);
		return object;
	}
}

/* Pop up to @size objects of the CPU's freelist. */
static size_t drain_cpu_freelist(struct kmem_cache *s, size_t size, void **p)
{
	struct kmem_cache_cpu *c;
	irqflags_t flags;
	size_t nr = 0;

	local_irq_save(flags);
	c = this_cpu_slab(s);
	for (void *object = c->freelist; object && nr < size; object = c->freelist) {
		c->freelist = get_freepointer(s, object);
		p[nr++] = object;
	}
	if (nr)
		c->tid += s->tid_step;
	local_irq_restore(flags);
	stat_add(s->index, STAT_ALLOC_FASTPATH, nr);
	return nr;
}

unsigned slab_alloc_bulk(struct kmem_cache *s, gfp_t gfp, size_t size, void **p)
{
	size_t nr = 0;

	(void)gfp;
	while (nr < size) {
		nr += drain_cpu_freelist(s, size - nr, p + nr);
		if (nr == size)
			break;
		p[nr] = slab_alloc_slow(s, NUMA_NO_NODE);
		if (!p[nr]) {
			slab_free_bulk(s, nr, p);
			return 0;
		}
		nr++;
	}
	return (unsigned)size;
}
