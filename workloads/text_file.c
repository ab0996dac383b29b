/* SPDX-License-Identifier: MIT */
/*
 * text_file.c - reading a user's text file whole, refusing what is no text.
 *
 * Host memory only; no machine is needed and no lock is taken.
 */
#include "workloads/text_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_all(int fd, struct text_file *file)
{
	size_t room = 1 << 16;

	file->size = 0;
	file->text = malloc(room);
	while (file->text) {
		ssize_t got = read(fd, file->text + file->size, room - file->size - 1);

		if (got < 0)
			return -errno;
		if (got == 0) {
			file->text[file->size] = '\0';
			return 0;
		}
		file->size += (size_t)got;
		if (file->size > TEXT_FILE_MAX)
			return -EFBIG;
		if (file->size + 1 == room) {
			char *larger = realloc(file->text, room *= 2);

			if (!larger)
				return -ENOMEM;
			file->text = larger;
		}
	}
	return -ENOMEM;
}

static u64 line_of(const char *text, size_t offset)
{
	u64 line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

static int check_text(const char *path, const struct text_file *file, struct message *msg)
{
	size_t length = strlen(file->text);

	if (file->size == 0)
		return message_set(msg, -EINVAL, "%s: the file is empty; it must hold text", path);
	if (length != file->size)
		return message_set(msg, -EINVAL, "%s:%llu: a NUL byte; the file must hold text",
				   path, (unsigned long long)line_of(file->text, length));
	return 0;
}

static int refuse(const char *path, int error, struct message *msg)
{
	if (error == -EISDIR)
		return message_set(msg, -EINVAL, "%s: is a directory; a file is wanted", path);
	if (error == -EFBIG)
		return message_set(msg, -EINVAL, "%s: larger than %lu MiB, the most that is read",
				   path, TEXT_FILE_MAX >> 20);
	return message_set(msg, error == -ENOMEM ? error : -EINVAL, "%s: %s", path,
			   strerror(-error));
}

int text_file_read(const char *path, struct text_file *file, struct message *msg)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error;

	*file = (struct text_file){.text = NULL};
	if (fd < 0)
		return refuse(path, -errno, msg);
	error = read_all(fd, file);
	close(fd);
	error = error ? refuse(path, error, msg) : check_text(path, file, msg);
	if (error)
		text_file_free(file);
	return error;
}

void text_file_free(struct text_file *file)
{
	free(file->text);
	*file = (struct text_file){.text = NULL};
}

char *text_next_line(struct text_lines *lines)
{
	char *line = lines->next;
	char *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	lines->next = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	lines->number++;
	return line;
}
