/* SPDX-License-Identifier: MIT */
/*
 * pcs.c - when this CPU's main sheaf is empty or full.
 *
 * Cheap first: swap with the spare (no shared line), exchange with the barn (one
 * lock), else drop the lock and fill or make a sheaf. What was dropped may have
 * changed when it is held again: a callback ran, or the task moved. So each way
 * back looks at main and spare anew, and nothing is taken for granted but that
 * main exists.
 *
 * Both functions are entered with the CPU's lock held and return with it held (of
 * the CPU then running), or NULL without it.
 */
#include "alloc/internal.h"

static void swap_main_spare(struct slub_percpu_sheaves *pcs)
{
	struct slab_sheaf *main = pcs->main;

	pcs->main = pcs->spare;
	pcs->spare = main;
}

static bool may_block(gfp_t gfp)
{
	return (gfp & GFP_KERNEL) == GFP_KERNEL;
}

/* ---- Empty main ---------------------------------------------------------------- */

/* The spare is empty here. Kept out of the CPU while it is refilled. */
static struct slab_sheaf *take_empty_sheaf(struct slub_percpu_sheaves *pcs, struct node_barn *barn)
{
	struct slab_sheaf *spare = pcs->spare;

	if (!spare)
		return barn_get_empty_sheaf(barn);
	pcs->spare = NULL;
	return spare;
}

/* Fill @sheaf, or a new one; NULL: no memory, @sheaf is freed. */
static struct slab_sheaf *fill_sheaf(struct kmem_cache *s, struct slab_sheaf *sheaf, gfp_t gfp)
{
	if (!sheaf)
		sheaf = alloc_empty_sheaf(s, gfp);
	if (!sheaf)
		return NULL;
	if (!refill_sheaf(s, sheaf, gfp))
		return sheaf;
	sheaf_flush_unused(s, sheaf);
	free_empty_sheaf(s, sheaf);
	return NULL;
}

struct slub_percpu_sheaves *pcs_install_full_sheaf(struct kmem_cache *s,
						   struct slub_percpu_sheaves *pcs,
						   struct slab_sheaf *full, struct node_barn *barn)
{
	/* Nobody came between; 6.18 gives the empty main to the barn even if there is room. */
	if (likely(!pcs->main->size)) {
		barn_put_empty_sheaf(barn, pcs->main);
		pcs->main = full;
		return pcs;
	}
	if (!pcs->spare) {
		pcs->spare = full;
		return pcs;
	}
	if (!pcs->spare->size) {
		barn_put_empty_sheaf(barn, pcs->spare);
		pcs->spare = full;
		return pcs;
	}
	barn_put_full_sheaf(barn, full);
	stat_add(s->index, STAT_BARN_PUT, 1);
	return pcs;
}

struct slub_percpu_sheaves *__pcs_replace_empty_main(struct kmem_cache *s,
						     struct slub_percpu_sheaves *pcs, gfp_t gfp)
{
	struct slab_sheaf *full, *empty;
	struct node_barn *barn;

	if (pcs->spare && pcs->spare->size) {
		swap_main_spare(pcs);
		return pcs;
	}
	barn = get_barn(s);
	full = barn_replace_empty_sheaf(barn, pcs->main);
	if (full) {
		stat_add(s->index, STAT_BARN_GET, 1);
		pcs->main = full;
		return pcs;
	}
	stat_add(s->index, STAT_BARN_GET_FAIL, 1);
	if (!may_block(gfp)) {
		pcs_unlock(pcs);
		return NULL;
	}
	empty = take_empty_sheaf(pcs, barn);
	pcs_unlock(pcs);
	full = fill_sheaf(s, empty, gfp);
	if (!full)
		return NULL;
	pcs = pcs_trylock(s);
	if (unlikely(!pcs)) {
		barn_put_full_sheaf(barn, full);
		stat_add(s->index, STAT_BARN_PUT, 1);
		return NULL;
	}
	return pcs_install_full_sheaf(s, pcs, full, barn);
}

/* ---- Full main ------------------------------------------------------------------- */

void pcs_install_empty_sheaf(struct kmem_cache *s, struct slub_percpu_sheaves *pcs,
			     struct slab_sheaf *empty, struct node_barn *barn)
{
	if (likely(!pcs->spare)) {
		pcs->spare = pcs->main;
		pcs->main = empty;
		return;
	}
	if (pcs->main->size < s->sheaf_capacity) {
		barn_put_empty_sheaf(barn, empty);
		return;
	}
	if (pcs->spare->size < s->sheaf_capacity) {
		swap_main_spare(pcs);
		barn_put_empty_sheaf(barn, empty);
		return;
	}
	/* All full: the barn takes one whatever its limit. */
	barn_put_full_sheaf(barn, pcs->main);
	stat_add(s->index, STAT_BARN_PUT, 1);
	pcs->main = empty;
}

/* Room without dropping the lock: 0, or why not (-E2BIG, -ENOMEM). */
static int make_room(struct kmem_cache *s, struct slub_percpu_sheaves *pcs, struct node_barn *barn)
{
	struct slab_sheaf *empty;
	int error;

	if (!pcs->spare) {
		empty = barn_get_empty_sheaf(barn);
		if (!empty)
			return -ENOENT;
		pcs->spare = pcs->main;
		pcs->main = empty;
		return 0;
	}
	if (pcs->spare->size < s->sheaf_capacity) {
		swap_main_spare(pcs);
		return 0;
	}
	error = barn_replace_full_sheaf(barn, pcs->main, s->barn_max_full, &empty);
	if (error)
		return error;
	stat_add(s->index, STAT_BARN_PUT, 1);
	pcs->main = empty;
	return 0;
}

/* The barn has enough full ones: flush the spare and use its sheaf. Drops the lock. */
static struct slab_sheaf *flush_spare(struct kmem_cache *s, struct slub_percpu_sheaves *pcs)
{
	struct slab_sheaf *spare = pcs->spare;

	stat_add(s->index, STAT_BARN_PUT_FAIL, 1);
	pcs->spare = NULL;
	pcs_unlock(pcs);
	sheaf_flush_unused(s, spare);
	return spare;
}

/* No sheaf to be had: flush the main one. NULL: still full or not locked. */
static struct slub_percpu_sheaves *flush_and_relock(struct kmem_cache *s, int error)
{
	if (error == -ENOMEM)
		stat_add(s->index, STAT_BARN_PUT_FAIL, 1);
	if (!sheaf_flush_main(s))
		return NULL;
	return pcs_trylock(s);
}

struct slub_percpu_sheaves *__pcs_replace_full_main(struct kmem_cache *s,
						    struct slub_percpu_sheaves *pcs)
{
	do {
		struct node_barn *barn = get_barn(s);
		int error = make_room(s, pcs, barn);
		struct slab_sheaf *empty;

		if (!error)
			return pcs;
		if (error == -E2BIG) {
			empty = flush_spare(s, pcs);
		} else {
			pcs_unlock(pcs);
			empty = alloc_empty_sheaf(s, GFP_NOWAIT);
		}
		if (likely(empty)) {
			pcs = pcs_trylock(s);
			if (pcs)
				pcs_install_empty_sheaf(s, pcs, empty, barn);
			else
				barn_put_empty_sheaf(barn, empty);
			return pcs;
		}
		pcs = flush_and_relock(s, error);
	} while (pcs && pcs->main->size == s->sheaf_capacity);
	return pcs;
}
