/* SPDX-License-Identifier: MIT */
/*
 * run_inspect.h - reading a run's state into its result. Private to run.c.
 */
#ifndef VMASIM_WORKLOADS_RUN_INSPECT_H
#define VMASIM_WORKLOADS_RUN_INSPECT_H

#include "workloads/core.h"

struct mm_struct;
struct task_run;

/** run_note_start() - height, nodes and VMAs of the start layout. */
void run_note_start(struct run_result *result, struct mm_struct *mm);

/**
 * run_keep_result() - copy counters, samples and caches. CPU 0, no task runs,
 * before any address space is torn down. 0 or -ENOMEM with a message.
 */
int run_keep_result(struct run_result *result, const struct task_run *tasks, struct message *msg);

#endif
