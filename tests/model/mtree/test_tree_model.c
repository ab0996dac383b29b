/* SPDX-License-Identifier: MIT */
/*
 * test_tree_model.c - the tree against an array of what each index holds.
 *
 * Random stores, erases and gap searches over a window of indexes; after each the
 * ranges touched are compared, the validator runs now and then, and in the end
 * every node comes back. VMASIM_SEED replays, VMASIM_OPS sets the length.
 */
#include "base/rng.h"
#include "mtree/maple_tree.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { WINDOW = 600, CHECK_EVERY = 64 };

struct model {
	struct maple_tree tree;
	void *entry[WINDOW];
	struct rng rng;
	u64 next_entry;
};

static u64 number_from(const char *name, u64 fallback)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : fallback;
}

static void lock(struct model *m)
{
	mtree_lock(&m->tree);
}

static void unlock(struct model *m)
{
	mtree_unlock(&m->tree);
}

static void store(struct model *m)
{
	unsigned long first = rng_below(&m->rng, WINDOW);
	unsigned long length = 1 + rng_below(&m->rng, rng_below(&m->rng, 8) ? 6 : 120);
	unsigned long last = min(first + length - 1, (unsigned long)WINDOW - 1);
	void *entry = rng_below(&m->rng, 3) ? (void *)(m->next_entry += 4) : NULL;

	cr_assert_eq(mtree_store_range(&m->tree, first, last, entry, GFP_KERNEL), 0);
	for (unsigned long i = first; i <= last; i++)
		m->entry[i] = entry;
}

static void erase(struct model *m)
{
	unsigned long index = rng_below(&m->rng, WINDOW);
	void *expected = m->entry[index];

	cr_assert_eq(mtree_erase(&m->tree, index), expected);
	/* Only the range around the index: a later store may have cut the entry in two. */
	for (unsigned long i = index; expected && i < WINDOW && m->entry[i] == expected; i++)
		m->entry[i] = NULL;
	for (unsigned long i = index; expected && i-- > 0 && m->entry[i] == expected;)
		m->entry[i] = NULL;
}

static void load(struct model *m)
{
	unsigned long index = rng_below(&m->rng, WINDOW);

	cr_assert_eq(mtree_load(&m->tree, index), m->entry[index], "index %lu", index);
}

static bool is_free(const struct model *m, unsigned long first, unsigned long size)
{
	for (unsigned long i = first; i < first + size; i++)
		if (m->entry[i])
			return false;
	return true;
}

static void search(struct model *m)
{
	MA_STATE(mas, &m->tree, 0, 0);
	unsigned long size = 1 + rng_below(&m->rng, 12);
	unsigned long low = WINDOW, high = WINDOW;
	int error;

	for (unsigned long i = 0; i + size <= WINDOW; i++) {
		if (!is_free(m, i, size))
			continue;
		if (low == WINDOW)
			low = i;
		high = i;
	}
	lock(m);
	error = mas_empty_area(&mas, 0, WINDOW - 1, size);
	cr_assert_eq(error, low == WINDOW ? -EBUSY : 0);
	if (!error)
		cr_assert_eq(mas.index, low);
	error = mas_empty_area_rev(&mas, 0, WINDOW - 1, size);
	cr_assert_eq(error, high == WINDOW ? -EBUSY : 0);
	if (!error)
		cr_assert_eq(mas.index, high);
	unlock(m);
}

/* All entries upwards, then downwards. */
static void iterate(struct model *m)
{
	MA_STATE(mas, &m->tree, 0, 0);
	unsigned long at = 0;
	void *entry;

	lock(m);
	while ((entry = mas_find(&mas, WINDOW - 1)) != NULL) {
		for (; at < mas.index; at++)
			cr_assert_null(m->entry[at]);
		for (; at <= mas.last; at++)
			cr_assert_eq(m->entry[at], entry);
	}
	for (; at < WINDOW; at++)
		cr_assert_null(m->entry[at]);
	mas_set(&mas, WINDOW);
	while ((entry = mas_prev(&mas, 0)) != NULL) {
		for (; at > mas.last + 1; at--)
			cr_assert_null(m->entry[at - 1]);
		for (; at > mas.index; at--)
			cr_assert_eq(m->entry[at - 1], entry);
	}
	for (; at; at--)
		cr_assert_null(m->entry[at - 1]);
	unlock(m);
}

