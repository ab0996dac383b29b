/* SPDX-License-Identifier: MIT */
/*
 * test_kfree_rcu.c - frees that wait for RCU, by whole sheaves and one by one.
 */
#include "alloc_fixture.h"

enum { CAP = 4 };

struct thing {
	u64 payload[8];
	struct rcu_head rcu;
};

static void free_rcu(void **o, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		kfree_rcu((struct thing *)o[i], rcu);
}

Test(kfree_rcu, a_full_sheaf_is_one_callback_and_comes_back_whole)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slab_info info;
	void *o[CAP];

	alloc_many(s, o, CAP);
	free_rcu(o, CAP - 1);
	cr_assert_eq(rcu_pending(), 0);
	kmem_cache_info(s, &info);
	cr_assert_eq(info.in_rcu_sheaves, CAP - 1);
	cr_assert_eq(info.live, 1);
	free_rcu(o + CAP - 1, 1);
	cr_assert_eq(rcu_pending(), 1);
	assert_count(s, FREE_RCU_SHEAF, CAP);
	kmem_cache_info(s, &info);
	cr_assert_eq(info.live, CAP);
	op_end(1);
	cr_assert_eq(rcu_pending(), 0);
	assert_count(s, BARN_PUT, 1);
	assert_count(s, SHEAF_FLUSH, 0);
	cr_assert_eq(get_node(s, 0)->barn->nr_full, 1);
	kmem_cache_info(s, &info);
	cr_assert_eq(info.live, 0);
	end_machine(&b);
}

Test(kfree_rcu, uses_an_empty_spare_then_the_barns_empty_one)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slub_percpu_sheaves *pcs = sheaves_of(s, 0);
	struct slab_sheaf *spare, *stocked;
	void *o[2];

	alloc_many(s, o, 2);
	spare = alloc_empty_sheaf(s, GFP_KERNEL);
	pcs->spare = spare;
	free_rcu(o, 1);
	cr_assert_eq(pcs->rcu_free, spare);
	cr_assert_null(pcs->spare);
	pcs_submit_rcu_free(s, 0);
	stocked = list_first_entry(&get_node(s, 0)->barn->sheaves_empty, struct slab_sheaf,
				   barn_list);
	free_rcu(o + 1, 1);
	cr_assert_eq(pcs->rcu_free, stocked);
	end_machine(&b);
}

Test(kfree_rcu, a_barn_with_enough_makes_the_callback_flush)
{
	struct bench_machine b = boot_machine("6.18:barn.max_full=0,barn.max_empty=0", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	void *o[CAP];
	u64 freed;

	alloc_many(s, o, CAP);
	free_rcu(o, CAP);
	freed = count_of(s, STAT_SHEAF_FREE);
	op_end(1);
	assert_count(s, BARN_PUT_FAIL, 1);
	assert_count(s, SHEAF_FLUSH, CAP);
	assert_count(s, SHEAF_FREE, freed + 1);
	end_machine(&b);
}

Test(kfree_rcu, a_flushed_sheaf_stays_in_the_barn_as_an_empty_one)
{
	struct bench_machine b = boot_machine("6.18:barn.max_full=0", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	unsigned empty;
	void *o[CAP];

	alloc_many(s, o, CAP);
	free_rcu(o, CAP);
	empty = get_node(s, 0)->barn->nr_empty;
	op_end(1);
	cr_assert_eq(get_node(s, 0)->barn->nr_empty, empty + 1);
	end_machine(&b);
}

Test(kfree_rcu, the_barn_is_that_of_the_submitting_node)
{
	struct bench_machine b = boot_machine("6.18", 2, 2);
	struct kmem_cache *s = sheaf_cache(CAP);
	void *o[CAP];

	become_cpu(&b, 1);
	alloc_many(s, o, CAP);
	free_rcu(o, CAP);
	op_end(1);
	cr_assert_eq(get_node(s, 1)->barn->nr_full, 1);
	cr_assert_eq(get_node(s, 0)->barn->nr_full, 0);
	/* An object of another node waits alone. */
	alloc_many(s, o, 1);
	become_cpu(&b, 0);
	free_rcu(o, 1);
	cr_assert_null(sheaves_of(s, 0)->rcu_free);
	cr_assert_eq(rcu_pending(), 1);
	op_end(1);
	cr_assert_eq(rcu_pending(), 0);
	end_machine(&b);
}

Test(kfree_rcu, without_sheaves_each_object_has_its_callback)
{
	static const char *const specs[] = {"6.17", "6.18:free=call_rcu"};

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		struct bench_machine b = boot_machine(specs[i], 2, 1);
		struct kmem_cache *s = sheaf_cache(CAP);
		struct slab_info info;
		void *o[CAP];

		alloc_many(s, o, CAP);
		free_rcu(o, CAP);
		cr_assert_eq(rcu_pending(), CAP);
		op_end(1);
		kmem_cache_info(s, &info);
		cr_assert_eq(info.live, 0);
		assert_count(s, FREE_RCU_SHEAF, 0);
		end_machine(&b);
	}
}

Test(kfree_rcu, who_interrupts_a_holder_queues_the_object_itself)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slub_percpu_sheaves *pcs;
	void *o[1];

	alloc_many(s, o, 1);
	pcs = pcs_trylock(s);
	free_rcu(o, 1);
	pcs_unlock(pcs);
	assert_count(s, FREE_RCU_SHEAF_FAIL, 1);
	cr_assert_eq(rcu_pending(), 1);
	op_end(1);
	end_machine(&b);
}

Test(kfree_rcu, a_barrier_submits_what_every_cpu_holds)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slab_info info;
	void *o[2];

	alloc_many(s, o, 2);
	free_rcu(o, 1);
	become_cpu(&b, 1);
	free_rcu(o + 1, 1);
	become_cpu(&b, 0);
	kvfree_rcu_barrier();
	kmem_cache_info(s, &info);
	cr_assert_eq(info.in_rcu_sheaves, 0);
	cr_assert_eq(info.live, 0);
	assert_count(s, SHEAF_FLUSH, 2);
	end_machine(&b);
}

Test(kfree_rcu, pages_of_typesafe_objects_outlive_readers)
{
	struct bench_machine b = boot_machine("6.17", 2, 1);
	struct kmem_cache *s =
		kmem_cache_create("typesafe", 256, NULL, SLAB_TYPESAFE_BY_RCU);
	void *o = kmem_cache_alloc(s, GFP_KERNEL);
	u64 pages = pages_in_use();

	cr_assert_eq(s->offset, 256);
	kmem_cache_free(s, o);
	flush_cpu_slab(s, 0);
	discard_slab(s, ({
			     struct kmem_cache_node *n = get_node(s, 0);
			     struct slab *slab =
				     list_first_entry(&n->partial, struct slab, slab_list);

			     remove_partial(n, slab);
			     slab;
		     }));
	cr_assert_eq(pages_in_use(), pages);
	cr_assert_eq(rcu_pending(), 1);
	op_end(1);
	cr_assert(pages_in_use() < pages);
	end_machine(&b);
}
