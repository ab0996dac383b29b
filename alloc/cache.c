/* SPDX-License-Identifier: MIT */
/*
 * cache.c - creating, flushing and destroying caches.
 *
 * struct kmem_cache is host memory that never changes while tasks run. What does
 * change has fixed places: two per-CPU lines a cache, and in each node's area one
 * kmem_cache_node and one barn at the cache's index.
 *
 * Context: boot CPU, no task runs.
 */
#include "alloc/internal.h"

#include "alloc/geometry.h"

#include <stdlib.h>
#include <string.h>

static const struct kmem_cache_args no_args;

/* ---- Creating ------------------------------------------------------------------------ */

/* Where a free object keeps its link, and what an object takes with it. */
static void place_objects(struct kmem_cache *s, const struct kmem_cache_args *args)
{
	unsigned size = ALIGN(s->object_size, 8u);

	if (args->use_freeptr_offset) {
		s->offset = args->freeptr_offset;
	} else if (s->flags & SLAB_TYPESAFE_BY_RCU) {
		s->offset = size;
		size += sizeof(void *);
	} else {
		s->offset = ALIGN_DOWN(s->object_size / 2, 8u);
	}
	s->size = ALIGN(size, args->align ? args->align : 8u);
}

static void take_geometry(struct kmem_cache *s, const struct kmem_cache_args *args)
{
	const struct policy *policy = &slab_state()->policy;
	struct geometry_request request = {
		.size = s->size,
		.nr_cpus = machine_desc()->nr_cpus,
		.sheaf_capacity = (unsigned)args->sheaf_capacity,
		.sheaves = policy->sheaves,
		.policy = args->policy,
	};
	struct slab_geometry g;

	slab_geometry(&request, &g);
	s->order = g.order;
	s->min_order = g.min_order;
	s->objects = g.objects;
	s->cpu_partial = g.cpu_partial;
	s->cpu_partial_slabs = g.cpu_partial_slabs;
	s->min_partial = g.min_partial;
	s->sheaf_capacity = g.sheaf_capacity;
	s->remote_ratio = g.remote_ratio;
	s->barn_max_full = (unsigned)policy->barn_max_full;
	s->barn_max_empty = (unsigned)policy->barn_max_empty;
	s->frees_by_sheaf = g.sheaf_capacity && policy->free == FREE_KFREE_RCU_SHEAF;
}

static void name_type(struct kmem_cache *s, const struct kmem_cache_args *args)
{
	s->type = args->type ? *args->type : (struct object_type){.name = s->name};
	s->type.size = s->size;
}

static void init_nodes(struct kmem_cache *s)
{
	for (unsigned i = 0; i < s->nr_nodes; i++) {
		struct node_area *area =
			(struct node_area *)page_address(slab_state()->node_page[i]);
		struct kmem_cache_node *n = &area->node[s->index];

		spin_lock_init(&n->list_lock, LOCK_LIST_LOCK);
		n->nr_partial = 0;
		INIT_LIST_HEAD(&n->partial);
		n->nr_slabs = 0;
		n->total_objects = 0;
		n->barn = NULL;
		if (s->sheaf_capacity) {
			n->barn = &area->barn[s->index].barn;
			barn_init(n->barn);
		}
		s->node[i] = n;
	}
}

static void init_cpu_slabs(struct kmem_cache *s)
{
	s->cpu_slab = percpu_alloc(sizeof(struct kmem_cache_cpu), CACHE_LINE);
	s->tid_step = 1;
	while (s->tid_step < nr_cpus())
		s->tid_step *= 2;
	for (unsigned cpu = 0; cpu < nr_cpus(); cpu++) {
		struct kmem_cache_cpu *c =
			(struct kmem_cache_cpu *)per_cpu_ptr(s->cpu_slab, cpu);

		c->tid = cpu;
		c->cycles = cpu;
	}
}

/* Every CPU starts with one empty sheaf. */
static int init_cpu_sheaves(struct kmem_cache *s)
{
	if (!s->sheaf_capacity)
		return 0;
	s->cpu_sheaves = percpu_alloc(CACHE_LINE, CACHE_LINE);
	for (unsigned cpu = 0; cpu < nr_cpus(); cpu++) {
		struct slub_percpu_sheaves *pcs =
			(struct slub_percpu_sheaves *)per_cpu_ptr(s->cpu_sheaves, cpu);

		pcs->main = alloc_empty_sheaf(s, GFP_KERNEL);
		if (!pcs->main)
			return -ENOMEM;
	}
	return 0;
}

