/* SPDX-License-Identifier: MIT */
/*
 * slab_pages.c - slabs from the page allocator and back.
 *
 * A new slab has its objects linked in address order and counts as frozen with
 * all objects in use: its freelist is handed to the CPU that asked, apart from
 * the slab. Nobody else knows the slab yet, so plain stores do.
 *
 * Context: any, interrupts on or off; takes the zone's lock inside.
 */
#include "alloc/internal.h"

static void *link_objects(struct kmem_cache *s, struct slab *slab, unsigned objects)
{
	char *start = slab_address(slab);

	for (unsigned i = 0; i < objects; i++) {
		char *object = start + (size_t)i * s->size;

		set_freepointer(s, object, i + 1 < objects ? object + s->size : NULL);
	}
	return start;
}

static struct page *slab_pages(struct kmem_cache *s, unsigned node, unsigned *order)
{
	struct page *page = page_alloc(node, s->order, &s->type);

	*order = s->order;
	if (page || s->order == s->min_order)
		return page;
	*order = s->min_order;
	page = page_alloc(node, s->min_order, &s->type);
	if (page)
		stat_add(s->index, STAT_ORDER_FALLBACK, 1);
	return page;
}

struct slab *new_slab(struct kmem_cache *s, int node, void **freelist)
{
	unsigned wanted = node == NUMA_NO_NODE ? numa_node_id() : (unsigned)node;
	unsigned order, objects, nid;
	struct page *page = slab_pages(s, wanted, &order);
	struct slab *slab = (struct slab *)page;
	struct kmem_cache_node *n;

	if (!page)
		return NULL;
	nid = page_to_node(page);
	objects = (unsigned)((PAGE_SIZE << order) / s->size);
	WRITE_ONCE(slab->flags, SLAB_MAGIC << 32 | (u64)order << SLAB_ORDER_SHIFT | nid);
	slab->slab_cache = s;
	WRITE_ONCE(slab->freelist, NULL);
	WRITE_ONCE(slab->counters, counters_make(objects, objects, true));
	slab_marks_create(s, slab);
	*freelist = link_objects(s, slab, objects);
	n = get_node(s, nid);
	atomic_add_return(&n->nr_slabs, 1);
	atomic_add_return(&n->total_objects, objects);
	stat_add(s->index, STAT_ALLOC_SLAB, 1);
	return slab;
}

/* The page allocator keeps the order and clears nothing but tail words. */
static void free_slab_pages(struct slab *slab)
{
	unsigned order = slab_order(slab);

	WRITE_ONCE(slab->flags, 0);
	slab->slab_cache = NULL;
	page_free((struct page *)slab, order);
}

static void rcu_free_slab(struct rcu_head *head)
{
	free_slab_pages(container_of(head, struct slab, rcu_head));
}

void discard_slab(struct kmem_cache *s, struct slab *slab)
{
	struct kmem_cache_node *n = get_node(s, slab_nid(slab));

	atomic_add_return(&n->nr_slabs, (u64)-1);
	atomic_add_return(&n->total_objects,
			  (u64)-(s64)counters_objects(READ_ONCE(slab->counters)));
	stat_add(s->index, STAT_FREE_SLAB, 1);
	slab_marks_destroy(slab);
	if (!(s->flags & SLAB_TYPESAFE_BY_RCU)) {
		free_slab_pages(slab);
		return;
	}
	/* Readers may still look at objects; the page is no slab any more. */
	WRITE_ONCE(slab->flags, READ_ONCE(slab->flags) & SLAB_ORDER_MASK);
	call_rcu(&slab->rcu_head, rcu_free_slab);
}
