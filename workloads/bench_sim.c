/* SPDX-License-Identifier: MIT */
/*
 * bench_sim.c - a simulated mmap and munmap pair beside the running kernel's own.
 *
 * Natively the yardstick is this system's kernel doing the same pair: 128 MiB of
 * private anonymous memory, never touched, entry into the kernel included. On the
 * virtual engine there is no such yardstick; the row then is the model's time.
 */
#include "workloads/bench.h"

#include "sim/mm.h"
#include "workloads/layout.h"
#include "workloads/session.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define MAP_BYTES (128ul << 20)

enum { NATIVE_PAIRS = 20000, VIRTUAL_PAIRS = 500 };

struct sim_bench {
	const struct bench_request *request;
	struct session session;
	struct layout *layout;
	struct mm_struct *mm;
	double sim_ns[BENCH_PASSES_MAX], kernel_ns[BENCH_PASSES_MAX];
};

static int sim_pair(struct mm_struct *mm)
{
	long address;
	long error;

	op_begin();
	address = sys_mmap(mm, 0, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   NULL, 0);
	if (address < 0)
		return (int)address;
	error = sys_munmap(mm, (u64)address, MAP_BYTES);
	op_end(1);
	return (int)error;
}

static int kernel_pair(void)
{
	void *address =
		mmap(NULL, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (address == MAP_FAILED || munmap(address, MAP_BYTES))
		return -errno;
	return 0;
}

static int measure(struct sim_bench *b, unsigned pass)
{
	bool native = bench_is_native();
	unsigned pairs = native ? NATIVE_PAIRS : VIRTUAL_PAIRS;
	u64 start = now_ns();
	int error = 0;

	for (unsigned i = 0; i < pairs && !error; i++)
		error = sim_pair(b->mm);
	b->sim_ns[pass] = (double)(now_ns() - start) / pairs;
	start = now_ns();
	for (unsigned i = 0; i < pairs && native && !error; i++)
		error = kernel_pair();
	b->kernel_ns[pass] = (double)(now_ns() - start) / pairs;
	return error;
}

static int run_passes(struct sim_bench *b, struct message *msg)
{
	unsigned passes = bench_passes(b->request);
	int error = measure(b, 0); /* warm caches; overwritten below */

	for (unsigned pass = 0; pass < passes && !error; pass++)
		error = bench_interrupted(b->request) ? -EINTR : measure(b, pass);
	if (error)
		message_set(msg, error, "bench sim: %s", strerror(-error));
	return error;
}

static void set_row(struct bench_row *row, const char *name, double ns, double ratio)
{
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->ns = ns;
	row->ratio = ratio;
}

static int fill_rows(struct sim_bench *b, struct bench_row *rows, int max)
{
	unsigned passes = bench_passes(b->request);
	double sim = bench_median(b->sim_ns, passes);
	double kernel = bench_median(b->kernel_ns, passes);

	if (max < 1)
		return 0;
	if (!bench_is_native() || max < 2) {
		set_row(&rows[0], "simulated mmap+munmap pair", sim, 0);
		return 1;
	}
	set_row(&rows[0], "this kernel's mmap+munmap pair", kernel, 0);
	set_row(&rows[1], "simulated mmap+munmap pair", sim, kernel > 0 ? sim / kernel : 0);
	return 2;
}

static int build_process(struct sim_bench *b, struct message *msg)
{
	struct sim_config config;

	sim_config_default(&config);
	layout_configure(b->layout, &config);
	b->mm = mm_alloc(&config);
	if (!b->mm)
		return message_set(msg, -ENOMEM, "bench sim: no memory for a process");
	return layout_populate(b->layout, b->mm, msg);
}

static int run_in_session(struct sim_bench *b, struct bench_row *rows, int max, struct message *msg)
{
	struct machine_config config = session_config(b->request->machine, b->request->policy, 1);
	struct session_leaks leaks;
	int error = session_open(&b->session, &config, b->request->policy, msg);

	if (error)
		return error;
	error = build_process(b, msg);
	if (!error)
		error = run_passes(b, msg);
	if (!error)
		error = fill_rows(b, rows, max);
	if (b->mm)
		mmput(b->mm);
	session_close(&b->session, &leaks);
	vm_assert(leaks.objects == 0 && leaks.pages == 0);
	return error;
}

int bench_sim(const struct bench_request *request, struct bench_row *rows, int max,
	      struct message *msg)
{
	struct sim_bench b = {.request = request};
	int error = layout_read(NULL, &b.layout, msg);

	if (error)
		return error;
	error = run_in_session(&b, rows, max, msg);
	layout_free(b.layout);
	return error;
}
