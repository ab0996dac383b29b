/* SPDX-License-Identifier: MIT */
/*
 * list.h - circular doubly linked list, the links embedded in the elements.
 *
 * A head and every element are the same struct; an empty list points at
 * itself. No function takes a lock: the caller holds whatever guards the list.
 */
#ifndef VMASIM_BASE_LIST_H
#define VMASIM_BASE_LIST_H

#include "base/types.h"

struct list_head {
	struct list_head *next;
	struct list_head *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline void list_link(struct list_head *item, struct list_head *prev, struct list_head *next)
{
	next->prev = item;
	item->next = next;
	item->prev = prev;
	prev->next = item;
}

/** list_add() - put @item first. */
static inline void list_add(struct list_head *item, struct list_head *head)
{
	list_link(item, head, head->next);
}

/** list_add_tail() - put @item last. */
static inline void list_add_tail(struct list_head *item, struct list_head *head)
{
	list_link(item, head->prev, head);
}

/** list_del() - unlink @item; its own links are left as they were. */
static inline void list_del(struct list_head *item)
{
	item->next->prev = item->prev;
	item->prev->next = item->next;
}

/** list_del_init() - unlink @item and make it an empty list. */
static inline void list_del_init(struct list_head *item)
{
	list_del(item);
	INIT_LIST_HEAD(item);
}

static inline void list_move(struct list_head *item, struct list_head *head)
{
	list_del(item);
	list_add(item, head);
}

/** list_splice_init() - move all of @list to the front of @head; @list is empty after. */
static inline void list_splice_init(struct list_head *list, struct list_head *head)
{
	if (list_empty(list))
		return;
	list->next->prev = head;
	list->prev->next = head->next;
	head->next->prev = list->prev;
	head->next = list->next;
	INIT_LIST_HEAD(list);
}

#define list_entry(ptr, type, member)	     container_of(ptr, type, member)
#define list_first_entry(head, type, member) list_entry((head)->next, type, member)
#define list_last_entry(head, type, member)  list_entry((head)->prev, type, member)
#define list_next_entry(pos, member)                                                               \
	list_entry((pos)->member.next, __typeof__(*(pos)), member)

#define list_for_each_entry(pos, head, member)                                                     \
	for (pos = list_first_entry(head, __typeof__(*pos), member); &pos->member != (head);       \
	     pos = list_next_entry(pos, member))

/** list_for_each_entry_safe() - as list_for_each_entry(), @pos may be unlinked by the body. */
#define list_for_each_entry_safe(pos, n, head, member)                                             \
	for (pos = list_first_entry(head, __typeof__(*pos), member),                               \
	     n = list_next_entry(pos, member);                                                     \
	     &pos->member != (head); pos = n, n = list_next_entry(n, member))

#endif
