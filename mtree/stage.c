/* SPDX-License-Identifier: MIT */
/*
 * stage.c - collect ranges in a stage, cut it, and build nodes of it.
 *
 * Invariant of a stage: pivots ascend, and the last one is the maximum of the last
 * node collected. Called by the writer, under the tree's lock; nothing here is
 * visible to readers.
 */
#include "mtree/stage.h"

static void stage_put(struct ma_stage *stage, void *slot, unsigned long pivot, unsigned long gap)
{
	vm_assert(stage->count < STAGE_SLOTS);
	stage->slot[stage->count] = slot;
	stage->gap[stage->count] = gap;
	stage->pivot[stage->count++] = pivot;
}

static void stage_slots(struct ma_stage *stage, const struct ma_state *mas, unsigned from,
			unsigned to)
{
	struct maple_node *node = mas_mn(mas);
	enum maple_type type = mas_type(mas);
	unsigned end = ma_data_end(node, type, mas->max);
	void **slots = ma_slots(node, type);

	for (; from < to; from++)
		stage_put(stage, slots[from], ma_slot_max(node, from, end, mas->max),
			  type == maple_arange_64 ? ma_gaps(node)[from] : 0);
}

/* stage_append() - what the node of @mas has from slot @from on. */
void stage_append(struct ma_stage *stage, const struct ma_state *mas, unsigned from)
{
	stage_slots(stage, mas, from, mas_data_end(mas) + 1);
}

/* stage_prepend() - all that the node of @mas has, before the rest. */
void stage_prepend(struct ma_stage *stage, const struct ma_state *mas)
{
	unsigned shift = mas_data_end(mas) + 1;
	unsigned count = stage->count;

	vm_assert(count + shift <= STAGE_SLOTS);
	for (unsigned i = count; i-- > 0;) {
		stage->pivot[i + shift] = stage->pivot[i];
		stage->slot[i + shift] = stage->slot[i];
		stage->gap[i + shift] = stage->gap[i];
	}
	stage->count = 0;
	stage_slots(stage, mas, 0, shift);
	stage->count = count + shift;
}

/* stage_store_left() - the leaf up to the start of the store, then the new range. */
void stage_store_left(struct ma_wr_state *wr, struct ma_stage *stage)
{
	struct ma_state *mas = wr->mas;

	stage->type = wr->type;
	stage->count = 0;
	stage_slots(stage, mas, 0, mas->offset);
	if (ma_slot_min(wr->node, mas->offset, mas->min) < mas->index)
		stage_put(stage, wr->content, mas->index - 1, 0);
	stage_put(stage, wr->entry, mas->last, 0);
}

/* stage_leaf() - the leaf as it is after the store. */
void stage_leaf(struct ma_wr_state *wr, struct ma_stage *stage)
{
	struct ma_state *mas = wr->mas;

	stage_store_left(wr, stage);
	if (wr->end_piv > mas->last)
		stage_put(stage, wr->slots[wr->offset_end], wr->end_piv, 0);
	stage_append(stage, mas, wr->offset_end + 1u);
}

/*
 * stage_no_null_cut() - move a cut so that the left node does not end with NULL.
 * To the right when that node has room and the rest, up to @limit, stays large
 * enough; else to the left: neighbours of a NULL are never NULL.
 */
unsigned stage_no_null_cut(const struct ma_stage *stage, unsigned split, unsigned limit)
{
	if (stage->slot[split])
		return split;
	if (split < mt_slots(stage->type) - 1 && limit - split > mt_min_slots(stage->type))
		return split + 1;
	return split - 1;
}

/* Do two nodes hold it? A NULL at the cut takes one more slot. */
static bool needs_three(const struct ma_stage *stage, unsigned last, unsigned split)
{
	unsigned two = 2 * mt_slots(stage->type);

	return last >= two || (!stage->slot[split] && last >= two - 1);
}

/* stage_cut() - one node when it fits, else halves, else thirds. */
struct ma_cut stage_cut(const struct ma_stage *stage)
{
	unsigned last = stage->count - 1;
	struct ma_cut cut = { .split = last };

