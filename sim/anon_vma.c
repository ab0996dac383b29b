/* SPDX-License-Identifier: MIT */
/*
 * anon_vma.c - who may map an anonymous page: chains between VMAs and anon_vmas.
 *
 *	VMA (parent) --avc-- anon_vma A (root) --avc--.
 *	VMA (child)  --avc-- anon_vma B  <- own       |
 *	     `--------------------------avc-----------'
 *
 * A VMA has one chain entry for each anon_vma whose pages it may map: its own
 * and those of the processes it was forked from. One entry: singular. An
 * anon_vma lives while a chain entry or, as root, a family member points at it.
 *
 * Context: mmap_lock held; for preparation reading is enough, since two faults of
 * one VMA are ordered by page_table_lock. Lists and counts change under the root's
 * lock, which is taken once for a whole chain: all of it is one family.
 */
#include "sim/internal.h"

static struct anon_vma *anon_vma_alloc(void)
{
	struct anon_vma *anon_vma = kmem_cache_alloc(kernel_cache(CACHE_ANON_VMA), GFP_KERNEL);

	if (!anon_vma)
		return NULL;
	mem_zero(anon_vma, sizeof(*anon_vma));
	count_event(EVENT_ANON_VMA_ALLOC, 1);
	init_rwsem(&anon_vma->rwsem, LOCK_ANON_VMA);
	INIT_LIST_HEAD(&anon_vma->chains);
	anon_vma->refs = 1;
	anon_vma->root = anon_vma;
	anon_vma->parent = anon_vma;
	return anon_vma;
}

static void anon_vma_put(struct anon_vma *anon_vma)
{
	struct anon_vma *root = anon_vma->root;

	if (atomic_add_return(&anon_vma->refs, -1u))
		return;
	count_event(EVENT_ANON_VMA_FREE, 1);
	kmem_cache_free(kernel_cache(CACHE_ANON_VMA), anon_vma);
	if (root != anon_vma)
		anon_vma_put(root);
}

static struct anon_vma_chain *chain_alloc(void)
{
	struct anon_vma_chain *avc =
		kmem_cache_alloc(kernel_cache(CACHE_ANON_VMA_CHAIN), GFP_KERNEL);

	if (avc)
		count_event(EVENT_AVC_ALLOC, 1);
	return avc;
}

static void chain_free(struct anon_vma_chain *avc)
{
	count_event(EVENT_AVC_FREE, 1);
	kmem_cache_free(kernel_cache(CACHE_ANON_VMA_CHAIN), avc);
}

static void chain_link(struct vm_area_struct *vma, struct anon_vma_chain *avc,
		       struct anon_vma *anon_vma)
{
	avc->vma = vma;
	avc->anon_vma = anon_vma;
	list_add(&avc->same_vma, &vma->anon_vma_chain);
	list_add_tail(&avc->same_anon_vma, &anon_vma->chains);
}

bool anon_vma_is_singular(const struct vm_area_struct *vma)
{
	const struct list_head *chain = &vma->anon_vma_chain;

	return chain->next->next == chain || list_empty(chain);
}

/* ---- Sharing with a neighbour ---- */

/* May @b, directly above @a, use the same anon_vma? Access bits may differ. */
static bool compatible(const struct vm_area_struct *a, const struct vm_area_struct *b)
{
	u64 differ = (a->vm_flags ^ b->vm_flags) & ~(VM_ACCESS_FLAGS | VM_STICKY);

	return a->vm_end == b->vm_start && a->vm_file == b->vm_file && !differ &&
	       b->vm_pgoff == a->vm_pgoff + vma_pages(a);
}

static struct anon_vma *reusable(const struct vm_area_struct *low,
				 const struct vm_area_struct *high,
				 const struct vm_area_struct *owner)
{
	/* Set by a fault that may run now: what is seen of it comes with its chain. */
	struct anon_vma *anon_vma = smp_load_acquire(&owner->anon_vma);

	return anon_vma && compatible(low, high) && anon_vma_is_singular(owner) ? anon_vma : NULL;
}

/* The neighbour above is asked first. */
static struct anon_vma *find_mergeable_anon_vma(struct vm_area_struct *vma)
{
	MA_STATE(mas, &vma->vm_mm->mm_mt, vma->vm_end, vma->vm_end);
	struct vm_area_struct *near = mas_walk(&mas);
	struct anon_vma *anon_vma = near ? reusable(vma, near, near) : NULL;

	if (anon_vma || !vma->vm_start)
		return anon_vma;
	mas_set(&mas, vma->vm_start - 1);
	near = mas_walk(&mas);
	return near ? reusable(near, vma, near) : NULL;
}

