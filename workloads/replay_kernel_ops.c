/* SPDX-License-Identifier: MIT */
/*
 * replay_kernel_ops.c - one operation of a trace: do it, then compare what it
 * returned and how many objects it allocated and freed.
 *
 * An operation of the format that the simulator does not have yet is refused by
 * name; it is never skipped.
 */
#include "workloads/replay_kernel.h"

#include "workloads/errno_name.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MEMLOCK_HARD_LIMIT 0x800000ull /* of the recorder; other hard limits are infinite */

struct outcome {
	bool is_address; /* of @value */
	u64 value;
	int error;        /* 0 or an errno */
	int signal, code; /* touch */
};

static void set_outcome(struct outcome *out, long value)
{
	if (value < 0 && value >= -4095)
		out->error = (int)-value;
	else
		out->value = (u64)value;
}

static struct mm_struct *running(struct kernel_replay *r)
{
	return r->mm[r->level];
}

static int line_range(const struct trace_line *line, u64 *addr, u64 *len)
{
	int error = line_address(line, "addr", addr);

	return error ? error : line_hex(line, "len", len);
}

static int line_file(struct kernel_replay *r, struct file **file)
{
	const char *name;
	int error = line_string(&r->line, "fd", &name);

	*file = NULL;
	if (error || strcmp(name, "none") == 0 || strcmp(name, "bad") == 0)
		return error;
	for (unsigned i = 0; i < ARRAY_SIZE(r->files); i++)
		if (strcmp(name, r->files[i].name) == 0)
			*file = r->files[i].file;
	if (!*file)
		return line_error(&r->line,
				  "field 'fd': '%.40s': must be none, bad, dir, A, A2, AR, AW or "
				  "B",
				  name);
	return 0;
}

struct find_inode {
	u64 address;
	const struct inode *inode;
};

static bool at_address(void *arg, const struct vma_view *vma)
{
	struct find_inode *find = arg;

	if (vma->end <= find->address)
		return true;
	find->inode = vma->inode;
	return false;
}

/* Remember the object that this shared anonymous mapping made. */
static int note_shm(struct kernel_replay *r, u64 address)
{
	struct find_inode find = {.address = address};
	struct trace_shm *larger = realloc(r->shm, (r->nr_shm + 1) * sizeof(*larger));

	if (!larger)
		return message_set(r->line.msg, -ENOMEM, "%s: no memory", r->line.file);
	r->shm = larger;
	mm_visit_vmas(running(r), at_address, &find);
	r->shm[r->nr_shm++] = (struct trace_shm){.inode = find.inode, .op = r->next_op - 1};
	return 0;
}

static int op_mmap(struct kernel_replay *r, struct outcome *out)
{
	u64 addr, len, prot, flags, off;
	struct file *file;
	int error;

	if ((error = line_range(&r->line, &addr, &len)) ||
	    (error = line_number(&r->line, "prot", &prot)) ||
	    (error = line_number(&r->line, "flags", &flags)) || (error = line_file(r, &file)) ||
	    (error = line_hex(&r->line, "off", &off)))
		return error;
	out->is_address = true;
	set_outcome(out, sys_mmap(running(r), addr, len, prot, flags, file, off));
	if (!out->error && (flags & MAP_ANONYMOUS) && (flags & MAP_TYPE) == MAP_SHARED)
		return note_shm(r, out->value);
	return 0;
}

static int op_munmap(struct kernel_replay *r, struct outcome *out)
{
	u64 addr, len;
	int error = line_range(&r->line, &addr, &len);

	if (!error)
		set_outcome(out, sys_munmap(running(r), addr, len));
	return error;
}

static int op_mprotect(struct kernel_replay *r, struct outcome *out)
{
	u64 addr, len, prot;
	int error = line_range(&r->line, &addr, &len);

	if (!error)
		error = line_number(&r->line, "prot", &prot);
	if (!error)
		set_outcome(out, sys_mprotect(running(r), addr, len, prot));
	return error;
}

static int op_brk(struct kernel_replay *r, struct outcome *out)
{
	u64 addr;
	int error = line_address(&r->line, "addr", &addr);

	if (!error) {
		out->is_address = true;
		out->value = sys_brk(running(r), addr);
	}
	return error;
}

static int op_touch(struct kernel_replay *r, struct outcome *out)
{
	struct touch_result touch;
	u64 addr, len, write;
	int error = line_range(&r->line, &addr, &len);

	if (!error)
		error = line_number(&r->line, "w", &write);
	if (error)
		return error;
	if (write > 1)
		return line_error(&r->line, "field 'w': %llu: must be 0 or 1",
				  (unsigned long long)write);
	touch = mm_touch(running(r), addr, len, write);
	out->value = touch.pages_done;
	out->signal = touch.signal;
	out->code = touch.code;
	return 0;
}

