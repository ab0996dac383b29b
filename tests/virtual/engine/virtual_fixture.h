/* SPDX-License-Identifier: MIT */
/*
 * virtual_fixture.h - a machine with one virtual CPU, access 1000 ps, 1000 ticks a second.
 */
#ifndef VMASIM_TESTS_VIRTUAL_FIXTURE_H
#define VMASIM_TESTS_VIRTUAL_FIXTURE_H

#include "engine/machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { ACCESS_PS = 1000, TICK_NS = 1000000 };

static inline struct machine *new_virtual(enum gp_policy gp)
{
	struct message msg = {""};
	struct machine_desc desc = *machine_builtin("turin", &msg);
	struct machine_config config = {.desc = &desc,
					.nr_workers = 1,
					.gp = gp,
					.seed = 1,
					.arena_bytes = 32ul << 20};
	struct machine *machine;

	desc.access_ps = ACCESS_PS;
	desc.hz = 1000;
	cr_assert_eq(machine_create(&config, &machine, &msg), 0, "%s", msg.text);
	return machine;
}

static inline struct machine *enter_virtual(enum gp_policy gp)
{
	struct machine *machine = new_virtual(gp);

	machine_enter(machine);
	return machine;
}

static inline void end_virtual(struct machine *machine)
{
	cr_assert_eq(rcu_pending(), 0);
	cr_assert_eq(pages_in_use(), 0);
	machine_leave(machine);
	machine_destroy(machine);
}

/* A page of the arena to play with. */
static inline char *some_page(void)
{
	static const struct object_type type = {.name = "test", .size = PAGE_SIZE};
	struct page *page = page_alloc(0, 0, &type);

	cr_assert_not_null(page);
	return page_address(page);
}

static inline void drop_page(char *address)
{
	page_free(virt_to_page(address), 0);
}

/* Charged accesses of a statement. */
#define CHARGES(statement)                                                                         \
	({                                                                                         \
		u64 charges_before = engine_charges();                                             \
		statement;                                                                         \
		engine_charges() - charges_before;                                                 \
	})

#endif
