/* SPDX-License-Identifier: MIT */
/*
 * internal.h - the structures of an address space, private to sim/ and its tests.
 *
 *	mm_struct --- mm_mt (maple tree) ---> vm_area_struct ---> file ---> inode
 *	                                         |
 *	                                         `- anon_vma_chain ---> anon_vma
 *
 * All of them live in the arena. The state of single pages is host memory
 * (pages.h). mmap_lock guards the tree and the counters; a VMA is changed with
 * mmap_lock held for writing and its own lock taken for writing too.
 */
#ifndef VMASIM_SIM_INTERNAL_H
#define VMASIM_SIM_INTERNAL_H

#include "alloc/slab.h"
#include "mtree/maple_tree.h"
#include "sim/mm.h"
#include "sim/pages.h"

/* ---- x86-64 ABI numbers ---- */

enum { PROT_BIT_READ = 1, PROT_BIT_WRITE = 2, PROT_BIT_EXEC = 4, PROT_BIT_SEM = 8 };

#define ABI_PROT_GROWSDOWN 0x01000000ul
#define ABI_PROT_GROWSUP   0x02000000ul

#define ABI_MAP_SHARED		0x01ul
#define ABI_MAP_PRIVATE		0x02ul
#define ABI_MAP_SHARED_VALIDATE 0x03ul
#define ABI_MAP_DROPPABLE	0x08ul
#define ABI_MAP_TYPE		0x0ful
#define ABI_MAP_FIXED		0x10ul
#define ABI_MAP_ANONYMOUS	0x20ul
#define ABI_MAP_32BIT		0x40ul
#define ABI_MAP_GROWSDOWN	0x0100ul
#define ABI_MAP_DENYWRITE	0x0800ul
#define ABI_MAP_EXECUTABLE	0x1000ul
#define ABI_MAP_LOCKED		0x2000ul
#define ABI_MAP_NORESERVE	0x4000ul
#define ABI_MAP_POPULATE	0x8000ul
#define ABI_MAP_NONBLOCK	0x10000ul
#define ABI_MAP_STACK		0x20000ul
#define ABI_MAP_HUGETLB		0x40000ul
#define ABI_MAP_FIXED_NOREPLACE 0x100000ul
#define ABI_MAP_UNINITIALIZED	0x4000000ul

#define PMD_BYTES (2ul << 20)

#define VM_ACCESS_FLAGS (VM_READ | VM_WRITE | VM_EXEC)
#define VM_SPECIAL	(VM_IO | VM_DONTEXPAND | VM_MIXEDMAP)
/* Differences that do not block a merge; these are OR-ed into the result. */
#define VM_STICKY (VM_SOFTDIRTY | VM_MAYBE_GUARD)

/* ---- Files ---- */

struct inode {
	struct rw_semaphore i_mmap_rwsem;
	struct list_head i_mmap; /* VMAs that map it */
	u64 size;
	u64 charged_pages; /* commit charge that goes with the object (shared anonymous) */
	u64 number;
	u32 device_major, device_minor;
	u32 fs; /* enum file_system */
	u32 refs;
	char id[64];
};

struct file {
	struct inode *inode;
	u32 mode;
	u32 refs;
};

/* ---- Anonymous memory ---- */

/* A family shares the root's lock. An anon_vma lives while a chain entry points at it. */
struct anon_vma {
	struct anon_vma *root;
	struct rw_semaphore rwsem;
	u32 refs;	     /* of the root: members; others: own life */
	u32 num_children;    /* anon_vmas made from this one by fork, itself included */
	u32 num_active_vmas; /* VMAs whose own anon_vma this is */
	struct anon_vma *parent;
	struct list_head chains;
};

_Static_assert(sizeof(struct anon_vma) <= 96, "anon_vma must fit beside its free pointer");

struct anon_vma_chain {
	struct vm_area_struct *vma;
	struct anon_vma *anon_vma;
	struct list_head same_vma;	/* of the VMA */
	struct list_head same_anon_vma; /* of the anon_vma */
};

/* ---- VMAs ---- */

struct vm_area_struct {
	union {
		struct {
			u64 vm_start;
			u64 vm_end; /* exclusive */
		};
		void *vm_freeptr; /* of a free object; readers look at the lock only */
	};
	struct mm_struct *vm_mm;
	u64 vm_flags;
	struct vma_lock vm_lock;
	u64 vm_pgoff;
	struct file *vm_file;
	struct list_head shared; /* in inode->i_mmap */
	struct list_head anon_vma_chain;
	struct anon_vma *anon_vma;
	const char *label;
};

