/* SPDX-License-Identifier: MIT */
/*
 * session.c - boot a kernel on a machine, shut it down, count what is left.
 *
 * Called by one thread, which is CPU 0 from session_open() to session_close()
 * unless it leaves the machine to run tasks.
 */
#include "workloads/session.h"

#include "alloc/slab.h"
#include "sim/mm.h"

struct machine_config session_config(const struct machine_desc *desc, const struct policy *policy,
				     unsigned nr_workers)
{
	return (struct machine_config){
		.desc = desc,
		.nr_workers = nr_workers,
		.placement = PLACE_CORES,
		.gp = policy->gp,
		.seed = 1,
	};
}

int session_open(struct session *session, const struct machine_config *config,
		 const struct policy *policy, struct message *msg)
{
	int error = machine_create(config, &session->machine, msg);

	if (error)
		return error;
	machine_enter(session->machine);
	session->pages_before = pages_in_use();
	error = slab_boot(policy, msg);
	if (error)
		goto destroy;
	error = sim_boot(msg);
	if (!error)
		return 0;
	slab_shutdown();
destroy:
	machine_leave(session->machine);
	machine_destroy(session->machine);
	return error;
}

void session_close(struct session *session, struct session_leaks *leaks)
{
	leaks->objects = sim_shutdown();
	leaks->objects += slab_shutdown();
	leaks->pages = pages_in_use() - session->pages_before;
	machine_leave(session->machine);
	machine_destroy(session->machine);
}
