/* SPDX-License-Identifier: MIT */
/*
 * partial.c - slabs with free objects that no CPU holds, a list a memory node.
 *
 * Freed-into slabs are added at the tail, slabs given up by a CPU at the head
 * unless others freed into them. list_lock guards list, count and the slab's
 * "on node partial" bit; the count is also read without it, as a hint.
 *
 * Context: any; takes list_lock with interrupts off. RCU callbacks come here.
 */
#include "alloc/internal.h"

enum { LOT_BITS = 10 };

void add_partial(struct kmem_cache_node *n, struct slab *slab, enum slab_stat where)
{
	WRITE_ONCE(n->nr_partial, n->nr_partial + 1);
	if (where == STAT_DEACTIVATE_TO_TAIL)
		list_add_tail(&slab->slab_list, &n->partial);
	else
		list_add(&slab->slab_list, &n->partial);
	WRITE_ONCE(slab->flags, READ_ONCE(slab->flags) | SLAB_NODE_PARTIAL);
}

void remove_partial(struct kmem_cache_node *n, struct slab *slab)
{
	list_del(&slab->slab_list);
	WRITE_ONCE(slab->flags, READ_ONCE(slab->flags) & ~SLAB_NODE_PARTIAL);
	WRITE_ONCE(n->nr_partial, n->nr_partial - 1);
}

/*
 * The first slab is the caller's. More go to the CPU's partial list until more
 * than half of its limit was moved, so that the next misses need no lock.
 */
static struct slab *take_slabs(struct kmem_cache *s, struct kmem_cache_node *n)
{
	struct slab *slab, *next, *taken = NULL;
	unsigned moved = 0;

	list_for_each_entry_safe(slab, next, &n->partial, slab_list) {
		remove_partial(n, slab);
		if (!taken) {
			taken = slab;
			stat_add(s->index, STAT_ALLOC_FROM_PARTIAL, 1);
			if (!s->cpu_partial_slabs)
				break;
			continue;
		}
		put_cpu_partial(s, slab, false);
		stat_add(s->index, STAT_CPU_PARTIAL_NODE, 1);
		if (++moved > s->cpu_partial_slabs / 2)
			break;
	}
	return taken;
}

static struct slab *get_partial_node(struct kmem_cache *s, struct kmem_cache_node *n)
{
	struct slab *slab;
	irqflags_t flags;

	if (!READ_ONCE(n->nr_partial))
		return NULL;
	spin_lock_irqsave(&n->list_lock, flags);
	slab = take_slabs(s, n);
	spin_unlock_irqrestore(&n->list_lock, flags);
	return slab;
}

/* The kernel draws by the cycle counter; here each CPU has a sequence of its own. */
static bool lot_allows_remote(struct kmem_cache *s)
{
	struct kmem_cache_cpu *c;
	u64 lot;

	if (!s->remote_ratio)
		return false;
	preempt_disable();
	c = (struct kmem_cache_cpu *)this_cpu_ptr(s->cpu_slab);
	lot = c->cycles * 6364136223846793005ull + 1442695040888963407ull;
	c->cycles = lot;
	preempt_enable();
	return lot >> (64 - LOT_BITS) <= s->remote_ratio;
}

static struct slab *get_any_partial(struct kmem_cache *s, unsigned local)
{
	if (s->nr_nodes == 1 || !lot_allows_remote(s))
		return NULL;
	for (unsigned i = 1; i < s->nr_nodes; i++) {
		struct kmem_cache_node *n = get_node(s, (local + i) % s->nr_nodes);
		struct slab *slab;

		if (READ_ONCE(n->nr_partial) <= s->min_partial)
			continue;
		slab = get_partial_node(s, n);
		if (slab)
			return slab;
	}
	return NULL;
}

struct slab *get_partial(struct kmem_cache *s, int node)
{
	unsigned first = node == NUMA_NO_NODE ? numa_node_id() : (unsigned)node;
	struct slab *slab = get_partial_node(s, get_node(s, first));

	if (slab || node != NUMA_NO_NODE)
		return slab;
	return get_any_partial(s, first);
}
