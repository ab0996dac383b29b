/* SPDX-License-Identifier: MIT */
/*
 * stress_sim.c - threads of one process do everything at once.
 *
 * Each task maps, unmaps, protects, touches and moves the break in the same few
 * pages as the others, and one forks. What calls return is anybody's guess; that
 * the address space is sound afterwards and nothing is left is not.
 * VMASIM_SEED replays the choices of each task, VMASIM_OPS sets how many.
 */
#include "alloc/slab.h"
#include "base/rng.h"
#include "sim/mm.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { TASKS = 4, WINDOW = 64 };

#define BASE 0x100000000000ull

struct stress {
	struct mm_struct *mm;
	u64 seed;
};

static u64 number_from(const char *name, u64 fallback)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : fallback;
}

static void fork_once(struct stress *s)
{
	int error;
	struct mm_struct *child = dup_mm(s->mm, &error);

	if (child)
		mmput(child);
}

static void step(struct stress *s, struct rng *rng)
{
	u64 first = rng_below(rng, WINDOW), count = 1 + rng_below(rng, 8);
	u64 addr = BASE + first * PAGE_SIZE, len = count * PAGE_SIZE;

	switch (rng_below(rng, 16)) {
	case 0:
	case 1:
	case 2:
		sys_munmap(s->mm, addr, len);
		break;
	case 3:
	case 4:
		sys_mprotect(s->mm, addr, len,
			     rng_below(rng, 2) ? PROT_READ : PROT_READ | PROT_WRITE);
		break;
	case 5:
		sys_brk(s->mm, sys_brk(s->mm, 0) + (rng_below(rng, 2) ? PAGE_SIZE : -PAGE_SIZE));
		break;
	case 6:
		if (!rng_below(rng, 8))
			fork_once(s);
		break;
	case 7:
	case 8:
	case 9:
		sys_mmap(s->mm, addr, len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, NULL, 0);
		break;
	default:
		mm_touch(s->mm, addr, len, rng_below(rng, 2));
		break;
	}
}

static void loop(unsigned task, void *arg)
{
	struct stress *s = arg;
	struct rng rng;

	rng_seed(&rng, s->seed, task);
	while (!task_stopping()) {
		step(s, &rng);
		op_end(1);
	}
}

static int fail(const char *what, const char *why)
{
	printf("not ok - %s: %s\n", what, why);
	return 1;
}

static int stress_kernel(const char *kernel)
{
	struct machine_config config = {.nr_workers = TASKS};
	u64 operations[TASKS], left;
	struct stress s = {.seed = number_from("VMASIM_SEED", 1)};
	struct task_run run = {
		.nr_tasks = TASKS,
		.loop = loop,
		.arg = &s,
		.window_ns = 60000000000ull,
		.max_operations = number_from("VMASIM_OPS", 5000),
		.operations = operations,
	};
	struct sim_config settings;
	struct machine_desc desc;
	struct machine *machine;
	struct policy policy;
	struct message msg;

	if (machine_describe_host(&desc, &msg) || policy_parse(kernel, &policy, &msg))
		return fail(kernel, msg.text);
	config.desc = &desc;
	if (machine_create(&config, &machine, &msg))
		return fail(kernel, msg.text);
	machine_enter(machine);
	if (slab_boot(&policy, &msg) || sim_boot(&msg))
		return fail(kernel, msg.text);
	sim_config_default(&settings);
	s.mm = mm_alloc(&settings);
	machine_leave(machine);

	if (machine_run(machine, &run, &msg))
		return fail(kernel, msg.text);
	free(run.samples);

	machine_enter(machine);
	mm_validate(s.mm);
	mmput(s.mm);
	left = sim_shutdown() + slab_shutdown();
	machine_leave(machine);
	machine_destroy(machine);
	if (left)
		return fail(kernel, "something is left");
	printf("ok - %s, seed %llu\n", kernel, (unsigned long long)s.seed);
	return 0;
}

int main(void)
{
	return stress_kernel("6.17") | stress_kernel("6.18");
}
