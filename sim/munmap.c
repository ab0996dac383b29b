/* SPDX-License-Identifier: MIT */
/*
 * munmap.c - taking a range out of an address space.
 *
 * First every VMA of the range is split off and collected in a side tree, by
 * number; then the range is cleared with one wide store of NULL (or overwritten
 * by the mapping that replaces it); then the VMAs are counted, unmapped and
 * freed, which a munmap does with mmap_lock downgraded to reading.
 */
#include "sim/cost.h"
#include "sim/internal.h"

static void count_vma(struct vma_munmap_struct *vms, const struct vm_area_struct *vma)
{
	u64 pages = vma_pages(vma);

	vms->nr_pages += pages;
	if (vma->vm_flags & VM_ACCOUNT)
		vms->nr_accounted += pages;
	if (vma->vm_flags & VM_LOCKED)
		vms->locked_pages += pages;
}

static int gather_one(struct vma_munmap_struct *vms, struct vm_area_struct *vma)
{
	MA_STATE(mas_detach, &vms->detached, vms->count, vms->count);

	vma_start_write(vma);
	if (mas_store_gfp(&mas_detach, vma, GFP_KERNEL))
		return -ENOMEM;
	vma_lock_detach(&vma->vm_lock);
	vms->count++;
	count_vma(vms, vma);
	return 0;
}

/* The first VMA of the range, split off at its start where it begins before. */
static int first_of_range(struct vma_munmap_struct *vms, struct vm_area_struct **first)
{
	struct mm_struct *mm = vms->mm;
	struct vm_area_struct *vma = find_vma(mm, vms->start);
	int error;

	*first = vma;
	if (!vma || vma->vm_start >= vms->start)
		return 0;
	if (vms->end < vma->vm_end && mm->map_count >= mm->config.max_map_count)
		return -ENOMEM;
	error = __split_vma(mm, vma, vms->start, true);
	if (!error)
		*first = find_vma(mm, vms->start);
	return error;
}

static void note_neighbours(struct vma_munmap_struct *vms)
{
	MA_STATE(mas, &vms->mm->mm_mt, vms->start, vms->start);

	vms->prev = vms->start ? mas_prev(&mas, 0) : NULL;
	vms->next = find_vma(vms->mm, vms->end);
}

int vms_gather_munmap_vmas(struct vma_munmap_struct *vms)
{
	struct vm_area_struct *vma;
	int error;

	mt_init_flags(&vms->detached, MT_FLAGS_LOCK_EXTERN);
	mt_on_stack(vms->detached);
	error = first_of_range(vms, &vma);
	while (!error && vma && vma->vm_start < vms->end) {
		u64 end;

		if (vma->vm_end > vms->end)
			error = __split_vma(vms->mm, vma, vms->end, false);
		if (!error)
			error = gather_one(vms, vma);
		end = vma->vm_end;
		if (!error && end < vms->end)
			vma = find_vma(vms->mm, end);
		else
			break;
	}
	if (error)
		vms_abort_munmap_vmas(vms);
	else
		note_neighbours(vms);
	return error;
}

void vms_abort_munmap_vmas(struct vma_munmap_struct *vms)
{
	MA_STATE(mas, &vms->detached, 0, 0);
	struct vm_area_struct *vma;

	for_each_vma(mas, vma)
		vma_lock_attach(&vma->vm_lock);
	__mt_destroy(&vms->detached);
}

static void forget_pages(struct vma_munmap_struct *vms)
{
	cpu_work(COST_UNMAP_GATHER);
	spin_lock(&vms->mm->page_table_lock);
	page_table_clear(vms->mm->pages, vms->start, vms->end);
	spin_unlock(&vms->mm->page_table_lock);
}

void vms_complete_munmap_vmas(struct vma_munmap_struct *vms)
{
	MA_STATE(mas, &vms->detached, 0, 0);
	struct vm_area_struct *vma;

	forget_pages(vms);
	unlink_vmas(&vms->detached);
	for_each_vma(mas, vma)
		remove_vma(vma);
	vm_unacct_memory((s64)vms->nr_accounted);
	__mt_destroy(&vms->detached);
}

void vms_uncount(struct vma_munmap_struct *vms)
{
	MA_STATE(mas, &vms->detached, 0, 0);
	struct mm_struct *mm = vms->mm;
	struct vm_area_struct *vma;

	mm->map_count -= vms->count;
	mm->locked_vm -= vms->locked_pages;
	for_each_vma(mas, vma)
		vm_stat_account(mm, vma->vm_flags, -(s64)vma_pages(vma));
}

int do_munmap(struct mm_struct *mm, u64 start, u64 end, bool unlock)
{
	struct vma_munmap_struct vms = {.mm = mm, .start = start, .end = end};
	int error = vms_gather_munmap_vmas(&vms);

	if (error)
		return error;
	if (vms.count) {
		MA_STATE(mas, &mm->mm_mt, start, end - 1);

		error = mas_store_gfp(&mas, NULL, GFP_KERNEL);
	}
	if (error) {
		vms_abort_munmap_vmas(&vms);
		return error;
	}
	vms_uncount(&vms);
	if (unlock)
		mmap_write_downgrade(mm);
	if (vms.count)
		vms_complete_munmap_vmas(&vms);
	if (unlock)
		mmap_read_unlock(mm);
	return 0;
}

long sys_munmap(struct mm_struct *mm, u64 addr, u64 len)
{
	u64 size = PAGE_ALIGN(len);
	int error;

	cpu_work(COST_SYSCALL);
	if ((addr & ~PAGE_MASK) || addr > mm->config.task_size ||
	    len > mm->config.task_size - addr || !size)
		return -EINVAL;
	mmap_write_lock(mm);
	error = do_munmap(mm, addr, addr + size, true);
	if (error)
		mmap_write_unlock(mm);
	return error;
}
