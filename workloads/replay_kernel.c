/* SPDX-License-Identifier: MIT */
/*
 * replay_kernel.c - the lines of a kernel trace in their order.
 *
 *	head, then operations and layouts ("snap"), then end.
 *
 * No line may be missing: operation numbers count up by one, a snap carries the
 * number of the next operation and stands wherever the head's `every` says (in fork
 * children: every CHILD_EVERY, or each), after each fork and join, and once more
 * before each exit and the end. A process level above 0 is
 * the fork child of the level below, which waits until the child's exit; the
 * operation number of its `joined` line lies between fork and exit.
 */
#include "workloads/replay_kernel.h"

#include "workloads/replay.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CHILD_EVERY = 6 };

void trace_difference(struct kernel_replay *r, const char *fmt, ...)
{
	va_list args;

	r->result->differences++;
	if (!r->request->out)
		return;
	fprintf(r->request->out, "%s:%llu: %s (operation %llu): ", r->request->path,
		(unsigned long long)r->line.number, r->line.what,
		(unsigned long long)(r->next_op ? r->next_op - 1 : 0));
	va_start(args, fmt);
	vfprintf(r->request->out, fmt, args);
	va_end(args);
	fputc('\n', r->request->out);
}

static int check_level(struct kernel_replay *r)
{
	u64 level;
	int error = line_number(&r->line, "p", &level);

	if (!error && level != r->level)
		error = line_error(&r->line, "field 'p': %llu: the running process is %u",
				   (unsigned long long)level, r->level);
	return error;
}

static int check_number(struct kernel_replay *r, u64 first, u64 last)
{
	u64 number;
	int error = line_number(&r->line, "i", &number);

	if (!error && (number < first || number > last))
		error = line_error(
			&r->line,
			"field 'i': %llu: operation %llu must come here; a line is missing or "
			"doubled",
			(unsigned long long)number, (unsigned long long)first);
	return error;
}

static int snap_line(struct kernel_replay *r)
{
	int error = check_number(r, r->next_op, r->next_op);

	if (!error)
		error = check_level(r);
	r->snaps++;
	return error ? error : trace_snap(r);
}

/* @extra: 1 before the end of a process, whose last layout stands there once more. */
static int check_snaps(struct kernel_replay *r, unsigned extra)
{
	unsigned wanted = r->snaps_due + extra;

	if (r->snaps == wanted)
		return 0;
	return line_error(&r->line,
			  "%u layouts (snap) of operation %llu came before; %u must: a line is "
			  "missing or doubled",
			  r->snaps, (unsigned long long)r->next_op, wanted);
}

/* How many layouts must stand between what was just done and the next operation. */
static void expect_snaps(struct kernel_replay *r, bool always)
{
	u64 every = r->level == 0 || r->every == 1 ? r->every : CHILD_EVERY;

	r->snaps = 0;
	r->snaps_due = always || r->next_op % every == 0;
}

static int exit_line(struct kernel_replay *r)
{
	int error;

	if (r->level == 0)
		return line_error(&r->line, "the first process can't exit; only a fork child can");
	error = check_snaps(r, 1);
	if (!error)
		error = check_number(r, r->next_op, r->next_op);
	if (error)
		return error;
	mmput(r->mm[r->level]);
	r->mm[r->level--] = NULL;
	r->snaps = r->snaps_due = 0;
	return 0;
}

/* The recorder goes on with a number that its child may have used too. */
static int joined_line(struct kernel_replay *r)
{
	int error;

	if (r->level + 1 >= TRACE_LEVELS || r->fork_op[r->level + 1] == 0)
		return line_error(&r->line, "no child of this process has exited");
	error = check_number(r, r->fork_op[r->level + 1], r->next_op);
	if (!error)
		error = line_number(&r->line, "i", &r->next_op);
	r->fork_op[r->level + 1] = 0;
	expect_snaps(r, true);
	return error;
}

static int plain_op_line(struct kernel_replay *r)
{
	unsigned level = r->level;
	int error = check_number(r, r->next_op, r->next_op);

	if (error)
		return error;
	r->next_op++;
	error = trace_op(r);
	expect_snaps(r, r->level != level);
	return error;
}

