/* SPDX-License-Identifier: MIT */
/*
 * policy.c - presets and the one table of knobs.
 *
 * A knob is a row: name, where its value lives in struct policy, and either the
 * names it may take or a range of numbers. Rows of a cache stand once in the
 * table and once for each cache in names ("maple_node.order"). What the design
 * knows but no floor carries out yet is listed too, so that asking for it gets
 * an answer and never a silent default.
 */
#include "base/policy.h"

#include "base/parse.h"

#include <stdio.h>
#include <string.h>

struct choice {
	const char *name;
	bool built;
};

struct knob {
	const char *name;
	size_t offset;
	const struct choice *choices; /* NULL: a number */
	int min, max;
	const char *meaning;
};

/* The order of each list is that of its enum in policy.h; unbuilt names follow. */
static const struct choice sheaves_choices[] = {
	{"off", true}, {"over-cpu-slabs", true}, {"only", false}, {NULL, false},
};
static const struct choice prealloc_choices[] = {
	{"vacant", true}, {"worst", false}, {NULL, false},
};
static const struct choice free_choices[] = {
	{"call_rcu", true}, {"kfree_rcu-sheaf", true}, {"kfree_rcu-list", false},
	{"kfree_rcu-batch", false}, {NULL, false},
};
static const struct choice gp_choices[] = {
	{"normal", true}, {"op-end", true}, {"lazy", false}, {"hurry", false}, {NULL, false},
};

static const struct knob machine_knobs[] = {
	{"sheaves", offsetof(struct policy, sheaves), sheaves_choices, 0, 0,
	 "per-CPU sheaves of objects: none, or on top of cpu slabs"},
	{"prealloc", offsetof(struct policy, prealloc), prealloc_choices, 0, 0,
	 "how many maple nodes a store asks for in advance"},
	{"free", offsetof(struct policy, free), free_choices, 0, 0,
	 "how freed maple nodes wait for RCU (sheaf: in caches that have sheaves)"},
	{"gp", offsetof(struct policy, gp), gp_choices, 0, 0,
	 "when grace periods end; op-end: at the next op_end of the CPU that queued"},
	{"barn.max_full", offsetof(struct policy, barn_max_full), NULL, 0, 1000,
	 "full sheaves a barn takes before frees are flushed"},
	{"barn.max_empty", offsetof(struct policy, barn_max_empty), NULL, 0, 1000,
	 "empty sheaves a barn keeps"},
};

static const struct knob cache_knobs[] = {
	{"sheaf_capacity", offsetof(struct cache_policy, sheaf_capacity), NULL, 0, 1024,
	 "objects a sheaf; 0: no sheaves in this cache"},
	{"cpu_partial", offsetof(struct cache_policy, cpu_partial), NULL, 0, 1000,
	 "free objects a CPU keeps on its partial list"},
	{"min_partial", offsetof(struct cache_policy, min_partial), NULL, 0, 100,
	 "slabs a node keeps although empty"},
	{"order", offsetof(struct cache_policy, order), NULL, 0, 3, "log2 of the pages a slab"},
	{"remote_node_defrag_ratio", offsetof(struct cache_policy, remote_node_defrag_ratio), NULL,
	 0, 1000, "of 1024 slow allocations, those that look at other nodes"},
};

static const char *const unbuilt_knobs[] = {
	"inflight_barrier", "remote_refill", "memcg", "debug", "tiny",
	"strict_numa",	    "remote_free",   "barn",  "keep_empty_spare",
};

struct preset {
	const char *name;
	bool built;
	enum sheaves_policy sheaves;
	enum free_policy free;
	const char *meaning;
};

static const struct preset presets[] = {
	{"6.17", true, SHEAVES_OFF, FREE_CALL_RCU, "cpu slabs and partial lists, no sheaves"},
	{"6.18", true, SHEAVES_OVER_CPU_SLABS, FREE_KFREE_RCU_SHEAF,
	 "sheaves on top of cpu slabs for maple_node and vm_area_struct"},
	{"7.0", false, SHEAVES_OFF, FREE_CALL_RCU, "sheaves in every cache"},
	{"7.1", false, SHEAVES_OFF, FREE_CALL_RCU, "sheaves in every cache"},
};

#define NR_CACHE_KNOBS ARRAY_SIZE(cache_knobs)
#define NR_KNOBS       (ARRAY_SIZE(machine_knobs) + NR_KMEM_CACHES * NR_CACHE_KNOBS)

/* ---- The table seen as one list ------------------------------------------------ */

struct knob_at {
	const struct knob *knob;
	bool of_cache;
	size_t offset; /* in struct policy */
	char name[48];
};

