/* SPDX-License-Identifier: MIT */
/*
 * bench_slab.c - alloc and free of 256-byte objects by one CPU, in batches.
 *
 * Three subjects run the same loops, interleaved pass by pass:
 *
 *	array stack	pointers on an array, no check at all: what no allocator beats
 *	cpu slabs	the given policy without sheaves
 *	sheaves		the given policy with sheaves over cpu slabs
 *
 * A batch allocates n objects, then frees them in the order of allocation or in a
 * fixed shuffled order. The two kernels live on a machine each; the caller enters
 * one at a time and is its CPU 0. Objects are maple nodes; they are not written.
 */
#include "workloads/bench.h"

#include "alloc/slab.h"
#include "base/rng.h"
#include "workloads/session.h"

#include <stdio.h>
#include <stdlib.h>

enum { BATCH_MAX = 1000, OBJECT_BYTES = 256 };
enum { NATIVE_PAIRS = 200000, VIRTUAL_PAIRS = 20000 }; /* a pass: some milliseconds */

enum subject { ARRAY_STACK, CPU_SLABS, SHEAVES, NR_SUBJECTS };
static const char *const subject_names[] = {"array stack", "cpu slabs", "sheaves"};

static const struct pattern {
	unsigned batch;
	bool shuffled;
} patterns[] = {
	{1, false}, {10, false}, {100, false}, {1000, false}, {10, true}, {100, true}, {1000, true},
};

/* The yardstick: lives in the arena, so that the virtual engine charges it too. */
struct array_stack {
	unsigned long nr;
	void *slot[BATCH_MAX];
};

struct slab_bench {
	const struct bench_request *request;
	struct session session[NR_SUBJECTS]; /* the yardstick shares that of the sheaves */
	struct array_stack *stack;
	unsigned order[BATCH_MAX]; /* in which a batch is freed */
	void *objects[BATCH_MAX];
	double ns[ARRAY_SIZE(patterns)][NR_SUBJECTS][BENCH_PASSES_MAX];
};

/* ---- The loops ------------------------------------------------------------- */

#define ESCAPE(p) __asm__ volatile("" : "+r"(p) : : "memory") /* no pair is optimised away */

#define BATCH_LOOP(b, batch, rounds, ALLOC, FREE)                                                  \
	for (unsigned long round = 0; round < (rounds); round++) {                                 \
		for (unsigned i = 0; i < (batch); i++) {                                           \
			void *p = ALLOC;                                                           \
                                                                                                   \
			ESCAPE(p);                                                                 \
			(b)->objects[i] = p;                                                       \
		}                                                                                  \
		for (unsigned i = 0; i < (batch); i++) {                                           \
			void *p = (b)->objects[(b)->order[i]];                                     \
                                                                                                   \
			FREE;                                                                      \
		}                                                                                  \
	}

static noinline void loop_slab(struct slab_bench *b, unsigned batch, unsigned long rounds)
{
	struct kmem_cache *cache = kernel_cache(CACHE_MAPLE_NODE);

	BATCH_LOOP(b, batch, rounds, kmem_cache_alloc(cache, GFP_KERNEL),
		   kmem_cache_free(cache, p));
}

static noinline void loop_stack(struct slab_bench *b, unsigned batch, unsigned long rounds)
{
	struct array_stack *stack = b->stack;

	BATCH_LOOP(b, batch, rounds, stack->slot[--stack->nr], stack->slot[stack->nr++] = p);
}

/* ---- Set-up ---------------------------------------------------------------- */

static struct session *session_of(struct slab_bench *b, enum subject subject)
{
	return &b->session[subject == CPU_SLABS ? CPU_SLABS : SHEAVES];
}

static void set_order(struct slab_bench *b, const struct pattern *pattern)
{
	struct rng rng;

	for (unsigned i = 0; i < pattern->batch; i++)
		b->order[i] = i;
	if (!pattern->shuffled)
		return;
	rng_seed(&rng, 1, pattern->batch);
	for (unsigned i = pattern->batch - 1; i > 0; i--) {
		unsigned other = (unsigned)rng_below(&rng, i + 1);
		unsigned swapped = b->order[i];

		b->order[i] = b->order[other];
		b->order[other] = swapped;
	}
}

/* Order-1 pages hold the array; the objects of the stack are nodes of the same kernel. */
static int fill_stack(struct slab_bench *b)
{
	static const struct object_type type = {.name = "array_stack",
						.size = sizeof(struct array_stack)};
	struct page *page = page_alloc(0, 1, &type);

	if (!page)
		return -ENOMEM;
	b->stack = page_address(page);
	b->stack->nr = 0;
	while (b->stack->nr < BATCH_MAX) {
		void *object = kmem_cache_alloc(kernel_cache(CACHE_MAPLE_NODE), GFP_KERNEL);

		if (!object)
			return -ENOMEM;
		b->stack->slot[b->stack->nr++] = object;
	}
	return 0;
}