_Static_assert(sizeof(struct vm_area_struct) <= 192, "a VMA has 192 bytes");

struct mm_struct {
	struct maple_tree mm_mt;
	struct rw_semaphore mmap_lock;
	struct spinlock page_table_lock;
	u32 mm_lock_seq; /* VMAs write-locked in this sequence */
	u64 map_count;
	u64 total_vm, data_vm, exec_vm, stack_vm, locked_vm; /* pages */
	u64 brk;
	u64 def_flags;
	struct page_table *pages;
	struct sim_config config;
};

/* The machine's share: found through a slot. */
enum { SLOT_SIM = MACHINE_SLOTS - 1 };

struct sim_system {
	struct spinlock commit_lock;
	s64 committed; /* pages; each CPU holds back less than commit_batch */
	s64 commit_batch;
	percpu_t commit_percpu; /* s64 */
	u64 nr_mms, nr_files, nr_inodes; /* alive; atomic */
	struct kmem_cache *mm_cache, *inode_cache, *file_cache;
};

static inline struct sim_system *sim_system(void)
{
	return machine_slot(SLOT_SIM);
}

/* ---- types.c ---- */

/** sim_types_create() - caches of sim, field names of all its objects. false: no memory. */
bool sim_types_create(struct sim_system *system);
/** sim_types_destroy() - Return: live objects. */
u64 sim_types_destroy(struct sim_system *system);

#define for_each_vma(mas, vma) while (((vma) = mas_find(&(mas), ULONG_MAX)) != NULL)

static inline u64 vma_pages(const struct vm_area_struct *vma)
{
	return (vma->vm_end - vma->vm_start) >> PAGE_SHIFT;
}

static inline bool vma_is_anonymous(const struct vm_area_struct *vma)
{
	return !vma->vm_file;
}

/** get_file() - one more reference (files.c). */
void get_file(struct file *file);

/* ---- locks.c ---- */

void mmap_write_lock(struct mm_struct *mm);
void mmap_write_unlock(struct mm_struct *mm);
void mmap_write_downgrade(struct mm_struct *mm);
void mmap_read_lock(struct mm_struct *mm);
void mmap_read_unlock(struct mm_struct *mm);
/** vma_start_write() - exclude readers of @vma until mmap_lock is dropped. */
void vma_start_write(struct vm_area_struct *vma);

/* ---- vma.c ---- */

struct vm_area_struct *vm_area_alloc(struct mm_struct *mm);
struct vm_area_struct *vm_area_dup(struct vm_area_struct *vma);
void vm_area_free(struct vm_area_struct *vma);
/** remove_vma() - drop its file and free it; it is in no tree, no list, has no chain. */
void remove_vma(struct vm_area_struct *vma);
/** vma_start_gap() - start, with the stack guard of one that grows down. */
u64 vma_start_gap(const struct vm_area_struct *vma);
struct vm_area_struct *find_vma(struct mm_struct *mm, u64 addr);
/** vma_store_new() - put a new VMA into the tree with nodes asked for before. 0, -ENOMEM. */
int vma_store_new(struct mm_struct *mm, struct vm_area_struct *vma);

/* ---- rmap.c ---- */

/** vma_link_file() - a new VMA enters its inode's list; nothing without a file. */
void vma_link_file(struct vm_area_struct *vma);

/* A change of ranges: @vma's, and what comes and goes with it. All of one file. */
struct vma_prepare {
	struct vm_area_struct *vma;
	struct anon_vma *anon_vma;	  /* of @vma; NULL: none */
	struct vm_area_struct *insert;	  /* enters the inode's list */
	struct vm_area_struct *remove[2]; /* leave it */
};

/** vma_prepare() - take i_mmap_rwsem and the anon_vma root's lock, where there are such. */
void vma_prepare(const struct vma_prepare *vp);
/** vma_complete() - bring the inode's list up to date and drop both. */
void vma_complete(const struct vma_prepare *vp);

/** unlink_vmas() - all VMAs of a tree leave their anon_vmas and inodes' lists. */
void unlink_vmas(struct maple_tree *vmas);

/* ---- split.c, merge.c ---- */

/**
 * split_vma() - at @addr; the new VMA is the lower part if @new_below. 0, -ENOMEM (no
 * memory, or max_map_count VMAs exist). __split_vma() does not look at the limit: munmap
 * may split at an edge where a VMA goes in return.
 */
