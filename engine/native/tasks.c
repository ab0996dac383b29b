/* SPDX-License-Identifier: MIT */
/*
 * tasks.c - a run on real threads: prepare, one gate, warm-up, window, finish.
 *
 *	thread i:  attach, bind, prepare | gate | loop ........................ | finish
 *	caller:                          | gate | warm-up | window, samples | stop | join
 *
 * The caller is no CPU: it sleeps, reads counters and sets the stop flags. Tasks
 * are offline for RCU while they wait at the gate.
 */
#include "engine/native/private.h"
#include "engine/native/qsbr.h"
#include "engine/native/wait.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS	  20000000ull
#define SAMPLE_NS 1000000000ull

/* Tasks wait at a gate until all have come and the controller lets them on. */
struct gate {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	unsigned waiting;
	bool open;
};

#define GATE_CLOSED {.mutex = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER}

struct native_task {
	struct native_run *native;
	unsigned index;
	pthread_t thread;
	u64 left_ns; /* when its loop ended; published by native_run.running */
};

struct native_run {
	struct machine *machine;
	struct task_run *run;
	struct native_task *tasks;
	struct gate start, end;
	bool abandoned; /* set before the start gate opens: skip the loop */
	u32 running;	/* tasks still in their loop; futex word, woken at 0 */
	int error;
	struct message message;
	pthread_mutex_t error_mutex;
};

static void gate_arrive(struct gate *gate)
{
	qsbr_offline();
	pthread_mutex_lock(&gate->mutex);
	gate->waiting++;
	pthread_cond_broadcast(&gate->cond);
	while (!gate->open)
		pthread_cond_wait(&gate->cond, &gate->mutex);
	pthread_mutex_unlock(&gate->mutex);
	qsbr_online();
}

static void gate_wait_for(struct gate *gate, unsigned tasks)
{
	pthread_mutex_lock(&gate->mutex);
	while (gate->waiting < tasks)
		pthread_cond_wait(&gate->cond, &gate->mutex);
	pthread_mutex_unlock(&gate->mutex);
}

static void gate_open(struct gate *gate)
{
	pthread_mutex_lock(&gate->mutex);
	gate->open = true;
	pthread_cond_broadcast(&gate->cond);
	pthread_mutex_unlock(&gate->mutex);
}

static void record_error(struct native_run *native, int error, const struct message *msg)
{
	pthread_mutex_lock(&native->error_mutex);
	if (!native->error) {
		native->error = error;
		native->message = *msg;
	}
	pthread_mutex_unlock(&native->error_mutex);
}

static int task_prepare(struct native_task *task)
{
	struct native_run *native = task->native;
	struct task_run *run = native->run;
	struct message msg = {""};
	int error = topo_bind(native->machine, task->index, &msg);

	if (!error && run->prepare) {
		error = run->prepare(task->index, run->arg);
		if (error)
			message_set(&msg, error, "task %u could not be prepared: error %d",
				    task->index, -error);
	}
	if (error)
		record_error(native, error, &msg);
	return error;
}

static void task_leaves(struct native_task *task)
{
	struct native_run *native = task->native;

	task->left_ns = now_ns();
	if (!__atomic_sub_fetch(&native->running, 1, __ATOMIC_ACQ_REL))
		futex_wake(&native->running, 1);
}

static void *task_main(void *arg)
{
	struct native_task *task = arg;
	struct native_run *native = task->native;
	struct task_run *run = native->run;
	int error;

	engine_attach(&native->machine->cpus[task->index]);
	error = task_prepare(task);
	gate_arrive(&native->start);
	if (!native->abandoned)
		run->loop(task->index, run->arg);
	task_leaves(task);
	gate_arrive(&native->end);
	if (!error && run->finish)
		run->finish(task->index, run->arg);
	engine_detach();
	return NULL;
}

/* ---- The controller ---- */

static u64 rss_bytes(void)
{
	unsigned long total, resident;
	FILE *f = fopen("/proc/self/statm", "r");
	int n;

	if (!f)
		return 0;
	n = fscanf(f, "%lu %lu", &total, &resident);
	fclose(f);
	return n == 2 ? resident * PAGE_SIZE : 0;
}

static void read_operations(struct native_run *native, u64 *operations)
{
	for (unsigned i = 0; i < native->run->nr_tasks; i++)
		operations[i] = READ_ONCE(native->machine->cpus[i].operations);
}

static void read_events(struct native_run *native, u64 *events)
{
	for (unsigned e = 0; e < NR_EVENTS; e++) {
		events[e] = 0;
		for (unsigned i = 0; i < native->machine->nr_cpus; i++)
			events[e] += READ_ONCE(native->machine->cpus[i].events[e]);
	}
}

static bool interrupted(const struct task_run *run)
{
	return run->interrupt && *run->interrupt;
}

/* Sleep until @deadline, the end of all loops or an interrupt; false: leave now. */
static bool sleep_until(struct native_run *native, u64 deadline)
{
	for (;;) {
		u64 now = now_ns();
		u32 running = __atomic_load_n(&native->running, __ATOMIC_ACQUIRE);

		if (now >= deadline)
			return true;
		if (!running || interrupted(native->run))
			return false;
		futex_wait_ns(&native->running, running, min(deadline - now, POLL_NS));
	}
}

static void take_sample(struct native_run *native, u64 start)
{
	struct task_run *run = native->run;
	struct run_sample *grown =
		realloc(run->samples, (run->nr_samples + 1) * sizeof(*run->samples));
	struct run_sample *sample;

	if (!grown)
		return;
	run->samples = grown;
	sample = &grown[run->nr_samples++];
	*sample = (struct run_sample){.clock_ns = now_ns() - start, .rss_bytes = rss_bytes()};
	for (unsigned i = 0; i < run->nr_tasks; i++)
		sample->operations += READ_ONCE(native->machine->cpus[i].operations);
}

