/* SPDX-License-Identifier: MIT */
/*
 * test_geometry.c - slab sizes and limits, against those of SLUB.
 */
#include "alloc/geometry.h"

#include <criterion/criterion.h>

static struct slab_geometry geometry(unsigned size, unsigned cpus,
				     const struct cache_policy *policy)
{
	struct geometry_request request = {.size = size,
					   .nr_cpus = cpus,
					   .sheaf_capacity = 32,
					   .sheaves = SHEAVES_OVER_CPU_SLABS,
					   .policy = policy};
	struct slab_geometry g;

	slab_geometry(&request, &g);
	return g;
}

Test(geometry, slabs_grow_with_the_cpus_of_the_machine)
{
	static const struct {
		unsigned size, from, to, order, objects, slabs;
	} known[] = {
		{256, 2, 2, 0, 16, 7},	   {256, 8, 80, 1, 32, 4},   {256, 128, 512, 2, 64, 2},
		{192, 16, 480, 1, 42, 6}, {192, 512, 512, 2, 85, 3},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		for (unsigned cpus = known[i].from; cpus <= known[i].to; cpus++) {
			struct slab_geometry g = geometry(known[i].size, cpus, NULL);

			cr_assert_eq(g.order, known[i].order, "%u bytes, %u CPUs", known[i].size,
				     cpus);
			cr_assert_eq(g.objects, known[i].objects);
			cr_assert_eq(g.cpu_partial_slabs, known[i].slabs);
			cr_assert_eq(g.min_partial, 5);
			cr_assert_eq(g.sheaf_capacity, 32);
		}
}

Test(geometry, cpu_partial_limits_go_by_size)
{
	static const struct {
		unsigned size, objects;
	} known[] = {{8, 120},   {248, 120}, {256, 52}, {1016, 52},
		     {1024, 24}, {4088, 24}, {4096, 6}};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		cr_assert_eq(geometry(known[i].size, 8, NULL).cpu_partial, known[i].objects);
}

Test(geometry, every_slab_holds_an_object_and_wastes_less_than_half)
{
	for (unsigned size = 8; size <= 8192; size += 8)
		for (unsigned cpus = 1; cpus <= 4096; cpus *= 4) {
			struct slab_geometry g = geometry(size, cpus, NULL);
			unsigned long bytes = PAGE_SIZE << g.order;

			cr_assert(g.objects >= 1 && g.objects * size <= bytes);
			cr_assert(bytes - g.objects * size <= bytes / 2);
			cr_assert(g.order <= SLUB_MAX_ORDER && g.min_order <= g.order);
			cr_assert(g.min_partial >= 5 && g.min_partial <= 10);
		}
}

Test(geometry, a_policy_overrides_each_figure)
{
	struct cache_policy policy = {.sheaf_capacity = 120,
				      .cpu_partial = 30,
				      .min_partial = 3,
				      .order = 3,
				      .remote_node_defrag_ratio = 0};
	struct slab_geometry g = geometry(256, 2, &policy);

	cr_assert_eq(g.sheaf_capacity, 120);
	cr_assert_eq(g.order, 3);
	cr_assert_eq(g.objects, 128);
	cr_assert_eq(g.cpu_partial, 30);
	cr_assert_eq(g.cpu_partial_slabs, 1);
	cr_assert_eq(g.min_partial, 3);
	cr_assert_eq(g.remote_ratio, 0);
	policy.order = 0;
	cr_assert_eq(geometry(8192, 2, &policy).order, 1);
}

Test(geometry, sheaves_off_means_none_unless_the_cache_is_named)
{
	struct cache_policy policy = {32, POLICY_DEFAULT, POLICY_DEFAULT, POLICY_DEFAULT,
				      POLICY_DEFAULT};
	struct geometry_request request = {
		.size = 256, .nr_cpus = 8, .sheaf_capacity = 32, .sheaves = SHEAVES_OFF};
	struct slab_geometry g;

	slab_geometry(&request, &g);
	cr_assert_eq(g.sheaf_capacity, 0);
	request.policy = &policy;
	slab_geometry(&request, &g);
	cr_assert_eq(g.sheaf_capacity, 32);
}
