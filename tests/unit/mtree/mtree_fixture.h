/* SPDX-License-Identifier: MIT */
/*
 * mtree_fixture.h - a machine with one tree for one test, and the count of what it left.
 *
 * The tests look below the face: they ask what a store will do before it does it.
 */
#ifndef VMASIM_TESTS_MTREE_FIXTURE_H
#define VMASIM_TESTS_MTREE_FIXTURE_H

#include "mtree/internal.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum {
	IN_RCU = MT_FLAGS_ALLOC_RANGE | MT_FLAGS_USE_RCU,
	GAPS = MT_FLAGS_ALLOC_RANGE,
	PLAIN = 0,
};

struct tree_bench {
	struct machine *machine;
	struct maple_tree tree;
};

static inline void boot_tree(struct tree_bench *b, const char *spec, unsigned flags,
			     u64 arena_bytes)
{
	struct machine_desc desc;
	struct policy policy;
	struct message msg = {""};
	struct machine_config config = {.desc = &desc,
					.nr_workers = 1,
					.placement = PLACE_NONE,
					.gp = GP_OP_END,
					.arena_bytes = arena_bytes};

	cr_assert_eq(machine_describe_host(&desc, &msg), 0, "%s", msg.text);
	desc.nr_cpus = 1;
	desc.nr_nodes = 1;
	cr_assert_eq(policy_parse(spec, &policy, &msg), 0, "%s", msg.text);
	cr_assert_eq(machine_create(&config, &b->machine, &msg), 0, "%s", msg.text);
	machine_enter(b->machine);
	cr_assert_eq(slab_boot(&policy, &msg), 0, "%s", msg.text);
	mt_init_flags(&b->tree, flags);
}

/* Nodes in callers' hands, once all that were replaced have come back. */
static inline u64 live_nodes(void)
{
	struct slab_info info;

	kvfree_rcu_barrier();
	rcu_barrier();
	kmem_cache_info(kernel_cache(CACHE_MAPLE_NODE), &info);
	return info.live;
}

static inline void check_tree(struct tree_bench *b)
{
	mtree_lock(&b->tree);
	mt_validate(&b->tree);
	mtree_unlock(&b->tree);
}

/* Validate, free, shut down: nothing may be live. */
static inline void end_tree(struct tree_bench *b)
{
	check_tree(b);
	cr_assert_eq(live_nodes(), mt_nr_nodes(&b->tree));
	mtree_destroy(&b->tree);
	cr_assert_eq(live_nodes(), 0);
	cr_assert_eq(slab_shutdown(), 0);
	machine_leave(b->machine);
	machine_destroy(b->machine);
}

static inline void *entry_of(unsigned long n)
{
	return (void *)((n + 1024) << 2);
}

/* What storing @entry over [@first, @last] would do to the tree, and ask for. */
struct store_plan {
	enum store_type type;
	unsigned nodes;
};

static inline struct store_plan plan_store(struct tree_bench *b, unsigned long first,
					   unsigned long last, void *entry)
{
	MA_STATE(mas, &b->tree, first, last);
	MA_WR_STATE(wr, &mas, entry);

	mas_wr_prealloc_setup(&wr);
	mas_wr_store_type(&wr);
	mas_prealloc_calc(&wr);
	return (struct store_plan){mas.store_type, mas.node_request};
}

/* Store and validate. Return: nodes that were taken into the tree. */
static inline u64 store(struct tree_bench *b, unsigned long first, unsigned long last, void *entry)
{
	u64 before = event_total(EVENT_NODE_ALLOC);

	cr_assert_eq(mtree_store_range(&b->tree, first, last, entry, GFP_KERNEL), 0);
	check_tree(b);
	op_end(1);
	return event_total(EVENT_NODE_ALLOC) - before;
}

/* Ranges of 5 indexes, a hole of 5 behind each, numbers @from to @to - 1. */
static inline void fill(struct tree_bench *b, unsigned long from, unsigned long to)
{
	for (unsigned long i = from; i < to; i++)
		store(b, i * 10, i * 10 + 4, entry_of(i));
}

/* The same without holes: a leaf takes one slot for each. */
static inline void fill_dense(struct tree_bench *b, unsigned long from, unsigned long to)
{
	for (unsigned long i = from; i < to; i++)
		store(b, i * 10, i * 10 + 9, entry_of(i));
}

/* Slots in use of the leaf around @index; its bounds where wanted. */
static inline unsigned leaf_slots(struct tree_bench *b, unsigned long index, unsigned long *min,
				  unsigned long *max)
{
	MA_STATE(mas, &b->tree, index, index);

	mas_walk(&mas);
	if (min)
		*min = mas.min;
	if (max)
		*max = mas.max;
	return mas_data_end(&mas) + 1;
}

#endif