static void knob_at(unsigned index, struct knob_at *at)
{
	unsigned cache, row;

	if (index < ARRAY_SIZE(machine_knobs)) {
		at->knob = &machine_knobs[index];
		at->of_cache = false;
		at->offset = at->knob->offset;
		snprintf(at->name, sizeof(at->name), "%s", at->knob->name);
		return;
	}
	index -= ARRAY_SIZE(machine_knobs);
	cache = index / NR_CACHE_KNOBS;
	row = index % NR_CACHE_KNOBS;
	at->knob = &cache_knobs[row];
	at->of_cache = true;
	at->offset = offsetof(struct policy, cache) + cache * sizeof(struct cache_policy) +
		     at->knob->offset;
	snprintf(at->name, sizeof(at->name), "%s.%s", kmem_cache_names[cache], at->knob->name);
}

static int *knob_slot(struct policy *policy, const struct knob_at *at)
{
	return (int *)((char *)policy + at->offset);
}

static void allowed_values(const struct knob_at *at, char *text, size_t size)
{
	size_t used = 0;

	if (!at->knob->choices) {
		snprintf(text, size, "%d to %d%s", at->knob->min, at->knob->max,
			 at->of_cache ? " or default" : "");
		return;
	}
	text[0] = '\0';
	for (const struct choice *c = at->knob->choices; c->name && used < size; c++)
		if (c->built)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
						 c->name);
}

/* ---- Parsing --------------------------------------------------------------------- */

struct spec_parser {
	const char *spec;
	struct policy *out;
	struct message *msg;
	bool given[NR_KNOBS];
};

static long place(const struct spec_parser *p, const char *at)
{
	return at - p->spec + 1;
}

static int parse_value(struct spec_parser *p, const struct knob_at *at, const char *value,
		       size_t length)
{
	const char *reason = "is unknown";
	char allowed[128];
	u64 number;
	int index = 0;

	for (const struct choice *c = at->knob->choices; c && c->name; c++, index++) {
		if (strlen(c->name) != length || memcmp(c->name, value, length))
			continue;
		if (c->built) {
			*knob_slot(p->out, at) = index;
			return 0;
		}
		reason = "is not built yet";
	}
	if (!at->knob->choices) {
		if (at->of_cache && length == 7 && !memcmp(value, "default", 7)) {
			*knob_slot(p->out, at) = POLICY_DEFAULT;
			return 0;
		}
		if (!parse_digits(value, length, (u64)at->knob->min, (u64)at->knob->max, &number)) {
			*knob_slot(p->out, at) = (int)number;
			return 0;
		}
		reason = "is not in its range";
	}
	allowed_values(at, allowed, sizeof(allowed));
	return message_set(p->msg, -EINVAL,
			   "kernel '%s': %s='%.*s' at position %ld %s; allowed: %s", p->spec,
			   at->name, (int)length, value, place(p, value), reason, allowed);
}

/* All names, those of caches folded into one. */
static const char *known_knobs(char *text, size_t size)
{
	size_t used = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(machine_knobs) && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s, ", machine_knobs[i].name);
	for (unsigned i = 0; i < NR_CACHE_KNOBS && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%sCACHE.%s", i ? ", " : "",
					 cache_knobs[i].name);
	for (unsigned i = 0; i < NR_KMEM_CACHES && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 i ? ", " : "; CACHE is one of ", kmem_cache_names[i]);
	return text;
}

static int unknown_knob(const struct spec_parser *p, const char *name, size_t length)
{
	char text[512];

	for (unsigned i = 0; i < ARRAY_SIZE(unbuilt_knobs); i++)
		if (strlen(unbuilt_knobs[i]) == length && !memcmp(unbuilt_knobs[i], name, length))
			return message_set(
				p->msg, -EINVAL,
				"kernel '%s': knob '%.*s' at position %ld is not built yet; "
				"allowed: see 'vmasim list knobs'",
				p->spec, (int)length, name, place(p, name));
	return message_set(
		p->msg, -EINVAL, "kernel '%s': knob '%.*s' at position %ld is unknown; allowed: %s",
		p->spec, (int)length, name, place(p, name), known_knobs(text, sizeof(text)));
}

