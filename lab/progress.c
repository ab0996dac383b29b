/* SPDX-License-Identifier: MIT */
/*
 * progress.c - one line: runs done, what runs now, time left.
 *
 * Time left assumes that runs to come take as long as runs done. The line is
 * rewritten at most ten times a second.
 */
#include "lab/progress.h"

#include "lab/host.h"

#define SHOW_EVERY_NS 100000000

void lab_progress_start(struct lab_progress *progress, FILE *out, u64 total_runs)
{
	*progress = (struct lab_progress){.out = out, .total_runs = total_runs};
	progress->start_ns = host_now_ns();
}

void lab_progress_clear(struct lab_progress *progress)
{
	if (!progress || !progress->shown_ns)
		return;
	fputs("\r\033[K", progress->out);
	fflush(progress->out);
	progress->shown_ns = 0;
}

static void show(struct lab_progress *progress, double done)
{
	double so_far = (double)progress->done_runs + done;
	u64 now = host_now_ns(), elapsed = now - progress->start_ns, left_s;

	if (progress->shown_ns && now - progress->shown_ns < SHOW_EVERY_NS)
		return;
	progress->shown_ns = now;
	fprintf(progress->out, "\r[%llu/%llu] %s %3.0f %%",
		(unsigned long long)progress->done_runs + 1,
		(unsigned long long)progress->total_runs, progress->label, done * 100);
	if (so_far > 0.1) {
		left_s = (u64)((double)elapsed * ((double)progress->total_runs / so_far - 1) / 1e9);
		fprintf(progress->out, ", time left %llu:%02llu", (unsigned long long)left_s / 60,
			(unsigned long long)left_s % 60);
	}
	fputs("\033[K", progress->out);
	fflush(progress->out);
}

void progress_begin_run(struct lab_progress *progress, const struct lab_point *point, unsigned run)
{
	if (!progress)
		return;
	snprintf(progress->label, sizeof(progress->label), "%s %.40s %s tasks=%u run %u",
		 point->workload, point->policy->spec, lab_mode_names[point->mode],
		 point->nr_tasks, run + 1);
	show(progress, 0);
}

void progress_update(void *progress, double done)
{
	if (progress)
		show(progress, done);
}

void progress_end_run(struct lab_progress *progress)
{
	if (progress)
		progress->done_runs++;
}
