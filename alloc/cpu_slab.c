/* SPDX-License-Identifier: MIT */
/*
 * cpu_slab.c - the slab a CPU allocates from, and the list of those it takes next.
 *
 *	c->freelist --> o --> o --> NULL	only this CPU pops, by tid
 *	c->slab	    : slab->freelist --> o	what others freed meanwhile
 *	c->partial  --> slab --> slab		free objects, not frozen, on no node list
 *
 * The CPU's slab is frozen: frees into it by others need no lock. c->slab,
 * c->partial and a load of c->freelist change with interrupts off; the fast paths
 * notice by the tid.
 *
 * Context: any. Interrupts are off in short pieces, never over a page allocation.
 */
#include "alloc/internal.h"

static struct kmem_cache_cpu *this_cpu_slab(struct kmem_cache *s)
{
	return (struct kmem_cache_cpu *)this_cpu_ptr(s->cpu_slab);
}

/* ---- Giving slabs up ------------------------------------------------------------ */

/* A slab the CPU held, and the rest of its freelist. */
struct held {
	struct slab *slab;
	void *freelist;
};

/* Interrupts off, or the CPU is stopped. */
static struct held detach_cpu_slab(struct kmem_cache *s, struct kmem_cache_cpu *c)
{
	struct held held = {c->slab, c->freelist};

	c->slab = NULL;
	c->freelist = NULL;
	c->tid += s->tid_step;
	return held;
}

static unsigned chain_length(struct kmem_cache *s, void *freelist, void **tail)
{
	unsigned length = 0;

	for (; freelist; freelist = get_freepointer(s, freelist)) {
		*tail = freelist;
		length++;
	}
	return length;
}

/* Unfreeze, with @held's objects in front of those freed remotely; returns the new counters. */
static u64 unfreeze(struct kmem_cache *s, struct held held)
{
	struct slab *slab = held.slab;
	void *tail = NULL;
	unsigned free = chain_length(s, held.freelist, &tail);
	void *old;
	u64 counters, unfrozen;

	do {
		old = READ_ONCE(slab->freelist);
		counters = READ_ONCE(slab->counters);
		unfrozen = (counters - free) & ~COUNTER_FROZEN;
		if (tail)
			set_freepointer(s, tail, old);
	} while (!slab_update_freelist(s, slab, old, counters, tail ? held.freelist : old,
				       unfrozen));
	return unfrozen;
}

static void deactivate_slab(struct kmem_cache *s, struct held held)
{
	struct slab *slab = held.slab;
	struct kmem_cache_node *n = get_node(s, slab_nid(slab));
	enum slab_stat where = STAT_DEACTIVATE_TO_HEAD;
	irqflags_t flags;
	u64 counters;

	if (READ_ONCE(slab->freelist)) {
		stat_add(s->index, STAT_DEACTIVATE_REMOTE_FREES, 1);
		where = STAT_DEACTIVATE_TO_TAIL;
	}
	counters = unfreeze(s, held);
	if (!counters_inuse(counters) && READ_ONCE(n->nr_partial) >= s->min_partial) {
		stat_add(s->index, STAT_DEACTIVATE_EMPTY, 1);
		discard_slab(s, slab);
		return;
	}
	if (counters_inuse(counters) == counters_objects(counters)) {
		stat_add(s->index, STAT_DEACTIVATE_FULL, 1);
		return;
	}
	spin_lock_irqsave(&n->list_lock, flags);
	add_partial(n, slab, where);
	spin_unlock_irqrestore(&n->list_lock, flags);
	stat_add(s->index, where, 1);
}

static void discard_chain(struct kmem_cache *s, struct slab *slab)
{
	while (slab) {
		struct slab *next = slab->next;

		stat_add(s->index, STAT_DEACTIVATE_EMPTY, 1);
		discard_slab(s, slab);
		slab = next;
	}
}

/* A cpu partial list to the nodes, one list_lock a change of node; spare empty ones go. */
static void put_partials(struct kmem_cache *s, struct slab *list)
{
	struct kmem_cache_node *n = NULL;
	struct slab *unwanted = NULL;
	irqflags_t flags = 0;

	while (list) {
		struct slab *slab = list;
		struct kmem_cache_node *home = get_node(s, slab_nid(slab));

		list = slab->next;
		if (n != home) {
			if (n)
				spin_unlock_irqrestore(&n->list_lock, flags);
			n = home;
			spin_lock_irqsave(&n->list_lock, flags);
		}
		if (!counters_inuse(READ_ONCE(slab->counters)) && n->nr_partial >= s->min_partial) {
			slab->next = unwanted;
			unwanted = slab;
			continue;
		}
		add_partial(n, slab, STAT_DEACTIVATE_TO_TAIL);
		stat_add(s->index, STAT_FREE_ADD_PARTIAL, 1);
	}
	if (n)
		spin_unlock_irqrestore(&n->list_lock, flags);
	discard_chain(s, unwanted);
}

void put_cpu_partial(struct kmem_cache *s, struct slab *slab, bool drain)
{
	struct slab *drained = NULL;
	struct kmem_cache_cpu *c;
	struct slab *old;
	irqflags_t flags;

	local_irq_save(flags);
	c = this_cpu_slab(s);
	old = c->partial;
	if (drain && old && old->slabs >= s->cpu_partial_slabs) {
		drained = old;
		old = NULL;
	}
	slab->next = old;
	slab->slabs = old ? old->slabs + 1 : 1;
	c->partial = slab;
	local_irq_restore(flags);
	if (drained) {
		put_partials(s, drained);
		stat_add(s->index, STAT_CPU_PARTIAL_DRAIN, 1);
	}
}

