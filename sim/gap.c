/* SPDX-License-Identifier: MIT */
/*
 * gap.c - where a mapping goes when the caller did not fix it.
 *
 * Top-down: the highest gap below mmap_base, the result lies at its upper end.
 * Where nothing fits: bottom-up from a third of the address space. A VMA that
 * grows down keeps stack_guard_gap pages free below itself. Mappings of whole
 * 2 MiB ask for 2 MiB more and are aligned in what they get.
 *
 * Context: mmap_lock held.
 */
#include "sim/internal.h"

struct area_request {
	struct mm_struct *mm;
	u64 low, high; /* [low, high) */
	u64 len;
};

static struct vm_area_struct *vma_from(struct mm_struct *mm, u64 addr)
{
	return find_vma(mm, addr);
}

static long area_topdown(struct area_request r)
{
	count_event(EVENT_VM_UNMAPPED_AREA, 1);
	for (;;) {
		MA_STATE(mas, &r.mm->mm_mt, 0, 0);
		struct vm_area_struct *next;

		if (r.high <= r.low || mas_empty_area_rev(&mas, r.low, r.high - 1, r.len))
			return -ENOMEM;
		next = vma_from(r.mm, mas.last + 1);
		if (!next || vma_start_gap(next) > mas.last)
			return (long)mas.index;
		r.high = vma_start_gap(next);
	}
}

static long area_bottomup(struct area_request r)
{
	count_event(EVENT_VM_UNMAPPED_AREA, 1);
	for (;;) {
		MA_STATE(mas, &r.mm->mm_mt, 0, 0);
		struct vm_area_struct *next;

		if (r.high <= r.low || mas_empty_area(&mas, r.low, r.high - 1, r.len))
			return -ENOMEM;
		next = vma_from(r.mm, mas.last + 1);
		if (!next || vma_start_gap(next) >= mas.index + r.len)
			return (long)mas.index;
		r.low = next->vm_end;
	}
}

/* Where MAP_32BIT looks. */
#define LOW_START 0x40000000ul
#define LOW_END	  0x80000000ul

static long search(struct mm_struct *mm, u64 len)
{
	const struct sim_config *config = &mm->config;
	long addr = area_topdown(
		(struct area_request){mm, config->hint_min_addr, config->mmap_base, len});

	if (addr >= 0)
		return addr;
	return area_bottomup((struct area_request){mm, PAGE_ALIGN(config->task_size / 3),
						   config->task_size, len});
}

/* A hint is taken when the whole range is free, clear of guard gaps, and ends by @end. */
static bool hint_fits(struct mm_struct *mm, u64 addr, u64 len, u64 end)
{
	const struct vm_area_struct *next;

	if (!addr || addr > end - len)
		return false;
	next = vma_from(mm, addr);
	return !next || addr + len <= vma_start_gap(next);
}

/* A hint counts here only where it is low itself. */
static long search_low(struct mm_struct *mm, u64 addr, u64 len)
{
	if (len > LOW_END)
		return -ENOMEM;
	if (hint_fits(mm, addr, len, LOW_END))
		return (long)addr;
	return area_bottomup((struct area_request){mm, LOW_START, LOW_END, len});
}

static long search_hinted(struct mm_struct *mm, u64 addr, u64 len, u64 flags)
{
	if (len > mm->config.task_size)
		return -ENOMEM;
	if (flags & ABI_MAP_32BIT)
		return search_low(mm, addr, len);
	if (hint_fits(mm, addr, len, mm->config.task_size))
		return (long)addr;
	return search(mm, len);
}

/* Does the mapping hold a whole aligned 2 MiB of its file? */
static bool worth_aligning(u64 offset, u64 len)
{
	u64 first = ALIGN(offset, PMD_BYTES);

	return offset + len > first && offset + len - first >= PMD_BYTES;
}

/* The huge-page aligned place, or an error: then the plain search decides. */
static long search_aligned(struct mm_struct *mm, u64 addr, u64 len, u64 offset, u64 flags)
{
	u64 shift;
	long found;

	if (!worth_aligning(offset, len) || len + PMD_BYTES < len)
		return -ENOMEM;
	found = search_hinted(mm, addr, len + PMD_BYTES, flags);
	if (found < 0 || (addr && found == (long)addr))
		return found;
	shift = (offset - (u64)found) & (PMD_BYTES - 1);
	return found + (long)(shift ? shift : PMD_BYTES);
}

static bool wants_alignment(u64 addr, u64 len, u64 flags, const struct file *file)
{
	if (file)
		return file->inode->fs == FS_EXT4;
	return !addr && IS_ALIGNED(len, PMD_BYTES) && (flags & ABI_MAP_TYPE) != ABI_MAP_SHARED;
}

static long find_area(struct mm_struct *mm, u64 addr, u64 len, u64 pgoff, u64 flags,
		      const struct file *file)
{
	if (flags & ABI_MAP_FIXED)
		return (long)addr;
	if (wants_alignment(addr, len, flags, file)) {
		u64 offset = file ? pgoff << PAGE_SHIFT : 0;
		long found = search_aligned(mm, addr, len, offset, flags);

		if (found >= 0)
			return found;
	}
	return search_hinted(mm, addr, len, flags);
}

long get_unmapped_area(struct mm_struct *mm, u64 addr, u64 len, u64 pgoff, u64 flags,
		       const struct file *file)
{
	const struct sim_config *config = &mm->config;
	long found;

	if (len > config->task_size)
		return -ENOMEM;
	found = find_area(mm, addr, len, pgoff, flags, file);
	if (found < 0)
		return (flags & ABI_MAP_FIXED) ? -ENOMEM : found;
	if ((u64)found > config->task_size - len)
		return -ENOMEM;
	if (found & (long)(PAGE_SIZE - 1))
		return -EINVAL;
	if ((u64)found < config->mmap_min_addr && !config->cap_sys_rawio)
		return -EPERM;
	return found;
}
