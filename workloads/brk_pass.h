/* SPDX-License-Identifier: MIT */
/*
 * brk_pass.h - the loop that brk1 and brk2 share: up a page, down a page.
 *
 * Each call is one operation. In threads mode the tasks move one break against
 * each other, so one task's growth may find nothing to do; the break a call
 * returns is what it asked for all the same.
 */
#ifndef VMASIM_WORKLOADS_BRK_PASS_H
#define VMASIM_WORKLOADS_BRK_PASS_H

#include "workloads/workload.h"

static inline int brk_operation(struct mm_struct *mm, u64 brk)
{
	u64 got;

	op_begin();
	got = sys_brk(mm, brk);
	op_end(1);
	return got == brk ? 0 : -ENOMEM;
}

static inline int brk_pass(struct workload_task *task)
{
	int error = brk_operation(task->mm, task->top + PAGE_SIZE);

	return error ? error : brk_operation(task->mm, task->top);
}

#endif
