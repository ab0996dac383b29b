/* SPDX-License-Identifier: MIT */
/*
 * store.c - the ways to store: with memory got on the way, with memory got before,
 * and removing.
 *
 * Each is: decide and count (prealloc.c), allocate, then mas_wr_store_entry(), which
 * cannot fail. A reader sees the old tree until one release store publishes the new.
 * mas_store() and mas_store_prealloc() count one write event each; a rewrite of
 * nodes counts its own, whoever asked for it.
 *
 * Called by the writer, under the tree's lock.
 */
#include "mtree/internal.h"

bool mt_write_locked(struct maple_tree *mt)
{
	if (!mt_external_lock(mt))
		return spin_is_locked(&mt->ma_lock);
	return !mt->ma_external_lock || rwsem_is_write_locked(mt->ma_external_lock);
}

/* mas_wr_store_entry() - do what was decided. */
void mas_wr_store_entry(struct ma_wr_state *wr)
{
	switch (wr->mas->store_type) {
	case wr_exact_fit:
		mas_wr_exact_fit(wr);
		return;
	case wr_slot_store:
		mas_wr_slot_store(wr);
		return;
	case wr_node_store:
		mas_wr_node_store(wr);
		return;
	case wr_append:
		mas_wr_append(wr);
		return;
	case wr_split_store:
		mas_wr_split(wr);
		return;
	case wr_rebalance:
		mas_wr_rebalance(wr);
		return;
	case wr_spanning_store:
		mas_wr_spanning_store(wr);
		return;
	case wr_new_root:
		mas_new_root(wr->mas, wr->entry);
		return;
	case wr_store_root:
		mas_store_root(wr->mas, wr->entry);
		return;
	case wr_invalid:
		break;
	}
	vm_bug("a store that was not decided");
}

int mas_store_gfp(struct ma_state *mas, void *entry, gfp_t gfp)
{
	unsigned long index = mas->index, last = mas->last;
	MA_WR_STATE(wr, mas, entry);

	vm_assert_slow(mt_write_locked(mas->tree));
	for (;;) {
		wr = (struct ma_wr_state){ .mas = mas, .entry = entry };
		mas_wr_preallocate(&wr);
		if (likely(!mas_is_err(mas)))
			break;
		if (!mas_nomem(mas, gfp)) {
			int error = xa_err(mas->node);

			mas_destroy(mas);
			return error;
		}
		/* The lock may have been dropped, and a NULL may have been widened. */
		mas->index = index;
		mas->last = last;
	}
	mas_wr_store_entry(&wr);
	mas_destroy(mas);
	return 0;
}

void *mas_store(struct ma_state *mas, void *entry)
{
	MA_WR_STATE(wr, mas, entry);

	vm_assert_slow(mt_write_locked(mas->tree));
	count_event(EVENT_MA_WRITE, 1);
	mas_wr_prealloc_setup(&wr);
	mas_wr_store_type(&wr);
	if (mas->mas_flags & MA_STATE_PREALLOC) {
		mas_wr_store_entry(&wr);
		return wr.content;
	}
	mas_prealloc_calc(&wr);
	if (likely(mas_alloc_nodes(mas, GFP_NOWAIT)))
		mas_wr_store_entry(&wr);
	mas_destroy(mas);
	return wr.content;
}

/* The position of the preparation, found again: a walk in one node, not in the tree. */
static void find_prepared(struct ma_wr_state *wr)
{
	struct ma_state *mas = wr->mas;

	if (mas->store_type == wr_store_root || !mas_is_active(mas)) {
		mas_wr_prealloc_setup(wr);
		mas_wr_store_type(wr);
		return;
	}
	mas_wr_walk_descend(wr);
	if (mas->store_type == wr_spanning_store)
		return;
	wr->content = wr->slots[mas->offset];
	mas_wr_end_piv(wr);
}

void mas_store_prealloc(struct ma_state *mas, void *entry)
{
	MA_WR_STATE(wr, mas, entry);

	vm_assert_slow(mt_write_locked(mas->tree));
	vm_assert(mas->mas_flags & MA_STATE_PREALLOC);
	count_event(EVENT_MA_WRITE, 1);
	find_prepared(&wr);
	mas_wr_store_entry(&wr);
	mas_destroy(mas);
}

void *mas_erase(struct ma_state *mas)
{
	unsigned long index = mas->index;

	vm_assert_slow(mt_write_locked(mas->tree));
	for (;;) {
		void *entry = mas_walk(mas);
		MA_WR_STATE(wr, mas, NULL);

		if (!entry)
			return NULL;
		/* From the root, so that emptying a leaf's end is seen to span. */
		mas_reset(mas);
		mas_wr_preallocate(&wr);
		if (likely(!mas_is_err(mas))) {
			mas_wr_store_entry(&wr);
			mas_destroy(mas);
			return entry;
		}
		if (!mas_nomem(mas, GFP_KERNEL)) {
			mas_destroy(mas);
			return entry;
		}
		mas->index = mas->last = index;
	}
}