static void free_cpu_data(struct kmem_cache *s)
{
	for (unsigned cpu = 0; s->sheaf_capacity && cpu < nr_cpus(); cpu++) {
		struct slub_percpu_sheaves *pcs =
			(struct slub_percpu_sheaves *)per_cpu_ptr(s->cpu_sheaves, cpu);

		if (pcs->main)
			free_empty_sheaf(s, pcs->main);
		pcs->main = NULL;
	}
	if (s->sheaf_capacity)
		percpu_free(s->cpu_sheaves, CACHE_LINE);
	percpu_free(s->cpu_slab, sizeof(struct kmem_cache_cpu));
}

static struct kmem_cache *cache_new(unsigned index, const char *name)
{
	struct kmem_cache *s = aligned_alloc(CACHE_LINE, ALIGN(sizeof(*s), (size_t)CACHE_LINE));

	if (!s)
		return NULL;
	engine_exempt(s, sizeof(*s));
	memset(s, 0, sizeof(*s));
	s->index = index;
	for (unsigned i = 0; i < sizeof(s->name) - 1 && name[i]; i++)
		s->name[i] = name[i];
	for (unsigned i = 0; i < NR_SLAB_STATS; i++)
		s->stat_base[i] = stat_total(index, (enum slab_stat)i);
	s->nr_nodes = nr_nodes();
	s->check_node = s->nr_nodes > 1;
	return s;
}

struct kmem_cache *cache_create(unsigned index, const char *name, unsigned size,
				const struct kmem_cache_args *args, slab_flags_t flags)
{
	struct kmem_cache *s = cache_new(index, name);

	if (!s)
		return NULL;
	s->object_size = size;
	s->flags = flags;
	place_objects(s, args ? args : &no_args);
	take_geometry(s, args ? args : &no_args);
	name_type(s, args ? args : &no_args);
	init_nodes(s);
	init_cpu_slabs(s);
	if (init_cpu_sheaves(s)) {
		free_cpu_data(s);
		free(s);
		return NULL;
	}
	slab_state()->cache[index] = s;
	return s;
}

struct kmem_cache *kmem_cache_create(const char *name, unsigned size,
				     const struct kmem_cache_args *args, slab_flags_t flags)
{
	struct slab_state *state = slab_state();

	for (unsigned i = NR_KMEM_CACHES; i < MACHINE_MAX_CACHES; i++)
		if (!state->cache[i])
			return cache_create(i, name, size, args, flags);
	return NULL;
}

/* ---- Emptying --------------------------------------------------------------------------- */

void cache_flush_all(struct kmem_cache *s)
{
	for (unsigned cpu = 0; s->sheaf_capacity && cpu < nr_cpus(); cpu++)
		pcs_flush_stopped(s, cpu);
	rcu_barrier(); /* sheaves just submitted, and those in flight to the barns */
	for (unsigned i = 0; s->sheaf_capacity && i < s->nr_nodes; i++)
		barn_shrink(s, get_node(s, i)->barn);
	for (unsigned cpu = 0; cpu < nr_cpus(); cpu++) {
		/* Callbacks may have freed into sheaves. */
		if (s->sheaf_capacity)
			pcs_flush_stopped(s, cpu);
		flush_cpu_slab(s, cpu);
	}
}

static void discard_empty(struct kmem_cache *s, struct kmem_cache_node *n)
{
	struct slab *slab, *next;
	struct list_head empty;
	irqflags_t flags;

	INIT_LIST_HEAD(&empty);
	spin_lock_irqsave(&n->list_lock, flags);
	list_for_each_entry_safe(slab, next, &n->partial, slab_list) {
		if (counters_inuse(READ_ONCE(slab->counters)))
			continue;
		remove_partial(n, slab);
		list_add_tail(&slab->slab_list, &empty);
	}
	spin_unlock_irqrestore(&n->list_lock, flags);
	list_for_each_entry_safe(slab, next, &empty, slab_list)
		discard_slab(s, slab);
}

void kmem_cache_shrink(struct kmem_cache *s)
{
	cache_flush_all(s);
	for (unsigned i = 0; i < s->nr_nodes; i++)
		discard_empty(s, get_node(s, i));
	rcu_barrier(); /* pages of TYPESAFE_BY_RCU slabs */
}

u64 kmem_cache_destroy(struct kmem_cache *s)
{
	u64 live;

	kmem_cache_shrink(s);
	live = cache_report_live(s);
	cache_release_slabs(s);
	free_cpu_data(s);
	slab_state()->cache[s->index] = NULL;
	free(s);
	return live;
}

void kmem_cache_describe(struct kmem_cache *s, const struct object_type *type)
{
	s->type.fields = type->fields;
	s->type.nr_fields = type->nr_fields;
}
