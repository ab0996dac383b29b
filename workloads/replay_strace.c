/* SPDX-License-Identifier: MIT */
/*
 * replay_strace.c - running the memory calls of an strace log.
 *
 * Addresses come from the simulator's own gap search; one that differs from the
 * recorded is a difference and is never adopted. Files are known by path and
 * count as opened for reading and writing, since opens are not in the log. Calls
 * that do not concern memory are passed over; memory calls that are not built yet
 * are refused by name.
 */
#include "workloads/replay_strace.h"

#include "workloads/errno_name.h"
#include "workloads/replay.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES (1ull << 40) /* sizes are not in the log; no call depends on them */

void strace_difference(struct strace_replay *r, const char *fmt, ...)
{
	const struct strace_call *call = &r->log.calls[r->at];
	va_list args;

	r->result->differences++;
	if (!r->request->out)
		return;
	fprintf(r->request->out, "%s:%llu: %s (process %u): ", r->request->path,
		(unsigned long long)call->line, call->name, call->process);
	va_start(args, fmt);
	vfprintf(r->request->out, fmt, args);
	va_end(args);
	fputc('\n', r->request->out);
}

/* ---- Files ------------------------------------------------------------------ */

static enum file_system file_system_of(const char *path)
{
	bool memory = strncmp(path, "/memfd:", 7) == 0 || strncmp(path, "/dev/shm/", 9) == 0;

	return memory ? FS_TMPFS : FS_EXT4;
}

static struct file *open_file(struct strace_replay *r, const char *path)
{
	struct strace_file *larger = realloc(r->files, (r->nr_files + 1) * sizeof(*larger));
	struct inode *inode = inode_create(path, file_system_of(path), FILE_BYTES);
	struct file *file = inode ? file_open(inode, FMODE_READ | FMODE_WRITE) : NULL;

	if (inode)
		inode_put(inode);
	r->files = larger ? larger : r->files;
	if (!larger || !file) {
		if (file)
			fput(file);
		message_set(r->msg, -ENOMEM, "%s: no memory", r->request->path);
		return NULL;
	}
	r->files[r->nr_files++] = (struct strace_file){.path = path, .file = file};
	return file;
}

static struct file *file_of(struct strace_replay *r, const char *path)
{
	for (size_t i = 0; i < r->nr_files; i++)
		if (strcmp(r->files[i].path, path) == 0)
			return r->files[i].file;
	return open_file(r, path);
}

/* ---- Calls ------------------------------------------------------------------ */

/* Each runs a call whose arguments were parsed by its format. 0, or -errno of a fault. */
static int run_mmap(struct strace_replay *r, struct mm_struct *mm, const struct strace_arguments *a,
		    long *result)
{
	struct file *file = NULL;

	if (a->path) {
		file = file_of(r, a->path);
		if (!file)
			return -ENOMEM;
	}
	*result = sys_mmap(mm, a->number[0], a->number[1], a->number[2], a->number[3], file,
			   a->number[5]);
	return 0;
}

static int run_munmap(struct strace_replay *r, struct mm_struct *mm,
		      const struct strace_arguments *a, long *result)
{
	(void)r;
	*result = sys_munmap(mm, a->number[0], a->number[1]);
	return 0;
}

static int run_mprotect(struct strace_replay *r, struct mm_struct *mm,
			const struct strace_arguments *a, long *result)
{
	(void)r;
	*result = sys_mprotect(mm, a->number[0], a->number[1], a->number[2]);
	return 0;
}

static int run_brk(struct strace_replay *r, struct mm_struct *mm, const struct strace_arguments *a,
		   long *result)
{
	(void)r;
	*result = (long)sys_brk(mm, a->number[0]);
	return 0;
}

static const struct memory_call {
	const char *name, *format;
	int (*run)(struct strace_replay *r, struct mm_struct *mm, const struct strace_arguments *a,
		   long *result);
} memory_calls[] = {
	{"mmap", "alpfdo", run_mmap},
	{"munmap", "al", run_munmap},
	{"mprotect", "alp", run_mprotect},
	{"brk", "a", run_brk},
};

static const char *const not_built[] = {
	"mremap",        "madvise",          "mlock", "mlock2", "munlock",
	"mlockall",      "munlockall",       "msync", "mseal",  "mbind",
	"pkey_mprotect", "remap_file_pages", "shmat", "shmdt",  "process_madvise",
};

static void print_result(long value, char *text, size_t size)
{
	if (value < 0)
		snprintf(text, size, "%s", errno_name((int)-value));
	else if (value == 0)
		snprintf(text, size, "0");
	else
		snprintf(text, size, "0x%lx", (unsigned long)value);
}

static void compare_result(struct strace_replay *r, const struct strace_call *call, long got)
{
	long want = call->kind == STRACE_ERROR ? -call->error : (long)call->value;
	char expected[32], actual[32];

	if (!r->request->check || call->kind == STRACE_UNKNOWN || want == got)
		return;
	print_result(want, expected, sizeof(expected));
	print_result(got, actual, sizeof(actual));
	strace_difference(r, "result: expected %s, got %s", expected, actual);
}

