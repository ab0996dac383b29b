/* SPDX-License-Identifier: MIT */
/*
 * replay_recorded.c - replay one recording with one core; fail on any difference.
 *
 *	replay_recorded native|virtual FILE
 *
 * Exit status: 0 all equal, 1 differences (listed on stdout), 2 the file could not
 * be replayed. A replay that compared nothing fails too.
 */
#include "base/policy.h"
#include "workloads/core.h"

#include <string.h>

static const struct vmasim_core *core_of(const char *engine)
{
	if (strcmp(engine, "native") == 0)
		return &vmasim_core_native;
#ifndef VMASIM_NO_VIRTUAL
	if (strcmp(engine, "virtual") == 0)
		return &vmasim_core_virtual;
#endif
	return NULL;
}

static int replay(const struct vmasim_core *core, const char *path)
{
	struct replay_result result;
	struct machine_desc machine;
	struct policy policy;
	struct message msg;
	struct replay_request request = {
		.path = path, .policy = &policy, .machine = &machine, .check = true, .out = stdout};

	if (policy_parse("6.18", &policy, &msg) || core->describe_host(&machine, &msg) ||
	    core->replay(&request, &result, &msg)) {
		fprintf(stderr, "%s\n", msg.text);
		return 2;
	}
	if (result.operations == 0) {
		fprintf(stderr, "%s: nothing was compared\n", path);
		return 2;
	}
	return result.differences != 0;
}

int main(int argc, char **argv)
{
	const struct vmasim_core *core = argc == 3 ? core_of(argv[1]) : NULL;

	if (!core) {
		fprintf(stderr, "usage: replay_recorded native|virtual FILE\n");
		return 2;
	}
	return replay(core, argv[2]);
}
