/* SPDX-License-Identifier: MIT */
/*
 * check.c - the end of a run that found a fault of ours.
 */
#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void vm_panic(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "vmasim: fault at %s:%d: ", file, line);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}
