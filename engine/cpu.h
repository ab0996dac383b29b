/* SPDX-License-Identifier: MIT */
/*
 * cpu.h - one CPU of a machine: what the engine keeps beside the arena.
 *
 * Host memory, private to the CPU but for the counters, which a controller reads
 * while the CPU runs. Nothing above the engine names a field.
 */
#ifndef VMASIM_ENGINE_CPU_H
#define VMASIM_ENGINE_CPU_H

#include "base/names.h"
#include "base/types.h"

struct rcu_head;
struct machine;

enum { ENGINE_MAX_CACHES = 48 };

/* Callbacks in the order queued; the links are the objects' own rcu_heads. */
struct callback_list {
	struct rcu_head *head;
	struct rcu_head *tail;
	u64 count;
};

/*
 * A CPU's callbacks, by what they wait for:
 *
 *	next ----> wait (for grace period wait_gp) ----> done ----> invoked at op_end
 *
 * next: queued, no grace period assigned yet.
 */
struct callback_queue {
	struct callback_list next, wait, done;
	u64 wait_gp;
	bool invoking;
};

struct cpu {
	char *percpu_base;
	char *pages_base; /* of the arena; the same for all CPUs of a machine */
	struct page *page_array;
	u64 pages_bytes;
	void **slots;
	struct machine *machine;
	unsigned index;
	unsigned node;
	int stopping;
	u64 operations;
	u64 operations_limit; /* 0: none */
	u64 clock_ps;	      /* virtual engine */
	u64 next_tick_ps;
	u64 charges;
	struct callback_queue callbacks;
	u64 events[NR_EVENTS];
	u64 stats[ENGINE_MAX_CACHES][NR_SLAB_STATS];
} __attribute__((aligned(256)));

#endif
