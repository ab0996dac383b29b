/* SPDX-License-Identifier: MIT */
/*
 * names.h - every name that more than one floor prints, each list once.
 *
 * Enumerations, tables of strings, the record's fields and the man page's lists
 * are all generated from these X-macros: X(identifier, "printed name", "meaning").
 */
#ifndef VMASIM_BASE_NAMES_H
#define VMASIM_BASE_NAMES_H

/* Lock classes: who waits for what. */
#define LOCK_CLASSES(X)                                                                            \
	X(NONE, "none", "no class given")                                                          \
	X(BARN, "barn", "struct node_barn: full and empty sheaves of a node")                      \
	X(LIST_LOCK, "list_lock", "struct kmem_cache_node: partial slabs of a node")               \
	X(ZONE, "zone", "page allocator of a node")                                                \
	X(MMAP_LOCK, "mmap_lock", "one address space")                                             \
	X(VMA, "vma", "one vm_area_struct")                                                        \
	X(I_MMAP, "i_mmap_rwsem", "mappings of one file")                                          \
	X(ANON_VMA, "anon_vma", "root of an anon_vma family")                                      \
	X(PAGE_TABLE, "page_table_lock", "page tables of one address space")                       \
	X(MA_LOCK, "ma_lock", "a maple tree's own lock")                                           \
	X(COMMIT, "vm_committed_as", "the global part of the commit counter")

/* Event counters, named as the kernel's tracepoints where there is one. */
#define EVENTS(X)                                                                                  \
	X(MA_READ, "ma_read", "tree reads that the kernel traces")                                 \
	X(MA_WRITE, "ma_write", "tree stores and node rewrites")                                   \
	X(MA_OP, "ma_op", "tree rebalances, splits and spanning stores")                           \
	X(MMAP_LOCK, "mmap_lock", "mmap_lock acquisitions started")                                \
	X(VM_UNMAPPED_AREA, "vm_unmapped_area", "gap searches")                                    \
	X(FAULT, "minor-faults", "page faults")                                                    \
	X(NODE_ALLOC, "maple_node", "maple nodes allocated (not those prefilled and returned)")    \
	X(VMA_ALLOC, "vm_area_struct", "vm_area_structs allocated")                                \
	X(VMA_FREE, "vm_area_struct_free", "vm_area_structs freed")                                \
	X(ANON_VMA_ALLOC, "anon_vma", "anon_vmas allocated")                                       \
	X(ANON_VMA_FREE, "anon_vma_free", "anon_vmas freed")                                       \
	X(AVC_ALLOC, "anon_vma_chain", "anon_vma_chains allocated")                                \
	X(AVC_FREE, "anon_vma_chain_free", "anon_vma_chains freed")                                \
	X(RCU_CALLBACK, "rcu_callback", "RCU callbacks invoked")

/* Caches that policies and machines name. X(identifier, "name", object size in bytes) */
#define KMEM_CACHES(X)                                                                             \
	X(MAPLE_NODE, "maple_node", 256)                                                           \
	X(VM_AREA_STRUCT, "vm_area_struct", 192)                                                   \
	X(ANON_VMA, "anon_vma", 96)                                                                \
	X(ANON_VMA_CHAIN, "anon_vma_chain", 64)

/*
 * Allocator counters, named as in sysfs under CONFIG_SLUB_STATS, plus the objects
 * a cache handed out and took back. The source of the set is Linux 6.18.
 */
