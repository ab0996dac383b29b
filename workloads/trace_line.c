/* SPDX-License-Identifier: MIT */
/*
 * trace_line.c - fields of a trace line, checked for presence, type and range.
 *
 * Host memory only. The line's JSON object belongs to the caller.
 */
#include "workloads/trace_line.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG_SPAN (64ull << 20) /* how far around its base the recorder uses a tag */
#define TOP_SPAN (1ull << 20)

int line_error(const struct trace_line *line, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return message_set(line->msg, -EINVAL, "%s:%llu: %s: %s", line->file,
			   (unsigned long long)line->number, line->what, text);
}

bool line_has(const struct trace_line *line, const char *key)
{
	return json_object_get(line->object, key) != NULL;
}

/* The value as text for a message; at most @size bytes of it. */
static const char *value_text(const json_t *value, char *text, size_t size)
{
	size_t length = json_dumpb(value, text, size - 1, JSON_ENCODE_ANY | JSON_COMPACT);

	text[min(length, size - 1)] = '\0';
	if (length >= size)
		snprintf(text, size, "(a long value)");
	return text;
}

static int wrong_type(const struct trace_line *line, const char *key, const json_t *value,
		      const char *allowed)
{
	char text[80];

	return line_error(line, "field '%s': %s: must be %s", key,
			  value_text(value, text, sizeof(text)), allowed);
}

static int find(const struct trace_line *line, json_t *object, const char *key, const char *allowed,
		json_t **value)
{
	*value = json_object_get(object, key);
	if (*value)
		return 0;
	return line_error(line, "field '%s' is missing: it must be %s", key, allowed);
}

int line_string(const struct trace_line *line, const char *key, const char **value)
{
	json_t *json;
	int error = find(line, line->object, key, "a string", &json);

	if (error)
		return error;
	if (!json_is_string(json))
		return wrong_type(line, key, json, "a string");
	*value = json_string_value(json);
	return 0;
}

int object_number(const struct trace_line *line, json_t *object, const char *name, const char *key,
		  u64 *value)
{
	static const char allowed[] = "a whole number, not negative";
	char path[64];
	json_t *json;
	int error;

	snprintf(path, sizeof(path), "%s%s%s", name, *name ? "." : "", key);
	json = json_object_get(object, key);
	if (!json)
		return line_error(line, "field '%s' is missing: it must be %s", path, allowed);
	error = json_is_integer(json) && json_integer_value(json) >= 0 ? 0 : -EINVAL;
	if (error)
		return wrong_type(line, path, json, allowed);
	*value = (u64)json_integer_value(json);
	return 0;
}

int line_number(const struct trace_line *line, const char *key, u64 *value)
{
	return object_number(line, line->object, "", key, value);
}

static bool parse_hex(const char *text, u64 *value)
{
	char *end;

	if (text[0] != '0' || text[1] != 'x' || !isxdigit((unsigned char)text[2]))
		return false;
	errno = 0;
	*value = strtoull(text + 2, &end, 16);
	return !errno && *end == '\0';
}

int line_hex(const struct trace_line *line, const char *key, u64 *value)
{
	static const char allowed[] = "a hexadecimal string, 0xN below 2^64";
	json_t *json;
	int error = find(line, line->object, key, allowed, &json);

	if (error)
		return error;
	if (!json_is_string(json) || !parse_hex(json_string_value(json), value))
		return wrong_type(line, key, json, allowed);
	return 0;
}

bool parse_address(const struct trace_bases *bases, const char *text, u64 *value)
{
	u64 base, offset;

	if (text[0] != 'a' && text[0] != 'h')
		return parse_hex(text, value);
	if ((text[1] != '+' && text[1] != '-') || !parse_hex(text + 2, &offset))
		return false;
	base = text[0] == 'a' ? bases->arena : bases->brk0;
	*value = text[1] == '+' ? base + offset : base - offset;
	return true;
}

int line_address(const struct trace_line *line, const char *key, u64 *value)
{
	static const char allowed[] = "an address: a+0xN, a-0xN, h+0xN, h-0xN or 0xN";
	json_t *json;
	int error = find(line, line->object, key, allowed, &json);

	if (error)
		return error;
	if (!json_is_string(json) || !parse_address(line->bases, json_string_value(json), value))
		return wrong_type(line, key, json, allowed);
	return 0;
}

int line_array(const struct trace_line *line, const char *key, json_t **value)
{
	int error = find(line, line->object, key, "an array", value);

	if (!error && !json_is_array(*value))
		error = wrong_type(line, key, *value, "an array");
	return error;
}

int line_object(const struct trace_line *line, const char *key, json_t **value)
{
	int error = find(line, line->object, key, "an object", value);

	if (!error && !json_is_object(*value))
		error = wrong_type(line, key, *value, "an object");
	return error;
}

void format_address(const struct trace_bases *b, u64 v, char *text, size_t size)
{
	if (v >= b->arena - TAG_SPAN && v < b->arena)
		snprintf(text, size, "a-0x%llx", (unsigned long long)(b->arena - v));
	else if (v >= b->arena && v < b->arena_top + TOP_SPAN)
		snprintf(text, size, "a+0x%llx", (unsigned long long)(v - b->arena));
	else if (v >= b->brk0 && v < b->brk0 + TAG_SPAN)
		snprintf(text, size, "h+0x%llx", (unsigned long long)(v - b->brk0));
	else if (v >= b->start_brk && v < b->brk0)
		snprintf(text, size, "h-0x%llx", (unsigned long long)(b->brk0 - v));
	else
		snprintf(text, size, "0x%llx", (unsigned long long)v);
}
