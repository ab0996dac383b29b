/* SPDX-License-Identifier: MIT */
/*
 * policy.h - a kernel as a set of independent switches: presets and overrides.
 *
 * `6.18` names a preset; `6.18:maple_node.sheaf_capacity=120,gp=op-end` one with
 * overrides. One table (policy.c) defines every knob with its type, range and
 * meaning; help, man page and the record's echo are generated from it.
 */
#ifndef VMASIM_BASE_POLICY_H
#define VMASIM_BASE_POLICY_H

#include "base/message.h"
#include "base/names.h"
#include "base/types.h"

enum sheaves_policy {
	SHEAVES_OFF,		/* V0: cpu slabs and cpu partial lists only */
	SHEAVES_OVER_CPU_SLABS, /* V1: opt-in sheaves on top of V0 */
};

enum prealloc_policy {
	PREALLOC_VACANT, /* node requests by vacant height, 6.16 and later */
};

enum free_policy {
	FREE_CALL_RCU,	      /* each freed node has its own callback */
	FREE_KFREE_RCU_SHEAF, /* freed nodes collect in rcu_free sheaves */
};

enum gp_policy {
	GP_NORMAL, /* grace periods end as the engine's RCU ends them */
	GP_OP_END, /* each ends at the next op_end of the CPU that queued */
};

#define POLICY_DEFAULT (-1) /* the allocator computes it (alloc/geometry.c) */

/* One cache's own knobs; POLICY_DEFAULT where the kernel's formula decides. */
struct cache_policy {
	int sheaf_capacity; /* objects a sheaf; 0: no sheaves in this cache */
	int cpu_partial;    /* objects; the limit applied in slabs follows from it */
	int min_partial;    /* slabs a node keeps although empty */
	int order;	    /* log2 of pages a slab */
	int remote_node_defrag_ratio; /* 0..1000 of 1024 slow allocations look at other nodes */
};

struct policy {
	char spec[256]; /* as the user wrote it */
	char preset[16];
	enum sheaves_policy sheaves;
	enum prealloc_policy prealloc;
	enum free_policy free;
	enum gp_policy gp;
	int barn_max_full;  /* full sheaves a barn takes before frees are flushed */
	int barn_max_empty; /* empty sheaves a barn keeps */
	struct cache_policy cache[NR_KMEM_CACHES];
};

/**
 * policy_parse() - resolve a kernel specification.
 * @spec: PRESET[:KNOB=VALUE,...]; @out: the resolved policy.
 * Return: 0, or -EINVAL with a message naming the value, its place and what is allowed.
 */
int policy_parse(const char *spec, struct policy *out, struct message *msg);

/** policy_visit_fn - receives one knob and its resolved value, in table order. */
typedef void policy_visit_fn(void *arg, const char *knob, const char *value);

/** policy_visit() - call @visit for every knob of @policy (the record's echo). */
void policy_visit(const struct policy *policy, policy_visit_fn *visit, void *arg);

/** policy_print_help() - presets and knobs with ranges, one a line, to a FILE. */
struct _IO_FILE;
void policy_print_help(struct _IO_FILE *out);

/** policy_print_presets(), policy_print_knobs() - its two halves, without headings. */
void policy_print_presets(struct _IO_FILE *out);
void policy_print_knobs(struct _IO_FILE *out);

#endif
