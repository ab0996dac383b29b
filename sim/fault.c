/* SPDX-License-Identifier: MIT */
/*
 * fault.c - touching pages.
 *
 * A fault looks for its VMA under RCU and takes that VMA's lock for reading;
 * it falls back to mmap_lock where the VMA is being changed, has to grow, or
 * needs an anon_vma, for which the neighbours are inspected. A VMA that grows
 * down grows before its access rights are looked at.
 */
#include "sim/cost.h"
#include "sim/internal.h"

#include <signal.h>

enum fault_outcome { FAULT_DONE, FAULT_RETRY_MMAP_LOCK, FAULT_MAPERR, FAULT_ACCERR, FAULT_BUS };

static bool access_allowed(const struct vm_area_struct *vma, bool write)
{
	return vma->vm_flags & (write ? VM_WRITE : VM_ACCESS_FLAGS);
}

static bool beyond_file(const struct vm_area_struct *vma, u64 addr)
{
	u64 page = vma->vm_pgoff + ((addr - vma->vm_start) >> PAGE_SHIFT);

	return vma->vm_file && page >= PAGE_ALIGN(vma->vm_file->inode->size) >> PAGE_SHIFT;
}

/* What the page must be afterwards. */
static enum page_kind wanted_kind(const struct vm_area_struct *vma, bool write)
{
	bool private_write = write && !(vma->vm_flags & VM_SHARED);

	if (private_write)
		return PAGE_ANON;
	return vma->vm_file ? PAGE_FILE : PAGE_ZERO;
}

static bool is_mapped(enum page_kind have, enum page_kind want)
{
	return have == PAGE_ANON || (have != PAGE_ABSENT && have == want);
}

/* Nearby pages of the file's cache come with a read fault. */
static void fault_around(struct vm_area_struct *vma, u64 addr)
{
	u64 bytes = (u64)vma->vm_mm->config.fault_around_pages << PAGE_SHIFT;
	u64 start = max(ALIGN_DOWN(addr, bytes), vma->vm_start);
	u64 end = min(ALIGN_DOWN(addr, bytes) + bytes, vma->vm_end);

	for (u64 page = start; page < end; page += PAGE_SIZE)
		if (!beyond_file(vma, page) &&
		    page_table_get(vma->vm_mm->pages, page) == PAGE_ABSENT)
			page_table_set(vma->vm_mm->pages, page, PAGE_FILE);
}

/* The page at @addr, the VMA locked one way or the other. */
static enum fault_outcome handle_mm_fault(struct vm_area_struct *vma, u64 addr, bool write,
					  bool have_mmap_lock)
{
	struct mm_struct *mm = vma->vm_mm;
	enum page_kind want = wanted_kind(vma, write), have;

	if (!access_allowed(vma, write))
		return FAULT_ACCERR;
	spin_lock(&mm->page_table_lock);
	have = page_table_get(mm->pages, addr);
	spin_unlock(&mm->page_table_lock);
	if (is_mapped(have, want))
		return FAULT_DONE;
	if (want == PAGE_ANON && !READ_ONCE(vma->anon_vma)) {
		if (!have_mmap_lock)
			return FAULT_RETRY_MMAP_LOCK;
		if (anon_vma_prepare(vma))
			return FAULT_BUS;
	}
	if (beyond_file(vma, addr))
		return FAULT_BUS;
	count_event(EVENT_FAULT, 1);
	cpu_work(want == PAGE_ANON ? COST_FAULT + COST_ZERO_PAGE : COST_FAULT);
	spin_lock(&mm->page_table_lock);
	if (!is_mapped(page_table_get(mm->pages, addr), want)) {
		page_table_set(mm->pages, addr, want);
		if (want == PAGE_FILE && !write && mm->config.fault_around_pages)
			fault_around(vma, addr);
	}
	spin_unlock(&mm->page_table_lock);
	return FAULT_DONE;
}

/* ---- Under the VMA's own lock ---- */

static enum fault_outcome fault_under_vma_lock(struct mm_struct *mm, u64 addr, bool write)
{
	MA_STATE(mas, &mm->mm_mt, addr, addr);
	enum fault_outcome outcome;
	struct vm_area_struct *vma;

	rcu_read_lock();
	vma = mas_walk(&mas);
	if (!vma || !vma_lock_read_trylock(&vma->vm_lock, smp_load_acquire(&mm->mm_lock_seq))) {
		rcu_read_unlock();
		return FAULT_RETRY_MMAP_LOCK;
	}
	if (vma->vm_mm != mm || addr < vma->vm_start || addr >= vma->vm_end) {
		vma_lock_read_unlock(&vma->vm_lock);
		rcu_read_unlock();
		return FAULT_RETRY_MMAP_LOCK;
	}
	rcu_read_unlock(); /* nobody detaches it while its lock is held */
	outcome = handle_mm_fault(vma, addr, write, false);
	vma_lock_read_unlock(&vma->vm_lock);
	return outcome;
}

/* ---- Growing a stack, mmap_lock held for writing ---- */

static bool guard_gap_kept(struct mm_struct *mm, const struct vm_area_struct *vma, u64 addr)
{
	MA_STATE(mas, &mm->mm_mt, vma->vm_start, vma->vm_start);
	const struct vm_area_struct *prev = mas_prev(&mas, 0);
	u64 gap = (u64)mm->config.stack_guard_gap << PAGE_SHIFT;

	if (!prev)
		return true;
	if ((prev->vm_flags & VM_GROWSDOWN) || !(prev->vm_flags & VM_ACCESS_FLAGS))
		return prev->vm_end <= addr;
	return addr - prev->vm_end >= gap && prev->vm_end <= addr;
}

