/* SPDX-License-Identifier: MIT */
/*
 * kmalloc.c - memory by size, from caches without sheaves.
 *
 * Above 8 KiB whole pages are taken; only sheaves of large capacity need that, so
 * the public calls refuse it. kfree() tells a slab from such pages by the
 * descriptor's upper half.
 *
 * Context: any.
 */
#include "alloc/internal.h"

const unsigned kmalloc_sizes[NR_KMALLOC] = {
	8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192,
};

static const struct object_type large_type = {.name = "kmalloc-large", .size = 0};

static struct kmem_cache *kmalloc_cache(size_t size)
{
	for (unsigned i = 0; i < NR_KMALLOC; i++)
		if (size <= kmalloc_sizes[i])
			return slab_state()->kmalloc[i];
	return NULL;
}

void *kmalloc(size_t size, gfp_t gfp)
{
	struct kmem_cache *s = kmalloc_cache(size);

	return s ? kmem_cache_alloc(s, gfp) : NULL;
}

void *kzalloc(size_t size, gfp_t gfp)
{
	return kmalloc(size, gfp | __GFP_ZERO);
}

static void *zalloc_pages(size_t size)
{
	unsigned order = 0;
	struct page *page;
	void *memory;

	while (PAGE_SIZE << order < size)
		order++;
	page = page_alloc(numa_node_id(), order, &large_type);
	if (!page)
		return NULL;
	page->word[0] = LARGE_MAGIC << 32 | (u64)order << SLAB_ORDER_SHIFT;
	memory = page_address(page);
	mem_zero(memory, size);
	return memory;
}

void *kzalloc_any(size_t size, gfp_t gfp)
{
	if (size <= kmalloc_sizes[NR_KMALLOC - 1])
		return kzalloc(size, gfp);
	return size <= PAGE_SIZE << 10 ? zalloc_pages(size) : NULL;
}

static bool free_pages_of(const void *object)
{
	struct page *page = virt_to_head_page(object);
	unsigned order = (unsigned)((page->word[0] & SLAB_ORDER_MASK) >> SLAB_ORDER_SHIFT);

	if (page->word[0] >> 32 != LARGE_MAGIC || page_address(page) != object)
		return false;
	page->word[0] = 0;
	page_free(page, order);
	return true;
}

void kfree(const void *object)
{
	void *p = (void *)(uintptr_t)object;
	struct slab *slab;

	if (!object)
		return;
	slab = in_arena(object) ? virt_to_slab(object) : NULL;
	if (likely(slab)) {
		if (likely(slab_mark_free(slab->slab_cache, object)))
			slab_free(slab->slab_cache, p);
		return;
	}
	if (!in_arena(object) || !free_pages_of(object))
		slab_fault_foreign(NULL, object);
}
