/* SPDX-License-Identifier: MIT */
/*
 * test_message.c - messages are cut, never overrun, and names are told apart.
 */
#include "base/message.h"
#include "base/names.h"

#include <criterion/criterion.h>
#include <string.h>

Test(message, returns_the_error_with_and_without_a_message)
{
	struct message msg;

	cr_assert_eq(message_set(&msg, -EINVAL, "%s=%d", "tasks", 0), -EINVAL);
	cr_assert_str_eq(msg.text, "tasks=0");
	cr_assert_eq(message_set(NULL, -ENOMEM, "dropped"), -ENOMEM);
}

Test(message, cuts_what_is_too_long)
{
	struct message msg;
	char text[2000];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	message_set(&msg, -EINVAL, "%s", text);
	cr_assert_eq(strlen(msg.text), sizeof(msg.text) - 1);
}

static void all_differ(const char *const *names, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		for (unsigned k = i + 1; k < nr; k++)
			cr_assert(strcmp(names[i], names[k]), "%s twice", names[i]);
}

Test(names, no_name_stands_twice_in_its_list)
{
	all_differ(lock_class_names, NR_LOCK_CLASSES);
	all_differ(event_names, NR_EVENTS);
	all_differ(kmem_cache_names, NR_KMEM_CACHES);
	all_differ(slab_stat_names, NR_SLAB_STATS);
}
