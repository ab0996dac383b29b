/* SPDX-License-Identifier: MIT */
/*
 * mm.h - the face of the address space: what a process may ask of its memory.
 *
 * Every call gives the result and errno of Linux 6.18 on x86-64 with 4 KiB pages.
 * System calls return a value or a negative errno as a long. All objects
 * (mm, VMAs, nodes, files) live in the arena; each call takes the locks Linux
 * takes (design: one file a system call in this folder).
 */
#ifndef VMASIM_SIM_MM_H
#define VMASIM_SIM_MM_H

#include "engine/engine.h"

#include <stdio.h>

struct mm_struct;
struct vm_area_struct;
struct file;  /* one open() */
struct inode; /* one file, whatever opens it */

/* ---- Files ----------------------------------------------------------------- */

enum file_system {
	FS_TMPFS, /* memfd: plain placement */
	FS_EXT4,  /* huge-page aligned placement of mappings of 2 MiB and more */
	FS_DIR,	  /* a directory: mmap gives ENODEV */
};

enum { FMODE_READ = 1, FMODE_WRITE = 2 };

/** inode_create() - a file of @size bytes. @id: printed in maps (at most 63 bytes, copied). */
struct inode *inode_create(const char *id, enum file_system fs, u64 size);
void inode_set_identity(struct inode *inode, u32 device_major, u32 device_minor, u64 number);
void inode_put(struct inode *inode);

/** file_open() - another struct file of @inode; holds a reference on it. */
struct file *file_open(struct inode *inode, unsigned mode);
void fput(struct file *file);

/* ---- Processes ------------------------------------------------------------- */

/* The machine-wide settings that answers depend on; defaults by sim_config_default(). */
struct sim_config {
	u64 task_size, mmap_base, mmap_min_addr, hint_min_addr;
	u32 stack_guard_gap; /* pages */
	u32 max_map_count;
	u64 ram_pages, swap_pages;
	bool cap_sys_rawio, cap_ipc_lock;
	u64 start_brk, brk;
	u64 end_data_bytes; /* end_data - start_data, counts against RLIMIT_DATA */
	u64 rlimit_as, rlimit_data, rlimit_stack, rlimit_memlock; /* bytes, ~0: unlimited */
	u32 fault_around_pages;
};

/** sim_config_default() - no ASLR, 8 MiB stack limit, 64-bit, 6.18's defaults. */
void sim_config_default(struct sim_config *config);

/** sim_boot() - machine-wide state (commit counter, caches it needs). After slab_boot(). */
int sim_boot(struct message *msg);
/** sim_shutdown() - Return: mms, files or charged pages still alive; 0 is clean. */
u64 sim_shutdown(void);

/** mm_alloc() - an empty address space. NULL: no memory. */
struct mm_struct *mm_alloc(const struct sim_config *config);

/* One VMA of a start layout. */
struct vma_template {
	u64 start, end;
	u64 flags;  /* VM_* below */
	u64 pgoff;  /* pages; for anonymous ones start >> 12 is used */
	struct file *file; /* a reference is taken; NULL: anonymous */
	bool touched;	   /* private pages exist: gets an anon_vma of its own */
	const char *label; /* "[stack]", "[vdso]" ...; NULL: none. Must outlive the mm */
};

/** mm_add_vma() - put a VMA of the start layout; ascending order. 0 or -errno. */
int mm_add_vma(struct mm_struct *mm, const struct vma_template *vma);

/** dup_mm() - fork: a copy as Linux's dup_mmap makes it. NULL and *@error on failure. */
struct mm_struct *dup_mm(struct mm_struct *old, int *error);

/** mmput() - exit: unmap all, free everything. */
void mmput(struct mm_struct *mm);

