/* SPDX-License-Identifier: MIT */
/*
 * machine.h - one simulated machine: CPUs, arena and what RCU knows of it.
 *
 * Private to the engine. A machine is built and torn down by one thread; while
 * tasks run, its configuration is constant.
 */
#ifndef VMASIM_ENGINE_MACHINE_H
#define VMASIM_ENGINE_MACHINE_H

#include "engine/engine.h"
#include "engine/cpu.h"

#define PERCPU_BYTES 65536ul
#define PERCPU_UNIT  16ul
#define MAX_ORDER    10 /* largest block: 4 MiB */

/* What the engine knows of one page. Links are page numbers of the same node. */
struct page_state {
	u32 next, prev;
	u8 order; /* of the block this page heads */
	u8 state; /* enum page_use */
	const struct object_type *owner;
};

enum page_use { PAGE_UNUSED, PAGE_FREE_HEAD, PAGE_USED_HEAD, PAGE_INSIDE };

#define NO_PAGE 0xffffffffu

struct zone {
	struct spinlock lock;
	u32 free[MAX_ORDER + 1]; /* first free block of each order, NO_PAGE when none */
	u32 first_page;		 /* of the node, in the arena's numbering */
	u32 nr_pages;
	u32 never_used; /* pages from here on have never been handed out */
	u64 used_pages;
} __attribute__((aligned(128)));

struct arena {
	char *map; /* one reservation: zones, per-CPU areas, page array, pages */
	size_t map_bytes;
	struct zone *zone; /* [nr_nodes], in the arena: their locks are lines like any other */
	char *percpu;
	struct page *page_array;
	char *pages;
	u64 nr_pages;
	struct page_state *state;
	size_t state_bytes;
};

struct machine {
	struct machine_desc desc;
	struct machine_config config;
	unsigned nr_cpus;
	struct cpu *cpus;
	void *slots[MACHINE_SLOTS];
	bool percpu_used[PERCPU_BYTES / PERCPU_UNIT];
	struct arena arena;
	struct engine_private *private; /* of the running engine */
	int tasks_running;
};

/** machine_described_node() - node of the place task @cpu gets, by the description alone. */
unsigned machine_described_node(const struct machine *machine, unsigned cpu);

/** arena_create() - reserve the arena of @machine; 0 or -ENOMEM. */
int arena_create(struct machine *machine, u64 bytes_per_node, struct message *msg);
void arena_destroy(struct machine *machine);

/** callbacks_pending() - callbacks of one CPU in any state. */
u64 callbacks_pending(const struct callback_queue *queue);

/** callback_append() - add @head to the end of @list. */
void callback_append(struct callback_list *list, struct rcu_head *head);

/** callback_splice() - move all of @from to the end of @to. */
void callback_splice(struct callback_list *from, struct callback_list *to);

/**
 * callbacks_invoke() - run at most @limit ready callbacks of the running CPU, in
 * order. Callbacks may queue more. Not re-entered.
 */
void callbacks_invoke(struct callback_queue *queue, u64 limit);

/** callbacks_limit() - how many one pass may run: max(10, pending/128), all above 10000. */
u64 callbacks_limit(const struct callback_queue *queue);

/* What each engine brings. */
int engine_machine_init(struct machine *machine, struct message *msg);
void engine_machine_exit(struct machine *machine);
void engine_place_node(void *start, size_t bytes, unsigned node);
unsigned engine_cpu_node(struct machine *machine, unsigned cpu); /* of its placement */
void engine_attach(struct cpu *cpu); /* the calling thread becomes @cpu */
void engine_detach(void);
#endif
