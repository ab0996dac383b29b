/* SPDX-License-Identifier: MIT */
/*
 * inline.h - the virtual engine's half of the face.
 *
 * Everything is out of line: these functions are compiled without access hooks,
 * so what the engine keeps in host memory is never charged. What a function
 * touches inside the arena it charges itself.
 */
#ifndef VMASIM_ENGINE_VIRTUAL_INLINE_H
#define VMASIM_ENGINE_VIRTUAL_INLINE_H

#include "engine/cpu.h"

#define VMASIM_CORE_SYMBOL vmasim_core_virtual

struct cpu *engine_cpu(void);
unsigned this_cpu(void);
unsigned numa_node_id(void);
void *this_cpu_ptr(percpu_t offset);
void *machine_slot(unsigned slot);

void preempt_disable(void);
void preempt_enable(void);
irqflags_t irq_save(void);
void irq_restore(irqflags_t flags);
#define local_irq_save(flags)	 ((void)((flags) = irq_save()))
#define local_irq_restore(flags) irq_restore(flags)

void count_event(enum vm_event event, u64 n);
void stat_add(unsigned cache_index, enum slab_stat stat, u64 n);
void cpu_work(u32 ns);
void engine_exempt(const void *start, size_t size);

struct spinlock {
	u32 locked;
	u16 class;
	u16 unused;
};

void spin_lock_init(struct spinlock *lock, enum lock_class class);
void spin_lock(struct spinlock *lock);
bool spin_trylock(struct spinlock *lock);
void spin_unlock(struct spinlock *lock);
bool spin_is_locked(const struct spinlock *lock);

#define spin_lock_irqsave(lock, flags)                                                             \
	do {                                                                                       \
		(flags) = irq_save();                                                              \
		spin_lock(lock);                                                                   \
	} while (0)
#define spin_unlock_irqrestore(lock, flags)                                                        \
	do {                                                                                       \
		spin_unlock(lock);                                                                 \
		irq_restore(flags);                                                                \
	} while (0)
#define spin_trylock_irqsave(lock, flags)                                                          \
	((flags) = irq_save(), spin_trylock(lock) || (irq_restore(flags), false))

struct local_trylock {
	u8 held;
};

bool local_trylock(struct local_trylock *lock);
void local_unlock(struct local_trylock *lock);

struct rw_semaphore {
	u32 count; /* readers, or RWSEM_WRITER */
	u16 class;
	u16 unused;
	u64 reserved[4];
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

struct vma_lock {
	u32 refcnt;
	u32 write_seq;
};

void vma_lock_init(struct vma_lock *lock);
void vma_lock_init_detached(struct vma_lock *lock);
bool vma_lock_is_detached(const struct vma_lock *lock);
void vma_lock_attach(struct vma_lock *lock);
void vma_lock_detach(struct vma_lock *lock);
bool vma_lock_read_trylock(struct vma_lock *lock, u32 mm_seq);
void vma_lock_read_unlock(struct vma_lock *lock);
void vma_lock_write(struct vma_lock *lock, u32 mm_seq);

bool cas16(void *p, u64 old0, u64 old1, u64 new0, u64 new1);
bool this_cpu_cas16(void *p, u64 old0, u64 old1, u64 new0, u64 new1);

void rcu_read_lock(void);
void rcu_read_unlock(void);
void op_begin(void);
void op_end(u64 operations);
bool task_stopping(void);

bool in_arena(const void *p);
struct page *virt_to_page(const void *p);
struct page *virt_to_head_page(const void *p);
void *page_address(const struct page *page);

void mem_zero(void *p, size_t n);
void mem_copy(void *to, const void *from, size_t n);
void mem_move(void *to, const void *from, size_t n);

#endif
