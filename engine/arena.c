/* SPDX-License-Identifier: MIT */
/*
 * arena.c - all simulated kernel memory: one reservation, a buddy allocator a node.
 *
 *	| zones | per-CPU areas | struct page array | node 0 pages | node 1 pages | ...
 *
 * Nothing is touched before it is used, so a large arena costs address space
 * only. A page's node is known from its address. Page states live in host
 * memory: they stand for what a kernel keeps in struct page, whose 64 bytes here
 * all belong to the page's owner.
 *
 * Invariant: every page belongs to exactly one block, free or used; a free
 * block's buddy of the same order is not free. Context: any, the zone lock is
 * taken with interrupts off.
 */
#include "engine/machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define DEFAULT_NODE_BYTES (16ul << 30)
#define BLOCK_PAGES	   (1u << MAX_ORDER)

static struct arena *arena_current(void)
{
	return &engine_cpu()->machine->arena;
}

static void *reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void zone_init(struct machine *machine, unsigned node, u64 pages_per_node)
{
	struct arena *arena = &machine->arena;
	struct zone *zone = &arena->zone[node];

	spin_lock_init(&zone->lock, LOCK_ZONE);
	zone->first_page = (u32)(node * pages_per_node);
	zone->nr_pages = (u32)pages_per_node;
	zone->never_used = zone->first_page;
	for (unsigned order = 0; order <= MAX_ORDER; order++)
		zone->free[order] = NO_PAGE;
	engine_place_node(arena->pages + (u64)zone->first_page * PAGE_SIZE,
			  pages_per_node * PAGE_SIZE, node);
}

int arena_create(struct machine *machine, u64 bytes_per_node, struct message *msg)
{
	struct arena *arena = &machine->arena;
	u64 block = BLOCK_PAGES * PAGE_SIZE;
	u64 per_node = ALIGN(bytes_per_node ? bytes_per_node : DEFAULT_NODE_BYTES, block);
	unsigned nodes = machine->desc.nr_nodes;
	size_t zones = PAGE_ALIGN(nodes * sizeof(struct zone));
	size_t percpu = PAGE_ALIGN(machine->nr_cpus * PERCPU_BYTES);
	size_t array;

	arena->nr_pages = nodes * (per_node / PAGE_SIZE);
	array = PAGE_ALIGN(arena->nr_pages * sizeof(struct page));
	arena->map_bytes = zones + percpu + array + nodes * per_node + block;
	arena->state_bytes = arena->nr_pages * sizeof(struct page_state);
	arena->map = reserve(arena->map_bytes);
	arena->state = reserve(arena->state_bytes);
	if (!arena->map || !arena->state) {
		arena_destroy(machine);
		return message_set(msg, -ENOMEM, "can't reserve %zu MiB of address space",
				   arena->map_bytes >> 20);
	}
	arena->zone = (struct zone *)arena->map;
	arena->percpu = arena->map + zones;
	arena->page_array = (struct page *)(arena->percpu + percpu);
	arena->pages = (char *)ALIGN((uintptr_t)arena->page_array + array, block);
	for (unsigned node = 0; node < nodes; node++)
		zone_init(machine, node, per_node / PAGE_SIZE);
	return 0;
}

void arena_destroy(struct machine *machine)
{
	struct arena *arena = &machine->arena;

	if (arena->map)
		munmap(arena->map, arena->map_bytes);
	if (arena->state)
		munmap(arena->state, arena->state_bytes);
	arena->map = NULL;
	arena->state = NULL;
}

/* ---- Buddy blocks, zone lock held ---- */

static void free_list_add(struct arena *arena, struct zone *zone, u32 page, unsigned order)
{
	struct page_state *state = &arena->state[page];

	state->state = PAGE_FREE_HEAD;
	state->order = (u8)order;
	state->prev = NO_PAGE;
	state->next = zone->free[order];
	if (state->next != NO_PAGE)
		arena->state[state->next].prev = page;
	zone->free[order] = page;
}

static void free_list_del(struct arena *arena, struct zone *zone, u32 page)
{
	struct page_state *state = &arena->state[page];

	if (state->prev != NO_PAGE)
		arena->state[state->prev].next = state->next;
	else
		zone->free[state->order] = state->next;
	if (state->next != NO_PAGE)
		arena->state[state->next].prev = state->prev;
	state->state = PAGE_INSIDE;
}