static int op_setrlimit(struct kernel_replay *r, struct outcome *out)
{
	static const char *const names[] = {
		[LIMIT_AS] = "AS",
		[LIMIT_DATA] = "DATA",
		[LIMIT_STACK] = "STACK",
		[LIMIT_MEMLOCK] = "MEMLOCK",
	};
	const char *name;
	unsigned which = 0;
	u64 value;
	int error = line_string(&r->line, "res", &name);

	if (!error)
		error = line_hex(&r->line, "val", &value);
	if (error)
		return error;
	while (which < ARRAY_SIZE(names) && strcmp(name, names[which]) != 0)
		which++;
	if (which == ARRAY_SIZE(names))
		return line_error(&r->line,
				  "field 'res': '%.40s': must be AS, DATA, STACK or MEMLOCK", name);
	if (which == LIMIT_MEMLOCK)
		value = min(value, (u64)MEMLOCK_HARD_LIMIT);
	set_outcome(out, sys_setrlimit(running(r), (enum rlimit_resource)which, value));
	return 0;
}

static int line_fill(const struct trace_line *line, u64 *addr, u64 *count)
{
	int error = line_address(line, "addr", addr);

	return error ? error : line_number(line, "count", count);
}

static int op_mapfill(struct kernel_replay *r, struct outcome *out)
{
	u64 addr, count;
	int error = line_fill(&r->line, &addr, &count);

	for (u64 k = 0; !error && k < count && !out->error; k++) {
		long got = sys_mmap(running(r), addr + k * PAGE_SIZE, PAGE_SIZE,
				    k & 1 ? PROT_READ : PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, NULL, 0);

		if (got < 0)
			out->error = (int)-got;
		else
			out->value++;
		op_end(0);
	}
	return error;
}

static int op_protfill(struct kernel_replay *r, struct outcome *out)
{
	u64 addr, count;
	int error = line_fill(&r->line, &addr, &count);

	for (u64 k = 0; !error && k < count && !out->error; k++) {
		long got = sys_mprotect(running(r), addr + 2 * k * PAGE_SIZE, PAGE_SIZE, PROT_NONE);

		if (got < 0)
			out->error = (int)-got;
		else
			out->value++;
		op_end(0);
	}
	return error;
}

static int op_fork(struct kernel_replay *r, struct outcome *out)
{
	int error = 0;
	struct mm_struct *child;

	if (r->level + 1 == TRACE_LEVELS)
		return line_error(&r->line, "at most %d processes may be alive at once",
				  TRACE_LEVELS);
	child = dup_mm(running(r), &error);
	if (!child) {
		out->error = -error;
		return 0;
	}
	r->mm[++r->level] = child;
	r->fork_op[r->level] = r->next_op;
	return 0;
}

static const struct operation {
	const char *name;
	int (*run)(struct kernel_replay *r, struct outcome *out);
	bool counts_objects; /* `alloc` was recorded */
	bool may_stop;       /* r and e both: how far it came and why it stopped */
} operations[] = {
	{"mmap", op_mmap, true, false},         {"munmap", op_munmap, true, false},
	{"mprotect", op_mprotect, true, false}, {"brk", op_brk, true, false},
	{"touch", op_touch, true, false},       {"mapfill", op_mapfill, true, true},
	{"protfill", op_protfill, true, true},  {"setrlimit", op_setrlimit, true, false},
	{"fork", op_fork, false, false},
};

static const char *const not_built[] = {
	"mremap",   "madvise",    "mlock", "mlock2", "munlock",
	"mlockall", "munlockall", "msync", "mseal",  "mbind",
};

static int unknown_operation(const struct trace_line *line)
{
	for (unsigned i = 0; i < ARRAY_SIZE(not_built); i++)
		if (strcmp(line->what, not_built[i]) == 0)
			return line_error(
				line, "this operation is not built yet; built are mmap, munmap, "
				      "mprotect, brk, touch, mapfill, protfill, setrlimit, fork");
	return line_error(line,
			  "field 'op': there is no such operation; allowed: mmap, munmap, "
			  "mprotect, brk, touch, mapfill, protfill, setrlimit, fork, exit, joined");
}

static const struct operation *find_operation(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(operations); i++)
		if (strcmp(name, operations[i].name) == 0)
			return &operations[i];
	return NULL;
}

/* ---- Comparing ------------------------------------------------------------ */

static int expected_error(const struct trace_line *line, const struct operation *op, int *error)
{
	const char *name;
	int fault;

	*error = 0;
	if (!line_has(line, "e"))
		return 0;
	fault = line_string(line, "e", &name);
	if (fault)
		return fault;
	*error = errno_of_name(name);
	if (!*error)
		return line_error(line, "field 'e': '%.40s': must be an errno name such as ENOMEM",
				  name);
	if (!op->may_stop && line_has(line, "r"))
		return line_error(line, "has both 'r' and 'e'; it must have one of them");
	return 0;
}

static void print_outcome(const struct kernel_replay *r, const struct outcome *out, char *text,
			  size_t size)
{
	if (out->error)
		snprintf(text, size, "%s", errno_name(out->error));
	else if (out->is_address)
		format_address(&r->bases, out->value, text, size);
	else
		snprintf(text, size, "%llu", (unsigned long long)out->value);
}

