/* SPDX-License-Identifier: MIT */
/*
 * vma.c - making, copying, finding and dropping VMAs.
 *
 * Context: mmap_lock held for writing unless said otherwise. VMAs are freed at
 * once, without waiting for readers: their memory stays a VMA, and a reader that
 * got hold of one checks it again under its lock.
 */
#include "sim/internal.h"

struct vm_area_struct *vm_area_alloc(struct mm_struct *mm)
{
	struct vm_area_struct *vma =
		kmem_cache_alloc(kernel_cache(CACHE_VM_AREA_STRUCT), GFP_KERNEL);

	if (!vma)
		return NULL;
	mem_zero(vma, sizeof(*vma));
	count_event(EVENT_VMA_ALLOC, 1);
	vma->vm_mm = mm;
	INIT_LIST_HEAD(&vma->anon_vma_chain);
	INIT_LIST_HEAD(&vma->shared);
	vma_lock_init(&vma->vm_lock);
	return vma;
}

/* A copy that is in no list and no tree; file and chain are the caller's to take. */
struct vm_area_struct *vm_area_dup(struct vm_area_struct *vma)
{
	struct vm_area_struct *copy =
		kmem_cache_alloc(kernel_cache(CACHE_VM_AREA_STRUCT), GFP_KERNEL);

	if (!copy)
		return NULL;
	mem_copy(copy, vma, sizeof(*copy));
	count_event(EVENT_VMA_ALLOC, 1);
	INIT_LIST_HEAD(&copy->anon_vma_chain);
	INIT_LIST_HEAD(&copy->shared);
	vma_lock_init(&copy->vm_lock);
	return copy;
}

void vm_area_free(struct vm_area_struct *vma)
{
	count_event(EVENT_VMA_FREE, 1);
	kmem_cache_free(kernel_cache(CACHE_VM_AREA_STRUCT), vma);
}

void vma_link_file(struct vm_area_struct *vma)
{
	struct inode *inode;

	if (!vma->vm_file)
		return;
	inode = vma->vm_file->inode;
	down_write(&inode->i_mmap_rwsem);
	list_add_tail(&vma->shared, &inode->i_mmap);
	up_write(&inode->i_mmap_rwsem);
}

void vma_unlink_file(struct vm_area_struct *vma)
{
	struct inode *inode;

	if (!vma->vm_file)
		return;
	inode = vma->vm_file->inode;
	down_write(&inode->i_mmap_rwsem);
	list_del_init(&vma->shared);
	up_write(&inode->i_mmap_rwsem);
}

void remove_vma(struct vm_area_struct *vma)
{
	unlink_anon_vmas(vma);
	vma_unlink_file(vma);
	if (vma->vm_file)
		fput(vma->vm_file);
	vm_area_free(vma);
}

u64 vma_start_gap(const struct vm_area_struct *vma)
{
	u64 gap = (u64)vma->vm_mm->config.stack_guard_gap << PAGE_SHIFT;

	if (!(vma->vm_flags & VM_GROWSDOWN))
		return vma->vm_start;
	return vma->vm_start > gap ? vma->vm_start - gap : 0;
}

struct vm_area_struct *find_vma(struct mm_struct *mm, u64 addr)
{
	MA_STATE(mas, &mm->mm_mt, addr, addr);

	return mas_find(&mas, ~0ul);
}

int vma_store_new(struct mm_struct *mm, struct vm_area_struct *vma)
{
	MA_STATE(mas, &mm->mm_mt, vma->vm_start, vma->vm_end - 1);

	if (mas_preallocate(&mas, vma, GFP_KERNEL))
		return -ENOMEM;
	vma_start_write(vma);
	mas_store_prealloc(&mas, vma);
	mm->map_count++;
	vma_link_file(vma);
	return 0;
}
