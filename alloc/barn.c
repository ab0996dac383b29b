/* SPDX-License-Identifier: MIT */
/*
 * barn.c - a memory node's stock of full and empty sheaves, last in first out.
 *
 * Counts are looked at without the lock first; a caller that would find nothing
 * pays no lock. Limits are the callers' business and checked the same way, so a
 * count may pass them: nothing may rely on nr_full <= the limit.
 *
 * Sheaves in the full list count as full whatever they hold; empty ones hold 0.
 *
 * Context: any; lock with interrupts off, as RCU callbacks come here.
 */
#include "alloc/internal.h"

void barn_init(struct node_barn *barn)
{
	spin_lock_init(&barn->lock, LOCK_BARN);
	INIT_LIST_HEAD(&barn->sheaves_full);
	INIT_LIST_HEAD(&barn->sheaves_empty);
	barn->nr_full = 0;
	barn->nr_empty = 0;
}

struct node_barn *get_barn(const struct kmem_cache *s)
{
	return get_node(s, numa_node_id())->barn;
}

/* ---- One sheaf in or out, lock held ---- */

static struct slab_sheaf *pop_sheaf(struct list_head *list, unsigned *nr)
{
	struct slab_sheaf *sheaf;

	if (!*nr)
		return NULL;
	sheaf = list_first_entry(list, struct slab_sheaf, barn_list);
	list_del(&sheaf->barn_list);
	WRITE_ONCE(*nr, *nr - 1);
	return sheaf;
}

static void push_sheaf(struct list_head *list, unsigned *nr, struct slab_sheaf *sheaf)
{
	list_add(&sheaf->barn_list, list);
	WRITE_ONCE(*nr, *nr + 1);
}

/* ---- The face ---- */

struct slab_sheaf *barn_get_empty_sheaf(struct node_barn *barn)
{
	struct slab_sheaf *sheaf;
	irqflags_t flags;

	if (!READ_ONCE(barn->nr_empty))
		return NULL;
	spin_lock_irqsave(&barn->lock, flags);
	sheaf = pop_sheaf(&barn->sheaves_empty, &barn->nr_empty);
	spin_unlock_irqrestore(&barn->lock, flags);
	return sheaf;
}

struct slab_sheaf *barn_get_full_or_empty_sheaf(struct node_barn *barn)
{
	struct slab_sheaf *sheaf;
	irqflags_t flags;

	if (!READ_ONCE(barn->nr_full) && !READ_ONCE(barn->nr_empty))
		return NULL;
	spin_lock_irqsave(&barn->lock, flags);
	sheaf = pop_sheaf(&barn->sheaves_full, &barn->nr_full);
	if (!sheaf)
		sheaf = pop_sheaf(&barn->sheaves_empty, &barn->nr_empty);
	spin_unlock_irqrestore(&barn->lock, flags);
	return sheaf;
}

void barn_put_empty_sheaf(struct node_barn *barn, struct slab_sheaf *sheaf)
{
	irqflags_t flags;

	vm_assert_slow(!sheaf->size);
	spin_lock_irqsave(&barn->lock, flags);
	push_sheaf(&barn->sheaves_empty, &barn->nr_empty, sheaf);
	spin_unlock_irqrestore(&barn->lock, flags);
}

void barn_put_full_sheaf(struct node_barn *barn, struct slab_sheaf *sheaf)
{
	irqflags_t flags;

	spin_lock_irqsave(&barn->lock, flags);
	push_sheaf(&barn->sheaves_full, &barn->nr_full, sheaf);
	spin_unlock_irqrestore(&barn->lock, flags);
}

struct slab_sheaf *barn_replace_empty_sheaf(struct node_barn *barn, struct slab_sheaf *empty)
{
	struct slab_sheaf *full;
	irqflags_t flags;

	if (!READ_ONCE(barn->nr_full))
		return NULL;
	spin_lock_irqsave(&barn->lock, flags);
	full = pop_sheaf(&barn->sheaves_full, &barn->nr_full);
	if (full)
		push_sheaf(&barn->sheaves_empty, &barn->nr_empty, empty);
	spin_unlock_irqrestore(&barn->lock, flags);
	return full;
}

int barn_replace_full_sheaf(struct node_barn *barn, struct slab_sheaf *full, unsigned max_full,
			    struct slab_sheaf **empty)
{
	irqflags_t flags;

	if (READ_ONCE(barn->nr_full) >= max_full)
		return -E2BIG;
	if (!READ_ONCE(barn->nr_empty))
		return -ENOMEM;
	spin_lock_irqsave(&barn->lock, flags);
	*empty = pop_sheaf(&barn->sheaves_empty, &barn->nr_empty);
	if (*empty)
		push_sheaf(&barn->sheaves_full, &barn->nr_full, full);
	spin_unlock_irqrestore(&barn->lock, flags);
	return *empty ? 0 : -ENOMEM;
}

void barn_shrink(struct kmem_cache *s, struct node_barn *barn)
{
	struct slab_sheaf *sheaf;

	while ((sheaf = barn_get_full_or_empty_sheaf(barn))) {
		sheaf_flush_unused(s, sheaf);
		free_empty_sheaf(s, sheaf);
	}
}
