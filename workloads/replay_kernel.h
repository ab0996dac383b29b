/* SPDX-License-Identifier: MIT */
/*
 * replay_kernel.h - the state of a kernel trace's replay, shared by its files:
 *
 *	replay_kernel.c			lines, their order, the session
 *	replay_kernel_head.c		the first line: configuration and start layout
 *	replay_kernel_ops.c		one operation: do it, compare result and objects
 *	replay_kernel_snap_inspect.c	one layout: compare VMAs, counters, hash
 */
#ifndef VMASIM_WORKLOADS_REPLAY_KERNEL_H
#define VMASIM_WORKLOADS_REPLAY_KERNEL_H

#include "sim/mm.h"
#include "workloads/core.h"
#include "workloads/session.h"
#include "workloads/trace_line.h"

enum { TRACE_LEVELS = 16 }; /* processes alive at once: each the fork child of the one before */

/* A VMA as a trace writes it. */
struct trace_vma {
	u64 start, end, pgoff;
	char perm[5];
	char id[24];
	char flags[96]; /* letters, separated by blanks */
};

/* An object made by the shared anonymous mmap number @op. */
struct trace_shm {
	const struct inode *inode;
	u64 op;
};

struct trace_file {
	const char *name; /* as in the field fd */
	struct file *file;
};

struct kernel_replay {
	const struct replay_request *request;
	struct replay_result *result;
	struct trace_line line;
	struct trace_bases bases;
	struct sim_config config;
	struct session session;

	struct mm_struct *mm[TRACE_LEVELS];
	unsigned level;            /* of the running process */
	u64 fork_op[TRACE_LEVELS]; /* number of the fork that made the level */
	u64 next_op;
	u64 every; /* level 0 has a snap after so many operations */
	bool booted, ended;
	unsigned snaps, snaps_due; /* since the last operation: seen, wanted before the next */

	struct trace_vma *init;
	size_t nr_init;
	struct trace_file files[6];
	struct trace_shm *shm;
	size_t nr_shm;
};

/** trace_head() - configure, boot a machine, build the start process. */
int trace_head(struct kernel_replay *r);
/** trace_close_files() - undo what trace_head() opened. */
void trace_close_files(struct kernel_replay *r);

/** trace_op() - execute and compare one operation line. */
int trace_op(struct kernel_replay *r);

/** trace_snap() - compare the running process with a snap line. */
int trace_snap(struct kernel_replay *r);
/** trace_check_counters() - compare the object `kb` of the line. */
int trace_check_counters(struct kernel_replay *r);

#define ANON_UNKNOWN (~0ull)

/** trace_parse_vma() - a layout tuple. @anon: its last element, ANON_UNKNOWN if left out. */
int trace_parse_vma(const struct trace_line *line, const char *field, size_t index, json_t *tuple,
		    struct trace_vma *vma, u64 *anon);

/** trace_difference() - count one and print it: file, line, what, then the text. */
void trace_difference(struct kernel_replay *r, const char *fmt, ...) printf_like(2, 3);

#endif
