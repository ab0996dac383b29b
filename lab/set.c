/* SPDX-License-Identifier: MIT */
/*
 * set.c - run the points of a plan, plainly or two kernels against each other.
 *
 * A run that was interrupted is dropped: its window is not the one asked for. A
 * point with at least one whole run is handed out all the same, marked, so
 * whatever ends the set early, what was finished is with the caller.
 */
#include "lab/lab.h"

#include "lab/progress.h"
#include "lab/stats.h"
#include "lab/verdict.h"

#include <stdlib.h>

/* ---- One record ----------------------------------------------------------------- */

static int record_init(struct lab_record *record, const struct lab *lab,
		       const struct lab_point *point, const char *side, struct message *msg)
{
	*record = (struct lab_record){.lab = lab, .point = *point, .side = side};
	record->runs = calloc(lab->nr_runs, sizeof(*record->runs));
	return record->runs ? 0 : message_set(msg, -ENOMEM, "no memory for %u runs", lab->nr_runs);
}

static void record_free(struct lab_record *record)
{
	for (unsigned i = 0; i < record->nr_runs; i++)
		record->lab->core->run_free(&record->runs[i].result);
	free(record->runs);
}

static bool interrupted(const struct lab *lab)
{
	return lab->interrupt && *lab->interrupt;
}

static struct run_request request_of(const struct lab_record *record)
{
	const struct lab *lab = record->lab;
	const struct lab_point *point = &record->point;

	return (struct run_request){
		.workload = point->workload,
		.policy = point->policy,
		.machine = lab->machine,
		.mode = point->mode,
		.placement = lab->placement,
		.nr_tasks = point->nr_tasks,
		.seed = lab->seed + record->nr_runs,
		.warmup_ns = lab->warmup_ns,
		.window_ns = lab->window_ns,
		.max_operations = lab->max_operations,
		.layout_path = lab->layout_path,
		.interrupt = lab->interrupt,
		.progress = lab->progress ? progress_update : NULL,
		.progress_arg = lab->progress,
	};
}

static int check_leaks(const struct lab_record *record, const struct run_result *result,
		       struct message *msg)
{
	if (!result->leaked_objects && !result->leaked_pages)
		return 0;
	return message_set(
		msg, -EIO,
		"%s with %u tasks: %llu objects and %llu pages were left after the run: a "
		"fault of the simulator",
		record->point.workload, record->point.nr_tasks,
		(unsigned long long)result->leaked_objects,
		(unsigned long long)result->leaked_pages);
}

/* -EINTR: the run was cut short and measured nothing that can be compared. */
static int keep_run(struct lab_record *record, u64 seed, struct run_result *result)
{
	if (result->interrupted) {
		record->lab->core->run_free(result);
		return -EINTR;
	}
	record->runs[record->nr_runs++] = (struct lab_run){.seed = seed, .result = *result};
	return 0;
}

static int record_run(struct lab_record *record, struct message *msg)
{
	struct run_request request = request_of(record);
	struct run_result result = {0};
	int error;

	if (interrupted(record->lab))
		return -EINTR;
	progress_begin_run(record->lab->progress, &record->point, record->nr_runs);
	error = record->lab->core->run(&request, &result, msg);
	if (error)
		return interrupted(record->lab) ? -EINTR : error;
	progress_end_run(record->lab->progress);
	error = check_leaks(record, &result, msg);
	if (error) {
		record->lab->core->run_free(&result);
		return error;
	}
	return keep_run(record, request.seed, &result);
}

double lab_run_ops_per_second(const struct lab_run *run)
{
	if (!run->result.measured_ns)
		return 0;
	return (double)run->result.operations * 1e9 / (double)run->result.measured_ns;
}

unsigned lab_record_rates(const struct lab_record *record, double *rates)
{
	for (unsigned i = 0; i < record->nr_runs; i++)
		rates[i] = lab_run_ops_per_second(&record->runs[i]);
	return record->nr_runs;
}

void lab_record_stats(const struct lab_record *record, struct lab_stats *stats)
{
	double rates[LAB_MAX_RUNS];

	stats_summarise(rates, lab_record_rates(record, rates), stats);
}

bool lab_record_oversubscribed(const struct lab_record *record)
{
	for (unsigned i = 0; i < record->nr_runs; i++)
		if (record->runs[i].result.oversubscribed)
			return true;
	return false;
}

/* ---- Every point of a plan ------------------------------------------------------- */

typedef int point_fn(void *arg, const struct lab_point *point, struct message *msg);

static int for_each_task(const struct lab_plan *plan, struct lab_point *point, point_fn *fn,
			 void *arg, struct message *msg)
{
	int error = 0;

	for (unsigned t = 0; t < plan->nr_tasks && !error; t++) {
		point->nr_tasks = (unsigned)plan->tasks[t];
		error = fn(arg, point, msg);
	}
	return error;
}

