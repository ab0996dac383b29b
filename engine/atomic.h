/* SPDX-License-Identifier: MIT */
/*
 * atomic.h - single accesses that other CPUs may see, under their kernel names.
 *
 * Builtins only: the compiler turns each into an access hook in the virtual
 * core, so they are charged like any other access.
 */
#ifndef VMASIM_ENGINE_ATOMIC_H
#define VMASIM_ENGINE_ATOMIC_H

#define READ_ONCE(x)	  __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)  __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)

#define smp_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)

#define rcu_dereference(p)	 __atomic_load_n(&(p), __ATOMIC_CONSUME)
#define rcu_assign_pointer(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELEASE)

#define smp_mb()  __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)

#define atomic_add_return(p, n) __atomic_add_fetch((p), (n), __ATOMIC_ACQ_REL)
#define atomic_cmpxchg(p, old, new)                                                                \
	__atomic_compare_exchange_n((p), (old), (new), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)

#endif
