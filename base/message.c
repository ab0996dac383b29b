/* SPDX-License-Identifier: MIT */
/*
 * message.c - formatting of user messages.
 */
#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>

int message_set(struct message *msg, int error, const char *fmt, ...)
{
	va_list args;

	if (!msg)
		return error;
	va_start(args, fmt);
	vsnprintf(msg->text, sizeof(msg->text), fmt, args);
	va_end(args);
	return error;
}
