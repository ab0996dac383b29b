/* SPDX-License-Identifier: MIT */
/*
 * run.h - one point: a workload, a machine, a kernel, so many tasks (core.h).
 */
#ifndef VMASIM_WORKLOADS_RUN_H
#define VMASIM_WORKLOADS_RUN_H

#include "workloads/core.h"

int workload_run(const struct run_request *request, struct run_result *result, struct message *msg);
void workload_run_free(struct run_result *result);

#endif
