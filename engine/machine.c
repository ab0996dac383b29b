/* SPDX-License-Identifier: MIT */
/*
 * machine.c - building a machine and its CPUs, its counters.
 *
 * Context: one thread builds and tears down; the counters may be read while
 * tasks run and are then a little old.
 */
#include "engine/machine.h"

#include <stdlib.h>

/* Where task @cpu is placed, by the description: the rule of engine/native/topo.c. */
unsigned machine_described_node(const struct machine *machine, unsigned cpu)
{
	const struct machine_desc *desc = &machine->desc;
	unsigned places[] = {
		[PLACE_CORES] = desc->nr_cores,
		[PLACE_SMT] = desc->nr_cpus,
		[PLACE_NONE] = machine->nr_cpus,
	};
	unsigned n = max(places[machine->config.placement], 1u);

	return (unsigned)((u64)(cpu % n) * desc->nr_nodes / n);
}

static int cpus_create(struct machine *machine, struct message *msg)
{
	struct arena *arena = &machine->arena;

	machine->cpus = aligned_alloc(256, machine->nr_cpus * sizeof(struct cpu));
	if (!machine->cpus)
		return message_set(msg, -ENOMEM, "no memory for %u CPUs", machine->nr_cpus);
	for (unsigned i = 0; i < machine->nr_cpus; i++) {
		struct cpu *cpu = &machine->cpus[i];

		*cpu = (struct cpu){0};
		cpu->percpu_base = arena->percpu + i * PERCPU_BYTES;
		cpu->pages_base = arena->pages;
		cpu->page_array = arena->page_array;
		cpu->pages_bytes = arena->nr_pages * PAGE_SIZE;
		cpu->slots = machine->slots;
		cpu->machine = machine;
		cpu->index = i;
		cpu->node = engine_cpu_node(machine, i);
		engine_place_node(cpu->percpu_base, PERCPU_BYTES, cpu->node);
	}
	return 0;
}

int machine_create(const struct machine_config *config, struct machine **out, struct message *msg)
{
	struct machine *machine = calloc(1, sizeof(*machine));
	int error;

	if (!machine)
		return message_set(msg, -ENOMEM, "no memory for a machine");
	vm_assert(config->nr_workers >= 1);
	machine->desc = *config->desc;
	machine->config = *config;
	machine->config.desc = &machine->desc;
	machine->nr_cpus = config->nr_workers;
	error = engine_machine_init(machine, msg);
	if (error)
		goto out_free;
	error = arena_create(machine, config->arena_bytes, msg);
	if (error)
		goto out_exit;
	error = cpus_create(machine, msg);
	if (error)
		goto out_arena;
	*out = machine;
	return 0;

out_arena:
	arena_destroy(machine);
out_exit:
	engine_machine_exit(machine);
out_free:
	free(machine);
	return error;
}

static void check_all_returned(struct machine *machine)
{
	for (unsigned node = 0; node < machine->desc.nr_nodes; node++)
		if (machine->arena.zone[node].used_pages)
			vm_bug("machine destroyed with %llu pages of node %u in use",
			       (unsigned long long)machine->arena.zone[node].used_pages, node);
}

void machine_destroy(struct machine *machine)
{
	engine_machine_exit(machine);
	check_all_returned(machine);
	arena_destroy(machine);
	free(machine->cpus);
	free(machine);
}

void machine_enter(struct machine *machine)
{
	vm_assert(!machine->tasks_running);
	engine_attach(&machine->cpus[0]);
}

void machine_leave(struct machine *machine)
{
	vm_assert(engine_cpu()->machine == machine);
	engine_detach();
}

void machine_set_slot(unsigned slot, void *value)
{
	vm_assert(slot < MACHINE_SLOTS);
	engine_cpu()->machine->slots[slot] = value;
}

const struct machine_desc *machine_desc(void)
{
	return &engine_cpu()->machine->desc;
}

unsigned nr_cpus(void)
{
	return engine_cpu()->machine->nr_cpus;
}

unsigned nr_nodes(void)
{
	return engine_cpu()->machine->desc.nr_nodes;
}

unsigned cpu_to_node(unsigned cpu)
{
	return engine_cpu()->machine->cpus[cpu].node;
}

/* ---- Counters ---- */

u64 event_total(enum vm_event event)
{
	struct machine *machine = engine_cpu()->machine;
	u64 sum = 0;

	for (unsigned i = 0; i < machine->nr_cpus; i++)
		sum += READ_ONCE(machine->cpus[i].events[event]);
	return sum;
}

u64 stat_total(unsigned cache_index, enum slab_stat stat)
{
	struct machine *machine = engine_cpu()->machine;
	u64 sum = 0;

	for (unsigned i = 0; i < machine->nr_cpus; i++)
		sum += READ_ONCE(machine->cpus[i].stats[cache_index][stat]);
	return sum;
}

u64 rcu_pending(void)
{
	struct machine *machine = engine_cpu()->machine;
	u64 sum = 0;

	for (unsigned i = 0; i < machine->nr_cpus; i++)
		sum += callbacks_pending(&machine->cpus[i].callbacks);
	return sum;
}
