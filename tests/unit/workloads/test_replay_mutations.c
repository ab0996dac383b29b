/* SPDX-License-Identifier: MIT */
/*
 * test_replay_mutations.c - is each recorded value really compared?
 *
 * One value of a trace is changed at a time; the replay must then report a
 * difference or refuse the line, naming the line that was changed.
 */
#include "replay_fixture.h"

#include <jansson.h>

enum { MAX_LINES = 64 };

struct trace {
	json_t *line[MAX_LINES];
	unsigned nr;
};

static struct trace read_trace(const char *name)
{
	struct trace trace = {.nr = 0};
	char *text = read_data(name);
	struct text_lines lines = {.next = text};
	char *line;

	while ((line = text_next_line(&lines))) {
		cr_assert(trace.nr < MAX_LINES);
		trace.line[trace.nr] = json_loads(line, 0, NULL);
		cr_assert(trace.line[trace.nr++]);
	}
	free(text);
	return trace;
}

static void free_trace(struct trace *trace)
{
	for (unsigned i = 0; i < trace->nr; i++)
		json_decref(trace->line[i]);
}

/* Replay all lines but @left_out (a number from 1; 0: none is left out). */
static struct replayed replay_trace(const struct trace *trace, unsigned left_out)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct replayed replayed;

	for (unsigned i = 0; i < trace->nr; i++) {
		if (i + 1 == left_out)
			continue;
		json_dumpf(trace->line[i], out, JSON_COMPACT);
		fputc('\n', out);
	}
	fclose(out);
	replayed = replay_text(text, size);
	free(text);
	return replayed;
}

/* The changed line is @index; what is wrong with it must be reported of it, by kind. */
static void noticed(const struct trace *trace, unsigned index, const char *what)
{
	struct replayed out = replay_trace(trace, 0);
	const char *report = out.error ? out.msg.text : out.printed;
	const char *kind = json_string_value(json_object_get(trace->line[index], "op"));
	char place[32];

	if (!kind)
		kind = json_string_value(json_object_get(trace->line[index], "t"));
	snprintf(place, sizeof(place), ":%u: %s", index + 1, kind);
	cr_assert(out.error == -EINVAL || out.result.differences > 0, "%s: line %u %s: not noticed",
		  what, index + 1, kind);
	cr_assert(strstr(report, place), "%s: '%s' is not in: %s", what, place, report);
	free(out.printed);
}

/* Another value of the same type: one more, or one letter changed in a string. */
static json_t *changed(const json_t *value)
{
	char text[256];

	if (json_is_integer(value))
		return json_integer(json_integer_value(value) + 1);
	snprintf(text, sizeof(text), "%s", json_string_value(value));
	if (text[0] == '\0')
		return json_string("x");
	/* the last letter but three of an address is its page: 0x4000 -> 0x5000 */
	if (strstr(text, "0x")) {
		size_t page =
			strlen(text) > 3 && strcmp(text + strlen(text) - 3, "000") == 0 ? 4 : 1;
		char *digit = text + strlen(text) - page;

		if (*digit == 'x')
			digit += 3; /* 0x000 */
		*digit = *digit == '9' ? 'a' : *digit == 'f' ? '1' : *digit + 1;
		return json_string(text);
	}
	text[0] = text[0] == 'r' ? '-' : text[0] == '-' ? 'r' : text[0] + 1;
	return json_string(text);
}

static void mutate_field(const struct trace *trace, unsigned index, json_t *object, const char *key)
{
	json_t *value = json_incref(json_object_get(object, key));

	json_object_set_new(object, key, changed(value));
	noticed(trace, index, key);
	json_object_set_new(object, key, value);
}

static void mutate_element(const struct trace *trace, unsigned index, json_t *array, size_t at)
{
	json_t *value = json_incref(json_array_get(array, at));
	char what[64];

	snprintf(what, sizeof(what), "element %zu of a layout entry", at);
	json_array_set_new(array, at, changed(value));
	noticed(trace, index, what);
	json_array_set_new(array, at, value);
}

