/* SPDX-License-Identifier: MIT */
/*
 * inline.h - the native engine's inline half: real threads, real locks.
 *
 * A worker is one thread with one CPU index and never migrates, so per-CPU data
 * needs no protection but against its own callbacks, which run at op_end only.
 * Interrupts do not exist here: the irq-off forms are the plain locks.
 */
#ifndef VMASIM_ENGINE_NATIVE_INLINE_H
#define VMASIM_ENGINE_NATIVE_INLINE_H

#include "engine/cpu.h"

#include <string.h>

#define VMASIM_CORE_SYMBOL vmasim_core_native

extern _Thread_local struct cpu *engine_current;

static always_inline struct cpu *engine_cpu(void)
{
	return engine_current;
}

static always_inline unsigned this_cpu(void)
{
	return engine_current->index;
}

static always_inline unsigned numa_node_id(void)
{
	return engine_current->node;
}

static always_inline void *this_cpu_ptr(percpu_t offset)
{
	return engine_current->percpu_base + offset;
}

static always_inline void *machine_slot(unsigned slot)
{
	return engine_current->slots[slot];
}

static always_inline void preempt_disable(void)
{
}

static always_inline void preempt_enable(void)
{
}

#define local_irq_save(flags)	 ((void)((flags) = 0))
#define local_irq_restore(flags) ((void)(flags))

/* ---- Counters: private to the CPU, read by others without a lock ---- */

static always_inline void count_event(enum vm_event event, u64 n)
{
	u64 *count = &engine_current->events[event];

	WRITE_ONCE(*count, *count + n);
}

static always_inline void stat_add(unsigned cache_index, enum slab_stat stat, u64 n)
{
	u64 *count = &engine_current->stats[cache_index][stat];

	WRITE_ONCE(*count, *count + n);
}

static always_inline void cpu_work(u32 ns)
{
	(void)ns;
}

static always_inline void engine_exempt(const void *start, size_t size)
{
	(void)start;
	(void)size;
}

/* ---- Spinlock ---- */

struct spinlock {
	u32 locked;
	u16 class;
	u16 unused;
};

void spin_lock_slow(struct spinlock *lock);

static always_inline void spin_lock_init(struct spinlock *lock, enum lock_class class)
{
	*lock = (struct spinlock){.class = (u16)class};
}

static always_inline bool spin_trylock(struct spinlock *lock)
{
	return !__atomic_load_n(&lock->locked, __ATOMIC_RELAXED) &&
	       !__atomic_exchange_n(&lock->locked, 1, __ATOMIC_ACQUIRE);
}

static always_inline void spin_lock(struct spinlock *lock)
{
	if (unlikely(__atomic_exchange_n(&lock->locked, 1, __ATOMIC_ACQUIRE)))
		spin_lock_slow(lock);
}

static always_inline void spin_unlock(struct spinlock *lock)
{
	__atomic_store_n(&lock->locked, 0, __ATOMIC_RELEASE);
}

static always_inline bool spin_is_locked(const struct spinlock *lock)
{
	return __atomic_load_n(&lock->locked, __ATOMIC_RELAXED);
}

#define spin_lock_irqsave(lock, flags)                                                             \
	do {                                                                                       \
		(flags) = 0;                                                                       \
		spin_lock(lock);                                                                   \
	} while (0)
#define spin_unlock_irqrestore(lock, flags)                                                        \
	do {                                                                                       \
		(void)(flags);                                                                     \
		spin_unlock(lock);                                                                 \
	} while (0)
#define spin_trylock_irqsave(lock, flags) ((flags) = 0, spin_trylock(lock))

/* ---- The flag that guards a CPU's sheaves ---- */

struct local_trylock {
	u8 held;
};

static always_inline bool local_trylock(struct local_trylock *lock)
{
	if (unlikely(lock->held))
		return false;
	lock->held = 1;
	__atomic_signal_fence(__ATOMIC_ACQUIRE);
	return true;
}

