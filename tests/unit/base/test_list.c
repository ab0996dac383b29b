/* SPDX-License-Identifier: MIT */
/*
 * test_list.c - order and links of the embedded list.
 */
#include "base/list.h"

#include <criterion/criterion.h>

struct item {
	int value;
	struct list_head link;
};

/* The values in order as digits of one number, and backward links on the way. */
static int digits(struct list_head *head)
{
	struct list_head *before = head;
	struct item *item;
	int number = 0;

	list_for_each_entry(item, head, link) {
		cr_assert_eq(item->link.prev, before);
		before = &item->link;
		number = number * 10 + item->value;
	}
	cr_assert_eq(head->prev, before);
	return number;
}

Test(list, keeps_the_order_of_heads_and_tails)
{
	struct item items[] = {{1, {0}}, {2, {0}}, {3, {0}}, {4, {0}}};
	struct list_head head;

	INIT_LIST_HEAD(&head);
	cr_assert(list_empty(&head));
	list_add_tail(&items[1].link, &head);
	list_add_tail(&items[2].link, &head);
	list_add(&items[0].link, &head);
	list_add_tail(&items[3].link, &head);
	cr_assert_eq(digits(&head), 1234);
	cr_assert_eq(list_first_entry(&head, struct item, link)->value, 1);
	cr_assert_eq(list_last_entry(&head, struct item, link)->value, 4);
	list_del_init(&items[1].link);
	cr_assert(list_empty(&items[1].link));
	cr_assert_eq(digits(&head), 134);
	list_move(&items[3].link, &head);
	cr_assert_eq(digits(&head), 413);
}

Test(list, splice_moves_all_in_front_and_empties_the_source)
{
	struct item items[] = {{1, {0}}, {2, {0}}, {3, {0}}, {4, {0}}};
	struct list_head head, other;

	INIT_LIST_HEAD(&head);
	INIT_LIST_HEAD(&other);
	list_splice_init(&other, &head);
	cr_assert(list_empty(&head));
	for (int i = 0; i < 4; i++)
		list_add_tail(&items[i].link, i < 2 ? &other : &head);
	list_splice_init(&other, &head);
	cr_assert_eq(digits(&head), 1234);
	cr_assert(list_empty(&other));
}

Test(list, the_safe_walk_survives_unlinking)
{
	struct item items[] = {{1, {0}}, {2, {0}}, {3, {0}}, {4, {0}}}, *pos, *next;
	struct list_head head;

	INIT_LIST_HEAD(&head);
	for (int i = 0; i < 4; i++)
		list_add_tail(&items[i].link, &head);
	list_for_each_entry_safe(pos, next, &head, link)
		if (pos->value % 2)
			list_del_init(&pos->link);
	cr_assert_eq(digits(&head), 24);
}
