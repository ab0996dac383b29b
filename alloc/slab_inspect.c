/* SPDX-License-Identifier: MIT */
/*
 * slab_inspect.c - what is known of a cache: figures, validation, leaks.
 *
 * Context: no task runs. Nothing here is charged.
 */
#include "alloc/walk_inspect.h"

#include <stdio.h>

enum { LIVE_REPORTS_MAX = 16 }; /* a cache; the rest is only counted */

/* ---- Figures ------------------------------------------------------------------------ */

static void copy_constants(const struct kmem_cache *s, struct slab_info *info)
{
	*info = (struct slab_info){
		.name = s->name,
		.object_size = s->object_size,
		.size = s->size,
		.order = s->order,
		.objects_per_slab = s->objects,
		.sheaf_capacity = s->sheaf_capacity,
		.cpu_partial = s->cpu_partial,
		.cpu_partial_slabs = s->cpu_partial_slabs,
		.min_partial = s->min_partial,
	};
}

void kmem_cache_info(struct kmem_cache *s, struct slab_info *info)
{
	struct cache_walk walk;

	copy_constants(s, info);
	cache_walk(s, &walk);
	info->slabs = walk.nr;
	for (size_t i = 0; i < walk.nr; i++)
		info->objects_total += walk.slab[i].objects;
	info->live = walk.count[OBJECT_LIVE];
	info->in_sheaves = walk.count[OBJECT_IN_SHEAF];
	info->in_rcu_sheaves = walk.count[OBJECT_IN_RCU_SHEAF];
	info->cpu_slabs = walk.cpu_slabs;
	info->cpu_partial_nr = walk.cpu_partial_nr;
	info->node_partial = walk.node_partial;
	for (unsigned i = 0; i < NR_SLAB_STATS; i++)
		info->stats[i] = stat_total(s->index, (enum slab_stat)i) - s->stat_base[i];
	cache_walk_free(&walk);
}

/* ---- Validation ----------------------------------------------------------------------- */

#ifdef VMASIM_SLOW_CHECKS
/* What is marked as handed out is on no list. */
static void check_marks(const struct walked_slab *slab)
{
	for (unsigned i = 0; i < slab->objects; i++)
		if (slab->slab->marks[i / 64] >> i % 64 & 1)
			vm_assert(slab->place[i] == OBJECT_LIVE);
}
#else
static void check_marks(const struct walked_slab *slab)
{
	(void)slab;
}
#endif

void kmem_cache_validate(struct kmem_cache *s)
{
	struct cache_walk walk;

	cache_walk(s, &walk);
	for (size_t i = 0; i < walk.nr; i++)
		check_marks(&walk.slab[i]);
	cache_walk_free(&walk);
}

void slab_validate_all(void)
{
	for (unsigned i = 0; i < slab_nr_caches(); i++)
		kmem_cache_validate(slab_cache_at(i));
}

unsigned slab_nr_caches(void)
{
	struct slab_state *state = slab_state();
	unsigned nr = 0;

	for (unsigned i = 0; i < MACHINE_MAX_CACHES; i++)
		nr += state->cache[i] != NULL;
	return nr;
}

struct kmem_cache *slab_cache_at(unsigned index)
{
	struct slab_state *state = slab_state();

	for (unsigned i = 0; i < MACHINE_MAX_CACHES; i++)
		if (state->cache[i] && !index--)
			return state->cache[i];
	return NULL;
}

/* ---- Leaks ------------------------------------------------------------------------------ */

static void report_live(const struct kmem_cache *s, const struct walked_slab *slab, unsigned i)
{
	char *start = slab_address(slab->slab);
	struct slab_state *state = slab_state();
	char report[200];

	snprintf(report, sizeof(report),
		 "vmasim: slab: cache '%s' destroyed with object %u (%p) of slab %p live\n",
		 s->name, i, (void *)(start + (size_t)i * s->size), (void *)start);
	if (state->fault_handler)
		state->fault_handler(report);
	else
		fputs(report, stderr);
}

u64 cache_report_live(struct kmem_cache *s)
{
	struct cache_walk walk;
	unsigned reported = 0;
	u64 live;

	cache_walk(s, &walk);
	live = walk.count[OBJECT_LIVE];
	for (size_t n = 0; n < walk.nr; n++)
		for (unsigned i = 0; i < walk.slab[n].objects; i++)
			if (walk.slab[n].place[i] == OBJECT_LIVE && reported++ < LIVE_REPORTS_MAX)
				report_live(s, &walk.slab[n], i);
	cache_walk_free(&walk);
	return live;
}

static void release_slab(void *arg, struct page *page, unsigned order)
{
	struct kmem_cache *s = arg;
	struct slab *slab = (struct slab *)page;

	(void)order;
	if (page_owner(page) == &s->type && slab_is_one(slab))
		discard_slab(s, slab);
}

void cache_release_slabs(struct kmem_cache *s)
{
	page_visit(release_slab, s);
	rcu_barrier();
}
