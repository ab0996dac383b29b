/* SPDX-License-Identifier: MIT */
/*
 * layout_populate.c - building an address space from a parsed layout.
 *
 * The caller is a CPU of the machine and the only user of the mm. Files are
 * opened for the time of the call; the VMAs then hold them.
 */
#include "workloads/layout.h"

#include "sim/mm.h"

#include <stdlib.h>
#include <string.h>

void layout_configure(const struct layout *layout, struct sim_config *config)
{
	config->mmap_base = layout->mmap_base;
	config->start_brk = layout->start_brk;
	config->brk = layout->brk;
}

static bool has_file(const struct layout_entry *e)
{
	return e->inode != 0;
}

static bool same_file(const struct layout_entry *a, const struct layout_entry *b)
{
	return a->inode == b->inode && a->device_major == b->device_major &&
	       a->device_minor == b->device_minor;
}

/* The end of what is mapped of the file; its true size is not in maps. */
static u64 mapped_size(const struct layout *layout, const struct layout_entry *file)
{
	u64 size = 0;

	for (unsigned i = 0; i < layout->nr_entries; i++) {
		const struct layout_entry *e = &layout->entries[i];

		if (has_file(e) && same_file(e, file))
			size = max(size, e->offset + (e->end - e->start));
	}
	return size;
}

static struct file *open_file(const struct layout *layout, const struct layout_entry *e)
{
	struct inode *inode = inode_create(e->path, FS_EXT4, mapped_size(layout, e));
	struct file *file;

	if (!inode)
		return NULL;
	inode_set_identity(inode, e->device_major, e->device_minor, e->inode);
	file = file_open(inode, FMODE_READ | FMODE_WRITE);
	inode_put(inode);
	return file;
}

/* files[i] is opened at the first entry of its file and copied to the later ones. */
static int open_files(const struct layout *layout, struct file **files)
{
	for (unsigned i = 0; i < layout->nr_entries; i++) {
		const struct layout_entry *e = &layout->entries[i];

		if (!has_file(e))
			continue;
		for (unsigned k = 0; k < i && !files[i]; k++)
			if (has_file(&layout->entries[k]) && same_file(&layout->entries[k], e))
				files[i] = files[k];
		if (!files[i])
			files[i] = open_file(layout, e);
		if (!files[i])
			return -ENOMEM;
	}
	return 0;
}

static bool opened_before(struct file *const *files, unsigned index)
{
	for (unsigned k = 0; k < index; k++)
		if (files[k] == files[index])
			return true;
	return false;
}

static void close_files(const struct layout *layout, struct file **files)
{
	for (unsigned i = 0; i < layout->nr_entries; i++)
		if (files[i] && !opened_before(files, i))
			fput(files[i]);
}

/* [heap] is found by the break when maps is printed, so it is no label. */
static const char *label_of(const struct layout_entry *e)
{
	return e->path[0] == '[' && strcmp(e->path, "[heap]") != 0 ? e->path : NULL;
}

static int add_entry(struct mm_struct *mm, const struct layout_entry *e, struct file *file)
{
	u64 flags = layout_entry_flags(e);
	struct vma_template vma = {
		.start = e->start,
		.end = e->end,
		.flags = flags,
		.pgoff = file ? e->offset >> PAGE_SHIFT : e->start >> PAGE_SHIFT,
		.file = file,
		.touched = (flags & VM_WRITE) && !(flags & VM_MAYSHARE),
		.label = label_of(e),
	};

	return mm_add_vma(mm, &vma);
}

int layout_populate(const struct layout *layout, struct mm_struct *mm, struct message *msg)
{
	struct file **files = calloc(layout->nr_entries, sizeof(*files));
	int error;

	if (!files)
		return message_set(msg, -ENOMEM, "start layout: no memory");
	error = open_files(layout, files);
	for (unsigned i = 0; i < layout->nr_entries && !error; i++)
		error = add_entry(mm, &layout->entries[i], files[i]);
	close_files(layout, files);
	free(files);
	if (error)
		message_set(msg, error, "start layout: the simulated machine has no memory for it");
	return error;
}
