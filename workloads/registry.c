/* SPDX-License-Identifier: MIT */
/*
 * registry.c - the list of testcases. A new one is one file and one line here.
 */
#include "workloads/workload.h"

#include <stdio.h>
#include <string.h>

#define WORKLOADS(X)                                                                               \
	X(brk1)                                                                                    \
	X(brk2)                                                                                    \
	X(mmap1)                                                                                   \
	X(mmap2)

#define X(name) extern const struct workload workload_##name;
WORKLOADS(X)
#undef X

static const struct workload *const workloads[] = {
#define X(name) &workload_##name,
	WORKLOADS(X)
#undef X
};

const struct workload *workload_find(const char *name, struct message *msg)
{
	char names[256] = "";

	for (unsigned i = 0; i < ARRAY_SIZE(workloads); i++) {
		size_t used = strlen(names);

		if (name && strcmp(name, workloads[i]->view.name) == 0)
			return workloads[i];
		snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
			 workloads[i]->view.name);
	}
	message_set(msg, -EINVAL, "workload '%s': there is none of that name; allowed: %s",
		    name ? name : "", names);
	return NULL;
}

const struct workload_view *workload_view_at(unsigned index)
{
	return index < ARRAY_SIZE(workloads) ? &workloads[index]->view : NULL;
}
