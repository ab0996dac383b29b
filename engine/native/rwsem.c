/* SPDX-License-Identifier: MIT */
/*
 * rwsem.c - the read-write semaphore of the native engine.
 *
 *	count: | readers ... | HANDOFF | WRITER |
 *
 * A taker first spins for a bounded time (optimistic spinning), then sleeps on a
 * futex. Any taker may steal a free lock, until a writer that has slept sets
 * HANDOFF: from then on only sleepers that found it set may take it, so nobody
 * starves. Sleepers are offline for RCU: they hold no reference while they wait.
 *
 * Ordering: taking is an acquire, releasing a release, downgrading both.
 */
#include "engine/native/wait.h"
#include "engine/native/qsbr.h"

#define RWSEM_WRITER  1u
#define RWSEM_HANDOFF 2u
#define RWSEM_READER  4u

enum { OPTIMISTIC_SPINS = 4096 };

void init_rwsem(struct rw_semaphore *sem, enum lock_class class)
{
	*sem = (struct rw_semaphore){.class = (u16)class};
}

bool rwsem_is_locked(const struct rw_semaphore *sem)
{
	return (__atomic_load_n(&sem->count, __ATOMIC_RELAXED) & ~RWSEM_HANDOFF) != 0;
}

bool rwsem_is_write_locked(const struct rw_semaphore *sem)
{
	return __atomic_load_n(&sem->count, __ATOMIC_RELAXED) & RWSEM_WRITER;
}

/* @obey_handoff: a newcomer leaves a lock alone that was promised to a sleeper. */
static bool try_read(struct rw_semaphore *sem, bool obey_handoff)
{
	u32 old = __atomic_load_n(&sem->count, __ATOMIC_RELAXED);
	u32 refuse = RWSEM_WRITER | (obey_handoff ? RWSEM_HANDOFF : 0);

	while (!(old & refuse))
		if (__atomic_compare_exchange_n(&sem->count, &old, old + RWSEM_READER, true,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
	return false;
}

static bool try_write(struct rw_semaphore *sem, bool obey_handoff)
{
	u32 old = __atomic_load_n(&sem->count, __ATOMIC_RELAXED);
	u32 refuse = obey_handoff ? ~0u : ~RWSEM_HANDOFF;

	while (!(old & refuse))
		if (__atomic_compare_exchange_n(&sem->count, &old, RWSEM_WRITER, true,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
	return false;
}

static bool spin_for(struct rw_semaphore *sem, bool (*take)(struct rw_semaphore *, bool))
{
	struct spin_wait wait = {0};

	for (unsigned i = 0; i < OPTIMISTIC_SPINS; i++) {
		if (take(sem, true))
			return true;
		spin_wait_once(&wait);
	}
	return false;
}

static void sleep_for(struct rw_semaphore *sem, bool (*take)(struct rw_semaphore *, bool),
		      bool writer)
{
	bool slept = false;

	qsbr_offline();
	__atomic_add_fetch(&sem->waiters, 1, __ATOMIC_SEQ_CST);
	for (;;) {
		u32 seen = __atomic_load_n(&sem->wake, __ATOMIC_SEQ_CST);

		if (take(sem, !slept || !writer))
			break;
		if (slept && writer)
			__atomic_or_fetch(&sem->count, RWSEM_HANDOFF, __ATOMIC_SEQ_CST);
		if (take(sem, !slept || !writer))
			break;
		futex_wait(&sem->wake, seen);
		slept = true;
	}
	__atomic_sub_fetch(&sem->waiters, 1, __ATOMIC_SEQ_CST);
	qsbr_online();
}

static void wake_waiters(struct rw_semaphore *sem)
{
	if (likely(!__atomic_load_n(&sem->waiters, __ATOMIC_SEQ_CST)))
		return;
	__atomic_add_fetch(&sem->wake, 1, __ATOMIC_SEQ_CST);
	futex_wake(&sem->wake, __INT_MAX__);
}

bool down_read_trylock(struct rw_semaphore *sem)
{
	return try_read(sem, true);
}

bool down_write_trylock(struct rw_semaphore *sem)
{
	return try_write(sem, true);
}

void down_read(struct rw_semaphore *sem)
{
	if (unlikely(!try_read(sem, true)) && !spin_for(sem, try_read))
		sleep_for(sem, try_read, false);
}

void down_write(struct rw_semaphore *sem)
{
	if (unlikely(!try_write(sem, true)) && !spin_for(sem, try_write))
		sleep_for(sem, try_write, true);
}

void up_read(struct rw_semaphore *sem)
{
	u32 left = __atomic_sub_fetch(&sem->count, RWSEM_READER, __ATOMIC_SEQ_CST);

	if (left < RWSEM_READER)
		wake_waiters(sem);
}

void up_write(struct rw_semaphore *sem)
{
	__atomic_and_fetch(&sem->count, ~RWSEM_WRITER, __ATOMIC_SEQ_CST);
	wake_waiters(sem);
}

void downgrade_write(struct rw_semaphore *sem)
{
	__atomic_add_fetch(&sem->count, RWSEM_READER - RWSEM_WRITER, __ATOMIC_SEQ_CST);
	wake_waiters(sem);
}
