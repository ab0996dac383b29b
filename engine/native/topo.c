/* SPDX-License-Identifier: MIT */
/*
 * topo.c - pinning tasks as will-it-scale does, and placing memory.
 *
 * cores: task i on core i % cores, bound to the whole core, so that a second pass
 * fills the siblings; smt: task i on hardware thread i % threads, in hwloc's
 * logical order, so that a core's siblings come first; none: not bound.
 */
#include "engine/native/private.h"

#include <hwloc.h>
#include <numa.h>

static hwloc_obj_type_t unit_of(enum placement placement)
{
	return placement == PLACE_SMT ? HWLOC_OBJ_PU : HWLOC_OBJ_CORE;
}

static int load(hwloc_topology_t *topology, struct message *msg)
{
	if (hwloc_topology_init(topology))
		return message_set(msg, -ENOMEM, "hwloc has no memory for a topology");
	if (hwloc_topology_load(*topology) || !hwloc_topology_is_thissystem(*topology)) {
		hwloc_topology_destroy(*topology);
		return message_set(msg, -EINVAL, "hwloc's topology is not this system");
	}
	return 0;
}

int topo_bind(struct machine *machine, unsigned task, struct message *msg)
{
	enum placement placement = machine->config.placement;
	hwloc_topology_t topology;
	hwloc_obj_t unit;
	int units;
	int error;

	if (placement == PLACE_NONE)
		return 0;
	error = load(&topology, msg);
	if (error)
		return error;
	units = hwloc_get_nbobjs_by_type(topology, unit_of(placement));
	unit = units > 0 ? hwloc_get_obj_by_type(topology, unit_of(placement),
						 task % (unsigned)units) : NULL;
	if (!unit || hwloc_set_cpubind(topology, unit->cpuset, HWLOC_CPUBIND_THREAD))
		error = message_set(msg, -EINVAL, "can't bind task %u to a core of this system",
				    task);
	hwloc_topology_destroy(topology);
	return error;
}

unsigned topo_usable(struct machine *machine)
{
	return machine->desc.nr_cpus;
}

/* A node that this system lacks stays where the kernel puts it: libnuma would not say so. */
void engine_place_node(void *start, size_t bytes, unsigned node)
{
	if (numa_available() < 0 || numa_max_node() == 0 || (int)node > numa_max_node())
		return;
	numa_tonode_memory(start, bytes, (int)node);
}
