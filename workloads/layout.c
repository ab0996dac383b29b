/* SPDX-License-Identifier: MIT */
/*
 * layout.c - parsing /proc/PID/maps. Host memory only; layout_populate.c builds
 * the address space from it.
 */
#include "workloads/layout.h"

#include "sim/mm.h"
#include "workloads/text_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define TASK_END     0x7ffffffff000ull
#define HOLE_TO_MMAP (1ull << 30) /* above the program and its heap lies a hole at least so large  \
				   */

struct parser {
	const char *name;
	u64 line;
	struct message *msg;
};

static int bad_line(const struct parser *p, const char *value, const char *allowed)
{
	return message_set(p->msg, -EINVAL, "%s:%llu: '%.80s': %s", p->name,
			   (unsigned long long)p->line, value, allowed);
}

/* A number in @base up to the character @stop, which is skipped. */
static bool scan_number(char **at, int base, char stop, u64 *value)
{
	char *end;

	if (!isxdigit((unsigned char)**at))
		return false;
	errno = 0;
	*value = strtoull(*at, &end, base);
	if (errno || (stop ? *end != stop : *end && *end != ' '))
		return false;
	*at = end + (*end != '\0');
	return true;
}

static bool perm_is_valid(const char *perm)
{
	static const char letters[4][3] = {"r-", "w-", "x-", "ps"};

	for (int i = 0; i < 4; i++)
		if (!perm[i] || !strchr(letters[i], perm[i]))
			return false;
	return true;
}

static bool scan_perm(char **at, char *perm)
{
	if (!perm_is_valid(*at) || (*at)[4] != ' ')
		return false;
	memcpy(perm, *at, 4);
	perm[4] = '\0';
	*at += 5;
	return true;
}

static int parse_line(const struct parser *p, char *line, struct layout_entry *e)
{
	char *at = line;
	u64 major, minor;

	if (!scan_number(&at, 16, '-', &e->start) || !scan_number(&at, 16, ' ', &e->end))
		return bad_line(p, line, "must begin START-END in hexadecimal");
	if (!scan_perm(&at, e->perm))
		return bad_line(
			p, at,
			"must be permissions as in /proc/PID/maps: rwxp or rwxs, - for none");
	if (!scan_number(&at, 16, ' ', &e->offset) || !IS_ALIGNED(e->offset, PAGE_SIZE))
		return bad_line(p, at, "must be a file offset in hexadecimal, a multiple of 1000");
	if (!scan_number(&at, 16, ':', &major) || !scan_number(&at, 16, ' ', &minor) ||
	    major > UINT32_MAX || minor > UINT32_MAX)
		return bad_line(p, at, "must be a device, MAJOR:MINOR in hexadecimal");
	if (!scan_number(&at, 10, '\0', &e->inode))
		return bad_line(p, at, "must be an inode number in decimal");
	e->device_major = (u32)major;
	e->device_minor = (u32)minor;
	e->path = at + strspn(at, " ");
	return 0;
}

static int check_place(const struct parser *p, const char *line, const struct layout_entry *e,
		       u64 previous_end)
{
	if (!IS_ALIGNED(e->start, PAGE_SIZE) || !IS_ALIGNED(e->end, PAGE_SIZE) ||
	    e->start >= e->end)
		return bad_line(p, line, "START must lie below END, both multiples of 1000");
	if (e->end > TASK_END)
		return bad_line(p, line, "END must be at most 7ffffffff000");
	if (e->start < previous_end)
		return bad_line(p, line, "mappings must be in ascending order and not overlap");
	return 0;
}

static bool is_vsyscall(const struct layout_entry *e)
{
	return strcmp(e->path, "[vsyscall]") == 0;
}

static int parse_lines(struct layout *layout, const char *name, struct message *msg)
{
	struct text_lines lines = {.next = layout->text};
	struct parser p = {.name = name, .msg = msg};
	u64 previous_end = 0;
	char *line;

	while ((line = text_next_line(&lines))) {
		struct layout_entry *e = &layout->entries[layout->nr_entries];
		int error;

		p.line = lines.number;
		error = parse_line(&p, line, e);
		if (!error && is_vsyscall(e))
			continue;
		if (!error)
			error = check_place(&p, line, e, previous_end);
		if (error)
			return error;
		previous_end = e->end;
		layout->nr_entries++;
	}
	if (layout->nr_entries == 0)
		return message_set(msg, -EINVAL,
				   "%s: no mapping; at least one line of /proc/PID/maps is "
				   "wanted",
				   name);
	return 0;
}