static int parse_override(struct spec_parser *p, const char *item, size_t length)
{
	const char *equals = memchr(item, '=', length);
	struct knob_at at;

	if (!equals)
		return message_set(p->msg, -EINVAL,
				   "kernel '%s': '%.*s' at position %ld is no override; allowed: "
				   "KNOB=VALUE, separated by commas (see 'vmasim list knobs')",
				   p->spec, (int)length, item, place(p, item));
	for (unsigned i = 0; i < NR_KNOBS; i++) {
		knob_at(i, &at);
		if (strlen(at.name) != (size_t)(equals - item) ||
		    memcmp(at.name, item, strlen(at.name)))
			continue;
		if (p->given[i])
			return message_set(p->msg, -EINVAL,
					   "kernel '%s': knob '%s' at position %ld is given twice; "
					   "allowed: each knob once",
					   p->spec, at.name, place(p, item));
		p->given[i] = true;
		return parse_value(p, &at, equals + 1, length - (size_t)(equals + 1 - item));
	}
	return unknown_knob(p, item, (size_t)(equals - item));
}

static void preset_apply(const struct preset *preset, struct policy *out)
{
	struct knob_at at;

	snprintf(out->preset, sizeof(out->preset), "%s", preset->name);
	out->sheaves = preset->sheaves;
	out->prealloc = PREALLOC_VACANT;
	out->free = preset->free;
	out->gp = GP_NORMAL;
	out->barn_max_full = 10;
	out->barn_max_empty = 10;
	for (unsigned i = ARRAY_SIZE(machine_knobs); i < NR_KNOBS; i++) {
		knob_at(i, &at);
		*knob_slot(out, &at) = POLICY_DEFAULT;
	}
}

static int parse_preset(struct spec_parser *p, size_t length)
{
	bool known = false;

	for (unsigned i = 0; i < ARRAY_SIZE(presets); i++) {
		if (strlen(presets[i].name) != length || memcmp(presets[i].name, p->spec, length))
			continue;
		known = true;
		if (!presets[i].built)
			break;
		preset_apply(&presets[i], p->out);
		return 0;
	}
	return message_set(p->msg, -EINVAL,
			   "kernel '%s': preset '%.*s' at position 1 is %s; allowed: 6.17, 6.18",
			   p->spec, (int)length, p->spec, known ? "not built yet" : "unknown");
}

int policy_parse(const char *spec, struct policy *out, struct message *msg)
{
	struct spec_parser p = {.spec = spec, .out = out, .msg = msg};
	size_t length = strcspn(spec, ":");
	const char *item;
	int error;

	if (strlen(spec) >= sizeof(out->spec))
		return message_set(msg, -EINVAL,
				   "kernel '%.40s...' has %zu characters; allowed: at most %zu",
				   spec, strlen(spec), sizeof(out->spec) - 1);
	memset(out, 0, sizeof(*out));
	snprintf(out->spec, sizeof(out->spec), "%s", spec);
	error = parse_preset(&p, length);
	if (error || !spec[length])
		return error;
	for (item = spec + length + 1;; item += length + 1) {
		length = strcspn(item, ",");
		error = parse_override(&p, item, length);
		if (error || !item[length])
			return error;
	}
}

/* ---- Echo and help ------------------------------------------------------------- */

static void knob_value(const struct policy *policy, const struct knob_at *at, char *text,
		       size_t size)
{
	int value = *(const int *)((const char *)policy + at->offset);

	if (at->knob->choices)
		snprintf(text, size, "%s", at->knob->choices[value].name);
	else if (value == POLICY_DEFAULT)
		snprintf(text, size, "default");
	else
		snprintf(text, size, "%d", value);
}

void policy_visit(const struct policy *policy, policy_visit_fn *visit, void *arg)
{
	struct knob_at at;
	char value[32];

	for (unsigned i = 0; i < NR_KNOBS; i++) {
		knob_at(i, &at);
		knob_value(policy, &at, value, sizeof(value));
		visit(arg, at.name, value);
	}
}

void policy_print_presets(FILE *out)
{
	for (unsigned i = 0; i < ARRAY_SIZE(presets); i++)
		if (presets[i].built)
			fprintf(out, "%-6s  %s\n", presets[i].name, presets[i].meaning);
}

void policy_print_knobs(FILE *out)
{
	char allowed[128];
	struct knob_at at;

	for (unsigned i = 0; i < NR_KNOBS; i++) {
		knob_at(i, &at);
		allowed_values(&at, allowed, sizeof(allowed));
		fprintf(out, "%-39s %-26s  %s\n", at.name, allowed, at.knob->meaning);
	}
}

void policy_print_help(FILE *out)
{
	fputs("Kernels (PRESET[:KNOB=VALUE,...]):\n", out);
	policy_print_presets(out);
	fputs("\nKnobs, what they may be, and what they mean:\n", out);
	policy_print_knobs(out);
}
