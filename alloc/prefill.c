/* SPDX-License-Identifier: MIT */
/*
 * prefill.c - sheaves lent to callers that must not fail later.
 *
 * The maple tree asks for nodes before it changes anything. It is given the CPU's
 * spare sheaf whole, so the next miss of the main sheaf meets the barn, and
 * refills go to the capacity however few were asked for. More than the capacity
 * is an array of its own, never kept.
 *
 * The sheaf is the caller's alone until returned; it needs no lock.
 */
#include "alloc/internal.h"

static struct slab_sheaf *prefill_oversize(struct kmem_cache *s, gfp_t gfp, unsigned size)
{
	struct slab_sheaf *sheaf =
		kzalloc_any(sizeof(*sheaf) + (size_t)size * sizeof(void *), gfp);

	if (!sheaf)
		return NULL;
	stat_add(s->index, STAT_SHEAF_PREFILL_OVERSIZE, 1);
	sheaf->cache = s;
	sheaf->capacity = size;
	if (!slab_alloc_bulk(s, gfp, size, sheaf->objects)) {
		kfree(sheaf);
		return NULL;
	}
	sheaf->size = size;
	return sheaf;
}

/* From the barn; whether that was a full one is counted. */
static struct slab_sheaf *prefill_from_barn(struct kmem_cache *s)
{
	struct slab_sheaf *sheaf = barn_get_full_or_empty_sheaf(get_barn(s));

	stat_add(s->index, STAT_SHEAF_PREFILL_SLOW, 1);
	stat_add(s->index, sheaf && sheaf->size ? STAT_BARN_GET : STAT_BARN_GET_FAIL, 1);
	return sheaf;
}

static struct slab_sheaf *prefill_take(struct kmem_cache *s)
{
	struct slub_percpu_sheaves *pcs = pcs_trylock(s);
	struct slab_sheaf *sheaf;

	if (unlikely(!pcs))
		return prefill_from_barn(s);
	sheaf = pcs->spare;
	if (sheaf) {
		pcs->spare = NULL;
		stat_add(s->index, STAT_SHEAF_PREFILL_FAST, 1);
	} else {
		sheaf = prefill_from_barn(s);
	}
	pcs_unlock(pcs);
	return sheaf;
}

static void drop_sheaf(struct kmem_cache *s, struct slab_sheaf *sheaf)
{
	sheaf_flush_unused(s, sheaf);
	free_empty_sheaf(s, sheaf);
}

struct slab_sheaf *kmem_cache_prefill_sheaf(struct kmem_cache *s, gfp_t gfp, unsigned size)
{
	struct slab_sheaf *sheaf;

	if (unlikely(size > s->sheaf_capacity))
		return prefill_oversize(s, gfp, size);
	sheaf = prefill_take(s);
	if (!sheaf)
		sheaf = alloc_empty_sheaf(s, gfp);
	if (!sheaf)
		return NULL;
	sheaf->capacity = s->sheaf_capacity;
	if (sheaf->size < size && refill_sheaf(s, sheaf, gfp)) {
		drop_sheaf(s, sheaf);
		return NULL;
	}
	return sheaf;
}

/* An array of its own is filled by its own size. */
static int refill_lent(struct kmem_cache *s, gfp_t gfp, struct slab_sheaf *sheaf)
{
	if (sheaf->capacity == s->sheaf_capacity)
		return refill_sheaf(s, sheaf, gfp);
	if (!slab_alloc_bulk(s, gfp, sheaf->capacity - sheaf->size, sheaf->objects + sheaf->size))
		return -ENOMEM;
	sheaf->size = sheaf->capacity;
	return 0;
}

int kmem_cache_refill_sheaf(struct kmem_cache *s, gfp_t gfp, struct slab_sheaf **sheafp,
			    unsigned size)
{
	struct slab_sheaf *sheaf = *sheafp, *larger;

	if (sheaf->size >= size)
		return 0;
	if (sheaf->capacity >= size)
		return refill_lent(s, gfp, sheaf);
	larger = kmem_cache_prefill_sheaf(s, gfp, size);
	if (!larger)
		return -ENOMEM;
	kmem_cache_return_sheaf(s, gfp, sheaf);
	*sheafp = larger;
	return 0;
}

void *kmem_cache_alloc_from_sheaf(struct kmem_cache *s, gfp_t gfp, struct slab_sheaf *sheaf)
{
	void *object;

	if (unlikely(!sheaf->size))
		return NULL;
	object = sheaf->objects[--sheaf->size];
	slab_mark_alloc(s, object);
	if (unlikely(gfp & __GFP_ZERO))
		mem_zero(object, s->object_size);
	return object;
}

/* Becomes the spare where there is none, however little it holds. */
static bool return_as_spare(struct kmem_cache *s, struct slab_sheaf *sheaf)
{
	struct slub_percpu_sheaves *pcs = pcs_trylock(s);
	bool taken;

	if (unlikely(!pcs))
		return false;
	taken = !pcs->spare;
	if (taken)
		pcs->spare = sheaf;
	pcs_unlock(pcs);
	return taken;
}

void kmem_cache_return_sheaf(struct kmem_cache *s, gfp_t gfp, struct slab_sheaf *sheaf)
{
	struct node_barn *barn;

	if (unlikely(sheaf->capacity != s->sheaf_capacity)) {
		sheaf_flush_unused(s, sheaf);
		kfree(sheaf);
		return;
	}
	if (return_as_spare(s, sheaf)) {
		stat_add(s->index, STAT_SHEAF_RETURN_FAST, 1);
		return;
	}
	stat_add(s->index, STAT_SHEAF_RETURN_SLOW, 1);
	barn = get_barn(s);
	if (READ_ONCE(barn->nr_full) >= s->barn_max_full || refill_sheaf(s, sheaf, gfp)) {
		drop_sheaf(s, sheaf);
		return;
	}
	barn_put_full_sheaf(barn, sheaf);
	stat_add(s->index, STAT_BARN_PUT, 1);
}

unsigned kmem_cache_sheaf_size(const struct slab_sheaf *sheaf)
{
	return sheaf->size;
}

bool kmem_cache_has_sheaves(const struct kmem_cache *s)
{
	return s->sheaf_capacity != 0;
}