static int run_memory_call(struct strace_replay *r, struct strace_call *call,
			   const struct memory_call *memory)
{
	struct strace_process *process = strace_process(r, call);
	struct strace_arguments arguments;
	long result = 0;
	int error;

	if (!process)
		return -EINVAL;
	error = strace_parse_arguments(&r->log, call, memory->format, &arguments, r->msg);
	if (error)
		return error;
	op_begin();
	error = memory->run(r, process->space->mm, &arguments, &result);
	op_end(1);
	if (error)
		return error;
	r->result->operations++;
	compare_result(r, call, result);
	return 0;
}

static void print_maps_of_first(struct strace_replay *r, const struct strace_process *process)
{
	if (!r->request->maps_out || r->maps_printed || process->leader != r->processes[0].id)
		return;
	mm_print_maps(process->space->mm, r->request->maps_out);
	r->maps_printed = true;
}

static int run_exit_group(struct strace_replay *r, const struct strace_call *call)
{
	struct strace_process *process = strace_process(r, call);
	int error = 0;

	if (!process)
		return -EINVAL;
	if (r->request->check)
		error = strace_check_final(r, process->leader, process->space->mm);
	print_maps_of_first(r, process);
	strace_exit(r, call->process, true);
	return error;
}

static int run_process_call(struct strace_replay *r, struct strace_call *call)
{
	if (strace_makes_process(call->name))
		return call->kind == STRACE_VALUE ? strace_create(r, call) : 0;
	if (strcmp(call->name, "execve") == 0 || strcmp(call->name, "execveat") == 0)
		return call->kind == STRACE_VALUE ? strace_exec(r, call) : 0;
	if (strcmp(call->name, "exit_group") == 0)
		return run_exit_group(r, call);
	if (strcmp(call->name, "exit") == 0)
		strace_exit(r, call->process, false);
	return 0;
}

static int refuse_not_built(const struct strace_replay *r, const struct strace_call *call)
{
	for (unsigned i = 0; i < ARRAY_SIZE(not_built); i++)
		if (strcmp(call->name, not_built[i]) == 0)
			return message_set(r->msg, -EINVAL,
					   "%s:%llu: %s: this call is not built yet; built "
					   "are mmap, munmap, mprotect, brk",
					   r->request->path, (unsigned long long)call->line,
					   call->name);
	return 0;
}

static int run_call(struct strace_replay *r, struct strace_call *call)
{
	int error = refuse_not_built(r, call);

	if (error)
		return error;
	for (unsigned i = 0; i < ARRAY_SIZE(memory_calls); i++)
		if (strcmp(call->name, memory_calls[i].name) == 0)
			return run_memory_call(r, call, &memory_calls[i]);
	return run_process_call(r, call);
}

static int run_calls(struct strace_replay *r)
{
	for (r->at = 0; r->at < r->log.nr_calls; r->at++) {
		struct strace_call *call = &r->log.calls[r->at];
		int error;

		if (call->dropped)
			continue;
		error = run_call(r, call);
		if (error)
			return error;
		if (r->after_call)
			r->after_call(r, call, r->after_call_arg);
	}
	return 0;
}

/* A log that stops before the first process exits: print what it had by then. */
static void print_maps_at_end(struct strace_replay *r)
{
	if (r->nr_processes && !r->processes[0].exited)
		print_maps_of_first(r, &r->processes[0]);
}

static int run_in_session(struct strace_replay *r)
{
	struct machine_config config = session_config(r->request->machine, r->request->policy, 1);
	struct session_leaks leaks;
	int error = session_open(&r->session, &config, r->request->policy, r->msg);

	if (error)
		return error;
	error = run_calls(r);
	if (!error)
		print_maps_at_end(r);
	strace_drop_all(r);
	session_close(&r->session, &leaks);
	if (!error && (leaks.objects || leaks.pages))
		error = message_set(r->msg, -EIO,
				    "%llu objects and %llu pages were left after the replay: "
				    "a fault of the simulator",
				    (unsigned long long)leaks.objects,
				    (unsigned long long)leaks.pages);
	for (size_t i = 0; i < r->nr_layouts; i++)
		layout_free(r->layouts[i]);
	free(r->layouts);
	return error;
}

int strace_replay_run(struct strace_replay *r, char *text)
{
	int error = strace_log_parse(r->request->path, text, &r->log, r->msg);

	if (error)
		return error;
	error = run_in_session(r);
	strace_log_free(&r->log);
	return error;
}

int replay_strace(const struct replay_request *request, struct text_file *file,
		  struct replay_result *result, struct message *msg)
{
	struct strace_replay r = {.request = request, .result = result, .msg = msg};

	return strace_replay_run(&r, file->text);
}
