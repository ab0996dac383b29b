/* SPDX-License-Identifier: MIT */
/*
 * replay_fixture.h - replaying text from memory and catching what it prints.
 */
#ifndef VMASIM_TESTS_REPLAY_FIXTURE_H
#define VMASIM_TESTS_REPLAY_FIXTURE_H

#include "base/policy.h"
#include "engine/engine.h"
#include "workloads/core.h"
#include "workloads/replay.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct replayed {
	int error;
	struct replay_result result;
	struct message msg;
	char *printed; /* free() */
};

/* Replay the file at @path with every comparison on. */
static inline struct replayed replay_path(const char *path)
{
	struct replayed out = {.msg = {""}};
	struct machine_desc machine;
	struct policy policy;
	size_t size;
	struct replay_request request = {
		.path = path, .policy = &policy, .machine = &machine, .check = true};

	cr_assert_eq(policy_parse("6.18", &policy, &out.msg), 0, "%s", out.msg.text);
	cr_assert_eq(machine_describe_host(&machine, &out.msg), 0, "%s", out.msg.text);
	request.out = open_memstream(&out.printed, &size);
	out.error = workload_replay(&request, &out.result, &out.msg);
	fclose(request.out);
	return out;
}

/* The same of @size bytes of @text, through a file in memory. */
static inline struct replayed replay_text(const char *text, size_t size)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	char path[64];
	struct replayed out;

	cr_assert(fd >= 0);
	cr_assert_eq(write(fd, text, size), (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	out = replay_path(path);
	close(fd);
	return out;
}

/* A whole file of the test data; free(). */
static inline char *read_data(const char *name)
{
	char path[512];
	struct text_file file;
	struct message msg;

	snprintf(path, sizeof(path), VMASIM_TEST_DATA "/%s", name);
	cr_assert_eq(text_file_read(path, &file, &msg), 0, "%s", msg.text);
	return file.text;
}

#endif
