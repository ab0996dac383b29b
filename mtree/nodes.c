/* SPDX-License-Identifier: MIT */
/*
 * nodes.c - where nodes come from and where they go.
 *
 * A store says how many nodes it may need (node_request); mas_alloc_nodes() gets
 * them before anything is changed, mas_pop_node() hands them out, mas_destroy()
 * returns the rest. Three sources:
 *
 *	sheaves, one node	mas->alloc is the node
 *	sheaves, more		mas->sheaf, a prefilled sheaf lent by the cache
 *	no sheaves		mas->alloc is a list of batches; the first node of
 *				each holds the addresses of its others:
 *
 *	mas->alloc -> [ next | count | node node ... ] -> [ next | count | ... ]
 *
 * EVENT_NODE_ALLOC counts what the kernel's tracepoint counts: a single node when it is
 * allocated, used or not, and a node of a sheaf when it is taken out.
 *
 * Replaced nodes are freed after a grace period, with readers or without, since
 * nobody keeps a count of who still looks at them.
 *
 * Called by the writer, under the tree's lock.
 */
#include "mtree/internal.h"

enum { MAPLE_BATCH_SLOTS = 28 };

/* A node as the head of a batch of unused nodes. */
struct maple_batch {
	struct maple_batch *next;
	unsigned count;
	void *slot[MAPLE_BATCH_SLOTS];
};

_Static_assert(sizeof(struct maple_batch) <= sizeof(struct maple_node), "lies in a node");

static inline struct kmem_cache *node_cache(void)
{
	return kernel_cache(CACHE_MAPLE_NODE);
}

/* ---- Without sheaves ------------------------------------------------------------ */

static unsigned batches_total(const struct ma_state *mas)
{
	const struct maple_batch *batch;
	unsigned total = 0;

	for (batch = mas->alloc; batch; batch = batch->next)
		total += 1 + batch->count;
	return total;
}

/* Fill up to the request, one head and one bulk allocation at a time. */
static bool batches_fill(struct ma_state *mas, gfp_t gfp)
{
	unsigned have = batches_total(mas);

	while (have < mas->node_request) {
		struct maple_batch *batch = kmem_cache_alloc(node_cache(), gfp);
		unsigned want;

		if (!batch)
			return false;
		batch->next = mas->alloc;
		batch->count = 0;
		mas->alloc = batch;
		have++;
		want = min(mas->node_request - have, (unsigned)MAPLE_BATCH_SLOTS);
		if (!want)
			continue;
		batch->count = kmem_cache_alloc_bulk(node_cache(), gfp, want, batch->slot);
		if (!batch->count)
			return false;
		have += batch->count;
	}
	return true;
}

static struct maple_node *batches_pop(struct ma_state *mas)
{
	struct maple_batch *batch = mas->alloc;

	if (!batch)
		return NULL;
	count_event(EVENT_NODE_ALLOC, 1);
	if (batch->count)
		return batch->slot[--batch->count];
	mas->alloc = batch->next;
	return (struct maple_node *)batch;
}

static void batches_return(struct ma_state *mas)
{
	struct maple_batch *batch;

	while ((batch = mas->alloc) != NULL) {
		mas->alloc = batch->next;
		if (batch->count)
			kmem_cache_free_bulk(node_cache(), batch->count, batch->slot);
		kmem_cache_free(node_cache(), batch);
	}
}

/* ---- With sheaves ---------------------------------------------------------------- */

static bool sheaf_fill(struct ma_state *mas, gfp_t gfp)
{
	unsigned request = mas->node_request;

	if (request == 1 && !mas->sheaf) {
		if (mas->alloc)
			return true;
		mas->alloc = kmem_cache_alloc(node_cache(), gfp);
		count_event(EVENT_NODE_ALLOC, mas->alloc != NULL);
		return mas->alloc != NULL;
	}
	if (mas->alloc) {
		kmem_cache_free(node_cache(), mas->alloc);
		mas->alloc = NULL;
	}
	if (!mas->sheaf) {
		mas->sheaf = kmem_cache_prefill_sheaf(node_cache(), gfp, request);
		return mas->sheaf != NULL;
	}
	if (kmem_cache_sheaf_size(mas->sheaf) >= request)
		return true;
	return kmem_cache_refill_sheaf(node_cache(), gfp, &mas->sheaf, request) == 0;
}

