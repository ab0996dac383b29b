/* SPDX-License-Identifier: MIT */
/*
 * virtual.c - the virtual CPU: identity, clock, ticks, counters, pages by arithmetic.
 *
 * Time is an integer number of picoseconds and moves only by charges and declared
 * work, so a run is the same on every host. A tick comes every 1/HZ of it and is
 * seen at op_end.
 */
#include "engine/virtual/private.h"
#include "engine/virtual/charge.h"

#include <stdlib.h>

#define PS_PER_SECOND 1000000000000ull

/* What an operation costs that touches nothing: a schedule point is about 10 instructions. */
#define OP_END_PS 2500ull

const char *engine_name(void)
{
	return "virtual";
}

int engine_machine_init(struct machine *machine, struct message *msg)
{
	if (machine->nr_cpus > 1)
		return message_set(msg, -EINVAL,
				   "%u tasks on the virtual engine: it has 1 virtual CPU in this "
				   "version, so --tasks=1 is allowed",
				   machine->nr_cpus);
	machine->private = calloc(1, sizeof(*machine->private));
	if (!machine->private)
		return message_set(msg, -ENOMEM, "no memory for a machine");
	machine->private->tick_ps = PS_PER_SECOND / machine->desc.hz;
	return 0;
}

void engine_machine_exit(struct machine *machine)
{
	free(machine->private->exempt);
	free(machine->private);
}

void engine_place_node(void *start, size_t bytes, unsigned node)
{
	(void)start;
	(void)bytes;
	(void)node;
}

unsigned engine_cpu_node(struct machine *machine, unsigned cpu)
{
	return machine_described_node(machine, cpu);
}

void engine_attach(struct cpu *cpu)
{
	vm_assert(!lines_cpu());
	lines_attach(cpu);
}

void engine_detach(void)
{
	lines_attach(NULL);
}

struct cpu *engine_cpu(void)
{
	return lines_cpu();
}

unsigned this_cpu(void)
{
	return lines_cpu()->index;
}

unsigned numa_node_id(void)
{
	return lines_cpu()->node;
}

void *this_cpu_ptr(percpu_t offset)
{
	return lines_cpu()->percpu_base + offset;
}

void *machine_slot(unsigned slot)
{
	return lines_cpu()->slots[slot];
}

/* ---- Interrupts: held back while off; with ticks only at op_end, nothing is pending ---- */

void preempt_disable(void)
{
}

void preempt_enable(void)
{
}

irqflags_t irq_save(void)
{
	struct engine_private *private = lines_cpu()->machine->private;
	irqflags_t flags = private->holding_irqs;

	private->holding_irqs = true;
	return flags;
}

void irq_restore(irqflags_t flags)
{
	lines_cpu()->machine->private->holding_irqs = flags;
}

/* ---- Counters ---- */

void count_event(enum vm_event event, u64 n)
{
	lines_cpu()->events[event] += n;
}

void stat_add(unsigned cache_index, enum slab_stat stat, u64 n)
{
	lines_cpu()->stats[cache_index][stat] += n;
}

/* ---- Time ---- */

u64 now_ns(void)
{
	return lines_cpu()->clock_ps / 1000;
}

void cpu_work(u32 ns)
{
	charge_ps((u64)ns * 1000);
}

void op_begin(void)
{
}

bool task_stopping(void)
{
	return lines_cpu()->stopping;
}

/* ---- Pages ---- */

bool in_arena(const void *p)
{
	const struct cpu *cpu = lines_cpu();

	return (u64)((const char *)p - cpu->pages_base) < cpu->pages_bytes;
}

struct page *virt_to_page(const void *p)
{
	const struct cpu *cpu = lines_cpu();

	return cpu->page_array + ((u64)((const char *)p - cpu->pages_base) >> PAGE_SHIFT);
}

struct page *virt_to_head_page(const void *p)
{
	struct page *page = virt_to_page(p);
	u64 head;

	charge(&page->word[1], sizeof(page->word[1]));
	head = page->word[1];
	return head & 1 ? (struct page *)(uintptr_t)(head - 1) : page;
}

void *page_address(const struct page *page)
{
	const struct cpu *cpu = lines_cpu();

	return cpu->pages_base + ((u64)(page - cpu->page_array) << PAGE_SHIFT);
}

/* ---- RCU: a callback waits for one whole tick after the one that saw it ---- */

void rcu_read_lock(void)
{
}

void rcu_read_unlock(void)
{
}

static bool every_op_ends_one(const struct cpu *cpu)
{
	return cpu->machine->config.gp == GP_OP_END;
}

void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	charge(head, sizeof(*head));
	head->func = func;
	callback_append(&lines_cpu()->callbacks.next, head);
}

static void grace_period_ends(struct callback_queue *queue)
{
	callback_splice(&queue->wait, &queue->done);
	callback_splice(&queue->next, &queue->wait);
}

static void take_ticks(struct cpu *cpu)
{
	u64 tick_ps = cpu->machine->private->tick_ps;

	while (cpu->clock_ps >= cpu->next_tick_ps + tick_ps) {
		cpu->next_tick_ps += tick_ps;
		grace_period_ends(&cpu->callbacks);
	}
}

static void softirq(struct cpu *cpu)
{
	struct callback_queue *queue = &cpu->callbacks;
	u64 limit = callbacks_limit(queue);

	if (every_op_ends_one(cpu)) {
		/* What a tick has moved on is older. */
		callback_splice(&queue->wait, &queue->done);
		callback_splice(&queue->next, &queue->done);
		limit = queue->done.count;
	}
	callbacks_invoke(queue, limit);
}

void op_end(u64 operations)
{
	struct cpu *cpu = lines_cpu();

	cpu->operations += operations;
	charge_ps(OP_END_PS);
	take_ticks(cpu);
	softirq(cpu);
	run_poll(cpu);
}

void synchronize_rcu(void)
{
	struct cpu *cpu = lines_cpu();

	charge_ps(2 * cpu->machine->private->tick_ps);
	take_ticks(cpu);
}

void rcu_barrier(void)
{
	struct callback_queue *queue = &lines_cpu()->callbacks;

	vm_assert(!queue->invoking);
	while (callbacks_pending(queue)) {
		synchronize_rcu();
		callbacks_invoke(queue, queue->done.count);
	}
}
