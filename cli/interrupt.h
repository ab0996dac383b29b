/* SPDX-License-Identifier: MIT */
/*
 * interrupt.h - Ctrl-C once: stop cleanly and keep what is finished; twice: stop.
 */
#ifndef VMASIM_CLI_INTERRUPT_H
#define VMASIM_CLI_INTERRUPT_H

/**
 * interrupt_catch() - from now on SIGINT and SIGTERM set the flag; a second one
 * ends the process at once with status 130.
 * Return: the flag, 0 until then; valid for the life of the process.
 */
const volatile int *interrupt_catch(void);

#endif
