/* SPDX-License-Identifier: MIT */
/*
 * geometry.h - how large the slabs of a cache are and how many it keeps where.
 *
 * Pure arithmetic: size, flags of the policy and the CPU count of the simulated
 * machine in, figures out. The formulas are SLUB's; none looks at the host.
 */
#ifndef VMASIM_ALLOC_GEOMETRY_H
#define VMASIM_ALLOC_GEOMETRY_H

#include "base/policy.h"
#include "base/types.h"

#define SLUB_MAX_ORDER 3u

struct slab_geometry {
	unsigned order;		    /* log2 of pages a slab */
	unsigned objects;	    /* a slab of that order holds */
	unsigned min_order;	    /* that one object needs: the fallback */
	unsigned cpu_partial;	    /* free objects a CPU may keep on its partial list */
	unsigned cpu_partial_slabs; /* the same in slabs, half full each */
	unsigned min_partial;	    /* slabs a node keeps although empty */
	unsigned sheaf_capacity;    /* objects a sheaf; 0: no sheaves */
	unsigned remote_ratio;	    /* of 1024 slow allocations, those that look at other nodes */
};

/* What the figures follow from. */
struct geometry_request {
	unsigned size;		 /* bytes an object takes in its slab */
	unsigned nr_cpus;	 /* of the machine described, not those that run */
	unsigned sheaf_capacity; /* wanted; 0: none */
	enum sheaves_policy sheaves;
	const struct cache_policy *policy; /* overrides; NULL: none */
};

/**
 * slab_geometry() - compute all figures of one cache.
 * An override in @request->policy wins over the formula; an order too small for
 * one object is raised. A sheaf capacity given there turns sheaves on even
 * where the preset has none.
 */
void slab_geometry(const struct geometry_request *request, struct slab_geometry *out);

#endif
