/* SPDX-License-Identifier: MIT */
/*
 * test_mmap_arguments.c - what mmap makes of rare flags, hints and offsets.
 */
#include "sim_fixture.h"

#ifndef MAP_SHARED_VALIDATE
#define MAP_SHARED_VALIDATE 3
#endif
#ifndef MAP_SYNC
#define MAP_SYNC 0x80000
#endif

static struct file *open_file(enum file_system fs)
{
	struct inode *inode = inode_create("f", fs, 16 * PAGE_SIZE);
	struct file *file = file_open(inode, FMODE_READ | FMODE_WRITE);

	inode_put(inode);
	return file;
}

static long map_from(struct process *p, struct file *file, int flags, u64 offset)
{
	return sys_mmap(p->mm, 0, PAGE_SIZE, PROT_READ, (u64)flags, file, offset);
}

Test(mmap_arguments, a_mapping_ends_where_its_file_system_ends_files)
{
	const u64 memfd_last = (1ull << 63) - 2 * PAGE_SIZE, ext4_last = 0xffffffffull * PAGE_SIZE;
	struct file *memfd, *ext4;
	struct process p;

	process_start(&p, NULL);
	memfd = open_file(FS_TMPFS);
	ext4 = open_file(FS_EXT4);
	cr_assert_gt(map_from(&p, memfd, MAP_PRIVATE, memfd_last), 0);
	cr_assert_eq(map_from(&p, memfd, MAP_PRIVATE, memfd_last + PAGE_SIZE), -EOVERFLOW);
	cr_assert_eq(map_from(&p, memfd, MAP_SHARED, 0 - PAGE_SIZE), -EOVERFLOW);
	cr_assert_gt(map_from(&p, ext4, MAP_PRIVATE, ext4_last - PAGE_SIZE), 0);
	cr_assert_eq(map_from(&p, ext4, MAP_PRIVATE, ext4_last), -EOVERFLOW);
	cr_assert_gt(map_from(&p, NULL, MAP_PRIVATE | MAP_ANONYMOUS, 0 - PAGE_SIZE), 0);
	fput(memfd);
	fput(ext4);
	process_end(&p);
}

Test(mmap_arguments, a_flag_no_file_system_knows_is_refused_only_when_validated)
{
	struct file *file;
	struct process p;

	process_start(&p, NULL);
	file = open_file(FS_EXT4);
	cr_assert_eq(map_from(&p, file, MAP_SHARED_VALIDATE | MAP_SYNC, 0), -EOPNOTSUPP);
	cr_assert_gt(map_from(&p, file, MAP_SHARED_VALIDATE, 0), 0);
	cr_assert_gt(map_from(&p, file, MAP_SHARED | MAP_SYNC, 0), 0);
	cr_assert_eq(map_from(&p, NULL, MAP_SHARED_VALIDATE | MAP_ANONYMOUS, 0), -EINVAL);
	fput(file);
	process_end(&p);
}

Test(mmap_arguments, flags_not_built_are_named)
{
	struct process p;

	process_start(&p, NULL);
	cr_assert_str_eq(sim_unsupported(MAP_HUGETLB | MAP_PRIVATE), "MAP_HUGETLB");
	cr_assert_str_eq(sim_unsupported(ABI_MAP_DROPPABLE | MAP_ANONYMOUS), "MAP_DROPPABLE");
	cr_assert_null(sim_unsupported(MAP_PRIVATE | MAP_LOCKED | MAP_STACK | MAP_DENYWRITE));
	cr_assert_eq(map_from(&p, NULL, ABI_MAP_DROPPABLE | MAP_ANONYMOUS, 0), -ENOSYS);
	cr_assert_eq(p.mm->map_count, 0);
	process_end(&p);
}

Test(mmap_arguments, a_low_search_takes_a_hint_that_is_low)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT;
	struct process p;

	process_start(&p, NULL);
	cr_assert_eq(sys_mmap(p.mm, 0x20000000, PAGE_SIZE, RW, flags, NULL, 0), 0x20000000);
	cr_assert_eq(sys_mmap(p.mm, 0x50000000, PAGE_SIZE, RW, flags, NULL, 0), 0x50000000);
	cr_assert_eq(sys_mmap(p.mm, 0x50000000, PAGE_SIZE, RW, flags, NULL, 0), 0x40000000);
	cr_assert_eq(sys_mmap(p.mm, 0x80000000, PAGE_SIZE, RW, flags, NULL, 0), 0x40001000);
	cr_assert_eq(sys_mmap(p.mm, 0, 0x80001000, PROT_NONE, flags, NULL, 0), -ENOMEM);
	process_end(&p);
}

/* The place for 2 MiB more begins aligned: the mapping still lies at its upper end. */
Test(mmap_arguments, a_huge_page_lies_at_the_upper_end_also_of_an_aligned_place)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	struct sim_config settings;
	struct process p;

	sim_config_default(&settings);
	settings.mmap_base = 0x7ffff7e00000;
	process_start(&p, &settings);
	cr_assert_eq(sys_mmap(p.mm, 0, PMD_BYTES, RW, flags, NULL, 0), 0x7ffff7c00000);
	cr_assert_eq(sys_mmap(p.mm, 0, PMD_BYTES, RW, flags, NULL, 0), 0x7ffff7a00000);
	/* A hole of 2 MiB is too small for the padded search, a plain one takes it. */
	sys_munmap(p.mm, 0x7ffff7c00000, PMD_BYTES);
	cr_assert_eq(sys_mmap(p.mm, 0, PMD_BYTES, RW, flags, NULL, 0), 0x7ffff7800000);
	cr_assert_eq(sys_mmap(p.mm, 0x7ffff7a00000, PMD_BYTES, RW, flags, NULL, 0),
		     0x7ffff7c00000);
	process_end(&p);
}

Test(mmap_arguments, only_private_writable_memory_is_charged)
{
	const u64 tera = 1ull << 40;
	struct file *file;
	struct process p;

	process_start(&p, NULL);
	file = open_file(FS_TMPFS);
	cr_assert_eq(sys_mmap(p.mm, 0, tera, RW, MAP_PRIVATE, file, 0), -ENOMEM);
	cr_assert_eq(sys_mmap(p.mm, 0, tera, RW, MAP_SHARED | MAP_ANONYMOUS, NULL, 0), -ENOMEM);
	cr_assert_gt(sys_mmap(p.mm, 0, tera, RW, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, NULL,
			      0), 0);
	cr_assert_eq(sys_mmap(p.mm, AT, tera, RW, MAP_SHARED, file, 0), (long)AT);
	cr_assert(!(find_vma(p.mm, AT)->vm_flags & VM_ACCOUNT));
	map_at(&p, 0, 1, RW);
	cr_assert(find_vma(p.mm, AT)->vm_flags & VM_ACCOUNT);
	fput(file);
	process_end(&p);
}
