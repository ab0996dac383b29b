/* SPDX-License-Identifier: MIT */
/*
 * test_mmap.c - where mappings go, what is refused, and in which order.
 */
#include "sim_fixture.h"

#include <string.h>

#define TOP 0x7ffff7fff000ull
#define MIB (1ull << 20)

static long map(struct process *p, u64 addr, u64 len, u64 flags)
{
	return sys_mmap(p->mm, addr, len, RW, flags | MAP_PRIVATE | MAP_ANONYMOUS, NULL, 0);
}

Test(mmap, goes_below_mmap_base_and_then_below_itself)
{
	struct process p;

	process_start(&p, NULL);
	cr_assert_eq(map(&p, 0, PAGE_SIZE, 0), (long)(TOP - PAGE_SIZE));
	cr_assert_eq(map(&p, 0, 3 * PAGE_SIZE, 0), (long)(TOP - 4 * PAGE_SIZE));
	process_end(&p);
}

Test(mmap, whole_huge_pages_are_aligned_and_leave_the_rest_free)
{
	struct process p;

	process_start(&p, NULL);
	cr_assert_eq(map(&p, 0, 2 * MIB, 0), 0x7ffff7c00000);
	cr_assert_eq(map(&p, 0, 2 * MIB + PAGE_SIZE, 0), 0x7ffff7c00000 - (long)(2 * MIB) - 4096);
	cr_assert_eq(map(&p, 0, PAGE_SIZE, 0), (long)(TOP - PAGE_SIZE));
	process_end(&p);
}

Test(mmap, a_hint_is_taken_only_when_it_fits)
{
	struct process p;

	process_start(&p, NULL);
	cr_assert_eq(map(&p, AT, PAGE_SIZE, 0), (long)AT);
	cr_assert_eq(map(&p, AT, PAGE_SIZE, 0), (long)(TOP - PAGE_SIZE));
	cr_assert_eq(map(&p, 0x1000, PAGE_SIZE, 0), 0x10000);
	cr_assert_eq(map(&p, 0xfff, PAGE_SIZE, 0), (long)(TOP - 2 * PAGE_SIZE));
	process_end(&p);
}

Test(mmap, a_stack_below_keeps_its_guard_gap)
{
	struct process p;
	u64 stack = TOP - 4 * MIB;

	process_start(&p, NULL);
	cr_assert_eq(map(&p, stack, 4 * MIB, MAP_FIXED | MAP_GROWSDOWN), (long)stack);
	cr_assert_eq(map(&p, 0, PAGE_SIZE, 0), (long)(stack - 257 * PAGE_SIZE));
	process_end(&p);
}

Test(mmap, low_memory_is_searched_from_its_start)
{
	struct process p;

	process_start(&p, NULL);
	cr_assert_eq(map(&p, 0, PAGE_SIZE, MAP_32BIT), 0x40000000);
	cr_assert_eq(map(&p, AT, PAGE_SIZE, MAP_32BIT), 0x40001000);
	process_end(&p);
}

Test(mmap, refuses_in_the_order_of_the_kernel)
{
	struct process p;

	process_start(&p, NULL);
	cr_assert_eq(map(&p, 0, 0, 0), -EINVAL);
	cr_assert_eq(map(&p, 0, ~0ull, 0), -ENOMEM);
	cr_assert_eq(map(&p, AT + 1, PAGE_SIZE, MAP_FIXED), -EINVAL);
	cr_assert_eq(map(&p, 0, PAGE_SIZE, MAP_FIXED), -EPERM);
	cr_assert_eq(map(&p, 0x1000, PAGE_SIZE, MAP_FIXED), 0x1000);
	cr_assert_eq(map(&p, 0x7ffffffff000ull, PAGE_SIZE, MAP_FIXED), -ENOMEM);
	cr_assert_eq(map(&p, 0x1000, PAGE_SIZE, MAP_FIXED_NOREPLACE), -EEXIST);
	cr_assert_eq(sys_mmap(p.mm, 0, PAGE_SIZE, RW, MAP_PRIVATE, NULL, 0), -EBADF);
	cr_assert_eq(sys_mmap(p.mm, 0, PAGE_SIZE, RW, MAP_ANONYMOUS, NULL, 0), -EINVAL);
	cr_assert_eq(sys_mmap(p.mm, 0, PAGE_SIZE, RW, MAP_PRIVATE | MAP_ANONYMOUS, NULL, 5),
		     -EINVAL);
	cr_assert_str_eq(sim_unsupported(MAP_HUGETLB | MAP_PRIVATE), "MAP_HUGETLB");
	cr_assert_eq(map(&p, 0, PAGE_SIZE, MAP_HUGETLB), -ENOSYS);
	process_end(&p);
}

