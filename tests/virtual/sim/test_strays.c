/* SPDX-License-Identifier: MIT */
/*
 * test_strays.c - all of a process lies in the arena, and its accesses are charged.
 *
 * Whatever mmap, munmap, mprotect, brk, faults, fork and exit touch is the arena, a
 * stack or a declared constant: state elsewhere on the heap would be free of charge.
 * Not built beside a sanitizer, where the core has no access hooks.
 */
#include "alloc/slab.h"
#include "mtree/maple_tree.h"
#include "sim/mm.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/mman.h>

struct boot {
	struct machine *machine;
	struct mm_struct *mm;
	struct file *file;
};

static void boot(struct boot *b, const char *kernel)
{
	struct machine_config config = {.nr_workers = 1};
	struct sim_config settings;
	struct machine_desc desc;
	struct policy policy;
	struct message msg;
	struct inode *inode;

	cr_assert_eq(machine_describe_host(&desc, &msg), 0, "%s", msg.text);
	cr_assert_eq(policy_parse(kernel, &policy, &msg), 0, "%s", msg.text);
	config.desc = &desc;
	cr_assert_eq(machine_create(&config, &b->machine, &msg), 0, "%s", msg.text);
	machine_enter(b->machine);
	cr_assert_eq(slab_boot(&policy, &msg), 0, "%s", msg.text);
	cr_assert_eq(sim_boot(&msg), 0, "%s", msg.text);
	sim_config_default(&settings);
	b->mm = mm_alloc(&settings);
	inode = inode_create("file", FS_EXT4, 64 * PAGE_SIZE);
	b->file = file_open(inode, FMODE_READ | FMODE_WRITE);
	inode_put(inode);
}

static void shut_down(struct boot *b)
{
	fput(b->file);
	cr_assert_eq(sim_shutdown(), 0);
	cr_assert_eq(slab_shutdown(), 0);
	machine_leave(b->machine);
	machine_destroy(b->machine);
}

/* A process that splits, merges, overwrites, faults and forks. */
static void live(struct boot *b)
{
	struct mm_struct *child;
	int error;

	for (u64 i = 0; i < 200; i++) {
		u64 at = 0x100000000000ull + i * 3 * PAGE_SIZE;

		sys_mmap(b->mm, at, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, NULL, 0);
		mm_touch(b->mm, at, PAGE_SIZE, true);
		if (i % 3 == 0)
			sys_mprotect(b->mm, at, PAGE_SIZE, PROT_READ);
		op_end(1);
	}
	sys_mmap(b->mm, 0, 8 * PAGE_SIZE, PROT_READ, MAP_PRIVATE, b->file, 0);
	sys_brk(b->mm, sys_brk(b->mm, 0) + 4 * PAGE_SIZE);
	child = dup_mm(b->mm, &error);
	cr_assert_not_null(child, "fork: %d", error);
	sys_munmap(b->mm, 0x100000000000ull, 300 * PAGE_SIZE);
	mmput(child);
	mmput(b->mm);
	for (unsigned i = 0; i < 100; i++)
		op_end(1);
}

static void lives_in_the_arena(const char *kernel)
{
	struct boot b;
	u64 charges;

	boot(&b, kernel);
	charges = engine_charges();
	engine_watch_strays(true);
	live(&b);
	cr_assert_eq(engine_strays(), 0, "%llu accesses to other memory",
		     (unsigned long long)engine_strays());
	engine_watch_strays(false);
	cr_assert_gt(engine_charges() - charges, 10000);
	shut_down(&b);
}

Test(strays, a_process_lives_in_the_arena_with_sheaves)
{
	lives_in_the_arena("6.18");
}

Test(strays, a_process_lives_in_the_arena_without_sheaves)
{
	lives_in_the_arena("6.17");
}

Test(strays, state_outside_the_arena_is_noticed)
{
	struct boot b;
	struct maple_tree *outside = calloc(1, sizeof(*outside));

	boot(&b, "6.18");
	mt_init_flags(outside, MT_FLAGS_USE_RCU);
	engine_watch_strays(true);
	cr_assert_eq(mtree_store(outside, 5, &b, GFP_KERNEL), 0);
	cr_assert_gt(engine_strays(), 0);
	engine_watch_strays(false);
	mtree_destroy(outside);
	free(outside);
	mmput(b.mm);
	shut_down(&b);
}