#define SLAB_STATS(X)                                                                              \
	X(ALLOC_CPU_SHEAF, "alloc_cpu_sheaf", "objects popped from a per-CPU sheaf")               \
	X(ALLOC_FASTPATH, "alloc_fastpath", "objects taken from the cpu slab's freelist")          \
	X(ALLOC_SLOWPATH, "alloc_slowpath", "objects that needed a new freelist")                  \
	X(FREE_CPU_SHEAF, "free_cpu_sheaf", "objects pushed into a per-CPU sheaf")                 \
	X(FREE_RCU_SHEAF, "free_rcu_sheaf", "objects queued in an rcu_free sheaf")                 \
	X(FREE_RCU_SHEAF_FAIL, "free_rcu_sheaf_fail", "RCU frees that got no sheaf")               \
	X(FREE_FASTPATH, "free_fastpath", "frees into the cpu slab's freelist")                    \
	X(FREE_SLOWPATH, "free_slowpath", "frees that touched the slab")                           \
	X(FREE_FROZEN, "free_frozen", "frees into a slab another CPU holds")                       \
	X(FREE_ADD_PARTIAL, "free_add_partial", "frees that put a full slab on a partial list")    \
	X(FREE_REMOVE_PARTIAL, "free_remove_partial", "frees that emptied a partial slab")         \
	X(ALLOC_FROM_PARTIAL, "alloc_from_partial", "cpu slabs taken from a node's partial list")  \
	X(ALLOC_SLAB, "alloc_slab", "slabs taken from the page allocator")                         \
	X(ALLOC_REFILL, "alloc_refill", "cpu freelists refilled from the slab")                    \
	X(ALLOC_NODE_MISMATCH, "alloc_node_mismatch", "objects of the wrong node")                 \
	X(FREE_SLAB, "free_slab", "slabs given back to the page allocator")                        \
	X(CPUSLAB_FLUSH, "cpuslab_flush", "cpu slabs given up")                                    \
	X(DEACTIVATE_FULL, "deactivate_full", "cpu slabs given up with no free object")            \
	X(DEACTIVATE_EMPTY, "deactivate_empty", "cpu slabs given up with all objects free")        \
	X(DEACTIVATE_TO_HEAD, "deactivate_to_head", "cpu slabs put first on a partial list")       \
	X(DEACTIVATE_TO_TAIL, "deactivate_to_tail", "cpu slabs put last on a partial list")        \
	X(DEACTIVATE_REMOTE_FREES, "deactivate_remote_frees",                                      \
	  "given up with objects freed remotely")                                                  \
	X(DEACTIVATE_BYPASS, "deactivate_bypass", "cpu slabs whose freelist was used up")          \
	X(ORDER_FALLBACK, "order_fallback", "slabs of a smaller order than wanted")                \
	X(CMPXCHG_DOUBLE_FAIL, "cmpxchg_double_fail", "16-byte exchanges of a slab repeated")      \
	X(CMPXCHG_DOUBLE_CPU_FAIL, "cmpxchg_double_cpu_fail", "the same of a cpu slab")            \
	X(CPU_PARTIAL_ALLOC, "cpu_partial_alloc", "cpu slabs taken from the cpu partial list")     \
	X(CPU_PARTIAL_FREE, "cpu_partial_free", "slabs put on the cpu partial list by a free")     \
	X(CPU_PARTIAL_NODE, "cpu_partial_node", "slabs put there from a node's list")              \
	X(CPU_PARTIAL_DRAIN, "cpu_partial_drain", "cpu partial lists moved to nodes")              \
	X(SHEAF_FLUSH, "sheaf_flush", "objects flushed from sheaves")                              \
	X(SHEAF_REFILL, "sheaf_refill", "objects refilled into sheaves")                           \
	X(SHEAF_ALLOC, "sheaf_alloc", "sheaves allocated")                                         \
	X(SHEAF_FREE, "sheaf_free", "sheaves freed")                                               \
	X(BARN_GET, "barn_get", "full sheaves got from a barn")                                    \
	X(BARN_GET_FAIL, "barn_get_fail", "barns without a full sheaf")                            \
	X(BARN_PUT, "barn_put", "full sheaves put into a barn")                                    \
	X(BARN_PUT_FAIL, "barn_put_fail", "barns that took no full sheaf")                         \
	X(SHEAF_PREFILL_FAST, "sheaf_prefill_fast", "prefills served by the spare")                \
	X(SHEAF_PREFILL_SLOW, "sheaf_prefill_slow", "prefills served by barn or allocation")       \
	X(SHEAF_PREFILL_OVERSIZE, "sheaf_prefill_oversize", "prefills above the capacity")         \
	X(SHEAF_RETURN_FAST, "sheaf_return_fast", "returned sheaves kept as spare")                \
	X(SHEAF_RETURN_SLOW, "sheaf_return_slow", "returned sheaves that went elsewhere")

enum lock_class {
#define X(id, name, text) LOCK_##id,
	LOCK_CLASSES(X)
#undef X
	NR_LOCK_CLASSES
};

enum vm_event {
#define X(id, name, text) EVENT_##id,
	EVENTS(X)
#undef X
	NR_EVENTS
};

enum kmem_cache_id {
#define X(id, name, size) CACHE_##id,
	KMEM_CACHES(X)
#undef X
	NR_KMEM_CACHES
};

enum slab_stat {
#define X(id, name, text) STAT_##id,
	SLAB_STATS(X)
#undef X
	NR_SLAB_STATS
};

extern const char *const lock_class_names[NR_LOCK_CLASSES];
extern const char *const event_names[NR_EVENTS];
extern const char *const kmem_cache_names[NR_KMEM_CACHES];
extern const char *const slab_stat_names[NR_SLAB_STATS];

#endif
