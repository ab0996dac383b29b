/* SPDX-License-Identifier: MIT */
/*
 * objects.c - objects by node and in bulk: sheaves first, slabs for the rest.
 *
 * Bulk calls copy pointers between the caller's array and the main sheaf and
 * exchange whole sheaves with the barn; they never fill or make a sheaf. What is
 * left goes past the sheaves.
 */
#include "alloc/internal.h"

bool object_is_local(const void *object)
{
	return slab_nid((struct slab *)virt_to_head_page(object)) == numa_node_id();
}

static struct slab_sheaf *last_of_main_is_local(struct slub_percpu_sheaves *pcs)
{
	struct slab_sheaf *main = pcs->main;

	return object_is_local(main->objects[main->size - 1]) ? main : NULL;
}

/* From the sheaf if its next object lies on this CPU's node; a wrong one stays. */
static void *alloc_local_from_pcs(struct kmem_cache *s, gfp_t gfp)
{
	struct slub_percpu_sheaves *pcs = pcs_trylock(s);
	struct slab_sheaf *main;
	void *object = NULL;

	if (pcs && !pcs->main->size)
		pcs = __pcs_replace_empty_main(s, pcs, gfp);
	if (!pcs)
		return NULL;
	main = last_of_main_is_local(pcs);
	if (main)
		object = main->objects[--main->size];
	pcs_unlock(pcs);
	stat_add(s->index, object ? STAT_ALLOC_CPU_SHEAF : STAT_ALLOC_NODE_MISMATCH, 1);
	return object;
}

void *kmem_cache_alloc_node(struct kmem_cache *s, gfp_t gfp, int node)
{
	void *object = NULL;

	if (node == NUMA_NO_NODE)
		return kmem_cache_alloc(s, gfp);
	if (s->sheaf_capacity && (unsigned)node == numa_node_id())
		object = alloc_local_from_pcs(s, gfp);
	if (!object)
		object = slab_alloc_node(s, gfp, node);
	if (!object)
		return NULL;
	slab_mark_alloc(s, object);
	if (gfp & __GFP_ZERO)
		mem_zero(object, s->object_size);
	return object;
}

/* ---- Bulk allocation -------------------------------------------------------------- */

/* The main sheaf holds something, without filling one. */
static bool bulk_find_full(struct kmem_cache *s, struct slub_percpu_sheaves *pcs)
{
	struct slab_sheaf *full;

	if (pcs->main->size)
		return true;
	if (pcs->spare && pcs->spare->size) {
		full = pcs->spare;
		pcs->spare = pcs->main;
		pcs->main = full;
		return true;
	}
	full = barn_replace_empty_sheaf(get_barn(s), pcs->main);
	stat_add(s->index, full ? STAT_BARN_GET : STAT_BARN_GET_FAIL, 1);
	if (full)
		pcs->main = full;
	return full;
}

static size_t alloc_from_pcs_bulk(struct kmem_cache *s, size_t size, void **p)
{
	size_t done = 0;

	while (done < size) {
		struct slub_percpu_sheaves *pcs = pcs_trylock(s);
		struct slab_sheaf *main;
		unsigned batch;

		if (!pcs)
			break;
		if (!bulk_find_full(s, pcs)) {
			pcs_unlock(pcs);
			break;
		}
		main = pcs->main;
		batch = (unsigned)min(size - done, (size_t)main->size);
		main->size -= batch;
		mem_copy(p + done, main->objects + main->size, batch * sizeof(void *));
		pcs_unlock(pcs);
		stat_add(s->index, STAT_ALLOC_CPU_SHEAF, batch);
		done += batch;
	}
	return done;
}

unsigned kmem_cache_alloc_bulk(struct kmem_cache *s, gfp_t gfp, size_t size, void **p)
{
	size_t done = s->sheaf_capacity ? alloc_from_pcs_bulk(s, size, p) : 0;

	if (done < size && !slab_alloc_bulk(s, gfp, size - done, p + done)) {
		for (size_t i = 0; i < done; i++)
			slab_free(s, p[i]);
		return 0;
	}
	for (size_t i = 0; i < size; i++) {
		slab_mark_alloc(s, p[i]);
		if (gfp & __GFP_ZERO)
			mem_zero(p[i], s->object_size);
	}
	return (unsigned)size;
}

/* ---- Bulk freeing ------------------------------------------------------------------- */

/* The main sheaf has room, without making or flushing a sheaf. */
static bool bulk_find_room(struct kmem_cache *s, struct slub_percpu_sheaves *pcs)
{
	struct slab_sheaf *empty;

	if (pcs->main->size < s->sheaf_capacity)
		return true;
	if (pcs->spare && pcs->spare->size < s->sheaf_capacity) {
		empty = pcs->spare;
		pcs->spare = pcs->main;
	} else if (!pcs->spare) {
		empty = barn_get_empty_sheaf(get_barn(s));
		if (!empty)
			return false;
		pcs->spare = pcs->main;
	} else if (barn_replace_full_sheaf(get_barn(s), pcs->main, s->barn_max_full, &empty)) {
		stat_add(s->index, STAT_BARN_PUT_FAIL, 1);
		return false;
	} else {
		stat_add(s->index, STAT_BARN_PUT, 1);
	}
	pcs->main = empty;
	return true;
}

static void free_to_pcs_bulk(struct kmem_cache *s, size_t size, void **p)
{
	while (size) {
		struct slub_percpu_sheaves *pcs = pcs_trylock(s);
		struct slab_sheaf *main;
		unsigned batch;

		if (!pcs)
			break;
		if (!bulk_find_room(s, pcs)) {
			pcs_unlock(pcs);
			break;
		}
		main = pcs->main;
		batch = (unsigned)min(size, (size_t)(s->sheaf_capacity - main->size));
		mem_copy(main->objects + main->size, p, batch * sizeof(void *));
		main->size += batch;
		pcs_unlock(pcs);
		stat_add(s->index, STAT_FREE_CPU_SHEAF, batch);
		p += batch;
		size -= batch;
	}
	slab_free_bulk(s, size, p);
}

/* Objects of other nodes never enter sheaves: flushed here. Return: how many are left. */
static size_t flush_remote(struct kmem_cache *s, size_t size, void **p)
{
	void *remote[PCS_BATCH_MAX];
	unsigned nr = 0;

	for (size_t i = 0; i < size;) {
		if (object_is_local(p[i])) {
			i++;
			continue;
		}
		remote[nr++] = p[i];
		p[i] = p[--size];
		if (nr == PCS_BATCH_MAX) {
			slab_free_bulk(s, nr, remote);
			nr = 0;
		}
	}
	slab_free_bulk(s, nr, remote);
	return size;
}

/* Those the caller may free move to the front. */
static size_t refuse_faulty(struct kmem_cache *s, size_t size, void **p)
{
	size_t good = 0;

	for (size_t i = 0; i < size; i++) {
		if (unlikely(!in_arena(p[i])))
			slab_fault_foreign(s, p[i]);
		else if (slab_mark_free(s, p[i]))
			p[good++] = p[i];
	}
	return good;
}

void kmem_cache_free_bulk(struct kmem_cache *s, size_t size, void **p)
{
	size = refuse_faulty(s, size, p);
	if (!s->sheaf_capacity) {
		slab_free_bulk(s, size, p);
		return;
	}
	if (s->check_node)
		size = flush_remote(s, size, p);
	free_to_pcs_bulk(s, size, p);
}
