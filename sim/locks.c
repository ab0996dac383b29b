/* SPDX-License-Identifier: MIT */
/*
 * locks.c - mmap_lock, and the sequence that releases all VMA locks at once.
 *
 * mm_lock_seq is odd while mmap_lock is held for writing. A VMA whose write_seq
 * equals it is write-locked; bumping it at unlock or downgrade releases them all.
 */
#include "sim/internal.h"

static u32 seq_of(const struct mm_struct *mm)
{
	return READ_ONCE(mm->mm_lock_seq);
}

static void end_vma_writes(struct mm_struct *mm)
{
	smp_store_release(&mm->mm_lock_seq, mm->mm_lock_seq + 1);
}

void mmap_write_lock(struct mm_struct *mm)
{
	count_event(EVENT_MMAP_LOCK, 1);
	down_write(&mm->mmap_lock);
	WRITE_ONCE(mm->mm_lock_seq, mm->mm_lock_seq + 1);
}

void mmap_write_unlock(struct mm_struct *mm)
{
	end_vma_writes(mm);
	up_write(&mm->mmap_lock);
}

void mmap_write_downgrade(struct mm_struct *mm)
{
	end_vma_writes(mm);
	downgrade_write(&mm->mmap_lock);
}

void mmap_read_lock(struct mm_struct *mm)
{
	count_event(EVENT_MMAP_LOCK, 1);
	down_read(&mm->mmap_lock);
}

void mmap_read_unlock(struct mm_struct *mm)
{
	up_read(&mm->mmap_lock);
}

void vma_start_write(struct vm_area_struct *vma)
{
	vm_assert(rwsem_is_write_locked(&vma->vm_mm->mmap_lock));
	vma_lock_write(&vma->vm_lock, seq_of(vma->vm_mm));
}
