/* SPDX-License-Identifier: MIT */
/*
 * json.h - small helpers over jansson, shared by the files that write JSON.
 *
 * Building never fails half-way: jansson drops a NULL value and the key is then
 * missing, which the schema test would show; only dumping reports lack of memory.
 */
#ifndef VMASIM_LAB_JSON_H
#define VMASIM_LAB_JSON_H

#include "lab/lab.h"

#include <jansson.h>
#include <math.h>

static inline void json_put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static inline void json_put_u64(json_t *object, const char *key, u64 value)
{
	json_put(object, key, json_integer((json_int_t)value));
}

/** json_put_real() - JSON has no infinity: that is null. */
static inline void json_put_real(json_t *object, const char *key, double value)
{
	json_put(object, key, isfinite(value) ? json_real(value) : json_null());
}

/** json_put_text() - an empty or missing text is null. */
static inline void json_put_text(json_t *object, const char *key, const char *value)
{
	json_put(object, key, value && *value ? json_string(value) : json_null());
}

/** json_text() - dump @value with sorted keys and a newline, and drop it. malloc'ed. */
char *json_text(json_t *value, enum lab_json_style style);

/** record_to_json() - a new reference. */
json_t *record_to_json(const struct lab_record *record);

/** tool_to_json() - name, version, compiler and flags of this program. */
json_t *tool_to_json(void);

#endif
