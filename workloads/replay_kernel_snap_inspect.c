/* SPDX-License-Identifier: MIT */
/*
 * replay_kernel_snap_inspect.c - comparing a layout with what the kernel had:
 * every VMA that differs from the start layout, their number, a hash of all of
 * them, the counters and the break.
 *
 * Only reads; the virtual core compiles it without access hooks.
 */
#include "workloads/replay_kernel.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Layout tuples: [start, end, perm, id, pgoff, flags, anon] -------------- */

enum { TUPLE_SIZE = 7 }; /* anon is left out where the recorder did not count it */

static int bad_tuple(const struct trace_line *line, const char *field, size_t index,
		     const char *part)
{
	return line_error(line,
			  "field '%s', entry %zu: %s; an entry must be [start, end, perm, id, "
			  "pgoff, flags, anon]",
			  field, index, part);
}

static bool copy_string(json_t *json, char *text, size_t size)
{
	if (!json_is_string(json) || json_string_length(json) >= size)
		return false;
	memcpy(text, json_string_value(json), json_string_length(json) + 1);
	return true;
}

static bool tuple_address(const struct trace_line *line, json_t *json, u64 *value)
{
	return json_is_string(json) && parse_address(line->bases, json_string_value(json), value);
}

static bool tuple_number(json_t *json, u64 *value)
{
	if (!json_is_integer(json) || json_integer_value(json) < 0)
		return false;
	*value = (u64)json_integer_value(json);
	return true;
}

static bool perm_is_valid(const char *perm)
{
	return strlen(perm) == 4 && strchr("r-", perm[0]) && strchr("w-", perm[1]) &&
	       strchr("x-", perm[2]) && strchr("ps", perm[3]);
}

int trace_parse_vma(const struct trace_line *line, const char *field, size_t index, json_t *tuple,
		    struct trace_vma *vma, u64 *anon)
{
	json_t *part[TUPLE_SIZE];
	size_t nr = json_array_size(tuple); /* 0 of what is no array */

	if (nr != TUPLE_SIZE && nr != TUPLE_SIZE - 1)
		return bad_tuple(line, field, index, "not an array of 6 or 7");
	for (size_t i = 0; i < TUPLE_SIZE; i++)
		part[i] = json_array_get(tuple, i);
	if (!tuple_address(line, part[0], &vma->start) || !tuple_address(line, part[1], &vma->end))
		return bad_tuple(line, field, index, "start or end is no address");
	if (vma->start >= vma->end || !IS_ALIGNED(vma->start | vma->end, PAGE_SIZE))
		return bad_tuple(line, field, index, "start and end must ascend and lie on pages");
	if (!copy_string(part[2], vma->perm, sizeof(vma->perm)) || !perm_is_valid(vma->perm))
		return bad_tuple(line, field, index, "perm must be as rwxp, rwxs or - for none");
	if (!copy_string(part[3], vma->id, sizeof(vma->id)))
		return bad_tuple(line, field, index, "id must be a short string");
	if (!tuple_number(part[4], &vma->pgoff))
		return bad_tuple(line, field, index, "pgoff must be a whole number");
	if (!copy_string(part[5], vma->flags, sizeof(vma->flags)))
		return bad_tuple(line, field, index, "flags must be a string of letter pairs");
	*anon = ANON_UNKNOWN;
	if (nr == TUPLE_SIZE && !tuple_number(part[6], anon))
		return bad_tuple(line, field, index, "anon must be a whole number");
	return 0;
}

/* ---- The simulated layout in the trace's words ------------------------------ */

struct layout_walk {
	struct kernel_replay *r;
	struct trace_vma *vmas; /* those that differ from the start layout */
	u64 *anon;
	size_t nr, room;
	u64 nr_all;
	u64 hash; /* FNV-1a 64 over all */
	bool no_memory;
};

static void hash_text(u64 *hash, const char *text)
{
	for (; *text; text++)
		*hash = (*hash ^ (unsigned char)*text) * 0x100000001b3ull;
}

static void hash_vma(struct layout_walk *walk, const struct trace_vma *vma)
{
	char start[32], end[32], line[160];

	format_address(&walk->r->bases, vma->start, start, sizeof(start));
	format_address(&walk->r->bases, vma->end, end, sizeof(end));
	snprintf(line, sizeof(line), "%s %s %s %s %llu\n", start, end, vma->perm, vma->id,
		 (unsigned long long)vma->pgoff);
	hash_text(&walk->hash, line);
}

