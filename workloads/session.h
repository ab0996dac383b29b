/* SPDX-License-Identifier: MIT */
/*
 * session.h - a machine with a booted kernel in it, from creation to the count
 * of what was left behind.
 *
 *	session_open()   machine_create, enter, slab_boot, sim_boot
 *	  ... the caller is CPU 0 ...
 *	session_close()  sim_shutdown, slab_shutdown, page count, leave, destroy
 *
 * A caller that runs tasks leaves the machine in between and enters it again.
 */
#ifndef VMASIM_WORKLOADS_SESSION_H
#define VMASIM_WORKLOADS_SESSION_H

#include "engine/engine.h"

struct session {
	struct machine *machine;
	u64 pages_before; /* in use before the kernel booted */
};

struct session_leaks {
	u64 objects; /* slab objects, mms, files and charged pages still alive */
	u64 pages;
};

/** session_open() - 0 and the caller is CPU 0 of the machine; -errno with a message. */
int session_open(struct session *session, const struct machine_config *config,
		 const struct policy *policy, struct message *msg);

/** session_close() - tear down; entered before the call. @leaks: must come out as zero. */
void session_close(struct session *session, struct session_leaks *leaks);

/** session_config() - a machine for @nr_workers on @desc with the grace periods of @policy. */
struct machine_config session_config(const struct machine_desc *desc, const struct policy *policy,
				     unsigned nr_workers);

#endif
