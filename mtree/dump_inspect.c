/* SPDX-License-Identifier: MIT */
/*
 * dump_inspect.c - a tree as indented text, a line a node and a line an entry.
 *
 * Called under the tree's lock.
 */
#include "mtree/internal.h"

static void dump_node(const struct maple_enode *enode, unsigned depth, unsigned long min,
		      unsigned long max, FILE *out)
{
	static const char *const names[] = {"dense", "leaf_64", "range_64", "arange_64"};
	struct maple_node *node = mte_to_node(enode);
	enum maple_type type = mte_node_type(enode);
	unsigned end = ma_data_end(node, type, max);

	fprintf(out, "%*s%s [%lx, %lx] end %u\n", (int)(2 * depth), "", names[type], min, max, end);
	for (unsigned i = 0; i <= end; i++) {
		unsigned long first = ma_slot_min(node, i, min);
		unsigned long last = ma_slot_max(node, i, end, max);
		void *content = ma_slots(node, type)[i];

		if (ma_is_leaf(type))
			fprintf(out, "%*s%u: [%lx, %lx] %p\n", (int)(2 * depth + 2), "", i, first,
				last, content);
		else
			dump_node(content, depth + 1, first, last, out);
	}
}

void mt_dump(const struct maple_tree *mt, FILE *out)
{
	void *root = mt->ma_root;

	fprintf(out, "maple_tree flags %x height %u\n", mt->ma_flags, mt_height(mt));
	if (xa_is_node(root))
		dump_node(mte_safe_root(root), 0, 0, ULONG_MAX, out);
	else if (root)
		fprintf(out, "0: %p\n", root);
}
