/* SPDX-License-Identifier: MIT */
/*
 * lab.h - the face of the lab: points, sets of points, comparisons, records.
 *
 * A point is one workload under one kernel, in one mode, with one number of
 * tasks; it is run one or more times. A record is a point with all its runs and
 * nothing thrown away. A set is every point of a plan; a comparison is two
 * records of one point under two kernels, their runs interleaved.
 *
 *	plan --lab_run_set()------> record, record ...      --> table, JSON, folder
 *	     --lab_compare_set()--> comparison (base, test) --> table, JSON, folder
 *
 * The lab knows a core only by its entry table (workloads/core.h) and holds no
 * state of its own. Functions return 0 or a negative errno with a message:
 * -EINVAL bad input, -EINTR interrupted (what was finished has been handed
 * out), anything else a run or the disk failed.
 */
#ifndef VMASIM_LAB_LAB_H
#define VMASIM_LAB_LAB_H

#include "base/message.h"
#include "base/policy.h"
#include "base/types.h"
#include "workloads/core.h"

#include <stdio.h>

#define LAB_MAX_TASKS	  4096
#define LAB_MAX_RUNS	  1000
#define LAB_VERDICT_RUNS  5 /* a side; with fewer there is no verdict */
#define LAB_MAX_WORKLOADS 16
#define LAB_MAX_KERNELS	  16

/* ---- Names of enumerations (one list each) --------------------------------- */

extern const char *const lab_engine_names[2];	 /* "native", "virtual" */
extern const char *const lab_mode_names[2];	 /* by enum run_mode */
extern const char *const lab_placement_names[3]; /* by enum run_placement */
extern const char *const lab_verdict_names[4];	 /* by enum lab_verdict */

/**
 * lab_core() - the core of an engine.
 * Return: its table, or NULL with a message: unknown name, or not in this build
 * (the thread sanitizer's has no virtual engine).
 */
const struct vmasim_core *lab_core(const char *engine, struct message *msg);

/**
 * lab_machine() - a machine by name as @core may use it.
 * `host` is described by the core; the native engine accepts nothing else.
 * Return: 0 and *@out, or -EINVAL with a message.
 */
int lab_machine(const struct vmasim_core *core, const char *name, struct machine_desc *out,
		struct message *msg);

/** lab_check_workload() - 0 when @core has a workload of that name, else -EINVAL. */
int lab_check_workload(const struct vmasim_core *core, const char *name, struct message *msg);

/* ---- What is to be run ------------------------------------------------------- */

/* What all points of a set share. Nothing is owned. */
struct lab {
	const struct vmasim_core *core;
	const struct machine_desc *machine;
	enum run_placement placement;
	unsigned nr_runs; /* of a point, a side */
	u64 seed;	  /* run number r of a point has seed + r, on both sides */
	u64 warmup_ns, window_ns;
	u64 max_operations; /* a task; 0: no limit */
	const char *layout_path;
	const volatile int *interrupt;
	struct lab_progress *progress; /* NULL: none */
};

struct lab_point {
	const char *workload;
	const struct policy *policy;
	enum run_mode mode;
	unsigned nr_tasks;
};

/* The points of a set: every combination, workloads outermost, tasks innermost. */
struct lab_plan {
	const char *workloads[LAB_MAX_WORKLOADS];
	unsigned nr_workloads;
	const struct policy *policies; /* lab_compare_set(): exactly base and test */
	unsigned nr_policies;
	enum run_mode modes[2];
	unsigned nr_modes;
	const u64 *tasks;
	unsigned nr_tasks;
};

/* ---- What came out ------------------------------------------------------------ */

struct lab_run {
	u64 seed;
	struct run_result result;
};

struct lab_record {
	const struct lab *lab;
	struct lab_point point;
	const char *side; /* "base" or "test" of a comparison, else NULL */
	struct lab_run *runs;
	unsigned nr_runs;
	bool interrupted; /* fewer runs than asked for */
};

struct lab_stats {
	unsigned nr;
	double min, max, mean, median;
	double stddev; /* of the sample (n - 1); 0 for one run */
};

enum lab_verdict { VERDICT_BETTER, VERDICT_WORSE, VERDICT_SAME, VERDICT_INCONCLUSIVE };

struct lab_judgement {
	enum lab_verdict verdict;
	double change;		 /* median of test / median of base - 1; 0 without a base */
	double p;		 /* Mann-Whitney, two-sided */
	double low, high;	 /* 95 % interval of the median ratio */
	unsigned runs_needed;	 /* a side, for a decision; 0: decided, or more than
				  * LAB_MAX_RUNS */
};

