/* SPDX-License-Identifier: MIT */
/*
 * machine_desc.h - a machine as data: what the file says, no behaviour.
 *
 * `host` is made by the engine from hwloc; others are described by hand. Slab
 * geometry follows nr_cpus of this description, never the host's CPU count.
 */
#ifndef VMASIM_BASE_MACHINE_DESC_H
#define VMASIM_BASE_MACHINE_DESC_H

#include "base/message.h"
#include "base/types.h"

#define MACHINE_MAX_NODES 64

struct machine_desc {
	char name[32];
	char topology[128];  /* hwloc synthetic string; "" for the host itself */
	bool is_host;	     /* true only for a description made from this system */
	unsigned nr_cpus;    /* hardware threads */
	unsigned nr_cores;
	unsigned nr_nodes;   /* memory nodes */
	unsigned hz;	     /* timer ticks a second */
	unsigned access_ps;  /* virtual cost of one charged access, picoseconds */
	char provenance[256]; /* where the numbers come from */
};

/** machine_builtin_at() - the machines described by hand, NULL past the end. */
const struct machine_desc *machine_builtin_at(unsigned index);

/**
 * machine_builtin() - one of them by name; `host` is not among them.
 * Return: the description, or NULL with a message that lists the names.
 */
const struct machine_desc *machine_builtin(const char *name, struct message *msg);

#endif
