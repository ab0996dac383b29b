/* SPDX-License-Identifier: MIT */
/*
 * test_policy.c - presets, overrides, messages and the echo.
 */
#include "base/policy.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(policy, presets_are_the_two_kernels)
{
	struct policy old, new;

	cr_assert_eq(policy_parse("6.17", &old, NULL), 0);
	cr_assert_eq(policy_parse("6.18", &new, NULL), 0);
	cr_assert_eq(old.sheaves, SHEAVES_OFF);
	cr_assert_eq(old.free, FREE_CALL_RCU);
	cr_assert_eq(new.sheaves, SHEAVES_OVER_CPU_SLABS);
	cr_assert_eq(new.free, FREE_KFREE_RCU_SHEAF);
	cr_assert_str_eq(old.preset, "6.17");
	cr_assert_str_eq(new.spec, "6.18");
	cr_assert_eq(new.barn_max_full, 10);
	cr_assert_eq(new.barn_max_empty, 10);
	for (unsigned i = 0; i < NR_KMEM_CACHES; i++) {
		cr_assert_eq(new.cache[i].sheaf_capacity, POLICY_DEFAULT);
		cr_assert_eq(new.cache[i].remote_node_defrag_ratio, POLICY_DEFAULT);
	}
}

Test(policy, an_override_changes_its_knob_alone)
{
	struct policy plain, changed;

	cr_assert_eq(policy_parse("6.18", &plain, NULL), 0);
	cr_assert_eq(policy_parse("6.18:maple_node.sheaf_capacity=120,gp=op-end", &changed, NULL),
		     0);
	cr_assert_eq(changed.cache[CACHE_MAPLE_NODE].sheaf_capacity, 120);
	cr_assert_eq(changed.gp, GP_OP_END);
	changed.cache[CACHE_MAPLE_NODE].sheaf_capacity = POLICY_DEFAULT;
	changed.gp = GP_NORMAL;
	memcpy(changed.spec, plain.spec, sizeof(plain.spec));
	cr_assert_eq(memcmp(&plain, &changed, sizeof(plain)), 0);
}

/* Collects "knob=value," as policy_visit() hands them out. */
struct echo {
	char text[4096];
	unsigned nr;
};

static void collect(void *arg, const char *knob, const char *value)
{
	struct echo *echo = arg;
	size_t used = strlen(echo->text);

	snprintf(echo->text + used, sizeof(echo->text) - used, "%s=%s,", knob, value);
	echo->nr++;
}

static void parse_one(void *arg, const char *knob, const char *value)
{
	struct policy *wanted = arg, out;
	char spec[256];

	snprintf(spec, sizeof(spec), "%s:%s=%s", wanted->preset, knob, value);
	cr_assert_eq(policy_parse(spec, &out, NULL), 0, "%s", spec);
}

Test(policy, every_knob_is_echoed_and_its_echo_can_be_parsed)
{
	struct echo echo = {0};
	struct policy policy;

	cr_assert_eq(policy_parse("6.18:vm_area_struct.order=2,barn.max_full=40", &policy, NULL),
		     0);
	policy_visit(&policy, collect, &echo);
	cr_assert_eq(echo.nr, 6 + 5 * NR_KMEM_CACHES);
	cr_assert(strstr(echo.text, "sheaves=over-cpu-slabs,"));
	cr_assert(strstr(echo.text, "barn.max_full=40,"));
	cr_assert(strstr(echo.text, "vm_area_struct.order=2,"));
	cr_assert(strstr(echo.text, "maple_node.order=default,"));
	policy_visit(&policy, parse_one, &policy);
}

Test(policy, every_number_is_checked_at_both_ends)
{
	static const struct {
		const char *knob;
		int min, max;
	} ranges[] = {
		{"barn.max_full", 0, 1000},
		{"barn.max_empty", 0, 1000},
		{"maple_node.sheaf_capacity", 0, 1024},
		{"vm_area_struct.cpu_partial", 0, 1000},
		{"anon_vma.min_partial", 0, 100},
		{"anon_vma_chain.order", 0, 3},
		{"maple_node.remote_node_defrag_ratio", 0, 1000},
	};
	struct policy policy;
	char spec[128];

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		for (int v = ranges[i].min - 1; v <= ranges[i].max + 1; v++) {
			bool fits = v >= ranges[i].min && v <= ranges[i].max;

			snprintf(spec, sizeof(spec), "6.18:%s=%d", ranges[i].knob, v);
			cr_assert_eq(policy_parse(spec, &policy, NULL), fits ? 0 : -EINVAL, "%s",
				     spec);
		}
	}
}

