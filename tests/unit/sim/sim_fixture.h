/* SPDX-License-Identifier: MIT */
/*
 * sim_fixture.h - a booted machine with one empty process, and the check that
 * nothing is left.
 */
#ifndef VMASIM_TESTS_SIM_FIXTURE_H
#define VMASIM_TESTS_SIM_FIXTURE_H

#include "alloc/slab.h"
#include "sim/internal.h"

#include <criterion/criterion.h>
#include <sys/mman.h>

#define AT 0x100000000000ull
#define RW (PROT_READ | PROT_WRITE)

struct process {
	struct machine *machine;
	struct mm_struct *mm;
};

static inline void process_start(struct process *p, const struct sim_config *settings)
{
	struct machine_config config = {.nr_workers = 1};
	struct sim_config defaults;
	struct machine_desc desc;
	struct policy policy;
	struct message msg;

	sim_config_default(&defaults);
	cr_assert_eq(machine_describe_host(&desc, &msg), 0, "%s", msg.text);
	cr_assert_eq(policy_parse("6.18", &policy, &msg), 0, "%s", msg.text);
	config.desc = &desc;
	cr_assert_eq(machine_create(&config, &p->machine, &msg), 0, "%s", msg.text);
	machine_enter(p->machine);
	cr_assert_eq(slab_boot(&policy, &msg), 0, "%s", msg.text);
	cr_assert_eq(sim_boot(&msg), 0, "%s", msg.text);
	p->mm = mm_alloc(settings ? settings : &defaults);
	cr_assert_not_null(p->mm);
}

static inline void process_end(struct process *p)
{
	mm_validate(p->mm);
	mmput(p->mm);
	cr_assert_eq(sim_shutdown(), 0);
	cr_assert_eq(slab_shutdown(), 0);
	machine_leave(p->machine);
	machine_destroy(p->machine);
}

/* Anonymous private memory at page @page of the test's place. */
static inline long map_at(struct process *p, u64 page, u64 pages, int prot)
{
	return sys_mmap(p->mm, AT + page * PAGE_SIZE, pages * PAGE_SIZE, (u64)prot,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, NULL, 0);
}

static inline long protect(struct process *p, u64 page, u64 pages, int prot)
{
	return sys_mprotect(p->mm, AT + page * PAGE_SIZE, pages * PAGE_SIZE, (u64)prot);
}

static inline long unmap(struct process *p, u64 page, u64 pages)
{
	return sys_munmap(p->mm, AT + page * PAGE_SIZE, pages * PAGE_SIZE);
}

static inline void touch(struct process *p, u64 page, u64 pages)
{
	cr_assert_eq(mm_touch(p->mm, AT + page * PAGE_SIZE, pages * PAGE_SIZE, true).pages_done,
		     pages);
}

/* VMAs of the process are [start, end) pages of the test's place, in pairs, 0, 0 at the end. */
static inline void expect_vmas(struct process *p, const u64 *pairs)
{
	MA_STATE(mas, &p->mm->mm_mt, 0, 0);
	struct vm_area_struct *vma;
	unsigned i = 0;

	for_each_vma(mas, vma) {
		cr_assert_eq(vma->vm_start, AT + pairs[i] * PAGE_SIZE, "VMA %u starts at page %lld",
			     i / 2, (long long)(vma->vm_start - AT) / (long long)PAGE_SIZE);
		cr_assert_eq(vma->vm_end, AT + pairs[i + 1] * PAGE_SIZE, "VMA %u ends at page %lld",
			     i / 2, (long long)(vma->vm_end - AT) / (long long)PAGE_SIZE);
		i += 2;
	}
	cr_assert_eq(pairs[i + 1], 0, "only %u VMAs", i / 2);
	mm_validate(p->mm);
}

#define EXPECT_VMAS(p, ...) expect_vmas(p, (const u64[]){__VA_ARGS__, 0, 0})

#endif