/* Give @vma @shared, or where that is NULL an anon_vma of its own. */
static int prepare(struct vm_area_struct *vma, struct anon_vma *shared)
{
	struct mm_struct *mm = vma->vm_mm;
	struct anon_vma_chain *avc = chain_alloc();
	struct anon_vma *anon_vma = shared;

	if (!avc)
		return -ENOMEM;
	if (!anon_vma) {
		anon_vma = anon_vma_alloc();
		if (!anon_vma) {
			chain_free(avc);
			return -ENOMEM;
		}
		anon_vma->num_children = 1;
	}
	down_write(&anon_vma->root->rwsem);
	spin_lock(&mm->page_table_lock);
	if (likely(!vma->anon_vma)) {
		if (shared)
			atomic_add_return(&anon_vma->refs, 1);
		anon_vma->num_active_vmas++;
		chain_link(vma, avc, anon_vma);
		smp_store_release(&vma->anon_vma, anon_vma);
		avc = NULL;
	}
	spin_unlock(&mm->page_table_lock);
	up_write(&anon_vma->root->rwsem);
	if (avc) { /* another fault was first */
		chain_free(avc);
		if (!shared)
			anon_vma_put(anon_vma);
	}
	return 0;
}

int anon_vma_prepare(struct vm_area_struct *vma)
{
	if (READ_ONCE(vma->anon_vma))
		return 0;
	return prepare(vma, find_mergeable_anon_vma(vma));
}

int anon_vma_prepare_own(struct vm_area_struct *vma)
{
	return prepare(vma, NULL);
}

/* ---- Copying and dropping chains ---- */

/* A child may take over an anon_vma that no VMA owns and that has no other child. */
static bool may_take_over(const struct anon_vma *anon_vma)
{
	return anon_vma->num_children < 2 && !anon_vma->num_active_vmas;
}

/* The family's lock, taken with the first entry of a chain. */
static struct anon_vma *lock_anon_vma_root(struct anon_vma *locked, struct anon_vma *anon_vma)
{
	struct anon_vma *root = anon_vma->root;

	if (locked == root)
		return root;
	vm_assert(!locked);
	down_write(&root->rwsem);
	return root;
}

static void unlock_anon_vma_root(struct anon_vma *locked)
{
	if (locked)
		up_write(&locked->rwsem);
}

/* @forking: @to starts without an own anon_vma and may take one over. */
int anon_vma_clone(struct vm_area_struct *to, struct vm_area_struct *from, bool forking)
{
	struct list_head *chain = &from->anon_vma_chain;
	struct anon_vma *root = NULL;

	for (struct list_head *at = chain->prev; at != chain; at = at->prev) {
		struct anon_vma *anon_vma =
			list_entry(at, struct anon_vma_chain, same_vma)->anon_vma;
		struct anon_vma_chain *avc = chain_alloc();

		if (!avc) {
			unlock_anon_vma_root(root);
			to->anon_vma = NULL; /* not counted yet */
			unlink_anon_vmas(to);
			return -ENOMEM;
		}
		root = lock_anon_vma_root(root, anon_vma);
		atomic_add_return(&anon_vma->refs, 1);
		chain_link(to, avc, anon_vma);
		if (forking && !to->anon_vma && from->anon_vma && may_take_over(anon_vma))
			to->anon_vma = anon_vma;
	}
	if (to->anon_vma)
		to->anon_vma->num_active_vmas++;
	unlock_anon_vma_root(root);
	return 0;
}

int anon_vma_fork(struct vm_area_struct *child, struct vm_area_struct *parent)
{
	struct anon_vma_chain *avc;
	struct anon_vma *own;
	int error;

	child->anon_vma = NULL;
	if (!parent->anon_vma)
		return 0;
	error = anon_vma_clone(child, parent, true);
	if (error || child->anon_vma)
		return error;
	own = anon_vma_alloc();
	avc = own ? chain_alloc() : NULL;
	if (!avc) {
		if (own)
			anon_vma_put(own);
		unlink_anon_vmas(child);
		return -ENOMEM;
	}
	own->root = parent->anon_vma->root;
	own->parent = parent->anon_vma;
	own->num_active_vmas = 1;
	atomic_add_return(&own->root->refs, 1);
	child->anon_vma = own;
	down_write(&own->root->rwsem);
	chain_link(child, avc, own);
	own->parent->num_children++;
	up_write(&own->root->rwsem);
	return 0;
}

/* Counts first, in all entries: a parent is one of them and must outlive its child's. */
void unlink_anon_vmas(struct vm_area_struct *vma)
{
	struct anon_vma_chain *avc, *next;
	struct anon_vma *root = NULL;

	list_for_each_entry(avc, &vma->anon_vma_chain, same_vma) {
		struct anon_vma *anon_vma = avc->anon_vma;

		root = lock_anon_vma_root(root, anon_vma);
		list_del(&avc->same_anon_vma);
		if (list_empty(&anon_vma->chains))
			anon_vma->parent->num_children--;
	}
	if (vma->anon_vma)
		vma->anon_vma->num_active_vmas--;
	vma->anon_vma = NULL;
	unlock_anon_vma_root(root);
	list_for_each_entry_safe(avc, next, &vma->anon_vma_chain, same_vma) {
		struct anon_vma *anon_vma = avc->anon_vma;

		list_del(&avc->same_vma);
		chain_free(avc);
		anon_vma_put(anon_vma);
	}
}
