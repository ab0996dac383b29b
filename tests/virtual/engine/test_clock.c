/* SPDX-License-Identifier: MIT */
/*
 * test_clock.c - virtual time: what moves it, ticks, grace periods, runs that repeat.
 */
#include "virtual_fixture.h"

Test(clock, declared_work_adds_time)
{
	struct machine *machine = enter_virtual(GP_NORMAL);
	u64 before = now_ns();

	cpu_work(1500);
	cr_assert_eq(now_ns() - before, 1500);
	cr_assert_eq(engine_charges(), 0, "work is no access");
	end_virtual(machine);
}

Test(clock, an_empty_operation_still_takes_time)
{
	struct machine *machine = enter_virtual(GP_NORMAL);
	u64 before = machine->cpus[0].clock_ps;

	op_end(1);
	cr_assert_gt(machine->cpus[0].clock_ps, before);
	end_virtual(machine);
}

Test(machine, any_described_one_is_allowed_with_one_worker)
{
	struct message msg = {""};
	struct machine_config config = {.nr_workers = 1, .arena_bytes = 8ul << 20};
	struct machine *machine;

	for (unsigned i = 0; (config.desc = machine_builtin_at(i)); i++) {
		cr_assert_eq(machine_create(&config, &machine, &msg), 0, "%s", msg.text);
		machine_enter(machine);
		cr_assert_eq(nr_cpus(), 1);
		cr_assert_eq(nr_nodes(), config.desc->nr_nodes);
		cr_assert_eq(machine_desc()->nr_cpus, config.desc->nr_cpus);
		end_virtual(machine);
	}
	cr_assert_str_eq(engine_name(), "virtual");
}

Test(machine, more_workers_than_virtual_cpus_are_refused)
{
	struct message msg = {""};
	struct machine_config config = {.desc = machine_builtin("turin", &msg), .nr_workers = 8};
	struct machine *machine;

	cr_assert_eq(machine_create(&config, &machine, &msg), -EINVAL);
	cr_assert_not_null(strstr(msg.text, "8"), "%s", msg.text);
	cr_assert_not_null(strstr(msg.text, "1 virtual CPU"), "%s", msg.text);
}

/* ---- RCU ---- */

static unsigned order[30000], runs;

struct note {
	struct rcu_head head;
	unsigned number;
};

static void take_note(struct rcu_head *head)
{
	order[runs++] = container_of(head, struct note, head)->number;
}

static struct note *queue_notes(unsigned nr)
{
	struct note *note = calloc(nr, sizeof(*note));

	runs = 0;
	for (unsigned i = 0; i < nr; i++) {
		note[i].number = i;
		call_rcu(&note[i].head, take_note);
	}
	return note;
}

Test(rcu, a_callback_is_ready_after_two_ticks_and_not_before)
{
	struct machine *machine = enter_virtual(GP_NORMAL);
	struct note *note = queue_notes(1);

	while (now_ns() < 2 * TICK_NS - 1000) {
		op_end(1);
		cr_assert_eq(runs, 0, "at %llu ns", (unsigned long long)now_ns());
	}
	cpu_work(2000);
	cr_assert_eq(runs, 0, "only at op_end");
	op_end(1);
	cr_assert_eq(runs, 1);
	free(note);
	end_virtual(machine);
}

Test(rcu, passes_are_throttled_and_keep_order)
{
	static const struct {
		unsigned queued, pass;
	} cases[] = {{8, 8}, {1000, 10}, {6400, 50}, {30000, 10000}};
	struct machine *machine = enter_virtual(GP_NORMAL);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct note *note = queue_notes(cases[i].queued);

		cpu_work(2 * TICK_NS);
		op_end(1);
		cr_assert_eq(runs, cases[i].pass, "%u of %u", runs, cases[i].queued);
		while (rcu_pending())
			op_end(1);
		for (unsigned n = 0; n < cases[i].queued; n++)
			cr_assert_eq(order[n], n);
		free(note);
	}
	end_virtual(machine);
}

Test(rcu, under_op_end_policy_the_next_op_end_runs_all)
{
	struct machine *machine = enter_virtual(GP_OP_END);
	struct note *note = queue_notes(30000);

	op_end(1);
	cr_assert_eq(runs, 30000);
	free(note);
	end_virtual(machine);
}

Test(rcu, a_barrier_takes_grace_periods_of_virtual_time)
{
	struct machine *machine = enter_virtual(GP_NORMAL);
	struct note *note = queue_notes(500);
	u64 before = now_ns();

	rcu_barrier();
	cr_assert_eq(runs, 500);
	cr_assert_geq(now_ns() - before, 2 * TICK_NS);
	free(note);
	end_virtual(machine);
}

/* ---- Runs ---- */

struct freed {
	struct rcu_head head;
	u64 words[6];
};

static void free_page(struct rcu_head *head)
{
	drop_page((char *)head);
}

