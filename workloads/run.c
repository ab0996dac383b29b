/* SPDX-License-Identifier: MIT */
/*
 * run.c - run one workload from a start layout and fill the result.
 *
 *	session_open ... parent mm from the layout ... leave
 *	machine_run:  prepare  processes: child = dup_mm(parent), threads: the parent
 *		      loop     passes until task_stopping()
 *	enter: counters and caches are read BEFORE anything is torn down, then every
 *	       address space goes, then the kernel, and what is left is a leak.
 *
 * prepare and loop run on the tasks' CPUs; all else is the caller as CPU 0. A
 * loop works on a copy of its task on its own stack, so that tasks of different
 * CPUs share no line that the simulated kernel does not share.
 */
#include "workloads/run.h"

#include "sim/mm.h"
#include "workloads/layout.h"
#include "workloads/run_inspect.h"
#include "workloads/session.h"
#include "workloads/workload.h"

#include <stdlib.h>
#include <string.h>

struct run {
	const struct run_request *request;
	struct run_result *result;
	const struct workload *workload;
	struct layout *layout;
	struct session session;
	struct mm_struct *parent;
	struct workload_task *tasks;
};

static int prepare_task(unsigned index, void *arg)
{
	struct run *run = arg;
	struct workload_task *task = &run->tasks[index];
	int error = 0;

	task->index = index;
	if (run->request->mode == MODE_THREADS)
		task->mm = run->parent;
	else
		task->mm = dup_mm(run->parent, &error);
	if (!task->mm)
		return error ? error : -ENOMEM;
	return run->workload->prepare ? run->workload->prepare(task) : 0;
}

static void loop_task(unsigned index, void *arg)
{
	struct run *run = arg;
	struct workload_task task = run->tasks[index];
	int (*pass)(struct workload_task *) = run->workload->pass;

	while (!task_stopping()) {
		task.error = pass(&task);
		if (unlikely(task.error))
			break;
	}
	run->tasks[index].error = task.error;
}

static int build_parent(struct run *run, struct message *msg)
{
	struct sim_config config;
	int error;

	sim_config_default(&config);
	layout_configure(run->layout, &config);
	run->parent = mm_alloc(&config);
	if (!run->parent)
		return message_set(msg, -ENOMEM,
				   "the simulated machine has no memory for a process");
	error = layout_populate(run->layout, run->parent, msg);
	/* Now, while no task changes it; a fork child starts with a tree of the same shape. */
	if (!error)
		run_note_start(run->result, run->parent);
	return error;
}

static void drop_task(const struct run *run, struct workload_task *task)
{
	if (run->workload->cleanup)
		run->workload->cleanup(task);
	if (task->mm && task->mm != run->parent)
		mmput(task->mm);
}

static void drop_all(struct run *run)
{
	for (unsigned i = 0; i < run->request->nr_tasks; i++)
		drop_task(run, &run->tasks[i]);
	if (run->parent)
		mmput(run->parent);
}

static int check_tasks(const struct run *run, struct message *msg)
{
	for (unsigned i = 0; i < run->request->nr_tasks; i++) {
		int error = run->tasks[i].error;

		if (error)
			return message_set(msg, error, "%s: task %u: a call failed: %s",
					   run->workload->view.name, i, strerror(-error));
	}
	return 0;
}

static struct task_run task_run_of(struct run *run)
{
	const struct run_request *request = run->request;

	return (struct task_run){
		.nr_tasks = request->nr_tasks,
		.prepare = prepare_task,
		.loop = loop_task,
		.arg = run,
		.warmup_ns = request->warmup_ns,
		.window_ns = request->window_ns,
		.max_operations = request->max_operations,
		.interrupt = request->interrupt,
		.progress = request->progress,
		.progress_arg = request->progress_arg,
		.operations = run->result->operations_by_task,
	};
}

/* Called as CPU 0; the tasks run while the machine is left. */
static int run_tasks(struct run *run, struct message *msg)
{
	struct task_run tasks = task_run_of(run);
	int error;

	machine_leave(run->session.machine);
	error = machine_run(run->session.machine, &tasks, msg);
	machine_enter(run->session.machine);
	if (!error)
		error = run_keep_result(run->result, &tasks, msg);
	free(tasks.samples);
	return error ? error : check_tasks(run, msg);
}

static struct machine_config machine_of(const struct run_request *request)
{
	static const enum placement placements[] = {
		[RUN_CORES] = PLACE_CORES,
		[RUN_SMT] = PLACE_SMT,
		[RUN_NONE] = PLACE_NONE,
	};
	struct machine_config config =
		session_config(request->machine, request->policy, request->nr_tasks);

	config.placement = placements[request->placement];
	config.seed = request->seed;
	return config;
}

static int check_leaks(const struct run_result *result, struct message *msg)
{
	if (result->leaked_objects == 0 && result->leaked_pages == 0)
		return 0;
	return message_set(msg, -EIO,
			   "%llu objects and %llu pages were left after the run: a fault of "
			   "the simulator",
			   (unsigned long long)result->leaked_objects,
			   (unsigned long long)result->leaked_pages);
}

static int run_in_session(struct run *run, struct message *msg)
{
	struct machine_config config = machine_of(run->request);
	struct session_leaks leaks;
	int error = session_open(&run->session, &config, run->request->policy, msg);

	if (error)
		return error;
	error = build_parent(run, msg);
	if (!error)
		error = run_tasks(run, msg);
	drop_all(run);
	session_close(&run->session, &leaks);
	run->result->leaked_objects = leaks.objects;
	run->result->leaked_pages = leaks.pages;
	return error ? error : check_leaks(run->result, msg);
}

static int check_request(const struct run_request *request, struct message *msg)
{
	if (request->nr_tasks == 0)
		return message_set(msg, -EINVAL, "tasks: 0; at least 1 is wanted");
	if (request->window_ns == 0 && request->max_operations == 0)
		return message_set(
			msg, -EINVAL,
			"window: 0 with no limit of operations; one of them must be given");
	return 0;
}

int workload_run(const struct run_request *request, struct run_result *result, struct message *msg)
{
	struct run run = {.request = request, .result = result};
	int error = check_request(request, msg);

	*result = (struct run_result){0};
	if (error)
		return error;
	run.workload = workload_find(request->workload, msg);
	if (!run.workload)
		return -EINVAL;
	error = layout_read(request->layout_path, &run.layout, msg);
	if (error)
		return error;
	run.tasks = calloc(request->nr_tasks, sizeof(*run.tasks));
	result->operations_by_task = calloc(request->nr_tasks, sizeof(u64));
	if (run.tasks && result->operations_by_task)
		error = run_in_session(&run, msg);
	else
		error = message_set(msg, -ENOMEM, "no memory for %u tasks", request->nr_tasks);
	free(run.tasks);
	layout_free(run.layout);
	if (error)
		workload_run_free(result);
	return error;
}

void workload_run_free(struct run_result *result)
{
	free(result->operations_by_task);
	free(result->slabs);
	free(result->sample_clock_ns);
	free(result->sample_operations);
	free(result->sample_rss);
	*result = (struct run_result){0};
}
