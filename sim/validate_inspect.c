/* SPDX-License-Identifier: MIT */
/*
 * validate_inspect.c - everything an address space promises, checked. No task runs.
 *
 * 1 the tree is sound; 2 VMAs are page aligned, not empty, and stored over their
 * own range; 3 counters are the sums over the VMAs; 4 a VMA with an anon_vma has a
 * chain, whose entries name this VMA and stand in the anon_vma's list, and are all
 * of one family; an anon_vma counts the VMAs that own it; a VMA of a file is in its
 * list; 5 pages exist only inside VMAs, anonymous ones only where there is an anon_vma.
 */
#include "sim/internal.h"

struct sums {
	u64 vmas, total, data, exec, stack, locked, pages;
};

static bool chain_has(const struct anon_vma *anon_vma, const struct anon_vma_chain *wanted)
{
	const struct list_head *head = &anon_vma->chains;

	for (const struct list_head *at = head->next; at != head; at = at->next)
		if (at == &wanted->same_anon_vma)
			return true;
	return false;
}

static void check_owners(const struct anon_vma *anon_vma)
{
	const struct list_head *head = &anon_vma->chains;
	u32 owners = 0;

	for (const struct list_head *at = head->next; at != head; at = at->next)
		owners += list_entry(at, struct anon_vma_chain, same_anon_vma)->vma->anon_vma ==
			  anon_vma;
	vm_assert(owners == anon_vma->num_active_vmas);
}

static void check_chain(struct vm_area_struct *vma)
{
	struct anon_vma_chain *avc;
	bool own = false;

	list_for_each_entry(avc, &vma->anon_vma_chain, same_vma) {
		vm_assert(avc->vma == vma);
		vm_assert(chain_has(avc->anon_vma, avc));
		vm_assert(avc->anon_vma->refs);
		vm_assert(!vma->anon_vma || avc->anon_vma->root == vma->anon_vma->root);
		own |= avc->anon_vma == vma->anon_vma;
	}
	vm_assert(own == (vma->anon_vma != NULL));
	if (own)
		check_owners(vma->anon_vma);
}

static void check_vma(struct mm_struct *mm, const struct ma_state *mas, struct vm_area_struct *vma,
		      struct sums *sums)
{
	u64 pages = vma_pages(vma);
	u64 anonymous = page_table_count(mm->pages, vma->vm_start, vma->vm_end, PAGE_ANON);

	vm_assert(vma->vm_mm == mm && !vma_lock_is_detached(&vma->vm_lock));
	vm_assert(vma->vm_start < vma->vm_end);
	vm_assert(!((vma->vm_start | vma->vm_end) & ~PAGE_MASK));
	vm_assert(mas->index == vma->vm_start && mas->last == vma->vm_end - 1);
	vm_assert(!anonymous || vma->anon_vma);
	check_chain(vma);
	vm_assert(list_empty(&vma->shared) == !vma->vm_file);
	vm_assert(vma->shared.next->prev == &vma->shared);
	sums->vmas++;
	sums->total += pages;
	sums->locked += vma->vm_flags & VM_LOCKED ? pages : 0;
	if ((vma->vm_flags & (VM_EXEC | VM_WRITE | VM_GROWSDOWN)) == VM_EXEC)
		sums->exec += pages;
	else if (vma->vm_flags & VM_GROWSDOWN)
		sums->stack += pages;
	else if (is_data_mapping(vma->vm_flags))
		sums->data += pages;
	for (enum page_kind kind = PAGE_ZERO; kind <= PAGE_FILE; kind++)
		sums->pages += page_table_count(mm->pages, vma->vm_start, vma->vm_end, kind);
}

void mm_validate(struct mm_struct *mm)
{
	MA_STATE(mas, &mm->mm_mt, 0, 0);
	struct vm_area_struct *vma;
	struct sums sums = {0};
	u64 pages = 0;

	mt_validate(&mm->mm_mt);
	for_each_vma(mas, vma)
		check_vma(mm, &mas, vma, &sums);
	vm_assert(sums.vmas == mm->map_count);
	vm_assert(sums.total == mm->total_vm);
	vm_assert(sums.data == mm->data_vm);
	vm_assert(sums.exec == mm->exec_vm);
	vm_assert(sums.stack == mm->stack_vm);
	vm_assert(sums.locked == mm->locked_vm);
	for (enum page_kind kind = PAGE_ZERO; kind <= PAGE_FILE; kind++)
		pages += page_table_count(mm->pages, 0, mm->config.task_size, kind);
	vm_assert(pages == sums.pages);
}
