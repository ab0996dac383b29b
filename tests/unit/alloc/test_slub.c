/* SPDX-License-Identifier: MIT */
/*
 * test_slub.c - slabs without sheaves: cpu slab, cpu partial list, node list.
 *
 * Objects of 256 bytes on a machine of two CPUs: 16 a slab, 7 slabs a cpu partial
 * list, 5 empty slabs kept a node.
 */
#include "alloc_fixture.h"

enum { A_SLAB = 16, CPU_PARTIAL = 7, MIN_PARTIAL = 5 };

Test(slub, a_cpu_slab_serves_in_address_order_until_used_up)
{
	struct bench_machine b = boot_machine("6.17", 2, 1);
	struct kmem_cache *s = sheaf_cache(0);
	void *o[A_SLAB + 1];

	cr_assert_eq(s->objects, A_SLAB);
	cr_assert_eq(s->cpu_partial_slabs, CPU_PARTIAL);
	alloc_many(s, o, A_SLAB + 1);
	for (unsigned i = 1; i < A_SLAB; i++)
		cr_assert_eq((char *)o[i] - (char *)o[i - 1], 256);
	assert_count(s, ALLOC_SLAB, 2);
	assert_count(s, ALLOC_SLOWPATH, 2);
	assert_count(s, ALLOC_FASTPATH, A_SLAB - 1);
	assert_count(s, DEACTIVATE_BYPASS, 1);
	free_many(s, o, A_SLAB + 1);
	end_machine(&b);
}

Test(slub, the_last_freed_into_the_cpu_slab_is_the_first_handed_out)
{
	struct bench_machine b = boot_machine("6.17", 2, 1);
	struct kmem_cache *s = sheaf_cache(0);
	void *o[4];

	alloc_many(s, o, 4);
	kmem_cache_free(s, o[1]);
	kmem_cache_free(s, o[3]);
	assert_count(s, FREE_FASTPATH, 2);
	assert_count(s, FREE_SLOWPATH, 0);
	cr_assert_eq(kmem_cache_alloc(s, GFP_KERNEL), o[3]);
	cr_assert_eq(kmem_cache_alloc(s, GFP_KERNEL), o[1]);
	free_many(s, o, 4);
	end_machine(&b);
}

Test(slub, a_free_into_a_full_slab_puts_it_on_the_cpu_partial_list)
{
	struct bench_machine b = boot_machine("6.17", 2, 1);
	struct kmem_cache *s = sheaf_cache(0);
	void *o[A_SLAB + 1], *again[A_SLAB];
	struct slab_info info;

	alloc_many(s, o, A_SLAB + 1);
	free_many(s, o, A_SLAB);
	assert_count(s, FREE_SLOWPATH, A_SLAB);
	assert_count(s, CPU_PARTIAL_FREE, 1);
	assert_count(s, FREE_ADD_PARTIAL, 0);
	kmem_cache_info(s, &info);
	cr_assert_eq(info.cpu_partial_nr, 1);
	cr_assert_eq(info.cpu_slabs, 1);
	cr_assert_eq(info.live, 1);
	kmem_cache_validate(s);

	/* The rest of the current slab, then the one just freed, whole and last in first out. */
	alloc_many(s, again, A_SLAB);
	assert_count(s, CPU_PARTIAL_ALLOC, 1);
	assert_count(s, ALLOC_SLAB, 2);
	cr_assert_eq(again[A_SLAB - 1], o[A_SLAB - 1]);
	free_many(s, again, A_SLAB);
	kmem_cache_free(s, o[A_SLAB]);
	end_machine(&b);
}

