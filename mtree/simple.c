/* SPDX-License-Identifier: MIT */
/*
 * simple.c - the calls that need no state: they take the lock themselves.
 */
#include "mtree/internal.h"

void maple_tree_init(void)
{
	/* Pivots and slots of both layouts; behind an arange node's slots lie its gaps. */
	static const struct object_field fields[] = {
		{"parent", 0, sizeof(unsigned long)},
		{"pivot", offsetof(struct maple_range_64, pivot),
		 offsetof(struct maple_range_64, slot) - offsetof(struct maple_range_64, pivot)},
		{"slot", offsetof(struct maple_range_64, slot),
		 sizeof(struct maple_node) - offsetof(struct maple_range_64, slot)},
	};
	static const struct object_type type = OBJECT_TYPE(maple_node, fields);

	kmem_cache_describe(kernel_cache(CACHE_MAPLE_NODE), &type);
}

void mt_init_flags(struct maple_tree *mt, unsigned flags)
{
	mt->ma_flags = flags;
	if (mt_external_lock(mt))
		mt->ma_external_lock = NULL;
	else
		spin_lock_init(&mt->ma_lock, LOCK_MA_LOCK);
	rcu_assign_pointer(mt->ma_root, NULL);
}

void mt_set_in_rcu(struct maple_tree *mt)
{
	WRITE_ONCE(mt->ma_flags, mt->ma_flags | MT_FLAGS_USE_RCU);
}

void mt_clear_in_rcu(struct maple_tree *mt)
{
	WRITE_ONCE(mt->ma_flags, mt->ma_flags & ~MT_FLAGS_USE_RCU);
}

/* ---- Reading ---- */

void *mtree_load(struct maple_tree *mt, unsigned long index)
{
	MA_STATE(mas, mt, index, index);
	void *entry;

	rcu_read_lock();
	entry = mas_walk(&mas);
	rcu_read_unlock();
	return xa_is_zero(entry) ? NULL : entry;
}

void *mt_find(struct maple_tree *mt, unsigned long *index, unsigned long max)
{
	MA_STATE(mas, mt, *index, *index);
	void *entry;

	if (*index > max)
		return NULL;
	rcu_read_lock();
	do {
		entry = mas_find(&mas, max);
	} while (xa_is_zero(entry));
	rcu_read_unlock();
	if (entry)
		*index = mas.last + 1;
	return entry;
}

void *mt_find_after(struct maple_tree *mt, unsigned long *index, unsigned long max)
{
	return *index ? mt_find(mt, index, max) : NULL;
}

void *mt_next(struct maple_tree *mt, unsigned long index, unsigned long max)
{
	MA_STATE(mas, mt, index, index);
	void *entry;

	rcu_read_lock();
	entry = mas_next(&mas, max);
	rcu_read_unlock();
	return entry;
}

void *mt_prev(struct maple_tree *mt, unsigned long index, unsigned long min)
{
	MA_STATE(mas, mt, index, index);
	void *entry;

	rcu_read_lock();
	entry = mas_prev(&mas, min);
	rcu_read_unlock();
	return entry;
}

/* ---- Writing ---- */

static bool range_is_taken(struct maple_tree *mt, unsigned long first, unsigned long last)
{
	MA_STATE(mas, mt, first, first);

	return mas_find(&mas, last) != NULL;
}

static int store_range(struct maple_tree *mt, unsigned long first, unsigned long last, void *entry,
		       gfp_t gfp, bool only_empty)
{
	MA_STATE(mas, mt, first, last);
	int error;

	if (mt_is_reserved(entry) || first > last)
		return -EINVAL;
	mtree_lock(mt);
	if (only_empty && range_is_taken(mt, first, last))
		error = -EEXIST;
	else
		error = mas_store_gfp(&mas, entry, gfp);
	mtree_unlock(mt);
	return error;
}

int mtree_store_range(struct maple_tree *mt, unsigned long first, unsigned long last, void *entry,
		      gfp_t gfp)
{
	return store_range(mt, first, last, entry, gfp, false);
}

int mtree_store(struct maple_tree *mt, unsigned long index, void *entry, gfp_t gfp)
{
	return store_range(mt, index, index, entry, gfp, false);
}

int mtree_insert_range(struct maple_tree *mt, unsigned long first, unsigned long last, void *entry,
		       gfp_t gfp)
{
	return entry ? store_range(mt, first, last, entry, gfp, true) : -EINVAL;
}

int mtree_insert(struct maple_tree *mt, unsigned long index, void *entry, gfp_t gfp)
{
	return mtree_insert_range(mt, index, index, entry, gfp);
}

void *mtree_erase(struct maple_tree *mt, unsigned long index)
{
	MA_STATE(mas, mt, index, index);
	void *entry;

	mtree_lock(mt);
	entry = mas_erase(&mas);
	mtree_unlock(mt);
	return entry;
}
