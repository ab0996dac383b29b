/* SPDX-License-Identifier: MIT */
/*
 * stats.h - statistics of small samples. No function keeps or allocates state.
 */
#ifndef VMASIM_LAB_STATS_H
#define VMASIM_LAB_STATS_H

#include "lab/lab.h"

#define STATS_MAX_EXACT 60 /* both samples together; above, the normal approximation */

/** stats_sort() - ascending, in place. */
void stats_sort(double *values, unsigned nr);

/** stats_median() - of @nr >= 1 sorted values; the mean of the middle two when even. */
double stats_median(const double *sorted, unsigned nr);

/** stats_summarise() - @nr may be 0: then all is 0. */
void stats_summarise(const double *values, unsigned nr, struct lab_stats *stats);

/**
 * stats_mann_whitney() - two-sided p of the rank sum test, ties by mid-ranks.
 * Up to STATS_MAX_EXACT values it is exact: the share of all assignments of the
 * pooled ranks whose rank sum lies at least as far from its mean. Above that it
 * is the normal approximation with tie and continuity correction.
 * Return: in (0, 1]; 1 when a sample is empty.
 */
double stats_mann_whitney(const double *a, unsigned nr_a, const double *b, unsigned nr_b);

/**
 * stats_ratio_interval() - 95 % interval of median(test) / median(base), by a
 * percentile bootstrap of fixed seed: the same samples give the same digits.
 */
void stats_ratio_interval(const double *base, unsigned nr_base, const double *test,
			  unsigned nr_test, double *low, double *high);

#endif