Test(slub, a_cpu_partial_list_at_its_limit_goes_to_the_node)
{
	enum { SLABS = CPU_PARTIAL + 2 };
	struct bench_machine b = boot_machine("6.17", 2, 1);
	struct kmem_cache *s = sheaf_cache(0);
	void *o[SLABS * A_SLAB];
	struct slab_info info;

	alloc_many(s, o, SLABS * A_SLAB);
	for (unsigned i = 0; i < CPU_PARTIAL + 1; i++) {
		assert_count(s, CPU_PARTIAL_DRAIN, 0);
		kmem_cache_free(s, o[i * A_SLAB]);
	}
	assert_count(s, CPU_PARTIAL_DRAIN, 1);
	assert_count(s, FREE_ADD_PARTIAL, CPU_PARTIAL);
	kmem_cache_info(s, &info);
	cr_assert_eq(info.node_partial, CPU_PARTIAL);
	cr_assert_eq(info.cpu_partial_nr, 1);
	for (unsigned i = 0; i < SLABS * A_SLAB; i++)
		if (i % A_SLAB || i / A_SLAB > CPU_PARTIAL)
			kmem_cache_free(s, o[i]);
	kmem_cache_validate(s);
	/* Emptied slabs stay until the node has min_partial others. */
	kmem_cache_info(s, &info);
	cr_assert_eq(info.node_partial, MIN_PARTIAL - 1);
	assert_count(s, FREE_REMOVE_PARTIAL, CPU_PARTIAL - MIN_PARTIAL + 1);
	end_machine(&b);
}

Test(slub, a_miss_takes_one_slab_of_the_node_and_half_a_list_more)
{
	enum { SLABS = CPU_PARTIAL + 2 };
	struct bench_machine b = boot_machine("6.17", 2, 1);
	struct kmem_cache *s = sheaf_cache(0);
	void *o[SLABS * A_SLAB], *more[2];
	struct slab_info info;

	alloc_many(s, o, SLABS * A_SLAB);
	for (unsigned i = 0; i < CPU_PARTIAL + 1; i++)
		kmem_cache_free(s, o[i * A_SLAB]);
	/* The CPU's own partial slab first, then the node's list. */
	alloc_many(s, more, 2);
	assert_count(s, CPU_PARTIAL_ALLOC, 1);
	assert_count(s, ALLOC_FROM_PARTIAL, 1);
	assert_count(s, CPU_PARTIAL_NODE, CPU_PARTIAL / 2 + 1);
	kmem_cache_info(s, &info);
	cr_assert_eq(info.node_partial, CPU_PARTIAL - 1 - (CPU_PARTIAL / 2 + 1));
	free_many(s, more, 2);
	for (unsigned i = 0; i < SLABS * A_SLAB; i++)
		if (i % A_SLAB || i / A_SLAB > CPU_PARTIAL)
			kmem_cache_free(s, o[i]);
	end_machine(&b);
}

Test(slub, frees_of_another_cpu_come_back_when_the_freelist_is_used_up)
{
	struct bench_machine b = boot_machine("6.17", 2, 1);
	struct kmem_cache *s = sheaf_cache(0);
	void *o[A_SLAB], *again;

	alloc_many(s, o, A_SLAB);
	become_cpu(&b, 1);
	kmem_cache_free(s, o[5]);
	assert_count(s, FREE_FROZEN, 1);
	become_cpu(&b, 0);
	again = kmem_cache_alloc(s, GFP_KERNEL);
	cr_assert_eq(again, o[5]);
	assert_count(s, ALLOC_REFILL, 1);
	free_many(s, o, A_SLAB);
	end_machine(&b);
}

