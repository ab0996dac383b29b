/* SPDX-License-Identifier: MIT */
/*
 * errno_name.h - errno numbers and their names, both ways.
 */
#ifndef VMASIM_WORKLOADS_ERRNO_NAME_H
#define VMASIM_WORKLOADS_ERRNO_NAME_H

#include <string.h>

enum { ERRNO_LAST = 133 }; /* EHWPOISON */

/** errno_name() - "ENOMEM"; "?" for a number that is none. */
static inline const char *errno_name(int error)
{
	const char *name = strerrorname_np(error);

	return name ? name : "?";
}

/** errno_of_name() - the number; 0: there is no such errno. */
static inline int errno_of_name(const char *name)
{
	for (int error = 1; error <= ERRNO_LAST; error++)
		if (strcmp(name, errno_name(error)) == 0)
			return error;
	return 0;
}

#endif
