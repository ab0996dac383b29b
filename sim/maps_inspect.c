/* SPDX-License-Identifier: MIT */
/*
 * maps_inspect.c - an address space as /proc/PID/maps and smaps show it. No task runs.
 */
#include "sim/internal.h"

#include <string.h>

void mm_read_counters(struct mm_struct *mm, struct mm_counters *counters)
{
	*counters = (struct mm_counters){
		.map_count = mm->map_count,
		.total_vm = mm->total_vm,
		.data_vm = mm->data_vm,
		.stack_vm = mm->stack_vm,
		.exec_vm = mm->exec_vm,
		.locked_vm = mm->locked_vm,
		.start_brk = mm->config.start_brk,
		.brk = mm->brk,
		.tree_height = mt_height(&mm->mm_mt),
		.tree_nodes = mt_nr_nodes(&mm->mm_mt),
	};
}

static void view_of(const struct vm_area_struct *vma, struct vma_view *view)
{
	const struct inode *inode = vma->vm_file ? vma->vm_file->inode : NULL;

	*view = (struct vma_view){
		.start = vma->vm_start,
		.end = vma->vm_end,
		.flags = vma->vm_flags,
		.inode = inode,
		.pgoff = inode ? vma->vm_pgoff : 0,
		.id = inode ? inode->id : vma->label ? vma->label : "",
		.device_major = inode ? inode->device_major : 0,
		.device_minor = inode ? inode->device_minor : 0,
		.inode_number = inode ? inode->number : 0,
		.anon_pages = page_table_count(vma->vm_mm->pages, vma->vm_start, vma->vm_end,
					       PAGE_ANON),
		.has_anon_vma = vma->anon_vma != NULL,
	};
}

void mm_visit_vmas(struct mm_struct *mm, bool (*visit)(void *arg, const struct vma_view *),
		   void *arg)
{
	MA_STATE(mas, &mm->mm_mt, 0, 0);
	const struct vm_area_struct *vma;

	for_each_vma(mas, vma) {
		struct vma_view view;

		view_of(vma, &view);
		if (!visit(arg, &view))
			return;
	}
}

struct print_maps {
	FILE *out;
	const struct mm_struct *mm;
};

enum { NAME_COLUMN = 73 };

static bool is_heap(const struct mm_struct *mm, const struct vma_view *view)
{
	return !view->inode && !view->id[0] && view->start <= mm->brk &&
	       view->end >= mm->config.start_brk;
}

static bool print_vma(void *arg, const struct vma_view *view)
{
	const struct print_maps *print = arg;
	const char *name = is_heap(print->mm, view) ? "[heap]" : view->id;
	int n = fprintf(print->out, "%08llx-%08llx %c%c%c%c %08llx %02x:%02x %llu ",
			(unsigned long long)view->start, (unsigned long long)view->end,
			view->flags & VM_READ ? 'r' : '-', view->flags & VM_WRITE ? 'w' : '-',
			view->flags & VM_EXEC ? 'x' : '-', view->flags & VM_MAYSHARE ? 's' : 'p',
			(unsigned long long)view->pgoff << PAGE_SHIFT, view->device_major,
			view->device_minor, (unsigned long long)view->inode_number);

	if (name[0])
		fprintf(print->out, "%*s%s", n < NAME_COLUMN ? NAME_COLUMN - n : 0, "", name);
	fputc('\n', print->out);
	return true;
}

void mm_print_maps(struct mm_struct *mm, FILE *out)
{
	struct print_maps print = {.out = out, .mm = mm};

	mm_visit_vmas(mm, print_vma, &print);
}

void vma_flags_text(u64 flags, char *text, size_t size)
{
	static const struct {
		u64 flag;
		const char *letters;
	} names[] = {
		{VM_MAYREAD, "mr"},    {VM_MAYWRITE, "mw"},    {VM_MAYEXEC, "me"},
		{VM_MAYSHARE, "ms"},   {VM_GROWSDOWN, "gd"},   {VM_MAYBE_GUARD, "gu"},
		{VM_LOCKED, "lo"},     {VM_IO, "io"},	       {VM_SEQ_READ, "sr"},
		{VM_RAND_READ, "rr"},  {VM_DONTCOPY, "dc"},    {VM_DONTEXPAND, "de"},
		{VM_LOCKONFAULT, "lf"}, {VM_ACCOUNT, "ac"},    {VM_NORESERVE, "nr"},
		{VM_WIPEONFORK, "wf"}, {VM_DONTDUMP, "dd"},    {VM_SOFTDIRTY, "sd"},
		{VM_MIXEDMAP, "mm"},   {VM_HUGEPAGE, "hg"},    {VM_NOHUGEPAGE, "nh"},
		{VM_MERGEABLE, "mg"},
	};
	size_t used = 0;

	if (size)
		text[0] = '\0';
	for (unsigned i = 0; i < ARRAY_SIZE(names) && used + 4 < size; i++)
		if (flags & names[i].flag)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "",
						 names[i].letters);
}