static void name_object(const struct kernel_replay *r, const struct vma_view *view, char *id,
			size_t size)
{
	if (!view->inode) {
		snprintf(id, size, "%s", strcmp(view->id, "[stack]") == 0 ? "stack" : "anon");
		return;
	}
	for (size_t i = r->nr_shm; i-- > 0;) {
		if (r->shm[i].inode == view->inode) {
			snprintf(id, size, "shm%llu", (unsigned long long)r->shm[i].op);
			return;
		}
	}
	snprintf(id, size, "%s", view->id);
}

static void describe(const struct kernel_replay *r, const struct vma_view *view,
		     struct trace_vma *vma)
{
	*vma = (struct trace_vma){.start = view->start, .end = view->end, .pgoff = view->pgoff};
	vma->perm[0] = view->flags & VM_READ ? 'r' : '-';
	vma->perm[1] = view->flags & VM_WRITE ? 'w' : '-';
	vma->perm[2] = view->flags & VM_EXEC ? 'x' : '-';
	vma->perm[3] = view->flags & VM_MAYSHARE ? 's' : 'p';
	name_object(r, view, vma->id, sizeof(vma->id));
	vma_flags_text(view->flags, vma->flags, sizeof(vma->flags));
}

static bool same_vma(const struct trace_vma *a, const struct trace_vma *b)
{
	return a->start == b->start && a->end == b->end && a->pgoff == b->pgoff &&
	       strcmp(a->perm, b->perm) == 0 && strcmp(a->id, b->id) == 0 &&
	       strcmp(a->flags, b->flags) == 0;
}

static bool is_initial(const struct kernel_replay *r, const struct trace_vma *vma)
{
	for (size_t i = 0; i < r->nr_init; i++)
		if (same_vma(&r->init[i], vma))
			return true;
	return false;
}

static bool grow(struct layout_walk *walk)
{
	size_t room = walk->room ? 2 * walk->room : 64;
	struct trace_vma *vmas = realloc(walk->vmas, room * sizeof(*vmas));
	u64 *anon = vmas ? realloc(walk->anon, room * sizeof(*anon)) : NULL;

	walk->vmas = vmas ? vmas : walk->vmas;
	walk->anon = anon ? anon : walk->anon;
	walk->room = anon ? room : walk->room;
	return anon != NULL;
}

static bool keep_vma(void *arg, const struct vma_view *view)
{
	struct layout_walk *walk = arg;
	struct trace_vma vma;

	describe(walk->r, view, &vma);
	hash_vma(walk, &vma);
	walk->nr_all++;
	if (is_initial(walk->r, &vma))
		return true;
	if (walk->nr == walk->room && !grow(walk)) {
		walk->no_memory = true;
		return false;
	}
	walk->anon[walk->nr] = view->anon_pages;
	walk->vmas[walk->nr++] = vma;
	return true;
}

/* ---- Comparing ------------------------------------------------------------ */

static void format_vma(const struct kernel_replay *r, const struct trace_vma *vma, char *text,
		       size_t size)
{
	char start[32], end[32];

	format_address(&r->bases, vma->start, start, sizeof(start));
	format_address(&r->bases, vma->end, end, sizeof(end));
	snprintf(text, size, "%s-%s %s %s %llu [%s]", start, end, vma->perm, vma->id,
		 (unsigned long long)vma->pgoff, vma->flags);
}

static void report_vma(struct kernel_replay *r, const struct trace_vma *want,
		       const struct trace_vma *got)
{
	char expected[256] = "nothing", actual[256] = "nothing";

	if (want)
		format_vma(r, want, expected, sizeof(expected));
	if (got)
		format_vma(r, got, actual, sizeof(actual));
	trace_difference(r, "layout: expected %s, got %s", expected, actual);
}

static void compare_same_place(struct layout_walk *walk, const struct trace_vma *want, u64 anon,
			       size_t index)
{
	struct kernel_replay *r = walk->r;
	const struct trace_vma *got = &walk->vmas[index];
	char text[256];

	if (!same_vma(want, got)) {
		report_vma(r, want, got);
		return;
	}
	if (anon == ANON_UNKNOWN || walk->anon[index] == anon)
		return;
	format_vma(r, got, text, sizeof(text));
	trace_difference(r, "anonymous pages of %s: expected %llu, got %llu", text,
			 (unsigned long long)anon, (unsigned long long)walk->anon[index]);
}

/* Both lists ascend: walk them together by start address. */
static int compare_maps(struct layout_walk *walk, json_t *maps)
{
	size_t nr = json_array_size(maps);
	size_t at = 0;

	for (size_t i = 0; i < nr; i++) {
		struct trace_vma want;
		u64 anon;
		int fault = trace_parse_vma(&walk->r->line, "maps", i, json_array_get(maps, i),
					    &want, &anon);

		if (fault)
			return fault;
		while (at < walk->nr && walk->vmas[at].start < want.start)
			report_vma(walk->r, NULL, &walk->vmas[at++]);
		if (at < walk->nr && walk->vmas[at].start == want.start)
			compare_same_place(walk, &want, anon, at++);
		else
			report_vma(walk->r, &want, NULL);
	}
	while (at < walk->nr)
		report_vma(walk->r, NULL, &walk->vmas[at++]);
	return 0;
}

