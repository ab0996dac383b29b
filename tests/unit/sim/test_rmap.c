/* SPDX-License-Identifier: MIT */
/*
 * test_rmap.c - from a page back to its VMAs: inodes' lists, chains of anon_vmas, and
 * what a growth or a lock does to them.
 */
#include "sim_fixture.h"

#include <signal.h>

static struct file *open_file(enum file_system fs, u64 pages)
{
	struct inode *inode = inode_create("f", fs, pages * PAGE_SIZE);
	struct file *file = file_open(inode, FMODE_READ | FMODE_WRITE);

	inode_put(inode);
	return file;
}

static long map_file(struct process *p, struct file *file, u64 page, u64 pages, u64 offset)
{
	return sys_mmap(p->mm, AT + page * PAGE_SIZE, pages * PAGE_SIZE, PROT_READ,
			MAP_PRIVATE | MAP_FIXED, file, offset * PAGE_SIZE);
}

static unsigned mappings_of(const struct file *file)
{
	const struct list_head *head = &file->inode->i_mmap;
	unsigned count = 0;

	for (const struct list_head *at = head->next; at != head; at = at->next)
		count++;
	return count;
}

Test(rmap, an_inode_lists_each_vma_through_splits_merges_and_forks)
{
	struct file *file;
	struct mm_struct *child;
	struct process p;
	int error;

	process_start(&p, NULL);
	file = open_file(FS_TMPFS, 64);
	map_file(&p, file, 0, 9, 0);
	cr_assert_eq(mappings_of(file), 1);
	protect(&p, 3, 3, PROT_NONE);
	cr_assert_eq(mappings_of(file), 3);
	child = dup_mm(p.mm, &error);
	cr_assert_eq(mappings_of(file), 6);
	mm_validate(child);
	mmput(child);
	cr_assert_eq(mappings_of(file), 3);
	protect(&p, 3, 3, PROT_READ);
	EXPECT_VMAS(&p, 0, 9);
	cr_assert_eq(mappings_of(file), 1);
	unmap(&p, 4, 1);
	cr_assert_eq(mappings_of(file), 2);
	map_file(&p, file, 4, 1, 4);
	EXPECT_VMAS(&p, 0, 9);
	cr_assert_eq(mappings_of(file), 1);
	fput(file);
	process_end(&p);
}

/* More VMAs than a batch holds, of two files in turn and then in a row. */
Test(rmap, one_unmapping_empties_the_lists_of_several_files)
{
	struct file *files[2];
	struct process p;

	process_start(&p, NULL);
	files[0] = open_file(FS_TMPFS, 64);
	files[1] = open_file(FS_TMPFS, 64);
	for (unsigned i = 0; i < 40; i++)
		map_file(&p, files[i < 20 ? i % 2 : 0], 2 * i, 1, i);
	cr_assert_eq(mappings_of(files[0]), 30);
	cr_assert_eq(mappings_of(files[1]), 10);
	cr_assert_eq(unmap(&p, 1, 78), 0);
	cr_assert_eq(mappings_of(files[0]), 1);
	cr_assert_eq(mappings_of(files[1]), 0);
	EXPECT_VMAS(&p, 0, 1);
	fput(files[0]);
	fput(files[1]);
	process_end(&p);
}

Test(rmap, a_grandchild_takes_over_what_nobody_owns)
{
	struct mm_struct *child, *grandchild, *last;
	struct anon_vma *orphan;
	u64 anon_vmas, chains;
	struct process p;
	int error;

	process_start(&p, NULL);
	map_at(&p, 0, 1, RW);
	touch(&p, 0, 1);
	child = dup_mm(p.mm, &error);
	grandchild = dup_mm(child, &error);
	orphan = find_vma(child, AT)->anon_vma;
	cr_assert_eq(orphan->num_active_vmas, 1);
	mmput(child);
	cr_assert_eq(orphan->num_active_vmas, 0);
	anon_vmas = event_total(EVENT_ANON_VMA_ALLOC);
	chains = event_total(EVENT_AVC_ALLOC);
	last = dup_mm(grandchild, &error);
	cr_assert_eq(event_total(EVENT_ANON_VMA_ALLOC), anon_vmas);
	cr_assert_eq(event_total(EVENT_AVC_ALLOC) - chains, 3);
	cr_assert_eq(find_vma(last, AT)->anon_vma, orphan);
	cr_assert_eq(orphan->num_active_vmas, 1);
	mm_validate(last);
	mmput(grandchild);
	mmput(last);
	process_end(&p);
}

