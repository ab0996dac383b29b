/* SPDX-License-Identifier: MIT */
/*
 * store.c - a folder of records that is never half written.
 *
 *	write .NAME.HOST.PID.tmp -> fsync -> rename to NAME -> fsync the folder
 *
 * set.json goes the same way after every record, so whatever stops the program,
 * each file in the list is whole. The host is part of the temporary name since
 * process ids of two hosts collide on a shared folder.
 */
#include "lab/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int store_error(const struct lab_store *store, const char *what, const char *name,
		       struct message *msg)
{
	return message_set(msg, -EIO,
			   "output folder '%s': can't %s '%s': %s; allowed: a folder that "
			   "can be made and written",
			   store->dir, what, name, strerror(errno));
}

static int write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t done = write(fd, text, length);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			text += done;
			length -= (size_t)done;
		}
	}
	return fsync(fd) ? -errno : 0;
}

static int write_file(int dir, const char *temporary, const char *text)
{
	int fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int error;

	if (fd < 0)
		return -errno;
	error = write_all(fd, text, strlen(text));
	if (close(fd) && !error)
		error = -errno;
	return error;
}

/* Replace @name by @text in one step; errno says why not. */
static int replace_file(const struct lab_store *store, const char *name, const char *text)
{
	int dir = open(store->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;
	char host[64] = "host", temporary[384];

	if (dir < 0)
		return -errno;
	gethostname(host, sizeof(host) - 1);
	snprintf(temporary, sizeof(temporary), ".%s.%s.%d.tmp", name, host, (int)getpid());
	error = write_file(dir, temporary, text);
	if (!error && renameat(dir, temporary, dir, name))
		error = -errno;
	if (error)
		unlinkat(dir, temporary, 0);
	else
		fsync(dir);
	close(dir);
	errno = -error;
	return error;
}

static int put_file(const struct lab_store *store, const char *name, char *text,
		    struct message *msg)
{
	int error = 0;

	if (!text)
		return message_set(msg, -ENOMEM, "no memory to write '%s'", name);
	if (replace_file(store, name, text))
		error = store_error(store, "write", name, msg);
	free(text);
	return error;
}

static int write_set(const struct lab_store *store, bool complete, struct message *msg)
{
	json_t *json = json_object(), *points = json_array();

	json_put_text(json, "schema", "vmasim.set/1");
	json_put_text(json, "status", complete ? "complete" : "partial");
	json_put(json, "tool", tool_to_json());
	for (unsigned i = 0; i < store->nr_names; i++)
		json_array_append_new(points, json_string(store->names[i]));
	json_put(json, "points", points);
	return put_file(store, "set.json", json_text(json, JSON_PRETTY), msg);
}

int lab_store_open(struct lab_store *store, const char *dir, struct message *msg)
{
	memset(store, 0, sizeof(*store));
	if (!*dir || strlen(dir) >= sizeof(store->dir))
		return message_set(msg, -EIO, "output folder '%.40s': the name has %zu characters; "
				   "allowed: 1 to %zu", dir, strlen(dir), sizeof(store->dir) - 1);
	memcpy(store->dir, dir, strlen(dir) + 1);
	if (mkdir(dir, 0755) && errno != EEXIST)
		return store_error(store, "make", dir, msg);
	return write_set(store, false, msg);
}

/* FNV-1a over what tells two points of a set apart. */
static u32 point_hash(const struct lab_record *record)
{
	u32 hash = 2166136261u;
	char text[640];

	snprintf(text, sizeof(text), "%s|%d|%llu|%llu|%llu|%llu|%u|%s", record->point.policy->spec,
		 record->lab->placement, (unsigned long long)record->lab->seed,
		 (unsigned long long)record->lab->warmup_ns,
		 (unsigned long long)record->lab->window_ns,
		 (unsigned long long)record->lab->max_operations, record->lab->nr_runs,
		 record->lab->layout_path ? record->lab->layout_path : "");
	for (const char *c = text; *c; c++)
		hash = (hash ^ (u8)*c) * 16777619u;
	return hash;
}

static char *point_name(const struct lab_record *record)
{
	char *name;

	if (asprintf(&name, "%s-%s-%s-%s-%s-%u%s%s-%08x.json", record->point.workload,
		     record->lab->core->engine, record->lab->machine->name,
		     record->point.policy->preset, lab_mode_names[record->point.mode],
		     record->point.nr_tasks, record->side ? "-" : "",
		     record->side ? record->side : "", point_hash(record)) < 0)
		return NULL;
	return name;
}

int lab_store_record(struct lab_store *store, const struct lab_record *record, struct message *msg)
{
	char *name = point_name(record), **names;
	int error;

	if (!name)
		return message_set(msg, -ENOMEM, "no memory to name a record");
	names = realloc(store->names, (store->nr_names + 1) * sizeof(*names));
	if (!names) {
		free(name);
		return message_set(msg, -ENOMEM, "no memory to list a record");
	}
	store->names = names;
	error = put_file(store, name, lab_record_json(record, JSON_PRETTY), msg);
	if (error) {
		free(name);
		return error;
	}
	store->names[store->nr_names++] = name;
	return write_set(store, false, msg);
}

int lab_store_finish(struct lab_store *store, bool complete, struct message *msg)
{
	return write_set(store, complete, msg);
}

void lab_store_free(struct lab_store *store)
{
	for (unsigned i = 0; i < store->nr_names; i++)
		free(store->names[i]);
	free(store->names);
}