static void mutate_result(const struct trace *trace, unsigned index)
{
	static const char *const fields[] = {"r", "e", "sig", "code", "i", "p", "op"};
	json_t *line = trace->line[index];

	for (unsigned i = 0; i < ARRAY_SIZE(fields); i++)
		if (json_object_get(line, fields[i]))
			mutate_field(trace, index, line, fields[i]);
}

static void mutate_alloc(const struct trace *trace, unsigned index)
{
	static const char *const keys[] = {"node+", "vma+", "vma-", "av+", "av-", "avc+", "avc-"};
	json_t *alloc = json_object_get(trace->line[index], "alloc");

	for (unsigned i = 0; i < ARRAY_SIZE(keys); i++) {
		json_t *value = json_object_get(alloc, keys[i]);
		json_int_t number = value ? json_integer_value(value) : 0;

		json_object_set_new(alloc, keys[i], json_integer(number + 1));
		noticed(trace, index, keys[i]);
		if (number)
			json_object_set_new(alloc, keys[i], json_integer(number));
		else
			json_object_del(alloc, keys[i]);
	}
}

static void mutate_counters(const struct trace *trace, unsigned index)
{
	static const char *const keys[] = {"size", "data", "stk", "exelib", "lck"};
	json_t *kb = json_object_get(trace->line[index], "kb");

	for (unsigned i = 0; i < ARRAY_SIZE(keys); i++)
		mutate_field(trace, index, kb, keys[i]);
}

static void mutate_snap(const struct trace *trace, unsigned index)
{
	static const char *const fields[] = {"i", "p", "n", "hash", "brk"};
	json_t *line = trace->line[index];
	json_t *maps = json_object_get(line, "maps");

	for (unsigned i = 0; i < ARRAY_SIZE(fields); i++)
		mutate_field(trace, index, line, fields[i]);
	mutate_counters(trace, index);
	for (size_t entry = 0; entry < json_array_size(maps); entry++) {
		json_t *tuple = json_array_get(maps, entry);

		for (size_t at = 0; at < json_array_size(tuple); at++)
			mutate_element(trace, index, tuple, at);
	}
	for (size_t entry = 0; entry < json_array_size(maps); entry++) {
		json_t *tuple = json_incref(json_array_get(maps, entry));

		json_array_remove(maps, entry);
		noticed(trace, index, "a layout entry left out");
		json_array_insert_new(maps, entry, tuple);
	}
}

static void leave_lines_out(const struct trace *trace)
{
	for (unsigned i = 1; i <= trace->nr; i++) {
		struct replayed out = replay_trace(trace, i);

		cr_assert_eq(out.error, -EINVAL, "line %u left out: not noticed", i);
		free(out.printed);
	}
}

static void mutate_trace(const char *name)
{
	struct trace trace = read_trace(name);
	struct replayed clean = replay_trace(&trace, 0);

	cr_assert_eq(clean.error, 0, "%s: %s", name, clean.msg.text);
	cr_assert_eq(clean.result.differences, 0, "%s: %s", name, clean.printed);
	free(clean.printed);
	for (unsigned i = 0; i < trace.nr; i++) {
		const char *kind = json_string_value(json_object_get(trace.line[i], "t"));

		if (strcmp(kind, "op") == 0) {
			mutate_result(&trace, i);
			mutate_alloc(&trace, i);
		} else if (strcmp(kind, "snap") == 0) {
			mutate_snap(&trace, i);
		} else if (strcmp(kind, "head") == 0) {
			mutate_counters(&trace, i);
		} else {
			mutate_field(&trace, i, trace.line[i], "ops");
		}
	}
	leave_lines_out(&trace);
	free_trace(&trace);
}

#define MUTATED(test, name)                                                                        \
	Test(replay_mutations, test)                                                               \
	{                                                                                          \
		mutate_trace("kernel/" name ".jsonl");                                             \
	}

MUTATED(every_value_of_two_merges_counts, "s01_two_merge")
MUTATED(every_value_of_refused_merges_counts, "s02_nomerge_reasons")
MUTATED(every_value_of_munmap_errors_counts, "s05_munmap_errors")
MUTATED(every_value_of_the_break_counts, "s06_brk_basic")
MUTATED(every_value_of_mprotect_over_holes_counts, "s07_mprotect_holes")
MUTATED(every_value_of_touched_memory_counts, "s08_touch_anonvma")
