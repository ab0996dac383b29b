/* SPDX-License-Identifier: MIT */
/*
 * core.c - the entry table, the only symbol that leaves a core.
 *
 * Its name differs by engine, so that one program can hold both.
 */
#include "workloads/core.h"

#include "engine/engine.h"
#include "workloads/bench.h"
#include "workloads/replay.h"
#include "workloads/run.h"
#include "workloads/workload.h"

/* The symbol is vmasim_core_ENGINE; the engine's name is its tail. */
#define ENTRY_TABLE_OF(symbol)                                                                     \
	const struct vmasim_core symbol = {                                                        \
		.engine = #symbol + sizeof("vmasim_core_") - 1,                                    \
		.run = workload_run,                                                               \
		.run_free = workload_run_free,                                                     \
		.replay = workload_replay,                                                         \
		.bench_slab = bench_slab,                                                          \
		.bench_sim = bench_sim,                                                            \
		.workload_at = workload_view_at,                                                   \
		.describe_host = machine_describe_host,                                            \
	}
#define ENTRY_TABLE(symbol) ENTRY_TABLE_OF(symbol)

ENTRY_TABLE(VMASIM_CORE_SYMBOL);
