/* SPDX-License-Identifier: MIT */
/*
 * types.c - the objects of an address space by name and field, for attribution,
 * and the caches of those that the kernel's common ones do not hold.
 */
#include "sim/internal.h"

static const struct object_field vma_fields[] = {
	OBJECT_FIELD(vm_area_struct, vm_start),	 OBJECT_FIELD(vm_area_struct, vm_end),
	OBJECT_FIELD(vm_area_struct, vm_mm),	 OBJECT_FIELD(vm_area_struct, vm_flags),
	OBJECT_FIELD(vm_area_struct, vm_lock),	 OBJECT_FIELD(vm_area_struct, vm_pgoff),
	OBJECT_FIELD(vm_area_struct, vm_file),	 OBJECT_FIELD(vm_area_struct, shared),
	OBJECT_FIELD(vm_area_struct, anon_vma_chain), OBJECT_FIELD(vm_area_struct, anon_vma),
};

static const struct object_field anon_vma_fields[] = {
	OBJECT_FIELD(anon_vma, root),	OBJECT_FIELD(anon_vma, rwsem),
	OBJECT_FIELD(anon_vma, refs),	OBJECT_FIELD(anon_vma, num_children),
	OBJECT_FIELD(anon_vma, parent), OBJECT_FIELD(anon_vma, num_active_vmas),
	OBJECT_FIELD(anon_vma, chains),
};

static const struct object_field chain_fields[] = {
	OBJECT_FIELD(anon_vma_chain, vma),
	OBJECT_FIELD(anon_vma_chain, anon_vma),
	OBJECT_FIELD(anon_vma_chain, same_vma),
	OBJECT_FIELD(anon_vma_chain, same_anon_vma),
};

static const struct object_field mm_fields[] = {
	OBJECT_FIELD(mm_struct, mm_mt),	      OBJECT_FIELD(mm_struct, mmap_lock),
	OBJECT_FIELD(mm_struct, page_table_lock), OBJECT_FIELD(mm_struct, mm_lock_seq),
	OBJECT_FIELD(mm_struct, map_count),   OBJECT_FIELD(mm_struct, total_vm),
	OBJECT_FIELD(mm_struct, data_vm),     OBJECT_FIELD(mm_struct, exec_vm),
	OBJECT_FIELD(mm_struct, stack_vm),    OBJECT_FIELD(mm_struct, locked_vm),
	OBJECT_FIELD(mm_struct, brk),	      OBJECT_FIELD(mm_struct, def_flags),
	OBJECT_FIELD(mm_struct, config),
};

static const struct object_field inode_fields[] = {
	OBJECT_FIELD(inode, i_mmap_rwsem), OBJECT_FIELD(inode, i_mmap),
	OBJECT_FIELD(inode, size),	   OBJECT_FIELD(inode, refs),
};

static const struct object_field file_fields[] = {
	OBJECT_FIELD(file, inode),
	OBJECT_FIELD(file, mode),
	OBJECT_FIELD(file, refs),
};

static const struct object_type vma_type = OBJECT_TYPE(vm_area_struct, vma_fields);
static const struct object_type anon_vma_type = OBJECT_TYPE(anon_vma, anon_vma_fields);
static const struct object_type chain_type = OBJECT_TYPE(anon_vma_chain, chain_fields);
static const struct object_type mm_type = OBJECT_TYPE(mm_struct, mm_fields);
static const struct object_type inode_type = OBJECT_TYPE(inode, inode_fields);
static const struct object_type file_type = OBJECT_TYPE(file, file_fields);

static struct kmem_cache *create(const struct object_type *type)
{
	struct kmem_cache_args args = {.align = CACHE_LINE, .type = type};

	return kmem_cache_create(type->name, type->size, &args, 0);
}

bool sim_types_create(struct sim_system *system)
{
	maple_tree_init();
	kmem_cache_describe(kernel_cache(CACHE_VM_AREA_STRUCT), &vma_type);
	kmem_cache_describe(kernel_cache(CACHE_ANON_VMA), &anon_vma_type);
	kmem_cache_describe(kernel_cache(CACHE_ANON_VMA_CHAIN), &chain_type);
	system->mm_cache = create(&mm_type);
	system->inode_cache = create(&inode_type);
	system->file_cache = create(&file_type);
	return system->mm_cache && system->inode_cache && system->file_cache;
}

u64 sim_types_destroy(struct sim_system *system)
{
	return kmem_cache_destroy(system->file_cache) + kmem_cache_destroy(system->inode_cache) +
	       kmem_cache_destroy(system->mm_cache);
}
