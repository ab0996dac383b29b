/* SPDX-License-Identifier: MIT */
/*
 * pages_host.c - a sparse table of page kinds: leaves of 2 MiB in a sorted array.
 *
 * Processes touch few regions, so a binary search over the regions that hold
 * pages beats any deeper structure, and clearing a large untouched range costs
 * one search. A leaf that has become empty is freed.
 */
#include "sim/pages.h"

#include <stdlib.h>
#include <string.h>

enum { LEAF_PAGES = 512 };

struct leaf {
	u64 number; /* address >> 21 */
	unsigned present;
	u8 kind[LEAF_PAGES];
};

struct page_table {
	struct leaf **leaves; /* ascending by number */
	size_t nr_leaves, room;
};

static u64 leaf_number(u64 addr)
{
	return addr / (LEAF_PAGES * PAGE_SIZE);
}

static unsigned leaf_index(u64 addr)
{
	return (addr >> PAGE_SHIFT) % LEAF_PAGES;
}

/* Position of the first leaf with a number of at least @number. */
static size_t leaf_position(const struct page_table *table, u64 number)
{
	size_t low = 0, high = table->nr_leaves;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (table->leaves[middle]->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct leaf *leaf_find(const struct page_table *table, u64 number)
{
	size_t at = leaf_position(table, number);

	return at < table->nr_leaves && table->leaves[at]->number == number ? table->leaves[at] :
									      NULL;
}

static struct leaf *leaf_insert(struct page_table *table, u64 number)
{
	size_t at = leaf_position(table, number);
	struct leaf *leaf;

	if (table->nr_leaves == table->room) {
		size_t room = table->room ? 2 * table->room : 16;
		struct leaf **larger = realloc(table->leaves, room * sizeof(*larger));

		if (!larger)
			return NULL;
		table->leaves = larger;
		table->room = room;
	}
	leaf = calloc(1, sizeof(*leaf));
	if (!leaf)
		return NULL;
	leaf->number = number;
	memmove(&table->leaves[at + 1], &table->leaves[at],
		(table->nr_leaves - at) * sizeof(*table->leaves));
	table->leaves[at] = leaf;
	table->nr_leaves++;
	return leaf;
}

struct page_table *page_table_create(void)
{
	return calloc(1, sizeof(struct page_table));
}

void page_table_destroy(struct page_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->nr_leaves; i++)
		free(table->leaves[i]);
	free(table->leaves);
	free(table);
}

enum page_kind page_table_get(const struct page_table *table, u64 addr)
{
	const struct leaf *leaf = leaf_find(table, leaf_number(addr));

	return leaf ? (enum page_kind)leaf->kind[leaf_index(addr)] : PAGE_ABSENT;
}

bool page_table_set(struct page_table *table, u64 addr, enum page_kind kind)
{
	struct leaf *leaf = leaf_find(table, leaf_number(addr));
	u8 *slot;

	if (!leaf)
		leaf = leaf_insert(table, leaf_number(addr));
	if (!leaf)
		return false;
	slot = &leaf->kind[leaf_index(addr)];
	leaf->present += (kind != PAGE_ABSENT) - (*slot != PAGE_ABSENT);
	*slot = (u8)kind;
	return true;
}

static void leaf_clear(struct leaf *leaf, u64 start, u64 end)
{
	u64 base = leaf->number * LEAF_PAGES * PAGE_SIZE;
	u64 low = max(start, base), high = min(end, base + LEAF_PAGES * PAGE_SIZE);

	for (u64 addr = low; addr < high; addr += PAGE_SIZE) {
		u8 *slot = &leaf->kind[leaf_index(addr)];

		leaf->present -= *slot != PAGE_ABSENT;
		*slot = PAGE_ABSENT;
	}
}

void page_table_clear(struct page_table *table, u64 start, u64 end)
{
	size_t first = leaf_position(table, leaf_number(start)), kept = first;

	if (start >= end)
		return;
	for (size_t i = first; i < table->nr_leaves; i++) {
		struct leaf *leaf = table->leaves[i];

		if (leaf->number <= leaf_number(end - 1))
			leaf_clear(leaf, start, end);
		else if (kept == i)
			return;
		if (leaf->present)
			table->leaves[kept++] = leaf;
		else
			free(leaf);
	}
	table->nr_leaves = kept;
}

bool page_table_copy(struct page_table *to, const struct page_table *from, u64 start, u64 end)
{
	for (size_t i = leaf_position(from, leaf_number(start)); i < from->nr_leaves; i++) {
		const struct leaf *leaf = from->leaves[i];
		u64 base = leaf->number * LEAF_PAGES * PAGE_SIZE;

		if (base >= end)
			break;
		for (unsigned k = 0; k < LEAF_PAGES; k++) {
			u64 addr = base + k * PAGE_SIZE;

			if (leaf->kind[k] == PAGE_ABSENT || addr < start || addr >= end)
				continue;
			if (!page_table_set(to, addr, (enum page_kind)leaf->kind[k]))
				return false;
		}
	}
	return true;
}

u64 page_table_count(const struct page_table *table, u64 start, u64 end, enum page_kind kind)
{
	u64 count = 0;

	for (size_t i = leaf_position(table, leaf_number(start)); i < table->nr_leaves; i++) {
		const struct leaf *leaf = table->leaves[i];
		u64 base = leaf->number * LEAF_PAGES * PAGE_SIZE;

		if (base >= end)
			break;
		for (unsigned k = 0; k < LEAF_PAGES; k++) {
			u64 addr = base + k * PAGE_SIZE;

			count += leaf->kind[k] == kind && addr >= start && addr < end;
		}
	}
	return count;
}