/* Work with pages, locks, callbacks and declared time. */
static void loop(unsigned task, void *arg)
{
	(void)task;
	(void)arg;
	for (u32 i = 0; !task_stopping(); i++) {
		char *page = some_page();

		mem_zero(page, 64 + i % 7 * 100);
		count_event(EVENT_FAULT, 1);
		if (i % 3)
			drop_page(page);
		else
			call_rcu((struct rcu_head *)page, free_page);
		cpu_work(i % 11 * 10);
		op_end(1);
	}
}

static void finish(unsigned task, void *arg)
{
	u64 *end = arg;

	(void)task;
	end[0] = now_ns();
	end[1] = engine_charges();
	rcu_barrier();
}

static struct task_run run_once(u64 *operations, u64 *end, u64 max_operations, u64 window_ns)
{
	struct machine *machine = new_virtual(GP_NORMAL);
	struct task_run run = {.nr_tasks = 1,
			       .loop = loop,
			       .finish = finish,
			       .arg = end,
			       .warmup_ns = 3 * TICK_NS,
			       .window_ns = window_ns,
			       .max_operations = max_operations,
			       .operations = operations};
	struct message msg = {""};

	cr_assert_eq(machine_run(machine, &run, &msg), 0, "%s", msg.text);
	cr_assert_not(run.oversubscribed);
	cr_assert_not(run.interrupted);
	machine_enter(machine);
	end_virtual(machine);
	return run;
}

Test(run, the_same_run_twice_gives_the_same_clock_and_charges)
{
	u64 operations[2], end[2][2];
	struct task_run a = run_once(&operations[0], end[0], 0, 20 * TICK_NS);
	char *elsewhere = malloc(12345); /* host addresses must not matter */
	struct task_run b = run_once(&operations[1], end[1], 0, 20 * TICK_NS);

	cr_assert_eq(operations[0], operations[1]);
	cr_assert_eq(end[0][0], end[1][0]);
	cr_assert_eq(end[0][1], end[1][1]);
	cr_assert_eq(a.measured_ns, b.measured_ns);
	cr_assert_arr_eq(a.events, b.events, sizeof(a.events));
	cr_assert_eq(a.nr_samples, b.nr_samples);
	cr_assert_arr_eq(a.samples, b.samples, a.nr_samples * sizeof(*a.samples));
	free(elsewhere);
	free(a.samples);
	free(b.samples);
}

Test(run, a_window_is_of_virtual_time_after_the_warm_up)
{
	u64 operations, end[2];
	struct task_run run = run_once(&operations, end, 0, 20 * TICK_NS);

	cr_assert_geq(run.measured_ns, 20 * TICK_NS);
	cr_assert_lt(run.measured_ns, 20 * TICK_NS + 20000, "it ends at the next op_end");
	cr_assert_geq(end[0], 23 * TICK_NS);
	cr_assert_eq(run.events[EVENT_FAULT], operations);
	cr_assert_geq(run.nr_samples, 16);
	for (unsigned i = 1; i < run.nr_samples; i++)
		cr_assert_lt(run.samples[i - 1].clock_ns, run.samples[i].clock_ns);
	free(run.samples);
}

Test(run, a_count_of_operations_ends_it_without_a_warm_up)
{
	u64 operations, end[2];
	struct task_run run = run_once(&operations, end, 777, 0);

	cr_assert_eq(operations, 777);
	cr_assert_eq(run.events[EVENT_FAULT], 777);
	cr_assert_eq(run.samples[run.nr_samples - 1].operations, 777);
	free(run.samples);
	run = run_once(&operations, end, 1ull << 60, TICK_NS);
	cr_assert_geq(run.measured_ns, TICK_NS);
	cr_assert_lt(run.measured_ns, 2 * TICK_NS, "time ends it first");
	free(run.samples);
}

Test(run, an_interrupt_ends_it_and_is_reported)
{
	struct machine *machine = new_virtual(GP_NORMAL);
	volatile int interrupt = 1;
	u64 operations, end[2];
	struct task_run run = {.nr_tasks = 1,
			       .loop = loop,
			       .finish = finish,
			       .arg = end,
			       .window_ns = ~0ull / 2000,
			       .interrupt = &interrupt,
			       .operations = &operations};
	struct message msg = {""};

	cr_assert_eq(machine_run(machine, &run, &msg), 0, "%s", msg.text);
	cr_assert(run.interrupted);
	free(run.samples);
	machine_enter(machine);
	end_virtual(machine);
}

static int cannot(unsigned task, void *arg)
{
	(void)task;
	(void)arg;
	return -ENOSPC;
}

Test(run, a_failed_preparation_is_reported)
{
	struct machine *machine = new_virtual(GP_NORMAL);
	u64 operations;
	struct task_run run = {.nr_tasks = 1,
			       .prepare = cannot,
			       .loop = loop,
			       .max_operations = 1,
			       .operations = &operations};
	struct message msg = {""};

	cr_assert_eq(machine_run(machine, &run, &msg), -ENOSPC);
	cr_assert_not_null(strstr(msg.text, "task 0"), "%s", msg.text);
	machine_enter(machine);
	end_virtual(machine);
}
