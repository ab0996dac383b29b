/* SPDX-License-Identifier: MIT */
/*
 * message.h - one message for the user, carried up from where a fault of the
 * input was seen to the command that prints it.
 *
 * A message names the value, where it stood and what is allowed. Functions that
 * take a struct message return 0 or a negative errno and fill it on error only.
 */
#ifndef VMASIM_BASE_MESSAGE_H
#define VMASIM_BASE_MESSAGE_H

#include "base/types.h"

struct message {
	char text[768];
};

/**
 * message_set() - write the message.
 * @msg: where; NULL is allowed and drops it.
 * @error: negative errno to return.
 * Return: @error, so that a caller can `return message_set(...)`.
 */
int message_set(struct message *msg, int error, const char *fmt, ...) printf_like(3, 4);

#endif
