/* SPDX-License-Identifier: MIT */
/*
 * qsbr.c - the only file that knows liburcu.
 *
 * Debian's liburcu is not built for the thread sanitizer, which so can't see that
 * a grace period orders what readers did before it. The two annotations below say
 * just that: a quiescent state releases, a finished grace period acquires.
 */
#include "engine/native/qsbr.h"

#define URCU_API_MAP
#include <urcu/urcu-qsbr.h>

#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *address);
void __tsan_release(void *address);
static char order;
#define reader_releases() __tsan_release(&order)
#define writer_acquires() __tsan_acquire(&order)
#else
#define reader_releases() ((void)0)
#define writer_acquires() ((void)0)
#endif

void qsbr_register(void)
{
	urcu_qsbr_register_thread();
}

void qsbr_unregister(void)
{
	reader_releases();
	urcu_qsbr_unregister_thread();
}

void qsbr_quiescent(void)
{
	reader_releases();
	urcu_qsbr_quiescent_state();
}

void qsbr_offline(void)
{
	reader_releases();
	urcu_qsbr_thread_offline();
}

void qsbr_online(void)
{
	urcu_qsbr_thread_online();
}

void qsbr_synchronize(void)
{
	urcu_qsbr_synchronize_rcu();
	writer_acquires();
}
