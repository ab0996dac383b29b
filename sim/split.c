/* SPDX-License-Identifier: MIT */
/*
 * split.c - one VMA becomes two. Context: mmap_lock held for writing.
 */
#include "sim/internal.h"

static struct vm_area_struct *make_part(struct vm_area_struct *vma, u64 addr, bool new_below)
{
	struct vm_area_struct *part = vm_area_dup(vma);

	if (!part)
		return NULL;
	if (new_below) {
		part->vm_end = addr;
	} else {
		part->vm_start = addr;
		part->vm_pgoff += (addr - vma->vm_start) >> PAGE_SHIFT;
	}
	return part;
}

static void shrink(struct vm_area_struct *vma, u64 addr, bool new_below)
{
	if (new_below) {
		vma->vm_pgoff += (addr - vma->vm_start) >> PAGE_SHIFT;
		vma->vm_start = addr;
	} else {
		vma->vm_end = addr;
	}
}

int __split_vma(struct mm_struct *mm, struct vm_area_struct *vma, u64 addr, bool new_below)
{
	struct vm_area_struct *part;

	vm_assert(addr > vma->vm_start && addr < vma->vm_end);
	part = make_part(vma, addr, new_below);
	if (!part)
		return -ENOMEM;

	MA_STATE(mas, &mm->mm_mt, part->vm_start, part->vm_end - 1);
	struct vma_prepare vp = {.vma = vma, .insert = part};

	if (mas_preallocate(&mas, part, GFP_KERNEL))
		goto out_free;
	if (anon_vma_clone(part, vma, false))
		goto out_nodes;
	if (part->vm_file)
		get_file(part->vm_file);
	vma_start_write(vma);
	vma_start_write(part);
	vma_lock_attach(&part->vm_lock);
	vp.anon_vma = vma->anon_vma;
	vma_prepare(&vp);
	shrink(vma, addr, new_below);
	mas_store_prealloc(&mas, part);
	mm->map_count++;
	vma_complete(&vp);
	return 0;

out_nodes:
	mas_destroy(&mas);
out_free:
	vm_area_free(part);
	return -ENOMEM;
}

int split_vma(struct mm_struct *mm, struct vm_area_struct *vma, u64 addr, bool new_below)
{
	if (mm->map_count >= mm->config.max_map_count)
		return -ENOMEM;
	return __split_vma(mm, vma, addr, new_below);
}