static always_inline void local_unlock(struct local_trylock *lock)
{
	__atomic_signal_fence(__ATOMIC_RELEASE);
	lock->held = 0;
}

/* ---- Read-write semaphore (engine/native/rwsem.c) ---- */

struct rw_semaphore {
	u32 count;   /* readers * RWSEM_READER | RWSEM_WRITER | RWSEM_HANDOFF */
	u32 waiters; /* sleeping or about to */
	u32 wake;    /* futex word, bumped by each release that may let a waiter in */
	u16 class;
	u16 unused;
	u64 reserved[3]; /* the size of Linux's: 40 bytes */
};

void init_rwsem(struct rw_semaphore *sem, enum lock_class class);
void down_read(struct rw_semaphore *sem);
bool down_read_trylock(struct rw_semaphore *sem);
void up_read(struct rw_semaphore *sem);
void down_write(struct rw_semaphore *sem);
bool down_write_trylock(struct rw_semaphore *sem);
void up_write(struct rw_semaphore *sem);
void downgrade_write(struct rw_semaphore *sem);
bool rwsem_is_locked(const struct rw_semaphore *sem);
bool rwsem_is_write_locked(const struct rw_semaphore *sem);

/* ---- Per-VMA lock ---- */

/*
 * refcnt counts readers, with VMA_LOCK_WRITER set while a writer waits for them and
 * VMA_LOCK_DETACHED while the VMA is in no tree: a reader that found it before refuses
 * it then, even when its memory has become another VMA. write_seq equals the mm's
 * sequence while the VMA is write-locked.
 */
struct vma_lock {
	u32 refcnt;
	u32 write_seq;
};

/*
 * A reader's idea of the mm's sequence may be old by the time it has its count. A
 * write_seq ahead of it was set after the reader looked: locked, as far as it can
 * know. Half of half the numbers count as ahead, so an old VMA hardly ever does.
 */
static always_inline bool vma_seq_locked(u32 write_seq, u32 mm_seq)
{
	return write_seq - mm_seq < 0x40000000u;
}

#define VMA_LOCK_WRITER	  0x40000000u
#define VMA_LOCK_DETACHED 0x80000000u
#define VMA_LOCK_READERS  0x3fffffffu

void vma_lock_wait_readers(struct vma_lock *lock);

static always_inline void vma_lock_init(struct vma_lock *lock)
{
	lock->refcnt = 0;
	lock->write_seq = ~0u; /* of no mm */
}

static always_inline void vma_lock_init_detached(struct vma_lock *lock)
{
	__atomic_store_n(&lock->refcnt, VMA_LOCK_DETACHED, __ATOMIC_RELAXED);
	__atomic_store_n(&lock->write_seq, ~0u, __ATOMIC_RELAXED);
}

static always_inline bool vma_lock_is_detached(const struct vma_lock *lock)
{
	return __atomic_load_n(&lock->refcnt, __ATOMIC_RELAXED) & VMA_LOCK_DETACHED;
}

static always_inline void vma_lock_attach(struct vma_lock *lock)
{
	__atomic_and_fetch(&lock->refcnt, ~VMA_LOCK_DETACHED, __ATOMIC_RELEASE);
}

static always_inline void vma_lock_detach(struct vma_lock *lock)
{
	if (__atomic_or_fetch(&lock->refcnt, VMA_LOCK_DETACHED, __ATOMIC_ACQ_REL) &
	    VMA_LOCK_READERS)
		vma_lock_wait_readers(lock);
}

static always_inline void vma_lock_read_unlock(struct vma_lock *lock)
{
	__atomic_sub_fetch(&lock->refcnt, 1, __ATOMIC_RELEASE);
}

