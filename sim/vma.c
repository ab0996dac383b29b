/* SPDX-License-Identifier: MIT */
/*
 * vma.c - making, copying, finding and dropping VMAs.
 *
 * Context: mmap_lock held for writing unless said otherwise. VMAs are freed at
 * once, without waiting for readers: their memory stays a VMA, and a reader that
 * got hold of one checks it again under its lock.
 */
#include "sim/internal.h"

/*
 * A reader may still hold a pointer to what this memory was before: its lock is never
 * written as a whole. It is detached, and becomes free with the store into a tree.
 * @from: what to copy, NULL: zeroes.
 */
static void init_apart_from_lock(struct vm_area_struct *vma, const struct vm_area_struct *from)
{
	const size_t before = offsetof(struct vm_area_struct, vm_lock);
	const size_t after = before + sizeof(vma->vm_lock);

	vma_lock_init_detached(&vma->vm_lock);
	if (from) {
		mem_copy(vma, from, before);
		mem_copy((char *)vma + after, (const char *)from + after, sizeof(*vma) - after);
	} else {
		mem_zero(vma, before);
		mem_zero((char *)vma + after, sizeof(*vma) - after);
	}
}

struct vm_area_struct *vm_area_alloc(struct mm_struct *mm)
{
	struct vm_area_struct *vma =
		kmem_cache_alloc(kernel_cache(CACHE_VM_AREA_STRUCT), GFP_KERNEL);

	if (!vma)
		return NULL;
	init_apart_from_lock(vma, NULL);
	count_event(EVENT_VMA_ALLOC, 1);
	vma->vm_mm = mm;
	INIT_LIST_HEAD(&vma->anon_vma_chain);
	INIT_LIST_HEAD(&vma->shared);
	return vma;
}

/* A copy that is in no list and no tree; file and chain are the caller's to take. */
struct vm_area_struct *vm_area_dup(struct vm_area_struct *vma)
{
	struct vm_area_struct *copy =
		kmem_cache_alloc(kernel_cache(CACHE_VM_AREA_STRUCT), GFP_KERNEL);

	if (!copy)
		return NULL;
	init_apart_from_lock(copy, vma);
	count_event(EVENT_VMA_ALLOC, 1);
	INIT_LIST_HEAD(&copy->anon_vma_chain);
	INIT_LIST_HEAD(&copy->shared);
	return copy;
}

void vm_area_free(struct vm_area_struct *vma)
{
	count_event(EVENT_VMA_FREE, 1);
	kmem_cache_free(kernel_cache(CACHE_VM_AREA_STRUCT), vma);
}

void remove_vma(struct vm_area_struct *vma)
{
	vma_lock_detach(&vma->vm_lock);
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
	vma_lock_attach(&vma->vm_lock);
	mas_store_prealloc(&mas, vma);
	mm->map_count++;
	vma_link_file(vma);
	return 0;
}
