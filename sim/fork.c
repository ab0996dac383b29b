/* SPDX-License-Identifier: MIT */
/*
 * fork.c - a copy of an address space.
 *
 * The tree is copied node by node; then each entry is overwritten by the copy of
 * its VMA. Both mmap_locks are held for writing, the old one first.
 */
#include "sim/cost.h"
#include "sim/internal.h"

static void copy_counters(struct mm_struct *new, const struct mm_struct *old)
{
	new->map_count = 0;
	new->total_vm = old->total_vm;
	new->data_vm = old->data_vm;
	new->exec_vm = old->exec_vm;
	new->stack_vm = old->stack_vm;
	new->locked_vm = 0;
	new->brk = old->brk;
	new->def_flags = 0; /* locking of future mappings is not inherited */
}

/* A child's VMA, in no tree yet. NULL: no memory. */
static struct vm_area_struct *copy_vma(struct mm_struct *new, struct vm_area_struct *old)
{
	struct vm_area_struct *vma = vm_area_dup(old);

	if (!vma)
		return NULL;
	vma->vm_mm = new;
	if (old->vm_flags & VM_WIPEONFORK)
		vma->anon_vma = NULL;
	else if (anon_vma_fork(vma, old)) {
		vm_area_free(vma);
		return NULL;
	}
	vma->vm_flags &= ~(VM_LOCKED | VM_LOCKONFAULT);
	if (vma->vm_file)
		get_file(vma->vm_file);
	return vma;
}

static int dup_one(struct mm_struct *new, struct mm_struct *old, struct vm_area_struct *from,
		   struct vm_area_struct **copy)
{
	s64 charge = from->vm_flags & VM_ACCOUNT ? (s64)vma_pages(from) : 0;
	bool copied;

	vma_start_write(from);
	cpu_work(COST_COPY_PTES);
	if (vm_enough_memory(old, charge))
		return -ENOMEM;
	*copy = copy_vma(new, from);
	if (!*copy) {
		vm_unacct_memory(charge);
		return -ENOMEM;
	}
	vma_lock_attach(&(*copy)->vm_lock);
	vma_link_file(*copy);
	if (!(*copy)->anon_vma)
		return 0;
	/* Faults in VMAs whose turn has not come yet still change the table. */
	spin_lock(&old->page_table_lock);
	copied = page_table_copy(new->pages, old->pages, from->vm_start, from->vm_end);
	spin_unlock(&old->page_table_lock);
	return copied ? 0 : -ENOMEM;
}

/*
 * Replace the entries of the copied tree one by one. On failure the entries from
 * there on still name the parent's VMAs: they are marked as reserved and empty.
 */
static int dup_vmas(struct mm_struct *new, struct mm_struct *old)
{
	MA_STATE(mas, &new->mm_mt, 0, 0);
	struct vm_area_struct *from, *copy;
	int error = 0;

	mt_clear_in_rcu(&new->mm_mt);
	for_each_vma(mas, from) {
		if (!error && (from->vm_flags & VM_DONTCOPY)) {
			vm_stat_account(new, from->vm_flags, -(s64)vma_pages(from));
			__mas_set_range(&mas, from->vm_start, from->vm_end - 1);
			error = mas_store_gfp(&mas, NULL, GFP_KERNEL);
			continue;
		}
		if (!error) {
			copy = NULL;
			error = dup_one(new, old, from, &copy);
		} else {
			copy = NULL;
		}
		mas_store(&mas, copy ? (void *)copy : XA_ZERO_ENTRY);
		new->map_count += copy != NULL;
	}
	mt_set_in_rcu(&new->mm_mt);
	return error;
}

struct mm_struct *dup_mm(struct mm_struct *old, int *error)
{
	struct mm_struct *new = mm_alloc(&old->config);

	*error = -ENOMEM;
	if (!new)
		return NULL;
	mmap_write_lock(old);
	mmap_write_lock(new);
	copy_counters(new, old);
	*error = __mt_dup(&old->mm_mt, &new->mm_mt, GFP_KERNEL);
	if (!*error)
		*error = dup_vmas(new, old);
	mmap_write_unlock(new);
	mmap_write_unlock(old);
	if (*error) {
		mmput(new);
		return NULL;
	}
	return new;
}