struct bad_spec {
	const char *spec, *says[3];
};

Test(policy, a_bad_specification_is_named_with_its_place_and_what_is_allowed)
{
	static const struct bad_spec cases[] = {
		{"", {"''", "position 1 ", "allowed: 6.17, 6.18"}},
		{"5.15", {"'5.15'", "position 1 ", "allowed: 6.17, 6.18"}},
		{"6.1", {"'6.1'", "is unknown", "allowed: 6.17, 6.18"}},
		{"6.180", {"'6.180'", "is unknown", "allowed: 6.17, 6.18"}},
		{"7.0", {"'7.0'", "is not built yet", "allowed: 6.17, 6.18"}},
		{"7.1", {"'7.1'", "is not built yet", "allowed: 6.17, 6.18"}},
		{"6.18:", {"''", "position 6 ", "KNOB=VALUE"}},
		{"6.18:gp", {"'gp'", "position 6 ", "KNOB=VALUE"}},
		{"6.18:gp=normal,", {"''", "position 16 ", "KNOB=VALUE"}},
		{"6.18:gp=", {"gp=''", "position 9 ", "allowed: normal, op-end"}},
		{"6.18:gp=fast", {"gp='fast'", "position 9 ", "allowed: normal, op-end"}},
		{"6.18:gp=lazy", {"gp='lazy'", "is not built yet", "allowed: normal, op-end"}},
		{"6.18:prealloc=worst", {"'worst'", "is not built yet", "allowed: vacant"}},
		{"6.18:sheaves=only", {"'only'", "is not built yet", "off, over-cpu-slabs"}},
		{"6.18:free=kfree_rcu-list", {"'kfree_rcu-list'", "is not built yet", "call_rcu"}},
		{"6.18:memcg=on", {"'memcg'", "position 6 ", "is not built yet"}},
		{"6.18:gp=normal,speed=9", {"'speed'", "position 16 ", "CACHE.sheaf_capacity"}},
		{"6.18:maple.order=1", {"'maple.order'", "position 6 ", "maple_node"}},
		{"6.18:maple_node.order=x", {"'x'", "position 23 ", "allowed: 0 to 3"}},
		{"6.18:barn.max_full=1,barn.max_full=2",
		 {"'barn.max_full'", "position 22 ", "twice"}},
		{"6.18:barn.max_full=default", {"'default'", "position 20 ", "0 to 1000"}},
	};
	struct policy policy;
	struct message msg;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cr_assert_eq(policy_parse(cases[i].spec, &policy, &msg), -EINVAL, "%s",
			     cases[i].spec);
		for (unsigned s = 0; s < 3; s++)
			cr_assert(strstr(msg.text, cases[i].says[s]), "%s: %s", cases[i].spec,
				  msg.text);
	}
}

Test(policy, a_specification_too_long_to_keep_is_refused)
{
	struct policy policy;
	char spec[600];

	memset(spec, 'x', sizeof(spec) - 1);
	spec[sizeof(spec) - 1] = '\0';
	cr_assert_eq(policy_parse(spec, &policy, NULL), -EINVAL);
	spec[sizeof(policy.spec)] = '\0';
	cr_assert_eq(policy_parse(spec, &policy, NULL), -EINVAL);
}

Test(policy, help_lists_every_knob)
{
	struct echo echo = {0};
	struct policy policy;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	policy_print_help(out);
	fclose(out);
	cr_assert_eq(policy_parse("6.17", &policy, NULL), 0);
	policy_visit(&policy, collect, &echo);
	for (char *knob = strtok(echo.text, ","); knob; knob = strtok(NULL, ",")) {
		knob[strcspn(knob, "=")] = '\0';
		cr_assert(strstr(text, knob), "%s", knob);
	}
	free(text);
}
