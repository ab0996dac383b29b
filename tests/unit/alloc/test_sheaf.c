/* SPDX-License-Identifier: MIT */
/*
 * test_sheaf.c - main, spare and barn: who is asked first, and what is counted.
 *
 * Sheaves of four objects of 256 bytes on two CPUs, so that few calls reach
 * every path.
 */
#include "alloc_fixture.h"

enum { CAP = 4, BARN_FULL = 10 };

static struct node_barn *barn_of(struct kmem_cache *s)
{
	return get_node(s, 0)->barn;
}

static void assert_barn(struct kmem_cache *s, unsigned full, unsigned empty)
{
	cr_assert_eq(barn_of(s)->nr_full, full, "%u full", barn_of(s)->nr_full);
	cr_assert_eq(barn_of(s)->nr_empty, empty, "%u empty", barn_of(s)->nr_empty);
}

Test(sheaf, presets_turn_sheaves_on_and_off)
{
	static const struct {
		const char *spec;
		unsigned maple, vma, anon;
		bool by_sheaf;
	} known[] = {
		{"6.17", 0, 0, 0, false},
		{"6.18", 32, 32, 0, true},
		{"6.17:maple_node.sheaf_capacity=32", 32, 0, 0, false},
		{"6.18:maple_node.sheaf_capacity=120,free=call_rcu", 120, 32, 0, false},
		{"6.18:vm_area_struct.sheaf_capacity=0", 32, 0, 0, true},
		{"6.18:maple_node.sheaf_capacity=1024", 1024, 32, 0, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct bench_machine b = boot_machine(known[i].spec, 2, 1);
		struct kmem_cache *maple = kernel_cache(CACHE_MAPLE_NODE);
		void *o = kmem_cache_alloc(maple, GFP_KERNEL);

		cr_assert_eq(maple->sheaf_capacity, known[i].maple, "%s", known[i].spec);
		cr_assert_eq(kernel_cache(CACHE_VM_AREA_STRUCT)->sheaf_capacity, known[i].vma);
		cr_assert_eq(kernel_cache(CACHE_ANON_VMA)->sheaf_capacity, known[i].anon);
		cr_assert_eq(kmem_cache_frees_by_sheaf(maple), known[i].by_sheaf);
		cr_assert_eq(kmem_cache_has_sheaves(maple), known[i].maple != 0);
		kmem_cache_free(maple, o);
		end_machine(&b);
	}
}

Test(sheaf, a_first_miss_fills_a_new_sheaf_and_gives_the_empty_one_to_the_barn)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	void *o = kmem_cache_alloc(s, GFP_KERNEL);

	assert_count(s, ALLOC_CPU_SHEAF, 1);
	assert_count(s, BARN_GET_FAIL, 1);
	assert_count(s, BARN_GET, 0);
	assert_count(s, SHEAF_ALLOC, 2 + 1);
	assert_count(s, SHEAF_REFILL, CAP);
	assert_count(s, ALLOC_SLOWPATH, 1);
	assert_count(s, ALLOC_FASTPATH, CAP - 1);
	assert_barn(s, 0, 1);
	kmem_cache_free(s, o);
	assert_count(s, FREE_CPU_SHEAF, 1);
	assert_count(s, FREE_FASTPATH, 0);
	end_machine(&b);
}

Test(sheaf, hands_out_last_what_came_in_first)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	void *o[CAP], *again[CAP];

	alloc_many(s, o, CAP);
	free_many(s, o, CAP);
	alloc_many(s, again, CAP);
	for (unsigned i = 0; i < CAP; i++)
		cr_assert_eq(again[i], o[CAP - 1 - i]);
	free_many(s, o, CAP);
	end_machine(&b);
}

Test(sheaf, swaps_the_spare_before_asking_the_barn)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	void *o[2 * CAP];

	alloc_many(s, o, 2 * CAP);
	assert_count(s, BARN_GET_FAIL, 2);
	assert_count(s, SHEAF_ALLOC, 3); /* the second refill used the barn's empty one */
	free_many(s, o, 2 * CAP);
	cr_assert_eq(sheaves_of(s, 0)->main->size, CAP);
	cr_assert_eq(sheaves_of(s, 0)->spare->size, CAP);
	alloc_many(s, o, 2 * CAP);
	assert_count(s, BARN_GET_FAIL, 2);
	assert_count(s, BARN_GET, 0);
	free_many(s, o, 2 * CAP);
	assert_count(s, BARN_PUT, 0);
	end_machine(&b);
}

