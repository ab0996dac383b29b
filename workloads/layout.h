/* SPDX-License-Identifier: MIT */
/*
 * layout.h - the address space a process starts from, read from /proc/PID/maps.
 *
 * A process under test is not empty, and the height and fill of its tree decide
 * how many nodes an operation asks for. What maps does not say is chosen so:
 *
 *   mmap_base   end of the highest mapping below [stack]
 *   the break   [heap] gives both ends; without it, the end of the last mapping
 *               before the first hole of 1 GiB
 *   files       equal device and inode are one file, opened once
 *   VM flags    MAY* in full, except of a shared mapping that can't be written: its
 *               file counts as opened read-only. Private writable ones carry
 *               VM_ACCOUNT; [stack] grows down; [vvar*] and [vdso] have the kernel's
 *               own special flags. [vsyscall] is no VMA and is left out
 *   touched     private writable ones. A private read-only one of a file may have
 *               been written before an mprotect (relro); maps can't tell, so it
 *               counts as untouched
 */
#ifndef VMASIM_WORKLOADS_LAYOUT_H
#define VMASIM_WORKLOADS_LAYOUT_H

#include "base/message.h"
#include "base/types.h"

struct mm_struct;
struct sim_config;

struct layout_entry {
	u64 start, end;
	u64 offset; /* bytes in the file */
	u64 inode;
	u32 device_major, device_minor;
	char perm[5];
	const char *path; /* file, [label] or "" */
};

struct layout {
	char *text; /* the paths point into it */
	struct layout_entry *entries;
	unsigned nr_entries;
	u64 mmap_base, start_brk, brk;
	bool has_heap;
};

/**
 * layout_read() - parse the maps file at @path; NULL: the built-in lean layout.
 * Return: 0 and *@out (layout_free()), or -EINVAL with file, line, value and what is allowed.
 */
int layout_read(const char *path, struct layout **out, struct message *msg);

/** layout_parse() - the same from @text (copied); @name stands in messages. */
int layout_parse(const char *name, const char *text, struct layout **out, struct message *msg);

/** layout_free() - after every mm built from it: labels are not copied. NULL is allowed. */
void layout_free(struct layout *layout);

/** layout_entry_flags() - VM_* of one line. */
u64 layout_entry_flags(const struct layout_entry *entry);

/** layout_configure() - put mmap_base and the break into @config. */
void layout_configure(const struct layout *layout, struct sim_config *config);

/** layout_populate() - all VMAs into the empty @mm. 0 or -errno with a message. CPU entered. */
int layout_populate(const struct layout *layout, struct mm_struct *mm, struct message *msg);

/** layout_lean_text - /proc/PID/maps of a small will-it-scale task, compiled in. */
extern const char layout_lean_text[];

#endif