static void find_mmap_base(struct layout *layout)
{
	unsigned i = layout->nr_entries;

	while (i > 1 && strcmp(layout->entries[i - 1].path, "[stack]") != 0)
		i--;
	/* entries[i - 1] is the stack; without one, the first mapping, and the highest counts */
	if (i > 1)
		layout->mmap_base = layout->entries[i - 2].end;
	else
		layout->mmap_base = layout->entries[layout->nr_entries - 1].end;
}

static void find_break(struct layout *layout)
{
	unsigned last = 0;

	for (unsigned i = 0; i < layout->nr_entries; i++) {
		const struct layout_entry *e = &layout->entries[i];

		if (strcmp(e->path, "[heap]") != 0)
			continue;
		if (!layout->has_heap)
			layout->start_brk = e->start;
		layout->has_heap = true;
		layout->brk = e->end;
	}
	if (layout->has_heap)
		return;
	while (last + 1 < layout->nr_entries &&
	       layout->entries[last + 1].start - layout->entries[last].end < HOLE_TO_MMAP)
		last++;
	layout->start_brk = layout->brk = layout->entries[last].end;
}

int layout_parse(const char *name, const char *text, struct layout **out, struct message *msg)
{
	struct layout *layout = calloc(1, sizeof(*layout));
	size_t nr_lines = 1;
	int error = -ENOMEM;

	for (const char *c = text; *c; c++)
		nr_lines += *c == '\n';
	if (!layout)
		return message_set(msg, error, "%s: no memory", name);
	layout->text = strdup(text);
	layout->entries = calloc(nr_lines, sizeof(*layout->entries));
	if (layout->text && layout->entries)
		error = parse_lines(layout, name, msg);
	else
		message_set(msg, error, "%s: no memory", name);
	if (error) {
		layout_free(layout);
		return error;
	}
	find_mmap_base(layout);
	find_break(layout);
	*out = layout;
	return 0;
}

int layout_read(const char *path, struct layout **out, struct message *msg)
{
	struct text_file file;
	int error;

	if (!path)
		return layout_parse("the built-in layout", layout_lean_text, out, msg);
	error = text_file_read(path, &file, msg);
	if (error)
		return error;
	error = layout_parse(path, file.text, out, msg);
	text_file_free(&file);
	return error;
}

void layout_free(struct layout *layout)
{
	if (!layout)
		return;
	free(layout->entries);
	free(layout->text);
	free(layout);
}

static u64 permission_flags(const char *perm)
{
	return (perm[0] == 'r' ? VM_READ : 0) | (perm[1] == 'w' ? VM_WRITE : 0) |
	       (perm[2] == 'x' ? VM_EXEC : 0);
}

static u64 shared_flags(u64 flags)
{
	u64 may = VM_MAYREAD | VM_MAYEXEC | VM_MAYSHARE;

	/* an unwritable one is taken for a file opened read-only: no VM_SHARED then */
	return flags | may | (flags & VM_WRITE ? VM_SHARED | VM_MAYWRITE : 0);
}

u64 layout_entry_flags(const struct layout_entry *e)
{
	u64 flags = permission_flags(e->perm);

	if (strncmp(e->path, "[vvar", 5) == 0)
		return flags | VM_MAYREAD | VM_IO | VM_DONTEXPAND | VM_DONTDUMP;
	if (strcmp(e->path, "[vdso]") == 0)
		return flags | VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC | VM_DONTEXPAND;
	if (e->perm[3] == 's')
		return shared_flags(flags);
	flags |= VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC;
	if (flags & VM_WRITE)
		flags |= VM_ACCOUNT;
	if (strcmp(e->path, "[stack]") == 0)
		flags |= VM_GROWSDOWN;
	return flags;
}