Test(sheaf, frees_fill_the_barn_and_then_flush_the_spare)
{
	enum { KEPT = (BARN_FULL + 2) * CAP };
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slab_sheaf *spare, *main;
	void *o[KEPT + CAP];

	alloc_many(s, o, KEPT + CAP); /* main is empty then */
	free_many(s, o, KEPT);
	assert_barn(s, BARN_FULL, 0);
	assert_count(s, BARN_PUT, BARN_FULL);
	assert_count(s, BARN_PUT_FAIL, 0);
	assert_count(s, SHEAF_FLUSH, 0);

	main = sheaves_of(s, 0)->main;
	spare = sheaves_of(s, 0)->spare;
	kmem_cache_free(s, o[KEPT]);
	assert_count(s, BARN_PUT_FAIL, 1);
	assert_count(s, SHEAF_FLUSH, CAP);
	cr_assert_eq(sheaves_of(s, 0)->spare, main);
	cr_assert_eq(sheaves_of(s, 0)->main, spare);
	kmem_cache_validate(s);
	free_many(s, o + KEPT + 1, CAP - 1);
	end_machine(&b);
}

Test(sheaf, a_miss_exchanges_an_empty_sheaf_for_the_barns_newest)
{
	enum { NR = 4 * CAP };
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slab_sheaf *newest;
	void *o[NR];
	u64 refilled;

	alloc_many(s, o, NR);
	free_many(s, o, NR);
	assert_barn(s, 2, 0);
	newest = list_first_entry(&barn_of(s)->sheaves_full, struct slab_sheaf, barn_list);
	refilled = count_of(s, STAT_SHEAF_REFILL);
	alloc_many(s, o, 2 * CAP + 1);
	assert_count(s, BARN_GET, 1);
	assert_count(s, SHEAF_REFILL, refilled);
	cr_assert_eq(sheaves_of(s, 0)->main, newest);
	assert_barn(s, 1, 1);
	free_many(s, o, 2 * CAP + 1);
	end_machine(&b);
}

Test(sheaf, exchanges_a_full_main_for_an_empty_one_of_the_barn)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	void *o[3 * CAP];
	u64 made;

	alloc_many(s, o, 3 * CAP);
	free_many(s, o, 2 * CAP);
	barn_put_empty_sheaf(barn_of(s), alloc_empty_sheaf(s, GFP_KERNEL));
	made = count_of(s, STAT_SHEAF_ALLOC);
	kmem_cache_free(s, o[2 * CAP]);
	assert_count(s, BARN_PUT, 1);
	assert_count(s, SHEAF_ALLOC, made);
	assert_barn(s, 1, 0);
	free_many(s, o + 2 * CAP + 1, CAP - 1);
	end_machine(&b);
}

Test(sheaf, a_caller_that_may_not_wait_goes_to_the_slab)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	void *o = kmem_cache_alloc(s, GFP_NOWAIT);

	cr_assert_not_null(o);
	assert_count(s, ALLOC_CPU_SHEAF, 0);
	assert_count(s, BARN_GET_FAIL, 1);
	assert_count(s, SHEAF_REFILL, 0);
	assert_count(s, ALLOC_SLOWPATH, 1);
	kmem_cache_free(s, o);
	end_machine(&b);
}

Test(sheaf, who_interrupts_a_holder_goes_to_the_slab)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slub_percpu_sheaves *pcs = pcs_trylock(s);
	void *o = kmem_cache_alloc(s, GFP_KERNEL);
	void *two[2];

	cr_assert_not_null(o);
	cr_assert_eq(kmem_cache_alloc_bulk(s, GFP_KERNEL, 2, two), 2);
	kmem_cache_free(s, o);
	kmem_cache_free_bulk(s, 2, two);
	cr_assert_not(sheaf_flush_main(s));
	pcs_unlock(pcs);
	assert_count(s, ALLOC_CPU_SHEAF, 0);
	assert_count(s, FREE_CPU_SHEAF, 0);
	cr_assert_eq(count_of(s, STAT_FREE_FASTPATH), 3);
	end_machine(&b);
}

Test(sheaf, an_unlocked_look_at_the_barn_takes_no_lock)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct node_barn *barn = barn_of(s);
	struct slab_sheaf *sheaf = alloc_empty_sheaf(s, GFP_KERNEL), *got;
	irqflags_t flags;

	/* Held by nobody who will give it back: whoever waits for it hangs the test. */
	spin_lock_irqsave(&barn->lock, flags);
	cr_assert_null(barn_get_empty_sheaf(barn));
	cr_assert_null(barn_get_full_or_empty_sheaf(barn));
	cr_assert_null(barn_replace_empty_sheaf(barn, sheaf));
	cr_assert_eq(barn_replace_full_sheaf(barn, sheaf, 10, &got), -ENOMEM);
	cr_assert_eq(barn_replace_full_sheaf(barn, sheaf, 0, &got), -E2BIG);
	spin_unlock_irqrestore(&barn->lock, flags);
	free_empty_sheaf(s, sheaf);
	end_machine(&b);
}

