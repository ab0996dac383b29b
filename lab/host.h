/* SPDX-License-Identifier: MIT */
/*
 * host.h - what this computer is and does while the lab works on it.
 */
#ifndef VMASIM_LAB_HOST_H
#define VMASIM_LAB_HOST_H

#include "base/types.h"

/* Empty strings and negative numbers where the system does not say. */
struct host_info {
	char cpu_model[128], governor[32], kernel[192], architecture[72];
	int smt;	 /* 1 on, 0 off, -1 unknown */
	double load[3];	 /* averages of 1, 5, 15 minutes; -1 unknown */
	s64 memory_bytes; /* MemTotal; -1 unknown */
};

void host_read(struct host_info *info);

/** host_now_ns() - monotonic clock of the host, for progress only. */
u64 host_now_ns(void);

#endif