static bool limits_allow_growth(const struct mm_struct *mm, const struct vm_area_struct *vma,
				u64 addr, s64 pages)
{
	if (vma->vm_end - addr > mm->config.rlimit_stack)
		return false;
	if ((vma->vm_flags & VM_LOCKED) && !mm->config.cap_ipc_lock &&
	    mm->locked_vm + (u64)pages > mm->config.rlimit_memlock >> PAGE_SHIFT)
		return false;
	return may_expand_vm(mm, vma->vm_flags, pages);
}

/* Limits, charge, counters. */
static bool account_growth(struct mm_struct *mm, const struct vm_area_struct *vma, u64 addr)
{
	s64 pages = (s64)((vma->vm_start - addr) >> PAGE_SHIFT);

	if ((u64)pages > vma->vm_pgoff || !limits_allow_growth(mm, vma, addr, pages))
		return false;
	if ((vma->vm_flags & VM_ACCOUNT) && vm_enough_memory(mm, pages))
		return false;
	vm_stat_account(mm, vma->vm_flags, pages);
	if (vma->vm_flags & VM_LOCKED)
		mm->locked_vm += (u64)pages;
	return true;
}

/* Nodes and anon_vma are there before the limits are looked at: a refusal shows them too. */
static bool expand_downwards(struct mm_struct *mm, struct vm_area_struct *vma, u64 addr)
{
	MA_STATE(mas, &mm->mm_mt, addr, vma->vm_end - 1);
	struct vma_prepare vp = {.vma = vma};
	bool allowed;

	if (addr < mm->config.hint_min_addr || !guard_gap_kept(mm, vma, addr) ||
	    mas_preallocate(&mas, vma, GFP_KERNEL))
		return false;
	if (anon_vma_prepare(vma)) {
		mas_destroy(&mas);
		return false;
	}
	vma_start_write(vma);
	vp.anon_vma = vma->anon_vma;
	vma_prepare(&vp);
	allowed = account_growth(mm, vma, addr);
	if (allowed) {
		vma->vm_pgoff -= (vma->vm_start - addr) >> PAGE_SHIFT;
		vma->vm_start = addr;
		mas_store_prealloc(&mas, vma);
	}
	vma_complete(&vp);
	if (!allowed)
		mas_destroy(&mas);
	return allowed;
}

/* mmap_lock held for reading on return, unless NULL. */
static struct vm_area_struct *lock_mm_and_find_vma(struct mm_struct *mm, u64 addr)
{
	struct vm_area_struct *vma;
	bool grows;

	mmap_read_lock(mm);
	vma = find_vma(mm, addr);
	if (vma && vma->vm_start <= addr)
		return vma;
	grows = vma && (vma->vm_flags & VM_GROWSDOWN);
	mmap_read_unlock(mm);
	if (!grows)
		return NULL;
	mmap_write_lock(mm);
	vma = find_vma(mm, addr);
	if (!vma || (vma->vm_start > addr && (!(vma->vm_flags & VM_GROWSDOWN) ||
					      !expand_downwards(mm, vma, addr & PAGE_MASK)))) {
		mmap_write_unlock(mm);
		return NULL;
	}
	mmap_write_downgrade(mm);
	return vma;
}

static enum fault_outcome fault_one(struct mm_struct *mm, u64 addr, bool write)
{
	enum fault_outcome outcome = fault_under_vma_lock(mm, addr, write);
	struct vm_area_struct *vma;

	if (outcome != FAULT_RETRY_MMAP_LOCK)
		return outcome;
	vma = lock_mm_and_find_vma(mm, addr);
	if (!vma)
		return FAULT_MAPERR;
	outcome = handle_mm_fault(vma, addr, write, true);
	mmap_read_unlock(mm);
	return outcome;
}

struct touch_result mm_touch(struct mm_struct *mm, u64 addr, u64 len, bool write)
{
	struct touch_result result = {0};

	for (u64 page = addr; page < addr + len; page += PAGE_SIZE) {
		enum fault_outcome outcome = page < mm->config.task_size ?
						     fault_one(mm, page, write) : FAULT_MAPERR;

		if (outcome == FAULT_DONE) {
			result.pages_done++;
			continue;
		}
		result.signal = outcome == FAULT_BUS ? SIGBUS : SIGSEGV;
		result.code = outcome == FAULT_BUS    ? BUS_ADRERR :
			      outcome == FAULT_ACCERR ? SEGV_ACCERR : SEGV_MAPERR;
		break;
	}
	return result;
}

void populate_vma_page_range(struct vm_area_struct *vma, u64 start, u64 end)
{
	bool write = (vma->vm_flags & (VM_WRITE | VM_SHARED)) == VM_WRITE;

	if (vma->vm_flags & VM_LOCKONFAULT)
		return;
	for (u64 page = start; page < end; page += PAGE_SIZE)
		if (handle_mm_fault(vma, page, write, true) != FAULT_DONE)
			return;
}

void mm_populate(struct mm_struct *mm, u64 addr, u64 len)
{
	u64 stop = addr + len, end;

	mmap_read_lock(mm);
	for (u64 at = addr; at < stop; at = end) {
		struct vm_area_struct *vma = find_vma(mm, at);

		if (!vma || vma->vm_start >= stop)
			break;
		end = min(vma->vm_end, stop);
		populate_vma_page_range(vma, max(vma->vm_start, at), end);
	}
	mmap_read_unlock(mm);
}