int __split_vma(struct mm_struct *mm, struct vm_area_struct *vma, u64 addr, bool new_below);
int split_vma(struct mm_struct *mm, struct vm_area_struct *vma, u64 addr, bool new_below);

/*
 * A range about to be mapped, or a part of middle about to be changed. prev and
 * next are the neighbours, whether they touch it or not; flags, pgoff, file and
 * anon_vma are what the range will have.
 */
struct vma_merge_struct {
	struct mm_struct *mm;
	struct vm_area_struct *prev, *middle, *next;
	u64 start, end;
	u64 flags;
	u64 pgoff;
	struct file *file;
	struct anon_vma *anon_vma;
	bool just_expand; /* look at prev only (brk) */
};

/** vma_merge_new_range() - the VMA that took the range in, or NULL. */
struct vm_area_struct *vma_merge_new_range(struct vma_merge_struct *vmg);

/**
 * vma_modify_flags() - give [start, end) of middle the flags of @vmg: merged with
 * neighbours, or split off. The VMA that now is the range; NULL and *@error.
 */
struct vm_area_struct *vma_modify_flags(struct vma_merge_struct *vmg, int *error);

/* ---- anon_vma.c ---- */

int anon_vma_prepare(struct vm_area_struct *vma);
/** anon_vma_prepare_own() - the same, never shared with a neighbour. */
int anon_vma_prepare_own(struct vm_area_struct *vma);
int anon_vma_clone(struct vm_area_struct *to, struct vm_area_struct *from, bool forking);
int anon_vma_fork(struct vm_area_struct *child, struct vm_area_struct *parent);
void unlink_anon_vmas(struct vm_area_struct *vma);
/** anon_vma_is_singular() - the chain has one entry at most: no fork child. */
bool anon_vma_is_singular(const struct vm_area_struct *vma);

/* ---- accounting.c ---- */

/** vm_stat_account() - move @pages (may be negative) in or out of the counters. */
void vm_stat_account(struct mm_struct *mm, u64 flags, s64 pages);
/** may_expand_vm() - do RLIMIT_AS and RLIMIT_DATA allow @pages more of @flags? */
bool may_expand_vm(const struct mm_struct *mm, u64 flags, s64 pages);
bool accountable_mapping(const struct file *file, u64 flags);
/** vm_enough_memory() - charge @pages to the commit counter. 0 or -ENOMEM. */
int vm_enough_memory(const struct mm_struct *mm, s64 pages);
void vm_unacct_memory(s64 pages);
bool is_data_mapping(u64 flags);

/* ---- gap.c ---- */

/** get_unmapped_area() - where a mapping goes: an address, or -errno. */
long get_unmapped_area(struct mm_struct *mm, u64 addr, u64 len, u64 pgoff, u64 flags,
		       const struct file *file);

/* ---- munmap.c ---- */

/* VMAs taken out of a range, in a side tree, until they are freed. */
struct vma_munmap_struct {
	struct mm_struct *mm;
	u64 start, end;
	struct maple_tree detached;
	unsigned count;
	u64 nr_pages, nr_accounted;
	u64 locked_pages;
	struct vm_area_struct *prev, *next; /* beside the range */
};

int vms_gather_munmap_vmas(struct vma_munmap_struct *vms);
/** vms_uncount() - take them out of the counters; mmap_lock held for writing. */
void vms_uncount(struct vma_munmap_struct *vms);
/** vms_abort_munmap_vmas() - put them back: the tree was not cleared yet. */
void vms_abort_munmap_vmas(struct vma_munmap_struct *vms);
/** vms_complete_munmap_vmas() - count, unmap and free them; may hold mmap_lock for reading. */
void vms_complete_munmap_vmas(struct vma_munmap_struct *vms);
/** do_munmap() - mmap_lock held for writing; dropped before it returns 0 where @unlock. */
int do_munmap(struct mm_struct *mm, u64 start, u64 end, bool unlock);

/* ---- fault.c ---- */

/**
 * populate_vma_page_range() - fault pages of one VMA in, for writing where they are private
 * and writable; ends at the first that can't be. mmap_lock held either way.
 */
void populate_vma_page_range(struct vm_area_struct *vma, u64 start, u64 end);
/** mm_populate() - fault a range in after mmap; errors are ignored. */
void mm_populate(struct mm_struct *mm, u64 addr, u64 len);

#endif