static void show_progress(struct native_run *native, u64 start)
{
	struct task_run *run = native->run;
	u64 all = run->max_operations * run->nr_tasks;
	u64 operations = run->samples ? run->samples[run->nr_samples - 1].operations : 0;
	double done = 0;

	if (!run->progress)
		return;
	if (run->window_ns)
		done = (double)(now_ns() - start) / (double)(run->warmup_ns + run->window_ns);
	if (all)
		done = max(done, (double)operations / (double)all);
	run->progress(run->progress_arg, min(done, 1.0));
}

static void measure(struct native_run *native, u64 start, u64 window_start)
{
	u64 window = native->run->window_ns;
	u64 end = window ? window_start + window : ~0ull;

	for (u64 next = window_start; next < end;) {
		next = min(next + SAMPLE_NS, end);
		if (!sleep_until(native, next))
			break;
		if (next < end)
			take_sample(native, start);
		show_progress(native, start);
	}
	take_sample(native, start);
}

/* The window ends with the last loop where all have ended before it is asked. */
static u64 end_of_window(struct native_run *native)
{
	u64 last = 0;

	if (__atomic_load_n(&native->running, __ATOMIC_ACQUIRE))
		return now_ns();
	for (unsigned i = 0; i < native->run->nr_tasks; i++)
		last = max(last, native->tasks[i].left_ns);
	return last;
}

static void read_all(struct native_run *native, u64 *operations, u64 *events)
{
	read_operations(native, operations);
	read_events(native, events);
}

/*
 * Window results are differences of two readings. With a limit of operations the
 * window starts at the gate: the first reading is made while the tasks stand there.
 */
static void control(struct native_run *native, u64 *before, u64 *events)
{
	struct task_run *run = native->run;
	u64 start, begin, gp_begin;

	read_all(native, before, events);
	start = begin = now_ns();
	gate_open(&native->start);
	if (!run->max_operations && run->warmup_ns) {
		sleep_until(native, start + run->warmup_ns);
		begin = now_ns();
		read_all(native, before, events);
	}
	gp_begin = gp_thread_cpu_ns(native->machine);
	measure(native, start, begin);
	run->measured_ns = end_of_window(native) - begin;
	read_all(native, run->operations, run->events);
	run->gp_thread_share = (double)(gp_thread_cpu_ns(native->machine) - gp_begin) /
			       (double)max(run->measured_ns, (u64)1);
	for (unsigned i = 0; i < run->nr_tasks; i++)
		run->operations[i] -= before[i];
	for (unsigned e = 0; e < NR_EVENTS; e++)
		run->events[e] -= events[e];
}

static void stop_all(struct native_run *native)
{
	for (unsigned i = 0; i < native->run->nr_tasks; i++)
		WRITE_ONCE(native->machine->cpus[i].stopping, 1);
}

static void reset_cpus(struct native_run *native)
{
	struct machine *machine = native->machine;

	for (unsigned i = 0; i < machine->nr_cpus; i++) {
		struct cpu *cpu = &machine->cpus[i];

		cpu->operations = 0;
		cpu->operations_limit = native->run->max_operations;
		cpu->stopping = 0;
	}
}

static unsigned start_threads(struct native_run *native)
{
	unsigned started = 0;

	for (; started < native->run->nr_tasks; started++) {
		struct native_task *task = &native->tasks[started];

		*task = (struct native_task){.native = native, .index = started};
		if (pthread_create(&task->thread, NULL, task_main, task)) {
			native->error = message_set(&native->message, -EAGAIN,
						    "can't start thread %u of %u", started + 1,
						    native->run->nr_tasks);
			break;
		}
	}
	return started;
}

static void run_tasks(struct native_run *native, u64 *before)
{
	u64 events[NR_EVENTS];
	unsigned started;

	native->running = native->run->nr_tasks;
	started = start_threads(native);
	gate_wait_for(&native->start, started);
	native->abandoned = native->error != 0;
	if (native->abandoned)
		gate_open(&native->start);
	else
		control(native, before, events);
	stop_all(native);
	gate_open(&native->end);
	for (unsigned i = 0; i < started; i++)
		pthread_join(native->tasks[i].thread, NULL);
}

int machine_run(struct machine *machine, struct task_run *run, struct message *msg)
{
	struct native_run native = {
		.machine = machine,
		.run = run,
		.tasks = calloc(run->nr_tasks, sizeof(struct native_task)),
		.start = GATE_CLOSED,
		.end = GATE_CLOSED,
		.error_mutex = PTHREAD_MUTEX_INITIALIZER,
	};
	u64 *before = calloc(run->nr_tasks, sizeof(*before));

	vm_assert(run->nr_tasks >= 1 && run->nr_tasks <= machine->nr_cpus);
	run->samples = NULL;
	run->nr_samples = 0;
	run->oversubscribed = run->nr_tasks > topo_usable(machine);
	if (!native.tasks || !before)
		native.error = message_set(&native.message, -ENOMEM, "no memory for %u tasks",
					   run->nr_tasks);
	else if (machine->config.placement != PLACE_NONE)
		native.error = topo_load(machine, &native.message);
	if (!native.error) {
		reset_cpus(&native);
		machine->tasks_running = 1;
		run_tasks(&native, before);
		machine->tasks_running = 0;
	}
	run->interrupted = interrupted(run);
	free(before);
	free(native.tasks);
	return native.error ? message_set(msg, native.error, "%s", native.message.text) : 0;
}
