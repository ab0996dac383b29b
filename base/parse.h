/* SPDX-License-Identifier: MIT */
/*
 * parse.h - numbers, times, percentages and lists as users write them.
 *
 * Every function takes @what, the place the text came from ("--tasks"), and
 * writes one message that names it, the value, its position counted from 1 and
 * what is allowed. Nothing is read past the text, nothing but digits is skipped:
 * signs, blanks, hexadecimal and trailing letters are faults.
 */
#ifndef VMASIM_BASE_PARSE_H
#define VMASIM_BASE_PARSE_H

#include "base/message.h"
#include "base/types.h"

#define PARSE_LIST_MAX 512

struct parse_list {
	u64 value[PARSE_LIST_MAX];
	unsigned nr;
};

/**
 * parse_digits() - a decimal number that is the whole of @text.
 * @length: bytes of @text; @min, @max: both allowed.
 * Return: 0; -EINVAL: not a number; -ERANGE: outside @min..@max. No message.
 */
int parse_digits(const char *text, size_t length, u64 min, u64 max, u64 *out);

/** parse_number() - the same with a message. */
int parse_number(const char *what, const char *text, u64 min, u64 max, u64 *out,
		 struct message *msg);

/**
 * parse_list() - ITEM[,ITEM...] in the order given; ITEM is N, A..B (step 1),
 * A..B:+S or A..B:xF. A range ends at the last value not above B.
 * Every value lies in @min..@max and appears once; at most PARSE_LIST_MAX of them.
 */
int parse_list(const char *what, const char *text, u64 min, u64 max, struct parse_list *out,
	       struct message *msg);

/**
 * parse_duration() - a decimal fraction with an optional unit s, ms or us (seconds
 * without one), in nanoseconds, @min_ns..@max_ns.
 */
int parse_duration(const char *what, const char *text, u64 min_ns, u64 max_ns, u64 *out_ns,
		   struct message *msg);

/** parse_percent() - `5%` or `5` as the fraction 0.05; above 0, at most 1000 %. */
int parse_percent(const char *what, const char *text, double *out, struct message *msg);

/**
 * parse_choice() - index of @text in @names.
 * @names: @nr strings; the message lists them.
 * Return: the index, or -EINVAL.
 */
int parse_choice(const char *what, const char *text, const char *const *names, unsigned nr,
		 struct message *msg);

/** parse_join() - "a, b, c" into @out, cut where it ends. */
void parse_join(char *out, size_t size, const char *const *names, unsigned nr);

#endif
