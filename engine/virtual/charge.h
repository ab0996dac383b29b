/* SPDX-License-Identifier: MIT */
/*
 * charge.h - what an access costs, for the virtual engine's own files.
 */
#ifndef VMASIM_ENGINE_VIRTUAL_CHARGE_H
#define VMASIM_ENGINE_VIRTUAL_CHARGE_H

#include "engine/engine.h"

/** charge() - the running CPU accesses @size bytes at @p: a cost for each line in the arena. */
void charge(const void *p, size_t size);

/** charge_ps() - time that passes on the running CPU. */
void charge_ps(u64 ps);

/** lines_attach() - accesses of this thread belong to @cpu; NULL: to nobody. */
void lines_attach(struct cpu *cpu);

/** lines_cpu() - the CPU that lines_attach() set. */
struct cpu *lines_cpu(void);

#endif
