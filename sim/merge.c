/* SPDX-License-Identifier: MIT */
/*
 * merge.c - when neighbouring ranges become one VMA: all decisions are here.
 *
 * A new range N:            An existing range, part * of middle M:
 *
 *	PPPP NNNN      left         PPPP ****          whole, left:   P grows, M goes
 *	     NNNN XXXX right        PPPP ****MM        part, left:    P grows, M shrinks
 *	PPPP NNNN XXXX both              **** XXXX     whole, right:  X grows, M goes
 *	                               MM**** XXXX     part, right:   X grows, M shrinks
 *	                            PPPP **** XXXX     both:          P grows, M and X go
 *
 * The survivor's range is stored over everything in one store. An anon_vma that
 * only a removed or shrunk VMA has is handed to the survivor with its chain.
 *
 * Context: mmap_lock held for writing.
 */
#include "sim/internal.h"

/* ---- Decisions ---- */

static bool same_kind(const struct vma_merge_struct *vmg, const struct vm_area_struct *vma)
{
	return !((vma->vm_flags ^ vmg->flags) & ~VM_STICKY) && vma->vm_file == vmg->file &&
	       !(vmg->flags & VM_SPECIAL);
}

/* The range's anon_vma against that of the neighbour that would survive. */
static bool anon_allows(const struct vma_merge_struct *vmg, const struct vm_area_struct *target)
{
	if (!vmg->anon_vma)
		return !target->anon_vma || anon_vma_is_singular(target);
	if (!target->anon_vma)
		return !vmg->middle || anon_vma_is_singular(vmg->middle);
	return target->anon_vma == vmg->anon_vma;
}

static bool can_merge_left(const struct vma_merge_struct *vmg)
{
	const struct vm_area_struct *prev = vmg->prev;

	return prev && prev->vm_end == vmg->start && same_kind(vmg, prev) &&
	       prev->vm_pgoff + vma_pages(prev) == vmg->pgoff && anon_allows(vmg, prev);
}

static bool can_merge_right(const struct vma_merge_struct *vmg)
{
	const struct vm_area_struct *next = vmg->next;

	return next && next->vm_start == vmg->end && same_kind(vmg, next) &&
	       vmg->pgoff + ((vmg->end - vmg->start) >> PAGE_SHIFT) == next->vm_pgoff &&
	       anon_allows(vmg, next);
}

static bool neighbours_agree(const struct vma_merge_struct *vmg)
{
	const struct anon_vma *left = vmg->prev->anon_vma, *right = vmg->next->anon_vma;

	return !left || !right || left == right;
}

/* ---- The change ---- */

/* What a merge does: @target gets [start, end); the removed go, the shrunk one keeps the rest. */
struct vma_merge_plan {
	struct vm_area_struct *target;
	struct vm_area_struct *removed[2];
	struct vm_area_struct *shrunk;
	struct vm_area_struct *anon_from; /* whose chain the target may need */
	u64 start, end;
};

/* @handed: the target got a chain that it has to lose again if the merge fails. */
static int hand_over_anon_vma(struct vm_area_struct *to, struct vm_area_struct *from, bool *handed)
{
	*handed = from && from->anon_vma && !to->anon_vma;
	if (!*handed)
		return 0;
	to->anon_vma = from->anon_vma;
	return anon_vma_clone(to, from, false);
}

static void set_range(struct vm_area_struct *vma, u64 start, u64 end)
{
	/* pgoff is linear, below zero too: unsigned arithmetic wraps back. */
	vma->vm_pgoff += (u64)((s64)(start - vma->vm_start) >> PAGE_SHIFT);
	vma->vm_start = start;
	vma->vm_end = end;
}

static void shrink_beside(struct vm_area_struct *vma, const struct vma_merge_plan *plan)
{
	if (vma->vm_start < plan->start)
		set_range(vma, vma->vm_start, plan->start);
	else
		set_range(vma, plan->end, vma->vm_end);
}

static void drop_removed(struct mm_struct *mm, struct vm_area_struct *vma)
{
	mm->map_count--;
	unlink_anon_vmas(vma);
	remove_vma(vma);
}

static void lock_all(const struct vma_merge_plan *plan)
{
	vma_start_write(plan->target);
	for (unsigned i = 0; i < ARRAY_SIZE(plan->removed); i++)
		if (plan->removed[i])
			vma_start_write(plan->removed[i]);
	if (plan->shrunk)
		vma_start_write(plan->shrunk);
}