static int op_line(struct kernel_replay *r)
{
	int error = line_string(&r->line, "op", &r->line.what);

	if (!error)
		error = check_level(r);
	if (error)
		return error;
	if (strcmp(r->line.what, "exit") == 0)
		return exit_line(r);
	error = check_snaps(r, 0);
	if (error)
		return error;
	if (strcmp(r->line.what, "joined") == 0)
		return joined_line(r);
	return plain_op_line(r);
}

static int end_line(struct kernel_replay *r)
{
	u64 operations;
	int error = check_snaps(r, 1);

	if (!error)
		error = line_number(&r->line, "ops", &operations);
	if (error)
		return error;
	if (r->level != 0)
		return line_error(&r->line, "process %u has not exited", r->level);
	if (operations != r->next_op)
		return line_error(&r->line,
				  "field 'ops': %llu: %llu operations came before; a line is "
				  "missing or doubled",
				  (unsigned long long)operations, (unsigned long long)r->next_op);
	r->ended = true;
	return 0;
}

static int head_line(struct kernel_replay *r)
{
	if (r->booted)
		return line_error(&r->line, "only the first line can be the head");
	return trace_head(r);
}

static int dispatch(struct kernel_replay *r, const char *kind)
{
	static const struct {
		const char *kind;
		int (*run)(struct kernel_replay *r);
	} kinds[] = {
		{"head", head_line},
		{"op", op_line},
		{"snap", snap_line},
		{"end", end_line},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kind, kinds[i].kind) == 0)
			return kinds[i].run(r);
	return line_error(&r->line, "field 't': '%.40s': must be head, op, snap or end", kind);
}

static int checked_line(struct kernel_replay *r)
{
	const char *kind;
	int error = line_string(&r->line, "t", &kind);

	if (error)
		return error;
	r->line.what = kind;
	if (r->ended)
		return line_error(&r->line, "nothing may follow the end line");
	if (!r->booted && strcmp(kind, "head") != 0)
		return line_error(&r->line, "the first line must be the head");
	return dispatch(r, kind);
}

static int replay_line(struct kernel_replay *r, const char *text)
{
	json_error_t fault;
	int error;

	r->line.what = "trace";
	r->line.object = json_loads(text, JSON_REJECT_DUPLICATES, &fault);
	if (!r->line.object)
		return line_error(&r->line,
				  "'%.40s': column %d: %.120s; each line must be one whole JSON "
				  "object",
				  text, fault.column, fault.text);
	if (json_is_object(r->line.object))
		error = checked_line(r);
	else
		error = line_error(&r->line, "'%.40s': must be a JSON object", text);
	json_decref(r->line.object);
	r->line.object = NULL;
	return error;
}

static int replay_lines(struct kernel_replay *r, char *text)
{
	struct text_lines lines = {.next = text};
	char *line;

	while ((line = text_next_line(&lines))) {
		int error;

		r->line.number = lines.number;
		error = replay_line(r, line);
		if (error)
			return error;
	}
	r->line.what = "trace";
	if (!r->ended)
		return line_error(&r->line,
				  "the trace stops here; its last line must be {\"t\":\"end\"}");
	return 0;
}

static int close_session(struct kernel_replay *r, struct message *msg)
{
	struct session_leaks leaks;

	for (unsigned i = 0; i < TRACE_LEVELS; i++)
		if (r->mm[i])
			mmput(r->mm[i]);
	trace_close_files(r);
	session_close(&r->session, &leaks);
	if (leaks.objects || leaks.pages)
		return message_set(msg, -EIO,
				   "%llu objects and %llu pages were left after the replay: "
				   "a fault of the simulator",
				   (unsigned long long)leaks.objects,
				   (unsigned long long)leaks.pages);
	return 0;
}

int replay_kernel(const struct replay_request *request, struct text_file *file,
		  struct replay_result *result, struct message *msg)
{
	struct kernel_replay r = {.request = request, .result = result};
	struct message ignored;
	int error;

	r.line = (struct trace_line){.file = request->path, .bases = &r.bases, .msg = msg};
	error = replay_lines(&r, file->text);
	if (!error && request->maps_out)
		mm_print_maps(r.mm[0], request->maps_out);
	if (r.booted) {
		int left = close_session(&r, error ? &ignored : msg);

		error = error ? error : left;
	}
	free(r.init);
	free(r.shm);
	return error;
}