Test(rmap, parts_of_a_touched_vma_all_own_its_anon_vma)
{
	struct anon_vma *anon_vma;
	struct process p;

	process_start(&p, NULL);
	map_at(&p, 0, 9, RW);
	touch(&p, 0, 1);
	anon_vma = find_vma(p.mm, AT)->anon_vma;
	protect(&p, 3, 3, PROT_READ);
	EXPECT_VMAS(&p, 0, 3, 3, 6, 6, 9);
	cr_assert_eq(anon_vma->num_active_vmas, 3);
	unmap(&p, 0, 3);
	cr_assert_eq(anon_vma->num_active_vmas, 2);
	protect(&p, 3, 3, RW);
	EXPECT_VMAS(&p, 3, 9);
	cr_assert_eq(anon_vma->num_active_vmas, 1);
	process_end(&p);
}

/* A recorded kernel shows this node: the range is prepared before the limit is looked at. */
Test(rmap, a_stack_refused_by_its_limit_has_asked_for_a_node)
{
	struct sim_config settings;
	struct touch_result got;
	struct process p;
	u64 nodes;

	sim_config_default(&settings);
	settings.rlimit_stack = 8 * PAGE_SIZE;
	process_start(&p, &settings);
	map_at(&p, 0, 10, PROT_NONE);
	sys_mmap(p.mm, AT + 40 * PAGE_SIZE, PAGE_SIZE, RW,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_GROWSDOWN, NULL, 0);
	nodes = event_total(EVENT_NODE_ALLOC);
	got = mm_touch(p.mm, AT + 10 * PAGE_SIZE, PAGE_SIZE, true);
	cr_assert_eq(got.signal, SIGSEGV);
	cr_assert_eq(got.code, SEGV_MAPERR);
	cr_assert_eq(event_total(EVENT_NODE_ALLOC) - nodes, 1);
	cr_assert_not_null(find_vma(p.mm, AT + 40 * PAGE_SIZE)->anon_vma);
	EXPECT_VMAS(&p, 0, 10, 40, 41);
	cr_assert_eq(mm_touch(p.mm, AT + 33 * PAGE_SIZE, PAGE_SIZE, true).pages_done, 1);
	EXPECT_VMAS(&p, 0, 10, 33, 41);
	process_end(&p);
}

Test(rmap, locked_memory_has_its_pages_as_soon_as_it_may_be_written)
{
	struct process p;
	u64 end = AT + 4 * PAGE_SIZE;

	process_start(&p, NULL);
	sys_mmap(p.mm, AT, 4 * PAGE_SIZE, PROT_READ,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_LOCKED, NULL, 0);
	cr_assert_eq(p.mm->locked_vm, 4);
	cr_assert_eq(page_table_count(p.mm->pages, AT, end, PAGE_ZERO), 4);
	cr_assert_null(find_vma(p.mm, AT)->anon_vma);
	protect(&p, 1, 2, RW);
	cr_assert_eq(page_table_count(p.mm->pages, AT, end, PAGE_ANON), 2);
	cr_assert_not_null(find_vma(p.mm, AT + PAGE_SIZE)->anon_vma);
	unmap(&p, 0, 2);
	cr_assert_eq(p.mm->locked_vm, 2);
	process_end(&p);
}

Test(rmap, populating_makes_what_a_fault_of_that_kind_would)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_POPULATE;
	struct process p;

	process_start(&p, NULL);
	sys_mmap(p.mm, AT, PAGE_SIZE, PROT_NONE, flags, NULL, 0);
	sys_mmap(p.mm, AT + PAGE_SIZE, PAGE_SIZE, PROT_READ, flags, NULL, 0);
	sys_mmap(p.mm, AT + 2 * PAGE_SIZE, PAGE_SIZE, RW, flags, NULL, 0);
	cr_assert_eq(page_table_get(p.mm->pages, AT), PAGE_ABSENT);
	cr_assert_eq(page_table_get(p.mm->pages, AT + PAGE_SIZE), PAGE_ZERO);
	cr_assert_eq(page_table_get(p.mm->pages, AT + 2 * PAGE_SIZE), PAGE_ANON);
	cr_assert_null(find_vma(p.mm, AT + PAGE_SIZE)->anon_vma);
	cr_assert_not_null(find_vma(p.mm, AT + 2 * PAGE_SIZE)->anon_vma);
	process_end(&p);
}

Test(rmap, a_child_inherits_pages_but_no_locks)
{
	struct mm_struct *child;
	struct process p;
	int error;

	process_start(&p, NULL);
	sys_mmap(p.mm, AT, 4 * PAGE_SIZE, RW,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_LOCKED, NULL, 0);
	child = dup_mm(p.mm, &error);
	cr_assert_eq(page_table_count(child->pages, AT, AT + 4 * PAGE_SIZE, PAGE_ANON), 4);
	cr_assert_eq(child->locked_vm, 0);
	cr_assert(!(find_vma(child, AT)->vm_flags & VM_LOCKED));
	cr_assert_eq(p.mm->locked_vm, 4);
	mm_validate(child);
	mmput(child);
	process_end(&p);
}
