/* SPDX-License-Identifier: MIT */
/*
 * mprotect.c - changing access rights, VMA by VMA. A hole or a refusal in the
 * middle leaves what came before it changed.
 */
#include "sim/cost.h"
#include "sim/internal.h"

static u64 prot_flags(u64 prot)
{
	return (prot & PROT_BIT_READ ? VM_READ : 0) | (prot & PROT_BIT_WRITE ? VM_WRITE : 0) |
	       (prot & PROT_BIT_EXEC ? VM_EXEC : 0);
}

/* A mapping that becomes writable is charged, once; one that never got a page is let off. */
static int account_change(struct mm_struct *mm, const struct vm_area_struct *vma, u64 *flags,
			  s64 pages, s64 *charged)
{
	*charged = 0;
	if (*flags & VM_WRITE) {
		if (!may_expand_vm(mm, *flags, pages) && may_expand_vm(mm, vma->vm_flags, pages))
			return -ENOMEM;
		if (vma->vm_flags & (VM_ACCOUNT | VM_WRITE | VM_SHARED | VM_NORESERVE))
			return 0;
		if (vm_enough_memory(mm, pages))
			return -ENOMEM;
		*charged = pages;
		*flags |= VM_ACCOUNT;
	} else if ((vma->vm_flags & VM_ACCOUNT) && vma_is_anonymous(vma) && !vma->anon_vma) {
		*flags &= ~VM_ACCOUNT;
	}
	return 0;
}

static int fixup(struct mm_struct *mm, struct vm_area_struct *prev, struct vm_area_struct **vmap,
		 u64 start, u64 end, u64 flags)
{
	struct vm_area_struct *vma = *vmap;
	u64 old_flags = vma->vm_flags;
	s64 pages = (s64)((end - start) >> PAGE_SHIFT), charged;
	struct vma_merge_struct vmg = {
		.mm = mm,
		.prev = prev,
		.middle = vma,
		.next = find_vma(mm, vma->vm_end),
		.start = start,
		.end = end,
		.pgoff = vma->vm_pgoff + ((start - vma->vm_start) >> PAGE_SHIFT),
		.file = vma->vm_file,
		.anon_vma = vma->anon_vma,
	};
	int error;

	if (flags == old_flags)
		return 0;
	error = account_change(mm, vma, &flags, pages, &charged);
	if (error)
		return error;
	vmg.flags = flags;
	vma = vma_modify_flags(&vmg, &error);
	if (!vma) {
		vm_unacct_memory(charged);
		return error;
	}
	*vmap = vma;
	vma_start_write(vma);
	vma->vm_flags = flags | (vma->vm_flags & VM_STICKY);
	if ((old_flags & VM_ACCOUNT) && !(flags & VM_ACCOUNT))
		vm_unacct_memory(pages);
	/* Locked private memory that becomes writable gets pages of its own at once. */
	if ((old_flags & (VM_WRITE | VM_SHARED | VM_LOCKED)) == VM_LOCKED && (flags & VM_WRITE))
		populate_vma_page_range(vma, start, end);
	vm_stat_account(mm, old_flags, -pages);
	vm_stat_account(mm, flags, pages);
	return 0;
}

static bool exceeds_may(u64 flags)
{
	return (flags & ~(flags >> 4)) & VM_ACCESS_FLAGS;
}

static int protect_range(struct mm_struct *mm, u64 start, u64 end, u64 prot)
{
	u64 access = prot_flags(prot);

	while (start < end) {
		struct vm_area_struct *vma = find_vma(mm, start);
		u64 flags, stop;
		int error;

		if (!vma || vma->vm_start > start)
			return -ENOMEM;
		flags = (vma->vm_flags & ~VM_ACCESS_FLAGS) | access;
		if (exceeds_may(flags))
			return -EACCES;
		stop = min(vma->vm_end, end);
		MA_STATE(mas, &mm->mm_mt, vma->vm_start, vma->vm_start);
		error = fixup(mm, vma->vm_start ? mas_prev(&mas, 0) : NULL, &vma, start, stop,
			      flags);
		if (error)
			return error;
		start = stop;
	}
	return 0;
}

static int protect_locked(struct mm_struct *mm, u64 start, u64 end, u64 prot, u64 grows)
{
	struct vm_area_struct *vma = find_vma(mm, start);

	if (!vma)
		return -ENOMEM;
	if (grows & ABI_PROT_GROWSDOWN) {
		if (vma->vm_start >= end)
			return -ENOMEM;
		start = vma->vm_start;
		if (!(vma->vm_flags & VM_GROWSDOWN))
			return -EINVAL;
	} else if (grows & ABI_PROT_GROWSUP) {
		return vma->vm_start > start ? -ENOMEM : -EINVAL;
	}
	return protect_range(mm, start, end, prot);
}

long sys_mprotect(struct mm_struct *mm, u64 addr, u64 len, u64 prot)
{
	const u64 both = ABI_PROT_GROWSDOWN | ABI_PROT_GROWSUP;
	const u64 known = PROT_BIT_READ | PROT_BIT_WRITE | PROT_BIT_EXEC | PROT_BIT_SEM;
	u64 grows = prot & both;
	u64 end;
	int error;

	cpu_work(COST_SYSCALL);
	prot &= ~both;
	if (grows == both || (addr & ~PAGE_MASK))
		return -EINVAL;
	if (!len)
		return 0;
	len = PAGE_ALIGN(len);
	end = addr + len;
	if (end <= addr)
		return -ENOMEM;
	if (prot & ~known)
		return -EINVAL;
	mmap_write_lock(mm);
	error = protect_locked(mm, addr, end, prot, grows);
	mmap_write_unlock(mm);
	return error;
}