void flush_cpu_slab(struct kmem_cache *s, unsigned cpu)
{
	struct kmem_cache_cpu *c = (struct kmem_cache_cpu *)per_cpu_ptr(s->cpu_slab, cpu);
	struct slab *partial = c->partial;
	struct held held = detach_cpu_slab(s, c);

	c->partial = NULL;
	if (held.slab) {
		deactivate_slab(s, held);
		stat_add(s->index, STAT_CPUSLAB_FLUSH, 1);
	}
	put_partials(s, partial);
}

/* ---- Finding objects -------------------------------------------------------------- */

static bool node_match(const struct slab *slab, int node)
{
	return node == NUMA_NO_NODE || slab_nid(slab) == (unsigned)node;
}

/*
 * Take the whole freelist of a slab no other CPU allocates from. It stays or
 * becomes frozen if there was one, is unfrozen and full if there was none.
 */
static void *take_freelist(struct kmem_cache *s, struct slab *slab)
{
	void *freelist;
	u64 counters, taken;

	do {
		freelist = READ_ONCE(slab->freelist);
		counters = READ_ONCE(slab->counters);
		taken = counters_make(counters_objects(counters), counters_objects(counters),
				      freelist != NULL);
	} while (!slab_update_freelist(s, slab, freelist, counters, NULL, taken));
	return freelist;
}

/* Interrupts off: the first object of @freelist, the rest becomes the CPU's. */
static void *load_freelist(struct kmem_cache *s, struct kmem_cache_cpu *c, void *freelist)
{
	c->freelist = get_freepointer(s, freelist);
	c->tid += s->tid_step;
	return freelist;
}

/* From the current slab: what others freed into it, or NULL and no current slab. */
static void *alloc_from_current(struct kmem_cache *s, int node)
{
	struct held held = {NULL, NULL};
	void *object = NULL;
	struct kmem_cache_cpu *c;
	irqflags_t flags;

	local_irq_save(flags);
	c = this_cpu_slab(s);
	if (c->slab && !node_match(c->slab, node)) {
		stat_add(s->index, STAT_ALLOC_NODE_MISMATCH, 1);
		held = detach_cpu_slab(s, c);
	} else if (c->slab && c->freelist) {
		object = load_freelist(s, c, c->freelist);
	} else if (c->slab) {
		void *freelist = take_freelist(s, c->slab);

		if (freelist) {
			stat_add(s->index, STAT_ALLOC_REFILL, 1);
			object = load_freelist(s, c, freelist);
		} else {
			stat_add(s->index, STAT_DEACTIVATE_BYPASS, 1);
			detach_cpu_slab(s, c);
		}
	}
	local_irq_restore(flags);
	if (held.slab)
		deactivate_slab(s, held);
	return object;
}

static struct slab *pop_cpu_partial(struct kmem_cache *s)
{
	struct kmem_cache_cpu *c;
	struct slab *slab;
	irqflags_t flags;

	local_irq_save(flags);
	c = this_cpu_slab(s);
	slab = c->partial;
	if (slab)
		c->partial = slab->next;
	local_irq_restore(flags);
	return slab;
}

/* A slab of the CPU's own partial list, of @node; those of other nodes go home. */
static struct slab *next_cpu_partial(struct kmem_cache *s, int node)
{
	struct slab *slab;

	while ((slab = pop_cpu_partial(s)) && !node_match(slab, node)) {
		slab->next = NULL;
		put_partials(s, slab);
	}
	if (slab)
		stat_add(s->index, STAT_CPU_PARTIAL_ALLOC, 1);
	return slab;
}

static struct held find_slab(struct kmem_cache *s, int node)
{
	struct held found = {next_cpu_partial(s, node), NULL};

	if (!found.slab)
		found.slab = get_partial(s, node);
	if (found.slab)
		found.freelist = take_freelist(s, found.slab);
	else
		found.slab = new_slab(s, node, &found.freelist);
	return found;
}

/* Make @found the CPU's slab. One that came in while we looked is given up. */
static void *load_cpu_slab(struct kmem_cache *s, struct held found)
{
	struct kmem_cache_cpu *c;
	irqflags_t flags;
	void *object;

	local_irq_save(flags);
	for (c = this_cpu_slab(s); c->slab; c = this_cpu_slab(s)) {
		struct held old = detach_cpu_slab(s, c);

		local_irq_restore(flags);
		deactivate_slab(s, old);
		stat_add(s->index, STAT_CPUSLAB_FLUSH, 1);
		local_irq_save(flags);
	}
	c->slab = found.slab;
	object = load_freelist(s, c, found.freelist);
	local_irq_restore(flags);
	return object;
}

void *slab_alloc_slow(struct kmem_cache *s, int node)
{
	void *object;
	struct held found;

	stat_add(s->index, STAT_ALLOC_SLOWPATH, 1);
	object = alloc_from_current(s, node);
	if (object)
		return object;
	found = find_slab(s, node);
	return found.slab ? load_cpu_slab(s, found) : NULL;
}