/* VMA flags, values as in Linux. */
#define VM_READ	      0x00000001ull
#define VM_WRITE      0x00000002ull
#define VM_EXEC	      0x00000004ull
#define VM_SHARED     0x00000008ull
#define VM_MAYREAD    0x00000010ull
#define VM_MAYWRITE   0x00000020ull
#define VM_MAYEXEC    0x00000040ull
#define VM_MAYSHARE   0x00000080ull
#define VM_GROWSDOWN  0x00000100ull
#define VM_MAYBE_GUARD 0x00000200ull
#define VM_LOCKED     0x00002000ull
#define VM_IO	      0x00004000ull
#define VM_SEQ_READ   0x00008000ull
#define VM_RAND_READ  0x00010000ull
#define VM_DONTCOPY   0x00020000ull
#define VM_DONTEXPAND 0x00040000ull
#define VM_LOCKONFAULT 0x00080000ull
#define VM_ACCOUNT    0x00100000ull
#define VM_NORESERVE  0x00200000ull
#define VM_WIPEONFORK 0x02000000ull
#define VM_DONTDUMP   0x04000000ull
#define VM_SOFTDIRTY  0x08000000ull
#define VM_MIXEDMAP   0x10000000ull
#define VM_HUGEPAGE   0x20000000ull
#define VM_NOHUGEPAGE 0x40000000ull
#define VM_MERGEABLE  0x80000000ull

/* ---- System calls ----------------------------------------------------------- */

/** sys_mmap() - @flags and @prot in the x86-64 ABI; @offset bytes; @file NULL: no descriptor. */
long sys_mmap(struct mm_struct *mm, u64 addr, u64 len, u64 prot, u64 flags, struct file *file,
	      u64 offset);
/** sim_unsupported() - name of the first mmap flag of @flags that is not built; NULL: none. */
const char *sim_unsupported(u64 flags);

long sys_munmap(struct mm_struct *mm, u64 addr, u64 len);
long sys_mprotect(struct mm_struct *mm, u64 addr, u64 len, u64 prot);
/** sys_brk() - the break after the call; never an errno. */
u64 sys_brk(struct mm_struct *mm, u64 brk);

enum rlimit_resource { LIMIT_AS, LIMIT_DATA, LIMIT_STACK, LIMIT_MEMLOCK };
long sys_setrlimit(struct mm_struct *mm, enum rlimit_resource which, u64 value);

/* Result of touching pages from user space. */
struct touch_result {
	u64 pages_done;
	int signal; /* 0, SIGSEGV or SIGBUS */
	int code;   /* SEGV_MAPERR ... */
};

/** mm_touch() - one byte of each page of [@addr, @addr+@len) read or written. */
struct touch_result mm_touch(struct mm_struct *mm, u64 addr, u64 len, bool write);

/* ---- Reading (compiled without hooks) --------------------------------------- */

struct mm_counters {
	u64 map_count, total_vm, data_vm, stack_vm, exec_vm, locked_vm; /* VMAs; pages */
	u64 start_brk, brk;
	u64 tree_height, tree_nodes;
};

void mm_read_counters(struct mm_struct *mm, struct mm_counters *counters);

/* One VMA as /proc/PID/maps and smaps show it. */
struct vma_view {
	u64 start, end, flags, pgoff; /* pgoff 0 for anonymous ones */
	const struct inode *inode;    /* NULL: private anonymous */
	const char *id;		      /* inode id, label, or "" */
	u32 device_major, device_minor;
	u64 inode_number;
	u64 anon_pages;
	bool has_anon_vma;
};

/** mm_visit_vmas() - every VMA in address order; stops when @visit returns false. */
void mm_visit_vmas(struct mm_struct *mm, bool (*visit)(void *arg, const struct vma_view *),
		   void *arg);

/** mm_print_maps() - the lines of /proc/PID/maps, byte for byte in its format. */
void mm_print_maps(struct mm_struct *mm, FILE *out);

/** vma_flags_text() - VmFlags letters without rd wr ex sh, separated by spaces. */
void vma_flags_text(u64 flags, char *text, size_t size);

/** mm_validate() - tree, VMA order, counters, anon_vma chains; vm_bug() on a fault. */
void mm_validate(struct mm_struct *mm);

#endif
