/* SPDX-License-Identifier: MIT */
/* test_replay_input.c - what is no good trace is refused with place, value and what is allowed. */
#include "replay_fixture.h"

#define TRACE "kernel/s01_two_merge.jsonl"

static void refused(struct replayed out, const char *what, const char *wanted)
{
	cr_assert_eq(out.error, -EINVAL, "%s: %d %s", what, out.error, out.msg.text);
	cr_assert(strstr(out.msg.text, wanted), "%s: '%s' is not in: %s", what, wanted,
		  out.msg.text);
	free(out.printed);
}

/* The first @lines lines of the trace, then @tail. */
static char *head_of_trace(unsigned lines, const char *tail)
{
	char *text = read_data(TRACE);
	char *end = text;
	char *out;

	while (lines--)
		end = strchr(end, '\n') + 1;
	*end = '\0';
	cr_assert(asprintf(&out, "%s%s", text, tail) > 0);
	free(text);
	return out;
}

static void refused_tail(unsigned lines, const char *tail, const char *wanted)
{
	char *text = head_of_trace(lines, tail);

	refused(replay_text(text, strlen(text)), tail, wanted);
	free(text);
}

Test(replay_input, refuses_what_is_no_file_of_text)
{
	refused(replay_path("/"), "a directory", "directory");
	refused(replay_path("/no/such/file"), "no file", "/no/such/file");
	refused(replay_path("/dev/null"), "an empty file", "empty");
	refused(replay_text("{\"t\":\0}\n", 8), "binary", ":1: a NUL byte");
	refused(replay_text("hello\n", 6), "prose", "'hello");
	refused(replay_text("\x7f\x45LF\n", 5), "binary", ":1:");
}

Test(replay_input, refuses_a_trace_cut_anywhere)
{
	char *text = read_data(TRACE);
	size_t size = strlen(text);

	for (size_t cut = 1; cut + 1 < size; cut += 97)
		refused(replay_text(text, cut), "a cut trace", "/proc/self/fd/");
	free(text);
}

Test(replay_input, refuses_a_line_of_a_mebibyte)
{
	size_t size = 1 << 20;
	char *text = malloc(size);

	memset(text, 'x', size);
	text[0] = '{';
	refused(replay_text(text, size), "a long line", ":1:");
	free(text);
}

Test(replay_input, refuses_lines_out_of_order)
{
	refused_tail(0, "{\"t\":\"op\",\"i\":0}\n", "first line must be the head");
	refused_tail(1, "{\"t\":\"head\"}\n", ":2: head");
	refused_tail(1, "", "last line must be");
	refused_tail(1, "{\"t\":\"end\",\"ops\":0}\n", "snap");
	refused_tail(1, "{\"t\":\"snap\",\"i\":0,\"p\":1}\n", "field 'p'");
	refused_tail(1, "{\"t\":\"note\"}\n", "'note'");
	refused_tail(1, "{\"i\":1}\n", "field 't' is missing");
	refused_tail(1, "[1]\n", "JSON object");
	refused_tail(1, "{\"t\":\"op\",\"t\":\"op\"}\n", "JSON");
	refused_tail(17, "{\"t\":\"end\",\"ops\":7}\n", "nothing may follow");
}

#define OP(rest) "{\"t\":\"op\",\"i\":0,\"p\":0," rest "}\n"

Test(replay_input, refuses_a_bad_operation_by_name)
{
	refused_tail(1, OP("\"op\":\"mremap\""), "mremap: this operation is not built yet");
	refused_tail(1, OP("\"op\":\"mumap\""), "mumap: field 'op'");
	refused_tail(1, OP("\"op\":7"), "field 'op': 7: must be a string");
	refused_tail(1, OP("\"op\":\"munmap\",\"addr\":\"a+0x0\""),
		     "munmap: field 'len' is missing");
	refused_tail(1, OP("\"op\":\"munmap\",\"addr\":\"b+0x0\",\"len\":\"0x1\""), "field 'addr'");
	refused_tail(1, OP("\"op\":\"munmap\",\"addr\":\"a+0x0\",\"len\":4096"),
		     "field 'len': 4096");
	refused_tail(1, OP("\"op\":\"munmap\",\"addr\":\"a+0x0\",\"len\":\"0x10000000000000000\""),
		     "below 2^64");
	refused_tail(1, OP("\"op\":\"munmap\",\"addr\":\"a+0x0\",\"len\":\"0x1000\""),
		     "field 'r' is missing");
	refused_tail(1, OP("\"op\":\"munmap\",\"addr\":\"a+0x0\",\"len\":\"0x1000\",\"r\":-1"),
		     "field 'r': -1");
	refused_tail(1, OP("\"op\":\"munmap\",\"addr\":\"a+0x0\",\"len\":\"0x1000\",\"r\":0"),
		     "field 'alloc' is missing");
	refused_tail(1,
		     OP("\"op\":\"munmap\",\"addr\":\"a+0x0\",\"len\":\"0x1000\",\"e\":\"EFOO\""),
		     "'EFOO'");
	refused_tail(1, OP("\"op\":\"exit\""), "first process");
	refused_tail(1, OP("\"op\":\"joined\""), "no child");
	refused_tail(1, "{\"t\":\"op\",\"i\":1,\"p\":0,\"op\":\"brk\"}\n", "field 'i': 1");
}

Test(replay_input, refuses_a_bad_head_and_names_the_field)
{
	static const char *const fields[] = {
		"format",    "page",  "task_size",  "mmap_base",     "arena", "brk0",
		"start_brk", "kb",    "init",       "rlimit",        "files", "ram_pages",
		"uid",       "every", "overcommit", "max_map_count",
	};

	for (unsigned i = 0; i < ARRAY_SIZE(fields); i++) {
		char *text = head_of_trace(1, "");
		char name[40], wanted[40];
		char *field;

		snprintf(name, sizeof(name), "\"%s\":", fields[i]);
		snprintf(wanted, sizeof(wanted), "field '%s'", fields[i]);
		field = strstr(text, name);
		cr_assert(field, "%s", fields[i]);
		field[1] = '_'; /* the field is now missing */
		refused(replay_text(text, strlen(text)), fields[i], wanted);
		free(text);
	}
}
