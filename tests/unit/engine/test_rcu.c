/* SPDX-License-Identifier: MIT */
/*
 * test_rcu.c - callbacks: when, where, in which order and how many at a time.
 */
#include "engine_fixture.h"

#include <sched.h>

enum { MANY = 30000 };

/* A callback notes when it ran and where. */
struct note {
	struct rcu_head head;
	unsigned order; /* 1: the first to run; 0: has not */
	unsigned cpu;
};

static unsigned runs;

static void take_note(struct rcu_head *head)
{
	struct note *note = container_of(head, struct note, head);

	__atomic_store_n(&note->cpu, this_cpu(), __ATOMIC_RELAXED);
	__atomic_store_n(&note->order, ++runs, __ATOMIC_RELEASE);
}

static bool has_run(const struct note *note)
{
	return __atomic_load_n(&note->order, __ATOMIC_ACQUIRE) != 0;
}

Test(rcu, op_end_runs_callbacks_in_the_order_queued)
{
	struct machine *machine = enter_machine(1, 1, GP_NORMAL);
	struct note note[100] = {0};

	for (unsigned i = 0; i < 100; i++)
		call_rcu(&note[i].head, take_note);
	cr_assert_eq(rcu_pending(), 100);
	cr_assert_eq(runs, 0, "never inside call_rcu()");
	while (rcu_pending()) {
		op_end(1);
		sched_yield();
	}
	for (unsigned i = 0; i < 100; i++)
		cr_assert_eq(note[i].order, i + 1);
	cr_assert_eq(event_total(EVENT_RCU_CALLBACK), 100);
	end_machine(machine);
}

/* The most that one op_end() ran while @nr were queued. */
static unsigned largest_pass(unsigned nr)
{
	struct note *note = calloc(nr, sizeof(*note));
	unsigned largest = 0;

	for (unsigned i = 0; i < nr; i++)
		call_rcu(&note[i].head, take_note);
	while (rcu_pending()) {
		unsigned before = runs;

		op_end(1);
		largest = max(largest, runs - before);
		sched_yield();
	}
	free(note);
	return largest;
}

Test(rcu, a_pass_is_throttled_by_the_backlog)
{
	struct machine *machine = enter_machine(1, 1, GP_NORMAL);

	cr_assert_eq(largest_pass(8), 8);
	cr_assert_eq(largest_pass(1000), 10);
	cr_assert_eq(largest_pass(6400), 50, "a 128th of what is pending");
	cr_assert_eq(largest_pass(MANY), 10000, "above the high mark all go");
	end_machine(machine);
}

Test(rcu, under_op_end_policy_the_next_op_end_runs_all)
{
	struct machine *machine = enter_machine(1, 1, GP_OP_END);
	struct note *note = calloc(MANY, sizeof(*note));

	for (unsigned i = 0; i < MANY; i++)
		call_rcu(&note[i].head, take_note);
	op_end(1);
	cr_assert_eq(rcu_pending(), 0);
	cr_assert_eq(runs, MANY);
	free(note);
	end_machine(machine);
}

/* A callback that queues another, @left times. */
struct chain {
	struct rcu_head head;
	unsigned left;
};

static void next_link(struct rcu_head *head)
{
	struct chain *chain = container_of(head, struct chain, head);

	runs++;
	if (chain->left--)
		call_rcu(head, next_link);
}

Test(rcu, a_callback_queued_by_a_callback_waits_for_the_next_op_end)
{
	struct machine *machine = enter_machine(1, 1, GP_OP_END);
	struct chain chain = {.left = 5};

	call_rcu(&chain.head, next_link);
	for (unsigned i = 1; i <= 6; i++) {
		op_end(1);
		cr_assert_eq(runs, i);
	}
	cr_assert_eq(rcu_pending(), 0);
	end_machine(machine);
}

Test(rcu, a_barrier_runs_every_cpus_callbacks_on_that_cpu)
{
	struct machine *machine = enter_machine(4, 1, GP_NORMAL);
	struct note note[4][50] = {0};
	struct chain chain = {.left = 20};

	for (unsigned cpu = 0; cpu < 4; cpu++) {
		engine_current = &machine->cpus[cpu];
		for (unsigned i = 0; i < 50; i++)
			call_rcu(&note[cpu][i].head, take_note);
	}
	call_rcu(&chain.head, next_link);
	engine_current = &machine->cpus[0];
	cr_assert_eq(rcu_pending(), 201);
	rcu_barrier();
	cr_assert_eq(this_cpu(), 0);
	cr_assert_eq(runs, 4 * 50 + 21);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		for (unsigned i = 0; i < 50; i++)
			cr_assert_eq(note[cpu][i].cpu, cpu);
	end_machine(machine);
}

Test(rcu, synchronize_returns_on_an_idle_machine)
{
	struct machine *machine = enter_machine(2, 1, GP_NORMAL);

	for (unsigned i = 0; i < 10; i++)
		synchronize_rcu();
	end_machine(machine);
}

/*
 * Task 1 stays inside one operation while task 0 queues a callback and ends many
 * of its own; only then does task 1 reach its op_end().
 */
struct readers {
	struct note note;
	u32 inside, queued, leave;
	bool early;
};

static void wait_until(u32 *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void updater(struct readers *r)
{
	wait_until(&r->inside);
	call_rcu(&r->note.head, take_note);
	for (unsigned i = 0; i < 20000; i++) {
		op_end(0);
		r->early |= has_run(&r->note);
	}
	__atomic_store_n(&r->leave, 1, __ATOMIC_RELEASE);
	while (!has_run(&r->note)) {
		op_end(0);
		sched_yield();
	}
	op_end(1);
}

static void reader(struct readers *r)
{
	rcu_read_lock();
	__atomic_store_n(&r->inside, 1, __ATOMIC_RELEASE);
	wait_until(&r->leave);
	rcu_read_unlock();
	while (!has_run(&r->note)) {
		op_end(0);
		sched_yield();
	}
	op_end(1);
}

static void readers_loop(unsigned task, void *arg)
{
	task ? reader(arg) : updater(arg);
}

Test(rcu, a_grace_period_waits_for_an_operation_under_way)
{
	struct machine *machine = new_machine(2, 1, GP_NORMAL);
	struct readers readers = {0};
	u64 operations[2];
	struct task_run run = {.nr_tasks = 2,
			       .loop = readers_loop,
			       .arg = &readers,
			       .max_operations = 1,
			       .operations = operations};
	struct message msg = {""};

	cr_assert_eq(machine_run(machine, &run, &msg), 0, "%s", msg.text);
	free(run.samples);
	cr_assert(has_run(&readers.note));
	cr_assert_not(readers.early);
	cr_assert_eq(readers.note.cpu, 0, "on the CPU that queued it");
	machine_enter(machine);
	end_machine(machine);
}