static int compare_count(struct kernel_replay *r, const char *name, u64 want, u64 got)
{
	r->result->counters++;
	if (want != got)
		trace_difference(r, "%s: expected %llu, got %llu", name, (unsigned long long)want,
				 (unsigned long long)got);
	return 0;
}

int trace_check_counters(struct kernel_replay *r)
{
	struct mm_counters counters;
	json_t *kb;
	int fault = line_object(&r->line, "kb", &kb);

	if (fault || !r->request->check)
		return fault;
	mm_read_counters(r->mm[r->level], &counters);
	const struct {
		const char *key, *name;
		u64 pages;
	} fields[] = {
		{"size", "kb.size (total_vm)", counters.total_vm},
		{"data", "kb.data (data_vm)", counters.data_vm},
		{"stk", "kb.stk (stack_vm)", counters.stack_vm},
		{"exelib", "kb.exelib (exec_vm)", counters.exec_vm},
		{"lck", "kb.lck (locked_vm)", counters.locked_vm},
	};
	for (unsigned i = 0; i < ARRAY_SIZE(fields); i++) {
		u64 want;

		fault = object_number(&r->line, kb, "kb", fields[i].key, &want);
		if (fault)
			return fault;
		compare_count(r, fields[i].name, want, fields[i].pages << (PAGE_SHIFT - 10));
	}
	return 0;
}

static int compare_brk(struct kernel_replay *r)
{
	struct mm_counters counters;
	char expected[32], actual[32];
	u64 want;
	int fault = line_address(&r->line, "brk", &want);

	if (fault)
		return fault;
	mm_read_counters(r->mm[r->level], &counters);
	r->result->counters++;
	if (want == counters.brk)
		return 0;
	format_address(&r->bases, want, expected, sizeof(expected));
	format_address(&r->bases, counters.brk, actual, sizeof(actual));
	trace_difference(r, "brk: expected %s, got %s", expected, actual);
	return 0;
}

static int compare_number_of_vmas(struct kernel_replay *r, u64 seen)
{
	struct mm_counters counters;
	u64 want;
	int fault = line_number(&r->line, "n", &want);

	if (fault)
		return fault;
	mm_read_counters(r->mm[r->level], &counters);
	compare_count(r, "n (map_count)", want, counters.map_count);
	if (seen != counters.map_count)
		trace_difference(r, "map_count is %llu, but there are %llu VMAs",
				 (unsigned long long)counters.map_count, (unsigned long long)seen);
	return 0;
}

static int compare_hash(struct kernel_replay *r, u64 hash)
{
	const char *want;
	char got[20];
	int fault = line_string(&r->line, "hash", &want);

	if (fault)
		return fault;
	if (strlen(want) != 16 || strspn(want, "0123456789abcdef") != 16)
		return line_error(&r->line, "field 'hash': '%.40s': must be 16 hexadecimal digits",
				  want);
	snprintf(got, sizeof(got), "%016llx", (unsigned long long)hash);
	if (strcmp(want, got) != 0)
		trace_difference(r, "hash of the layout: expected %s, got %s", want, got);
	return 0;
}

static int compare_walk(struct layout_walk *walk)
{
	struct kernel_replay *r = walk->r;
	json_t *maps;
	int fault = compare_number_of_vmas(r, walk->nr_all);

	if (!fault)
		fault = compare_hash(r, walk->hash);
	/* above 1500 VMAs the recorder leaves the list out */
	if (!fault && (line_has(&r->line, "maps") || walk->nr_all <= 1500)) {
		fault = line_array(&r->line, "maps", &maps);
		if (!fault)
			fault = compare_maps(walk, maps);
	}
	if (!fault)
		fault = trace_check_counters(r);
	if (!fault)
		fault = compare_brk(r);
	return fault;
}

int trace_snap(struct kernel_replay *r)
{
	struct layout_walk walk = {.r = r, .hash = 0xcbf29ce484222325ull};
	int fault;

	if (!r->request->check)
		return 0;
	mm_visit_vmas(r->mm[r->level], keep_vma, &walk);
	if (walk.no_memory)
		fault = message_set(r->line.msg, -ENOMEM, "%s: no memory", r->line.file);
	else
		fault = compare_walk(&walk);
	r->result->layouts++;
	free(walk.vmas);
	free(walk.anon);
	return fault;
}
