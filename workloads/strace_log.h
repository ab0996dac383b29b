/* SPDX-License-Identifier: MIT */
/*
 * strace_log.h - the calls of an `strace -f` log, in the order they took effect.
 *
 * A line is `ID SECONDS CALL`. A call that strace split is put together again: it
 * stands where it was resumed, except one that makes a process, which stands
 * where it began, since its child runs before the parent is told. A call that the
 * log never finishes (its process was killed, or the log was cut) is left out.
 */
#ifndef VMASIM_WORKLOADS_STRACE_LOG_H
#define VMASIM_WORKLOADS_STRACE_LOG_H

#include "base/message.h"
#include "base/types.h"

enum strace_result {
	STRACE_VALUE,   /* = 0x7ffff7fc0000 */
	STRACE_ERROR,   /* = -1 ENOMEM (...) */
	STRACE_UNKNOWN, /* = ?, or the log ends before */
};

struct strace_call {
	u64 line;
	unsigned process;
	char *name;
	char *arguments; /* between the parentheses */
	enum strace_result kind;
	u64 value;
	int error;
	bool dropped; /* stands elsewhere, or never finished */
};

struct strace_log {
	const char *path;
	struct strace_call *calls;
	size_t nr_calls, room;
};

/** strace_log_parse() - @text is @path's; it is overwritten. 0 (strace_log_free()) or -EINVAL. */
int strace_log_parse(const char *path, char *text, struct strace_log *log, struct message *msg);
void strace_log_free(struct strace_log *log);

/** strace_makes_process() - fork, vfork, clone, clone3. */
bool strace_makes_process(const char *name);

/* Arguments of a memory call. */
struct strace_arguments {
	u64 number[6];
	char *path; /* of the file descriptor; NULL: none */
};

/**
 * strace_parse_arguments() - @format says what is wanted, one letter an argument:
 * a address or NULL, l length, p protection, f mapping flags, d descriptor with path,
 * o file offset. call->arguments is overwritten.
 */
int strace_parse_arguments(const struct strace_log *log, struct strace_call *call,
			   const char *format, struct strace_arguments *out, struct message *msg);

#endif
