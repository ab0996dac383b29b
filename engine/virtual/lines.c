/* SPDX-License-Identifier: MIT */
/*
 * lines.c - every access of the simulated kernel comes through here.
 *
 * Floors 2 to 5 of the virtual core are compiled with -fsanitize=thread but
 * linked without it: the calls that the compiler puts before each load and store
 * end in this file. An access inside the arena costs time on the running CPU;
 * anything else (stacks, constants of the program, host memory) is free. In this
 * first stone every line costs the same (machine_desc.access_ps).
 *
 * One host thread runs a machine, so the atomic forms need no atomic instruction:
 * they charge, then do their work plainly.
 *
 * While watched (engine_watch_strays), accesses to host heap memory that no floor
 * declared with engine_exempt() are counted: simulated state outside the arena
 * would be free of charge, which is a fault of the floor above.
 */
#include "engine/virtual/charge.h"
#include "engine/virtual/private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct span {
	uintptr_t start;
	u64 bytes;
};

static _Thread_local struct lines {
	struct cpu *cpu;
	struct span arena; /* zero bytes while no CPU is attached */
	u64 access_ps;
	bool watching;
	u64 strays;
	struct span stack;
} lines;

static bool inside(struct span span, uintptr_t address)
{
	return address - span.start < span.bytes;
}

static struct span this_stack(void)
{
	struct span span = {0};
	pthread_attr_t attr;
	void *start;
	size_t bytes;

	if (pthread_getattr_np(pthread_self(), &attr))
		return span;
	if (!pthread_attr_getstack(&attr, &start, &bytes))
		span = (struct span){(uintptr_t)start, bytes};
	pthread_attr_destroy(&attr);
	return span;
}

void lines_attach(struct cpu *cpu)
{
	const struct arena *arena;

	lines.cpu = cpu;
	lines.arena = (struct span){0};
	if (!cpu)
		return;
	arena = &cpu->machine->arena;
	lines.arena = (struct span){(uintptr_t)arena->map, arena->map_bytes};
	lines.access_ps = cpu->machine->desc.access_ps;
}

struct cpu *lines_cpu(void)
{
	return lines.cpu;
}

/* ---- Strays ---- */

void engine_exempt(const void *start, size_t size)
{
	struct engine_private *private = lines.cpu->machine->private;
	struct exempt_range *grown =
		realloc(private->exempt, (private->nr_exempt + 1) * sizeof(*grown));

	if (!grown)
		vm_bug("no memory for %u exempt ranges", private->nr_exempt + 1);
	private->exempt = grown;
	grown[private->nr_exempt++] = (struct exempt_range){(uintptr_t)start, size};
}

static bool is_exempt(uintptr_t address)
{
	const struct engine_private *private = lines.cpu->machine->private;

	for (unsigned i = 0; i < private->nr_exempt; i++)
		if (address - private->exempt[i].start < private->exempt[i].bytes)
			return true;
	return false;
}

void engine_watch_strays(bool on)
{
	lines.stack = this_stack();
	lines.watching = on;
	lines.strays = 0;
}

u64 engine_strays(void)
{
	return lines.strays;
}

static void note_stray(uintptr_t address)
{
	extern const char __executable_start[], end[];
	struct span image = {(uintptr_t)__executable_start,
			     (u64)((uintptr_t)end - (uintptr_t)__executable_start)};

	if (!inside(lines.stack, address) && !inside(image, address) && lines.cpu &&
	    !is_exempt(address))
		lines.strays++;
}

/* ---- Charging ---- */

void charge_ps(u64 ps)
{
	lines.cpu->clock_ps += ps;
}

void charge(const void *p, size_t size)
{
	uintptr_t address = (uintptr_t)p;
	u64 touched;

	if (unlikely(!inside(lines.arena, address))) {
		if (unlikely(lines.watching))
			note_stray(address);
		return;
	}
	touched = (address + size - 1) / CACHE_LINE - address / CACHE_LINE + 1;
	lines.cpu->charges += touched;
	charge_ps(touched * lines.access_ps);
}

u64 engine_charges(void)
{
	return lines.cpu->charges;
}

/* ---- Bulk memory ---- */

void mem_zero(void *p, size_t n)
{
	charge(p, n);
	memset(p, 0, n);
}

void mem_copy(void *to, const void *from, size_t n)
{
	charge(from, n);
	charge(to, n);
	memcpy(to, from, n);
}

void mem_move(void *to, const void *from, size_t n)
{
	charge(from, n);
	charge(to, n);
	memmove(to, from, n);
}

/* ---- Pairs ---- */

bool cas16(void *p, u64 old0, u64 old1, u64 new0, u64 new1)
{
	u64 *pair = p;

	vm_assert(IS_ALIGNED((uintptr_t)p, 16));
	charge(p, 16);
	if (pair[0] != old0 || pair[1] != old1)
		return false;
	pair[0] = new0;
	pair[1] = new1;
	return true;
}

bool this_cpu_cas16(void *p, u64 old0, u64 old1, u64 new0, u64 new1)
{
	return cas16(p, old0, old1, new0, new1);
}
