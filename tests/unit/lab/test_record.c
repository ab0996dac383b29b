/* SPDX-License-Identifier: MIT */
/*
 * test_record.c - a record as JSON holds every raw number, in a stable order.
 * Whether it fits its schema is checked on real runs, by the command's tests.
 */
#include "tests/unit/lab/fake_core.h"

#include <criterion/criterion.h>
#include <jansson.h>

static int keep_text(void *arg, const struct lab_record *record, struct message *msg)
{
	(void)msg;
	*(char **)arg = lab_record_json(record, JSON_ONE_LINE);
	return 0;
}

static char *one_record(struct fake_set *set, unsigned nr_runs)
{
	char *text = NULL;

	fake_set_init(set, nr_runs);
	fake.step = 10;
	set->plan.nr_policies = 1;
	set->tasks[0] = 3;
	cr_assert_eq(lab_run_set(&set->lab, &set->plan, keep_text, &text, NULL), 0);
	cr_assert_not_null(text);
	return text;
}

static json_t *at(json_t *json, const char *path)
{
	char copy[128];

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *key = strtok(copy, "/"); key; key = strtok(NULL, "/")) {
		json = json_is_array(json) ? json_array_get(json, (size_t)atoi(key))
					   : json_object_get(json, key);
		cr_assert_not_null(json, "%s has no %s", path, key);
	}
	return json;
}

Test(record, holds_settings_and_every_run)
{
	struct fake_set set;
	char *text = one_record(&set, 3);
	json_t *json = json_loads(text, 0, NULL);

	cr_assert_not_null(json);
	cr_assert_str_eq(json_string_value(at(json, "schema")), "vmasim.result/1");
	cr_assert_str_eq(json_string_value(at(json, "workload")), "first");
	cr_assert_str_eq(json_string_value(at(json, "kernel/knobs/sheaves")), "off");
	cr_assert_str_eq(json_string_value(at(json, "machine/name")), "host");
	cr_assert_eq(json_integer_value(at(json, "tasks")), 3);
	cr_assert_eq(json_array_size(at(json, "runs")), 3);
	for (int i = 0; i < 3; i++) {
		json_t *run = json_array_get(at(json, "runs"), (size_t)i);

		cr_assert_eq(json_integer_value(at(run, "operations")), 1000 + 10 * i);
		cr_assert_eq(json_integer_value(at(run, "seed")), 100 + i);
		cr_assert_eq(json_array_size(at(run, "operations_by_task")), 3);
		cr_assert_eq(json_integer_value(at(run, "samples/operations/1")), 1000 + 10 * i);
		cr_assert_eq(json_integer_value(at(run, "slabs/1/stats/alloc_fastpath")), 12);
		cr_assert_eq(json_integer_value(at(run, "start/tree_height")), 3);
	}
	cr_assert_float_eq(json_real_value(at(json, "statistics/median")), 1010, 1e-9);
	cr_assert_float_eq(json_real_value(at(json, "events_per_op/ma_write")), 3, 1e-9);
	cr_assert_float_eq(json_real_value(at(json, "objects_per_op/maple_node")), 0.5, 1e-9);
	cr_assert(json_is_true(at(json, "flags/oversubscribed")));
	cr_assert(json_is_false(at(json, "flags/interrupted")));
	json_decref(json);
	free(text);
}

Test(record, keys_are_sorted_and_equal_runs_give_equal_text)
{
	struct fake_set set;
	char *first = one_record(&set, 2), *second = one_record(&set, 2);
	char *load_first = strstr(first, "\"load_average\""), *load_second;

	/* The load of the host is the one thing that may differ. */
	cr_assert_not_null(load_first);
	load_second = strstr(second, "\"load_average\"");
	cr_assert_eq(load_first - first, load_second - second);
	cr_assert_eq(strncmp(first, second, (size_t)(load_first - first)), 0);
	cr_assert_str_eq(strchr(load_first, ']'), strchr(load_second, ']'));
	cr_assert(strstr(first, "\"engine\"") < strstr(first, "\"host\""));
	cr_assert(strstr(first, "\"host\"") < strstr(first, "\"workload\""));
	cr_assert_eq(first[strlen(first) - 1], '\n');
	cr_assert_eq(strchr(first, '\n'), first + strlen(first) - 1);
	free(first);
	free(second);
}

static int keep_comparison(void *arg, const struct lab_comparison *comparison, struct message *msg)
{
	(void)msg;
	*(char **)arg = lab_comparison_json(comparison, JSON_PRETTY);
	return 0;
}

Test(record, a_comparison_holds_both_records_and_the_verdict)
{
	struct fake_set set;
	char *text = NULL;
	json_t *json;

	fake_set_init(&set, 5);
	cr_assert_eq(lab_compare_set(&set.lab, &set.plan, 0.05, keep_comparison, &text, NULL), 0);
	json = json_loads(text, 0, NULL);
	cr_assert_str_eq(json_string_value(at(json, "schema")), "vmasim.comparison/1");
	cr_assert_str_eq(json_string_value(at(json, "judgement/verdict")), "better");
	cr_assert_float_eq(json_real_value(at(json, "judgement/change")), 1, 1e-9);
	cr_assert_eq(json_array_size(at(json, "base/record/runs")), 5);
	cr_assert_str_eq(json_string_value(at(json, "test/record/kernel/preset")), "6.18");
	json_decref(json);
	free(text);
}

Test(record, numbers_that_json_lacks_are_null)
{
	struct fake_set set;
	char *text = NULL;
	json_t *json;

	fake_set_init(&set, 5);
	fake.base_617 = 0;
	cr_assert_eq(lab_compare_set(&set.lab, &set.plan, 0.05, keep_comparison, &text, NULL), 0);
	json = json_loads(text, 0, NULL);
	cr_assert_not_null(json);
	cr_assert_str_eq(json_string_value(at(json, "judgement/verdict")), "inconclusive");
	cr_assert_float_eq(json_real_value(at(json, "base/record/events_per_op/ma_write")), 0, 0);
	json_decref(json);
	free(text);
}
