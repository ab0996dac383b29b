/* SPDX-License-Identifier: MIT */
/*
 * verdict.h - better, worse, same or inconclusive, by one rule.
 */
#ifndef VMASIM_LAB_VERDICT_H
#define VMASIM_LAB_VERDICT_H

#include "lab/lab.h"

/**
 * verdict_judge() - compare two samples of rates (more is better).
 * @threshold: smallest relative change of the median that counts.
 *
 * With fewer than LAB_VERDICT_RUNS a side: inconclusive. Else better or worse
 * when p < 0.05 and the median changed by @threshold or more; same when the 95 %
 * interval of the median ratio lies within 1 +- @threshold; else inconclusive,
 * with an estimate of the runs that would decide.
 */
void verdict_judge(const double *base, unsigned nr_base, const double *test, unsigned nr_test,
		   double threshold, struct lab_judgement *out);

#endif
