/* SPDX-License-Identifier: MIT */
/*
 * test_mm_model.c - an address space against an array of pages.
 *
 * Random calls on a window of pages at a fixed place; the model knows of each page
 * whether it is mapped, with which rights, as what, and whether it was written. What
 * each call returns and, now and then, the whole layout, the pages and the counters
 * are compared, and the validator runs. In the end a fork child and the parent go and
 * nothing is left. VMASIM_SEED replays, VMASIM_OPS sets the length.
 */
#include "alloc/slab.h"
#include "base/rng.h"
#include "sim/mm.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { WINDOW = 400, FILE_PAGES = 1000, CHECK_EVERY = 256 };

#define BASE 0x100000000000ull

struct page_model {
	bool mapped, shared, file;
	bool anonymous; /* written, and private */
	unsigned prot;
	u64 file_page;
};

struct model {
	struct mm_struct *mm;
	struct inode *inode;
	struct file *file;
	struct rng rng;
	struct page_model page[WINDOW];
};

static u64 number_from(const char *name, u64 fallback)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : fallback;
}

struct range {
	unsigned first, count;
};

static struct range any_range(struct model *m)
{
	struct range r = {.first = (unsigned)rng_below(&m->rng, WINDOW)};

	r.count = 1 + (unsigned)rng_below(&m->rng, min(WINDOW - r.first, 40u));
	return r;
}

static u64 address(unsigned page)
{
	return BASE + page * PAGE_SIZE;
}

static bool overlaps(const struct model *m, struct range r)
{
	for (unsigned i = r.first; i < r.first + r.count; i++)
		if (m->page[i].mapped)
			return true;
	return false;
}

static void do_mmap(struct model *m)
{
	static const unsigned prots[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE,
					 PROT_READ | PROT_WRITE};
	struct range r = any_range(m);
	unsigned prot = prots[rng_below(&m->rng, 4)];
	bool file = rng_below(&m->rng, 4) == 0, shared = file && rng_below(&m->rng, 2);
	bool replace = rng_below(&m->rng, 4) != 0;
	u64 offset = file ? rng_below(&m->rng, FILE_PAGES - WINDOW) : 0;
	int flags = (shared ? MAP_SHARED : MAP_PRIVATE) | (file ? 0 : MAP_ANONYMOUS) |
		    (replace ? MAP_FIXED : MAP_FIXED_NOREPLACE);
	long got = sys_mmap(m->mm, address(r.first), r.count * PAGE_SIZE, prot, (u64)flags,
			    file ? m->file : NULL, offset * PAGE_SIZE);

	if (!replace && overlaps(m, r)) {
		cr_assert_eq(got, -EEXIST);
		return;
	}
	cr_assert_eq(got, (long)address(r.first), "mmap: %ld", got);
	for (unsigned i = 0; i < r.count; i++)
		m->page[r.first + i] = (struct page_model){
			.mapped = true,
			.shared = shared,
			.file = file,
			.prot = prot,
			.file_page = offset + i,
		};
}

static void do_munmap(struct model *m)
{
	struct range r = any_range(m);

	cr_assert_eq(sys_munmap(m->mm, address(r.first), r.count * PAGE_SIZE), 0);
	for (unsigned i = r.first; i < r.first + r.count; i++)
		m->page[i].mapped = false;
}

/* Up to the first hole; what came before keeps the new rights. */
static void do_mprotect(struct model *m)
{
	struct range r = any_range(m);
	unsigned prot = rng_below(&m->rng, 2) ? PROT_READ : PROT_READ | PROT_WRITE;
	long got = sys_mprotect(m->mm, address(r.first), r.count * PAGE_SIZE, prot);
	unsigned i = r.first;

	for (; i < r.first + r.count && m->page[i].mapped; i++)
		m->page[i].prot = prot;
	cr_assert_eq(got, i < r.first + r.count ? -ENOMEM : 0, "mprotect: %ld", got);
}

static void do_touch(struct model *m)
{
	struct range r = any_range(m);
	bool write = rng_below(&m->rng, 3) != 0;
	struct touch_result got =
		mm_touch(m->mm, address(r.first), r.count * PAGE_SIZE, write);
	unsigned wanted = write ? PROT_WRITE : PROT_READ;
	unsigned done = 0;

	while (done < r.count && m->page[r.first + done].mapped &&
	       (m->page[r.first + done].prot & wanted))
		done++;
	cr_assert_eq(got.pages_done, done);
	cr_assert_eq(got.signal != 0, done < r.count);
	for (unsigned i = r.first; write && i < r.first + done; i++)
		m->page[i].anonymous |= !m->page[i].shared;
}

struct compare {
	const struct model *m;
	unsigned next; /* page up to which the model was compared */
};

