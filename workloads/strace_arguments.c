/* SPDX-License-Identifier: MIT */
/*
 * strace_arguments.c - the arguments of memory calls as strace prints them.
 */
#include "workloads/strace_log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct constant {
	const char *name;
	u64 value;
};

#define C(name)                                                                                    \
	{                                                                                          \
#name, name                                                                        \
	}
static const struct constant protections[] = {
	C(PROT_NONE), C(PROT_READ), C(PROT_WRITE), C(PROT_EXEC), C(PROT_GROWSDOWN), C(PROT_GROWSUP),
};

static const struct constant map_flags[] = {
	C(MAP_SHARED),          C(MAP_PRIVATE),    C(MAP_SHARED_VALIDATE),
	C(MAP_FIXED),           C(MAP_ANONYMOUS),  C(MAP_GROWSDOWN),
	C(MAP_DENYWRITE),       C(MAP_EXECUTABLE), C(MAP_LOCKED),
	C(MAP_NORESERVE),       C(MAP_POPULATE),   C(MAP_NONBLOCK),
	C(MAP_STACK),           C(MAP_HUGETLB),    C(MAP_SYNC),
	C(MAP_FIXED_NOREPLACE), C(MAP_32BIT),
};
#undef C

static int bad(const struct strace_log *log, const struct strace_call *call, const char *value,
	       const char *allowed, struct message *msg)
{
	return message_set(msg, -EINVAL, "%s:%llu: %s: '%.60s': %s", log->path,
			   (unsigned long long)call->line, call->name, value, allowed);
}

static bool parse_number(const char *text, u64 *value)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return !errno && *end == '\0';
}

static bool parse_word(const char *word, const struct constant *table, size_t nr, u64 *value)
{
	u64 number;

	if (parse_number(word, &number)) {
		*value |= number;
		return true;
	}
	for (size_t i = 0; i < nr; i++) {
		if (strcmp(word, table[i].name) == 0) {
			*value |= table[i].value;
			return true;
		}
	}
	return false;
}

/* NAME|NAME|0xN; *@word is left at the one that is not understood. */
static bool parse_names(char *text, const struct constant *table, size_t nr, u64 *value,
			const char **word)
{
	*value = 0;
	for (char *at = text; at; text = at) {
		at = strchr(text, '|');
		if (at)
			*at++ = '\0';
		*word = text;
		if (!parse_word(text, table, nr, value))
			return false;
	}
	return true;
}

/* `3</path>` or `3</path>(deleted)`; `-1` is none. */
static bool parse_descriptor(char *text, u64 *number, char **path)
{
	char *open = strchr(text, '<');
	char *close = strrchr(text, '>');

	*path = NULL;
	*number = ~0ull;
	if (strcmp(text, "-1") == 0)
		return true;
	if (!isdigit((unsigned char)text[0]) || !open || !close || close < open)
		return false;
	*close = '\0';
	*open = '\0';
	*path = open + 1;
	return parse_number(text, number);
}

/* Cut off the next argument; a comma inside <...> belongs to a path. */
static char *next_argument(char **at)
{
	char *start = *at + strspn(*at, " ");
	int depth = 0;

	if (*start == '\0')
		return NULL;
	for (char *c = start;; c++) {
		depth += (*c == '<') - (*c == '>');
		if (*c == '\0' || (*c == ',' && depth <= 0)) {
			*at = *c ? c + 1 : c;
			*c = '\0';
			return start;
		}
	}
}

static int parse_argument(const struct strace_log *log, const struct strace_call *call, char kind,
			  char *text, u64 *number, char **path, struct message *msg)
{
	const char *word;

	switch (kind) {
	case 'a':
		if (strcmp(text, "NULL") == 0) {
			*number = 0;
			return 0;
		}
		break;
	case 'p':
		if (parse_names(text, protections, ARRAY_SIZE(protections), number, &word))
			return 0;
		return bad(log, call, word, "must be PROT_* names, | between them", msg);
	case 'f':
		if (parse_names(text, map_flags, ARRAY_SIZE(map_flags), number, &word))
			return 0;
		return bad(log, call, word, "must be MAP_* names, | between them", msg);
	case 'd':
		if (parse_descriptor(text, number, path))
			return 0;
		return bad(log, call, text, "must be -1 or a descriptor with its path (strace -y)",
			   msg);
	}
	if (parse_number(text, number))
		return 0;
	return bad(log, call, text, "must be a number below 2^64", msg);
}

int strace_parse_arguments(const struct strace_log *log, struct strace_call *call,
			   const char *format, struct strace_arguments *out, struct message *msg)
{
	char *at = call->arguments;
	size_t wanted = strlen(format);

	*out = (struct strace_arguments){.path = NULL};
	for (size_t i = 0; i < wanted; i++) {
		char *text = next_argument(&at);
		int error;

		if (!text)
			return message_set(msg, -EINVAL,
					   "%s:%llu: %s: %zu arguments; %zu are wanted", log->path,
					   (unsigned long long)call->line, call->name, i, wanted);
		error = parse_argument(log, call, format[i], text, &out->number[i], &out->path,
				       msg);
		if (error)
			return error;
	}
	return 0;
}
