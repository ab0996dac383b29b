/* SPDX-License-Identifier: MIT */
/*
 * strace_log.c - lines of a log into calls. Host memory only.
 */
#include "workloads/strace_log.h"

#include "workloads/errno_name.h"
#include "workloads/text_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define UNFINISHED " <unfinished ...>"

struct reader {
	struct strace_log *log;
	u64 line;
	struct message *msg;
};

static int bad(const struct reader *r, const char *value, const char *allowed)
{
	return message_set(r->msg, -EINVAL, "%s:%llu: '%.60s': %s", r->log->path,
			   (unsigned long long)r->line, value, allowed);
}

bool strace_makes_process(const char *name)
{
	return strcmp(name, "fork") == 0 || strcmp(name, "vfork") == 0 ||
	       strcmp(name, "clone") == 0 || strcmp(name, "clone3") == 0;
}

static struct strace_call *new_call(const struct reader *r, unsigned process)
{
	struct strace_log *log = r->log;

	if (log->nr_calls == log->room) {
		size_t room = log->room ? 2 * log->room : 256;
		struct strace_call *larger = realloc(log->calls, room * sizeof(*larger));

		if (!larger)
			return NULL;
		log->calls = larger;
		log->room = room;
	}
	log->calls[log->nr_calls] =
		(struct strace_call){.line = r->line, .process = process, .kind = STRACE_UNKNOWN};
	return &log->calls[log->nr_calls++];
}

/* The last " = " of the text: error texts have none. */
static char *find_result(char *text)
{
	char *found = NULL;

	for (char *at = strstr(text, " = "); at; at = strstr(at + 1, " = "))
		found = at;
	return found;
}

static int parse_error(const struct reader *r, const char *text, struct strace_call *call)
{
	char name[24];
	size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

	if (length == 0 || length >= sizeof(name))
		return bad(r, text, "-1 must be followed by an errno name");
	memcpy(name, text, length);
	name[length] = '\0';
	call->kind = STRACE_ERROR;
	call->error = errno_of_name(name);
	return call->error ? 0 : bad(r, text, "there is no such errno");
}

static int parse_result(const struct reader *r, const char *text, struct strace_call *call)
{
	char *end;

	if (text[0] == '?') {
		call->kind = STRACE_UNKNOWN;
		return 0;
	}
	if (strncmp(text, "-1 ", 3) == 0)
		return parse_error(r, text + 3, call);
	if (!isdigit((unsigned char)text[0]))
		return bad(r, text, "a result must be a number, ? or -1 with an errno name");
	errno = 0;
	call->value = strtoull(text, &end, 0);
	if (errno || (*end != '\0' && *end != ' ' && *end != '<'))
		return bad(r, text, "a result must be a number below 2^64");
	call->kind = STRACE_VALUE;
	return 0;
}

/* `NAME(ARGUMENTS) = RESULT`, whole. @text is cut up. */
static int parse_call(const struct reader *r, char *text, struct strace_call *call)
{
	char *result = find_result(text);
	char *close = result;
	char *open = strchr(text, '(');

	if (!open || open == text || !result)
		return bad(r, text, "must be CALL(ARGUMENTS) = RESULT");
	while (close > open && *close == ' ')
		close--;
	if (*close != ')')
		return bad(r, text, "must have a closing parenthesis before the result");
	*open = '\0';
	*close = '\0';
	call->name = text;
	call->arguments = open + 1;
	return parse_result(r, result + 3, call);
}

/* The part of a split call up to the cut; finished by resume(). */
static int begin_split(const struct reader *r, unsigned process, char *text)
{
	struct strace_call *call = new_call(r, process);
	char *open = strchr(text, '(');

	if (!call)
		return message_set(r->msg, -ENOMEM, "%s: no memory", r->log->path);
	if (!open || open == text)
		return bad(r, text, "must be CALL(ARGUMENTS");
	*strstr(text, UNFINISHED) = '\0';
	*open = '\0';
	call->name = text;
	call->arguments = open + 1;
	call->dropped = true;
	return 0;
}

static struct strace_call *find_split(struct strace_log *log, unsigned process)
{
	for (size_t i = log->nr_calls; i-- > 0;) {
		struct strace_call *call = &log->calls[i];

		if (call->process == process)
			return call->dropped ? call : NULL;
	}
	return NULL;
}