/* The smallest free block of at least @order, or fresh pages; NO_PAGE when there are none. */
static u32 take_block(struct arena *arena, struct zone *zone, unsigned order, unsigned *found)
{
	for (unsigned o = order; o <= MAX_ORDER; o++) {
		u32 page = zone->free[o];

		if (page == NO_PAGE)
			continue;
		free_list_del(arena, zone, page);
		*found = o;
		return page;
	}
	if (zone->never_used + BLOCK_PAGES > zone->first_page + zone->nr_pages)
		return NO_PAGE;
	*found = MAX_ORDER;
	zone->never_used += BLOCK_PAGES;
	return zone->never_used - BLOCK_PAGES;
}

static u32 zone_alloc(struct arena *arena, struct zone *zone, unsigned order)
{
	unsigned found;
	u32 page = take_block(arena, zone, order, &found);

	if (page == NO_PAGE)
		return NO_PAGE;
	while (found > order) {
		found--;
		free_list_add(arena, zone, page + (1u << found), found);
	}
	arena->state[page].state = PAGE_USED_HEAD;
	arena->state[page].order = (u8)order;
	zone->used_pages += 1u << order;
	return page;
}

static void zone_free(struct arena *arena, struct zone *zone, u32 page, unsigned order)
{
	zone->used_pages -= 1u << order;
	arena->state[page].state = PAGE_INSIDE;
	while (order < MAX_ORDER) {
		u32 buddy = page ^ (1u << order);
		struct page_state *state = &arena->state[buddy];

		if (state->state != PAGE_FREE_HEAD || state->order != order)
			break;
		free_list_del(arena, zone, buddy);
		page = min(page, buddy);
		order++;
	}
	free_list_add(arena, zone, page, order);
}

/* ---- The face ---- */

static u32 page_number(const struct arena *arena, const struct page *page)
{
	return (u32)(page - arena->page_array);
}

static u32 node_alloc_pages(struct arena *arena, unsigned node, unsigned order)
{
	struct zone *zone = &arena->zone[node];
	irqflags_t flags;
	u32 number;

	spin_lock_irqsave(&zone->lock, flags);
	number = zone_alloc(arena, zone, order);
	spin_unlock_irqrestore(&zone->lock, flags);
	return number;
}

struct page *page_alloc(unsigned node, unsigned order, const struct object_type *owner)
{
	struct arena *arena = arena_current();
	unsigned nodes = nr_nodes();
	struct page *page;
	u32 number = NO_PAGE;

	vm_assert(order <= MAX_ORDER && node < nodes);
	for (unsigned i = 0; i < nodes && number == NO_PAGE; i++)
		number = node_alloc_pages(arena, (node + i) % nodes, order);
	if (number == NO_PAGE)
		return NULL;
	arena->state[number].owner = owner;
	page = &arena->page_array[number];
	mem_zero(page, sizeof(*page) << order);
	for (unsigned i = 1; i < 1u << order; i++)
		page[i].word[1] = (u64)(uintptr_t)page | 1;
	return page;
}

void page_free(struct page *page, unsigned order)
{
	struct arena *arena = arena_current();
	u32 number = page_number(arena, page);
	struct zone *zone = &arena->zone[page_to_node(page)];
	irqflags_t flags;

	vm_assert(arena->state[number].state == PAGE_USED_HEAD);
	vm_assert(arena->state[number].order == order);
	for (unsigned i = 0; i < 1u << order; i++)
		page[i].word[1] = 0;
	spin_lock_irqsave(&zone->lock, flags);
	zone_free(arena, zone, number, order);
	spin_unlock_irqrestore(&zone->lock, flags);
}

unsigned page_to_node(const struct page *page)
{
	struct arena *arena = arena_current();

	return page_number(arena, page) / arena->zone[0].nr_pages;
}

bool page_is_allocated(const struct page *page)
{
	struct arena *arena = arena_current();

	return arena->state[page_number(arena, page)].state == PAGE_USED_HEAD;
}

const struct object_type *page_owner(const struct page *page)
{
	struct arena *arena = arena_current();

	return arena->state[page_number(arena, page)].owner;
}

void page_visit(void (*visit)(void *arg, struct page *page, unsigned order), void *arg)
{
	struct arena *arena = arena_current();

	for (unsigned node = 0; node < nr_nodes(); node++) {
		struct zone *zone = &arena->zone[node];

		for (u32 n = zone->first_page; n < zone->never_used; n++)
			if (arena->state[n].state == PAGE_USED_HEAD)
				visit(arg, &arena->page_array[n], arena->state[n].order);
	}
}

u64 pages_in_use(void)
{
	struct arena *arena = arena_current();
	u64 used = 0;

	for (unsigned node = 0; node < nr_nodes(); node++)
		used += READ_ONCE(arena->zone[node].used_pages);
	return used;
}
