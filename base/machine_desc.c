/* SPDX-License-Identifier: MIT */
/*
 * machine_desc.c - the machines described by hand.
 *
 * CPU and node counts are the vendors'; everything a vendor does not print is
 * assumed and says so. No figure here was measured by this project.
 */
#include "base/machine_desc.h"

#include "base/parse.h"

#include <string.h>

#define ASSUMED_COSTS "tick rate and cost of an access: assumed"

static const struct machine_desc machines[] = {
	{
		.name = "turin",
		.topology = "pack:2 [numa] l3:16 core:8 pu:2",
		.nr_cpus = 512, .nr_cores = 256, .nr_nodes = 2, .hz = 1000, .access_ps = 500,
		.provenance = "CPU and node counts: published (2 sockets x 128 cores x SMT2); 8 "
			      "cores an L3: assumed; " ASSUMED_COSTS,
	},
	{
		.name = "turin-1s64",
		.topology = "pack:1 [numa] l3:8 core:8 pu:2",
		.nr_cpus = 128, .nr_cores = 64, .nr_nodes = 1, .hz = 1000, .access_ps = 500,
		.provenance = "CPU count: published (1 socket x 64 cores x SMT2); 8 cores an L3: "
			      "assumed; " ASSUMED_COSTS,
	},
	{
		.name = "bergamo",
		.topology = "pack:1 [numa] l3:16 core:8 pu:2",
		.nr_cpus = 256, .nr_cores = 128, .nr_nodes = 1, .hz = 1000, .access_ps = 500,
		.provenance = "CPU count: published (1 socket x 128 cores x SMT2); 8 cores an L3: "
			      "assumed; " ASSUMED_COSTS,
	},
	{
		.name = "granite-rapids",
		.topology = "pack:2 [numa] l3:1 core:120 pu:2",
		.nr_cpus = 480, .nr_cores = 240, .nr_nodes = 2, .hz = 1000, .access_ps = 500,
		.provenance = "CPU count: published (480); 2 sockets x 120 cores x SMT2, one L3 "
			      "and one node a socket: assumed; " ASSUMED_COSTS,
	},
	{
		.name = "arm80",
		.topology = "pack:1 [numa] l3:1 core:80 pu:1",
		.nr_cpus = 80, .nr_cores = 80, .nr_nodes = 1, .hz = 250, .access_ps = 500,
		.provenance = "CPU count: published (80); 1 socket without SMT, one L3: assumed; "
			      ASSUMED_COSTS,
	},
	{
		.name = "android8",
		.topology = "pack:1 [numa] l3:1 core:8 pu:1",
		.nr_cpus = 8, .nr_cores = 8, .nr_nodes = 1, .hz = 250, .access_ps = 500,
		.provenance = "8 equal CPUs under one L3: assumed; " ASSUMED_COSTS,
	},
};

const struct machine_desc *machine_builtin_at(unsigned index)
{
	return index < ARRAY_SIZE(machines) ? &machines[index] : NULL;
}

const struct machine_desc *machine_builtin(const char *name, struct message *msg)
{
	const char *names[ARRAY_SIZE(machines) + 1] = {"host"};
	char allowed[256];

	for (unsigned i = 0; i < ARRAY_SIZE(machines); i++) {
		if (!strcmp(machines[i].name, name))
			return &machines[i];
		names[i + 1] = machines[i].name;
	}
	parse_join(allowed, sizeof(allowed), names, ARRAY_SIZE(names));
	message_set(msg, -EINVAL, "machine '%s' is unknown; allowed: %s", name, allowed);
	return NULL;
}
