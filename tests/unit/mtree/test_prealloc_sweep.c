/* SPDX-License-Identifier: MIT */
/*
 * test_prealloc_sweep.c - node requests of 8.8 million stores against the counts of
 * the kernel's own tree (tests/data/prealloc_sweep.csv, column vacant_height).
 *
 * A sweep makes a new tree for each n and stores ascending ranges into it. What each
 * store asks for goes into a histogram, and that must be the recorded one.
 */
#include "mtree_fixture.h"

#include <stdio.h>

enum { MOST = 64, OPS_A_CALLBACK_PASS = 8 };

struct sweep {
	unsigned flags;
	unsigned long n_from, n_to, first, gap;
};

static const struct sweep sweeps[] = {
	{GAPS, 10, 1000, 0, 5},	     {GAPS, 1000, 2000, 0, 0},
	{GAPS, 100010, 100020, 0, 5}, {GAPS, 200, 1000, 1, 5},
	{GAPS, 100010, 100020, 1, 5}, {PLAIN, 1500, 3000, 1, 5},
	{PLAIN, 200, 1000, 0, 5},     {PLAIN, 100015, 100020, 0, 5},
};

/* One store, its request counted. */
static void sweep_store(struct tree_bench *b, unsigned long first, unsigned long last, u64 *counts)
{
	MA_STATE(mas, &b->tree, first, last);
	MA_WR_STATE(wr, &mas, entry_of(first));

	mas_wr_prealloc_setup(&wr);
	mas_wr_store_type(&wr);
	mas_prealloc_calc(&wr);
	cr_assert_lt(mas.node_request, MOST);
	counts[mas.node_request]++;
	mas_reset(&mas);
	cr_assert_eq(mas_store_gfp(&mas, entry_of(first), GFP_KERNEL), 0);
}

static void sweep_tree(struct tree_bench *b, const struct sweep *s, unsigned long n, u64 *counts)
{
	mt_init_flags(&b->tree, s->flags);
	mtree_lock(&b->tree);
	for (unsigned long i = s->first; i <= n; i++) {
		sweep_store(b, i * 10, (i + 1) * 10 - s->gap, counts);
		if (i % OPS_A_CALLBACK_PASS == 0)
			op_end(1);
	}
	mtree_unlock(&b->tree);
	mtree_destroy(&b->tree);
	op_end(1);
}

/* The recorded histogram, third column. */
static void read_expected(u64 *counts)
{
	FILE *file = fopen(VMASIM_TEST_DATA "/prealloc_sweep.csv", "r");
	unsigned nodes, rows = 0;
	unsigned long worst, vacant;
	char line[512];

	cr_assert_not_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%u,%lu,%lu", &nodes, &worst, &vacant) != 3)
			continue;
		cr_assert_lt(nodes, MOST);
		counts[nodes] = vacant;
		rows++;
	}
	fclose(file);
	cr_assert_gt(rows, 5);
}

Test(prealloc_sweep, requests_equal_the_kernels_counts, .timeout = 280)
{
	u64 counts[MOST] = {0}, expected[MOST] = {0};
	struct tree_bench b;

	read_expected(expected);
	boot_tree(&b, "6.18", PLAIN, 1ul << 30);
	for (unsigned i = 0; i < ARRAY_SIZE(sweeps); i++)
		for (unsigned long n = sweeps[i].n_from; n < sweeps[i].n_to; n++)
			sweep_tree(&b, &sweeps[i], n, counts);
	for (unsigned i = 0; i < MOST; i++)
		cr_expect_eq(counts[i], expected[i], "%u nodes: %llu stores, the kernel has %llu",
			     i, (unsigned long long)counts[i], (unsigned long long)expected[i]);
	end_tree(&b);
}
