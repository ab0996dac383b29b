/* SPDX-License-Identifier: MIT */
/*
 * stress_alloc.c - real threads allocate and free, much of it on each other's CPUs.
 *
 * Each task owns a mailbox. Objects are freed by their task, by kfree_rcu or by the
 * task whose mailbox they were left in, after a look at what was written into them.
 * At the end all lists are walked and nothing may be live.
 */
#include "alloc/internal.h"
#include "base/rng.h"

#include <stdio.h>
#include <stdlib.h>

enum { TASKS = 4, HELD = 64, MAILBOX = 256, BATCH = 24, OPERATIONS = 150000 };

struct mail {
	struct kmem_cache *cache;
	u64 *object;
};

/* One word a slot: cache number in the low bits of the object's address. */
struct boxes {
	u64 slot[TASKS][MAILBOX];
};

struct shared {
	struct rng rng[TASKS];
	struct mail held[TASKS][HELD];
	struct boxes boxes;
};

#define CACHE_BITS 7ull

static void stamp(void *object, struct kmem_cache *s)
{
	u64 *word = object;

	word[0] = (u64)(uintptr_t)object ^ s->index;
	word[s->object_size / 8 - 1] = word[0];
}

static void check_stamp(const u64 *word, struct kmem_cache *s)
{
	u64 want = (u64)(uintptr_t)word ^ s->index;

	if (word[0] != want || word[s->object_size / 8 - 1] != want)
		vm_bug("cache '%s': object %p was overwritten while live", s->name,
		       (const void *)word);
}

static void free_checked(struct rng *rng, struct kmem_cache *s, void *object)
{
	check_stamp(object, s);
	if (rng_below(rng, 3))
		kmem_cache_free(s, object);
	else
		kvfree_call_rcu((struct rcu_head *)((char *)object + 16), object);
}

static void post(struct shared *shared, unsigned task)
{
	struct rng *rng = &shared->rng[task];
	unsigned to = (unsigned)rng_below(rng, TASKS);
	u64 *slot = &shared->boxes.slot[to][rng_below(rng, MAILBOX)];
	unsigned id = (unsigned)rng_below(rng, NR_KMEM_CACHES);
	struct kmem_cache *s = kernel_cache((enum kmem_cache_id)id);
	void *object = kmem_cache_alloc(s, rng_below(rng, 4) ? GFP_KERNEL : GFP_NOWAIT);
	u64 old;

	vm_assert(object);
	stamp(object, s);
	old = __atomic_exchange_n(slot, (u64)(uintptr_t)object | id, __ATOMIC_ACQ_REL);
	if (old)
		free_checked(rng, kernel_cache((enum kmem_cache_id)(old & CACHE_BITS)),
			     (void *)(uintptr_t)(old & ~CACHE_BITS));
}

static void collect(struct shared *shared, unsigned task)
{
	struct rng *rng = &shared->rng[task];
	u64 *slot = &shared->boxes.slot[task][rng_below(rng, MAILBOX)];
	u64 old = __atomic_exchange_n(slot, 0, __ATOMIC_ACQ_REL);

	if (old)
		free_checked(rng, kernel_cache((enum kmem_cache_id)(old & CACHE_BITS)),
			     (void *)(uintptr_t)(old & ~CACHE_BITS));
}

static void hold(struct shared *shared, unsigned task)
{
	struct rng *rng = &shared->rng[task];
	struct mail *held = &shared->held[task][rng_below(rng, HELD)];

	if (held->object) {
		free_checked(rng, held->cache, held->object);
		held->object = NULL;
		return;
	}
	held->cache = kernel_cache((enum kmem_cache_id)rng_below(rng, NR_KMEM_CACHES));
	held->object = kmem_cache_alloc(held->cache, GFP_KERNEL);
	vm_assert(held->object);
	stamp(held->object, held->cache);
}

