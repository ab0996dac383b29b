/* SPDX-License-Identifier: MIT */
/*
 * bench.c - statistics and limits that the micro-benchmarks share.
 */
#include "workloads/bench.h"

#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

unsigned bench_passes(const struct bench_request *request)
{
	unsigned passes = request->passes ? request->passes : BENCH_PASSES_DEFAULT;

	return min(passes, (unsigned)BENCH_PASSES_MAX);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(double *values, unsigned nr)
{
	qsort(values, nr, sizeof(*values), compare_doubles);
	return nr & 1 ? values[nr / 2] : (values[nr / 2 - 1] + values[nr / 2]) / 2;
}

bool bench_interrupted(const struct bench_request *request)
{
	return request->interrupt && *request->interrupt;
}

bool bench_is_native(void)
{
	return strcmp(engine_name(), "native") == 0;
}
