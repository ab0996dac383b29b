/* SPDX-License-Identifier: MIT */
/*
 * find.c - reading: lookups and steps to neighbouring ranges.
 *
 * A step inside a leaf moves one slot; one that leaves the leaf walks again from
 * the root to the first index behind the range, which needs no more than the
 * tree's height of reads and no care for what a writer does to the parents.
 *
 * Where a step ends at its limit the state keeps its range and becomes `overflow`
 * (upwards) or `underflow` (downwards); a step back then finds the same range, and a
 * step on with a wider limit goes on from it. mas_find() alone stays `active` at its
 * limit, so that a loop may be resumed with a higher one.
 *
 * Called under rcu_read_lock() or the tree's lock. Readers store nothing. Progress:
 * a walk restarts only when a writer has published a change.
 */
#include "mtree/internal.h"

/* Walk to the range that holds @index; [index, last] becomes that range. */
static void *walk_to(struct ma_state *mas, unsigned long index)
{
	for (;;) {
		void *entry;

		mas_reset(mas);
		mas->index = index;
		entry = mas_start(mas);
		if (mas->status == ma_active) {
			entry = mas_descend_to_leaf(mas);
			if (likely(mas->status == ma_active))
				return entry;
			continue;
		}
		if (mas->status == ma_root && index) {
			mas->status = ma_none;
			mas->index = 1;
			mas->last = ULONG_MAX;
			return NULL;
		}
		mas->last = mas->status == ma_root ? 0 : ULONG_MAX;
		if (mas->status == ma_none)
			mas->index = 0;
		return entry;
	}
}

void *mas_walk(struct ma_state *mas)
{
	return walk_to(mas, mas->index);
}

/* The slot beside the state's in its leaf. False: there is none, or the leaf is dead. */
static bool step_in_leaf(struct ma_state *mas, int by, void **entry)
{
	struct maple_node *node;
	unsigned offset, end;
	unsigned long index, last;

	if (mas->status != ma_active || !mte_is_leaf(mas_enode(mas)))
		return false;
	node = mas_mn(mas);
	end = mas_data_end(mas);
	offset = mas->offset + (unsigned)by;
	if (offset > end) /* below 0 too */
		return false;
	index = ma_slot_min(node, offset, mas->min);
	last = ma_slot_max(node, offset, end, mas->max);
	*entry = ma_slot(node, mas_type(mas), offset);
	if (unlikely(ma_dead_node(node)))
		return false;
	/* A writer may have moved the boundary between: then walk. */
	if (unlikely(by > 0 ? index != mas->last + 1 : last != mas->index - 1))
		return false;
	mas->offset = (u8)offset;
	mas->end = (u8)end;
	mas->index = index;
	mas->last = last;
	return true;
}

static void *range_above(struct ma_state *mas)
{
	void *entry;

	return step_in_leaf(mas, 1, &entry) ? entry : walk_to(mas, mas->last + 1);
}

static void *range_below(struct ma_state *mas)
{
	void *entry;

	return step_in_leaf(mas, -1, &entry) ? entry : walk_to(mas, mas->index - 1);
}

/* The next range up to @max, NULL ranges only where @empty. */
static void *step_up(struct ma_state *mas, unsigned long max, bool empty)
{
	while (mas->last < max) {
		void *entry = range_above(mas);

		if (entry || empty)
			return entry;
	}
	mas->status = ma_overflow;
	return NULL;
}

static void *step_down(struct ma_state *mas, unsigned long min, bool empty)
{
	while (mas->index > min) {
		void *entry = range_below(mas);

		if (entry || empty)
			return entry;
	}
	mas->status = ma_underflow;
	return NULL;
}

void mas_pause(struct ma_state *mas)
{
	mas->status = ma_pause;
	mas->node = NULL;
}

/* ---- mas_find: the range at the index first, then the next ---- */

/* A step of mas_find(): the limit leaves the state where it is. */
static void *find_step_up(struct ma_state *mas, unsigned long max, bool empty)
{
	void *entry = step_up(mas, max, empty);

	if (mas->status == ma_overflow && mas->node)
		mas->status = ma_active;
	return entry;
}

static void *find_up(struct ma_state *mas, unsigned long max, bool empty)
{
	void *entry;

	switch (mas->status) {
	case ma_active:
	case ma_root:
		return find_step_up(mas, max, empty);
	case ma_error:
		return NULL;
	case ma_overflow:
		if (mas->last >= max)
			return NULL;
		break;
	case ma_pause:
	case ma_none:
		if (mas->last >= max)
			return NULL;
		mas->index = mas->status == ma_pause ? mas->last + 1 : mas->index;
		break;
	case ma_start:
	case ma_underflow:
		break;
	}
	if (mas->index > max) {
		mas->status = ma_overflow;
		return NULL;
	}
	entry = walk_to(mas, mas->index);
	return entry || empty ? entry : find_step_up(mas, max, false);
}

static void *find_down(struct ma_state *mas, unsigned long min, bool empty)
{
	void *entry;

	switch (mas->status) {
	case ma_active:
	case ma_root:
	case ma_underflow:
		return step_down(mas, min, empty);
	case ma_error:
		return NULL;
	case ma_pause:
		if (mas->index <= min)
			return NULL;
		mas->index--;
		break;
	case ma_none:
	case ma_start:
	case ma_overflow:
		break;
	}
	if (mas->index < min) {
		mas->status = ma_underflow;
		return NULL;
	}
	entry = walk_to(mas, mas->index);
	return entry || empty ? entry : step_down(mas, min, false);
}

void *mas_find(struct ma_state *mas, unsigned long max)
{
	return find_up(mas, max, false);
}

void *mas_find_range(struct ma_state *mas, unsigned long max)
{
	return find_up(mas, max, true);
}

void *mas_find_rev(struct ma_state *mas, unsigned long min)
{
	return find_down(mas, min, false);
}

void *mas_find_range_rev(struct ma_state *mas, unsigned long min)
{
	return find_down(mas, min, true);
}

/* ---- mas_next, mas_prev: never the range at the index itself ---- */

/*
 * Put the state on its own range. Return: true and the entry where a step in the
 * other direction had ended: that range is the answer.
 */
static bool settle(struct ma_state *mas, enum maple_status turned, void **entry)
{
	enum maple_status status = mas->status;

	if (status == ma_active || status == ma_root)
		return false;
	*entry = walk_to(mas, status == ma_pause && turned == ma_underflow ? mas->last :
									     mas->index);
	return status == turned && *entry;
}

static void *next_range(struct ma_state *mas, unsigned long max, bool empty)
{
	void *entry;

	if (mas->status == ma_error)
		return NULL;
	if (settle(mas, ma_underflow, &entry))
		return entry;
	return step_up(mas, max, empty);
}

static void *prev_range(struct ma_state *mas, unsigned long min, bool empty)
{
	void *entry;

	if (mas->status == ma_error)
		return NULL;
	if (settle(mas, ma_overflow, &entry))
		return entry;
	return step_down(mas, min, empty);
}

void *mas_next(struct ma_state *mas, unsigned long max)
{
	return next_range(mas, max, false);
}

void *mas_next_range(struct ma_state *mas, unsigned long max)
{
	return next_range(mas, max, true);
}

void *mas_prev(struct ma_state *mas, unsigned long min)
{
	return prev_range(mas, min, false);
}

void *mas_prev_range(struct ma_state *mas, unsigned long min)
{
	return prev_range(mas, min, true);
}
