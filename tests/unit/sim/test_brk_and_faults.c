/* SPDX-License-Identifier: MIT */
/*
 * test_brk_and_faults.c - the heap, stacks that grow, pages and forks.
 */
#include "sim_fixture.h"

#include <signal.h>

static u64 brk_by(struct process *p, s64 pages)
{
	return sys_brk(p->mm, sys_brk(p->mm, 0) + (u64)(pages * (s64)PAGE_SIZE));
}

Test(brk, grows_one_vma_and_gives_it_back)
{
	struct process p;
	u64 start;

	process_start(&p, NULL);
	start = sys_brk(p.mm, 0);
	cr_assert_eq(brk_by(&p, 4), start + 4 * PAGE_SIZE);
	cr_assert_eq(brk_by(&p, 4), start + 8 * PAGE_SIZE);
	cr_assert_eq(p.mm->map_count, 1);
	cr_assert_eq(sys_brk(p.mm, start - 1), start + 8 * PAGE_SIZE, "below the start: refused");
	cr_assert_eq(sys_brk(p.mm, start + 1), start + 1);
	cr_assert_eq(p.mm->total_vm, 1);
	cr_assert_eq(sys_brk(p.mm, start), start);
	cr_assert_eq(p.mm->map_count, 0);
	process_end(&p);
}

Test(brk, keeps_one_page_free_above)
{
	struct process p;
	u64 start;

	process_start(&p, NULL);
	start = sys_brk(p.mm, 0);
	sys_mmap(p.mm, start + 6 * PAGE_SIZE, PAGE_SIZE, RW,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, NULL, 0);
	cr_assert_eq(sys_brk(p.mm, start + 6 * PAGE_SIZE), start);
	cr_assert_eq(sys_brk(p.mm, start + 5 * PAGE_SIZE), start + 5 * PAGE_SIZE);
	process_end(&p);
}

Test(brk, a_fork_child_makes_a_vma_of_its_own)
{
	struct process p;
	struct mm_struct *parent;
	u64 start;
	int error;

	process_start(&p, NULL);
	start = sys_brk(p.mm, 0);
	brk_by(&p, 2);
	mm_touch(p.mm, start, PAGE_SIZE, true);
	parent = p.mm;
	p.mm = dup_mm(parent, &error);
	cr_assert_not_null(p.mm);
	brk_by(&p, 1);
	cr_assert_eq(p.mm->map_count, 2);
	brk_by(&p, -1);
	cr_assert_eq(p.mm->map_count, 1);
	mmput(parent);
	process_end(&p);
}

Test(fault, only_a_write_makes_an_anonymous_page)
{
	struct process p;

	process_start(&p, NULL);
	map_at(&p, 0, 4, RW);
	cr_assert_eq(mm_touch(p.mm, AT, 4 * PAGE_SIZE, false).pages_done, 4);
	cr_assert_null(find_vma(p.mm, AT)->anon_vma);
	touch(&p, 1, 2);
	cr_assert_not_null(find_vma(p.mm, AT)->anon_vma);
	cr_assert_eq(page_table_count(p.mm->pages, AT, AT + 4 * PAGE_SIZE, PAGE_ANON), 2);
	unmap(&p, 0, 2);
	cr_assert_eq(page_table_count(p.mm->pages, AT, AT + 4 * PAGE_SIZE, PAGE_ANON), 1);
	process_end(&p);
}

Test(fault, tells_a_hole_from_a_refusal)
{
	struct process p;
	struct touch_result got;

	process_start(&p, NULL);
	map_at(&p, 0, 1, PROT_READ);
	got = mm_touch(p.mm, AT, 2 * PAGE_SIZE, false);
	cr_assert_eq(got.pages_done, 1);
	cr_assert_eq(got.signal, SIGSEGV);
	cr_assert_eq(got.code, SEGV_MAPERR);
	got = mm_touch(p.mm, AT, PAGE_SIZE, true);
	cr_assert_eq(got.code, SEGV_ACCERR);
	process_end(&p);
}

Test(fault, direct_neighbours_share_an_anon_vma)
{
	struct process p;
	struct anon_vma *low;

	process_start(&p, NULL);
	map_at(&p, 0, 2, RW);
	touch(&p, 0, 1);
	low = find_vma(p.mm, AT)->anon_vma;
	map_at(&p, 2, 2, RW | PROT_EXEC);
	touch(&p, 2, 1);
	EXPECT_VMAS(&p, 0, 2, 2, 4);
	cr_assert_eq(find_vma(p.mm, AT + 2 * PAGE_SIZE)->anon_vma, low);
	process_end(&p);
}

Test(fault, a_stack_grows_up_to_the_guard_gap)
{
	struct process p;
	u64 stack = AT + 1000 * PAGE_SIZE;

	process_start(&p, NULL);
	sys_mmap(p.mm, stack, PAGE_SIZE, RW,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_GROWSDOWN, NULL, 0);
	map_at(&p, 0, 1, RW);
	cr_assert_eq(mm_touch(p.mm, stack - 10 * PAGE_SIZE, PAGE_SIZE, true).pages_done, 1);
	cr_assert_eq(find_vma(p.mm, stack)->vm_start, stack - 10 * PAGE_SIZE);
	cr_assert_eq(mm_touch(p.mm, AT + 257 * PAGE_SIZE, PAGE_SIZE, true).pages_done, 1);
	cr_assert_eq(mm_touch(p.mm, AT + 256 * PAGE_SIZE, PAGE_SIZE, true).code, SEGV_MAPERR);
	process_end(&p);
}

Test(fork, copies_counters_pages_and_chains)
{
	struct process p;
	struct mm_struct *child;
	struct vm_area_struct *vma;
	int error;

	process_start(&p, NULL);
	map_at(&p, 0, 4, RW);
	map_at(&p, 8, 4, PROT_READ);
	touch(&p, 0, 3);
	child = dup_mm(p.mm, &error);
	cr_assert_not_null(child);
	mm_validate(child);
	vma = find_vma(child, AT);
	cr_assert_neq(vma->anon_vma, find_vma(p.mm, AT)->anon_vma);
	cr_assert_eq(vma->anon_vma->root, find_vma(p.mm, AT)->anon_vma);
	cr_assert_eq(page_table_count(child->pages, AT, AT + 4 * PAGE_SIZE, PAGE_ANON), 3);
	cr_assert_eq(child->total_vm, p.mm->total_vm);
	cr_assert_null(find_vma(child, AT + 8 * PAGE_SIZE)->anon_vma);
	mmput(child);
	mm_validate(p.mm);
	process_end(&p);
}

Test(fork, the_parent_may_go_first)
{
	struct process p;
	struct mm_struct *child, *grandchild;
	int error;

	process_start(&p, NULL);
	map_at(&p, 0, 4, RW);
	touch(&p, 0, 4);
	child = dup_mm(p.mm, &error);
	cr_assert_not_null(child);
	grandchild = dup_mm(child, &error);
	cr_assert_not_null(grandchild);
	mmput(p.mm);
	mmput(child);
	p.mm = grandchild;
	touch(&p, 0, 4);
	process_end(&p);
}
