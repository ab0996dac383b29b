/* SPDX-License-Identifier: MIT */
/*
 * replay.h - running what a real kernel or program once did (core.h), and the
 * part that kernel traces and strace logs share: the report of differences.
 */
#ifndef VMASIM_WORKLOADS_REPLAY_H
#define VMASIM_WORKLOADS_REPLAY_H

#include "workloads/core.h"
#include "workloads/text_file.h"

/** workload_replay() - tells a kernel trace from an strace log by its first character. */
int workload_replay(const struct replay_request *request, struct replay_result *result,
		    struct message *msg);

/** replay_kernel(), replay_strace() - run @file, the text of request->path (overwritten). */
int replay_kernel(const struct replay_request *request, struct text_file *file,
		  struct replay_result *result, struct message *msg);
int replay_strace(const struct replay_request *request, struct text_file *file,
		  struct replay_result *result, struct message *msg);

/** replay_summary() - the closing line on request->out. */
void replay_summary(const struct replay_request *request, const struct replay_result *result);

#endif
