/* SPDX-License-Identifier: MIT */
/*
 * files.c - files and their openings, as far as memory cares.
 *
 * Reference counts are atomic; an inode lives while an opening or a caller holds
 * it, an opening while a VMA or a caller does.
 */
#include "sim/internal.h"

#include <string.h>

struct inode *inode_create(const char *id, enum file_system fs, u64 size)
{
	struct inode *inode = kmem_cache_alloc(sim_system()->inode_cache, GFP_KERNEL | __GFP_ZERO);
	size_t length = strnlen(id, sizeof(inode->id) - 1);

	if (!inode)
		return NULL;
	init_rwsem(&inode->i_mmap_rwsem, LOCK_I_MMAP);
	INIT_LIST_HEAD(&inode->i_mmap);
	inode->size = size;
	inode->fs = fs;
	inode->refs = 1;
	mem_copy(inode->id, id, length);
	atomic_add_return(&sim_system()->nr_inodes, 1);
	return inode;
}

void inode_set_identity(struct inode *inode, u32 device_major, u32 device_minor, u64 number)
{
	inode->device_major = device_major;
	inode->device_minor = device_minor;
	inode->number = number;
}

void inode_put(struct inode *inode)
{
	if (atomic_add_return(&inode->refs, -1u))
		return;
	vm_assert(list_empty(&inode->i_mmap));
	vm_unacct_memory((s64)inode->charged_pages);
	atomic_add_return(&sim_system()->nr_inodes, -1ul);
	kmem_cache_free(sim_system()->inode_cache, inode);
}

struct file *file_open(struct inode *inode, unsigned mode)
{
	struct file *file = kmem_cache_alloc(sim_system()->file_cache, GFP_KERNEL | __GFP_ZERO);

	if (!file)
		return NULL;
	atomic_add_return(&inode->refs, 1);
	file->inode = inode;
	file->mode = mode;
	file->refs = 1;
	atomic_add_return(&sim_system()->nr_files, 1);
	return file;
}

void get_file(struct file *file)
{
	atomic_add_return(&file->refs, 1);
}

void fput(struct file *file)
{
	if (atomic_add_return(&file->refs, -1u))
		return;
	inode_put(file->inode);
	atomic_add_return(&sim_system()->nr_files, -1ul);
	kmem_cache_free(sim_system()->file_cache, file);
}
