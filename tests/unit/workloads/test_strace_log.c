/* SPDX-License-Identifier: MIT */
/* test_strace_log.c - lines of an strace log as calls, arguments as numbers. */
#include "workloads/strace_log.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct strace_log log_of(char *text)
{
	struct strace_log log;
	struct message msg = {""};

	cr_assert_eq(strace_log_parse("x.strace", text, &log, &msg), 0, "%s", msg.text);
	return log;
}

static const struct strace_call *nth_kept(const struct strace_log *log, unsigned n)
{
	for (size_t i = 0; i < log->nr_calls; i++)
		if (!log->calls[i].dropped && n-- == 0)
			return &log->calls[i];
	return NULL;
}

Test(strace_log, reads_calls_results_and_errors)
{
	char text[] = "# comment\n"
		      "1 0.000000 execve(\"/bin/x\", [...], ENV) = 0\n"
		      "1 0.1 brk(NULL)       = 0x541000\n"
		      "2 1.25 mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, 3</a = b>, 0) = -1 ENOMEM "
		      "(Cannot)\n"
		      "1 2.5 exit_group(0)   = ?\n"
		      "1 2.6 +++ exited with 0 +++\n"
		      "1 2.7 --- SIGCHLD {si_signo=SIGCHLD} ---\n";
	struct strace_log log = log_of(text);

	cr_assert_eq(log.nr_calls, 4);
	cr_assert_str_eq(log.calls[1].name, "brk");
	cr_assert_eq(log.calls[1].value, 0x541000);
	cr_assert_eq(log.calls[1].line, 3);
	cr_assert_eq(log.calls[2].process, 2);
	cr_assert_eq(log.calls[2].kind, STRACE_ERROR);
	cr_assert_eq(log.calls[2].error, ENOMEM);
	cr_assert_eq(log.calls[3].kind, STRACE_UNKNOWN);
	strace_log_free(&log);
}

Test(strace_log, puts_a_split_call_where_it_was_resumed)
{
	char text[] = "3 0.1 munmap(0x7000, 4096 <unfinished ...>\n"
		      "2 0.2 munmap(0x9000, 8192) = 0\n"
		      "3 0.3 <... munmap resumed>) = 0\n";
	struct strace_log log = log_of(text);

	cr_assert_eq(nth_kept(&log, 0)->process, 2);
	cr_assert_eq(nth_kept(&log, 1)->process, 3);
	cr_assert_eq(nth_kept(&log, 1)->line, 3);
	cr_assert_str_eq(nth_kept(&log, 1)->arguments, "0x7000, 4096");
	cr_assert_null(nth_kept(&log, 2));
	strace_log_free(&log);
}

Test(strace_log, puts_a_call_that_makes_a_process_where_it_began)
{
	char text[] = "1 0.1 vfork( <unfinished ...>\n"
		      "2 0.2 brk(NULL) = 0x1000\n"
		      "1 0.3 <... vfork resumed>) = 2\n";
	struct strace_log log = log_of(text);

	cr_assert_str_eq(nth_kept(&log, 0)->name, "vfork");
	cr_assert_eq(nth_kept(&log, 0)->value, 2);
	cr_assert_str_eq(nth_kept(&log, 1)->name, "brk");
	cr_assert_null(nth_kept(&log, 2));
	strace_log_free(&log);
}

Test(strace_log, leaves_out_a_call_that_never_finished)
{
	char text[] = "1 0.1 brk(NULL) = 0x1000\n"
		      "2 0.2 munmap(0x7000, 4096 <unfinished ...>\n"
		      "2 0.3 +++ killed by SIGKILL +++\n";
	struct strace_log log = log_of(text);

	cr_assert_not_null(nth_kept(&log, 0));
	cr_assert_null(nth_kept(&log, 1));
	strace_log_free(&log);
}

