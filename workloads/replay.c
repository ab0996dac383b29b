/* SPDX-License-Identifier: MIT */
/*
 * replay.c - which kind of recording a file is, and the closing summary.
 */
#include "workloads/replay.h"

#include <ctype.h>
#include <stdio.h>

void replay_summary(const struct replay_request *request, const struct replay_result *result)
{
	if (!request->out)
		return;
	if (!request->check) {
		fprintf(request->out, "%s: %llu operations done, nothing compared\n", request->path,
			(unsigned long long)result->operations);
		return;
	}
	fprintf(request->out,
		"%s: compared %llu operations, %llu layouts, %llu counters, %llu object counts: "
		"%llu differences\n",
		request->path, (unsigned long long)result->operations,
		(unsigned long long)result->layouts, (unsigned long long)result->counters,
		(unsigned long long)result->object_counts, (unsigned long long)result->differences);
}

int workload_replay(const struct replay_request *request, struct replay_result *result,
		    struct message *msg)
{
	struct text_file file;
	int error = text_file_read(request->path, &file, msg);

	*result = (struct replay_result){0};
	if (error)
		return error;
	if (file.text[0] == '{')
		error = replay_kernel(request, &file, result, msg);
	else if (file.text[0] == '#' || isdigit((unsigned char)file.text[0]))
		error = replay_strace(request, &file, result, msg);
	else
		error = message_set(msg, -EINVAL,
				    "%s:1: begins with '%.20s': a kernel trace begins "
				    "with '{', an strace log with '#' or a process number",
				    request->path, file.text);
	text_file_free(&file);
	if (!error)
		replay_summary(request, result);
	return error;
}