struct lab_comparison {
	const struct lab_record *base, *test;
	struct lab_stats base_stats, test_stats;
	struct lab_judgement judgement;
};

/** lab_run_ops_per_second() - operations of all tasks a second of the measured window. */
double lab_run_ops_per_second(const struct lab_run *run);

/**
 * lab_record_rates() - one rate a run, in run order.
 * @rates: room for record->nr_runs. Return: how many.
 */
unsigned lab_record_rates(const struct lab_record *record, double *rates);

/** lab_record_stats() - statistics of these rates. */
void lab_record_stats(const struct lab_record *record, struct lab_stats *stats);

/** lab_record_oversubscribed() - some run had more tasks than CPUs. */
bool lab_record_oversubscribed(const struct lab_record *record);

/* ---- Running ------------------------------------------------------------------ */

/** lab_record_fn - takes a finished point; the record is gone when it returns. */
typedef int lab_record_fn(void *arg, const struct lab_record *record, struct message *msg);
typedef int lab_comparison_fn(void *arg, const struct lab_comparison *comparison,
			      struct message *msg);

/** lab_run_set() - every point of @plan, handed to @done one by one. */
int lab_run_set(const struct lab *lab, const struct lab_plan *plan, lab_record_fn *done, void *arg,
		struct message *msg);

/**
 * lab_compare_set() - every point under policies[0] and policies[1].
 * Runs alternate, and who goes first alternates too, so that a drift of the host
 * falls on both sides alike.
 * @threshold: smallest relative change of the median that counts, such as 0.05.
 */
int lab_compare_set(const struct lab *lab, const struct lab_plan *plan, double threshold,
		    lab_comparison_fn *done, void *arg, struct message *msg);

/** lab_plan_runs() - runs that lab_run_set() or lab_compare_set() will do in all. */
u64 lab_plan_runs(const struct lab *lab, const struct lab_plan *plan);

/* ---- Progress ----------------------------------------------------------------- */

/* One line on a terminal, rewritten in place; see progress.c. */
struct lab_progress {
	FILE *out;
	u64 total_runs, done_runs;
	u64 start_ns, shown_ns;
	char label[128];
};

void lab_progress_start(struct lab_progress *progress, FILE *out, u64 total_runs);

/** lab_progress_clear() - wipe the line, before anything else is printed. */
void lab_progress_clear(struct lab_progress *progress);

/* ---- JSON ---------------------------------------------------------------------- */

enum lab_json_style { JSON_PRETTY, JSON_ONE_LINE };

/**
 * lab_record_json(), lab_comparison_json() - as text with sorted keys and a final
 * newline; vmasim.result/1 (lab/result.schema.json) and vmasim.comparison/1.
 * Return: malloc'ed, NULL without memory.
 */
char *lab_record_json(const struct lab_record *record, enum lab_json_style style);
char *lab_comparison_json(const struct lab_comparison *comparison, enum lab_json_style style);

/* ---- Tables -------------------------------------------------------------------- */

struct lab_table {
	FILE *out;
	int kernel_width;
	bool colour;
	bool begun;
};

void lab_table_init(struct lab_table *table, FILE *out, const struct lab_plan *plan, bool colour);
void lab_table_record(struct lab_table *table, const struct lab_record *record);

/** lab_table_comparison() - BASE, TEST and % lines of a point, then the verdict. */
void lab_table_comparison(struct lab_table *table, const struct lab_comparison *comparison);

/* ---- Result folders ------------------------------------------------------------ */

/*
 * One file a point, written under a temporary name, synced and renamed, so that a
 * record is whole or absent; set.json lists them and says complete or partial.
 */
struct lab_store {
	char dir[512];
	char **names;
	unsigned nr_names;
};

/**
 * lab_store_open() - make the folder if there is none and write set.json (partial).
 * Return: 0; -EIO with a message when it can't be made or written.
 */
int lab_store_open(struct lab_store *store, const char *dir, struct message *msg);

/** lab_store_record() - write one record and list it. */
int lab_store_record(struct lab_store *store, const struct lab_record *record, struct message *msg);

/** lab_store_finish() - set.json gets its last status, complete or partial. */
int lab_store_finish(struct lab_store *store, bool complete, struct message *msg);
void lab_store_free(struct lab_store *store);

#endif
