/* SPDX-License-Identifier: MIT */
/*
 * test_merge.c - each way in which ranges become one VMA, and each reason not to.
 */
#include "sim_fixture.h"

Test(merge, a_new_range_joins_below_above_and_both)
{
	struct process p;

	process_start(&p, NULL);
	map_at(&p, 0, 2, RW);
	map_at(&p, 2, 2, RW);
	EXPECT_VMAS(&p, 0, 4);
	map_at(&p, 10, 2, RW);
	map_at(&p, 8, 2, RW);
	EXPECT_VMAS(&p, 0, 4, 8, 12);
	map_at(&p, 4, 4, RW);
	EXPECT_VMAS(&p, 0, 12);
	process_end(&p);
}

Test(merge, different_rights_stay_apart)
{
	struct process p;

	process_start(&p, NULL);
	map_at(&p, 0, 2, RW);
	map_at(&p, 2, 2, PROT_READ);
	EXPECT_VMAS(&p, 0, 2, 2, 4);
	process_end(&p);
}

Test(merge, two_touched_neighbours_join_only_the_left)
{
	struct process p;

	process_start(&p, NULL);
	map_at(&p, 0, 2, RW);
	map_at(&p, 4, 2, RW);
	touch(&p, 0, 1);
	touch(&p, 4, 1);
	map_at(&p, 2, 2, RW);
	EXPECT_VMAS(&p, 0, 4, 4, 6);
	process_end(&p);
}

/* Three VMAs of pages 0-2, 2-6, 6-8: rw, read only, rw. */
static void three(struct process *p)
{
	process_start(p, NULL);
	map_at(p, 0, 2, RW);
	map_at(p, 2, 4, PROT_READ);
	map_at(p, 6, 2, RW);
	EXPECT_VMAS(p, 0, 2, 2, 6, 6, 8);
}

Test(merge, a_whole_vma_changed_joins_both)
{
	struct process p;

	three(&p);
	protect(&p, 2, 4, RW);
	EXPECT_VMAS(&p, 0, 8);
	process_end(&p);
}

Test(merge, a_part_changed_moves_the_left_border)
{
	struct process p;

	three(&p);
	protect(&p, 2, 2, RW);
	EXPECT_VMAS(&p, 0, 4, 4, 6, 6, 8);
	process_end(&p);
}

Test(merge, a_part_changed_moves_the_right_border)
{
	struct process p;

	three(&p);
	protect(&p, 4, 2, RW);
	EXPECT_VMAS(&p, 0, 2, 2, 4, 4, 8);
	process_end(&p);
}

Test(merge, a_middle_changed_is_split_off)
{
	struct process p;

	three(&p);
	protect(&p, 3, 2, RW);
	EXPECT_VMAS(&p, 0, 2, 2, 3, 3, 5, 5, 6, 6, 8);
	process_end(&p);
}

Test(merge, a_whole_vma_joins_only_the_side_that_fits)
{
	struct process p;

	process_start(&p, NULL);
	map_at(&p, 0, 2, RW);
	map_at(&p, 2, 2, PROT_READ);
	map_at(&p, 4, 2, PROT_NONE);
	protect(&p, 2, 2, RW);
	EXPECT_VMAS(&p, 0, 4, 4, 6);
	protect(&p, 4, 2, PROT_READ);
	protect(&p, 2, 2, PROT_READ);
	EXPECT_VMAS(&p, 0, 2, 2, 6);
	process_end(&p);
}

Test(merge, the_survivor_takes_the_chain_over)
{
	struct process p;

	process_start(&p, NULL);
	map_at(&p, 0, 2, RW);
	map_at(&p, 2, 2, RW | PROT_EXEC);
	touch(&p, 2, 2);
	protect(&p, 2, 2, RW);
	EXPECT_VMAS(&p, 0, 4);
	cr_assert_not_null(find_vma(p.mm, AT)->anon_vma);
	process_end(&p);
}

Test(merge, a_touched_read_only_part_keeps_its_charge_and_stays_apart)
{
	struct process p;

	process_start(&p, NULL);
	map_at(&p, 0, 2, RW);
	touch(&p, 0, 2);
	protect(&p, 0, 2, PROT_READ);
	map_at(&p, 2, 2, PROT_READ);
	EXPECT_VMAS(&p, 0, 2, 2, 4);
	cr_assert(find_vma(p.mm, AT)->vm_flags & VM_ACCOUNT);
	process_end(&p);
}

Test(merge, two_openings_of_one_file_stay_apart)
{
	struct process p;
	struct inode *inode;
	struct file *one, *two;

	process_start(&p, NULL);
	inode = inode_create("f", FS_TMPFS, 16 * PAGE_SIZE);
	one = file_open(inode, FMODE_READ);
	two = file_open(inode, FMODE_READ);
	inode_put(inode);
	sys_mmap(p.mm, AT, PAGE_SIZE, PROT_READ, MAP_PRIVATE | MAP_FIXED, one, 0);
	sys_mmap(p.mm, AT + PAGE_SIZE, PAGE_SIZE, PROT_READ, MAP_PRIVATE | MAP_FIXED, one,
		 PAGE_SIZE);
	EXPECT_VMAS(&p, 0, 2);
	sys_mmap(p.mm, AT + 2 * PAGE_SIZE, PAGE_SIZE, PROT_READ, MAP_PRIVATE | MAP_FIXED, two,
		 2 * PAGE_SIZE);
	EXPECT_VMAS(&p, 0, 2, 2, 3);
	sys_mmap(p.mm, AT + 3 * PAGE_SIZE, PAGE_SIZE, PROT_READ, MAP_PRIVATE | MAP_FIXED, two, 0);
	EXPECT_VMAS(&p, 0, 2, 2, 3, 3, 4);
	fput(one);
	fput(two);
	process_end(&p);
}

Test(merge, a_fork_child_joins_nothing_fresh_to_what_was_touched)
{
	struct process p;
	struct mm_struct *parent;
	int error;

	process_start(&p, NULL);
	map_at(&p, 0, 2, RW);
	touch(&p, 0, 2);
	parent = p.mm;
	p.mm = dup_mm(parent, &error);
	cr_assert_not_null(p.mm);
	cr_assert(!anon_vma_is_singular(find_vma(p.mm, AT)));
	map_at(&p, 2, 2, RW);
	EXPECT_VMAS(&p, 0, 2, 2, 4);
	protect(&p, 0, 1, PROT_READ);
	protect(&p, 0, 1, RW);
	EXPECT_VMAS(&p, 0, 2, 2, 4);
	mmput(parent);
	process_end(&p);
}
