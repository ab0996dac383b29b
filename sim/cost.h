/* SPDX-License-Identifier: MIT */
/*
 * cost.h - declared costs of what the simulator does not execute, nanoseconds.
 *
 * Used by the virtual engine only; natively they cost nothing. All are assumed,
 * of the size usual for a 4 GHz x86-64, until a calibration replaces them.
 */
#ifndef VMASIM_SIM_COST_H
#define VMASIM_SIM_COST_H

enum sim_cost_ns {
	COST_SYSCALL = 60,	/* entry, exit, argument checks */
	COST_UNMAP_GATHER = 80, /* an empty gather of page tables and its flush */
	COST_FAULT = 250,	/* exception entry and exit, page-table walk */
	COST_ZERO_PAGE = 90,	/* clearing 4 KiB */
	COST_COPY_PTES = 30,	/* fork: a VMA's page-table range, empty */
};

#endif
