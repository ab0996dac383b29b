/* SPDX-License-Identifier: MIT */
/*
 * test_run.c - a run: gate, window, limits, interrupts, errors, results.
 */
#include "engine_fixture.h"

enum { TASKS = 4 };

struct seen {
	unsigned prepared[TASKS], looped[TASKS], finished[TASKS];
	unsigned cpu[TASKS];
	bool all_prepared[TASKS]; /* seen from the loop */
	unsigned failing;	  /* task whose preparation fails; TASKS: none */
};

static int prepare(unsigned task, void *arg)
{
	struct seen *seen = arg;

	if (task == seen->failing)
		return -ENOSPC;
	__atomic_store_n(&seen->prepared[task], 1, __ATOMIC_RELEASE);
	return 0;
}

static void loop(unsigned task, void *arg)
{
	struct seen *seen = arg;

	seen->cpu[task] = this_cpu();
	seen->all_prepared[task] = true;
	for (unsigned i = 0; i < TASKS; i++)
		seen->all_prepared[task] &= __atomic_load_n(&seen->prepared[i], __ATOMIC_ACQUIRE);
	while (!task_stopping()) {
		op_begin();
		count_event(EVENT_FAULT, 3);
		op_end(1);
	}
	seen->looped[task]++;
}

static void finish(unsigned task, void *arg)
{
	struct seen *seen = arg;

	seen->finished[task]++;
}

static void end(struct machine *machine)
{
	machine_enter(machine);
	end_machine(machine);
}

Test(run, tasks_meet_at_the_gate_and_each_is_its_own_cpu)
{
	struct machine *machine = new_machine(TASKS, 1, GP_NORMAL);
	struct seen seen = {.failing = TASKS};
	u64 operations[TASKS];
	struct task_run run = {.nr_tasks = TASKS,
			       .prepare = prepare,
			       .loop = loop,
			       .finish = finish,
			       .arg = &seen,
			       .max_operations = 1000,
			       .operations = operations};
	struct message msg = {""};

	cr_assert_eq(machine_run(machine, &run, &msg), 0, "%s", msg.text);
	for (unsigned i = 0; i < TASKS; i++) {
		cr_assert_eq(seen.cpu[i], i);
		cr_assert(seen.all_prepared[i]);
		cr_assert_eq(seen.looped[i], 1);
		cr_assert_eq(seen.finished[i], 1);
		cr_assert_eq(operations[i], 1000);
	}
	cr_assert_eq(run.events[EVENT_FAULT], 3 * 1000 * TASKS);
	cr_assert_not(run.interrupted);
	cr_assert_gt(run.measured_ns, 0);
	cr_assert_eq(run.samples[run.nr_samples - 1].operations, 1000 * TASKS);
	free(run.samples);
	end(machine);
}

Test(run, a_window_of_counted_operations_ends_with_the_last)
{
	struct machine *machine = new_machine(1, 1, GP_NORMAL);
	struct seen seen = {.failing = TASKS, .prepared = {1, 1, 1, 1}};
	u64 operations, shortest = ~0ull;
	struct task_run run = {.nr_tasks = 1,
			       .loop = loop,
			       .arg = &seen,
			       .max_operations = 1,
			       .operations = &operations};
	struct message msg = {""};

	for (unsigned i = 0; i < 5; i++) {
		cr_assert_eq(machine_run(machine, &run, &msg), 0, "%s", msg.text);
		shortest = min(shortest, run.measured_ns);
		free(run.samples);
	}
	cr_assert_lt(shortest, 15000000, "one operation measured as %llu ns",
		     (unsigned long long)shortest);
	end(machine);
}

static void note_progress(void *arg, double done)
{
	double *last = arg;

	cr_assert(done >= *last && done <= 1);
	*last = done;
}

