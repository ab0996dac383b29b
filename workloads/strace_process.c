/* SPDX-License-Identifier: MIT */
/*
 * strace_process.c - processes and threads of a log, and their address spaces.
 *
 * A log does not say which pages were written. A forked copy of a process that ran
 * differs by that (a written VMA gets a chain of two in the child and joins no new
 * range), so before a fork each private writable VMA of the parent is written once.
 */
#include "workloads/replay_strace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *strace_maps_path(const struct strace_replay *r, const char *kind, unsigned id)
{
	static const char tail[] = ".strace";
	const char *path = r->request->path;
	size_t length = strlen(path);
	char *out;

	if (length > strlen(tail) && strcmp(path + length - strlen(tail), tail) == 0)
		length -= strlen(tail);
	if (asprintf(&out, "%.*s.maps.%s.%u", (int)length, path, kind, id) < 0)
		return NULL;
	return out;
}

static int no_memory(struct strace_replay *r)
{
	return message_set(r->msg, -ENOMEM, "%s: no memory", r->request->path);
}

/* ---- Address spaces -------------------------------------------------------- */

static void put_space(struct strace_mm *space)
{
	if (space && --space->users == 0) {
		mmput(space->mm);
		free(space);
	}
}

static struct strace_mm *new_space(struct mm_struct *mm)
{
	struct strace_mm *space = mm ? malloc(sizeof(*space)) : NULL;

	if (space)
		*space = (struct strace_mm){.mm = mm, .users = 1};
	else if (mm)
		mmput(mm);
	return space;
}

static struct strace_process *find(struct strace_replay *r, unsigned id)
{
	for (size_t i = r->nr_processes; i-- > 0;)
		if (r->processes[i].id == id && !r->processes[i].exited)
			return &r->processes[i];
	return NULL;
}

static struct strace_process *add(struct strace_replay *r, unsigned id, unsigned leader,
				  struct strace_mm *space)
{
	struct strace_process *larger =
		realloc(r->processes, (r->nr_processes + 1) * sizeof(*larger));

	if (!larger)
		return NULL;
	r->processes = larger;
	larger += r->nr_processes++;
	*larger = (struct strace_process){.id = id, .leader = leader, .space = space};
	return larger;
}

/* ---- execve ---------------------------------------------------------------- */

/* The break that execve chose: the first brk(NULL) that the process makes after it. */
static void take_break(const struct strace_replay *r, unsigned id, size_t from,
		       struct sim_config *config)
{
	for (size_t i = from; i < r->log.nr_calls; i++) {
		const struct strace_call *call = &r->log.calls[i];

		if (call->dropped || call->process != id || strcmp(call->name, "brk") != 0)
			continue;
		if (strncmp(call->arguments, "NULL", 4) == 0 && call->kind == STRACE_VALUE)
			config->start_brk = config->brk = call->value;
		return;
	}
}

static int keep_layout(struct strace_replay *r, struct layout *layout)
{
	struct layout **larger = realloc(r->layouts, (r->nr_layouts + 1) * sizeof(*larger));

	if (!larger) {
		layout_free(layout);
		return no_memory(r);
	}
	r->layouts = larger;
	r->layouts[r->nr_layouts++] = layout;
	return 0;
}

static int read_first_layout(struct strace_replay *r, unsigned id, struct layout **layout)
{
	char *path = strace_maps_path(r, "first", id);
	int error = path ? layout_read(path, layout, r->msg) : no_memory(r);

	free(path);
	return error ? error : keep_layout(r, *layout);
}

static int build_first(struct strace_replay *r, unsigned id, struct strace_mm **space)
{
	struct sim_config config;
	struct layout *layout;
	int error = read_first_layout(r, id, &layout);

	if (error)
		return error;
	sim_config_default(&config);
	layout_configure(layout, &config);
	if (!layout->has_heap)
		take_break(r, id, r->at, &config);
	*space = new_space(mm_alloc(&config));
	if (!*space)
		return no_memory(r);
	error = layout_populate(layout, (*space)->mm, r->msg);
	if (error)
		put_space(*space);
	return error;
}

