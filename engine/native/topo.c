/* SPDX-License-Identifier: MIT */
/*
 * topo.c - pinning tasks as will-it-scale does, and placing memory.
 *
 * cores: task i on core i % cores, bound to the whole core, so that a second pass
 * fills the siblings; smt: task i on hardware thread i % threads, in hwloc's
 * logical order, so that a core's siblings come first; none: not bound.
 *
 * hwloc binds on a foreign topology without binding and without an error: the
 * topology must be this system's.
 */
#include "engine/native/private.h"

#include <numa.h>

int topo_load(struct machine *machine, struct message *msg)
{
	hwloc_topology_t topology;

	if (machine->private->topology)
		return 0;
	if (hwloc_topology_init(&topology))
		return message_set(msg, -ENOMEM, "hwloc has no memory for a topology");
	if (hwloc_topology_load(topology) || !hwloc_topology_is_thissystem(topology)) {
		hwloc_topology_destroy(topology);
		return message_set(msg, -EINVAL, "hwloc's topology is not this system");
	}
	machine->private->topology = topology;
	return 0;
}

void topo_unload(struct machine *machine)
{
	if (machine->private->topology)
		hwloc_topology_destroy(machine->private->topology);
}

/* The core or hardware thread of task @task; NULL where hwloc knows none. */
static hwloc_obj_t place_of(struct machine *machine, unsigned task)
{
	hwloc_obj_type_t type = machine->config.placement == PLACE_SMT ? HWLOC_OBJ_PU :
									 HWLOC_OBJ_CORE;
	hwloc_topology_t topology = machine->private->topology;
	int units = hwloc_get_nbobjs_by_type(topology, type);

	if (units <= 0)
		return NULL;
	return hwloc_get_obj_by_type(topology, type, task % (unsigned)units);
}

int topo_bind(struct machine *machine, unsigned task, struct message *msg)
{
	hwloc_obj_t place;

	if (machine->config.placement == PLACE_NONE)
		return 0;
	place = place_of(machine, task);
	if (!place || hwloc_set_cpubind(machine->private->topology, place->cpuset,
					HWLOC_CPUBIND_THREAD))
		return message_set(msg, -EINVAL, "can't bind task %u to a core of this system",
				   task);
	return 0;
}

unsigned topo_usable(struct machine *machine)
{
	return machine->desc.nr_cpus;
}

/* hwloc's word for it where the described nodes are this system's. */
unsigned engine_cpu_node(struct machine *machine, unsigned cpu)
{
	unsigned described = machine_described_node(machine, cpu);
	hwloc_topology_t topology;
	hwloc_obj_t place, node;

	if (machine->desc.nr_nodes == 1 || machine->config.placement == PLACE_NONE ||
	    topo_load(machine, NULL))
		return described;
	topology = machine->private->topology;
	if (hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE) != (int)machine->desc.nr_nodes)
		return described;
	place = place_of(machine, cpu);
	if (!place)
		return described;
	node = hwloc_get_numanode_obj_by_os_index(
		topology, (unsigned)hwloc_bitmap_first(place->nodeset));
	return node ? node->logical_index : described;
}

/*
 * A node that this system lacks stays where the kernel puts it: libnuma would not
 * say so. Logical and operating-system numbers of nodes are taken to be equal.
 */
void engine_place_node(void *start, size_t bytes, unsigned node)
{
	if (numa_available() < 0 || numa_max_node() == 0 || (int)node > numa_max_node())
		return;
	numa_tonode_memory(start, bytes, (int)node);
}
