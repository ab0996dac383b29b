/* SPDX-License-Identifier: MIT */
/*
 * wait.h - polite spinning and futexes, for the native engine's own files.
 */
#ifndef VMASIM_ENGINE_NATIVE_WAIT_H
#define VMASIM_ENGINE_NATIVE_WAIT_H

#include "engine/engine.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SPINS_BEFORE_YIELD = 256 };

struct spin_wait {
	unsigned spins;
};

static inline void cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static inline void spin_wait_once(struct spin_wait *wait)
{
	cpu_relax();
	if (++wait->spins % SPINS_BEFORE_YIELD == 0)
		sched_yield();
}

static inline void futex_wait(u32 *word, u32 expected)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

/* The same for at most @ns, below a second. */
static inline void futex_wait_ns(u32 *word, u32 expected, u64 ns)
{
	struct timespec t = {.tv_nsec = (long)ns};

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, &t, NULL, 0);
}

static inline void futex_wake(u32 *word, int waiters)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, waiters, NULL, NULL, 0);
}

#endif
