/* SPDX-License-Identifier: MIT */
/*
 * mmap1.c - map and unmap 128 MiB of private anonymous memory, never touched.
 *
 * 128 MiB is a multiple of 2 MiB, so the gap search takes the huge-page
 * alignment path and the mapping seldom touches a neighbour it could join.
 */
#include "workloads/workload.h"

#include <sys/mman.h>

#define MAP_BYTES (128ul << 20)

static int mmap1_pass(struct workload_task *task)
{
	long address;
	long error;

	op_begin();
	address = sys_mmap(task->mm, 0, MAP_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, NULL, 0);
	if (address < 0)
		return (int)address;
	error = sys_munmap(task->mm, (u64)address, MAP_BYTES);
	op_end(1);
	return (int)error;
}

const struct workload workload_mmap1 = {
	.view =
		{
			.name = "mmap1",
			.description = "anonymous memory mmap/munmap of 128 MiB",
			.unit = "mmap+munmap pairs",
		},
	.operations_per_pass = 1,
	.pass = mmap1_pass,
};
