/* SPDX-License-Identifier: MIT */
/*
 * private.h - what the virtual engine keeps of a machine: the run in progress.
 */
#ifndef VMASIM_ENGINE_VIRTUAL_PRIVATE_H
#define VMASIM_ENGINE_VIRTUAL_PRIVATE_H

#include "engine/machine.h"

enum run_phase { RUN_IDLE, RUN_WARMUP, RUN_WINDOW, RUN_OVER };

/* Host memory that a floor above declared constant (engine_exempt). */
struct exempt_range {
	uintptr_t start;
	u64 bytes;
};

struct engine_private {
	struct task_run *run; /* NULL outside machine_run() */
	enum run_phase phase;
	u64 polls;
	u64 start_ps, window_ps, end_ps, next_sample_ps;
	u64 operations_before;
	u64 events_before[NR_EVENTS];
	u64 tick_ps; /* length of a tick */
	bool holding_irqs;
	struct exempt_range *exempt; /* malloc'ed */
	unsigned nr_exempt;
};

/** run_poll() - at each op_end: has the warm-up or the window ended? */
void run_poll(struct cpu *cpu);

#endif