Test(run, a_window_of_time_leaves_the_warm_up_out)
{
	struct machine *machine = new_machine(2, 1, GP_NORMAL);
	struct seen seen = {.failing = TASKS};
	u64 operations[2];
	double last = 0;
	struct task_run run = {.nr_tasks = 2,
			       .prepare = prepare,
			       .loop = loop,
			       .arg = &seen,
			       .warmup_ns = 20000000,
			       .window_ns = 60000000,
			       .progress = note_progress,
			       .progress_arg = &last,
			       .operations = operations};
	struct message msg = {""};
	u64 total;

	cr_assert_eq(machine_run(machine, &run, &msg), 0, "%s", msg.text);
	machine_enter(machine);
	total = event_total(EVENT_FAULT);
	machine_leave(machine);
	cr_assert_geq(run.measured_ns, 60000000);
	cr_assert_gt(operations[0] + operations[1], 0);
	cr_assert_lt(run.events[EVENT_FAULT], total, "the warm-up is not in the window");
	cr_assert_eq(run.nr_samples, 1);
	cr_assert_geq(run.samples[0].clock_ns, 80000000);
	cr_assert_gt(run.samples[0].rss_bytes, 0);
	cr_assert(run.gp_thread_share >= 0 && run.gp_thread_share < 1);
	cr_assert_eq(last, 1);
	free(run.samples);
	end(machine);
}

Test(run, time_ends_a_run_whose_count_is_out_of_reach)
{
	struct machine *machine = new_machine(1, 1, GP_NORMAL);
	struct seen seen = {.failing = TASKS};
	u64 operations;
	struct task_run run = {.nr_tasks = 1,
			       .loop = loop,
			       .arg = &seen,
			       .window_ns = 30000000,
			       .max_operations = 1ull << 60,
			       .operations = &operations};
	struct message msg = {""};

	cr_assert_eq(machine_run(machine, &run, &msg), 0, "%s", msg.text);
	cr_assert_geq(run.measured_ns, 30000000);
	cr_assert_lt(run.measured_ns, 3000000000);
	free(run.samples);
	end(machine);
}

Test(run, an_interrupt_ends_it_and_is_reported)
{
	struct machine *machine = new_machine(1, 1, GP_NORMAL);
	struct seen seen = {.failing = TASKS};
	volatile int interrupt = 1;
	u64 operations;
	struct task_run run = {.nr_tasks = 1,
			       .loop = loop,
			       .arg = &seen,
			       .window_ns = 60000000000,
			       .interrupt = &interrupt,
			       .operations = &operations};
	struct message msg = {""};

	cr_assert_eq(machine_run(machine, &run, &msg), 0, "%s", msg.text);
	cr_assert(run.interrupted);
	cr_assert_lt(run.measured_ns, 3000000000);
	free(run.samples);
	end(machine);
}

Test(run, a_failed_preparation_stops_all_and_the_rest_is_finished)
{
	struct machine *machine = new_machine(TASKS, 1, GP_NORMAL);
	struct seen seen = {.failing = 2};
	u64 operations[TASKS];
	struct task_run run = {.nr_tasks = TASKS,
			       .prepare = prepare,
			       .loop = loop,
			       .finish = finish,
			       .arg = &seen,
			       .max_operations = 10,
			       .operations = operations};
	struct message msg = {""};

	cr_assert_eq(machine_run(machine, &run, &msg), -ENOSPC);
	cr_assert_not_null(strstr(msg.text, "task 2"), "%s", msg.text);
	for (unsigned i = 0; i < TASKS; i++) {
		cr_assert_eq(seen.looped[i], 0);
		cr_assert_eq(seen.finished[i], i != 2);
	}
	end(machine);
}

Test(run, more_tasks_than_cpus_are_flagged_and_still_run)
{
	struct machine_desc desc;
	struct message msg = {""};
	struct machine *machine;
	struct machine_config config = {.desc = &desc, .placement = PLACE_CORES};
	struct seen seen = {.failing = TASKS};
	u64 *operations;
	struct task_run run = {.loop = loop, .arg = &seen, .max_operations = 100};

	cr_assert_eq(machine_describe_host(&desc, &msg), 0, "%s", msg.text);
	if (desc.nr_cpus + 1 > TASKS)
		desc.nr_cpus = TASKS - 1; /* a small machine on this system */
	config.nr_workers = run.nr_tasks = desc.nr_cpus + 1;
	run.operations = operations = calloc(run.nr_tasks, sizeof(*operations));
	cr_assert_eq(machine_create(&config, &machine, &msg), 0, "%s", msg.text);
	cr_assert_eq(machine_run(machine, &run, &msg), 0, "%s", msg.text);
	cr_assert(run.oversubscribed);
	for (unsigned i = 0; i < run.nr_tasks; i++)
		cr_assert_eq(operations[i], 100);
	free(run.samples);
	run.nr_tasks--;
	cr_assert_eq(machine_run(machine, &run, &msg), 0, "%s", msg.text);
	cr_assert_not(run.oversubscribed);
	free(run.samples);
	free(operations);
	end(machine);
}
