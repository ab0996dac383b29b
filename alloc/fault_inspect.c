/* SPDX-License-Identifier: MIT */
/*
 * fault_inspect.c - reports of misuse: foreign pointers, double frees, wrong caches.
 *
 * A report names cache, slab and object. It ends the program, unless a test asked
 * to be given it; then the free is refused and nothing has changed.
 */
#include "alloc/internal.h"

#include <stdio.h>
#include <stdlib.h>

static void deliver(const char *report)
{
	struct slab_state *state = slab_state();

	if (state && state->fault_handler) {
		state->fault_handler(report);
		return;
	}
	fputs(report, stderr);
	abort();
}

void slab_set_fault_handler(slab_fault_fn *handler)
{
	slab_state()->fault_handler = handler;
}

/* Which slab and object @p lies in, as text. */
static void describe(const void *p, char *text, size_t size)
{
	const struct slab *slab = in_arena(p) ? virt_to_slab(p) : NULL;
	const struct kmem_cache *s;
	const char *start;

	if (!slab) {
		snprintf(text, size, "%s", in_arena(p) ? "in a page that is no slab"
						       : "outside the arena");
		return;
	}
	s = slab->slab_cache;
	start = slab_address(slab);
	snprintf(text, size, "object %u (+%u bytes) of slab %p of cache '%s'",
		 (unsigned)((const char *)p - start) / s->size,
		 (unsigned)((const char *)p - start) % s->size, (const void *)start, s->name);
}

void slab_fault(const struct kmem_cache *s, const void *object, const char *what)
{
	char where[160], report[320];

	describe(object, where, sizeof(where));
	snprintf(report, sizeof(report), "vmasim: slab: cache '%s': %s pointer %p, %s\n",
		 s ? s->name : "kmalloc", what, object, where);
	deliver(report);
}

void slab_fault_foreign(const struct kmem_cache *s, const void *object)
{
	slab_fault(s, object, "free of foreign");
}
