/* SPDX-License-Identifier: MIT */
/*
 * parse.c - see parse.h.
 */
#include "base/parse.h"

#include <stdio.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int parse_digits(const char *text, size_t length, u64 min_value, u64 max_value, u64 *out)
{
	bool overflow = false;
	u64 value = 0;

	if (!length)
		return -EINVAL;
	for (size_t i = 0; i < length; i++) {
		if (!is_digit(text[i]))
			return -EINVAL;
		overflow |= __builtin_mul_overflow(value, 10, &value);
		overflow |= __builtin_add_overflow(value, (u64)(text[i] - '0'), &value);
	}
	if (overflow || value < min_value || value > max_value)
		return -ERANGE;
	*out = value;
	return 0;
}

int parse_number(const char *what, const char *text, u64 min_value, u64 max_value, u64 *out,
		 struct message *msg)
{
	int error = parse_digits(text, strlen(text), min_value, max_value, out);

	if (!error)
		return 0;
	return message_set(msg, -EINVAL, "%s: '%s' is %s; allowed: %llu to %llu", what, text,
			   error == -ERANGE ? "out of range" : "not a whole number",
			   (unsigned long long)min_value, (unsigned long long)max_value);
}

/* ---- Lists ------------------------------------------------------------------ */

struct list_parser {
	const char *what, *text;
	u64 min, max;
	struct parse_list *out;
	struct message *msg;
};

static int list_fault(const struct list_parser *p, const char *at, size_t length,
		      const char *reason)
{
	return message_set(p->msg, -EINVAL,
			   "%s: '%.*s' at position %td of '%s' %s; allowed: numbers from %llu to "
			   "%llu and ranges such as 64..512:x2 or 1..9:+2, separated by commas, "
			   "at most %d values",
			   p->what, (int)length, at, at - p->text + 1, p->text, reason,
			   (unsigned long long)p->min, (unsigned long long)p->max, PARSE_LIST_MAX);
}

static int list_number(const struct list_parser *p, const char *at, size_t length, u64 *out)
{
	int error = parse_digits(at, length, p->min, p->max, out);

	if (!error)
		return 0;
	return list_fault(p, at, length, error == -ERANGE ? "is out of range" : "is not a number");
}

static bool list_has(const struct parse_list *list, u64 value)
{
	for (unsigned i = 0; i < list->nr; i++)
		if (list->value[i] == value)
			return true;
	return false;
}

static int list_add_value(const struct list_parser *p, const char *at, size_t length, u64 value)
{
	if (list_has(p->out, value))
		return list_fault(p, at, length, "gives a value twice");
	if (p->out->nr == PARSE_LIST_MAX)
		return list_fault(p, at, length, "gives too many values");
	p->out->value[p->out->nr++] = value;
	return 0;
}

/* The step of A..B[:xF|:+S]: factor 1 and the difference, or the factor and 0. */
static int list_step(const struct list_parser *p, const char *at, size_t length, u64 *factor,
		     u64 *add)
{
	u64 value = 0;

	*factor = 1;
	*add = 1;
	if (!length)
		return 0;
	if (length < 2 || (at[0] != 'x' && at[0] != '+'))
		return list_fault(p, at, length, "is not a step");
	if (parse_digits(at + 1, length - 1, at[0] == 'x' ? 2 : 1, p->max, &value))
		return list_fault(p, at, length, "is not a step");
	if (at[0] == 'x') {
		*factor = value;
		*add = 0;
	} else {
		*add = value;
	}
	return 0;
}

static int list_range(const struct list_parser *p, const char *at, size_t length, const char *dots)
{
	const char *end = at + length, *last = dots + 2;
	const char *colon = memchr(last, ':', (size_t)(end - last));
	const char *step = colon ? colon + 1 : end;
	u64 from = 0, to = 0, factor, add;
	int error;

	error = list_number(p, at, (size_t)(dots - at), &from);
	if (!error)
		error = list_number(p, last, (size_t)((colon ? colon : end) - last), &to);
	if (error)
		return error;
	if (to < from)
		return list_fault(p, at, length, "runs downward");
	if (colon && step == end)
		return list_fault(p, at, length, "ends without a step");
	error = list_step(p, step, (size_t)(end - step), &factor, &add);
	for (u64 value = from; !error && value <= to; value = value * factor + add) {
		error = list_add_value(p, at, length, value);
		if (!error && value > (to - add) / factor)
			break; /* the next would lie above @to, or overflow */
	}
	return error;
}

