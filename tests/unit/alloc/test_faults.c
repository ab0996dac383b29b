/* SPDX-License-Identifier: MIT */
/*
 * test_faults.c - misuse is reported by cache, slab and object, and refused.
 */
#include "alloc_fixture.h"

/* The test's own: reports come back through a function without a context. */
static char last_report[400];
static unsigned nr_reports;

static void keep_report(const char *report)
{
	snprintf(last_report, sizeof(last_report), "%s", report);
	nr_reports++;
}

static struct bench_machine boot_watched(const char *spec)
{
	struct bench_machine b = boot_machine(spec, 2, 1);

	nr_reports = 0;
	last_report[0] = '\0';
	slab_set_fault_handler(keep_report);
	return b;
}

static void assert_report(unsigned nr, const char *a, const char *b)
{
	cr_assert_eq(nr_reports, nr, "%u reports, last: %s", nr_reports, last_report);
	cr_assert_not_null(strstr(last_report, a), "%s", last_report);
	cr_assert_not_null(strstr(last_report, b), "%s", last_report);
}

static const char *const presets[] = {"6.17", "6.18"};

Test(faults, a_pointer_outside_the_arena_is_refused)
{
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++) {
		struct bench_machine b = boot_watched(presets[i]);
		char stray[256];
		void *list[1] = {stray};

		kmem_cache_free(kernel_cache(CACHE_MAPLE_NODE), stray);
		assert_report(1, "maple_node", "outside the arena");
		kmem_cache_free_bulk(kernel_cache(CACHE_MAPLE_NODE), 1, list);
		assert_report(2, "maple_node", "foreign");
		kfree(stray);
		assert_report(3, "kmalloc", "foreign");
		kvfree_call_rcu((struct rcu_head *)stray, stray);
		assert_report(4, "foreign", "outside the arena");
		end_machine(&b);
	}
}

Test(faults, a_page_that_is_no_slab_is_refused_where_the_free_meets_it)
{
	struct bench_machine b = boot_watched("6.17");
	struct page *page = page_alloc(0, 0, &kernel_cache(CACHE_MAPLE_NODE)->type);

	kmem_cache_free(kernel_cache(CACHE_MAPLE_NODE), page_address(page));
	assert_report(1, "maple_node", "no slab");
	kfree(page_address(page));
	assert_report(2, "kmalloc", "no slab");
	page_free(page, 0);
	end_machine(&b);
}

Test(faults, an_object_of_another_cache_is_refused)
{
	struct bench_machine b = boot_watched("6.17");
	void *chain = kmem_cache_alloc(kernel_cache(CACHE_ANON_VMA_CHAIN), GFP_KERNEL);

	kmem_cache_free(kernel_cache(CACHE_MAPLE_NODE), chain);
	assert_report(1, "cache 'maple_node'", "of cache 'anon_vma_chain'");
	kmem_cache_free(kernel_cache(CACHE_ANON_VMA_CHAIN), chain);
	cr_assert_eq(nr_reports, 1);
	end_machine(&b);
}

Test(faults, a_double_free_is_refused)
{
	struct bench_machine b = boot_watched("6.17");
	struct kmem_cache *s = kernel_cache(CACHE_MAPLE_NODE);
	void *o[20];

	alloc_many(s, o, 20);
	kmem_cache_free(s, o[19]); /* into the cpu slab */
	kmem_cache_free(s, o[19]);
	assert_report(1, "double free", "maple_node");
	kmem_cache_free(s, o[0]); /* into a slab no CPU holds */
	kmem_cache_free(s, o[0]);
	assert_report(2, "double free", "object 0");
	for (unsigned i = 1; i < 19; i++)
		kmem_cache_free(s, o[i]);
	end_machine(&b);
}

#ifdef VMASIM_SLOW_CHECKS
Test(faults, sheaves_do_not_hide_a_fault_with_slow_checks)
{
	struct bench_machine b = boot_watched("6.18");
	struct kmem_cache *s = kernel_cache(CACHE_MAPLE_NODE);
	void *o = kmem_cache_alloc(s, GFP_KERNEL);
	void *vma = kmem_cache_alloc(kernel_cache(CACHE_VM_AREA_STRUCT), GFP_KERNEL);
	struct page *page = page_alloc(0, 0, &s->type);

	kmem_cache_free(s, vma);
	assert_report(1, "cache 'maple_node'", "vm_area_struct");
	kmem_cache_free(s, page_address(page));
	assert_report(2, "maple_node", "no slab");
	kmem_cache_free(s, (char *)o + 8);
	assert_report(3, "middle", "+8 bytes");
	kmem_cache_free(s, o);
	kmem_cache_free(s, o);
	assert_report(4, "double free", "maple_node");
	kvfree_call_rcu(o, o);
	assert_report(5, "double free", "maple_node");
	kmem_cache_free(kernel_cache(CACHE_VM_AREA_STRUCT), vma);
	page_free(page, 0);
	end_machine(&b);
}
#endif

Test(faults, what_is_live_at_destruction_is_named_and_counted)
{
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++) {
		struct bench_machine b = boot_watched(presets[i]);
		struct kmem_cache *s = sheaf_cache(4);
		void *o[3];

		alloc_many(s, o, 3);
		kmem_cache_free(s, o[1]);
		cr_assert_eq(kmem_cache_destroy(s), 2);
		assert_report(2, "cache 'test' destroyed", "object");
		end_machine(&b);
	}
}

Test(faults, a_leak_is_counted_by_shutdown_and_its_pages_come_back)
{
	struct bench_machine b = boot_watched("6.18");

	cr_assert_not_null(kmalloc(64, GFP_KERNEL));
	cr_assert_not_null(kmem_cache_alloc(kernel_cache(CACHE_MAPLE_NODE), GFP_KERNEL));
	cr_assert_eq(slab_shutdown(), 2);
	assert_report(2, "kmalloc-64", "live");
	cr_assert_eq(pages_in_use(), b.pages_before);
	machine_leave(b.machine);
	machine_destroy(b.machine);
}
