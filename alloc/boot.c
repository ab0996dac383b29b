/* SPDX-License-Identifier: MIT */
/*
 * boot.c - the kernel's set of caches on a machine.
 *
 * kmalloc comes up first, as sheaves are kmalloc objects, and goes last. Named
 * caches have the counter index of their number in names.h, the others follow.
 *
 * Context: boot CPU, no task runs.
 */
#include "alloc/internal.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned node_area_order(void)
{
	unsigned order = 0;

	while (PAGE_SIZE << order < sizeof(struct node_area))
		order++;
	return order;
}

static const struct object_field node_area_fields[] = {
	OBJECT_FIELD(node_area, node),
	OBJECT_FIELD(node_area, barn),
};

static const struct object_type node_area_type = OBJECT_TYPE(node_area, node_area_fields);

static int boot_nodes(struct slab_state *state)
{
	for (unsigned i = 0; i < nr_nodes(); i++) {
		state->node_page[i] = page_alloc(i, node_area_order(), &node_area_type);
		if (!state->node_page[i])
			return -ENOMEM;
		mem_zero(page_address(state->node_page[i]), sizeof(struct node_area));
	}
	return 0;
}

static int boot_kmalloc(struct slab_state *state)
{
	for (unsigned i = 0; i < NR_KMALLOC; i++) {
		unsigned size = kmalloc_sizes[i];
		/* The natural alignment of the size, as the kernel promises. */
		struct kmem_cache_args args = {.align = size & -size};
		char name[32];

		snprintf(name, sizeof(name), "kmalloc-%u", size);
		state->kmalloc[i] = kmem_cache_create(name, size, &args, 0);
		if (!state->kmalloc[i])
			return -ENOMEM;
	}
	return 0;
}

/* What 6.18 asks for; names and sizes are those of names.h. */
static const struct {
	unsigned align;
	int sheaf_capacity;
	bool link_inside;
	slab_flags_t flags;
} kernel_caches[NR_KMEM_CACHES] = {
	[CACHE_MAPLE_NODE] = {.align = 256, .sheaf_capacity = 32},
	[CACHE_VM_AREA_STRUCT] = {.sheaf_capacity = 32,
				  .link_inside = true,
				  .flags = SLAB_TYPESAFE_BY_RCU},
	[CACHE_ANON_VMA] = {.flags = SLAB_TYPESAFE_BY_RCU},
};

static const unsigned kernel_cache_sizes[NR_KMEM_CACHES] = {
#define X(id, name, size) size,
	KMEM_CACHES(X)
#undef X
};

static int boot_kernel_caches(struct slab_state *state)
{
	for (unsigned i = 0; i < NR_KMEM_CACHES; i++) {
		struct kmem_cache_args args = {
			.align = kernel_caches[i].align,
			.sheaf_capacity = kernel_caches[i].sheaf_capacity,
			.use_freeptr_offset = kernel_caches[i].link_inside,
			.policy = &state->policy.cache[i],
		};
		struct kmem_cache *s = cache_create(i, kmem_cache_names[i], kernel_cache_sizes[i],
						    &args, kernel_caches[i].flags);

		if (!s)
			return -ENOMEM;
		machine_set_slot(i, s);
	}
	return 0;
}

int slab_boot(const struct policy *policy, struct message *msg)
{
	struct slab_state *state = calloc(1, sizeof(*state));

	if (!state)
		return message_set(msg, -ENOMEM, "no memory for slab caches");
	engine_exempt(state, sizeof(*state));
	state->policy = *policy;
	machine_set_slot(SLAB_STATE_SLOT, state);
	if (!boot_nodes(state) && !boot_kmalloc(state) && !boot_kernel_caches(state))
		return 0;
	slab_shutdown();
	return message_set(msg, -ENOMEM, "the arena is too small for the slab caches");
}

/* Caches in reverse of their making, so that per-CPU areas can be given back. */
static u64 destroy_caches(struct slab_state *state, unsigned first, unsigned end)
{
	u64 live = 0;

	while (end-- > first)
		if (state->cache[end])
			live += kmem_cache_destroy(state->cache[end]);
	return live;
}

u64 slab_shutdown(void)
{
	struct slab_state *state = slab_state();
	u64 live;

	kvfree_rcu_barrier();
	live = destroy_caches(state, NR_KMEM_CACHES + NR_KMALLOC, MACHINE_MAX_CACHES);
	live += destroy_caches(state, 0, NR_KMEM_CACHES);
	live += destroy_caches(state, NR_KMEM_CACHES, NR_KMEM_CACHES + NR_KMALLOC);
	for (unsigned i = 0; i < nr_nodes(); i++)
		if (state->node_page[i])
			page_free(state->node_page[i], node_area_order());
	for (unsigned i = 0; i <= SLAB_STATE_SLOT; i++)
		machine_set_slot(i, NULL);
	free(state);
	return live;
}
