/* SPDX-License-Identifier: MIT */
/*
 * slub_free.c - freeing into slabs, one object or a linked chain of one slab.
 *
 * Fast: the slab is this CPU's, the chain goes before its freelist by one exchange.
 * Else the slab's own pair is exchanged, and what it was before says who must act:
 *
 *	full, not frozen	nobody has it: to this CPU's partial list
 *	becomes empty		under its node's list_lock: discard or leave
 *	frozen, or in between	nothing to do
 *
 * The lock is that of the slab's node and is taken before the exchange, so that
 * two frees can't both see the last object.
 *
 * Context: any, RCU callbacks too.
 */
#include "alloc/internal.h"

/* One free into a slab, the pair as it was and as it will be. */
struct slab_change {
	void *prior;
	u64 counters;
	u64 new_counters;
	struct kmem_cache_node *n; /* list_lock held, or NULL */
	irqflags_t flags;
};

static bool must_lock(const struct slab_change *change)
{
	return change->prior && !counters_inuse(change->new_counters) &&
	       !(change->counters & COUNTER_FROZEN);
}

/* False: the free was refused, the slab holds fewer objects than are freed. */
static bool exchange(struct kmem_cache *s, struct slab *slab, void *head, void *tail, unsigned cnt,
		     struct slab_change *change)
{
	do {
		if (change->n)
			spin_unlock_irqrestore(&change->n->list_lock, change->flags);
		change->n = NULL;
		change->prior = READ_ONCE(slab->freelist);
		change->counters = READ_ONCE(slab->counters);
		if (unlikely(change->prior == head || counters_inuse(change->counters) < cnt)) {
			slab_fault(s, head, "double free of");
			return false;
		}
		change->new_counters = change->counters - cnt;
		set_freepointer(s, tail, change->prior);
		if (must_lock(change)) {
			change->n = get_node(s, slab_nid(slab));
			spin_lock_irqsave(&change->n->list_lock, change->flags);
		}
	} while (!slab_update_freelist(s, slab, change->prior, change->counters, head,
				       change->new_counters));
	return true;
}

static void freed_without_lock(struct kmem_cache *s, struct slab *slab,
			       const struct slab_change *change)
{
	if (change->counters & COUNTER_FROZEN) {
		stat_add(s->index, STAT_FREE_FROZEN, 1);
	} else if (!change->prior) {
		put_cpu_partial(s, slab, true);
		stat_add(s->index, STAT_CPU_PARTIAL_FREE, 1);
	}
}

/* The slab is empty. On some CPU's partial list it stays; enough others: it goes. */
static void emptied(struct kmem_cache *s, struct slab *slab, struct slab_change *change)
{
	struct kmem_cache_node *n = change->n;
	bool listed = READ_ONCE(slab->flags) & SLAB_NODE_PARTIAL;
	bool unwanted = listed && n->nr_partial >= s->min_partial;

	if (unwanted) {
		remove_partial(n, slab);
		stat_add(s->index, STAT_FREE_REMOVE_PARTIAL, 1);
	}
	spin_unlock_irqrestore(&n->list_lock, change->flags);
	if (unwanted)
		discard_slab(s, slab);
}

static void __slab_free(struct kmem_cache *s, struct slab *slab, void *head, void *tail,
			unsigned cnt)
{
	struct slab_change change = {.n = NULL};

	stat_add(s->index, STAT_FREE_SLOWPATH, 1);
	if (!exchange(s, slab, head, tail, cnt, &change))
		return;
	if (change.n)
		emptied(s, slab, &change);
	else
		freed_without_lock(s, slab, &change);
}

void do_slab_free(struct kmem_cache *s, struct slab *slab, void *head, void *tail, unsigned cnt)
{
	for (;;) {
		struct kmem_cache_cpu *c = (struct kmem_cache_cpu *)this_cpu_ptr(s->cpu_slab);
		u64 tid = READ_ONCE(c->tid);
		void *freelist;

		if (unlikely(slab != READ_ONCE(c->slab))) {
			__slab_free(s, slab, head, tail, cnt);
			return;
		}
		freelist = READ_ONCE(c->freelist);
		if (unlikely(freelist == head)) {
			slab_fault(s, head, "double free of");
			return;
		}
		set_freepointer(s, tail, freelist);
		if (likely(cpu_slab_exchange(s, freelist, tid, head)))
			break;
	}
	stat_add(s->index, STAT_FREE_FASTPATH, cnt);
}

/* Slab of an object that is about to enter it; NULL: reported, must not. */
static struct slab *slab_of(struct kmem_cache *s, const void *object)
{
	struct slab *slab = virt_to_slab(object);

	if (likely(slab && slab->slab_cache == s))
		return slab;
	slab_fault(s, object, slab ? "free of another cache's" : "free of foreign");
	return NULL;
}

void slab_free_to_slab(struct kmem_cache *s, void *object)
{
	struct slab *slab = slab_of(s, object);

	if (likely(slab))
		do_slab_free(s, slab, object, object, 1);
}

/* ---- Bulk ----------------------------------------------------------------------- */

enum { LOOK_AHEAD = 3 };

struct detached_freelist {
	struct slab *slab;
	void *head;
	void *tail;
	unsigned cnt;
};

/*
 * Link objects of one slab, from the last of @p downward, past at most two of
 * other slabs. Those linked are swapped to the end.
 * Return: how many of @p are left; they come first.
 */
static size_t build_detached_freelist(struct kmem_cache *s, size_t size, void **p,
				      struct detached_freelist *df)
{
	void *object = p[--size];
	unsigned others = 0;

	df->slab = slab_of(s, object);
	df->head = object;
	df->tail = object;
	df->cnt = 1;
	if (!df->slab)
		return size;
	for (size_t i = size; i--;) {
		object = p[i];
		if ((struct slab *)virt_to_head_page(object) != df->slab) {
			if (++others == LOOK_AHEAD)
				break;
			continue;
		}
		set_freepointer(s, object, df->head);
		df->head = object;
		df->cnt++;
		p[i] = p[--size];
		p[size] = object;
	}
	return size;
}

void slab_free_bulk(struct kmem_cache *s, size_t size, void **p)
{
	while (size) {
		struct detached_freelist df;

		size = build_detached_freelist(s, size, p, &df);
		if (df.slab)
			do_slab_free(s, df.slab, df.head, df.tail, df.cnt);
	}
}
