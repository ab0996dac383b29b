/* SPDX-License-Identifier: MIT */
/* test_run.c - one point: results, tear-down, refused requests; and the micro-benchmarks. */
#include "base/policy.h"
#include "engine/engine.h"
#include "workloads/bench.h"
#include "workloads/core.h"
#include "workloads/run.h"
#include "workloads/workload.h"

#include <criterion/criterion.h>
#include <string.h>

struct point {
	struct machine_desc machine;
	struct policy policy;
	struct run_request request;
	struct message msg;
};

static void set_up(struct point *p, const char *kernel)
{
	memset(p, 0, sizeof(*p));
	cr_assert_eq(policy_parse(kernel, &p->policy, &p->msg), 0, "%s", p->msg.text);
	cr_assert_eq(machine_describe_host(&p->machine, &p->msg), 0, "%s", p->msg.text);
	p->request = (struct run_request){
		.workload = "mmap1",
		.policy = &p->policy,
		.machine = &p->machine,
		.nr_tasks = 1,
		.seed = 1,
		.window_ns = 20000000000ull,
		.max_operations = 2000,
	};
}

static void check_result(const struct point *p, const struct run_result *result)
{
	u64 sum = 0;

	for (unsigned i = 0; i < p->request.nr_tasks; i++)
		sum += result->operations_by_task[i];
	cr_assert_gt(result->operations, 0);
	cr_assert_eq(result->operations, sum);
	cr_assert_gt(result->measured_ns, 0);
	cr_assert_eq(result->leaked_objects, 0);
	cr_assert_eq(result->leaked_pages, 0);
	cr_assert_eq(result->map_count, 39);
	cr_assert_geq(result->tree_height, 2);
	cr_assert_geq(result->tree_nodes, 3);
}

/* The caches are read while the address spaces still live. */
static void check_slabs(const struct run_result *result)
{
	for (unsigned i = 0; i < result->nr_slabs; i++) {
		if (strcmp(result->slabs[i].name, "vm_area_struct") != 0)
			continue;
		cr_assert_geq(result->slabs[i].live, result->map_count);
		cr_assert_gt(result->slabs[i].slabs, 0);
		return;
	}
	cr_assert(false, "no cache vm_area_struct among %u", result->nr_slabs);
}

Test(run, leaves_nothing_behind_in_any_workload_mode_and_kernel)
{
	static const char *const kernels[] = {"6.17", "6.18", "6.18:gp=op-end"};
	const struct workload_view *view;

	for (unsigned k = 0; k < ARRAY_SIZE(kernels); k++) {
		for (unsigned w = 0; (view = workload_view_at(w)); w++) {
			for (unsigned mode = 0; mode < 4; mode++) {
				struct run_result result;
				struct point p;

				set_up(&p, kernels[k]);
				p.request.workload = view->name;
				p.request.mode = mode & 1 ? MODE_THREADS : MODE_PROCESSES;
				p.request.nr_tasks = mode & 2 ? 3 : 1;
				cr_assert_eq(workload_run(&p.request, &result, &p.msg), 0, "%s",
					     p.msg.text);
				check_result(&p, &result);
				check_slabs(&result);
				workload_run_free(&result);
			}
		}
	}
}

Test(run, in_processes_mode_a_task_has_an_address_space_of_its_own)
{
	struct run_result result;
	struct point p;
	u64 live = 0;

	set_up(&p, "6.18");
	p.request.nr_tasks = 2;
	cr_assert_eq(workload_run(&p.request, &result, &p.msg), 0, "%s", p.msg.text);
	for (unsigned i = 0; i < result.nr_slabs; i++)
		if (strcmp(result.slabs[i].name, "vm_area_struct") == 0)
			live = result.slabs[i].live;
	cr_assert_eq(live, 3 * 39); /* the parent and two children */
	workload_run_free(&result);
}

static void refused(struct point *p, const char *wanted)
{
	struct run_result result;

	cr_assert_eq(workload_run(&p->request, &result, &p->msg), -EINVAL, "%s", wanted);
	cr_assert(strstr(p->msg.text, wanted), "'%s' is not in: %s", wanted, p->msg.text);
}

Test(run, refuses_a_bad_request_and_says_what_is_allowed)
{
	struct point p;

	set_up(&p, "6.18");
	p.request.workload = "mmap3";
	refused(&p,
		"workload 'mmap3': there is none of that name; allowed: brk1, brk2, mmap1, mmap2");
	set_up(&p, "6.18");
	p.request.nr_tasks = 0;
	refused(&p, "tasks: 0");
	set_up(&p, "6.18");
	p.request.window_ns = p.request.max_operations = 0;
	refused(&p, "window: 0");
	set_up(&p, "6.18");
	p.request.layout_path = "/no/such.maps";
	refused(&p, "/no/such.maps");
	set_up(&p, "6.18");
	p.request.layout_path = VMASIM_TEST_DATA "/kernel/s01_two_merge.jsonl";
	refused(&p, "s01_two_merge.jsonl:1:");
}

static struct bench_request bench_of(struct point *p)
{
	set_up(p, "6.18");
	return (struct bench_request){.policy = &p->policy, .machine = &p->machine, .passes = 1};
}

Test(bench, slab_compares_both_allocators_with_the_array_stack)
{
	struct bench_row rows[32];
	struct point p;
	struct bench_request request = bench_of(&p);
	int nr = bench_slab(&request, rows, ARRAY_SIZE(rows), &p.msg);

	cr_assert_eq(nr, 21, "%s", p.msg.text);
	for (int i = 0; i < nr; i++) {
		cr_assert_gt(rows[i].ns, 0, "%s", rows[i].name);
		cr_assert((rows[i].ratio > 0) == (i % 3 != 0), "%s", rows[i].name);
	}
	cr_assert_eq(bench_slab(&request, rows, 4, &p.msg), 4);
}

Test(bench, sim_compares_with_the_running_kernel)
{
	struct bench_row rows[4];
	struct point p;
	struct bench_request request = bench_of(&p);

	cr_assert_eq(bench_sim(&request, rows, ARRAY_SIZE(rows), &p.msg), 2, "%s", p.msg.text);
	cr_assert_gt(rows[0].ns, 0);
	cr_assert_gt(rows[1].ratio, 0);
}

Test(bench, stops_when_interrupted)
{
	const volatile int interrupt = 1;
	struct bench_row rows[32];
	struct point p;
	struct bench_request request = bench_of(&p);

	request.interrupt = &interrupt;
	cr_assert_eq(bench_slab(&request, rows, ARRAY_SIZE(rows), &p.msg), -EINTR);
	cr_assert_eq(bench_sim(&request, rows, ARRAY_SIZE(rows), &p.msg), -EINTR);
}