static struct vm_area_struct *commit_merge(struct vma_merge_struct *vmg,
					   const struct vma_merge_plan *plan)
{
	MA_STATE(mas, &vmg->mm->mm_mt, plan->start, plan->end - 1);
	struct vma_prepare vp = {.vma = plan->target,
				 .remove = {plan->removed[0], plan->removed[1]}};
	struct vm_area_struct *target = plan->target;
	bool handed;

	lock_all(plan);
	if (hand_over_anon_vma(target, plan->anon_from, &handed))
		return NULL;
	if (mas_preallocate(&mas, target, GFP_KERNEL)) {
		if (handed)
			unlink_anon_vmas(target);
		return NULL;
	}
	/* A shrunk VMA's anon_vma is the target's now, if it has one. */
	vp.anon_vma = target->anon_vma;
	vma_prepare(&vp);
	set_range(target, plan->start, plan->end);
	target->vm_flags |= vmg->flags & VM_STICKY;
	if (plan->shrunk)
		shrink_beside(plan->shrunk, plan);
	mas_store_prealloc(&mas, target);
	vma_complete(&vp);
	for (unsigned i = 0; i < ARRAY_SIZE(plan->removed); i++)
		if (plan->removed[i])
			drop_removed(vmg->mm, plan->removed[i]);
	return target;
}

struct vm_area_struct *vma_merge_new_range(struct vma_merge_struct *vmg)
{
	bool left = can_merge_left(vmg);
	bool right = !vmg->just_expand && can_merge_right(vmg);
	struct vma_merge_plan plan = {.start = vmg->start, .end = vmg->end};

	if (left && right && !neighbours_agree(vmg))
		right = false;
	if (!left && !right)
		return NULL;
	plan.target = left ? vmg->prev : vmg->next;
	if (left)
		plan.start = vmg->prev->vm_start;
	if (right)
		plan.end = vmg->next->vm_end;
	if (left && right)
		plan.removed[0] = plan.anon_from = vmg->next;
	return commit_merge(vmg, &plan);
}

/* Left with all or a part of middle. */
static void plan_left(const struct vma_merge_struct *vmg, struct vma_merge_plan *plan)
{
	plan->target = vmg->prev;
	plan->start = vmg->prev->vm_start;
	plan->anon_from = vmg->middle;
	if (vmg->end == vmg->middle->vm_end)
		plan->removed[0] = vmg->middle;
	else
		plan->shrunk = vmg->middle;
}

static void plan_right(const struct vma_merge_struct *vmg, struct vma_merge_plan *plan)
{
	plan->target = vmg->next;
	plan->end = vmg->next->vm_end;
	plan->anon_from = vmg->middle;
	if (vmg->start == vmg->middle->vm_start)
		plan->removed[0] = vmg->middle;
	else
		plan->shrunk = vmg->middle;
}

static void plan_both(const struct vma_merge_struct *vmg, struct vma_merge_plan *plan)
{
	plan->target = vmg->prev;
	plan->start = vmg->prev->vm_start;
	plan->end = vmg->next->vm_end;
	plan->removed[0] = vmg->middle;
	plan->removed[1] = vmg->next;
	plan->anon_from = vmg->next->anon_vma ? vmg->next : vmg->middle;
}

static struct vm_area_struct *merge_existing_range(struct vma_merge_struct *vmg)
{
	struct vma_merge_plan plan = {.start = vmg->start, .end = vmg->end};
	bool left = vmg->start == vmg->middle->vm_start && can_merge_left(vmg);
	bool right = vmg->end == vmg->middle->vm_end && can_merge_right(vmg);

	if (!left && !right)
		return NULL;
	if (left && right && neighbours_agree(vmg))
		plan_both(vmg, &plan);
	else if (left)
		plan_left(vmg, &plan);
	else
		plan_right(vmg, &plan);
	return commit_merge(vmg, &plan);
}

struct vm_area_struct *vma_modify_flags(struct vma_merge_struct *vmg, int *error)
{
	struct vm_area_struct *vma = vmg->middle;
	struct vm_area_struct *merged = merge_existing_range(vmg);

	*error = 0;
	if (merged)
		return merged;
	if (vmg->start > vma->vm_start)
		*error = split_vma(vmg->mm, vma, vmg->start, true);
	if (!*error && vmg->end < vma->vm_end)
		*error = split_vma(vmg->mm, vma, vmg->end, false);
	return *error ? NULL : vma;
}