Test(mmap, files_are_mapped_as_they_were_opened)
{
	struct process p;
	struct inode *inode;
	struct file *reader, *writer;

	process_start(&p, NULL);
	inode = inode_create("f", FS_TMPFS, 4 * PAGE_SIZE);
	reader = file_open(inode, FMODE_READ);
	writer = file_open(inode, FMODE_WRITE);
	inode_put(inode);
	cr_assert_eq(sys_mmap(p.mm, 0, PAGE_SIZE, RW, MAP_SHARED, reader, 0), -EACCES);
	cr_assert_eq(sys_mmap(p.mm, 0, PAGE_SIZE, PROT_READ, MAP_PRIVATE, writer, 0), -EACCES);
	cr_assert_eq(sys_mmap(p.mm, AT, 8 * PAGE_SIZE, PROT_READ, MAP_SHARED, reader, 0), (long)AT);
	cr_assert_eq(find_vma(p.mm, AT)->vm_flags & (VM_SHARED | VM_MAYSHARE | VM_MAYWRITE),
		     VM_MAYSHARE);
	cr_assert_eq(protect(&p, 0, 1, RW), -EACCES);
	cr_assert_eq(mm_touch(p.mm, AT, 8 * PAGE_SIZE, false).pages_done, 4);
	fput(reader);
	fput(writer);
	process_end(&p);
}

Test(mmap, limits_count_what_is_replaced)
{
	struct sim_config settings;
	struct process p;

	sim_config_default(&settings);
	settings.rlimit_as = 10 * PAGE_SIZE;
	settings.rlimit_data = 6 * PAGE_SIZE;
	process_start(&p, &settings);
	cr_assert_eq(map_at(&p, 0, 7, RW), -ENOMEM);
	cr_assert_eq(map_at(&p, 0, 6, RW), (long)AT);
	cr_assert_eq(map_at(&p, 2, 4, RW), (long)AT + 2 * (long)PAGE_SIZE);
	cr_assert_eq(map_at(&p, 8, 2, PROT_READ), (long)AT + 8 * (long)PAGE_SIZE);
	cr_assert_eq(map_at(&p, 12, 3, PROT_READ), -ENOMEM);
	cr_assert_eq(protect(&p, 8, 1, RW), -ENOMEM);
	process_end(&p);
}

Test(mmap, the_map_limit_stops_splits_but_not_edges)
{
	struct sim_config settings;
	struct process p;

	sim_config_default(&settings);
	settings.max_map_count = 3;
	process_start(&p, &settings);
	map_at(&p, 0, 8, RW);
	map_at(&p, 20, 1, RW);
	map_at(&p, 30, 1, RW);
	cr_assert_eq(unmap(&p, 2, 2), -ENOMEM);
	cr_assert_eq(protect(&p, 2, 2, PROT_READ), -ENOMEM);
	cr_assert_eq(unmap(&p, 6, 2), 0);
	cr_assert_eq(map_at(&p, 40, 1, RW), (long)(AT + 40 * PAGE_SIZE), "one more may exist");
	cr_assert_eq(map_at(&p, 50, 1, RW), -ENOMEM);
	EXPECT_VMAS(&p, 0, 6, 20, 21, 30, 31, 40, 41);
	process_end(&p);
}

static void expect_field(const void *object, const char *owner, const char *field)
{
	const struct object_type *type = page_owner(virt_to_head_page(object));
	bool found = false;

	cr_assert_str_eq(type->name, owner);
	for (u32 i = 0; i < type->nr_fields; i++)
		found |= strcmp(type->fields[i].name, field) == 0;
	cr_assert(found, "%s has no field %s", owner, field);
}

Test(mmap, every_object_tells_its_type_and_fields)
{
	struct process p;

	process_start(&p, NULL);
	map_at(&p, 0, 1, RW);
	map_at(&p, 4, 1, RW);
	touch(&p, 0, 1);
	expect_field(p.mm, "mm_struct", "mmap_lock");
	expect_field(find_vma(p.mm, AT), "vm_area_struct", "vm_lock");
	expect_field(find_vma(p.mm, AT)->anon_vma, "anon_vma", "rwsem");
	expect_field((void *)((unsigned long)p.mm->mm_mt.ma_root & ~255ul), "maple_node", "slot");
	process_end(&p);
}

Test(mmap, one_charge_beyond_all_memory_is_refused)
{
	struct process p;

	process_start(&p, NULL);
	cr_assert_eq(map(&p, 0, 1ull << 40, 0), -ENOMEM);
	cr_assert_gt(map(&p, 0, 1ull << 40, MAP_NORESERVE), 0);
	cr_assert_gt(sys_mmap(p.mm, AT, 1ull << 40, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, NULL,
			      0), 0);
	cr_assert_eq(sys_mprotect(p.mm, AT, 1ull << 40, RW), -ENOMEM);
	process_end(&p);
}
