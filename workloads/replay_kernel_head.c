/* SPDX-License-Identifier: MIT */
/*
 * replay_kernel_head.c - the first line of a trace: kernel settings, files and
 * the complete list of VMAs of the start process.
 *
 * Everything is parsed before the machine is made, so a bad head boots nothing.
 */
#include "workloads/replay_kernel.h"

#include <stdlib.h>
#include <string.h>

#define NO_LIMIT (~0ull)

static int fixed_number(const struct trace_line *line, const char *key, u64 wanted)
{
	u64 value;
	int error = line_number(line, key, &value);

	if (!error && value != wanted)
		error = line_error(line, "field '%s': %llu: must be %llu", key,
				   (unsigned long long)value, (unsigned long long)wanted);
	return error;
}

static int parse_bases(struct kernel_replay *r)
{
	const struct {
		const char *key;
		u64 *value;
	} fields[] = {
		{"arena", &r->bases.arena},
		{"arena_top", &r->bases.arena_top},
		{"brk0", &r->bases.brk0},
		{"start_brk", &r->bases.start_brk},
		{"task_size", &r->config.task_size},
		{"mmap_base", &r->config.mmap_base},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(fields); i++) {
		int error = line_hex(&r->line, fields[i].key, fields[i].value);

		if (error)
			return error;
	}
	r->config.start_brk = r->bases.start_brk;
	r->config.brk = r->bases.brk0;
	return 0;
}

static int parse_settings(struct kernel_replay *r)
{
	u64 guard, maps, uid;
	const struct {
		const char *key;
		u64 *value;
	} fields[] = {
		{"mmap_min_addr", &r->config.mmap_min_addr},
		{"hint_min_addr", &r->config.hint_min_addr},
		{"stack_guard_gap", &guard},
		{"max_map_count", &maps},
		{"ram_pages", &r->config.ram_pages},
		{"swap_pages", &r->config.swap_pages},
		{"uid", &uid},
		{"every", &r->every},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(fields); i++) {
		int error = line_number(&r->line, fields[i].key, fields[i].value);

		if (error)
			return error;
	}
	if (r->every == 0)
		return line_error(&r->line, "field 'every': 0: must be at least 1");
	if (guard > UINT32_MAX || maps > UINT32_MAX)
		return line_error(&r->line, "stack_guard_gap and max_map_count must be below 2^32");
	r->config.stack_guard_gap = (u32)guard;
	r->config.max_map_count = (u32)maps;
	r->config.cap_sys_rawio = r->config.cap_ipc_lock = uid == 0;
	return 0;
}

static int parse_limit(struct kernel_replay *r, json_t *limits, const char *key, u64 *value)
{
	const char *text = json_string_value(json_object_get(limits, key));
	struct trace_line inner = r->line;

	if (text && strcmp(text, "inf") == 0) {
		*value = NO_LIMIT;
		return 0;
	}
	inner.object = limits;
	return line_hex(&inner, key, value);
}

static int parse_limits(struct kernel_replay *r)
{
	json_t *limits;
	int error = line_object(&r->line, "rlimit", &limits);

	if (!error)
		error = parse_limit(r, limits, "AS", &r->config.rlimit_as);
	if (!error)
		error = parse_limit(r, limits, "DATA", &r->config.rlimit_data);
	if (!error)
		error = parse_limit(r, limits, "STACK", &r->config.rlimit_stack);
	if (!error)
		error = parse_limit(r, limits, "MEMLOCK", &r->config.rlimit_memlock);
	return error;
}

static int parse_init(struct kernel_replay *r, bool **touched)
{
	json_t *array;
	int error = line_array(&r->line, "init", &array);

	if (error)
		return error;
	r->nr_init = json_array_size(array);
	r->init = calloc(r->nr_init + 1, sizeof(*r->init));
	*touched = calloc(r->nr_init + 1, sizeof(**touched));
	if (!r->init || !*touched)
		return message_set(r->line.msg, -ENOMEM, "%s: no memory", r->line.file);
	for (size_t i = 0; i < r->nr_init && !error; i++) {
		u64 anon;

		error = trace_parse_vma(&r->line, "init", i, json_array_get(array, i), &r->init[i],
					&anon);
		(*touched)[i] = !error && anon != ANON_UNKNOWN && anon;
	}
	return error;
}

