/* SPDX-License-Identifier: MIT */
/*
 * stress_workloads.c - every workload on real threads, on one address space and on many.
 *
 * The whole house at once, which the thread sanitizer's preset needs: locks, RCU,
 * the tree, the caches. A run that leaves an object or a page behind fails.
 */
#include "base/policy.h"
#include "engine/engine.h"
#include "workloads/run.h"
#include "workloads/workload.h"

#include <stdio.h>

enum { TASKS = 4, OPERATIONS = 3000 };

static int run_one(const char *workload, const char *kernel, enum run_mode mode)
{
	struct machine_desc machine;
	struct run_result result;
	struct policy policy;
	struct message msg;
	struct run_request request = {
		.workload = workload,
		.policy = &policy,
		.machine = &machine,
		.mode = mode,
		.nr_tasks = TASKS,
		.seed = 1,
		.window_ns = 60000000000ull,
		.max_operations = OPERATIONS,
	};

	if (policy_parse(kernel, &policy, &msg) || machine_describe_host(&machine, &msg) ||
	    workload_run(&request, &result, &msg)) {
		printf("%s, %s, %s: %s\n", workload, kernel,
		       mode == MODE_THREADS ? "threads" : "processes", msg.text);
		return 1;
	}
	workload_run_free(&result);
	return 0;
}

int main(void)
{
	static const char *const kernels[] = {"6.17", "6.18"};
	const struct workload_view *view;
	int faults = 0;

	for (unsigned k = 0; k < ARRAY_SIZE(kernels); k++) {
		for (unsigned w = 0; (view = workload_view_at(w)); w++) {
			faults += run_one(view->name, kernels[k], MODE_PROCESSES);
			faults += run_one(view->name, kernels[k], MODE_THREADS);
		}
	}
	return faults != 0;
}
