/* SPDX-License-Identifier: MIT */
/*
 * trace_line.h - one line of a kernel trace: strict access to its fields.
 *
 * Every getter returns 0, or -EINVAL with a message that names file, line, what
 * the line is, the field, its value and what is allowed.
 */
#ifndef VMASIM_WORKLOADS_TRACE_LINE_H
#define VMASIM_WORKLOADS_TRACE_LINE_H

#include "base/message.h"
#include "base/types.h"

#include <jansson.h>

/* What tagged addresses are relative to, from the trace's head. */
struct trace_bases {
	u64 arena, arena_top, brk0, start_brk;
};

struct trace_line {
	const char *file;
	u64 number;
	const char *what; /* "head", "snap", or the operation */
	const struct trace_bases *bases;
	json_t *object;
	struct message *msg;
};

/** line_error() - -EINVAL with a message that begins with file, line and what it is. */
int line_error(const struct trace_line *line, const char *fmt, ...) printf_like(2, 3);

/** line_has() - is the field there? */
bool line_has(const struct trace_line *line, const char *key);

/* From the line's own object. */
int line_string(const struct trace_line *line, const char *key, const char **value);
int line_number(const struct trace_line *line, const char *key, u64 *value);
int line_hex(const struct trace_line *line, const char *key, u64 *value);
int line_address(const struct trace_line *line, const char *key, u64 *value);
int line_array(const struct trace_line *line, const char *key, json_t **value);
int line_object(const struct trace_line *line, const char *key, json_t **value);

/** object_number() - a non-negative integer of a nested @object called @name. */
int object_number(const struct trace_line *line, json_t *object, const char *name, const char *key,
		  u64 *value);

/** parse_address() - `a+0xN`, `a-0xN`, `h+0xN`, `h-0xN` or `0xN`. */
bool parse_address(const struct trace_bases *bases, const char *text, u64 *value);

/** format_address() - the tagged form that the recorder would have printed. */
void format_address(const struct trace_bases *bases, u64 value, char *text, size_t size);

#endif