/* end_data - start_data counts against RLIMIT_DATA: the program's own written pages. */
static void find_data(struct kernel_replay *r, const bool *touched)
{
	for (size_t i = 0; i < r->nr_init; i++)
		if (touched[i] && strcmp(r->init[i].id, "exe") == 0)
			r->config.end_data_bytes += r->init[i].end - r->init[i].start;
}

static u64 letter_flag(const char *letters)
{
	static const struct {
		const char *letters;
		u64 flag;
	} table[] = {
		{"mr", VM_MAYREAD},    {"mw", VM_MAYWRITE},    {"me", VM_MAYEXEC},
		{"ms", VM_MAYSHARE},   {"gd", VM_GROWSDOWN},   {"gu", VM_MAYBE_GUARD},
		{"lo", VM_LOCKED},     {"lf", VM_LOCKONFAULT}, {"sr", VM_SEQ_READ},
		{"rr", VM_RAND_READ},  {"dc", VM_DONTCOPY},    {"de", VM_DONTEXPAND},
		{"ac", VM_ACCOUNT},    {"nr", VM_NORESERVE},   {"dd", VM_DONTDUMP},
		{"wf", VM_WIPEONFORK}, {"hg", VM_HUGEPAGE},    {"nh", VM_NOHUGEPAGE},
		{"mg", VM_MERGEABLE},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
		if (strncmp(letters, table[i].letters, 2) == 0)
			return table[i].flag;
	return 0;
}

static int vma_flags(const struct trace_line *line, const struct trace_vma *vma, u64 *flags)
{
	*flags = (vma->perm[0] == 'r' ? VM_READ : 0) | (vma->perm[1] == 'w' ? VM_WRITE : 0) |
		 (vma->perm[2] == 'x' ? VM_EXEC : 0);
	for (const char *at = vma->flags; *at; at += at[2] ? 3 : 2) {
		u64 flag = letter_flag(at);

		if (!flag || (at[2] && at[2] != ' '))
			return line_error(line,
					  "init: flags '%s': '%.2s' is not a flag a start layout "
					  "may have",
					  vma->flags, at);
		*flags |= flag;
	}
	/* a shared mapping of a file opened for writing */
	if ((*flags & VM_MAYSHARE) && (*flags & VM_MAYWRITE))
		*flags |= VM_SHARED;
	return 0;
}

static struct file *open_new(const char *id, enum file_system fs, u64 pages, unsigned mode)
{
	struct inode *inode = inode_create(id, fs, pages << PAGE_SHIFT);
	struct file *file = inode ? file_open(inode, mode) : NULL;

	if (inode)
		inode_put(inode);
	return file;
}

/* Files of the list start..; an id of the same name is the same file. */
static struct file *start_file(struct kernel_replay *r, struct file **opened, size_t index)
{
	const char *id = r->init[index].id;

	if (strcmp(id, "anon") == 0 || strcmp(id, "stack") == 0)
		return NULL;
	for (size_t i = 0; i < index; i++)
		if (strcmp(r->init[i].id, id) == 0)
			return opened[i];
	return open_new(id, strcmp(id, "exe") == 0 ? FS_EXT4 : FS_TMPFS,
			r->init[index].pgoff + ((r->init[index].end - r->init[index].start) >> 12),
			FMODE_READ | FMODE_WRITE);
}

static int add_start_vma(struct kernel_replay *r, size_t index, struct file *file, bool touched)
{
	const struct trace_vma *vma = &r->init[index];
	struct vma_template template = {
		.start = vma->start,
		.end = vma->end,
		.pgoff = file ? vma->pgoff : vma->start >> PAGE_SHIFT,
		.file = file,
		.touched = touched,
		.label = strcmp(vma->id, "stack") == 0 ? "[stack]" : NULL,
	};
	int error = vma_flags(&r->line, vma, &template.flags);

	if (error)
		return error;
	error = mm_add_vma(r->mm[0], &template);
	if (error)
		return line_error(&r->line, "init entry %zu: can't be mapped: %s", index,
				  strerrorname_np(-error));
	return 0;
}

static int build_start(struct kernel_replay *r, const bool *touched)
{
	struct file **opened = calloc(r->nr_init + 1, sizeof(*opened));
	int error = 0;

	r->mm[0] = mm_alloc(&r->config);
	if (!opened || !r->mm[0])
		error = message_set(r->line.msg, -ENOMEM, "%s: no memory", r->line.file);
	for (size_t i = 0; i < r->nr_init && !error; i++) {
		opened[i] = start_file(r, opened, i);
		error = add_start_vma(r, i, opened[i], touched[i]);
	}
	for (size_t i = 0; opened && i < r->nr_init; i++) {
		bool seen = !opened[i];

		for (size_t k = 0; k < i && !seen; k++)
			seen = opened[k] == opened[i];
		if (!seen)
			fput(opened[i]);
	}
	free(opened);
	return error;
}

static int open_files(struct kernel_replay *r, u64 pages_a, u64 pages_b)
{
	struct inode *a = inode_create("A", FS_TMPFS, pages_a << PAGE_SHIFT);

	if (!a)
		return message_set(r->line.msg, -ENOMEM, "%s: no memory", r->line.file);
	r->files[0] = (struct trace_file){"A", file_open(a, FMODE_READ | FMODE_WRITE)};
	r->files[1] = (struct trace_file){"A2", file_open(a, FMODE_READ | FMODE_WRITE)};
	r->files[2] = (struct trace_file){"AR", file_open(a, FMODE_READ)};
	r->files[3] = (struct trace_file){"AW", file_open(a, FMODE_WRITE)};
	inode_put(a);
	r->files[4] = (struct trace_file){
		"B", open_new("B", FS_TMPFS, pages_b, FMODE_READ | FMODE_WRITE)};
	r->files[5] = (struct trace_file){"dir", open_new("dir", FS_DIR, 0, FMODE_READ)};
	for (unsigned i = 0; i < ARRAY_SIZE(r->files); i++)
		if (!r->files[i].file)
			return message_set(r->line.msg, -ENOMEM, "%s: no memory", r->line.file);
	return 0;
}

void trace_close_files(struct kernel_replay *r)
{
	for (unsigned i = 0; i < ARRAY_SIZE(r->files); i++)
		if (r->files[i].file)
			fput(r->files[i].file);
}

static int boot(struct kernel_replay *r)
{
	struct machine_config config = session_config(r->request->machine, r->request->policy, 1);
	int error = session_open(&r->session, &config, r->request->policy, r->line.msg);

	r->booted = !error;
	return error;
}

static int parse_head(struct kernel_replay *r, u64 *pages_a, u64 *pages_b)
{
	json_t *files;
	int error;

	sim_config_default(&r->config);
	if ((error = fixed_number(&r->line, "format", 1)) ||
	    (error = fixed_number(&r->line, "page", PAGE_SIZE)) ||
	    (error = fixed_number(&r->line, "overcommit", 0)) || (error = parse_bases(r)) ||
	    (error = parse_settings(r)) || (error = parse_limits(r)) ||
	    (error = line_object(&r->line, "files", &files)) ||
	    (error = object_number(&r->line, files, "files", "A", pages_a)))
		return error;
	return object_number(&r->line, files, "files", "B", pages_b);
}

int trace_head(struct kernel_replay *r)
{
	bool *touched = NULL;
	u64 pages_a, pages_b;
	int error = parse_head(r, &pages_a, &pages_b);

	if (!error)
		error = parse_init(r, &touched);
	if (!error) {
		find_data(r, touched);
		error = boot(r);
	}
	if (!error)
		error = open_files(r, pages_a, pages_b);
	if (!error)
		error = build_start(r, touched);
	free(touched);
	return error ? error : trace_check_counters(r);
}