static bool compare_vma(void *arg, const struct vma_view *vma)
{
	struct compare *c = arg;
	unsigned first = (unsigned)((vma->start - BASE) >> PAGE_SHIFT);
	unsigned end = (unsigned)((vma->end - BASE) >> PAGE_SHIFT);
	u64 anonymous = 0;

	for (; c->next < first; c->next++)
		cr_assert(!c->m->page[c->next].mapped, "page %u is not mapped", c->next);
	for (; c->next < end; c->next++) {
		const struct page_model *page = &c->m->page[c->next];

		cr_assert(page->mapped, "page %u is mapped", c->next);
		cr_assert_eq(!!(vma->flags & VM_READ), !!(page->prot & PROT_READ));
		cr_assert_eq(!!(vma->flags & VM_WRITE), !!(page->prot & PROT_WRITE));
		cr_assert_eq(!!(vma->flags & VM_MAYSHARE), page->shared);
		cr_assert_eq(vma->inode != NULL, page->file);
		if (page->file)
			cr_assert_eq(vma->pgoff + (c->next - first), page->file_page);
		anonymous += page->anonymous;
	}
	cr_assert_eq(vma->anon_pages, anonymous, "VMA at page %u: %llu anonymous pages, not %llu",
		     first, (unsigned long long)vma->anon_pages, (unsigned long long)anonymous);
	return true;
}

static void compare_counters(const struct model *m, struct mm_struct *mm)
{
	struct mm_counters counters;
	u64 total = 0, data = 0;

	for (unsigned i = 0; i < WINDOW; i++) {
		const struct page_model *page = &m->page[i];

		total += page->mapped;
		data += page->mapped && !page->shared && (page->prot & PROT_WRITE);
	}
	mm_read_counters(mm, &counters);
	cr_assert_eq(counters.total_vm, total);
	cr_assert_eq(counters.data_vm, data);
	cr_assert_eq(counters.exec_vm + counters.stack_vm + counters.locked_vm, 0);
}

static void check(struct model *m, struct mm_struct *mm)
{
	struct compare c = {.m = m};

	mm_validate(mm);
	mm_visit_vmas(mm, compare_vma, &c);
	for (; c.next < WINDOW; c.next++)
		cr_assert(!m->page[c.next].mapped, "page %u is not mapped", c.next);
	compare_counters(m, mm);
}

static void fork_and_exit(struct model *m)
{
	int error;
	struct mm_struct *child = dup_mm(m->mm, &error);

	cr_assert_not_null(child, "fork: %d", error);
	check(m, child);
	mmput(child);
}

static void one_step(struct model *m)
{
	switch (rng_below(&m->rng, 8)) {
	case 0:
	case 1:
		do_munmap(m);
		break;
	case 2:
	case 3:
		do_mprotect(m);
		break;
	case 4:
		do_touch(m);
		break;
	default:
		do_mmap(m);
		break;
	}
	op_end(1);
}

static void run_model(const char *kernel)
{
	u64 seed = number_from("VMASIM_SEED", 1), ops = number_from("VMASIM_OPS", 100000);
	struct machine_config config = {.nr_workers = 1};
	struct sim_config settings;
	struct machine_desc desc;
	struct machine *machine;
	struct policy policy;
	struct message msg;
	struct model m = {0};

	printf("%s: VMASIM_SEED=%llu VMASIM_OPS=%llu\n", kernel, (unsigned long long)seed,
	       (unsigned long long)ops);
	cr_assert_eq(machine_describe_host(&desc, &msg), 0, "%s", msg.text);
	cr_assert_eq(policy_parse(kernel, &policy, &msg), 0, "%s", msg.text);
	config.desc = &desc;
	cr_assert_eq(machine_create(&config, &machine, &msg), 0, "%s", msg.text);
	machine_enter(machine);
	cr_assert_eq(slab_boot(&policy, &msg), 0, "%s", msg.text);
	cr_assert_eq(sim_boot(&msg), 0, "%s", msg.text);
	sim_config_default(&settings);
	m.mm = mm_alloc(&settings);
	m.inode = inode_create("file", FS_EXT4, FILE_PAGES * PAGE_SIZE);
	m.file = file_open(m.inode, FMODE_READ | FMODE_WRITE);
	rng_seed(&m.rng, seed, 0);
	for (u64 i = 0; i < ops; i++) {
		one_step(&m);
		if (i % CHECK_EVERY == 0)
			check(&m, m.mm);
		if (i % (CHECK_EVERY * 32) == 0)
			fork_and_exit(&m);
	}
	check(&m, m.mm);
	mmput(m.mm);
	fput(m.file);
	inode_put(m.inode);
	cr_assert_eq(sim_shutdown(), 0);
	cr_assert_eq(slab_shutdown(), 0);
	machine_leave(machine);
	machine_destroy(machine);
}

Test(mm_model, agrees_with_an_array_of_pages_with_sheaves)
{
	run_model("6.18");
}

Test(mm_model, agrees_with_an_array_of_pages_without_sheaves)
{
	run_model("6.17");
}
