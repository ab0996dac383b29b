/* SPDX-License-Identifier: MIT */
/*
 * private.h - what the native engine keeps of a machine.
 */
#ifndef VMASIM_ENGINE_NATIVE_PRIVATE_H
#define VMASIM_ENGINE_NATIVE_PRIVATE_H

#include "engine/machine.h"

#include <hwloc.h>
#include <pthread.h>

/*
 * Grace periods are numbered. gp_started is bumped before one is waited for,
 * gp_completed follows it. A callback assigned number gp_started + 1 is covered by
 * a grace period that began after it was queued.
 */
struct engine_private {
	u64 gp_started;
	u64 gp_completed;
	u32 gp_wanted;	/* futex word: a worker asked for one */
	u32 gp_running; /* the thread exists and shall go on */
	pthread_t gp_thread;
	u64 tick_ns; /* 1/HZ */
	hwloc_topology_t topology; /* NULL until topo_load() */
};

int gp_thread_start(struct engine_private *gp);
void gp_thread_stop(struct engine_private *gp);

/** gp_thread_cpu_ns() - CPU time the grace-period thread has used. */
u64 gp_thread_cpu_ns(struct machine *machine);

/** topo_load() - read this system's topology, once. Controlling thread. 0 or -errno. */
int topo_load(struct machine *machine, struct message *msg);
void topo_unload(struct machine *machine);

/** topo_bind() - pin the calling thread as task @task of @machine. After topo_load(). */
int topo_bind(struct machine *machine, unsigned task, struct message *msg);

/** topo_usable() - tasks that get a place of their own under the machine's placement. */
unsigned topo_usable(struct machine *machine);

#endif