/* Move a finished call to the place where it took effect. */
static int place(const struct reader *r, struct strace_call *call)
{
	struct strace_call copy = *call;
	struct strace_call *later;

	if (strace_makes_process(call->name)) {
		call->dropped = false;
		return 0;
	}
	later = new_call(r, copy.process);
	if (!later)
		return message_set(r->msg, -ENOMEM, "%s: no memory", r->log->path);
	copy.line = r->line;
	copy.dropped = false;
	*later = copy;
	return 0;
}

/* `<... NAME resumed>REST`. REST continues the arguments. */
static int resume(const struct reader *r, unsigned process, char *text)
{
	static const char mark[] = " resumed>";
	struct strace_call *call = find_split(r->log, process);
	char *rest = strstr(text, mark);
	char *result, *close;
	int error;

	if (!rest)
		return bad(r, text, "must be <... CALL resumed>");
	*rest = '\0';
	rest += sizeof(mark) - 1;
	if (!call || strcmp(call->name, text + strlen("<... ")) != 0)
		return bad(r, text, "no call of that name and process is unfinished");
	result = find_result(rest);
	close = result;
	while (close && close > rest && *close == ' ')
		close--;
	if (!close || *close != ')')
		return bad(r, rest, "must end in ) = RESULT");
	error = parse_result(r, result + 3, call);
	if (error)
		return error;
	*close = '\0';
	/* The arguments were cut at a comma or a blank; what follows is rarely there. */
	if (rest[strspn(rest, " ")] != '\0' && !strace_makes_process(call->name))
		return bad(r, rest, "arguments after <... resumed> are not understood");
	return place(r, call);
}

/* `ID SECONDS REST`: cuts off what stands before REST. */
static int parse_prefix(const struct reader *r, char **text, unsigned *process)
{
	char *line = *text;
	char *end;
	u64 number;

	if (!isdigit((unsigned char)line[0]))
		return bad(r, line, "must begin with a process number");
	errno = 0;
	number = strtoull(line, &end, 10);
	if (errno || number == 0 || number > UINT32_MAX || *end != ' ')
		return bad(r, line, "must begin with a process number from 1, then a blank");
	*process = (unsigned)number;
	end += strspn(end, " ");
	*text = end + strspn(end, "0123456789.");
	if (*text == end || **text != ' ')
		return bad(r, line, "after the process number must stand a time in seconds");
	*text += strspn(*text, " ");
	return 0;
}

static int whole_call(const struct reader *r, unsigned process, char *text)
{
	struct strace_call *call = new_call(r, process);

	if (!call)
		return message_set(r->msg, -ENOMEM, "%s: no memory", r->log->path);
	return parse_call(r, text, call);
}

static int parse_line(const struct reader *r, char *text)
{
	unsigned process = 0;
	size_t length;
	int error;

	if (text[0] == '#')
		return 0;
	error = parse_prefix(r, &text, &process);
	if (error)
		return error;
	if (strncmp(text, "+++", 3) == 0 || strncmp(text, "---", 3) == 0)
		return 0; /* exits and signals */
	if (strncmp(text, "<... ", 5) == 0)
		return resume(r, process, text);
	length = strlen(text);
	if (length > sizeof(UNFINISHED) &&
	    strcmp(text + length - (sizeof(UNFINISHED) - 1), UNFINISHED) == 0)
		return begin_split(r, process, text);
	return whole_call(r, process, text);
}

int strace_log_parse(const char *path, char *text, struct strace_log *log, struct message *msg)
{
	struct text_lines lines = {.next = text};
	struct reader r = {.log = log, .msg = msg};
	char *line;
	int error = 0;

	*log = (struct strace_log){.path = path};
	while (!error && (line = text_next_line(&lines))) {
		r.line = lines.number;
		error = parse_line(&r, line);
	}
	if (!error && log->nr_calls == 0)
		error = message_set(msg, -EINVAL,
				    "%s: no call; lines must be ID SECONDS CALL(...) = "
				    "RESULT, as strace -f -y -ttt writes them",
				    path);
	if (error)
		strace_log_free(log);
	return error;
}

void strace_log_free(struct strace_log *log)
{
	free(log->calls);
	*log = (struct strace_log){.path = NULL};
}
