/* SPDX-License-Identifier: MIT */
/*
 * text_file.h - a whole text file in host memory, and its lines one by one.
 *
 * Used for input that users hand in: traces, strace logs, start layouts. What is
 * no text (a directory, an empty file, NUL bytes, more than TEXT_FILE_MAX) is
 * refused with a message that names the file and what is allowed.
 */
#ifndef VMASIM_WORKLOADS_TEXT_FILE_H
#define VMASIM_WORKLOADS_TEXT_FILE_H

#include "base/message.h"
#include "base/types.h"

#define TEXT_FILE_MAX (256ul << 20)

struct text_file {
	char *text; /* malloc'ed, NUL-terminated */
	size_t size;
};

/**
 * text_file_read() - read @path.
 * Return: 0 (free with text_file_free()), or -EINVAL/-errno with a message.
 */
int text_file_read(const char *path, struct text_file *file, struct message *msg);
void text_file_free(struct text_file *file);

/* A walk over lines; the newlines of @text are overwritten by NULs. */
struct text_lines {
	char *next;
	u64 number; /* of the line handed out last, from 1 */
};

/** text_next_line() - the next line without its newline; NULL at the end. */
char *text_next_line(struct text_lines *lines);

#endif
