/* SPDX-License-Identifier: MIT */
/*
 * mmap2.c - map and unmap 128 MiB of an own unlinked file, private, never touched.
 *
 * Each task has its own file, so no lock of a file is shared between tasks.
 */
#include "workloads/workload.h"

#include <stdio.h>
#include <sys/mman.h>

#define MAP_BYTES (128ul << 20)

static int mmap2_prepare(struct workload_task *task)
{
	struct inode *inode;
	char name[48];

	snprintf(name, sizeof(name), "/mnt/willitscale.%u (deleted)", task->index);
	inode = inode_create(name, FS_EXT4, MAP_BYTES);
	if (!inode)
		return -ENOMEM;
	task->file = file_open(inode, FMODE_READ | FMODE_WRITE);
	inode_put(inode);
	return task->file ? 0 : -ENOMEM;
}

static int mmap2_pass(struct workload_task *task)
{
	long address;
	long error;

	op_begin();
	address = sys_mmap(task->mm, 0, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, task->file,
			   0);
	if (address < 0)
		return (int)address;
	error = sys_munmap(task->mm, (u64)address, MAP_BYTES);
	op_end(1);
	return (int)error;
}

static void mmap2_cleanup(struct workload_task *task)
{
	if (task->file)
		fput(task->file);
}

const struct workload workload_mmap2 = {
	.view =
		{
			.name = "mmap2",
			.description = "private mmap/munmap of 128 MiB of an own unlinked file",
			.unit = "mmap+munmap pairs",
		},
	.operations_per_pass = 1,
	.prepare = mmap2_prepare,
	.pass = mmap2_pass,
	.cleanup = mmap2_cleanup,
};