static struct maple_node *sheaf_pop(struct ma_state *mas)
{
	struct maple_node *node = mas->alloc;

	mas->alloc = NULL;
	if (node || !mas->sheaf)
		return node;
	count_event(EVENT_NODE_ALLOC, 1);
	return kmem_cache_alloc_from_sheaf(node_cache(), GFP_NOWAIT, mas->sheaf);
}

/* ---- Either ----------------------------------------------------------------------- */

/**
 * mas_alloc_nodes() - get what node_request asks for.
 * Return: true, node_request is 0; false: no memory, the state is in error and what
 * was got stays until mas_destroy().
 */
bool mas_alloc_nodes(struct ma_state *mas, gfp_t gfp)
{
	bool filled = true;

	if (mas->node_request)
		filled = kmem_cache_has_sheaves(node_cache()) ? sheaf_fill(mas, gfp)
							      : batches_fill(mas, gfp);
	if (likely(filled))
		mas->node_request = 0;
	else
		mas_set_err(mas, -ENOMEM);
	return filled;
}

/* mas_pop_node() - an empty node. Running out is a fault of the count in prealloc.c. */
struct maple_node *mas_pop_node(struct ma_state *mas)
{
	struct maple_node *node;

	node = kmem_cache_has_sheaves(node_cache()) ? sheaf_pop(mas) : batches_pop(mas);
	vm_assert(node != NULL);
	mem_zero(node, sizeof(*node));
	return node;
}

void mas_destroy(struct ma_state *mas)
{
	mas->mas_flags &= (u8)~MA_STATE_PREALLOC;
	mas->node_request = 0;
	if (mas->sheaf) {
		kmem_cache_return_sheaf(node_cache(), GFP_NOWAIT, mas->sheaf);
		mas->sheaf = NULL;
	}
	if (!mas->alloc)
		return;
	if (kmem_cache_has_sheaves(node_cache())) {
		kmem_cache_free(node_cache(), mas->alloc);
		mas->alloc = NULL;
		return;
	}
	batches_return(mas);
}

bool mas_nomem(struct ma_state *mas, gfp_t gfp)
{
	if (likely(!mas_is_err(mas) || xa_err(mas->node) != -ENOMEM))
		return false;
	if ((gfp & GFP_KERNEL) == GFP_KERNEL && !mt_external_lock(mas->tree)) {
		mtree_unlock(mas->tree);
		mas_alloc_nodes(mas, gfp);
		mtree_lock(mas->tree);
	} else {
		mas_alloc_nodes(mas, gfp);
	}
	if (mas->node_request)
		return false;
	mas->status = ma_start;
	return true;
}

/* ---- Away with them ----------------------------------------------------------------- */

/*
 * Readers that still stand in the node restart. The mark must be seen before the
 * node's words are used for anything else.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wtsan" /* the race detector has no fences; readers are checked */
void mte_set_node_dead(struct maple_enode *enode)
{
	struct maple_node *node = mte_to_node(enode);

	WRITE_ONCE(node->parent, (unsigned long)node);
	smp_wmb();
}
#pragma GCC diagnostic pop

static void node_free_callback(struct rcu_head *head)
{
	kmem_cache_free(node_cache(), container_of(head, struct maple_node, rcu));
}

/* ma_free_rcu() - free one dead node after a grace period. */
void ma_free_rcu(struct maple_node *node)
{
	vm_assert(ma_dead_node(node));
	if (kmem_cache_frees_by_sheaf(node_cache()))
		kfree_rcu(node, rcu);
	else
		call_rcu(&node->rcu, node_free_callback);
}

/* mt_free_one(), mt_free_bulk() - nobody looks at them any more. */
void mt_free_one(struct maple_node *node)
{
	kmem_cache_free(node_cache(), node);
}

void mt_free_bulk(size_t count, void **nodes)
{
	kmem_cache_free_bulk(node_cache(), count, nodes);
}
