/* SPDX-License-Identifier: MIT */
/*
 * test_parse.c - numbers, lists, times and percentages as users write them.
 */
#include "base/parse.h"

#include <criterion/criterion.h>
#include <string.h>

Test(parse, reads_whole_numbers_only)
{
	static const char *const bad[] = {"", "-1", "+1", " 1", "1 ", "0x10", "1.0", "abc", "1e3"};
	struct message msg;
	u64 value = 7;

	cr_assert_eq(parse_number("--n", "0", 0, 9, &value, &msg), 0);
	cr_assert_eq(value, 0);
	cr_assert_eq(parse_number("--n", "18446744073709551615", 0, UINT64_MAX, &value, &msg), 0);
	cr_assert_eq(value, UINT64_MAX);
	value = 7;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cr_assert_eq(parse_number("--n", bad[i], 0, 9, &value, &msg), -EINVAL, "%s",
			     bad[i]);
		cr_assert(strstr(msg.text, "--n") && strstr(msg.text, bad[i]) &&
			  strstr(msg.text, "0 to 9"), "%s", msg.text);
	}
	cr_assert_eq(value, 7);
}

Test(parse, a_number_too_large_for_64_bits_is_out_of_range)
{
	static const char *const bad[] = {"18446744073709551616", "18446744073709551626",
					  "184467440737095516150", "99999999999999999999999999"};
	u64 value;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_assert_eq(parse_digits(bad[i], strlen(bad[i]), 0, UINT64_MAX, &value), -ERANGE,
			     "%s", bad[i]);
	cr_assert_eq(parse_digits("10", 2, 0, 9, &value), -ERANGE);
	cr_assert_eq(parse_digits("4", 1, 5, 9, &value), -ERANGE);
}

struct list_case {
	const char *text;
	unsigned nr;
	u64 values[8];
};

Test(parse, expands_lists_and_ranges_in_order)
{
	static const struct list_case cases[] = {
		{"1", 1, {1}},
		{"8,1,64", 3, {8, 1, 64}},
		{"1,8,64..512:x2", 6, {1, 8, 64, 128, 256, 512}},
		{"1..5", 5, {1, 2, 3, 4, 5}},
		{"1..9:+3", 3, {1, 4, 7}},
		{"64..500:x2", 3, {64, 128, 256}},
		{"7..7", 1, {7}},
		{"4095..4096", 2, {4095, 4096}},
		{"1..4096:x4096", 2, {1, 4096}},
	};
	struct parse_list list;
	struct message msg;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cr_assert_eq(parse_list("--tasks", cases[i].text, 1, 4096, &list, &msg), 0,
			     "%s: %s", cases[i].text, msg.text);
		cr_assert_eq(list.nr, cases[i].nr, "%s", cases[i].text);
		cr_assert_arr_eq(list.value, cases[i].values, list.nr * sizeof(u64), "%s",
				 cases[i].text);
	}
}

Test(parse, a_range_ends_before_it_overflows)
{
	struct parse_list list;

	cr_assert_eq(parse_list("--n", "1..18446744073709551615:x4294967296", 1, UINT64_MAX, &list,
				NULL), 0);
	cr_assert_eq(list.nr, 2);
	cr_assert_eq(parse_list("--n", "1..18446744073709551615:+18446744073709551614", 1,
				UINT64_MAX, &list, NULL), 0);
	cr_assert_eq(list.nr, 2);
	cr_assert_eq(list.value[1], UINT64_MAX);
}

struct bad_list {
	const char *text, *value, *position;
};

Test(parse, a_bad_list_is_named_with_its_place_and_what_is_allowed)
{
	static const struct bad_list cases[] = {
		{"0", "'0'", "position 1 "},
		{"-1", "'-1'", "position 1 "},
		{"abc", "'abc'", "position 1 "},
		{"1,abc", "'abc'", "position 3 "},
		{"1..", "''", "position 4 "},
		{"..4", "''", "position 1 "},
		{"1,99999999", "'99999999'", "position 3 "},
		{"", "''", "position 1 "},
		{"1,,2", "''", "position 3 "},
		{"1,", "''", "position 3 "},
		{"1,2,1", "'1'", "position 5 "},
		{"4,1..8", "'1..8'", "position 3 "},
		{"8..4", "'8..4'", "position 1 "},
		{"1..4:", "'1..4:'", "position 1 "},
		{"1..4:x1", "'x1'", "position 6 "},
		{"1..4:x0", "'x0'", "position 6 "},
		{"1..4:+0", "'+0'", "position 6 "},
		{"1..4:2", "'2'", "position 6 "},
		{"1..4:x", "'x'", "position 6 "},
		{"1..4096", "'1..4096'", "too many"},
	};
	struct parse_list list;
	struct message msg;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cr_assert_eq(parse_list("--tasks", cases[i].text, 1, 4096, &list, &msg), -EINVAL,
			     "%s", cases[i].text);
		cr_assert(strstr(msg.text, "--tasks: "), "%s", msg.text);
		cr_assert(strstr(msg.text, cases[i].value), "%s", msg.text);
		cr_assert(strstr(msg.text, cases[i].position), "%s", msg.text);
		cr_assert(strstr(msg.text, "allowed: numbers from 1 to 4096"), "%s", msg.text);
	}
}

Test(parse, reads_times_to_the_nanosecond)
{
	static const struct {
		const char *text;
		u64 ns;
	} good[] = {{"1", 1000000000},	     {"0.5", 500000000},  {"60ms", 60000000},
		    {"1.5s", 1500000000},    {"250us", 250000},	  {"0.000000001", 1},
		    {"1.500000000", 1500000000}, {"86400", 86400000000000}};
	static const char *const bad[] = {"", "-1", "abc", "1h", ".5", "5.", "1.2.3", "1 s", "ms",
					  "1m", "1.0000000001", "0.1234567ms", "86401", "inf"};
	u64 ns;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		cr_assert_eq(parse_duration("-d", good[i].text, 1, 86400000000000, &ns, NULL), 0,
			     "%s", good[i].text);
		cr_assert_eq(ns, good[i].ns, "%s", good[i].text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_assert_eq(parse_duration("-d", bad[i], 1, 86400000000000, &ns, NULL), -EINVAL,
			     "%s", bad[i]);
	cr_assert_eq(parse_duration("-d", "0", 1, 10, &ns, NULL), -EINVAL);
}

Test(parse, reads_percentages_with_or_without_the_sign)
{
	static const char *const bad[] = {"", "%", "0", "0%", "-5", "5%%", "5 %", "1001", "x"};
	double value;

	cr_assert_eq(parse_percent("--fail-on", "5%", &value, NULL), 0);
	cr_assert_float_eq(value, 0.05, 1e-12);
	cr_assert_eq(parse_percent("--fail-on", "2.5", &value, NULL), 0);
	cr_assert_float_eq(value, 0.025, 1e-12);
	cr_assert_eq(parse_percent("--fail-on", "1000", &value, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_assert_eq(parse_percent("--fail-on", bad[i], &value, NULL), -EINVAL, "%s",
			     bad[i]);
}

Test(parse, a_choice_must_match_wholly)
{
	static const char *const names[] = {"json", "jsonl"};
	struct message msg;

	cr_assert_eq(parse_choice("--format", "jsonl", names, 2, &msg), 1);
	cr_assert_eq(parse_choice("--format", "js", names, 2, &msg), -EINVAL);
	cr_assert_str_eq(msg.text, "--format: 'js' is unknown; allowed: json, jsonl");
	cr_assert_eq(parse_choice("--format", "JSON", names, 2, &msg), -EINVAL);
}
