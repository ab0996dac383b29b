/* SPDX-License-Identifier: MIT */
/*
 * walk_inspect.c - walking a whole cache: slabs from the page descriptors, free
 * objects from every list that may hold one. No task runs.
 *
 * Full slabs are on no list, so the walk starts from the arena's pages whose owner
 * is the cache. What no list holds is live.
 */
#include "alloc/walk_inspect.h"

#include <stdlib.h>

static void keep_slab(void *arg, struct page *page, unsigned order)
{
	struct cache_walk *walk = arg;
	struct slab *slab = (struct slab *)page;
	struct walked_slab *kept;

	(void)order;
	if (page_owner(page) != &walk->s->type || !slab_is_one(slab))
		return;
	if (walk->nr == walk->room) {
		walk->room = walk->room ? walk->room * 2 : 64;
		walk->slab = realloc(walk->slab, walk->room * sizeof(*walk->slab));
		vm_assert(walk->slab);
	}
	kept = &walk->slab[walk->nr++];
	kept->slab = slab;
	kept->objects = counters_objects(slab->counters);
	kept->lists = 0;
	kept->place = calloc(kept->objects ? kept->objects : 1, 1);
	vm_assert(kept->place);
}

static struct walked_slab *find_slab(struct cache_walk *walk, const struct slab *slab)
{
	size_t low = 0, high = walk->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (walk->slab[mid].slab == slab)
			return &walk->slab[mid];
		if (walk->slab[mid].slab < slab)
			low = mid + 1;
		else
			high = mid;
	}
	vm_bug("cache '%s': %p is on a list and no slab of it", walk->s->name, (const void *)slab);
}

static void found_object(struct cache_walk *walk, const void *object, enum object_place place)
{
	const struct kmem_cache *s = walk->s;
	struct walked_slab *slab;
	unsigned i;

	if (!in_arena(object) ||
	    slab_object(s, (struct slab *)virt_to_head_page(object), object) != object)
		vm_bug("cache '%s': a list holds %p, which is no object", s->name, object);
	slab = find_slab(walk, (struct slab *)virt_to_head_page(object));
	i = (unsigned)((const char *)object - slab_address(slab->slab)) / s->size;
	vm_assert(i < slab->objects);
	if (slab->place[i] != OBJECT_LIVE)
		vm_bug("cache '%s': object %u of slab %p found twice", s->name, i,
		       (void *)slab_address(slab->slab));
	slab->place[i] = (u8)place;
}

/* A chain is at most @limit long, else it has a loop. Return: its length. */
static unsigned walk_chain(struct cache_walk *walk, const void *object, unsigned limit,
			   enum object_place place)
{
	unsigned length = 0;

	for (; object; object = get_freepointer(walk->s, object)) {
		if (++length > limit)
			vm_bug("cache '%s': a freelist has a loop", walk->s->name);
		found_object(walk, object, place);
	}
	return length;
}

/* free count = objects - inuse, for the slab's own freelist. */
static void walk_freelists(struct cache_walk *walk)
{
	for (size_t i = 0; i < walk->nr; i++) {
		const struct slab *slab = walk->slab[i].slab;
		unsigned objects = walk->slab[i].objects;
		unsigned free = walk_chain(walk, slab->freelist, objects, OBJECT_ON_SLAB);

		if (free != objects - counters_inuse(slab->counters))
			vm_bug("cache '%s': slab %p has %u free objects and %u of %u in use",
			       walk->s->name, (void *)slab_address(slab), free,
			       counters_inuse(slab->counters), objects);
	}
}

/* ---- Lists of slabs -------------------------------------------------------------- */

static struct walked_slab *list_slab(struct cache_walk *walk, const struct slab *slab)
{
	struct walked_slab *found = find_slab(walk, slab);

	if (found->lists++)
		vm_bug("cache '%s': slab %p is in two places", walk->s->name,
		       (void *)slab_address(slab));
	return found;
}

static void walk_cpu(struct cache_walk *walk, const struct kmem_cache_cpu *c)
{
	const struct slab *slab = c->slab;
	unsigned position = 0;

	vm_assert(slab || !c->freelist);
	if (slab) {
		list_slab(walk, slab);
		walk->cpu_slabs++;
		vm_assert(slab->counters & COUNTER_FROZEN);
		walk_chain(walk, c->freelist, counters_objects(slab->counters), OBJECT_ON_CPU_SLAB);
	}
	for (slab = c->partial; slab; slab = slab->next, position++) {
		list_slab(walk, slab);
		walk->cpu_partial_nr++;
		vm_assert(slab->freelist && !(slab->counters & COUNTER_FROZEN));
		vm_assert(!(slab->flags & SLAB_NODE_PARTIAL));
		vm_assert(slab->slabs + position == c->partial->slabs);
	}
}

