/* SPDX-License-Identifier: MIT */
/*
 * alloc_fixture.h - a booted machine for one test, and the count of what it left.
 *
 * CPUs and nodes of the description are the test's choice, so that slab geometry
 * does not follow the host. become_cpu() lets one thread play several CPUs; only
 * what belongs to a CPU changes hands, as with real workers between operations.
 */
#ifndef VMASIM_TESTS_ALLOC_FIXTURE_H
#define VMASIM_TESTS_ALLOC_FIXTURE_H

#include "alloc/internal.h"
#include "engine/machine.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_machine {
	struct machine *machine;
	u64 pages_before;
};

/* @nr_cpus: CPUs of the description and workers; @spec: a kernel. */
static inline struct bench_machine boot_machine(const char *spec, unsigned nr_cpus,
						unsigned nr_nodes)
{
	struct bench_machine b;
	struct machine_desc desc;
	struct policy policy;
	struct message msg = {""};
	struct machine_config config = {.desc = &desc,
					.nr_workers = nr_cpus,
					.placement = PLACE_NONE,
					.gp = GP_OP_END,
					.arena_bytes = 64ul << 20};

	cr_assert_eq(machine_describe_host(&desc, &msg), 0, "%s", msg.text);
	desc.nr_cpus = nr_cpus;
	desc.nr_nodes = nr_nodes;
	cr_assert_eq(policy_parse(spec, &policy, &msg), 0, "%s", msg.text);
	cr_assert_eq(machine_create(&config, &b.machine, &msg), 0, "%s", msg.text);
	machine_enter(b.machine);
	b.pages_before = pages_in_use();
	cr_assert_eq(slab_boot(&policy, &msg), 0, "%s", msg.text);
	return b;
}

static inline void become_cpu(const struct bench_machine *b, unsigned cpu)
{
	engine_current = &b->machine->cpus[cpu];
}

/* Validate all, shut down: nothing may be live and every page is back. */
static inline void end_machine(struct bench_machine *b)
{
	become_cpu(b, 0);
	slab_validate_all();
	cr_assert_eq(slab_shutdown(), 0);
	cr_assert_eq(pages_in_use(), b->pages_before);
	machine_leave(b->machine);
	machine_destroy(b->machine);
}

static inline u64 count_of(struct kmem_cache *s, enum slab_stat stat)
{
	return stat_total(s->index, stat) - s->stat_base[stat];
}

#define assert_count(s, id, value)                                                                 \
	cr_assert_eq(count_of(s, STAT_##id), (u64)(value), "%s is %llu",                           \
		     slab_stat_names[STAT_##id], (unsigned long long)count_of(s, STAT_##id))

static inline struct slub_percpu_sheaves *sheaves_of(struct kmem_cache *s, unsigned cpu)
{
	return (struct slub_percpu_sheaves *)per_cpu_ptr(s->cpu_sheaves, cpu);
}

/* A cache of 256-byte objects with sheaves of @capacity. */
static inline struct kmem_cache *sheaf_cache(int capacity)
{
	struct kmem_cache_args args = {.sheaf_capacity = capacity};
	struct kmem_cache *s = kmem_cache_create("test", 256, &args, 0);

	cr_assert_not_null(s);
	return s;
}

static inline void alloc_many(struct kmem_cache *s, void **objects, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		objects[i] = kmem_cache_alloc(s, GFP_KERNEL);
		cr_assert_not_null(objects[i]);
		memset(objects[i], 0x5a, s->object_size);
	}
}

static inline void free_many(struct kmem_cache *s, void **objects, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		kmem_cache_free(s, objects[i]);
}

#endif