static int list_item(const struct list_parser *p, const char *at, size_t length)
{
	const char *dots = memmem(at, length, "..", 2);
	u64 value = 0;
	int error;

	if (!length)
		return list_fault(p, at, length, "is empty");
	if (dots)
		return list_range(p, at, length, dots);
	error = list_number(p, at, length, &value);
	return error ? error : list_add_value(p, at, length, value);
}

int parse_list(const char *what, const char *text, u64 min_value, u64 max_value,
	       struct parse_list *out, struct message *msg)
{
	struct list_parser p = {what, text, min_value, max_value, out, msg};
	const char *at = text;
	int error;

	out->nr = 0;
	for (;;) {
		size_t length = strcspn(at, ",");

		error = list_item(&p, at, length);
		if (error || !at[length])
			return error;
		at += length + 1;
	}
}

/* ---- Times and percentages --------------------------------------------------- */

/*
 * A decimal fraction in units of 1 / @scale (a power of ten): digits[.digits].
 * Digits beyond the scale are a fault, not rounded. Return: where it ended, or NULL.
 */
static const char *parse_fraction(const char *text, u64 scale, u64 *out)
{
	size_t whole = strspn(text, "0123456789"), rest;
	u64 value = 0;

	if (parse_digits(text, whole, 0, UINT64_MAX / scale / 10, &value))
		return NULL;
	*out = value * scale;
	text += whole;
	if (*text != '.')
		return text;
	text++;
	rest = strspn(text, "0123456789");
	if (!rest)
		return NULL;
	for (; rest; rest--, text++) {
		scale /= 10;
		if (!scale && *text != '0')
			return NULL;
		*out += scale * (u64)(*text - '0');
	}
	return text;
}

static u64 duration_unit_ns(const char *unit)
{
	if (!*unit || !strcmp(unit, "s"))
		return 1000000000;
	if (!strcmp(unit, "ms"))
		return 1000000;
	return strcmp(unit, "us") ? 0 : 1000;
}

int parse_duration(const char *what, const char *text, u64 min_ns, u64 max_ns, u64 *out_ns,
		   struct message *msg)
{
	u64 unit = duration_unit_ns(text + strspn(text, "0123456789.")), ns = 0;
	const char *end = unit ? parse_fraction(text, unit, &ns) : NULL;

	if (end && end[strspn(end, "smu")] == '\0' && ns >= min_ns && ns <= max_ns) {
		*out_ns = ns;
		return 0;
	}
	return message_set(
		msg, -EINVAL,
		"%s: '%s' is %s; allowed: seconds such as 1 or 0.5, or with a unit s, ms "
		"or us, from %g to %g s",
		what, text, end ? "out of range" : "not a time", (double)min_ns / 1e9,
		(double)max_ns / 1e9);
}

int parse_percent(const char *what, const char *text, double *out, struct message *msg)
{
	u64 micro = 0;
	const char *end = parse_fraction(text, 1000000, &micro);

	if (end && (!*end || !strcmp(end, "%")) && micro && micro <= 1000 * 1000000ull) {
		*out = (double)micro / 1e8;
		return 0;
	}
	return message_set(msg, -EINVAL,
			   "%s: '%s' is not a percentage; allowed: above 0 to 1000, such as 5%%",
			   what, text);
}

/* ---- Names -------------------------------------------------------------------- */

void parse_join(char *out, size_t size, const char *const *names, unsigned nr)
{
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < nr && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", names[i]);
}

int parse_choice(const char *what, const char *text, const char *const *names, unsigned nr,
		 struct message *msg)
{
	char allowed[512];

	for (unsigned i = 0; i < nr; i++)
		if (!strcmp(text, names[i]))
			return (int)i;
	parse_join(allowed, sizeof(allowed), names, nr);
	return message_set(msg, -EINVAL, "%s: '%s' is unknown; allowed: %s", what, text, allowed);
}