static void walk_node(struct cache_walk *walk, unsigned node)
{
	struct kmem_cache_node *n = get_node(walk->s, node);
	struct slab *slab;
	u64 length = 0;

	vm_assert(!spin_is_locked(&n->list_lock));
	list_for_each_entry(slab, &n->partial, slab_list) {
		list_slab(walk, slab);
		length++;
		vm_assert(slab_nid(slab) == node && (slab->flags & SLAB_NODE_PARTIAL));
		vm_assert(slab->freelist && !(slab->counters & COUNTER_FROZEN));
	}
	vm_assert(length == n->nr_partial);
	walk->node_partial += length;
}

/* The node's counters against the slabs found. */
static void check_node_totals(const struct cache_walk *walk, unsigned node)
{
	struct kmem_cache_node *n = get_node(walk->s, node);
	u64 slabs = 0, objects = 0;

	for (size_t i = 0; i < walk->nr; i++) {
		if (slab_nid(walk->slab[i].slab) != node)
			continue;
		slabs++;
		objects += walk->slab[i].objects;
	}
	vm_assert(slabs == n->nr_slabs && objects == n->total_objects);
}

/* ---- Sheaves --------------------------------------------------------------------- */

static void walk_sheaf(struct cache_walk *walk, const struct slab_sheaf *sheaf,
		       enum object_place place)
{
	if (!sheaf)
		return;
	vm_assert(in_arena(sheaf) && sheaf->cache == walk->s);
	vm_assert(sheaf->size <= walk->s->sheaf_capacity);
	for (unsigned i = 0; i < sheaf->size; i++)
		found_object(walk, sheaf->objects[i], place);
}

static void walk_barn(struct cache_walk *walk, struct node_barn *barn)
{
	struct slab_sheaf *sheaf;
	unsigned full = 0, empty = 0;

	vm_assert(!spin_is_locked(&barn->lock));
	list_for_each_entry(sheaf, &barn->sheaves_full, barn_list) {
		walk_sheaf(walk, sheaf, OBJECT_IN_SHEAF);
		full++;
	}
	list_for_each_entry(sheaf, &barn->sheaves_empty, barn_list) {
		vm_assert(!sheaf->size && sheaf->cache == walk->s);
		empty++;
	}
	vm_assert(full == barn->nr_full && empty == barn->nr_empty);
}

static void walk_sheaves(struct cache_walk *walk)
{
	struct kmem_cache *s = walk->s;

	if (!s->sheaf_capacity)
		return;
	for (unsigned cpu = 0; cpu < nr_cpus(); cpu++) {
		const struct slub_percpu_sheaves *pcs = per_cpu_ptr(s->cpu_sheaves, cpu);

		vm_assert(pcs->main);
		walk_sheaf(walk, pcs->main, OBJECT_IN_SHEAF);
		walk_sheaf(walk, pcs->spare, OBJECT_IN_SHEAF);
		walk_sheaf(walk, pcs->rcu_free, OBJECT_IN_RCU_SHEAF);
	}
	for (unsigned i = 0; i < s->nr_nodes; i++)
		walk_barn(walk, get_node(s, i)->barn);
}

void cache_walk(struct kmem_cache *s, struct cache_walk *walk)
{
	*walk = (struct cache_walk){.s = s};
	page_visit(keep_slab, walk);
	walk_freelists(walk);
	for (unsigned cpu = 0; cpu < nr_cpus(); cpu++)
		walk_cpu(walk, per_cpu_ptr(s->cpu_slab, cpu));
	for (unsigned i = 0; i < s->nr_nodes; i++) {
		walk_node(walk, i);
		check_node_totals(walk, i);
	}
	walk_sheaves(walk);
	for (size_t i = 0; i < walk->nr; i++) {
		const struct walked_slab *slab = &walk->slab[i];

		vm_assert(slab->lists || !slab->slab->freelist);
		for (unsigned o = 0; o < slab->objects; o++)
			walk->count[slab->place[o]]++;
	}
}

void cache_walk_free(struct cache_walk *walk)
{
	for (size_t i = 0; i < walk->nr; i++)
		free(walk->slab[i].place);
	free(walk->slab);
}
