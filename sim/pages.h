/* SPDX-License-Identifier: MIT */
/*
 * pages.h - which pages of an address space exist, and as what.
 *
 * Content is never kept. The table is host memory and compiled without access
 * hooks (pages_host.c): what a kernel would spend on page tables is declared
 * by the callers (sim/cost.h). Context: the caller holds page_table_lock, or is the
 * only one who knows the address space; mmap_lock does not exclude faults.
 */
#ifndef VMASIM_SIM_PAGES_H
#define VMASIM_SIM_PAGES_H

#include "base/types.h"

struct page_table;

enum page_kind {
	PAGE_ABSENT,
	PAGE_ZERO, /* the shared page of zeroes */
	PAGE_ANON, /* private, written */
	PAGE_FILE, /* of the page cache */
};

struct page_table *page_table_create(void);
void page_table_destroy(struct page_table *table);

enum page_kind page_table_get(const struct page_table *table, u64 addr);
/** page_table_set() - false: no memory. */
bool page_table_set(struct page_table *table, u64 addr, enum page_kind kind);
/** page_table_clear() - pages of [@start, @end) become absent. */
void page_table_clear(struct page_table *table, u64 start, u64 end);
/** page_table_copy() - pages of the range that exist in @from get the same kind in @to. */
bool page_table_copy(struct page_table *to, const struct page_table *from, u64 start, u64 end);
u64 page_table_count(const struct page_table *table, u64 start, u64 end, enum page_kind kind);

#endif
