/* SPDX-License-Identifier: MIT */
/*
 * progress.h - what the lab reports while it works. All take NULL: no progress.
 */
#ifndef VMASIM_LAB_PROGRESS_H
#define VMASIM_LAB_PROGRESS_H

#include "lab/lab.h"

/** progress_begin_run() - name what is being run. */
void progress_begin_run(struct lab_progress *progress, const struct lab_point *point, unsigned run);

/** progress_update() - @done of the current run, 0..1; the core's callback. */
void progress_update(void *progress, double done);

void progress_end_run(struct lab_progress *progress);

#endif