static void compare_outcomes(struct kernel_replay *r, const struct outcome *want,
			     const struct outcome *got)
{
	char expected[40], actual[40];

	if (want->error == got->error && want->value == got->value)
		return;
	print_outcome(r, want, expected, sizeof(expected));
	print_outcome(r, got, actual, sizeof(actual));
	trace_difference(r, "result: expected %s, got %s", expected, actual);
	if (want->error && got->error && want->value != got->value)
		trace_difference(r, "done before the error: expected %llu, got %llu",
				 (unsigned long long)want->value, (unsigned long long)got->value);
}

static int compare_result(struct kernel_replay *r, const struct operation *op,
			  const struct outcome *got)
{
	struct outcome want = {.is_address = got->is_address};
	int fault = expected_error(&r->line, op, &want.error);

	if (!fault && (!want.error || op->may_stop))
		fault = got->is_address ? line_address(&r->line, "r", &want.value)
					: line_number(&r->line, "r", &want.value);
	if (!fault)
		compare_outcomes(r, &want, got);
	return fault;
}

static const char *signal_text(int number)
{
	return number == 0         ? "none"
	       : number == SIGSEGV ? "SEGV"
	       : number == SIGBUS  ? "BUS"
				   : "other";
}

static int compare_signal(struct kernel_replay *r, const struct outcome *got)
{
	const char *name = "none";
	u64 code = 0;
	int fault = 0;

	if (line_has(&r->line, "sig") || line_has(&r->line, "code")) {
		fault = line_string(&r->line, "sig", &name);
		if (!fault)
			fault = line_number(&r->line, "code", &code);
	}
	if (fault)
		return fault;
	if (strcmp(name, signal_text(got->signal)) != 0)
		trace_difference(r, "signal: expected %s, got %s", name, signal_text(got->signal));
	if (code != (u64)got->code)
		trace_difference(r, "signal code: expected %llu, got %d", (unsigned long long)code,
				 got->code);
	return 0;
}

static const struct object_key {
	const char *key;
	enum vm_event event;
} object_keys[] = {
	{"node+", EVENT_NODE_ALLOC},   {"vma+", EVENT_VMA_ALLOC},    {"vma-", EVENT_VMA_FREE},
	{"av+", EVENT_ANON_VMA_ALLOC}, {"av-", EVENT_ANON_VMA_FREE}, {"avc+", EVENT_AVC_ALLOC},
	{"avc-", EVENT_AVC_FREE},
};

static void count_objects(u64 *totals)
{
	for (unsigned i = 0; i < ARRAY_SIZE(object_keys); i++)
		totals[i] = event_total(object_keys[i].event);
}

static int check_object_names(const struct trace_line *line, json_t *alloc)
{
	const char *key;
	json_t *value;

	json_object_foreach(alloc, key, value)
	{
		bool known = false;

		for (unsigned i = 0; i < ARRAY_SIZE(object_keys); i++)
			known = known || strcmp(key, object_keys[i].key) == 0;
		if (!known)
			return line_error(line,
					  "field 'alloc': '%.40s': must be node+, vma+, vma-, av+, "
					  "av-, avc+ or avc-",
					  key);
	}
	return 0;
}

static int compare_objects(struct kernel_replay *r, const u64 *before, const u64 *after)
{
	json_t *alloc;
	int fault = line_object(&r->line, "alloc", &alloc);

	if (!fault)
		fault = check_object_names(&r->line, alloc);
	for (unsigned i = 0; i < ARRAY_SIZE(object_keys) && !fault; i++) {
		const char *key = object_keys[i].key;
		u64 got = after[i] - before[i];
		u64 want = 0;

		if (json_object_get(alloc, key))
			fault = object_number(&r->line, alloc, "alloc", key, &want);
		if (fault)
			break;
		r->result->object_counts++;
		if (want != got)
			trace_difference(r, "objects %s: expected %llu, got %llu", key,
					 (unsigned long long)want, (unsigned long long)got);
	}
	return fault;
}

static int compare(struct kernel_replay *r, const struct operation *op, const struct outcome *got,
		   const u64 *before, const u64 *after)
{
	int fault = compare_result(r, op, got);

	if (!fault)
		fault = compare_signal(r, got);
	if (!fault && op->counts_objects)
		fault = compare_objects(r, before, after);
	return fault;
}

int trace_op(struct kernel_replay *r)
{
	const struct operation *op = find_operation(r->line.what);
	u64 before[ARRAY_SIZE(object_keys)], after[ARRAY_SIZE(object_keys)];
	struct outcome out = {.error = 0};
	int fault;

	if (!op)
		return unknown_operation(&r->line);
	count_objects(before);
	op_begin();
	fault = op->run(r, &out);
	count_objects(after);
	op_end(1);
	if (fault)
		return fault;
	r->result->operations++;
	return r->request->check ? compare(r, op, &out, before, after) : 0;
}
