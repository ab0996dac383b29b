/* SPDX-License-Identifier: MIT */
/*
 * replay_strace_inspect.c - a final layout against the recorded one, page by page.
 *
 * Faults are not in a log, so merges that depend on written pages can't be told:
 * not VMA borders are compared but, for every page, whether it is mapped, with
 * which permissions, of which file at which offset.
 *
 * Both layouts ascend. The borders of both cut the address space into pieces that
 * are uniform in each; a piece that differs is one difference.
 */
#include "workloads/replay_strace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ID_BYTES 64 /* of an inode's printed name, with its NUL */

struct area {
	u64 start, end, offset; /* offset: bytes in the file; 0 without one */
	char perm[5];
	char id[ID_BYTES]; /* file or label; "" for anonymous memory, heap and stack */
};

struct areas {
	struct area *area;
	size_t nr, room;
	bool no_memory;
};

static struct area *new_area(struct areas *areas)
{
	if (areas->nr == areas->room) {
		size_t room = areas->room ? 2 * areas->room : 64;
		struct area *larger = realloc(areas->area, room * sizeof(*larger));

		if (!larger) {
			areas->no_memory = true;
			return NULL;
		}
		areas->area = larger;
		areas->room = room;
	}
	return &areas->area[areas->nr++];
}

/* Anonymous memory has no name that counts, and a removed file keeps its own. */
static void set_id(struct area *area, const char *id)
{
	static const char deleted[] = " (deleted)";
	size_t length = strlen(id);

	if (strcmp(id, "[heap]") == 0 || strcmp(id, "[stack]") == 0)
		length = 0;
	else if (length > strlen(deleted) && strcmp(id + length - strlen(deleted), deleted) == 0)
		length -= strlen(deleted);
	snprintf(area->id, sizeof(area->id), "%.*s", (int)length, id);
}

static bool keep_view(void *arg, const struct vma_view *view)
{
	struct area *area = new_area(arg);

	if (!area)
		return false;
	*area = (struct area){.start = view->start, .end = view->end};
	area->offset = view->inode ? view->pgoff << PAGE_SHIFT : 0;
	area->perm[0] = view->flags & VM_READ ? 'r' : '-';
	area->perm[1] = view->flags & VM_WRITE ? 'w' : '-';
	area->perm[2] = view->flags & VM_EXEC ? 'x' : '-';
	area->perm[3] = view->flags & VM_MAYSHARE ? 's' : 'p';
	set_id(area, view->id);
	return true;
}

static void keep_layout(struct areas *areas, const struct layout *layout)
{
	for (unsigned i = 0; i < layout->nr_entries; i++) {
		const struct layout_entry *e = &layout->entries[i];
		struct area *area = new_area(areas);

		if (!area)
			return;
		*area = (struct area){.start = e->start, .end = e->end, .offset = e->offset};
		snprintf(area->perm, sizeof(area->perm), "%s", e->perm);
		set_id(area, e->path);
	}
}

static void format_piece(const struct area *area, u64 start, char *text, size_t size)
{
	if (!area)
		snprintf(text, size, "nothing");
	else
		snprintf(
			text, size, "%s %s+0x%llx", area->perm,
			area->id[0] ? area->id : "anonymous",
			(unsigned long long)(area->id[0] ? area->offset + start - area->start : 0));
}

static bool same_piece(const struct area *want, const struct area *got, u64 start)
{
	if (!want || !got)
		return want == got;
	if (strcmp(want->perm, got->perm) != 0 || strcmp(want->id, got->id) != 0)
		return false;
	if (want->id[0] == '\0' || want->id[0] == '[')
		return true;
	return want->offset + start - want->start == got->offset + start - got->start;
}

static void compare_piece(struct strace_replay *r, const struct area *want, const struct area *got,
			  u64 start, u64 end)
{
	char expected[128], actual[128];

	if (same_piece(want, got, start))
		return;
	format_piece(want, start, expected, sizeof(expected));
	format_piece(got, start, actual, sizeof(actual));
	strace_difference(r, "final layout, %llx-%llx: expected %s, got %s",
			  (unsigned long long)start, (unsigned long long)end, expected, actual);
}

/* The first area that ends above @at; its index moves up only. */
static const struct area *next_area(const struct areas *areas, size_t *index, u64 at)
{
	while (*index < areas->nr && areas->area[*index].end <= at)
		(*index)++;
	return *index < areas->nr ? &areas->area[*index] : NULL;
}

/* The border after @at: the area's end if @at lies inside, its start if before. */
static u64 border(const struct area *area, u64 at)
{
	if (!area)
		return ~0ull;
	return area->start > at ? area->start : area->end;
}

static void compare_areas(struct strace_replay *r, const struct areas *want,
			  const struct areas *got)
{
	size_t w = 0, g = 0;
	u64 at = 0;

	for (;;) {
		const struct area *a = next_area(want, &w, at);
		const struct area *b = next_area(got, &g, at);
		u64 end = min(border(a, at), border(b, at));

		if (!a && !b)
			return;
		compare_piece(r, a && a->start <= at ? a : NULL, b && b->start <= at ? b : NULL, at,
			      end);
		at = end;
	}
}

static int compare_with(struct strace_replay *r, const struct layout *layout, struct mm_struct *mm)
{
	struct areas want = {.nr = 0}, got = {.nr = 0};
	int error = 0;

	keep_layout(&want, layout);
	mm_visit_vmas(mm, keep_view, &got);
	if (want.no_memory || got.no_memory)
		error = message_set(r->msg, -ENOMEM, "%s: no memory", r->request->path);
	else
		compare_areas(r, &want, &got);
	r->result->layouts++;
	free(want.area);
	free(got.area);
	return error;
}

int strace_check_final(struct strace_replay *r, unsigned id, struct mm_struct *mm)
{
	char *path = strace_maps_path(r, "final", id);
	struct layout *layout;
	int error;

	if (!path)
		return message_set(r->msg, -ENOMEM, "%s: no memory", r->request->path);
	if (access(path, F_OK) != 0) {
		if (r->request->out)
			fprintf(r->request->out,
				"%s: not there, so the final layout of process %u is not "
				"compared\n",
				path, id);
		free(path);
		return 0;
	}
	error = layout_read(path, &layout, r->msg);
	free(path);
	if (error)
		return error;
	error = compare_with(r, layout, mm);
	layout_free(layout);
	return error;
}
