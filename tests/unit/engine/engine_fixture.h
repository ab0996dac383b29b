/* SPDX-License-Identifier: MIT */
/*
 * engine_fixture.h - a machine on this system for one test.
 *
 * Unpinned, with as many nodes as the test wants: one that the system lacks is
 * only a region of the arena.
 */
#ifndef VMASIM_TESTS_ENGINE_FIXTURE_H
#define VMASIM_TESTS_ENGINE_FIXTURE_H

#include "engine/machine.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODE_BYTES (32ul << 20)

static inline struct machine *new_machine(unsigned nr_workers, unsigned nr_nodes,
					  enum gp_policy gp)
{
	struct machine_desc desc;
	struct message msg = {""};
	struct machine *machine;
	struct machine_config config = {.desc = &desc,
					.nr_workers = nr_workers,
					.placement = PLACE_NONE,
					.gp = gp,
					.arena_bytes = NODE_BYTES};

	cr_assert_eq(machine_describe_host(&desc, &msg), 0, "%s", msg.text);
	desc.nr_nodes = nr_nodes;
	cr_assert_eq(machine_create(&config, &machine, &msg), 0, "%s", msg.text);
	return machine;
}

static inline struct machine *enter_machine(unsigned nr_workers, unsigned nr_nodes,
					    enum gp_policy gp)
{
	struct machine *machine = new_machine(nr_workers, nr_nodes, gp);

	machine_enter(machine);
	return machine;
}

/* Nothing may be queued or allocated any more. */
static inline void end_machine(struct machine *machine)
{
	cr_assert_eq(rcu_pending(), 0);
	cr_assert_eq(pages_in_use(), 0);
	machine_leave(machine);
	machine_destroy(machine);
}

#endif
