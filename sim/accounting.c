/* SPDX-License-Identifier: MIT */
/*
 * accounting.c - the counters of an address space and the machine's commit counter.
 *
 * The commit counter is kept a part on each CPU; a part that reaches the batch is
 * added to the common one under its lock. The batch grows with memory.
 */
#include "sim/internal.h"

bool is_data_mapping(u64 flags)
{
	return (flags & (VM_WRITE | VM_SHARED | VM_GROWSDOWN)) == VM_WRITE;
}

static bool is_exec_mapping(u64 flags)
{
	return (flags & (VM_EXEC | VM_WRITE | VM_GROWSDOWN)) == VM_EXEC;
}

void vm_stat_account(struct mm_struct *mm, u64 flags, s64 pages)
{
	mm->total_vm += (u64)pages;
	if (is_exec_mapping(flags))
		mm->exec_vm += (u64)pages;
	else if (flags & VM_GROWSDOWN)
		mm->stack_vm += (u64)pages;
	else if (is_data_mapping(flags))
		mm->data_vm += (u64)pages;
}

bool may_expand_vm(const struct mm_struct *mm, u64 flags, s64 pages)
{
	if (mm->total_vm + (u64)pages > mm->config.rlimit_as >> PAGE_SHIFT)
		return false;
	return !is_data_mapping(flags) ||
	       mm->data_vm + (u64)pages <= mm->config.rlimit_data >> PAGE_SHIFT;
}

bool accountable_mapping(const struct file *file, u64 flags)
{
	(void)file; /* huge-page files are not accounted, and not built */
	return (flags & (VM_NORESERVE | VM_SHARED | VM_WRITE)) == VM_WRITE;
}

static void commit_add(s64 pages)
{
	struct sim_system *system = sim_system();
	s64 *own = this_cpu_ptr(system->commit_percpu);
	s64 sum = *own + pages;
	irqflags_t flags;

	if (sum < system->commit_batch && sum > -system->commit_batch) {
		WRITE_ONCE(*own, sum);
		return;
	}
	spin_lock_irqsave(&system->commit_lock, flags);
	system->committed += sum;
	spin_unlock_irqrestore(&system->commit_lock, flags);
	WRITE_ONCE(*own, 0);
}

/* Overcommit mode 0: only a single charge beyond all memory is refused. */
int vm_enough_memory(const struct mm_struct *mm, s64 pages)
{
	if (pages > (s64)(mm->config.ram_pages + mm->config.swap_pages))
		return -ENOMEM;
	commit_add(pages);
	return 0;
}

void vm_unacct_memory(s64 pages)
{
	if (pages)
		commit_add(-pages);
}
