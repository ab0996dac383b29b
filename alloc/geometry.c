/* SPDX-License-Identifier: MIT */
/*
 * geometry.c - slab order, partial-list limits and sheaf capacity of a cache.
 *
 * The order is the smallest that holds 4 * (log2(CPUs) + 2) objects or so and
 * wastes at most a sixteenth of the slab; if no order up to 3 does, an eighth is
 * allowed, and so on. So more CPUs mean larger slabs, and because the limit of the
 * cpu partial list is in objects, fewer slabs on it:
 *
 *	maple_node, 256 bytes:	2 CPUs	 16 objects, 7 slabs
 *				80 CPUs	 32 objects, 4 slabs
 *				512 CPUs 64 objects, 2 slabs
 */
#include "alloc/geometry.h"

static unsigned order_of(unsigned long bytes)
{
	unsigned order = 0;

	while (PAGE_SIZE << order < bytes)
		order++;
	return order;
}

/* The first order from @min_order that wastes at most 1/@fraction; above the maximum: none. */
static unsigned order_wasting(unsigned size, unsigned min_order, unsigned fraction)
{
	unsigned order;

	for (order = min_order; order <= SLUB_MAX_ORDER; order++) {
		unsigned long bytes = PAGE_SIZE << order;

		if (bytes % size <= bytes / fraction)
			break;
	}
	return order;
}

static unsigned wanted_order(unsigned size, unsigned nr_cpus)
{
	unsigned wanted = 4 * (fls(nr_cpus) + 1);
	unsigned most = max((unsigned)((PAGE_SIZE << SLUB_MAX_ORDER) / size), 1u);
	unsigned min_order = order_of((unsigned long)min(wanted, most) * size);

	for (unsigned fraction = 16; fraction > 1; fraction /= 2) {
		unsigned order = order_wasting(size, min_order, fraction);

		if (order <= SLUB_MAX_ORDER)
			return order;
	}
	return order_of(size);
}

static unsigned cpu_partial_objects(unsigned size)
{
	if (size >= PAGE_SIZE)
		return 6;
	if (size >= 1024)
		return 24;
	return size >= 256 ? 52 : 120;
}

static unsigned min_partial(unsigned size)
{
	return min(max(ilog2(size) / 2, 5u), 10u);
}

/* @value unless the policy names another. */
static unsigned overridden(int policy, unsigned value)
{
	return policy == POLICY_DEFAULT ? value : (unsigned)policy;
}

void slab_geometry(const struct geometry_request *request, struct slab_geometry *out)
{
	static const struct cache_policy defaults = {
		POLICY_DEFAULT, POLICY_DEFAULT, POLICY_DEFAULT, POLICY_DEFAULT, POLICY_DEFAULT,
	};
	const struct cache_policy *policy = request->policy ? request->policy : &defaults;
	unsigned size = request->size;
	unsigned capacity = request->sheaves == SHEAVES_OFF ? 0 : request->sheaf_capacity;

	out->min_order = order_of(size);
	out->order = overridden(policy->order, wanted_order(size, request->nr_cpus));
	out->order = max(out->order, out->min_order);
	out->objects = (unsigned)((PAGE_SIZE << out->order) / size);
	out->cpu_partial = overridden(policy->cpu_partial, cpu_partial_objects(size));
	out->cpu_partial_slabs = DIV_ROUND_UP(out->cpu_partial * 2, out->objects);
	out->min_partial = overridden(policy->min_partial, min_partial(size));
	out->sheaf_capacity = overridden(policy->sheaf_capacity, capacity);
	out->remote_ratio = overridden(policy->remote_node_defrag_ratio, 1000);
}