Test(slub, bulk_frees_group_objects_of_a_slab_three_slabs_ahead)
{
	struct bench_machine b = boot_machine("6.17", 2, 1);
	struct kmem_cache *s = sheaf_cache(0);
	void *o[4 * A_SLAB], *two[2 * A_SLAB];

	alloc_many(s, o, 4 * A_SLAB);
	/* One slab, in order: one exchange. */
	kmem_cache_free_bulk(s, A_SLAB, o);
	assert_count(s, FREE_SLOWPATH, 1);
	/* Two slabs in turn: the look-ahead ends at the third stranger. */
	for (unsigned i = 0; i < A_SLAB; i++) {
		two[2 * i] = o[A_SLAB + i];
		two[2 * i + 1] = o[2 * A_SLAB + i];
	}
	kmem_cache_free_bulk(s, 2 * A_SLAB, two);
	cr_assert(count_of(s, STAT_FREE_SLOWPATH) > 3);
	cr_assert(count_of(s, STAT_FREE_SLOWPATH) < 1 + 2 * A_SLAB);
	free_many(s, o + 3 * A_SLAB, A_SLAB);
	end_machine(&b);
}

Test(slub, bulk_allocation_drains_the_cpu_freelist)
{
	struct bench_machine b = boot_machine("6.17", 2, 1);
	struct kmem_cache *s = sheaf_cache(0);
	void *o[3 * A_SLAB];

	cr_assert_eq(kmem_cache_alloc_bulk(s, GFP_KERNEL, 3 * A_SLAB, o), 3 * A_SLAB);
	assert_count(s, ALLOC_SLOWPATH, 3);
	assert_count(s, ALLOC_FASTPATH, 3 * (A_SLAB - 1));
	kmem_cache_free_bulk(s, 3 * A_SLAB, o);
	end_machine(&b);
}

/* One CPU of each node; CPU 0 leaves @partial slabs on node 0. Where CPU 1 then allocates. */
static unsigned node_with_partial(unsigned partial)
{
	enum { SLABS = CPU_PARTIAL };
	struct bench_machine b = boot_machine("6.17", 2, 2);
	struct kmem_cache *s = sheaf_cache(0);
	void *o[SLABS * A_SLAB], *other;
	unsigned nid;

	alloc_many(s, o, SLABS * A_SLAB);
	for (unsigned i = 0; i < partial; i++)
		kmem_cache_free(s, o[i * A_SLAB]);
	kmem_cache_shrink(s);
	cr_assert_eq(get_node(s, 0)->nr_partial, partial);
	become_cpu(&b, 1);
	other = kmem_cache_alloc(s, GFP_KERNEL);
	nid = slab_nid(virt_to_slab(other));
	kmem_cache_free(s, other);
	become_cpu(&b, 0);
	for (unsigned i = 0; i < SLABS * A_SLAB; i++)
		if (i % A_SLAB || i / A_SLAB >= partial)
			kmem_cache_free(s, o[i]);
	end_machine(&b);
	return nid;
}

Test(slub, other_nodes_are_searched_only_above_min_partial)
{
	cr_assert_eq(node_with_partial(MIN_PARTIAL), 1);
	cr_assert_eq(node_with_partial(MIN_PARTIAL + 1), 0);
}

Test(slub, a_slab_given_up_goes_first_unless_others_freed_into_it)
{
	struct bench_machine b = boot_machine("6.17", 2, 1);
	struct kmem_cache *s = sheaf_cache(0);
	struct list_head *partial = &get_node(s, 0)->partial;
	void *o[2 * A_SLAB];

	alloc_many(s, o, A_SLAB + 2);
	flush_cpu_slab(s, 0);
	assert_count(s, DEACTIVATE_TO_HEAD, 1);
	become_cpu(&b, 1);
	kmem_cache_free(s, o[0]);
	flush_cpu_slab(s, 1);
	cr_assert_eq(list_last_entry(partial, struct slab, slab_list), virt_to_slab(o[0]));
	alloc_many(s, o + A_SLAB + 2, 1); /* from the head */
	cr_assert_eq(virt_to_slab(o[A_SLAB + 2]), virt_to_slab(o[A_SLAB]));
	become_cpu(&b, 0);
	kmem_cache_free(s, o[A_SLAB]);
	become_cpu(&b, 1);
	flush_cpu_slab(s, 1);
	assert_count(s, DEACTIVATE_REMOTE_FREES, 1);
	assert_count(s, DEACTIVATE_TO_TAIL, 1);
	kmem_cache_free_bulk(s, A_SLAB - 1, o + 1);
	free_many(s, o + A_SLAB + 1, 2);
	end_machine(&b);
}

