/* SPDX-License-Identifier: MIT */
/*
 * qsbr.h - liburcu's quiescent-state flavour under names that do not collide
 * with the kernel's.
 */
#ifndef VMASIM_ENGINE_NATIVE_QSBR_H
#define VMASIM_ENGINE_NATIVE_QSBR_H

/** qsbr_register() - the calling thread becomes a reader, online. */
void qsbr_register(void);
void qsbr_unregister(void);

/** qsbr_quiescent() - the calling thread holds no reference now. */
void qsbr_quiescent(void);

/** qsbr_offline() - nobody waits for this thread until qsbr_online(); nests not. */
void qsbr_offline(void);
void qsbr_online(void);

/** qsbr_synchronize() - wait for a grace period. Context: unregistered or offline thread. */
void qsbr_synchronize(void);

#endif
