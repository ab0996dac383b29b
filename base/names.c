/* SPDX-License-Identifier: MIT */
/*
 * names.c - the string tables of names.h.
 */
#include "base/names.h"

#define X(id, name, rest) name,
const char *const lock_class_names[NR_LOCK_CLASSES] = {LOCK_CLASSES(X)};
const char *const event_names[NR_EVENTS] = {EVENTS(X)};
const char *const kmem_cache_names[NR_KMEM_CACHES] = {KMEM_CACHES(X)};
const char *const slab_stat_names[NR_SLAB_STATS] = {SLAB_STATS(X)};
#undef X
