/* SPDX-License-Identifier: MIT */
/*
 * test_arena.c - pages: blocks split, coalesce, carry their head and owner.
 */
#include "base/rng.h"
#include "engine_fixture.h"

#include <signal.h>

static const struct object_type owner_a = {.name = "a", .size = 4096};
static const struct object_type owner_b = {.name = "b", .size = 4096};

enum { BLOCKS_A_NODE = NODE_BYTES >> (PAGE_SHIFT + MAX_ORDER) };

/* How many of the largest blocks the arena gives: fewer than there are when one is split. */
static unsigned count_largest_blocks(void)
{
	struct page *block[4 * BLOCKS_A_NODE];
	unsigned nr = 0;

	while (nr < ARRAY_SIZE(block) && (block[nr] = page_alloc(0, MAX_ORDER, &owner_a)))
		nr++;
	for (unsigned i = 0; i < nr; i++)
		page_free(block[i], MAX_ORDER);
	return nr;
}

Test(arena, hands_out_every_page_and_then_none)
{
	struct machine *machine = enter_machine(1, 1, GP_NORMAL);
	unsigned nr = NODE_BYTES / PAGE_SIZE;
	struct page **page = malloc(nr * sizeof(*page));

	for (unsigned i = 0; i < nr; i++) {
		page[i] = page_alloc(0, 0, &owner_a);
		cr_assert_not_null(page[i], "page %u of %u", i, nr);
	}
	cr_assert_eq(pages_in_use(), nr);
	cr_assert_null(page_alloc(0, 0, &owner_a));
	/* Even pages first: no buddy is free until the odd ones come back. */
	for (unsigned i = 0; i < nr; i += 2)
		page_free(page[i], 0);
	cr_assert_null(page_alloc(0, 1, &owner_a));
	for (unsigned i = 1; i < nr; i += 2)
		page_free(page[i], 0);
	cr_assert_eq(count_largest_blocks(), BLOCKS_A_NODE, "all coalesced again");
	free(page);
	end_machine(machine);
}

struct block {
	struct page *page;
	unsigned order;
	u64 stamp;
};

static void fill(const struct block *b)
{
	u64 *words = page_address(b->page);

	words[0] = b->stamp;
	words[(PAGE_SIZE << b->order) / sizeof(u64) - 1] = b->stamp;
}

static void check_filled(const struct block *b)
{
	const u64 *words = page_address(b->page);

	cr_assert_eq(words[0], b->stamp);
	cr_assert_eq(words[(PAGE_SIZE << b->order) / sizeof(u64) - 1], b->stamp);
}

Test(arena, random_blocks_never_overlap_and_all_come_back)
{
	enum { SLOTS = 64, STEPS = 20000 };
	struct machine *machine = enter_machine(1, 2, GP_NORMAL);
	struct block block[SLOTS] = {0};
	struct rng rng;
	u64 pages = 0;

	rng_seed(&rng, 1, 0);
	for (u64 step = 1; step <= STEPS; step++) {
		struct block *b = &block[rng_below(&rng, SLOTS)];

		if (b->page) {
			check_filled(b);
			page_free(b->page, b->order);
			pages -= 1u << b->order;
			b->page = NULL;
		} else {
			b->order = (unsigned)rng_below(&rng, 8);
			b->stamp = step;
			b->page = page_alloc((unsigned)rng_below(&rng, 2), b->order, &owner_a);
			cr_assert_not_null(b->page);
			cr_assert(IS_ALIGNED((uintptr_t)page_address(b->page),
					     PAGE_SIZE << b->order));
			pages += 1u << b->order;
			fill(b);
		}
		cr_assert_eq(pages_in_use(), pages);
	}
	for (unsigned i = 0; i < SLOTS; i++)
		if (block[i].page)
			page_free(block[i].page, block[i].order);
	cr_assert_eq(count_largest_blocks(), 2 * BLOCKS_A_NODE, "both nodes' coalesced");
	end_machine(machine);
}

