/* SPDX-License-Identifier: MIT */
/* test_replay_strace.c - program logs: final layouts, processes, and objects of a real loop. */
#include "replay_fixture.h"

#include "workloads/replay_strace.h"

#define LOGS VMASIM_TEST_DATA "/strace/"

static void equal(const char *path, u64 layouts)
{
	struct replayed out = replay_path(path);

	cr_assert_eq(out.error, 0, "%s", out.msg.text);
	cr_assert_eq(out.result.differences, 0, "%s", out.printed);
	cr_assert_eq(out.result.layouts, layouts, "%s", out.printed);
	cr_assert_gt(out.result.operations, 0);
	free(out.printed);
}

Test(replay_strace, ends_with_the_recorded_layouts_of_whole_programs)
{
	equal(LOGS "sort_file.strace", 1);
	equal(LOGS "git_log.strace", 1);
	equal(LOGS "gcc_compile.strace", 5); /* five processes, four of them by vfork */
}

Test(replay_strace, refuses_a_call_that_is_not_built_by_name)
{
	struct replayed out = replay_path(LOGS "sqlite3.strace");

	cr_assert_eq(out.error, -EINVAL);
	cr_assert(strstr(out.msg.text, "mremap: this call is not built yet"), "%s", out.msg.text);
	free(out.printed);
}

/* A copy of a program's log with the first @from replaced by @to, beside its layouts. */
static struct replayed replay_changed(const char *name, const char *from, const char *to)
{
	char log[64], path[512], folder[] = P_tmpdir "/vmasim-test-XXXXXX", command[1200];
	char *text, *at;
	struct replayed out;
	FILE *file;

	snprintf(log, sizeof(log), "strace/%s.strace", name);
	text = read_data(log);
	at = strstr(text, from);
	cr_assert(at, "%s", from);
	cr_assert(mkdtemp(folder));
	snprintf(command, sizeof(command), "cp " LOGS "%s.maps.* %s", name, folder);
	cr_assert_eq(system(command), 0);
	snprintf(path, sizeof(path), "%s/%s.strace", folder, name);
	file = fopen(path, "w");
	cr_assert(file);
	fprintf(file, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	fclose(file);
	out = replay_path(path);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	cr_assert_eq(system(command), 0);
	free(text);
	return out;
}

Test(replay_strace, reports_a_result_that_differs_and_does_not_adopt_it)
{
	struct replayed out =
		replay_changed("sort_file", "-1, 0) = 0x7ffff7fc0000", "-1, 0) = 0x7ffff7fb0000");

	cr_assert_eq(out.error, 0, "%s", out.msg.text);
	cr_assert_eq(out.result.differences, 1, "%s", out.printed);
	cr_assert(strstr(out.printed, "expected 0x7ffff7fb0000, got 0x7ffff7fc0000"), "%s",
		  out.printed);
	free(out.printed);
}

Test(replay_strace, reports_pages_of_the_final_layout_that_differ)
{
	struct replayed out = replay_changed("sort_file", "16384, PROT_READ) = 0",
					     "16384, PROT_READ|PROT_WRITE) = 0");

	cr_assert_eq(out.error, 0, "%s", out.msg.text);
	cr_assert_eq(out.result.differences, 1, "%s", out.printed);
	cr_assert(strstr(out.printed, "final layout, 7ffff7fa0000-7ffff7fa4000"), "%s",
		  out.printed);
	free(out.printed);
}

Test(replay_strace, refuses_a_process_that_nobody_made)
{
	struct replayed out = replay_changed("sort_file", "1 0.253024 mmap", "9 0.253024 mmap");

	cr_assert_eq(out.error, -EINVAL);
	cr_assert(strstr(out.msg.text, "process 9"), "%s", out.msg.text);
	free(out.printed);
}

/* ---- The loop of real will-it-scale tasks ----------------------------------- */

struct loop {
	unsigned skip;  /* calls of process 2 before the loop is settled */
	unsigned calls; /* of process 2 so far */
	u64 first[NR_EVENTS];
};

static void watch(struct strace_replay *r, const struct strace_call *call, void *arg)
{
	struct loop *loop = arg;

	(void)r;
	if (call->process != 2)
		return;
	if (++loop->calls == loop->skip)
		for (unsigned e = 0; e < NR_EVENTS; e++)
			loop->first[e] = event_total((enum vm_event)e);
}

struct totals {
	struct loop loop;
	double per_call[NR_EVENTS];
};

static void keep_totals(struct strace_replay *r, const struct strace_call *call, void *arg)
{
	struct totals *t = arg;

	watch(r, call, &t->loop);
	if (call->process != 2 || t->loop.calls <= t->loop.skip)
		return;
	for (unsigned e = 0; e < NR_EVENTS; e++)
		t->per_call[e] = (double)(event_total((enum vm_event)e) - t->loop.first[e]) /
				 (t->loop.calls - t->loop.skip);
}

static struct totals replay_loop(const char *path)
{
	struct totals totals = {.loop = {.skip = 20}};
	struct replay_result result = {0};
	struct machine_desc machine;
	struct policy policy;
	struct message msg;
	struct text_file file;
	struct replay_request request = {
		.path = path, .policy = &policy, .machine = &machine, .check = true, .out = stdout};
	struct strace_replay r = {.request = &request,
				  .result = &result,
				  .msg = &msg,
				  .after_call = keep_totals,
				  .after_call_arg = &totals};

	cr_assert_eq(policy_parse("6.18", &policy, &msg), 0);
	cr_assert_eq(machine_describe_host(&machine, &msg), 0);
	cr_assert_eq(text_file_read(path, &file, &msg), 0, "%s", msg.text);
	cr_assert_eq(strace_replay_run(&r, file.text), 0, "%s", msg.text);
	text_file_free(&file);
	cr_assert_eq(result.differences, 0);
	/* an odd number of calls ends within a pass: up to one pass more or less */
	cr_assert_gt(totals.loop.calls, 400);
	return totals;
}

#define ABOUT(totals, event, wanted)                                                               \
	cr_expect_float_eq((totals).per_call[EVENT_##event], wanted, 0.02,                         \
			   #event ": %g an operation", (totals).per_call[EVENT_##event])

Test(replay_strace, allocates_what_the_real_brk1_task_allocated)
{
	struct totals t = replay_loop(LOGS "will-it-scale/brk1_processes.strace");

	ABOUT(t, NODE_ALLOC, 1);
	ABOUT(t, VMA_ALLOC, 0.5);
	ABOUT(t, MA_WRITE, 1);
	ABOUT(t, MA_OP, 0);
}

Test(replay_strace, allocates_what_the_real_brk2_task_allocated)
{
	struct totals t = replay_loop(LOGS "will-it-scale/brk2_processes.strace");

	ABOUT(t, NODE_ALLOC, 3);
	ABOUT(t, VMA_ALLOC, 0.5);
	ABOUT(t, MA_WRITE, 2.5);
	ABOUT(t, MA_OP, 1);
}

Test(replay_strace, allocates_what_the_real_mmap1_task_allocated)
{
	struct totals t = replay_loop(LOGS "will-it-scale/mmap1_processes.strace");

	ABOUT(t, NODE_ALLOC, 1);  /* 2 a pair of calls */
	ABOUT(t, VMA_ALLOC, 0.5); /* 1 a pair */
	ABOUT(t, MA_WRITE, 1.5);
	ABOUT(t, MA_OP, 0);
}
