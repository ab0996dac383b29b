/* SPDX-License-Identifier: MIT */
/*
 * stress_mtree.c - RCU readers against one writer.
 *
 * Indexes are cut into blocks of BLOCK. The writer stores a whole block in one store,
 * erases it, or stores over several blocks at once, each time with an entry that says
 * which blocks it covers and a number that only grows. A reader checks that what it
 * finds at an index covers that index, and that the range it is given is the entry's
 * own, cut at most by a later store: it sees the old tree or the new one, never a mix.
 * Now and then the writer stores index by index, so that a later store over the blocks
 * detaches whole leaves with readers in them.
 * Block 0 of each group of GROUP is never written after the start, so a walk over all
 * must meet every one of them, in order, whatever the writer does between.
 */
#include "base/rng.h"
#include "mtree/maple_tree.h"

#include <stdio.h>
#include <stdlib.h>

enum { TASKS = 4, BLOCK = 8, GROUP = 6, GROUPS = 250, OPERATIONS = 200000 };

/* An entry: first block, number of blocks, number of the store. Low bits 00. */
static void *make_entry(unsigned long block, unsigned long blocks, unsigned long number)
{
	return (void *)(block << 2 | blocks << 18 | (number + 1) << 24);
}

static unsigned long entry_first(const void *entry)
{
	return ((unsigned long)entry >> 2 & 0xffff) * BLOCK;
}

static unsigned long entry_last(const void *entry)
{
	return entry_first(entry) + ((unsigned long)entry >> 18 & 0x3f) * BLOCK - 1;
}

struct shared {
	struct maple_tree tree;
	unsigned long number; /* the writer's */
	struct rng rng[TASKS];
};

static unsigned long pillar(unsigned long group)
{
	return group * GROUP * BLOCK;
}

/* Some blocks of one group, its pillar excepted. */
static void write_once(struct shared *shared, struct rng *rng)
{
	unsigned long group = rng_below(rng, GROUPS);
	unsigned long from = 1 + rng_below(rng, GROUP - 1);
	unsigned long blocks = 1 + rng_below(rng, GROUP - from);
	unsigned long block = group * GROUP + from;
	void *entry = rng_below(rng, 3) ? make_entry(block, blocks, shared->number++) : NULL;

	if (mtree_store_range(&shared->tree, block * BLOCK, (block + blocks) * BLOCK - 1, entry,
			      GFP_KERNEL))
		vm_bug("a store failed");
}

/* The blocks of one group index by index: several leaves' worth. */
static void shatter(struct shared *shared, struct rng *rng)
{
	unsigned long block = rng_below(rng, GROUPS) * GROUP + 1;

	for (unsigned long i = 0; i < (GROUP - 1) * BLOCK; i++) {
		void *entry = make_entry(block + i / BLOCK, 1, shared->number++);

		if (mtree_store(&shared->tree, block * BLOCK + i, entry, GFP_KERNEL))
			vm_bug("a store failed");
		op_end(1);
	}
}

static void check_range(const void *entry, unsigned long index, unsigned long last)
{
	if (entry_first(entry) > index || entry_last(entry) < last)
		vm_bug("[%lu, %lu] holds the entry of [%lu, %lu]", index, last, entry_first(entry),
		       entry_last(entry));
}

static void look_up(struct shared *shared, struct rng *rng)
{
	unsigned long index = rng_below(rng, GROUPS * GROUP * BLOCK);
	void *entry = mtree_load(&shared->tree, index);

	if (entry)
		check_range(entry, index, index);
	else if (index % (GROUP * BLOCK) < BLOCK)
		vm_bug("the entry at %lu, which nobody changes, is not there", index);
}