Test(arena, every_address_of_a_block_leads_to_its_head)
{
	struct machine *machine = enter_machine(1, 1, GP_NORMAL);

	for (unsigned order = 0; order <= MAX_ORDER; order++) {
		struct page *page = page_alloc(0, order, &owner_a);
		char *start = page_address(page);

		for (unsigned i = 0; i < 1u << order; i++) {
			char *address = start + i * PAGE_SIZE + 123;

			cr_assert_eq(virt_to_page(address), page + i);
			cr_assert_eq(virt_to_head_page(address), page);
			cr_assert(in_arena(address));
		}
		page_free(page, order);
	}
	cr_assert_not(in_arena(&machine));
	cr_assert_not(in_arena(machine->arena.pages - 1));
	cr_assert_not(in_arena(machine->arena.pages + machine->arena.nr_pages * PAGE_SIZE));
	end_machine(machine);
}

Test(arena, a_freed_tail_is_a_head_when_it_comes_again)
{
	struct machine *machine = enter_machine(1, 1, GP_NORMAL);
	struct page *page = page_alloc(0, 1, &owner_a);
	struct page *single[2];

	page_free(page, 1);
	for (unsigned i = 0; i < 2; i++) {
		single[i] = page_alloc(0, 0, &owner_b);
		cr_assert_eq(virt_to_head_page(page_address(single[i])), single[i]);
		for (unsigned w = 0; w < ARRAY_SIZE(single[i]->word); w++)
			cr_assert_eq(single[i]->word[w], 0, "descriptors come zeroed");
	}
	page_free(single[0], 0);
	page_free(single[1], 0);
	end_machine(machine);
}

Test(arena, nodes_are_known_by_address_and_help_each_other)
{
	struct machine *machine = enter_machine(1, 3, GP_NORMAL);
	struct page *page[3 * BLOCKS_A_NODE];
	unsigned at_home = 0;

	for (unsigned node = 0; node < 3; node++) {
		struct page *own = page_alloc(node, 0, &owner_a);

		cr_assert_eq(page_to_node(own), node);
		page_free(own, 0);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(page); i++) {
		page[i] = page_alloc(1, MAX_ORDER, &owner_a);
		cr_assert_not_null(page[i]);
		at_home += page_to_node(page[i]) == 1;
	}
	cr_assert_eq(at_home, BLOCKS_A_NODE);
	cr_assert_null(page_alloc(1, MAX_ORDER, &owner_a));
	for (unsigned i = 0; i < ARRAY_SIZE(page); i++)
		page_free(page[i], MAX_ORDER);
	end_machine(machine);
}

struct seen {
	unsigned blocks;
	u64 pages;
};

static void see(void *arg, struct page *page, unsigned order)
{
	struct seen *seen = arg;

	cr_assert(page_is_allocated(page));
	cr_assert_eq(page_owner(page), order ? &owner_b : &owner_a);
	seen->blocks++;
	seen->pages += 1u << order;
}

Test(arena, a_visit_sees_each_block_once_with_its_owner)
{
	struct machine *machine = enter_machine(1, 2, GP_NORMAL);
	struct seen seen = {0};
	struct page *small[5], *large[5];

	for (unsigned i = 0; i < 5; i++) {
		small[i] = page_alloc(i % 2, 0, &owner_a);
		large[i] = page_alloc(i % 2, 3, &owner_b);
	}
	page_visit(see, &seen);
	cr_assert_eq(seen.blocks, 10);
	cr_assert_eq(seen.pages, 5 + 5 * 8);
	for (unsigned i = 0; i < 5; i++) {
		page_free(small[i], 0);
		cr_assert_not(page_is_allocated(small[i]));
		page_free(large[i], 3);
	}
	end_machine(machine);
}

Test(arena, freeing_with_another_order_is_caught, .signal = SIGABRT)
{
	enter_machine(1, 1, GP_NORMAL);
	page_free(page_alloc(0, 2, &owner_a), 1);
}

Test(arena, freeing_twice_is_caught, .signal = SIGABRT)
{
	struct page *page;

	enter_machine(1, 1, GP_NORMAL);
	page = page_alloc(0, 0, &owner_a);
	page_free(page, 0);
	page_free(page, 0);
}

Test(arena, a_machine_with_pages_out_is_not_destroyed_silently, .signal = SIGABRT)
{
	struct machine *machine = enter_machine(1, 1, GP_NORMAL);

	page_alloc(0, 0, &owner_a);
	machine_leave(machine);
	machine_destroy(machine);
}