int strace_exec(struct strace_replay *r, const struct strace_call *call)
{
	struct strace_process *process = find(r, call->process);
	struct strace_mm *space;
	int error = build_first(r, call->process, &space);

	if (error)
		return error;
	if (!process)
		process = add(r, call->process, call->process, NULL);
	if (!process) {
		put_space(space);
		return no_memory(r);
	}
	put_space(process->space);
	process->space = space;
	process->leader = process->id;
	return 0;
}

/* The first process of a log that begins after its execve starts from its layout too. */
struct strace_process *strace_process(struct strace_replay *r, const struct strace_call *call)
{
	struct strace_process *process = find(r, call->process);

	if (process)
		return process;
	if (r->nr_processes > 0) {
		message_set(r->msg, -EINVAL,
			    "%s:%llu: process %u: no fork, vfork or clone before made it",
			    r->request->path, (unsigned long long)call->line, call->process);
		return NULL;
	}
	return strace_exec(r, call) ? NULL : find(r, call->process);
}

/* ---- fork and clone --------------------------------------------------------- */

struct starts {
	u64 *address;
	size_t nr, room;
};

static bool note_written(void *arg, const struct vma_view *vma)
{
	struct starts *starts = arg;

	if (!(vma->flags & VM_WRITE) || (vma->flags & VM_MAYSHARE) || vma->has_anon_vma)
		return true;
	if (starts->nr == starts->room) {
		size_t room = starts->room ? 2 * starts->room : 64;
		u64 *larger = realloc(starts->address, room * sizeof(*larger));

		if (!larger)
			return false;
		starts->address = larger;
		starts->room = room;
	}
	starts->address[starts->nr++] = vma->start;
	return true;
}

void strace_touch_written(struct mm_struct *mm)
{
	struct starts starts = {.nr = 0};

	mm_visit_vmas(mm, note_written, &starts);
	for (size_t i = 0; i < starts.nr; i++)
		mm_touch(mm, starts.address[i], PAGE_SIZE, true);
	free(starts.address);
}

static bool shares_memory(const struct strace_call *call)
{
	return strcmp(call->name, "vfork") == 0 || strstr(call->arguments, "CLONE_VM");
}

static struct strace_mm *fork_space(struct strace_process *parent)
{
	int error = 0;

	strace_touch_written(parent->space->mm);
	return new_space(dup_mm(parent->space->mm, &error));
}

int strace_create(struct strace_replay *r, const struct strace_call *call)
{
	struct strace_process *parent = strace_process(r, call);
	unsigned id = (unsigned)call->value;
	bool thread = strstr(call->arguments, "CLONE_THREAD");
	struct strace_mm *space;

	if (!parent)
		return -EINVAL;
	if (find(r, id))
		return message_set(r->msg, -EINVAL, "%s:%llu: %s: process %u is alive already",
				   r->request->path, (unsigned long long)call->line, call->name,
				   id);
	if (shares_memory(call)) {
		space = parent->space;
		space->users++;
	} else {
		space = fork_space(parent);
	}
	if (!space || !add(r, id, thread ? parent->leader : id, space)) {
		put_space(space);
		return no_memory(r);
	}
	return 0;
}

/* ---- exit ------------------------------------------------------------------ */

static void leave(struct strace_process *process)
{
	put_space(process->space);
	process->space = NULL;
	process->exited = true;
}

void strace_exit(struct strace_replay *r, unsigned id, bool whole)
{
	struct strace_process *process = find(r, id);
	unsigned leader = process ? process->leader : id;

	for (size_t i = 0; i < r->nr_processes; i++) {
		struct strace_process *other = &r->processes[i];

		if (!other->exited && (other->id == id || (whole && other->leader == leader)))
			leave(other);
	}
}

void strace_drop_all(struct strace_replay *r)
{
	for (size_t i = 0; i < r->nr_processes; i++)
		if (!r->processes[i].exited)
			leave(&r->processes[i]);
	for (size_t i = 0; i < r->nr_files; i++)
		fput(r->files[i].file);
	free(r->processes);
	free(r->files);
}
