/* SPDX-License-Identifier: MIT */
/*
 * callbacks.c - a CPU's RCU callbacks: order kept, passes throttled.
 *
 * The limits of a pass are Linux's blimit (10), the divisor 128 of a backlog and
 * qhimark (10000). Only the owning CPU touches its queue, so no lock is needed.
 */
#include "engine/machine.h"

enum { BATCH_LIMIT = 10, BACKLOG_DIVISOR = 128, HIGH_MARK = 10000 };

/*
 * A head may lie where readers of the object still look, until its grace period is
 * over: they find out that it is dead and drop what they read, but no store to it is a
 * plain one.
 */
void callback_append(struct callback_list *list, struct rcu_head *head)
{
	WRITE_ONCE(head->next, NULL);
	if (list->tail)
		WRITE_ONCE(list->tail->next, head);
	else
		list->head = head;
	list->tail = head;
	list->count++;
}

void callback_splice(struct callback_list *from, struct callback_list *to)
{
	if (!from->head)
		return;
	if (to->tail)
		WRITE_ONCE(to->tail->next, from->head);
	else
		to->head = from->head;
	to->tail = from->tail;
	to->count += from->count;
	*from = (struct callback_list){0};
}

u64 callbacks_pending(const struct callback_queue *queue)
{
	return queue->next.count + queue->wait.count + queue->done.count;
}

u64 callbacks_limit(const struct callback_queue *queue)
{
	u64 pending = callbacks_pending(queue);

	if (pending > HIGH_MARK)
		return HIGH_MARK;
	return max((u64)BATCH_LIMIT, pending / BACKLOG_DIVISOR);
}

static struct rcu_head *callback_pop(struct callback_list *list)
{
	struct rcu_head *head = list->head;

	list->head = head->next;
	if (!list->head)
		list->tail = NULL;
	list->count--;
	return head;
}

void callbacks_invoke(struct callback_queue *queue, u64 limit)
{
	if (queue->invoking)
		return;
	queue->invoking = true;
	while (limit-- && queue->done.head) {
		struct rcu_head *head = callback_pop(&queue->done);

		count_event(EVENT_RCU_CALLBACK, 1);
		head->func(head);
	}
	queue->invoking = false;
}
