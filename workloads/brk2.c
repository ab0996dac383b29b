/* SPDX-License-Identifier: MIT */
/*
 * brk2.c - brk1 above a page of heap that stays, so that the loop grows and
 * splits a VMA instead of making and removing one.
 */
#include "workloads/brk_pass.h"

static int brk2_prepare(struct workload_task *task)
{
	task->top = sys_brk(task->mm, 0) + PAGE_SIZE;
	return sys_brk(task->mm, task->top) == task->top ? 0 : -ENOMEM;
}

const struct workload workload_brk2 = {
	.view =
		{
			.name = "brk2",
			.description = "brk increase/decrease of one page above a page that stays",
			.unit = "brk calls",
		},
	.operations_per_pass = 2,
	.prepare = brk2_prepare,
	.pass = brk_pass,
};
