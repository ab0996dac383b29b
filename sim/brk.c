/* SPDX-License-Identifier: MIT */
/*
 * brk.c - the heap grows and shrinks. Any failure leaves the break where it was.
 *
 * Growing expands the heap VMA where it ends at the old break and may take the
 * range in, else makes a new one: a fork child whose heap was touched gets a new
 * VMA, since its chain has two entries. One page must stay free above the heap.
 */
#include "sim/cost.h"
#include "sim/internal.h"

static u64 heap_flags(const struct mm_struct *mm)
{
	return VM_READ | VM_WRITE | VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC | VM_ACCOUNT |
	       mm->def_flags;
}

static int new_heap_vma(struct mm_struct *mm, u64 addr, u64 len, u64 flags)
{
	MA_STATE(mas, &mm->mm_mt, addr, addr + len - 1);
	struct vm_area_struct *vma = vm_area_alloc(mm);

	if (!vma)
		return -ENOMEM;
	vma->vm_start = addr;
	vma->vm_end = addr + len;
	vma->vm_pgoff = addr >> PAGE_SHIFT;
	vma->vm_flags = flags;
	vma_start_write(vma);
	vma_lock_attach(&vma->vm_lock);
	if (mas_store_gfp(&mas, vma, GFP_KERNEL)) {
		vma_lock_detach(&vma->vm_lock);
		vm_area_free(vma);
		return -ENOMEM;
	}
	mm->map_count++;
	return 0;
}

static int do_brk_flags(struct mm_struct *mm, struct vm_area_struct *heap, u64 addr, u64 len)
{
	u64 flags = heap_flags(mm);
	s64 pages = (s64)(len >> PAGE_SHIFT);
	struct vma_merge_struct vmg = {
		.mm = mm,
		.prev = heap,
		.start = addr,
		.end = addr + len,
		.flags = flags,
		.pgoff = addr >> PAGE_SHIFT,
		.just_expand = true,
	};

	if (!may_expand_vm(mm, flags, pages) || mm->map_count > mm->config.max_map_count)
		return -ENOMEM;
	if (vm_enough_memory(mm, pages))
		return -ENOMEM;
	if (!(heap && heap->vm_end == addr && vma_merge_new_range(&vmg)) &&
	    new_heap_vma(mm, addr, len, flags)) {
		vm_unacct_memory(pages);
		return -ENOMEM;
	}
	vm_stat_account(mm, flags, pages);
	if (flags & VM_LOCKED)
		mm->locked_vm += (u64)pages;
	return 0;
}

/* The VMA that ends at or below the break, but none that begins below the heap. */
static struct vm_area_struct *heap_below(struct mm_struct *mm, u64 brk)
{
	MA_STATE(mas, &mm->mm_mt, brk, brk);
	struct vm_area_struct *vma = mas_prev(&mas, mm->config.start_brk);

	return vma;
}

static int grow(struct mm_struct *mm, u64 old, u64 new)
{
	const struct sim_config *config = &mm->config;
	struct vm_area_struct *next = find_vma(mm, old);

	if (new > config->task_size)
		return -ENOMEM;
	if (next && new + PAGE_SIZE > vma_start_gap(next))
		return -ENOMEM;
	return do_brk_flags(mm, heap_below(mm, old), old, new - old);
}

static bool data_limit_allows(const struct mm_struct *mm, u64 brk)
{
	u64 limit = mm->config.rlimit_data;

	return limit == ~0ull ||
	       brk - mm->config.start_brk + mm->config.end_data_bytes <= limit;
}

/* mmap_lock is dropped. */
static u64 shrink_and_unlock(struct mm_struct *mm, u64 old, u64 new, u64 brk)
{
	u64 origin = mm->brk;
	struct vm_area_struct *vma = find_vma(mm, new);

	if (vma && vma->vm_start < old) {
		mm->brk = brk;
		if (!do_munmap(mm, new, old, true))
			return brk;
		mm->brk = origin;
	}
	mmap_write_unlock(mm);
	return origin;
}

u64 sys_brk(struct mm_struct *mm, u64 brk)
{
	u64 origin, new, old;
	bool populate = false;

	cpu_work(COST_SYSCALL);
	mmap_write_lock(mm);
	origin = mm->brk;
	new = PAGE_ALIGN(brk);
	old = PAGE_ALIGN(origin);
	if (brk < mm->config.start_brk || !data_limit_allows(mm, brk)) {
		brk = origin;
	} else if (new == old) {
		mm->brk = brk;
	} else if (brk <= origin) {
		return shrink_and_unlock(mm, old, new, brk);
	} else if (new < old || grow(mm, old, new)) {
		brk = origin;
	} else {
		mm->brk = brk;
		populate = mm->def_flags & VM_LOCKED;
	}
	mmap_write_unlock(mm);
	if (populate)
		mm_populate(mm, old, new - old);
	return brk;
}
