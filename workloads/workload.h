/* SPDX-License-Identifier: MIT */
/*
 * workload.h - what a testcase is: one file each, registered in registry.c.
 *
 * A testcase says how a task prepares and what one pass of its loop does. The
 * runner (run.c) decides on whose address space, on which CPU and for how long.
 * Names and counting follow will-it-scale: an operation is what that suite's
 * counter counts, so a brk pass is two operations and an mmap pass is one.
 */
#ifndef VMASIM_WORKLOADS_WORKLOAD_H
#define VMASIM_WORKLOADS_WORKLOAD_H

#include "engine/engine.h"
#include "sim/mm.h"
#include "workloads/core.h"

/* One task of a run. The loop works on a copy on its own stack. */
struct workload_task {
	struct mm_struct *mm;
	unsigned index;    /* 0 .. tasks - 1 */
	struct file *file; /* the task's own file, where the testcase has one */
	u64 top;           /* brk tests: the break their loop starts from */
	int error;         /* of the pass that failed; the task stops there */
};

struct workload {
	struct workload_view view;
	unsigned operations_per_pass;

	/* prepare() - on the task's CPU, before the gate. NULL: nothing to do. 0 or -errno. */
	int (*prepare)(struct workload_task *task);

	/*
	 * pass() - once round the loop; brackets each operation with op_begin() and
	 * op_end(1). 0 or -errno, which ends the run.
	 */
	int (*pass)(struct workload_task *task);

	/* cleanup() - after the run, boot CPU, before the address space goes. May be NULL. */
	void (*cleanup)(struct workload_task *task);
};

/** workload_find() - by name; NULL with a message that lists the names. */
const struct workload *workload_find(const char *name, struct message *msg);

/** workload_view_at() - the registry as core.h shows it; NULL past its end. */
const struct workload_view *workload_view_at(unsigned index);

#endif
