/* SPDX-License-Identifier: MIT */
/*
 * rmap.c - who maps a page: a VMA's place in its file's list, and the locks that keep
 * the way back from page to VMA true while a VMA's range changes.
 *
 *	mmap_lock > VMA lock > i_mmap_rwsem > root of the anon_vma > page_table_lock
 *
 * Whoever changes the range of a VMA that is in the tree stands between vma_prepare()
 * and vma_complete(), the store into the tree included. VMAs that go leave their
 * lists in batches: one i_mmap_rwsem for up to eight VMAs of one file.
 *
 * Context: mmap_lock held for writing; for unlink_vmas() reading is enough, since its
 * VMAs are in no tree that others see.
 */
#include "sim/internal.h"

static struct rw_semaphore *i_mmap_lock(const struct file *file)
{
	return &file->inode->i_mmap_rwsem;
}

void vma_link_file(struct vm_area_struct *vma)
{
	if (!vma->vm_file)
		return;
	down_write(i_mmap_lock(vma->vm_file));
	list_add_tail(&vma->shared, &vma->vm_file->inode->i_mmap);
	up_write(i_mmap_lock(vma->vm_file));
}

/* ---- A range changes ---- */

void vma_prepare(const struct vma_prepare *vp)
{
	if (vp->vma->vm_file)
		down_write(i_mmap_lock(vp->vma->vm_file));
	if (vp->anon_vma)
		down_write(&vp->anon_vma->root->rwsem);
}

void vma_complete(const struct vma_prepare *vp)
{
	struct file *file = vp->vma->vm_file;

	if (vp->anon_vma)
		up_write(&vp->anon_vma->root->rwsem);
	if (!file)
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(vp->remove); i++)
		if (vp->remove[i])
			list_del_init(&vp->remove[i]->shared);
	if (vp->insert)
		list_add_tail(&vp->insert->shared, &file->inode->i_mmap);
	up_write(i_mmap_lock(file));
}

/* ---- VMAs go ---- */

enum { UNLINK_BATCH = 8 };

struct unlink_batch {
	unsigned count;
	struct vm_area_struct *vmas[UNLINK_BATCH];
};

static void batch_process(struct unlink_batch *batch)
{
	struct rw_semaphore *lock;

	if (!batch->count)
		return;
	lock = i_mmap_lock(batch->vmas[0]->vm_file);
	down_write(lock);
	for (unsigned i = 0; i < batch->count; i++) {
		vm_assert_slow(batch->vmas[i]->vm_file == batch->vmas[0]->vm_file);
		list_del_init(&batch->vmas[i]->shared);
	}
	up_write(lock);
	batch->count = 0;
}

static void batch_add(struct unlink_batch *batch, struct vm_area_struct *vma)
{
	if (!vma->vm_file)
		return;
	if (batch->count == UNLINK_BATCH ||
	    (batch->count && batch->vmas[0]->vm_file != vma->vm_file))
		batch_process(batch);
	batch->vmas[batch->count++] = vma;
}

void unlink_vmas(struct maple_tree *vmas)
{
	MA_STATE(mas, vmas, 0, 0);
	struct unlink_batch batch = {0};
	struct vm_area_struct *vma;

	for_each_vma(mas, vma) {
		if (xa_is_zero(vma))
			continue;
		unlink_anon_vmas(vma);
		batch_add(&batch, vma);
	}
	batch_process(&batch);
}