static void in_bulk(struct rng *rng)
{
	struct kmem_cache *s = kernel_cache((enum kmem_cache_id)rng_below(rng, NR_KMEM_CACHES));
	unsigned nr = 1 + (unsigned)rng_below(rng, BATCH);
	void *p[BATCH];

	vm_assert(kmem_cache_alloc_bulk(s, GFP_KERNEL, nr, p) == nr);
	for (unsigned i = 0; i < nr; i++)
		stamp(p[i], s);
	for (unsigned i = 0; i < nr; i++)
		check_stamp(p[i], s);
	kmem_cache_free_bulk(s, nr, p);
}

static void prefilled(struct rng *rng)
{
	struct kmem_cache *s = kernel_cache(CACHE_MAPLE_NODE);
	struct slab_sheaf *sheaf;

	if (!kmem_cache_has_sheaves(s))
		return;
	sheaf = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 1 + (unsigned)rng_below(rng, 40));
	for (u64 i = rng_below(rng, 8); i; i--) {
		void *object = kmem_cache_alloc_from_sheaf(s, GFP_NOWAIT, sheaf);

		if (!object)
			break;
		stamp(object, s);
		free_checked(rng, s, object);
	}
	kmem_cache_return_sheaf(s, GFP_NOWAIT, sheaf);
}

static void loop(unsigned task, void *arg)
{
	struct shared *shared = arg;

	while (!task_stopping()) {
		switch (rng_below(&shared->rng[task], 8)) {
		case 0:
			in_bulk(&shared->rng[task]);
			break;
		case 1:
			prefilled(&shared->rng[task]);
			break;
		case 2 ... 3:
			collect(shared, task);
			break;
		case 4 ... 5:
			hold(shared, task);
			break;
		default:
			post(shared, task);
		}
		op_end(1);
	}
}

static void finish(unsigned task, void *arg)
{
	struct shared *shared = arg;

	for (unsigned i = 0; i < HELD; i++)
		if (shared->held[task][i].object)
			kmem_cache_free(shared->held[task][i].cache,
					shared->held[task][i].object);
	for (unsigned i = 0; i < MAILBOX; i++) {
		u64 old = __atomic_exchange_n(&shared->boxes.slot[task][i], 0, __ATOMIC_ACQ_REL);

		if (old)
			kmem_cache_free(kernel_cache((enum kmem_cache_id)(old & CACHE_BITS)),
					(void *)(uintptr_t)(old & ~CACHE_BITS));
	}
}

static void must(int error, const struct message *msg)
{
	if (error)
		vm_bug("%s", msg->text);
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
	u64 pages;

	vm_assert(shared);
	must(machine_describe_host(&desc, &msg), &msg);
	must(policy_parse(spec, &policy, &msg), &msg);
	must(machine_create(&config, &machine, &msg), &msg);
	for (unsigned i = 0; i < TASKS; i++)
		rng_seed(&shared->rng[i], seed, i);
	machine_enter(machine);
	pages = pages_in_use();
	must(slab_boot(&policy, &msg), &msg);
	machine_leave(machine);
	must(machine_run(machine, &run, &msg), &msg);
	machine_enter(machine);
	slab_validate_all();
	kvfree_rcu_barrier();
	slab_validate_all();
	vm_assert(slab_shutdown() == 0);
	vm_assert(pages_in_use() == pages);
	machine_leave(machine);
	machine_destroy(machine);
	free(run.samples);
	free(shared);
	printf("%s: %u tasks, %u operations each, seed %llu: nothing live\n", spec, TASKS,
	       OPERATIONS, (unsigned long long)seed);
}

int main(void)
{
	const char *text = getenv("VMASIM_SEED");
	u64 seed = text ? strtoull(text, NULL, 0) : 1;

	stress("6.17", seed);
	stress("6.18", seed);
	stress("6.18:barn.max_full=1,barn.max_empty=1,maple_node.sheaf_capacity=3", seed);
	return 0;
}
