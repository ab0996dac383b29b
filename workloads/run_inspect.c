/* SPDX-License-Identifier: MIT */
/*
 * run_inspect.c - what a finished run looked like: counters, samples, caches.
 *
 * Only reads; the virtual core compiles it without access hooks, so looking
 * neither charges nor yields.
 */
#include "workloads/run_inspect.h"

#include "alloc/slab.h"
#include "engine/engine.h"
#include "sim/mm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void run_note_start(struct run_result *result, struct mm_struct *mm)
{
	struct mm_counters counters;

	mm_read_counters(mm, &counters);
	result->tree_height = counters.tree_height;
	result->tree_nodes = counters.tree_nodes;
	result->map_count = counters.map_count;
}

static void keep_slab(struct run_slab *slab, struct kmem_cache *cache)
{
	struct slab_info info;

	kmem_cache_info(cache, &info);
	*slab = (struct run_slab){
		.object_size = info.object_size,
		.objects_per_slab = info.objects_per_slab,
		.order = info.order,
		.sheaf_capacity = info.sheaf_capacity,
		.cpu_partial_slabs = info.cpu_partial_slabs,
		.slabs = info.slabs,
		.objects_total = info.objects_total,
		.live = info.live,
	};
	snprintf(slab->name, sizeof(slab->name), "%s", info.name);
	memcpy(slab->stats, info.stats, sizeof(slab->stats));
}

static int keep_slabs(struct run_result *result)
{
	result->nr_slabs = slab_nr_caches();
	result->slabs = calloc(result->nr_slabs, sizeof(*result->slabs));
	if (!result->slabs)
		return -ENOMEM;
	for (unsigned i = 0; i < result->nr_slabs; i++)
		keep_slab(&result->slabs[i], slab_cache_at(i));
	return 0;
}

static int keep_samples(struct run_result *result, const struct task_run *tasks)
{
	size_t nr = tasks->nr_samples ? tasks->nr_samples : 1;

	result->sample_clock_ns = calloc(nr, sizeof(u64));
	result->sample_operations = calloc(nr, sizeof(u64));
	result->sample_rss = calloc(nr, sizeof(u64));
	if (!result->sample_clock_ns || !result->sample_operations || !result->sample_rss)
		return -ENOMEM;
	result->nr_samples = tasks->nr_samples;
	for (unsigned i = 0; i < tasks->nr_samples; i++) {
		result->sample_clock_ns[i] = tasks->samples[i].clock_ns;
		result->sample_operations[i] = tasks->samples[i].operations;
		result->sample_rss[i] = tasks->samples[i].rss_bytes;
	}
	return 0;
}

int run_keep_result(struct run_result *result, const struct task_run *tasks, struct message *msg)
{
	result->measured_ns = tasks->measured_ns;
	for (unsigned i = 0; i < tasks->nr_tasks; i++)
		result->operations += tasks->operations[i];
	memcpy(result->events, tasks->events, sizeof(result->events));
	result->interrupted = tasks->interrupted;
	result->oversubscribed = tasks->oversubscribed;
	result->gp_thread_share = tasks->gp_thread_share;
	if (keep_samples(result, tasks) || keep_slabs(result))
		return message_set(msg, -ENOMEM, "no memory for the result of the run");
	return 0;
}
