/* SPDX-License-Identifier: MIT */
/*
 * test_machine.c - machines: who may be built, per-CPU data, counters, slots.
 */
#include "base/rng.h"
#include "engine_fixture.h"

#include <signal.h>

Test(machine, a_foreign_one_is_refused_by_name)
{
	struct message msg = {""};
	const struct machine_desc *turin = machine_builtin("turin", &msg);
	struct machine_config config = {.desc = turin, .nr_workers = 1};
	struct machine *machine = NULL;

	cr_assert_not_null(turin);
	cr_assert_eq(machine_create(&config, &machine, &msg), -EINVAL);
	cr_assert_not_null(strstr(msg.text, "turin"), "%s", msg.text);
	cr_assert_not_null(strstr(msg.text, "host"), "%s", msg.text);
	cr_assert_null(machine);
}

Test(machine, a_synthetic_topology_is_not_this_system)
{
	struct machine_desc desc;
	struct message msg = {""};

	setenv("HWLOC_SYNTHETIC", "package:2 core:4 pu:2", 1);
	cr_assert_eq(machine_describe_host(&desc, &msg), -EINVAL);
	cr_assert_not_null(strstr(msg.text, "HWLOC_SYNTHETIC"), "%s", msg.text);
}

Test(machine, the_host_describes_itself)
{
	struct machine_desc desc;
	struct message msg = {""};

	cr_assert_eq(machine_describe_host(&desc, &msg), 0, "%s", msg.text);
	cr_assert(desc.is_host);
	cr_assert_str_eq(desc.name, "host");
	cr_assert_geq(desc.nr_cpus, desc.nr_cores);
	cr_assert_geq(desc.nr_cores, 1);
	cr_assert_geq(desc.nr_nodes, 1);
	cr_assert_gt(desc.hz, 0);
	cr_assert_gt(desc.access_ps, 0);
	cr_assert_str_eq(engine_name(), "native");
}

Test(machine, two_live_side_by_side)
{
	struct machine *one = new_machine(1, 1, GP_NORMAL);
	struct machine *two = new_machine(3, 2, GP_NORMAL);
	int a, b;

	machine_enter(one);
	machine_set_slot(5, &a);
	count_event(EVENT_FAULT, 7);
	machine_leave(one);
	machine_enter(two);
	machine_set_slot(5, &b);
	cr_assert_eq(event_total(EVENT_FAULT), 0);
	cr_assert_eq(nr_cpus(), 3);
	cr_assert_eq(nr_nodes(), 2);
	cr_assert_eq(machine_slot(5), &b);
	end_machine(two);
	machine_enter(one);
	cr_assert_eq(machine_slot(5), &a);
	cr_assert_eq(event_total(EVENT_FAULT), 7);
	cr_assert_eq(this_cpu(), 0);
	end_machine(one);
}

Test(machine, counters_sum_over_cpus)
{
	struct machine *machine = enter_machine(4, 1, GP_NORMAL);

	for (unsigned cpu = 0; cpu < 4; cpu++) {
		engine_current = &machine->cpus[cpu];
		count_event(EVENT_MA_WRITE, cpu);
		stat_add(47, STAT_ALLOC_SLAB, 10);
	}
	engine_current = &machine->cpus[0];
	cr_assert_eq(event_total(EVENT_MA_WRITE), 0 + 1 + 2 + 3);
	cr_assert_eq(stat_total(47, STAT_ALLOC_SLAB), 40);
	cr_assert_eq(stat_total(46, STAT_ALLOC_SLAB), 0);
	end_machine(machine);
}

static unsigned node_of(unsigned cpu, enum placement placement, unsigned workers)
{
	struct machine machine = {
		.desc = {.nr_cpus = 16, .nr_cores = 8, .nr_nodes = 2},
		.config = {.placement = placement},
		.nr_cpus = workers,
	};

	return machine_described_node(&machine, cpu);
}

Test(machine, a_cpu_belongs_to_the_node_of_its_place)
{
	/* 8 cores with two threads each, half of them a node. */
	for (unsigned cpu = 0; cpu < 16; cpu++) {
		cr_assert_eq(node_of(cpu, PLACE_CORES, 16), cpu % 8 / 4);
		cr_assert_eq(node_of(cpu, PLACE_SMT, 16), cpu / 8);
	}
	/* Few tasks fill the first node, they are not spread. */
	for (unsigned cpu = 0; cpu < 4; cpu++)
		cr_assert_eq(node_of(cpu, PLACE_CORES, 4), 0);
	cr_assert_eq(node_of(3, PLACE_NONE, 4), 1);
	/* More tasks than CPUs start over. */
	cr_assert_eq(node_of(16, PLACE_SMT, 20), 0);
}

Test(percpu, each_cpu_has_its_own_zeroed_copy)
{
	struct machine *machine = enter_machine(4, 1, GP_NORMAL);
	percpu_t offset = percpu_alloc(24, 8);

	for (unsigned cpu = 0; cpu < 4; cpu++) {
		u64 *object = per_cpu_ptr(offset, cpu);

		cr_assert_eq(object[0] | object[1] | object[2], 0);
		object[0] = cpu + 1;
	}
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		engine_current = &machine->cpus[cpu];
		cr_assert_eq(*(u64 *)this_cpu_ptr(offset), cpu + 1);
	}
	engine_current = &machine->cpus[0];
	percpu_free(offset, 24);
	offset = percpu_alloc(24, 8);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		cr_assert_eq(*(u64 *)per_cpu_ptr(offset, cpu), 0, "zeroed again");
	percpu_free(offset, 24);
	end_machine(machine);
}

struct area {
	percpu_t offset;
	size_t size;
};

static bool overlaps(const struct area *a, const struct area *b)
{
	return a->size && b->size && a->offset < b->offset + b->size &&
	       b->offset < a->offset + a->size;
}

Test(percpu, areas_freed_in_any_order_are_used_again)
{
	enum { SLOTS = 40, STEPS = 4000 };
	struct machine *machine = enter_machine(2, 1, GP_NORMAL);
	struct area area[SLOTS] = {0};
	struct rng rng;

	rng_seed(&rng, 3, 0);
	for (unsigned step = 0; step < STEPS; step++) {
		struct area *a = &area[rng_below(&rng, SLOTS)];
		size_t align = 8ul << rng_below(&rng, 5);

		if (a->size) {
			percpu_free(a->offset, a->size);
			a->size = 0;
			continue;
		}
		a->size = 1 + rng_below(&rng, 500);
		a->offset = percpu_alloc(a->size, align);
		cr_assert(IS_ALIGNED(a->offset, align));
		cr_assert_leq(a->offset + a->size, PERCPU_BYTES);
		for (unsigned i = 0; i < SLOTS; i++)
			cr_assert(&area[i] == a || !overlaps(&area[i], a));
	}
	for (unsigned i = 0; i < SLOTS; i++)
		if (area[i].size)
			percpu_free(area[i].offset, area[i].size);
	cr_assert_eq(percpu_alloc(PERCPU_BYTES, 8), 0, "all is one piece again");
	percpu_free(0, PERCPU_BYTES);
	end_machine(machine);
}

Test(percpu, freeing_twice_is_caught, .signal = SIGABRT)
{
	percpu_t offset;

	enter_machine(1, 1, GP_NORMAL);
	offset = percpu_alloc(64, 64);
	percpu_free(offset, 64);
	percpu_free(offset, 64);
}