static always_inline bool vma_lock_read_trylock(struct vma_lock *lock, u32 mm_seq)
{
	u32 old = __atomic_load_n(&lock->refcnt, __ATOMIC_RELAXED);

	if (vma_seq_locked(__atomic_load_n(&lock->write_seq, __ATOMIC_RELAXED), mm_seq))
		return false;
	do {
		if (old & (VMA_LOCK_WRITER | VMA_LOCK_DETACHED))
			return false;
	} while (!__atomic_compare_exchange_n(&lock->refcnt, &old, old + 1, false,
					      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
	if (vma_seq_locked(__atomic_load_n(&lock->write_seq, __ATOMIC_RELAXED), mm_seq)) {
		vma_lock_read_unlock(lock);
		return false;
	}
	return true;
}

static always_inline void vma_lock_write(struct vma_lock *lock, u32 mm_seq)
{
	if (__atomic_load_n(&lock->write_seq, __ATOMIC_RELAXED) == mm_seq)
		return;
	if (__atomic_or_fetch(&lock->refcnt, VMA_LOCK_WRITER, __ATOMIC_ACQ_REL) & VMA_LOCK_READERS)
		vma_lock_wait_readers(lock);
	__atomic_store_n(&lock->write_seq, mm_seq, __ATOMIC_RELEASE);
	__atomic_and_fetch(&lock->refcnt, ~VMA_LOCK_WRITER, __ATOMIC_RELEASE);
}

/* ---- 16-byte compare-and-swap ---- */

/* The thread sanitizer does not see the instruction: tell it of the ordering. */
#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define tsan_acquire(p) __tsan_acquire(p)
#define tsan_release(p) __tsan_release(p)
#else
#define tsan_acquire(p) ((void)(p))
#define tsan_release(p) ((void)(p))
#endif

#define CAS16(prefix, p, old0, old1, new0, new1)                                                   \
	({                                                                                         \
		bool cas_ok;                                                                       \
		u64 cas_low = (old0), cas_high = (old1);                                           \
		tsan_release(p);                                                                   \
		__asm__ volatile(prefix "cmpxchg16b %1"                                            \
				 : "=@ccz"(cas_ok), "+m"(*(char(*)[16])(p)), "+a"(cas_low),        \
				   "+d"(cas_high)                                                  \
				 : "b"((u64)(new0)), "c"((u64)(new1))                              \
				 : "memory");                                                      \
		tsan_acquire(p);                                                                   \
		cas_ok;                                                                            \
	})

static always_inline bool cas16(void *p, u64 old0, u64 old1, u64 new0, u64 new1)
{
	return CAS16("lock ", p, old0, old1, new0, new1);
}

static always_inline bool this_cpu_cas16(void *p, u64 old0, u64 old1, u64 new0, u64 new1)
{
	return CAS16("", p, old0, old1, new0, new1);
}

/* ---- RCU readers: qsbr, a worker is a reader from one op_end to the next ---- */

static always_inline void rcu_read_lock(void)
{
}

static always_inline void rcu_read_unlock(void)
{
}

static always_inline void op_begin(void)
{
}

void op_end(u64 operations);

static always_inline bool task_stopping(void)
{
	return READ_ONCE(engine_current->stopping);
}

/* ---- Pages by arithmetic ---- */

static always_inline bool in_arena(const void *p)
{
	return (u64)((const char *)p - engine_current->pages_base) < engine_current->pages_bytes;
}

static always_inline struct page *virt_to_page(const void *p)
{
	return engine_current->page_array +
	       ((u64)((const char *)p - engine_current->pages_base) >> PAGE_SHIFT);
}

static always_inline struct page *virt_to_head_page(const void *p)
{
	struct page *page = virt_to_page(p);
	u64 head = READ_ONCE(page->word[1]);

	return head & 1 ? (struct page *)(uintptr_t)(head - 1) : page;
}

static always_inline void *page_address(const struct page *page)
{
	return engine_current->pages_base +
	       ((u64)(page - engine_current->page_array) << PAGE_SHIFT);
}

/* ---- Bulk memory ---- */

static always_inline void mem_zero(void *p, size_t n)
{
	memset(p, 0, n);
}

static always_inline void mem_copy(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
}

static always_inline void mem_move(void *to, const void *from, size_t n)
{
	memmove(to, from, n);
}

#endif