Test(sheaf, a_barn_gives_back_last_what_it_took_first)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slab_sheaf *sheaf[3];

	for (unsigned i = 0; i < 3; i++) {
		sheaf[i] = alloc_empty_sheaf(s, GFP_KERNEL);
		barn_put_empty_sheaf(barn_of(s), sheaf[i]);
	}
	for (unsigned i = 3; i--;)
		cr_assert_eq(barn_get_empty_sheaf(barn_of(s)), sheaf[i]);
	for (unsigned i = 0; i < 3; i++)
		barn_put_full_sheaf(barn_of(s), sheaf[i]);
	for (unsigned i = 3; i--;)
		cr_assert_eq(barn_get_full_or_empty_sheaf(barn_of(s)), sheaf[i]);
	for (unsigned i = 0; i < 3; i++)
		free_empty_sheaf(s, sheaf[i]);
	end_machine(&b);
}

/* ---- What a task finds when it has the lock again ---- */

static struct slab_sheaf *sheaf_with(struct kmem_cache *s, unsigned size)
{
	struct slab_sheaf *sheaf = alloc_empty_sheaf(s, GFP_KERNEL);

	cr_assert_eq(slab_alloc_bulk(s, GFP_KERNEL, size, sheaf->objects), size);
	sheaf->size = size;
	return sheaf;
}

/* Give CPU 0 these sheaves and install @with; -1: no spare. */
static void install_case(struct kmem_cache *s, int main, int spare, bool full,
			 struct slab_sheaf **m, struct slab_sheaf **p, struct slab_sheaf **with)
{
	struct slub_percpu_sheaves *pcs = pcs_trylock(s);

	pcs_unlock(pcs);
	pcs_flush_stopped(s, 0);
	free_empty_sheaf(s, pcs->main);
	barn_shrink(s, barn_of(s));
	pcs->main = *m = sheaf_with(s, (unsigned)main);
	pcs->spare = *p = spare < 0 ? NULL : sheaf_with(s, (unsigned)spare);
	*with = sheaf_with(s, full ? CAP : 0);
	pcs = pcs_trylock(s);
	if (full)
		pcs_install_full_sheaf(s, pcs, *with, barn_of(s));
	else
		pcs_install_empty_sheaf(s, pcs, *with, barn_of(s));
	pcs_unlock(pcs);
	kmem_cache_validate(s);
}

Test(sheaf, a_filled_sheaf_finds_its_place_whatever_happened_meanwhile)
{
	static const struct {
		int main, spare;
		int main_is, spare_is; /* 0: main, 1: spare, 2: the new one, -1: none */
		unsigned full, empty;  /* in the barn */
	} known[] = {
		{0, -1, 2, -1, 0, 1}, {0, 0, 2, 1, 0, 1},   {0, CAP, 2, 1, 0, 1},
		{1, -1, 0, 2, 0, 0},  {CAP, 0, 0, 2, 0, 1}, {1, 2, 0, 1, 1, 0},
		{CAP, CAP, 0, 1, 1, 0},
	};
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct slab_sheaf *was[3];

		install_case(s, known[i].main, known[i].spare, true, &was[0], &was[1], &was[2]);
		cr_assert_eq(sheaves_of(s, 0)->main, was[known[i].main_is], "case %zu", i);
		cr_assert_eq(sheaves_of(s, 0)->spare,
			     known[i].spare_is < 0 ? NULL : was[known[i].spare_is], "case %zu", i);
		assert_barn(s, known[i].full, known[i].empty);
	}
	end_machine(&b);
}

Test(sheaf, an_empty_sheaf_finds_its_place_whatever_happened_meanwhile)
{
	static const struct {
		int main, spare;
		int main_is, spare_is;
		unsigned full, empty;
	} known[] = {
		{CAP, -1, 2, 0, 0, 0}, {1, 1, 0, 1, 0, 1},   {0, CAP, 0, 1, 0, 1},
		{CAP, 1, 1, 0, 0, 1},  {CAP, CAP, 2, 1, 1, 0},
	};
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct slab_sheaf *was[3];

		install_case(s, known[i].main, known[i].spare, false, &was[0], &was[1], &was[2]);
		cr_assert_eq(sheaves_of(s, 0)->main, was[known[i].main_is], "case %zu", i);
		cr_assert_eq(sheaves_of(s, 0)->spare, was[known[i].spare_is], "case %zu", i);
		assert_barn(s, known[i].full, known[i].empty);
	}
	end_machine(&b);
}

