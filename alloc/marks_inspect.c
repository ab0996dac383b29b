/* SPDX-License-Identifier: MIT */
/*
 * marks_inspect.c - with slow checks: which objects are in callers' hands.
 *
 * A bit an object in host memory beside the slab, set when an object is handed out
 * and cleared when it comes back, whether or not it reaches the slab. So a double
 * free or one into the wrong cache is seen at once, also where sheaves would hide
 * it. The simulation never reads the bits.
 */
#include "alloc/internal.h"

#include <stdlib.h>

#ifdef VMASIM_SLOW_CHECKS

void slab_marks_create(struct kmem_cache *s, struct slab *slab)
{
	unsigned objects = counters_objects(slab->counters);

	(void)s;
	slab->marks = calloc(DIV_ROUND_UP(objects, 64u), sizeof(u64));
	vm_assert(slab->marks);
}

void slab_marks_destroy(struct slab *slab)
{
	free(slab->marks);
	slab->marks = NULL;
}

static unsigned object_index(const struct kmem_cache *s, const struct slab *slab, const void *p)
{
	return (unsigned)((const char *)p - slab_address(slab)) / s->size;
}

void slab_mark_alloc(struct kmem_cache *s, void *object)
{
	struct slab *slab = virt_to_slab(object);
	unsigned i;
	u64 bit, old;

	vm_assert(slab && slab->slab_cache == s);
	i = object_index(s, slab, object);
	bit = 1ull << i % 64;
	old = __atomic_fetch_or(&slab->marks[i / 64], bit, __ATOMIC_RELAXED);
	if (old & bit)
		vm_bug("cache '%s': object %p handed out twice", s->name, object);
}

bool slab_mark_free(struct kmem_cache *s, const void *object)
{
	struct slab *slab = virt_to_slab(object);
	unsigned i;
	u64 bit;

	if (!slab || slab->slab_cache != s || slab_object(s, slab, object) != object) {
		slab_fault(s, object,
			   !slab ? "free of foreign"
			   : slab->slab_cache != s ? "free of another cache's"
						   : "free of the middle of an object by");
		return false;
	}
	i = object_index(s, slab, object);
	bit = 1ull << i % 64;
	if (__atomic_fetch_and(&slab->marks[i / 64], ~bit, __ATOMIC_RELAXED) & bit)
		return true;
	slab_fault(s, object, "double free of");
	return false;
}

#endif
