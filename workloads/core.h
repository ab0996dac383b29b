/* SPDX-License-Identifier: MIT */
/*
 * core.h - the one door of a core: what lab and cli may ask of floors 1 to 5.
 *
 * Floors 1 to 5 are compiled twice and linked into one object each, which
 * exports one symbol: its struct vmasim_core. Nothing in here is an inside of
 * an engine; all types are plain data.
 */
#ifndef VMASIM_WORKLOADS_CORE_H
#define VMASIM_WORKLOADS_CORE_H

#include "base/machine_desc.h"
#include "base/message.h"
#include "base/names.h"
#include "base/policy.h"
#include "base/types.h"

#include <stdio.h>

enum run_mode { MODE_PROCESSES, MODE_THREADS };
enum run_placement { RUN_CORES, RUN_SMT, RUN_NONE };

struct run_request {
	const char *workload; /* a name of the registry */
	const struct policy *policy;
	const struct machine_desc *machine;
	enum run_mode mode;
	enum run_placement placement;
	unsigned nr_tasks;
	u64 seed;
	u64 warmup_ns, window_ns;
	u64 max_operations;	/* a task; 0: no limit */
	const char *layout_path; /* /proc/PID/maps of the start; NULL: the built-in lean one */
	const volatile int *interrupt;
	void (*progress)(void *arg, double done);
	void *progress_arg;
};

struct run_slab {
	char name[32];
	unsigned object_size, objects_per_slab, order, sheaf_capacity, cpu_partial_slabs;
	u64 slabs, objects_total, live;	   /* at the end of the loop, before tear-down */
	u64 stats[NR_SLAB_STATS];	   /* of the whole run */
};

struct run_result {
	u64 measured_ns;
	u64 operations;		 /* all tasks, in the window */
	u64 *operations_by_task; /* [nr_tasks], malloc'ed */
	u64 events[NR_EVENTS];	 /* in the window */
	struct run_slab *slabs;	 /* malloc'ed */
	unsigned nr_slabs;
	u64 *sample_clock_ns, *sample_operations, *sample_rss; /* malloc'ed time series */
	unsigned nr_samples;
	u64 tree_height, tree_nodes, map_count; /* of task 0's start layout */
	u64 leaked_objects, leaked_pages; /* after everything was torn down: must be 0 */
	bool interrupted, oversubscribed;
	double gp_thread_share;
};

struct replay_request {
	const char *path;  /* .jsonl kernel trace or strace log */
	const struct policy *policy;
	const struct machine_desc *machine;
	bool check;	   /* compare with what was recorded */
	FILE *maps_out;	   /* print process 1's maps at the end; NULL: no */
	FILE *out;	   /* differences and the summary */
};

struct replay_result {
	u64 operations, layouts, counters, object_counts; /* compared */
	u64 differences;
};

struct bench_row {
	char name[48];
	double ns;		/* median of the passes, a pair or operation */
	double ratio;		/* to the yardstick of the same run; 0: is the yardstick */
};

struct bench_request {
	const struct policy *policy;
	const struct machine_desc *machine;
	unsigned passes;
	const volatile int *interrupt;
};

struct workload_view {
	const char *name, *description, *unit;
};

struct vmasim_core {
	const char *engine; /* "native" or "virtual" */

	/** run() - one point. 0; -EINVAL, -ENOMEM... with a message. Free with run_free(). */
	int (*run)(const struct run_request *request, struct run_result *result,
		   struct message *msg);
	void (*run_free)(struct run_result *result);

	/**
	 * replay() - 0 also when differences were found (result->differences);
	 * -EINVAL: bad input; the message has file, line, value and what is allowed.
	 */
	int (*replay)(const struct replay_request *request, struct replay_result *result,
		      struct message *msg);

	/** bench_slab(), bench_sim() - fill at most @max rows; number of rows or -errno. */
	int (*bench_slab)(const struct bench_request *request, struct bench_row *rows, int max,
			  struct message *msg);
	int (*bench_sim)(const struct bench_request *request, struct bench_row *rows, int max,
			 struct message *msg);

	/** workload_at() - the registry, NULL past its end. */
	const struct workload_view *(*workload_at)(unsigned index);

	/** describe_host() - this system as a machine description. */
	int (*describe_host)(struct machine_desc *desc, struct message *msg);
};

extern const struct vmasim_core vmasim_core_native;
extern const struct vmasim_core vmasim_core_virtual;

#endif