static void duplicate(struct model *m)
{
	struct maple_tree copy;

	mt_init_flags(&copy, m->tree.ma_flags & ~MT_FLAGS_HEIGHT_MASK);
	cr_assert_eq(mtree_dup(&m->tree, &copy, GFP_KERNEL), 0);
	mtree_lock(&copy);
	mt_validate(&copy);
	mtree_unlock(&copy);
	for (unsigned long i = 0; i < WINDOW; i++)
		cr_assert_eq(mtree_load(&copy, i), m->entry[i]);
	mtree_destroy(&copy);
}

static void check(struct model *m)
{
	struct slab_info info;

	iterate(m);
	lock(m);
	mt_validate(&m->tree);
	unlock(m);
	kvfree_rcu_barrier();
	rcu_barrier();
	kmem_cache_info(kernel_cache(CACHE_MAPLE_NODE), &info);
	cr_assert_eq(info.live, mt_nr_nodes(&m->tree), "%llu live nodes, %llu in the tree",
		     (unsigned long long)info.live, (unsigned long long)mt_nr_nodes(&m->tree));
}

static void one_step(struct model *m)
{
	switch (rng_below(&m->rng, 16)) {
	case 0:
	case 1:
		erase(m);
		break;
	case 2:
		load(m);
		break;
	case 3:
		search(m);
		break;
	default:
		store(m);
		break;
	}
	op_end(1);
}

static void run_model(const char *kernel, unsigned flags)
{
	u64 seed = number_from("VMASIM_SEED", 1), ops = number_from("VMASIM_OPS", 100000);
	struct machine_config config = {.nr_workers = 1};
	struct machine_desc desc;
	struct machine *machine;
	struct policy policy;
	struct message msg;
	struct model m = {.next_entry = 4096};

	cr_log_info("seed %llu, %llu operations", (unsigned long long)seed,
		    (unsigned long long)ops);
	cr_assert_eq(machine_describe_host(&desc, &msg), 0, "%s", msg.text);
	cr_assert_eq(policy_parse(kernel, &policy, &msg), 0, "%s", msg.text);
	config.desc = &desc;
	cr_assert_eq(machine_create(&config, &machine, &msg), 0, "%s", msg.text);
	machine_enter(machine);
	cr_assert_eq(slab_boot(&policy, &msg), 0, "%s", msg.text);
	rng_seed(&m.rng, seed, flags);
	mt_init_flags(&m.tree, flags);
	for (u64 i = 0; i < ops; i++) {
		one_step(&m);
		if (i % (CHECK_EVERY * CHECK_EVERY) == 0)
			duplicate(&m);
		if (i % CHECK_EVERY == 0) {
			lock(&m);
			mt_validate(&m.tree);
			unlock(&m);
		}
		if (i % (CHECK_EVERY * 16) == 0)
			check(&m);
	}
	check(&m);
	mtree_destroy(&m.tree);
	cr_assert_eq(slab_shutdown(), 0);
	machine_leave(machine);
	machine_destroy(machine);
}

Test(tree_model, agrees_with_an_array_with_readers_and_sheaves)
{
	run_model("6.18", MT_FLAGS_ALLOC_RANGE | MT_FLAGS_USE_RCU);
}

Test(tree_model, agrees_with_an_array_without_sheaves)
{
	run_model("6.17", MT_FLAGS_ALLOC_RANGE | MT_FLAGS_USE_RCU);
}

Test(tree_model, agrees_with_an_array_when_changed_in_place)
{
	run_model("6.18", MT_FLAGS_ALLOC_RANGE);
}
