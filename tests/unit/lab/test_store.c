/* SPDX-License-Identifier: MIT */
/*
 * test_store.c - a folder of records is never half written.
 */
#include "tests/unit/lab/fake_core.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void make_dir(char *dir)
{
	strcpy(dir, "/tmp/vmasim-store-XXXXXX");
	cr_assert_not_null(mkdtemp(dir));
}

static void remove_dir(const char *dir)
{
	DIR *listing = opendir(dir);
	struct dirent *entry;
	char path[600];

	while (listing && (entry = readdir(listing))) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		unlink(path);
	}
	closedir(listing);
	rmdir(dir);
}

static json_t *load(const char *dir, const char *name)
{
	char path[600];
	json_error_t error;
	json_t *json;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	json = json_load_file(path, 0, &error);
	cr_assert_not_null(json, "%s: %s", path, error.text);
	return json;
}

static int store_it(void *arg, const struct lab_record *record, struct message *msg)
{
	return lab_store_record(arg, record, msg);
}

static int store_both(void *arg, const struct lab_comparison *comparison, struct message *msg)
{
	int error = lab_store_record(arg, comparison->base, msg);

	return error ? error : lab_store_record(arg, comparison->test, msg);
}

/* Every listed file is a whole record. Return: how many are listed. */
static size_t check_set(const char *dir, const char *status)
{
	json_t *set = load(dir, "set.json"), *points = json_object_get(set, "points"), *name;
	size_t nr = json_array_size(points), i;

	cr_assert_str_eq(json_string_value(json_object_get(set, "schema")), "vmasim.set/1");
	cr_assert_str_eq(json_string_value(json_object_get(set, "status")), status);
	json_array_foreach(points, i, name) {
		json_t *record = load(dir, json_string_value(name));

		cr_assert_str_eq(json_string_value(json_object_get(record, "schema")),
				 "vmasim.result/1");
		json_decref(record);
	}
	json_decref(set);
	return nr;
}

static unsigned files_in(const char *dir)
{
	DIR *listing = opendir(dir);
	struct dirent *entry;
	unsigned nr = 0;

	while ((entry = readdir(listing)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(listing);
	return nr;
}

Test(store, keeps_one_file_a_point_and_lists_them)
{
	struct lab_store store;
	struct fake_set set;
	char dir[64];

	make_dir(dir);
	fake_set_init(&set, 2);
	set.tasks[1] = 8;
	set.plan.nr_tasks = 2;
	cr_assert_eq(lab_store_open(&store, dir, NULL), 0);
	cr_assert_eq(check_set(dir, "partial"), 0);
	cr_assert_eq(lab_run_set(&set.lab, &set.plan, store_it, &store, NULL), 0);
	cr_assert_eq(check_set(dir, "partial"), 4);
	cr_assert_eq(lab_store_finish(&store, true, NULL), 0);
	cr_assert_eq(check_set(dir, "complete"), 4);
	cr_assert_eq(files_in(dir), 5);
	lab_store_free(&store);
	remove_dir(dir);
}

Test(store, a_kernel_compared_with_itself_keeps_both_sides)
{
	struct lab_store store;
	struct fake_set set;
	char dir[64];

	make_dir(dir);
	fake_set_init(&set, 2);
	set.policies[0] = set.policies[1];
	cr_assert_eq(lab_store_open(&store, dir, NULL), 0);
	cr_assert_eq(lab_compare_set(&set.lab, &set.plan, 0.05, store_both, &store, NULL), 0);
	cr_assert_eq(check_set(dir, "partial"), 2);
	cr_assert_eq(files_in(dir), 3);
	lab_store_free(&store);
	remove_dir(dir);
}

Test(store, kernels_that_differ_in_a_knob_have_files_of_their_own)
{
	struct lab_store store;
	struct fake_set set;
	char dir[64];

	make_dir(dir);
	fake_set_init(&set, 1);
	cr_assert_eq(policy_parse("6.18:barn.max_full=40", &set.policies[0], NULL), 0);
	cr_assert_eq(lab_store_open(&store, dir, NULL), 0);
	cr_assert_eq(lab_run_set(&set.lab, &set.plan, store_it, &store, NULL), 0);
	cr_assert_eq(files_in(dir), 3);
	lab_store_free(&store);
	remove_dir(dir);
}

Test(store, a_folder_that_cannot_be_made_or_written_is_named)
{
	static const char *const bad[] = {"/proc/no-such-folder", "/dev/null", "",
					  "/nowhere/at/all"};
	struct lab_store store;
	struct message msg;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cr_assert_eq(lab_store_open(&store, bad[i], &msg), -EIO, "%s", bad[i]);
		cr_assert(strstr(msg.text, "output folder") && strstr(msg.text, bad[i]), "%s",
			  msg.text);
	}
}

static void write_until_killed(const char *dir)
{
	struct lab_store store;
	struct fake_set set;

	fake_set_init(&set, 1);
	if (lab_store_open(&store, dir, NULL))
		_exit(1);
	for (unsigned i = 1;; i++) {
		set.tasks[0] = i;
		fake.nr_calls = 0;
		if (lab_run_set(&set.lab, &set.plan, store_it, &store, NULL))
			_exit(2);
	}
}

/* Whole records only, whenever the writer dies: set.json lists no other. */
static bool is_there(const char *dir, const char *name)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

/* Killed before the first list was renamed: what has its final name is whole all the same. */
static void check_whole(const char *dir)
{
	DIR *listing = opendir(dir);
	struct dirent *entry;

	while ((entry = readdir(listing))) {
		size_t length = strlen(entry->d_name);

		if (length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0)
			json_decref(load(dir, entry->d_name));
	}
	closedir(listing);
}

Test(store, a_killed_writer_leaves_only_whole_records)
{
	size_t listed = 0;

	for (unsigned round = 0; round < 12; round++) {
		char dir[64];
		pid_t child;
		int status;

		make_dir(dir);
		child = fork();
		if (child == 0)
			write_until_killed(dir);
		usleep(20000 + 3700 * round);
		kill(child, SIGKILL);
		cr_assert_eq(waitpid(child, &status, 0), child);
		cr_assert(WIFSIGNALED(status), "the writer ended by itself: %d", status);
		if (is_there(dir, "set.json"))
			listed += check_set(dir, "partial");
		else
			check_whole(dir);
		remove_dir(dir);
	}
	cr_assert_gt(listed, 0);
}
