/* SPDX-License-Identifier: MIT */
/*
 * locks.c - locks of the virtual engine, one CPU's worth.
 *
 * With one virtual CPU a lock is never contended: waiting for one is a dead lock
 * of ours and reported as such. Each call pays for the line the lock word is in.
 */
#include "engine/virtual/charge.h"

#define RWSEM_WRITER 0x80000000u
#define VMA_LOCK_DETACHED 0x80000000u

static void deadlock(const char *what, u16 class)
{
	vm_bug("dead lock: the only virtual CPU waits for a %s of class %s", what,
	       lock_class_names[class]);
}

void spin_lock_init(struct spinlock *lock, enum lock_class class)
{
	*lock = (struct spinlock){.class = (u16)class};
}

void spin_lock(struct spinlock *lock)
{
	charge(lock, sizeof(*lock));
	if (lock->locked)
		deadlock("spinlock", lock->class);
	lock->locked = 1;
}

bool spin_trylock(struct spinlock *lock)
{
	charge(lock, sizeof(*lock));
	if (lock->locked)
		return false;
	lock->locked = 1;
	return true;
}

void spin_unlock(struct spinlock *lock)
{
	charge(lock, sizeof(*lock));
	vm_assert(lock->locked);
	lock->locked = 0;
}

bool spin_is_locked(const struct spinlock *lock)
{
	return lock->locked;
}

bool local_trylock(struct local_trylock *lock)
{
	charge(lock, sizeof(*lock));
	if (lock->held)
		return false;
	lock->held = 1;
	return true;
}

void local_unlock(struct local_trylock *lock)
{
	charge(lock, sizeof(*lock));
	lock->held = 0;
}

void init_rwsem(struct rw_semaphore *sem, enum lock_class class)
{
	*sem = (struct rw_semaphore){.class = (u16)class};
}

bool down_read_trylock(struct rw_semaphore *sem)
{
	charge(sem, sizeof(sem->count));
	if (sem->count & RWSEM_WRITER)
		return false;
	sem->count++;
	return true;
}

bool down_write_trylock(struct rw_semaphore *sem)
{
	charge(sem, sizeof(sem->count));
	if (sem->count)
		return false;
	sem->count = RWSEM_WRITER;
	return true;
}

void down_read(struct rw_semaphore *sem)
{
	if (!down_read_trylock(sem))
		deadlock("read-write semaphore", sem->class);
}

void down_write(struct rw_semaphore *sem)
{
	if (!down_write_trylock(sem))
		deadlock("read-write semaphore", sem->class);
}

void up_read(struct rw_semaphore *sem)
{
	charge(sem, sizeof(sem->count));
	vm_assert(sem->count && !(sem->count & RWSEM_WRITER));
	sem->count--;
}

void up_write(struct rw_semaphore *sem)
{
	charge(sem, sizeof(sem->count));
	vm_assert(sem->count == RWSEM_WRITER);
	sem->count = 0;
}

void downgrade_write(struct rw_semaphore *sem)
{
	charge(sem, sizeof(sem->count));
	vm_assert(sem->count == RWSEM_WRITER);
	sem->count = 1;
}

bool rwsem_is_locked(const struct rw_semaphore *sem)
{
	return sem->count != 0;
}

bool rwsem_is_write_locked(const struct rw_semaphore *sem)
{
	return sem->count == RWSEM_WRITER;
}

void vma_lock_init(struct vma_lock *lock)
{
	*lock = (struct vma_lock){.write_seq = ~0u}; /* of no mm */
}

void vma_lock_init_detached(struct vma_lock *lock)
{
	charge(lock, sizeof(*lock));
	*lock = (struct vma_lock){.refcnt = VMA_LOCK_DETACHED, .write_seq = ~0u};
}

bool vma_lock_is_detached(const struct vma_lock *lock)
{
	return lock->refcnt & VMA_LOCK_DETACHED;
}

void vma_lock_attach(struct vma_lock *lock)
{
	charge(lock, sizeof(*lock));
	lock->refcnt &= ~VMA_LOCK_DETACHED;
}

void vma_lock_detach(struct vma_lock *lock)
{
	charge(lock, sizeof(*lock));
	if (lock->refcnt & ~VMA_LOCK_DETACHED)
		deadlock("per-VMA lock", LOCK_VMA);
	lock->refcnt |= VMA_LOCK_DETACHED;
}

bool vma_lock_read_trylock(struct vma_lock *lock, u32 mm_seq)
{
	charge(lock, sizeof(*lock));
	if (lock->write_seq == mm_seq || (lock->refcnt & VMA_LOCK_DETACHED))
		return false;
	lock->refcnt++;
	return true;
}

void vma_lock_read_unlock(struct vma_lock *lock)
{
	charge(lock, sizeof(*lock));
	vm_assert(lock->refcnt);
	lock->refcnt--;
}

void vma_lock_write(struct vma_lock *lock, u32 mm_seq)
{
	charge(lock, sizeof(*lock));
	if (lock->refcnt & ~VMA_LOCK_DETACHED)
		deadlock("per-VMA lock", LOCK_VMA);
	lock->write_seq = mm_seq;
}
