/* SPDX-License-Identifier: MIT */
/*
 * brk1.c - grow and shrink the heap by a page from where it stood at the start.
 *
 * In a fork child the heap was touched by the parent and joins nothing new, so
 * each growth makes a VMA and each shrinking removes it whole.
 */
#include "workloads/brk_pass.h"

static int brk1_prepare(struct workload_task *task)
{
	task->top = sys_brk(task->mm, 0);
	return 0;
}

const struct workload workload_brk1 = {
	.view =
		{
			.name = "brk1",
			.description = "brk increase/decrease of one page",
			.unit = "brk calls",
		},
	.operations_per_pass = 2,
	.prepare = brk1_prepare,
	.pass = brk_pass,
};
