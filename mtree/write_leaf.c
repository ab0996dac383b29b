/* SPDX-License-Identifier: MIT */
/*
 * write_leaf.c - stores that stay in one leaf.
 *
 *	exact fit	|  a  |  b  |  c  |	one slot
 *			      [ new ]
 *
 *	slot store	|  a  |  b  |  c  |	boundaries move, their number stays
 *			    [ new ]
 *
 *	append		|  a  |  b        |	the last slot, new ones behind it
 *			         [ new ]
 *
 *	node store	|  a  |  b  |  c  |	anything else: a new leaf
 *			   [new]
 *
 * With RCU readers the first two change words of a leaf that is being read: the
 * slot is stored first and the boundary after it, so that a reader finds the old
 * or the new entry on either side. A slot store then moves one boundary only, and
 * the others build a new leaf. Without readers all four work in place.
 *
 * Called by the writer, under the tree's lock.
 */
#include "mtree/internal.h"

/* mas_wr_exact_fit() - same bounds, another entry. */
void mas_wr_exact_fit(struct ma_wr_state *wr)
{
	rcu_assign_pointer(wr->slots[wr->mas->offset], wr->entry);
	if (!wr->entry != !wr->content)
		mas_update_gap(wr->mas);
}

/* mas_wr_slot_store() - the ranges at offset and behind it keep their number. */
void mas_wr_slot_store(struct ma_wr_state *wr)
{
	struct ma_state *mas = wr->mas;
	unsigned offset = mas->offset;
	bool gap = !wr->entry || !wr->slots[offset] || !wr->slots[offset + 1];

	if (wr->offset_end - offset != 1) { /* the middle of three ranges grows both ways */
		vm_assert(!mt_in_rcu(mas->tree));
		gap |= !wr->slots[offset + 2];
		rcu_assign_pointer(wr->slots[offset + 1], wr->entry);
		WRITE_ONCE(wr->pivots[offset], mas->index - 1);
		WRITE_ONCE(wr->pivots[offset + 1], mas->last);
		mas->offset++;
	} else if (mas->index == wr->r_min) { /* this range and the start of the next */
		rcu_assign_pointer(wr->slots[offset], wr->entry);
		smp_store_release(&wr->pivots[offset], mas->last);
	} else { /* the end of this range and the next */
		rcu_assign_pointer(wr->slots[offset + 1], wr->entry);
		smp_store_release(&wr->pivots[offset], mas->index - 1);
		mas->offset++;
	}
	count_event(EVENT_MA_WRITE, 1);
	if (gap)
		mas_update_gap(mas);
}

/* mas_wr_append() - the last range is cut in two or three. No readers. */
void mas_wr_append(struct ma_wr_state *wr)
{
	struct ma_state *mas = wr->mas;
	unsigned end = mas->end;
	unsigned new_end = mas_wr_new_end(wr);

	if (new_end < mt_pivots(wr->type))
		wr->pivots[new_end] = mas->max;
	ma_set_end(wr->node, wr->type, new_end);
	if (mas->last == mas->max) { /* content, new */
		wr->slots[new_end] = wr->entry;
		wr->pivots[end] = mas->index - 1;
		mas->offset = (u8)new_end;
	} else if (mas->index == wr->r_min) { /* new, content */
		wr->slots[new_end] = wr->content;
		wr->slots[end] = wr->entry;
		wr->pivots[end] = mas->last;
	} else { /* content, new, content */
		wr->slots[new_end] = wr->content;
		wr->slots[end + 1] = wr->entry;
		wr->pivots[end + 1] = mas->last;
		wr->pivots[end] = mas->index - 1;
		mas->offset = (u8)(end + 1);
	}
	mas->end = (u8)new_end;
	count_event(EVENT_MA_WRITE, 1);
	if (!wr->content || !wr->entry)
		mas_update_gap(mas);
}

/*
 * Compose the leaf after the store in @node, which is empty: what lies before, the
 * start of the first overwritten range, the new one, the end of the last, the rest.
 */
static void leaf_compose(struct ma_wr_state *wr, struct maple_node *node, unsigned new_end)
{
	struct ma_state *mas = wr->mas;
	unsigned long *pivots = node->mr64.pivot;
	void **slots = node->mr64.slot;
	unsigned from = wr->offset_end, to = mas->offset;
	unsigned nr_pivots = mt_pivots(wr->type);

	mem_copy(pivots, wr->pivots, to * sizeof(*pivots));
	mem_copy(slots, wr->slots, to * sizeof(*slots));
	if (wr->r_min < mas->index) {
		slots[to] = wr->content;
		pivots[to++] = mas->index - 1;
	}
	mas->offset = (u8)to;
	slots[to] = wr->entry;
	if (to < nr_pivots)
		pivots[to] = mas->last;
	if (mas->last == wr->end_piv)
		from++;
	if (from <= mas->end) {
		to++;
		mem_copy(slots + to, wr->slots + from, (mas->end - from + 1) * sizeof(*slots));
		mem_copy(pivots + to, wr->pivots + from, (mas->end - from) * sizeof(*pivots));
		if (new_end < nr_pivots)
			pivots[new_end] = mas->max;
	}
	ma_set_end(node, wr->type, new_end);
}

/* mas_wr_node_store() - rewrite the leaf. */
void mas_wr_node_store(struct ma_wr_state *wr)
{
	struct ma_state *mas = wr->mas;
	unsigned new_end = mas_wr_new_end(wr);

	if (mt_in_rcu(mas->tree)) {
		struct maple_node *node = mas_pop_node(mas);
		struct maple_enode *old = mas_enode(mas);

		node->parent = wr->node->parent;
		leaf_compose(wr, node, new_end);
		mas->node = mt_mk_node(node, wr->type);
		mas_replace_leaf(mas, old);
	} else {
		struct maple_node copy = { .parent = wr->node->parent };

		leaf_compose(wr, &copy, new_end);
		mem_copy(wr->node, &copy, sizeof(copy));
	}
	mas->end = (u8)new_end;
	count_event(EVENT_MA_WRITE, 1);
	mas_update_gap(mas);
}