	if (stage->count <= mt_slots(stage->type))
		return cut;
	cut.split = last / 2;
	if (unlikely(needs_three(stage, last, cut.split))) {
		cut.split = last / 3;
		cut.mid = stage_no_null_cut(stage, cut.split * 2, last);
	}
	cut.split = stage_no_null_cut(stage, cut.split, last);
	return cut;
}

static void node_set_gaps(struct maple_node *node, const unsigned long *gaps, unsigned count)
{
	unsigned largest = 0;

	mem_copy(ma_gaps(node), gaps, count * sizeof(*gaps));
	for (unsigned i = 1; i < count; i++) {
		if (gaps[i] > gaps[largest])
			largest = i;
	}
	node->ma64.meta.gap = (u8)largest;
}

/* Children made on the level below get their parent now; the others when it is public. */
static void own_new_children(struct ma_rebuild *rb, struct maple_node *node, void *const *slots,
			     unsigned count)
{
	for (unsigned d = 0; d < rb->nr_dest; d++) {
		for (unsigned i = 0; i < count; i++) {
			if (slots[i] == rb->dest[d].node)
				mte_to_node(slots[i])->parent = ma_parent_word(node, i);
		}
	}
}

/* A new node of slots @from to @last of the stage, the first of which starts at @min. */
static struct ma_dest build_node(struct ma_rebuild *rb, unsigned from, unsigned last,
				 unsigned long min)
{
	const struct ma_stage *stage = &rb->stage;
	struct maple_node *node = mas_pop_node(rb->mas);
	struct ma_dest dest = { mt_mk_node(node, stage->type), min, stage->pivot[last] };
	unsigned count = last - from + 1;

	vm_assert(count <= mt_slots(stage->type));
	mem_copy(ma_pivots(node), stage->pivot + from,
		 min(count, mt_pivots(stage->type)) * sizeof(stage->pivot[0]));
	mem_copy(ma_slots(node, stage->type), stage->slot + from, count * sizeof(void *));
	ma_set_end(node, stage->type, count - 1);
	if (ma_is_leaf(stage->type))
		return dest;
	if (stage->type == maple_arange_64)
		node_set_gaps(node, stage->gap + from, count);
	own_new_children(rb, node, stage->slot + from, count);
	rb->inner[rb->nr_inner++] = dest;
	return dest;
}

/* rebuild_level() - the stage becomes the new nodes of this level. */
void rebuild_level(struct ma_rebuild *rb, struct ma_cut cut)
{
	unsigned last = rb->stage.count - 1;
	unsigned lasts[3], nr = 0, from = 0;
	unsigned long min = rb->left.min;
	struct ma_dest dest[3];

	lasts[nr++] = cut.split;
	if (cut.mid)
		lasts[nr++] = cut.mid;
	if (cut.split < last)
		lasts[nr++] = last;
	for (unsigned i = 0; i < nr; i++) {
		dest[i] = build_node(rb, from, lasts[i], min);
		from = lasts[i] + 1;
		min = dest[i].max + 1;
	}
	for (unsigned i = 0; i < nr; i++)
		rb->dest[i] = dest[i];
	rb->nr_dest = nr;
	rb->height++;
}

/*
 * rebuild_ascend() - to the level above: collect the new nodes with what lies left
 * of the first and right of the last replaced one. Above the root there is only them.
 */
void rebuild_ascend(struct ma_rebuild *rb)
{
	struct maple_tree *mt = rb->mas->tree;
	unsigned long max = rb->right.max;
	bool above_root = mte_is_root(mas_enode(&rb->left)) && mte_is_root(mas_enode(&rb->right));

	mas_ascend(&rb->left);
	mas_ascend(&rb->right);
	rb->stage.type = mt_inner_type(mt);
	rb->stage.count = 0;
	if (!above_root)
		stage_slots(&rb->stage, &rb->left, 0, rb->left.offset);
	for (unsigned i = 0; i < rb->nr_dest; i++) {
		struct ma_dest *dest = &rb->dest[i];

		stage_put(&rb->stage, dest->node, dest->max,
			  mte_max_gap(mt, dest->node, dest->min, dest->max));
	}
	if (!above_root && max < rb->right.max)
		stage_append(&rb->stage, &rb->right, rb->right.offset + 1u);
}
