/* SPDX-License-Identifier: MIT */
/*
 * test_machine_desc.c - the machines described by hand.
 */
#include "base/machine_desc.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* CPUs that a synthetic topology string spells out: the product of its counts. */
static unsigned cpus_of(const char *topology)
{
	unsigned cpus = 1;

	for (const char *c = topology; (c = strchr(c, ':')); c++)
		cpus *= (unsigned)atoi(c + 1);
	return cpus;
}

Test(machine_desc, counts_agree_with_the_topology)
{
	const struct machine_desc *machine;
	unsigned nr = 0;

	for (; (machine = machine_builtin_at(nr)); nr++) {
		cr_assert_eq(cpus_of(machine->topology), machine->nr_cpus, "%s", machine->name);
		cr_assert_eq(machine->nr_cpus % machine->nr_cores, 0, "%s", machine->name);
		cr_assert_eq(machine->nr_cores % machine->nr_nodes, 0, "%s", machine->name);
		cr_assert(machine->nr_nodes <= MACHINE_MAX_NODES);
		cr_assert(machine->hz > 0 && machine->access_ps > 0);
		cr_assert(!machine->is_host);
		cr_assert(strstr(machine->provenance, "assumed"), "%s", machine->name);
	}
	cr_assert_eq(nr, 6);
}

Test(machine_desc, known_machines_have_their_cpus_and_nodes)
{
	static const struct {
		const char *name;
		unsigned cpus, nodes;
	} known[] = {{"turin", 512, 2}, {"turin-1s64", 128, 1}, {"bergamo", 256, 1},
		     {"granite-rapids", 480, 2}, {"arm80", 80, 1}, {"android8", 8, 1}};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		const struct machine_desc *machine = machine_builtin(known[i].name, NULL);

		cr_assert_not_null(machine, "%s", known[i].name);
		cr_assert_eq(machine->nr_cpus, known[i].cpus);
		cr_assert_eq(machine->nr_nodes, known[i].nodes);
	}
}

Test(machine_desc, an_unknown_machine_is_named_with_those_there_are)
{
	struct message msg;

	cr_assert_null(machine_builtin("turing", &msg));
	cr_assert_str_eq(msg.text, "machine 'turing' is unknown; allowed: host, turin, turin-1s64, "
				   "bergamo, granite-rapids, arm80, android8");
}
