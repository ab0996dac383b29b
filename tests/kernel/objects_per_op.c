/* SPDX-License-Identifier: MIT */
/*
 * objects_per_op.c - does the simulator allocate what the real kernel allocated?
 *
 *	objects_per_op native|virtual LAYOUTS
 *
 * Per counted operation of will-it-scale tasks on Linux 6.18.44, from its kmem,
 * maple and mmap_lock tracepoints. Each must come out within 0.1 %. LAYOUTS is the
 * folder of start layouts: brk tests start from that of a real task of their mode,
 * since where the heap lies in its leaf decides; the others from the built-in one.
 */
#include "base/policy.h"
#include "workloads/core.h"

#include <math.h>
#include <string.h>

enum { NR_COLUMNS = 6 };

static const enum vm_event columns[NR_COLUMNS] = {
	EVENT_NODE_ALLOC, EVENT_VMA_ALLOC, EVENT_VMA_FREE,
	EVENT_MA_WRITE,   EVENT_MA_OP,     EVENT_MMAP_LOCK,
};

static const struct measured {
	const char *workload;
	enum run_mode mode;
	const char *layout; /* NULL: built in */
	double per_op[NR_COLUMNS];
} measured[] = {
	{"mmap1", MODE_PROCESSES, NULL, {2, 1, 1, 3, 0, 2}},
	{"mmap1", MODE_THREADS, NULL, {2, 1, 1, 3, 0, 2}},
	{"mmap2", MODE_PROCESSES, NULL, {2, 1, 1, 3, 0, 2}},
	{"mmap2", MODE_THREADS, NULL, {2, 1, 1, 3, 0, 2}},
	{"brk1", MODE_PROCESSES, NULL, {1, 0.5, 0.5, 1, 0, 1}},
	{"brk1", MODE_THREADS, NULL, {1, 0.5, 0.5, 2.5, 0, 1}},
	{"brk2", MODE_THREADS, NULL, {1, 0.5, 0.5, 2.5, 0, 1}},
	{"mmap1", MODE_PROCESSES, "mmap1_processes.maps", {2, 1, 1, 3, 0, 2}},
	{"mmap2", MODE_PROCESSES, "mmap1_processes.maps", {2, 1, 1, 3, 0, 2}},
	{"brk1", MODE_PROCESSES, "brk1_processes.maps", {1, 0.5, 0.5, 1, 0, 1}},
	{"brk1", MODE_THREADS, "tlb_flush2_threads.maps", {1, 0.5, 0.5, 2.5, 0, 1}},
	{"brk2", MODE_THREADS, "tlb_flush2_threads.maps", {1, 0.5, 0.5, 2.5, 0, 1}},
};

static const struct vmasim_core *core_of(const char *engine)
{
#ifndef VMASIM_NO_VIRTUAL
	if (strcmp(engine, "virtual") == 0)
		return &vmasim_core_virtual;
#endif
	return strcmp(engine, "native") == 0 ? &vmasim_core_native : NULL;
}

static unsigned compare(const struct measured *m, const struct run_result *result)
{
	unsigned faults = 0;

	if (result->operations == 0) {
		printf("%s: no operation was counted\n", m->workload);
		return 1;
	}
	for (unsigned i = 0; i < NR_COLUMNS; i++) {
		double got = (double)result->events[columns[i]] / (double)result->operations;
		double allowed = 0.001 * fmax(m->per_op[i], 1);

		if (fabs(got - m->per_op[i]) <= allowed)
			continue;
		printf("%s_%s: %s an operation: expected %g, got %.4f\n", m->workload,
		       m->mode == MODE_THREADS ? "threads" : "processes", event_names[columns[i]],
		       m->per_op[i], got);
		faults++;
	}
	return faults;
}

static int run_one(const struct vmasim_core *core, const char *layouts, const struct measured *m)
{
	struct machine_desc machine;
	struct run_result result;
	struct policy policy;
	struct message msg;
	char path[4096];
	struct run_request request = {
		.workload = m->workload,
		.policy = &policy,
		.machine = &machine,
		.mode = m->mode,
		.nr_tasks = 1,
		.seed = 1,
		.window_ns = 20000000000ull,
		.max_operations = 20000,
		.layout_path = m->layout ? path : NULL,
	};
	int faults;

	snprintf(path, sizeof(path), "%s/%s", layouts, m->layout ? m->layout : "");
	if (policy_parse("6.18", &policy, &msg) || core->describe_host(&machine, &msg) ||
	    core->run(&request, &result, &msg)) {
		printf("%s: %s\n", m->workload, msg.text);
		return 1;
	}
	faults = (int)compare(m, &result);
	core->run_free(&result);
	return faults;
}

int main(int argc, char **argv)
{
	const struct vmasim_core *core = argc == 3 ? core_of(argv[1]) : NULL;
	int faults = 0;

	if (!core) {
		fprintf(stderr, "usage: objects_per_op native|virtual LAYOUTS\n");
		return 2;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(measured); i++)
		faults += run_one(core, argv[2], &measured[i]);
	return faults != 0;
}
