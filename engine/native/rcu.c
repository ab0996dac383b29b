/* SPDX-License-Identifier: MIT */
/*
 * rcu.c - grace periods of the native engine.
 *
 * liburcu 0.13 can't be polled and would run callbacks in threads of its own, so
 * each CPU keeps its callbacks (callbacks.c) and one unpinned thread per machine
 * turns requests into synchronize_rcu() calls and publishes their numbers. The
 * CPU that queued a callback runs it, at an op_end() after its number is out.
 *
 * A grace period lasts at least one tick (1/HZ of the machine), as in a kernel,
 * whose CPUs report at their ticks: without that, a lone worker would end one every
 * few operations and pay a wake-up each time.
 *
 * Progress: a grace period ends when every online worker has passed an op_end();
 * workers are offline while they sleep.
 */
#include "engine/native/private.h"
#include "engine/native/qsbr.h"
#include "engine/native/wait.h"

#include <time.h>

static void sleep_tick(const struct engine_private *gp)
{
	struct timespec tick = {.tv_nsec = (long)gp->tick_ns};

	nanosleep(&tick, NULL);
}

static void *gp_thread(void *arg)
{
	struct engine_private *gp = arg;

	while (__atomic_load_n(&gp->gp_running, __ATOMIC_ACQUIRE)) {
		u64 number;

		if (!__atomic_exchange_n(&gp->gp_wanted, 0, __ATOMIC_SEQ_CST)) {
			futex_wait(&gp->gp_wanted, 0);
			continue;
		}
		number = __atomic_add_fetch(&gp->gp_started, 1, __ATOMIC_SEQ_CST);
		sleep_tick(gp);
		qsbr_synchronize();
		__atomic_store_n(&gp->gp_completed, number, __ATOMIC_RELEASE);
	}
	return NULL;
}

int gp_thread_start(struct engine_private *gp)
{
	gp->gp_running = 1;
	return -pthread_create(&gp->gp_thread, NULL, gp_thread, gp);
}

void gp_thread_stop(struct engine_private *gp)
{
	__atomic_store_n(&gp->gp_running, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&gp->gp_wanted, 1, __ATOMIC_SEQ_CST);
	futex_wake(&gp->gp_wanted, 1);
	pthread_join(gp->gp_thread, NULL);
}

u64 gp_thread_cpu_ns(struct machine *machine)
{
	struct timespec t;
	clockid_t clock;

	if (pthread_getcpuclockid(machine->private->gp_thread, &clock) || clock_gettime(clock, &t))
		return 0;
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

static void want_grace_period(struct engine_private *gp)
{
	if (__atomic_load_n(&gp->gp_wanted, __ATOMIC_RELAXED))
		return;
	if (!__atomic_exchange_n(&gp->gp_wanted, 1, __ATOMIC_SEQ_CST))
		futex_wake(&gp->gp_wanted, 1);
}

static bool every_op_ends_one(const struct cpu *cpu)
{
	return cpu->machine->config.gp == GP_OP_END;
}

void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	struct callback_queue *queue = &engine_current->callbacks;

	WRITE_ONCE(head->func, func);
	callback_append(&queue->next, head);
}

/* Move callbacks forward along next -> wait -> done. */
static void advance(struct cpu *cpu)
{
	struct callback_queue *queue = &cpu->callbacks;
	struct engine_private *gp = cpu->machine->private;

	if (every_op_ends_one(cpu)) {
		callback_splice(&queue->next, &queue->done);
		return;
	}
	if (queue->wait.head &&
	    __atomic_load_n(&gp->gp_completed, __ATOMIC_ACQUIRE) >= queue->wait_gp)
		callback_splice(&queue->wait, &queue->done);
	if (!queue->wait.head && queue->next.head) {
		callback_splice(&queue->next, &queue->wait);
		queue->wait_gp = __atomic_load_n(&gp->gp_started, __ATOMIC_SEQ_CST) + 1;
		want_grace_period(gp);
	}
}

/* The callbacks that one op_end may run; under gp=op-end all that are ready. */
static u64 pass_limit(const struct cpu *cpu)
{
	return every_op_ends_one(cpu) ? cpu->callbacks.done.count :
					callbacks_limit(&cpu->callbacks);
}

void op_end(u64 operations)
{
	struct cpu *cpu = engine_current;
	struct callback_queue *queue = &cpu->callbacks;

	WRITE_ONCE(cpu->operations, cpu->operations + operations);
	if (unlikely(cpu->operations_limit && cpu->operations >= cpu->operations_limit))
		WRITE_ONCE(cpu->stopping, 1);
	qsbr_quiescent();
	if (queue->next.head || queue->wait.head)
		advance(cpu);
	if (queue->done.head)
		callbacks_invoke(queue, pass_limit(cpu));
}

void synchronize_rcu(void)
{
	qsbr_offline();
	qsbr_synchronize();
	qsbr_online();
}

/* Run everything @cpu has queued; the caller stands in for it. */
static void drain(struct cpu *cpu)
{
	struct callback_queue *queue = &cpu->callbacks;

	while (callbacks_pending(queue)) {
		callback_splice(&queue->wait, &queue->done);
		callback_splice(&queue->next, &queue->done);
		synchronize_rcu();
		callbacks_invoke(queue, queue->done.count);
	}
}

void rcu_barrier(void)
{
	struct cpu *self = engine_current;
	struct machine *machine = self->machine;

	vm_assert(!self->callbacks.invoking);
	if (__atomic_load_n(&machine->tasks_running, __ATOMIC_RELAXED)) {
		drain(self);
		return;
	}
	for (bool again = true; again;) {
		again = false;
		for (unsigned i = 0; i < machine->nr_cpus; i++) {
			engine_current = &machine->cpus[i];
			again |= callbacks_pending(&engine_current->callbacks) != 0;
			drain(engine_current);
		}
	}
	engine_current = self;
}
