/* SPDX-License-Identifier: MIT */
/*
 * lock.c - what spinners and per-VMA writers do while they wait.
 *
 * Workers may outnumber CPUs, so a spinner gives its CPU away after a while: the
 * holder may be one of those that wait for it.
 */
#include "engine/native/wait.h"

void spin_lock_slow(struct spinlock *lock)
{
	struct spin_wait wait = {0};

	do {
		while (__atomic_load_n(&lock->locked, __ATOMIC_RELAXED))
			spin_wait_once(&wait);
	} while (__atomic_exchange_n(&lock->locked, 1, __ATOMIC_ACQUIRE));
}

void vma_lock_wait_readers(struct vma_lock *lock)
{
	struct spin_wait wait = {0};

	while (__atomic_load_n(&lock->refcnt, __ATOMIC_ACQUIRE) & VMA_LOCK_READERS)
		spin_wait_once(&wait);
}
