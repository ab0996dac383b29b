/* SPDX-License-Identifier: MIT */
/*
 * run.c - a run on the virtual CPU: the caller's thread is the machine.
 *
 * Warm-up and window are counted on the virtual clock and checked at each
 * op_end, so both begin and end between two operations.
 */
#include "engine/virtual/private.h"

#include <stdlib.h>

enum { SAMPLES_A_WINDOW = 16, POLLS_A_PROGRESS = 65536 };

static void take_sample(struct engine_private *private, struct cpu *cpu)
{
	struct task_run *run = private->run;
	struct run_sample *grown =
		realloc(run->samples, (run->nr_samples + 1) * sizeof(*run->samples));

	if (!grown)
		return;
	run->samples = grown;
	grown[run->nr_samples++] = (struct run_sample){
		.clock_ns = (cpu->clock_ps - private->start_ps) / 1000,
		.operations = cpu->operations,
	};
}

static void open_window(struct engine_private *private, struct cpu *cpu)
{
	private->phase = RUN_WINDOW;
	private->window_ps = cpu->clock_ps;
	private->end_ps = cpu->clock_ps + private->run->window_ns * 1000;
	private->next_sample_ps = cpu->clock_ps;
	private->operations_before = cpu->operations;
	for (unsigned e = 0; e < NR_EVENTS; e++)
		private->events_before[e] = cpu->events[e];
}

static void close_window(struct engine_private *private, struct cpu *cpu)
{
	struct task_run *run = private->run;

	take_sample(private, cpu);
	private->phase = RUN_OVER;
	run->measured_ns = (cpu->clock_ps - private->window_ps) / 1000;
	run->operations[0] = cpu->operations - private->operations_before;
	for (unsigned e = 0; e < NR_EVENTS; e++)
		run->events[e] = cpu->events[e] - private->events_before[e];
	cpu->stopping = 1;
}

static bool window_is_over(const struct engine_private *private, const struct cpu *cpu)
{
	if (private->run->interrupt && *private->run->interrupt)
		return true;
	if (private->run->max_operations && cpu->operations >= private->run->max_operations)
		return true;
	return private->run->window_ns && cpu->clock_ps >= private->end_ps;
}

static void show_progress(struct engine_private *private, const struct cpu *cpu)
{
	struct task_run *run = private->run;
	double done = 0;

	if (!run->progress)
		return;
	if (run->window_ns)
		done = (double)(cpu->clock_ps - private->start_ps) /
		       ((double)(run->warmup_ns + run->window_ns) * 1000);
	if (run->max_operations)
		done = max(done, (double)cpu->operations / (double)run->max_operations);
	run->progress(run->progress_arg, min(done, 1.0));
}

static void sample_window(struct engine_private *private, struct cpu *cpu)
{
	u64 step = private->run->window_ns * 1000 / SAMPLES_A_WINDOW;

	if (!step || cpu->clock_ps < private->next_sample_ps)
		return;
	take_sample(private, cpu);
	private->next_sample_ps += step;
}

void run_poll(struct cpu *cpu)
{
	struct engine_private *private = cpu->machine->private;

	if (!private->run || private->phase == RUN_OVER)
		return;
	if (++private->polls % POLLS_A_PROGRESS == 0)
		show_progress(private, cpu);
	if (private->phase == RUN_WARMUP &&
	    (cpu->clock_ps - private->start_ps) / 1000 >= private->run->warmup_ns)
		open_window(private, cpu);
	if (private->phase == RUN_WINDOW) {
		if (window_is_over(private, cpu))
			close_window(private, cpu);
		else
			sample_window(private, cpu);
	} else if (private->run->interrupt && *private->run->interrupt) {
		open_window(private, cpu);
		close_window(private, cpu);
	}
}

static void run_start(struct engine_private *private, struct cpu *cpu)
{
	private->start_ps = cpu->clock_ps;
	cpu->operations = 0;
	cpu->stopping = 0;
	if (private->run->max_operations)
		open_window(private, cpu);
	else
		private->phase = RUN_WARMUP;
}

/* A loop that left by itself ends the window where it left. */
static void run_over(struct engine_private *private, struct cpu *cpu)
{
	if (private->phase == RUN_WARMUP)
		open_window(private, cpu);
	if (private->phase == RUN_WINDOW)
		close_window(private, cpu);
	private->run = NULL;
	private->phase = RUN_IDLE;
}

int machine_run(struct machine *machine, struct task_run *run, struct message *msg)
{
	struct engine_private *private = machine->private;
	struct cpu *cpu = &machine->cpus[0];
	int error = 0;

	vm_assert(run->nr_tasks == 1);
	run->samples = NULL;
	run->nr_samples = 0;
	run->oversubscribed = false;
	run->gp_thread_share = 0;
	engine_attach(cpu);
	if (run->prepare)
		error = run->prepare(0, run->arg);
	if (error) {
		message_set(msg, error, "task 0 could not be prepared: error %d", -error);
	} else {
		private->run = run;
		run_start(private, cpu);
		run->loop(0, run->arg);
		run_over(private, cpu);
		if (run->finish)
			run->finish(0, run->arg);
	}
	engine_detach();
	run->interrupted = run->interrupt && *run->interrupt;
	return error;
}
