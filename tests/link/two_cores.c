/* SPDX-License-Identifier: MIT */
/*
 * two_cores.c - both cores in one program are two cores.
 *
 * Two static archives would link without a word and run one core for both; this
 * fails when the tables name one engine or share one function.
 */
#include "workloads/core.h"

#include <string.h>

static int failures;

static void check(bool ok, const char *claim)
{
	printf("%s - %s\n", ok ? "ok" : "not ok", claim);
	failures += !ok;
}

int main(void)
{
	const struct vmasim_core *native = &vmasim_core_native;
	const struct vmasim_core *virtual = &vmasim_core_virtual;

	check(!strcmp(native->engine, "native"), "the native table names its engine");
	check(!strcmp(virtual->engine, "virtual"), "the virtual table names its engine");
	check(native->run != virtual->run, "each core has its own run()");
	check(native->replay != virtual->replay, "each core has its own replay()");
	check(native->bench_slab != virtual->bench_slab, "each core has its own bench_slab()");
	return failures != 0;
}
