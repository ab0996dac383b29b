/* SPDX-License-Identifier: MIT */
/*
 * test_charges.c - on the virtual core every access of the tree is charged, and
 * nothing that only looks at it is. Not built beside a sanitizer, where the core has
 * no access hooks.
 */
#include "mtree/internal.h"

#include <criterion/criterion.h>

struct virtual_bench {
	struct machine *machine;
	struct maple_tree *tree; /* in the arena, as in an mm */
};

static void boot_virtual(struct virtual_bench *b, const char *spec)
{
	struct policy policy;
	struct message msg = {""};
	struct machine_config config = {.desc = machine_builtin("turin", &msg),
					.nr_workers = 1,
					.placement = PLACE_CORES,
					.gp = GP_OP_END,
					.seed = 1,
					.arena_bytes = 64ul << 20};

	cr_assert_eq(policy_parse(spec, &policy, &msg), 0, "%s", msg.text);
	cr_assert_eq(machine_create(&config, &b->machine, &msg), 0, "%s", msg.text);
	machine_enter(b->machine);
	cr_assert_eq(slab_boot(&policy, &msg), 0, "%s", msg.text);
	b->tree = kmalloc(sizeof(*b->tree), GFP_KERNEL);
	mt_init_flags(b->tree, MT_FLAGS_ALLOC_RANGE | MT_FLAGS_USE_RCU);
}

static void end_virtual(struct virtual_bench *b)
{
	mtree_destroy(b->tree);
	kfree(b->tree);
	kvfree_rcu_barrier();
	cr_assert_eq(slab_shutdown(), 0);
	machine_leave(b->machine);
	machine_destroy(b->machine);
}

static void store(struct virtual_bench *b, unsigned long first, unsigned long last, void *entry)
{
	cr_assert_eq(mtree_store_range(b->tree, first, last, entry, GFP_KERNEL), 0);
	op_end(1);
}

static void fill(struct virtual_bench *b, unsigned long ranges)
{
	for (unsigned long i = 0; i < ranges; i++)
		store(b, i * 10, i * 10 + 4, (void *)((i + 1024) << 2));
}

Test(mtree_charges, no_call_touches_memory_outside_the_arena)
{
	static const char *const specs[] = {"6.17", "6.18"};

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		struct virtual_bench b;

		boot_virtual(&b, specs[i]);
		engine_watch_strays(true);
		fill(&b, 400);
		for (unsigned long at = 7; at < 3900; at += 89)
			store(&b, at, at + at % 60, NULL);
		for (unsigned long at = 0; at < 3900; at += 17)
			mtree_load(b.tree, at);
		MA_STATE(mas, b.tree, 0, 0);
		mtree_lock(b.tree);
		cr_assert_eq(mas_empty_area_rev(&mas, 0, 99999, 50), 0);
		mtree_unlock(b.tree);
		cr_assert_eq(engine_strays(), 0);
		engine_watch_strays(false);
		end_virtual(&b);
	}
}

Test(mtree_charges, a_lookup_is_charged_and_stores_nothing)
{
	struct virtual_bench b;
	u64 before, shallow, deep;

	boot_virtual(&b, "6.18");
	fill(&b, 5);
	before = engine_charges();
	mtree_load(b.tree, 42);
	shallow = engine_charges() - before;
	fill(&b, 400);
	cr_assert_eq(mt_height(b.tree), 3);
	before = engine_charges();
	mtree_load(b.tree, 42);
	deep = engine_charges() - before;
	cr_assert_gt(shallow, 4);
	cr_assert_gt(deep, shallow);
	end_virtual(&b);
}

Test(mtree_charges, rewriting_a_leaf_charges_the_zeroing_and_the_copy)
{
	struct virtual_bench b;
	u64 before, in_place, rewrite;

	boot_virtual(&b, "6.18");
	fill(&b, 5);
	before = engine_charges();
	store(&b, 20, 24, (void *)0x4000ul);
	in_place = engine_charges() - before;
	before = engine_charges();
	store(&b, 26, 27, (void *)0x4000ul);
	rewrite = engine_charges() - before;
	/* Four lines zeroed, two runs of pivots and slots copied, a node got and one freed. */
	cr_assert_gt(rewrite, in_place + 8);
	end_virtual(&b);
}

Test(mtree_charges, inspection_is_free)
{
	struct virtual_bench b;
	u64 before;

	boot_virtual(&b, "6.18");
	fill(&b, 400);
	before = engine_charges();
	mt_validate(b.tree);
	cr_assert_gt(mt_nr_nodes(b.tree), 40);
	cr_assert_eq(engine_charges(), before);
	end_virtual(&b);
}
