/* SPDX-License-Identifier: MIT */
/* test_layout.c - /proc/PID/maps as a start layout. */
#include "sim/mm.h"
#include "workloads/layout.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char small[] =
	"555555554000-555555556000 r-xp 00001000 fe:01 77                         /bin/a b\n"
	"555555556000-555555557000 rw-p 00003000 fe:01 77                         /bin/a b\n"
	"555555560000-555555581000 rw-p 00000000 00:00 0                          [heap]\n"
	"7ffff7a00000-7ffff7a01000 r--s 00002000 00:2a 5 /mnt/shared (deleted)\n"
	"7ffff7ff0000-7ffff7ff4000 r--p 00000000 00:00 0                          [vvar]\n"
	"7ffff7ffd000-7ffff7fff000 r-xp 00000000 00:00 0                          [vdso]\n"
	"7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0                          [stack]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

static struct layout *parse(const char *text)
{
	struct layout *layout = NULL;
	struct message msg = {""};

	cr_assert_eq(layout_parse("maps", text, &layout, &msg), 0, "%s", msg.text);
	return layout;
}

Test(layout, leaves_vsyscall_out_and_keeps_all_else)
{
	struct layout *layout = parse(small);

	cr_assert_eq(layout->nr_entries, 7);
	cr_assert_str_eq(layout->entries[0].path, "/bin/a b");
	cr_assert_str_eq(layout->entries[0].perm, "r-xp");
	cr_assert_eq(layout->entries[0].offset, 0x1000);
	cr_assert_eq(layout->entries[0].device_major, 0xfe);
	cr_assert_eq(layout->entries[0].inode, 77);
	cr_assert_str_eq(layout->entries[3].path, "/mnt/shared (deleted)");
	cr_assert_eq(layout->entries[3].device_minor, 0x2a);
	layout_free(layout);
}

Test(layout, takes_mmap_base_below_the_stack_and_the_break_from_the_heap)
{
	struct layout *layout = parse(small);

	cr_assert_eq(layout->mmap_base, 0x7ffff7fff000);
	cr_assert(layout->has_heap);
	cr_assert_eq(layout->start_brk, 0x555555560000);
	cr_assert_eq(layout->brk, 0x555555581000);
	layout_free(layout);
}

Test(layout, without_a_heap_the_break_follows_the_program)
{
	struct layout *layout = parse("00400000-00402000 r-xp 00000000 00:01 9 /bin/x\n"
				      "00404000-00405000 rw-p 00000000 00:00 0 \n"
				      "7ffff7ffd000-7ffff7fff000 r-xp 00000000 00:00 0 [vdso]\n");

	cr_assert_not(layout->has_heap);
	cr_assert_eq(layout->brk, 0x405000);
	cr_assert_eq(layout->start_brk, 0x405000);
	cr_assert_eq(layout->mmap_base, 0x7ffff7fff000);
	layout_free(layout);
}

Test(layout, derives_vma_flags_from_permissions_and_labels)
{
	struct layout *layout = parse(small);
	const u64 may = VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC;

	cr_assert_eq(layout_entry_flags(&layout->entries[0]), VM_READ | VM_EXEC | may);
	cr_assert_eq(layout_entry_flags(&layout->entries[1]),
		     VM_READ | VM_WRITE | may | VM_ACCOUNT);
	cr_assert_eq(layout_entry_flags(&layout->entries[3]),
		     VM_READ | VM_MAYREAD | VM_MAYEXEC | VM_MAYSHARE);
	cr_assert(layout_entry_flags(&layout->entries[4]) & VM_DONTEXPAND);
	cr_assert_eq(layout_entry_flags(&layout->entries[6]),
		     VM_READ | VM_WRITE | may | VM_ACCOUNT | VM_GROWSDOWN);
	layout_free(layout);
}

Test(layout, has_a_lean_one_built_in)
{
	struct layout *layout = NULL;
	struct message msg;

	cr_assert_eq(layout_read(NULL, &layout, &msg), 0);
	cr_assert_eq(layout->nr_entries, 39);
	cr_assert(layout->has_heap);
	layout_free(layout);
}

struct refusal {
	const char *text, *place, *reason;
};

static const struct refusal refusals[] = {
	{"", "maps", "no mapping"},
	{"zzz\n", "maps:1:", "START-END"},
	{"1000-2000\n", "maps:1:", "START-END"},
	{"1000-2000 rwxp\n", "maps:1:", "permissions"},
	{"1000-2000 rwzp 0 0:0 0\n", "maps:1:", "permissions"},
	{"1000-2000 rwxp 123 0:0 0\n", "maps:1:", "offset"},
	{"1000-2000 rwxp 1000 00 0\n", "maps:1:", "device"},
	{"1000-2000 rwxp 1000 0:0 x\n", "maps:1:", "inode"},
	{"1000-2000 rwxp 0 0:0 0\n1fff-3000 rwxp 0 0:0 0\n", "maps:2:", "multiples"},
	{"1000-3000 rwxp 0 0:0 0\n2000-4000 rwxp 0 0:0 0\n", "maps:2:", "ascending"},
	{"3000-3000 rwxp 0 0:0 0\n", "maps:1:", "below END"},
	{"1000-8000000000000 rwxp 0 0:0 0\n", "maps:1:", "7ffffffff000"},
	{"1000-10000000000000000 rwxp 0 0:0 0\n", "maps:1:", "START-END"},
};

Test(layout, refuses_a_bad_line_and_says_where_and_what_is_allowed)
{
	for (unsigned i = 0; i < ARRAY_SIZE(refusals); i++) {
		const struct refusal *r = &refusals[i];
		struct layout *layout = NULL;
		struct message msg = {""};

		cr_assert_eq(layout_parse("maps", r->text, &layout, &msg), -EINVAL, "case %u", i);
		cr_assert(strstr(msg.text, r->place), "case %u: %s", i, msg.text);
		cr_assert(strstr(msg.text, r->reason), "case %u: %s", i, msg.text);
	}
}

Test(layout, refuses_what_is_no_text_file)
{
	static const char *const paths[] = {"/", "/no/such/file", "/dev/null", "/proc/self/exe"};

	for (unsigned i = 0; i < ARRAY_SIZE(paths); i++) {
		struct layout *layout = NULL;
		struct message msg = {""};

		cr_assert_eq(layout_read(paths[i], &layout, &msg), -EINVAL, "%s", paths[i]);
		cr_assert(strstr(msg.text, paths[i]), "%s", msg.text);
	}
}