Test(slub, an_allocation_of_a_node_gives_up_a_slab_of_another)
{
	struct bench_machine b = boot_machine("6.17", 2, 2);
	struct kmem_cache *s = sheaf_cache(0);
	void *here = kmem_cache_alloc(s, GFP_KERNEL);
	void *there = kmem_cache_alloc_node(s, GFP_KERNEL, 1);

	cr_assert_eq(slab_nid(virt_to_slab(here)), 0);
	cr_assert_eq(slab_nid(virt_to_slab(there)), 1);
	assert_count(s, ALLOC_NODE_MISMATCH, 1);
	assert_count(s, DEACTIVATE_TO_HEAD, 1);
	kmem_cache_free(s, here);
	kmem_cache_free(s, there);
	end_machine(&b);
}

Test(slub, links_of_free_objects_lie_where_the_kernel_keeps_them)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);

	cr_assert_eq(kernel_cache(CACHE_MAPLE_NODE)->offset, 128);
	cr_assert_eq(kernel_cache(CACHE_MAPLE_NODE)->size, 256);
	cr_assert_eq(kernel_cache(CACHE_VM_AREA_STRUCT)->size, 192);
	cr_assert_eq(kernel_cache(CACHE_VM_AREA_STRUCT)->offset, 0);
	cr_assert_eq(kernel_cache(CACHE_ANON_VMA)->offset, 96);
	cr_assert_eq(kernel_cache(CACHE_ANON_VMA_CHAIN)->offset, 32);
	end_machine(&b);
}

Test(slub, zeroed_objects_are_zero_whatever_was_in_them)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(4);
	char *o = kmem_cache_alloc(s, GFP_KERNEL);

	memset(o, 0xff, 256);
	kmem_cache_free(s, o);
	o = kmem_cache_alloc(s, GFP_KERNEL | __GFP_ZERO);
	for (unsigned i = 0; i < 256; i++)
		cr_assert_eq(o[i], 0);
	kmem_cache_free(s, o);
	o = kzalloc(100, GFP_KERNEL);
	for (unsigned i = 0; i < 100; i++)
		cr_assert_eq(o[i], 0);
	kfree(o);
	kfree(NULL);
	cr_assert_null(kmalloc(8193, GFP_KERNEL));
	end_machine(&b);
}

Test(slub, kmalloc_buckets_hold_every_size_at_its_natural_alignment)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);

	for (size_t size = 1; size <= 8192; size += size < 256 ? 1 : 61) {
		char *p = kmalloc(size, GFP_KERNEL);

		cr_assert_not_null(p);
		memset(p, 1, size);
		if (!(size & (size - 1)) && size >= 8)
			cr_assert(IS_ALIGNED((uintptr_t)p, size));
		kfree(p);
	}
	end_machine(&b);
}

Test(slub, an_arena_that_is_full_gives_null_and_recovers)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(4);
	void *list = NULL, *o;
	void *bulk[64];
	u64 nr = 0;

	while ((o = kmem_cache_alloc(s, GFP_KERNEL))) {
		*(void **)o = list;
		list = o;
		nr++;
	}
	cr_assert(nr > 100000);
	cr_assert_eq(kmem_cache_alloc_bulk(s, GFP_KERNEL, 64, bulk), 0);
	cr_assert_null(kmem_cache_prefill_sheaf(s, GFP_KERNEL, 4));
	cr_assert_null(kmem_cache_prefill_sheaf(s, GFP_KERNEL, 64));
	for (; list; list = o) {
		o = *(void **)list;
		kmem_cache_free(s, list);
	}
	end_machine(&b);
}
