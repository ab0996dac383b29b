/* SPDX-License-Identifier: MIT */
/*
 * percpu.c - per-CPU objects: one offset, a copy in every CPU's area of the arena.
 *
 *	CPU 0: | a | b |   | c | ...       the same offsets are used in every area,
 *	CPU 1: | a | b |   | c | ...       so one map serves them all
 *
 * First fit in units of 16 bytes. Small objects of different owners may share a
 * cache line, as in a kernel. Context: boot CPU, no task runs.
 */
#include "engine/machine.h"

static bool units_free(const struct machine *machine, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++)
		if (machine->percpu_used[i])
			return false;
	return true;
}

static void units_mark(struct machine *machine, percpu_t offset, size_t size, bool used)
{
	size_t first = offset / PERCPU_UNIT;

	for (size_t i = first; i < first + DIV_ROUND_UP(size, PERCPU_UNIT); i++) {
		vm_assert(machine->percpu_used[i] != used);
		machine->percpu_used[i] = used;
	}
}

percpu_t percpu_alloc(size_t size, size_t align)
{
	struct machine *machine = engine_cpu()->machine;
	size_t step = max(align, (size_t)PERCPU_UNIT);
	size_t units = DIV_ROUND_UP(size, PERCPU_UNIT);
	size_t offset = 0;

	vm_assert(size && (align & (align - 1)) == 0);
	while (offset + size <= PERCPU_BYTES && !units_free(machine, offset / PERCPU_UNIT, units))
		offset += step;
	if (offset + size > PERCPU_BYTES)
		vm_bug("per-CPU area of %lu bytes has no room for %zu", PERCPU_BYTES, size);
	units_mark(machine, (percpu_t)offset, size, true);
	for (unsigned i = 0; i < machine->nr_cpus; i++)
		mem_zero(machine->cpus[i].percpu_base + offset, size);
	return (percpu_t)offset;
}

void percpu_free(percpu_t offset, size_t size)
{
	units_mark(engine_cpu()->machine, offset, size, false);
}

void *per_cpu_ptr(percpu_t offset, unsigned cpu)
{
	vm_assert(cpu < nr_cpus());
	return engine_cpu()->machine->cpus[cpu].percpu_base + offset;
}