Test(strace_log, turns_arguments_into_numbers_and_paths)
{
	char text[] =
		"1 0.1 mmap(0x7000, 4096, PROT_READ|PROT_EXEC, MAP_PRIVATE|MAP_FIXED|0x80000, "
		"3</mnt/a, b>(deleted), 0x26000) = 0x7000\n"
		"1 0.1 mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7000\n";
	struct strace_log log = log_of(text);
	struct strace_arguments a;
	struct message msg = {""};

	cr_assert_eq(strace_parse_arguments(&log, &log.calls[0], "alpfdo", &a, &msg), 0, "%s",
		     msg.text);
	cr_assert_eq(a.number[0], 0x7000);
	cr_assert_eq(a.number[1], 4096);
	cr_assert_eq(a.number[2], PROT_READ | PROT_EXEC);
	cr_assert_eq(a.number[3], MAP_PRIVATE | MAP_FIXED | 0x80000);
	cr_assert_eq(a.number[4], 3);
	cr_assert_str_eq(a.path, "/mnt/a, b");
	cr_assert_eq(a.number[5], 0x26000);
	cr_assert_eq(strace_parse_arguments(&log, &log.calls[1], "alpfdo", &a, &msg), 0);
	cr_assert_eq(a.number[0], 0);
	cr_assert_null(a.path);
	strace_log_free(&log);
}

struct refusal {
	const char *text, *place, *reason;
};

static const struct refusal line_refusals[] = {
	{"# nothing\n", "x.strace", "no call"},
	{"hello\n", "x.strace:1:", "process number"},
	{"0 0.1 brk(NULL) = 0x1\n", "x.strace:1:", "process number"},
	{"1 brk(NULL) = 0x1\n", "x.strace:1:", "seconds"},
	{"1 0.1 brk\n", "x.strace:1:", "CALL(ARGUMENTS)"},
	{"1 0.1 brk(NULL = 0x1\n", "x.strace:1:", "parenthesis"},
	{"1 0.1 brk(NULL) = 0x10000000000000000\n", "x.strace:1:", "below 2^64"},
	{"1 0.1 brk(NULL) = many\n", "x.strace:1:", "number"},
	{"1 0.1 munmap(1, 2) = -1 EWRONG (x)\n", "x.strace:1:", "no such errno"},
	{"# a\n1 0.1 <... brk resumed>) = 1\n", "x.strace:2:", "unfinished"},
	{"1 0.1 brk(0 <unfinished ...>\n1 0.1 <... mmap resumed>) = 1\n",
	 "x.strace:2:", "unfinished"},
};

Test(strace_log, refuses_a_bad_line_and_says_where_and_what_is_allowed)
{
	for (unsigned i = 0; i < ARRAY_SIZE(line_refusals); i++) {
		char *text = strdup(line_refusals[i].text);
		struct strace_log log;
		struct message msg = {""};

		cr_assert_eq(strace_log_parse("x.strace", text, &log, &msg), -EINVAL, "case %u", i);
		cr_assert(strstr(msg.text, line_refusals[i].place), "case %u: %s", i, msg.text);
		cr_assert(strstr(msg.text, line_refusals[i].reason), "case %u: %s", i, msg.text);
		free(text);
	}
}

static const struct refusal argument_refusals[] = {
	{"1 0.1 mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -1) = 0x1\n", "mmap", "5 arguments"},
	{"1 0.1 mmap(NULL, x, PROT_READ, MAP_PRIVATE, -1, 0) = 0x1\n", "'x'", "a number"},
	{"1 0.1 mmap(NULL, 1, PROT_REED, MAP_PRIVATE, -1, 0) = 0x1\n", "'PROT_REED'", "PROT_*"},
	{"1 0.1 mmap(NULL, 1, PROT_READ, MAP_PRIVAT, -1, 0) = 0x1\n", "'MAP_PRIVAT'", "MAP_*"},
	{"1 0.1 mmap(NULL, 1, PROT_READ, MAP_PRIVATE, 3, 0) = 0x1\n", "'3'", "strace -y"},
};

Test(strace_log, refuses_a_bad_argument_and_names_it)
{
	for (unsigned i = 0; i < ARRAY_SIZE(argument_refusals); i++) {
		char *text = strdup(argument_refusals[i].text);
		struct strace_log log = log_of(text);
		struct strace_arguments a;
		struct message msg = {""};

		cr_assert_eq(strace_parse_arguments(&log, &log.calls[0], "alpfdo", &a, &msg),
			     -EINVAL);
		cr_assert(strstr(msg.text, argument_refusals[i].place), "case %u: %s", i, msg.text);
		cr_assert(strstr(msg.text, argument_refusals[i].reason), "case %u: %s", i,
			  msg.text);
		strace_log_free(&log);
		free(text);
	}
}
