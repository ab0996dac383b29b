/* SPDX-License-Identifier: MIT */
/*
 * topology.c - this system as a machine description, from hwloc.
 */
#include "engine/engine.h"

#include <hwloc.h>
#include <stdio.h>
#include <string.h>

/* Virtual cost of one charged access: an L1 hit at about 4 GHz; assumed until calibrated. */
enum { HOST_ACCESS_PS = 1000, HOST_HZ = 1000 };

static unsigned count(hwloc_topology_t topology, hwloc_obj_type_t type)
{
	int n = hwloc_get_nbobjs_by_type(topology, type);

	return n > 0 ? (unsigned)n : 1;
}

int machine_describe_host(struct machine_desc *desc, struct message *msg)
{
	hwloc_topology_t topology;

	*desc = (struct machine_desc){.is_host = true, .hz = HOST_HZ, .access_ps = HOST_ACCESS_PS};
	if (hwloc_topology_init(&topology) || hwloc_topology_load(topology))
		return message_set(msg, -EINVAL, "hwloc can't read this system's topology");
	if (!hwloc_topology_is_thissystem(topology)) {
		hwloc_topology_destroy(topology);
		return message_set(msg, -EINVAL,
				   "the topology hwloc gives is not this system (environment: "
				   "HWLOC_SYNTHETIC, HWLOC_XMLFILE, HWLOC_FSROOT must be unset)");
	}
	snprintf(desc->name, sizeof(desc->name), "host");
	desc->nr_cpus = count(topology, HWLOC_OBJ_PU);
	desc->nr_cores = count(topology, HWLOC_OBJ_CORE);
	desc->nr_nodes = min(count(topology, HWLOC_OBJ_NUMANODE), (unsigned)MACHINE_MAX_NODES);
	snprintf(desc->provenance, sizeof(desc->provenance),
		 "topology: measured (hwloc); cost of an access and HZ: assumed");
	hwloc_topology_destroy(topology);
	return 0;
}
