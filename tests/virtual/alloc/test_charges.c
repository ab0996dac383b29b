/* SPDX-License-Identifier: MIT */
/*
 * test_charges.c - on the virtual core every access of the allocator is charged:
 * it touches the arena and declared constants, nothing else.
 */
#include "alloc/internal.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct bench_machine {
	struct machine *machine;
	u64 pages_before;
};

static struct bench_machine boot_virtual(const char *spec)
{
	struct bench_machine b;
	struct policy policy;
	struct message msg = {""};
	struct machine_config config = {.desc = machine_builtin("turin", &msg),
					.nr_workers = 1,
					.placement = PLACE_CORES,
					.gp = GP_OP_END,
					.seed = 1,
					.arena_bytes = 64ul << 20};

	cr_assert_eq(policy_parse(spec, &policy, &msg), 0, "%s", msg.text);
	cr_assert_eq(machine_create(&config, &b.machine, &msg), 0, "%s", msg.text);
	machine_enter(b.machine);
	b.pages_before = pages_in_use();
	cr_assert_eq(slab_boot(&policy, &msg), 0, "%s", msg.text);
	return b;
}

static void end_virtual(struct bench_machine *b)
{
	slab_validate_all();
	cr_assert_eq(slab_shutdown(), 0);
	cr_assert_eq(pages_in_use(), b->pages_before);
	machine_leave(b->machine);
	machine_destroy(b->machine);
}

static void every_call(struct kmem_cache *s)
{
	void *p[200];
	struct slab_sheaf *sheaf;

	for (unsigned i = 0; i < 200; i++)
		p[i] = kmem_cache_alloc(s, GFP_KERNEL);
	for (unsigned i = 0; i < 100; i++)
		kmem_cache_free(s, p[i]);
	for (unsigned i = 100; i < 200; i++)
		kvfree_call_rcu(p[i], p[i]);
	op_end(1);
	cr_assert_eq(kmem_cache_alloc_bulk(s, GFP_KERNEL, 200, p), 200);
	kmem_cache_free_bulk(s, 200, p);
	p[0] = kmem_cache_alloc_node(s, GFP_KERNEL, 1);
	kmem_cache_free(s, p[0]);
	kfree(kzalloc(300, GFP_KERNEL));
	if (!kmem_cache_has_sheaves(s))
		return;
	sheaf = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 5);
	kmem_cache_free(s, kmem_cache_alloc_from_sheaf(s, GFP_KERNEL, sheaf));
	kmem_cache_return_sheaf(s, GFP_KERNEL, sheaf);
	sheaf = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 500);
	kmem_cache_return_sheaf(s, GFP_KERNEL, sheaf);
}

Test(charges, no_call_touches_memory_outside_the_arena)
{
	static const char *const specs[] = {"6.17", "6.18"};

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		struct bench_machine b = boot_virtual(specs[i]);

		engine_watch_strays(true);
		for (unsigned cache = 0; cache < NR_KMEM_CACHES; cache++)
			every_call(kernel_cache((enum kmem_cache_id)cache));
		kvfree_rcu_barrier();
		cr_assert_eq(engine_strays(), 0, "%llu accesses",
			     (unsigned long long)engine_strays());
		engine_watch_strays(false);
		end_virtual(&b);
	}
}

Test(charges, what_changes_lies_in_the_arena)
{
	struct bench_machine b = boot_virtual("6.18");
	struct kmem_cache *s = kernel_cache(CACHE_MAPLE_NODE);
	struct slub_percpu_sheaves *pcs = this_cpu_ptr(s->cpu_sheaves);
	u64 before = engine_charges();

	WRITE_ONCE(pcs->rcu_free, NULL);
	/* This file has no hooks; mem_zero() charges the line it is given, if it is the arena's. */
	mem_zero(&pcs->rcu_free, sizeof(pcs->rcu_free));
	cr_assert(engine_charges() > before, "per-CPU areas are charged");
	cr_assert(in_arena(pcs->main));
	for (unsigned node = 0; node < nr_nodes(); node++) {
		cr_assert(in_arena(get_node(s, node)));
		cr_assert(in_arena(get_node(s, node)->barn));
		cr_assert_eq(page_to_node(virt_to_page(get_node(s, node))), node);
	}
	end_virtual(&b);
}

Test(charges, a_zeroed_object_is_charged_by_its_lines)
{
	struct bench_machine b = boot_virtual("6.18");
	struct kmem_cache *s = kernel_cache(CACHE_MAPLE_NODE);
	u64 before, plain, zeroed;
	void *o[2];

	kmem_cache_free(s, kmem_cache_alloc(s, GFP_KERNEL));
	before = engine_charges();
	cr_assert_eq(kmem_cache_alloc_bulk(s, GFP_KERNEL, 1, &o[0]), 1);
	plain = engine_charges() - before;
	before = engine_charges();
	cr_assert_eq(kmem_cache_alloc_bulk(s, GFP_KERNEL | __GFP_ZERO, 1, &o[1]), 1);
	zeroed = engine_charges() - before;
	cr_assert_eq(zeroed - plain, 256 / CACHE_LINE);
	kmem_cache_free_bulk(s, 2, o);
	end_virtual(&b);
}
