/* SPDX-License-Identifier: MIT */
/*
 * bench.h - the micro-benchmarks of a core (core.h) and what they share.
 *
 * Figures are medians over passes; what is compared is measured in turn within
 * each pass, so that a slow spell of the host hits all of it. Natively the clock
 * is the host's; virtually it is the model's, and one pass is as good as many.
 */
#ifndef VMASIM_WORKLOADS_BENCH_H
#define VMASIM_WORKLOADS_BENCH_H

#include "workloads/core.h"

int bench_slab(const struct bench_request *request, struct bench_row *rows, int max,
	       struct message *msg);
int bench_sim(const struct bench_request *request, struct bench_row *rows, int max,
	      struct message *msg);

enum { BENCH_PASSES_MAX = 101, BENCH_PASSES_DEFAULT = 11 };

/** bench_passes() - the passes asked for, or the default for 0; at most BENCH_PASSES_MAX. */
unsigned bench_passes(const struct bench_request *request);

/** bench_median() - of @nr values; sorts them. */
double bench_median(double *values, unsigned nr);

/** bench_interrupted() - the user wants to stop. */
bool bench_interrupted(const struct bench_request *request);

/** bench_is_native() - does the clock show host time? */
bool bench_is_native(void);

#endif