static void drop_stack(struct slab_bench *b)
{
	if (!b->stack)
		return;
	while (b->stack->nr > 0)
		kmem_cache_free(kernel_cache(CACHE_MAPLE_NODE), b->stack->slot[--b->stack->nr]);
	page_free(virt_to_page(b->stack), 1);
}

static int open_kernel(struct slab_bench *b, enum subject subject, struct message *msg)
{
	struct policy policy = *b->request->policy;
	struct machine_config config;
	int error;

	policy.sheaves = subject == CPU_SLABS ? SHEAVES_OFF : SHEAVES_OVER_CPU_SLABS;
	config = session_config(b->request->machine, &policy, 1);
	error = session_open(&b->session[subject], &config, &policy, msg);
	if (error)
		return error;
	if (subject == SHEAVES && fill_stack(b))
		error = message_set(msg, -ENOMEM, "bench slab: the arena is full");
	machine_leave(b->session[subject].machine);
	return error;
}

static void close_kernel(struct slab_bench *b, enum subject subject)
{
	struct session_leaks leaks;

	if (!b->session[subject].machine)
		return;
	machine_enter(b->session[subject].machine);
	if (subject == SHEAVES)
		drop_stack(b);
	session_close(&b->session[subject], &leaks);
	vm_assert(leaks.objects == 0 && leaks.pages == 0);
}

/* ---- Measuring ------------------------------------------------------------- */

static double measure(struct slab_bench *b, enum subject subject, unsigned batch,
		      unsigned long rounds)
{
	u64 start = now_ns();

	if (subject == ARRAY_STACK)
		loop_stack(b, batch, rounds);
	else
		loop_slab(b, batch, rounds);
	return (double)(now_ns() - start) / (double)(rounds * batch);
}

static double one_pass(struct slab_bench *b, enum subject subject, unsigned batch)
{
	unsigned long pairs = bench_is_native() ? NATIVE_PAIRS : VIRTUAL_PAIRS;
	unsigned long rounds = pairs / batch;
	struct machine *machine = session_of(b, subject)->machine;
	double ns;

	machine_enter(machine);
	measure(b, subject, batch, rounds / 10 + 1); /* warm caches */
	ns = measure(b, subject, batch, rounds);
	machine_leave(machine);
	return ns;
}

static int run_passes(struct slab_bench *b, struct message *msg)
{
	unsigned passes = bench_passes(b->request);

	for (unsigned pass = 0; pass < passes; pass++) {
		for (unsigned p = 0; p < ARRAY_SIZE(patterns); p++) {
			if (bench_interrupted(b->request))
				return message_set(msg, -EINTR, "bench slab: interrupted");
			set_order(b, &patterns[p]);
			for (unsigned s = 0; s < NR_SUBJECTS; s++)
				b->ns[p][s][pass] = one_pass(b, (enum subject)s, patterns[p].batch);
		}
	}
	return 0;
}

static int fill_rows(struct slab_bench *b, struct bench_row *rows, int max)
{
	unsigned passes = bench_passes(b->request);
	int nr = 0;

	for (unsigned p = 0; p < ARRAY_SIZE(patterns); p++) {
		double yardstick = bench_median(b->ns[p][ARRAY_STACK], passes);

		for (unsigned s = 0; s < NR_SUBJECTS && nr < max; s++, nr++) {
			struct bench_row *row = &rows[nr];

			snprintf(row->name, sizeof(row->name), "%s, batch %u %s", subject_names[s],
				 patterns[p].batch, patterns[p].shuffled ? "shuffled" : "fifo");
			row->ns = bench_median(b->ns[p][s], passes);
			row->ratio = s == ARRAY_STACK || yardstick <= 0 ? 0 : row->ns / yardstick;
		}
	}
	return nr;
}

int bench_slab(const struct bench_request *request, struct bench_row *rows, int max,
	       struct message *msg)
{
	struct slab_bench *b = calloc(1, sizeof(*b));
	int error;

	if (!b)
		return message_set(msg, -ENOMEM, "bench slab: no memory");
	b->request = request;
	error = open_kernel(b, CPU_SLABS, msg);
	if (!error)
		error = open_kernel(b, SHEAVES, msg);
	if (!error)
		error = run_passes(b, msg);
	if (!error)
		error = fill_rows(b, rows, max);
	close_kernel(b, CPU_SLABS);
	close_kernel(b, SHEAVES);
	free(b);
	return error;
}