/* @nr_policies: 1 when the caller puts in the kernels itself. */
static int for_each_point(const struct lab_plan *plan, unsigned nr_policies, point_fn *fn,
			  void *arg, struct message *msg)
{
	struct lab_point point;
	int error = 0;

	for (unsigned w = 0; w < plan->nr_workloads; w++)
		for (unsigned k = 0; k < nr_policies; k++)
			for (unsigned m = 0; m < plan->nr_modes && !error; m++) {
				point = (struct lab_point){.workload = plan->workloads[w],
							   .policy = &plan->policies[k],
							   .mode = plan->modes[m]};
				error = for_each_task(plan, &point, fn, arg, msg);
			}
	return error;
}

u64 lab_plan_runs(const struct lab *lab, const struct lab_plan *plan)
{
	return (u64)plan->nr_workloads * plan->nr_policies * plan->nr_modes * plan->nr_tasks *
	       lab->nr_runs;
}

/* ---- Plain sets ------------------------------------------------------------------- */

struct run_set {
	const struct lab *lab;
	lab_record_fn *done;
	void *arg;
};

static int run_point(void *arg, const struct lab_point *point, struct message *msg)
{
	const struct run_set *set = arg;
	struct lab_record record;
	int error = record_init(&record, set->lab, point, NULL, msg);

	if (error)
		return error;
	while (!error && record.nr_runs < set->lab->nr_runs)
		error = record_run(&record, msg);
	record.interrupted = error == -EINTR;
	if ((!error || error == -EINTR) && record.nr_runs) {
		int refused = set->done(set->arg, &record, msg);

		error = refused ? refused : error;
	}
	record_free(&record);
	return error;
}

int lab_run_set(const struct lab *lab, const struct lab_plan *plan, lab_record_fn *done, void *arg,
		struct message *msg)
{
	struct run_set set = {.lab = lab, .done = done, .arg = arg};

	return for_each_point(plan, plan->nr_policies, run_point, &set, msg);
}

/* ---- Comparisons -------------------------------------------------------------------- */

struct compare_set {
	const struct lab *lab;
	const struct policy *base, *test;
	double threshold;
	lab_comparison_fn *done;
	void *arg;
};

static int run_rounds(const struct lab *lab, struct lab_record *base, struct lab_record *test,
		      struct message *msg)
{
	int error = 0;

	for (unsigned round = 0; round < lab->nr_runs && !error; round++) {
		error = record_run(round % 2 ? test : base, msg);
		if (!error)
			error = record_run(round % 2 ? base : test, msg);
	}
	return error;
}

static int hand_out(const struct compare_set *set, const struct lab_record *base,
		    const struct lab_record *test, struct message *msg)
{
	struct lab_comparison comparison = {.base = base, .test = test};
	double base_rates[LAB_MAX_RUNS], test_rates[LAB_MAX_RUNS];
	unsigned nr_base = lab_record_rates(base, base_rates);
	unsigned nr_test = lab_record_rates(test, test_rates);

	stats_summarise(base_rates, nr_base, &comparison.base_stats);
	stats_summarise(test_rates, nr_test, &comparison.test_stats);
	verdict_judge(base_rates, nr_base, test_rates, nr_test, set->threshold,
		      &comparison.judgement);
	return set->done(set->arg, &comparison, msg);
}

static int compare_point(void *arg, const struct lab_point *point, struct message *msg)
{
	const struct compare_set *set = arg;
	struct lab_point sides[2] = {*point, *point};
	struct lab_record base, test;
	int error;

	sides[0].policy = set->base;
	sides[1].policy = set->test;
	error = record_init(&base, set->lab, &sides[0], "base", msg);
	if (error)
		return error;
	error = record_init(&test, set->lab, &sides[1], "test", msg);
	if (error)
		goto out_base;
	error = run_rounds(set->lab, &base, &test, msg);
	base.interrupted = test.interrupted = error == -EINTR;
	if ((!error || error == -EINTR) && base.nr_runs && test.nr_runs) {
		int refused = hand_out(set, &base, &test, msg);

		error = refused ? refused : error;
	}
	record_free(&test);
out_base:
	record_free(&base);
	return error;
}

int lab_compare_set(const struct lab *lab, const struct lab_plan *plan, double threshold,
		    lab_comparison_fn *done, void *arg, struct message *msg)
{
	struct compare_set set = {.lab = lab,
				  .base = &plan->policies[0],
				  .test = &plan->policies[1],
				  .threshold = threshold,
				  .done = done,
				  .arg = arg};

	return for_each_point(plan, 1, compare_point, &set, msg);
}
