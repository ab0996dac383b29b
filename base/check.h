/* SPDX-License-Identifier: MIT */
/*
 * check.h - assertions about our own faults. Bad input never ends here: it gets
 * a message (base/message.h).
 *
 * vm_assert() stays on in every preset and costs a predicted branch.
 * vm_assert_slow() guards whole-structure validators and is on where
 * VMASIM_SLOW_CHECKS is defined (dev and sanitizer presets). Neither may carry a
 * side effect.
 */
#ifndef VMASIM_BASE_CHECK_H
#define VMASIM_BASE_CHECK_H

#include "base/types.h"

/**
 * vm_panic() - print where and why on stderr and abort().
 * @file: source file, @line: line in it, @fmt: printf format of the reason.
 */
void vm_panic(const char *file, int line, const char *fmt, ...)
	__attribute__((__noreturn__, __cold__, __format__(__printf__, 3, 4)));

#define vm_bug(...) vm_panic(__FILE__, __LINE__, __VA_ARGS__)

#define vm_assert(cond)                                                                            \
	do {                                                                                       \
		if (unlikely(!(cond)))                                                             \
			vm_panic(__FILE__, __LINE__, "%s", #cond);                                 \
	} while (0)

#ifdef VMASIM_SLOW_CHECKS
#define vm_assert_slow(cond) vm_assert(cond)
#else
#define vm_assert_slow(cond) ((void)sizeof(!(cond)))
#endif

#endif
