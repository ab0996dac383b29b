/* SPDX-License-Identifier: MIT */
/*
 * test_prefill.c - sheaves lent to callers.
 */
#include "alloc_fixture.h"

enum { CAP = 8 };

/* Full main, full spare: what a busy CPU has. */
static void fill_cpu(struct kmem_cache *s)
{
	void *o[2 * CAP];

	alloc_many(s, o, 2 * CAP);
	free_many(s, o, 2 * CAP);
}

Test(prefill, steals_the_spare_and_brings_it_back_partial)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slab_sheaf *spare, *sheaf;
	void *o;

	fill_cpu(s);
	spare = sheaves_of(s, 0)->spare;
	sheaf = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 3);
	cr_assert_eq(sheaf, spare);
	cr_assert_null(sheaves_of(s, 0)->spare);
	cr_assert_eq(kmem_cache_sheaf_size(sheaf), CAP);
	assert_count(s, SHEAF_PREFILL_FAST, 1);
	o = kmem_cache_alloc_from_sheaf(s, GFP_NOWAIT, sheaf);
	cr_assert_not_null(o);
	kmem_cache_return_sheaf(s, GFP_NOWAIT, sheaf);
	assert_count(s, SHEAF_RETURN_FAST, 1);
	cr_assert_eq(sheaves_of(s, 0)->spare, sheaf);
	cr_assert_eq(sheaf->size, CAP - 1);
	kmem_cache_free(s, o);
	end_machine(&b);
}

Test(prefill, refills_to_the_capacity_however_few_were_asked_for)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 1);

	assert_count(s, SHEAF_PREFILL_SLOW, 1);
	assert_count(s, BARN_GET_FAIL, 1);
	assert_count(s, SHEAF_REFILL, CAP);
	cr_assert_eq(kmem_cache_sheaf_size(sheaf), CAP);
	kmem_cache_return_sheaf(s, GFP_KERNEL, sheaf);
	end_machine(&b);
}

Test(prefill, a_sheaf_that_suffices_is_not_filled_up)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 1);
	void *o[5];

	for (unsigned i = 0; i < 5; i++)
		o[i] = kmem_cache_alloc_from_sheaf(s, GFP_KERNEL, sheaf);
	kmem_cache_return_sheaf(s, GFP_KERNEL, sheaf);
	sheaf = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 3);
	cr_assert_eq(kmem_cache_sheaf_size(sheaf), 3);
	assert_count(s, SHEAF_REFILL, CAP);
	kmem_cache_return_sheaf(s, GFP_KERNEL, sheaf);
	sheaf = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 4);
	cr_assert_eq(kmem_cache_sheaf_size(sheaf), CAP);
	assert_count(s, SHEAF_REFILL, CAP + 5);
	kmem_cache_return_sheaf(s, GFP_KERNEL, sheaf);
	free_many(s, o, 5);
	end_machine(&b);
}

Test(prefill, takes_a_full_sheaf_of_the_barn_before_an_empty_one)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct node_barn *barn = get_node(s, 0)->barn;
	struct slab_sheaf *full = alloc_empty_sheaf(s, GFP_KERNEL);
	struct slab_sheaf *empty = alloc_empty_sheaf(s, GFP_KERNEL);
	struct slab_sheaf *one, *two;

	cr_assert_eq(refill_sheaf(s, full, GFP_KERNEL), 0);
	barn_put_full_sheaf(barn, full);
	barn_put_empty_sheaf(barn, empty);
	one = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 2);
	cr_assert_eq(one, full);
	assert_count(s, BARN_GET, 1);
	two = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 2);
	cr_assert_eq(two, empty);
	assert_count(s, BARN_GET_FAIL, 1);
	assert_count(s, SHEAF_PREFILL_SLOW, 2);
	kmem_cache_return_sheaf(s, GFP_KERNEL, one);
	kmem_cache_return_sheaf(s, GFP_KERNEL, two);
	end_machine(&b);
}

Test(prefill, a_second_return_is_filled_and_goes_to_the_barn)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slab_sheaf *one = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 1);
	struct slab_sheaf *two = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 1);
	void *o = kmem_cache_alloc_from_sheaf(s, GFP_KERNEL, two);

	kmem_cache_return_sheaf(s, GFP_KERNEL, one);
	kmem_cache_return_sheaf(s, GFP_KERNEL, two);
	assert_count(s, SHEAF_RETURN_FAST, 1);
	assert_count(s, SHEAF_RETURN_SLOW, 1);
	assert_count(s, BARN_PUT, 1);
	assert_count(s, SHEAF_REFILL, 2 * CAP + 1);
	cr_assert_eq(two->size, CAP);
	kmem_cache_free(s, o);
	end_machine(&b);
}

Test(prefill, a_second_return_to_a_full_barn_is_flushed)
{
	struct bench_machine b = boot_machine("6.18:barn.max_full=0", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slab_sheaf *one = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 1);
	struct slab_sheaf *two = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 1);

	kmem_cache_return_sheaf(s, GFP_KERNEL, one);
	kmem_cache_return_sheaf(s, GFP_KERNEL, two);
	assert_count(s, SHEAF_FLUSH, CAP);
	assert_count(s, SHEAF_FREE, 1);
	assert_count(s, BARN_PUT, 0);
	end_machine(&b);
}

Test(prefill, more_than_the_capacity_is_an_array_of_its_own)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(s, GFP_KERNEL, CAP + 1);

	assert_count(s, SHEAF_PREFILL_OVERSIZE, 1);
	assert_count(s, SHEAF_REFILL, 0);
	cr_assert_eq(kmem_cache_sheaf_size(sheaf), CAP + 1);
	for (unsigned i = 0; i < CAP + 1; i++) {
		void *o = kmem_cache_alloc_from_sheaf(s, GFP_KERNEL, sheaf);

		cr_assert_not_null(o);
		kmem_cache_free(s, o);
	}
	cr_assert_null(kmem_cache_alloc_from_sheaf(s, GFP_KERNEL, sheaf));
	cr_assert_eq(kmem_cache_refill_sheaf(s, GFP_KERNEL, &sheaf, 2), 0);
	cr_assert_eq(kmem_cache_sheaf_size(sheaf), CAP + 1);
	kmem_cache_return_sheaf(s, GFP_KERNEL, sheaf);
	assert_count(s, SHEAF_FLUSH, CAP + 1);
	assert_count(s, SHEAF_RETURN_FAST, 0);
	sheaf = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 3000);
	cr_assert_eq(kmem_cache_sheaf_size(sheaf), 3000);
	kmem_cache_return_sheaf(s, GFP_KERNEL, sheaf);
	end_machine(&b);
}

Test(prefill, refill_replaces_a_sheaf_that_is_too_small)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slab_sheaf *first = kmem_cache_prefill_sheaf(s, GFP_KERNEL, 2), *sheaf = first;

	cr_assert_eq(kmem_cache_refill_sheaf(s, GFP_KERNEL, &sheaf, CAP), 0);
	cr_assert_eq(sheaf, first);
	cr_assert_eq(kmem_cache_refill_sheaf(s, GFP_KERNEL, &sheaf, 3 * CAP), 0);
	cr_assert_neq(sheaf, first);
	cr_assert_eq(kmem_cache_sheaf_size(sheaf), 3 * CAP);
	cr_assert_eq(sheaves_of(s, 0)->spare, first);
	kmem_cache_return_sheaf(s, GFP_KERNEL, sheaf);
	end_machine(&b);
}