/* Every pillar is met once, in order, upwards or downwards. */
static void walk_some(struct shared *shared, struct rng *rng)
{
	unsigned long group = rng_below(rng, GROUPS - 20), groups = 20;
	unsigned long first = pillar(group), last = pillar(group + groups) - 1;
	bool up = rng_below(rng, 2);
	unsigned long place = up ? first : last, pillars = 0;
	void *entry;

	MA_STATE(mas, &shared->tree, place, place);
	rcu_read_lock();
	while ((entry = up ? mas_find(&mas, last) : mas_find_rev(&mas, first)) != NULL) {
		check_range(entry, mas.index, mas.last);
		if (up ? mas.last < place : mas.index > place)
			vm_bug("a walk went back to [%lu, %lu]", mas.index, mas.last);
		place = up ? mas.last : mas.index;
		if (mas.index % (GROUP * BLOCK) == 0)
			pillars++;
	}
	rcu_read_unlock();
	if (pillars != groups)
		vm_bug("a walk met %lu of %lu entries that nobody changes", pillars, groups);
}

static void loop(unsigned task, void *arg)
{
	struct shared *shared = arg;
	struct rng *rng = &shared->rng[task];

	while (!task_stopping()) {
		if (task == 0 && !rng_below(rng, 32))
			shatter(shared, rng);
		else if (task == 0)
			write_once(shared, rng);
		else if (rng_below(rng, 16))
			look_up(shared, rng);
		else
			walk_some(shared, rng);
		op_end(1);
	}
}

static void finish(unsigned task, void *arg)
{
	(void)task;
	(void)arg;
}

static void must(int error, const struct message *msg)
{
	if (error)
		vm_bug("%s", msg->text);
}

static void start_tree(struct shared *shared)
{
	mt_init_flags(&shared->tree, MT_FLAGS_ALLOC_RANGE | MT_FLAGS_USE_RCU);
	for (unsigned long group = 0; group < GROUPS; group++) {
		unsigned long first = pillar(group);

		if (mtree_store_range(&shared->tree, first, first + BLOCK - 1,
				      make_entry(group * GROUP, 1, 0), GFP_KERNEL))
			vm_bug("a store failed");
	}
}

static void end_tree(struct shared *shared)
{
	mtree_lock(&shared->tree);
	mt_validate(&shared->tree);
	mtree_unlock(&shared->tree);
	mtree_destroy(&shared->tree);
	kvfree_rcu_barrier();
	vm_assert(slab_shutdown() == 0);
}

static void stress(const char *spec, u64 seed)
{
	struct shared *shared = calloc(1, sizeof(*shared));
	u64 operations[TASKS];
	struct task_run run = {.nr_tasks = TASKS,
			       .loop = loop,
			       .finish = finish,
			       .arg = shared,
			       .window_ns = 60000000000ull,
			       .max_operations = OPERATIONS,
			       .operations = operations};
	struct machine_desc desc;
	struct message msg = {""};
	struct policy policy;
	struct machine_config config = {
		.desc = &desc, .nr_workers = TASKS, .placement = PLACE_NONE, .seed = seed};
	struct machine *machine;

	vm_assert(shared);
	must(machine_describe_host(&desc, &msg), &msg);
	must(policy_parse(spec, &policy, &msg), &msg);
	must(machine_create(&config, &machine, &msg), &msg);
	for (unsigned i = 0; i < TASKS; i++)
		rng_seed(&shared->rng[i], seed, i);
	machine_enter(machine);
	must(slab_boot(&policy, &msg), &msg);
	start_tree(shared);
	machine_leave(machine);
	must(machine_run(machine, &run, &msg), &msg);
	machine_enter(machine);
	end_tree(shared);
	machine_leave(machine);
	machine_destroy(machine);
	printf("%s: %lu stores beside %u readers, seed %llu: all consistent\n", spec,
	       shared->number, TASKS - 1, (unsigned long long)seed);
	free(run.samples);
	free(shared);
}

int main(void)
{
	const char *text = getenv("VMASIM_SEED");
	u64 seed = text ? strtoull(text, NULL, 0) : 1;

	stress("6.17", seed);
	stress("6.18", seed);
	return 0;
}
