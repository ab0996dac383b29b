/* SPDX-License-Identifier: MIT */
/*
 * replay_strace.h - the state of a log's replay, shared by its files:
 *
 *	replay_strace.c			the session, the calls in their order
 *	strace_process.c		who shares which address space, fork and execve
 *	replay_strace_inspect.c		the final layout, page by page
 *
 * Threads and vfork children share their parent's address space until an execve
 * gives them one of their own, built from NAME.maps.first.ID beside the log.
 */
#ifndef VMASIM_WORKLOADS_REPLAY_STRACE_H
#define VMASIM_WORKLOADS_REPLAY_STRACE_H

#include "sim/mm.h"
#include "workloads/core.h"
#include "workloads/layout.h"
#include "workloads/session.h"
#include "workloads/strace_log.h"

struct strace_mm {
	struct mm_struct *mm;
	unsigned users; /* processes and threads */
};

struct strace_process {
	unsigned id, leader; /* threads have the leader of their process */
	struct strace_mm *space;
	bool exited;
};

struct strace_file {
	const char *path; /* points into the log */
	struct file *file;
};

struct strace_replay {
	const struct replay_request *request;
	struct replay_result *result;
	struct message *msg;
	struct session session;
	struct strace_log log;
	size_t at; /* the running call */

	struct strace_process *processes;
	size_t nr_processes;
	struct strace_file *files;
	size_t nr_files;
	struct layout **layouts; /* their labels live as long as the address spaces */
	size_t nr_layouts;
	bool maps_printed;

	/* after_call() - tests look at each call here. May be NULL. */
	void (*after_call)(struct strace_replay *r, const struct strace_call *call, void *arg);
	void *after_call_arg;
};

/** strace_replay_run() - the whole log, with a machine of its own. */
int strace_replay_run(struct strace_replay *r, char *text);

/** strace_process() - the running call's process. NULL with a message. */
struct strace_process *strace_process(struct strace_replay *r, const struct strace_call *call);
/** strace_create() - fork, vfork, clone or clone3 that gave a process. */
int strace_create(struct strace_replay *r, const struct strace_call *call);
/** strace_exec() - an execve that succeeded. */
int strace_exec(struct strace_replay *r, const struct strace_call *call);
/** strace_exit() - leave the address space, all threads of the process if @whole. */
void strace_exit(struct strace_replay *r, unsigned id, bool whole);
/** strace_drop_all() - at the end of the log. */
void strace_drop_all(struct strace_replay *r);

/** strace_final_path() - NAME.maps.KIND.ID beside the log, malloc'ed; NULL: no memory. */
char *strace_maps_path(const struct strace_replay *r, const char *kind, unsigned id);

/** strace_write_once() - write a page of each private writable VMA. */
void strace_touch_written(struct mm_struct *mm);

/** strace_check_final() - compare @mm with NAME.maps.final.ID where that file exists. */
int strace_check_final(struct strace_replay *r, unsigned id, struct mm_struct *mm);

/** strace_difference() - count one and print it with file, line and call. */
void strace_difference(struct strace_replay *r, const char *fmt, ...) printf_like(2, 3);

#endif