Test(sheaf, the_barns_limit_is_checked_without_its_lock_and_may_be_passed)
{
	struct bench_machine b = boot_machine("6.18:barn.max_full=0", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	void *o[3 * CAP];

	alloc_many(s, o, 3 * CAP);
	free_many(s, o, 3 * CAP);
	/* Nothing goes in on the ordinary way ... */
	assert_barn(s, 0, 0);
	assert_count(s, BARN_PUT_FAIL, 1);
	/* ... but an undo puts it in whatever the limit. */
	barn_put_full_sheaf(barn_of(s), sheaf_with(s, CAP));
	assert_barn(s, 1, 0);
	end_machine(&b);
}

/* ---- Nodes ---- */

Test(sheaf, only_objects_of_the_cpus_node_enter_its_sheaves)
{
	struct bench_machine b = boot_machine("6.18", 2, 2);
	struct kmem_cache *s = sheaf_cache(CAP);
	void *o[2 * CAP];

	alloc_many(s, o, 2 * CAP);
	become_cpu(&b, 1);
	kmem_cache_free(s, o[0]);
	kmem_cache_free_bulk(s, 2 * CAP - 1, o + 1);
	assert_count(s, FREE_CPU_SHEAF, 0);
	cr_assert_eq(sheaves_of(s, 1)->main->size, 0);
	end_machine(&b);
}

Test(sheaf, a_node_asked_for_is_verified_before_the_pop)
{
	struct bench_machine b = boot_machine("6.18", 2, 2);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slub_percpu_sheaves *pcs = sheaves_of(s, 0);
	void *here = kmem_cache_alloc_node(s, GFP_KERNEL, 0);
	void *there = kmem_cache_alloc_node(s, GFP_KERNEL, 1);
	void *other;

	assert_count(s, ALLOC_CPU_SHEAF, 1);
	cr_assert_eq(slab_nid(virt_to_slab(there)), 1);
	/* A foreign object on top stays there. */
	pcs->main->objects[pcs->main->size++] = there;
	slab_mark_free(s, there);
	other = kmem_cache_alloc_node(s, GFP_KERNEL, 0);
	cr_assert_eq(slab_nid(virt_to_slab(other)), 0);
	cr_assert_eq(pcs->main->objects[pcs->main->size - 1], there);
	assert_count(s, ALLOC_CPU_SHEAF, 1);
	cr_assert(count_of(s, STAT_ALLOC_NODE_MISMATCH) >= 1);
	kmem_cache_free(s, other);
	kmem_cache_free(s, here);
	end_machine(&b);
}

/* ---- Bulk ---- */

Test(sheaf, bulk_calls_use_up_full_sheaves_and_leave_the_rest_to_slabs)
{
	enum { NR = 5 * CAP };
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	void *o[NR + 3];
	u64 popped;

	alloc_many(s, o, NR);
	free_many(s, o, NR); /* main, spare, three in the barn */
	popped = count_of(s, STAT_ALLOC_CPU_SHEAF);
	cr_assert_eq(kmem_cache_alloc_bulk(s, GFP_KERNEL, NR + 3, o), NR + 3);
	assert_count(s, ALLOC_CPU_SHEAF, popped + NR);
	assert_count(s, BARN_GET, 3);
	assert_barn(s, 0, 3);
	kmem_cache_validate(s);
	kmem_cache_free_bulk(s, NR + 3, o);
	/* Empty ones of the barn are used, none is made: what is left goes to slabs. */
	assert_barn(s, 3, 0);
	cr_assert_eq(count_of(s, STAT_FREE_CPU_SHEAF), 2 * NR);
	assert_count(s, BARN_PUT_FAIL, 1);
	end_machine(&b);
}

Test(sheaf, a_shrunk_cache_keeps_no_page)
{
	struct bench_machine b = boot_machine("6.18", 2, 1);
	struct kmem_cache *s = sheaf_cache(CAP);
	struct slab_info info;
	void *o[200];

	alloc_many(s, o, 200);
	become_cpu(&b, 1);
	free_many(s, o, 200);
	become_cpu(&b, 0);
	kmem_cache_info(s, &info);
	cr_assert_eq(info.live, 0);
	cr_assert(info.in_sheaves >= (BARN_FULL + 1) * CAP);
	kmem_cache_shrink(s);
	kmem_cache_info(s, &info);
	cr_assert_eq(info.slabs, 0);
	cr_assert_eq(info.objects_total, 0);
	assert_count(s, FREE_SLAB, count_of(s, STAT_ALLOC_SLAB));
	assert_count(s, SHEAF_FREE, count_of(s, STAT_SHEAF_ALLOC) - 2);
	end_machine(&b);
}
