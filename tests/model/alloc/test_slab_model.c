/* SPDX-License-Identifier: MIT */
/*
 * test_slab_model.c - random calls on all caches against a set of live objects.
 *
 * One thread plays three CPUs of two nodes. No live object may be handed out again,
 * and what was written into one stays until it is freed. VMASIM_SEED and
 * VMASIM_OPS repeat or lengthen a run.
 */
#include "../../unit/alloc/alloc_fixture.h"

#include "base/rng.h"

#include <stdio.h>

enum { NR_LIVE_MAX = 4000, BATCH_MAX = 48, VALIDATE_EVERY = 5000, CPUS = 3 };

struct live {
	void *object;
	struct kmem_cache *cache; /* NULL: kmalloc */
	u64 size;
	u64 tag;
};

struct model {
	struct bench_machine bench;
	struct rng rng;
	struct live live[NR_LIVE_MAX + 4 * BATCH_MAX];
	unsigned nr;
	u64 next_tag;
};

static u64 from_environment(const char *name, u64 otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

static u64 *last_word(const struct live *live)
{
	return (u64 *)((char *)live->object + (live->size - 8) / 8 * 8);
}

static void came_in(struct model *m, void *object, struct kmem_cache *cache, u64 size)
{
	struct live *live = &m->live[m->nr++];

	cr_assert_not_null(object);
	*live = (struct live){object, cache, size, ++m->next_tag};
	*(u64 *)object = live->tag;
	*last_word(live) = live->tag;
}

/* A random live object, checked and taken off the set. */
static struct live goes_out(struct model *m)
{
	unsigned i = (unsigned)rng_below(&m->rng, m->nr);
	struct live live = m->live[i];

	cr_assert_eq(*(u64 *)live.object, live.tag, "object %p was overwritten", live.object);
	cr_assert_eq(*last_word(&live), live.tag, "object %p was overwritten", live.object);
	m->live[i] = m->live[--m->nr];
	return live;
}

static struct kmem_cache *some_cache(struct model *m)
{
	return kernel_cache((enum kmem_cache_id)rng_below(&m->rng, NR_KMEM_CACHES));
}

static void one_alloc(struct model *m)
{
	struct kmem_cache *s = some_cache(m);
	gfp_t gfp = rng_below(&m->rng, 4) ? GFP_KERNEL : GFP_NOWAIT;
	int node = (int)rng_below(&m->rng, 8);

	came_in(m, node < 2 ? kmem_cache_alloc_node(s, gfp, node) : kmem_cache_alloc(s, gfp), s,
		s->object_size);
}

static void one_free(struct model *m)
{
	struct live live = goes_out(m);

	if (!live.cache)
		kfree(live.object);
	else if (rng_below(&m->rng, 3))
		kmem_cache_free(live.cache, live.object);
	else
		kvfree_call_rcu((struct rcu_head *)((char *)live.object + 16), live.object);
}

static void bulk_alloc(struct model *m)
{
	struct kmem_cache *s = some_cache(m);
	unsigned nr = 1 + (unsigned)rng_below(&m->rng, BATCH_MAX);
	void *p[BATCH_MAX];

	cr_assert_eq(kmem_cache_alloc_bulk(s, GFP_KERNEL, nr, p), nr);
	for (unsigned i = 0; i < nr; i++)
		came_in(m, p[i], s, s->object_size);
}

static void bulk_free(struct model *m)
{
	struct kmem_cache *s = some_cache(m);
	void *p[BATCH_MAX];
	unsigned nr = 0;

	for (unsigned tries = 0; m->nr && tries < BATCH_MAX; tries++) {
		struct live live = goes_out(m);

		if (live.cache == s)
			p[nr++] = live.object;
		else
			m->live[m->nr++] = live;
	}
	kmem_cache_free_bulk(s, nr, p);
}

static void prefilled(struct model *m)
{
	struct kmem_cache *s = some_cache(m);
	unsigned want = 1 + (unsigned)rng_below(&m->rng, BATCH_MAX), used;
	struct slab_sheaf *sheaf;

	if (!kmem_cache_has_sheaves(s))
		return;
	sheaf = kmem_cache_prefill_sheaf(s, GFP_KERNEL, want);
	cr_assert(kmem_cache_sheaf_size(sheaf) >= want);
	if (!rng_below(&m->rng, 3)) {
		want = 1 + (unsigned)rng_below(&m->rng, BATCH_MAX);
		cr_assert_eq(kmem_cache_refill_sheaf(s, GFP_KERNEL, &sheaf, want), 0);
	}
	used = (unsigned)rng_below(&m->rng, want + 1);
	while (used--)
		came_in(m, kmem_cache_alloc_from_sheaf(s, GFP_NOWAIT, sheaf), s, s->object_size);
	become_cpu(&m->bench, (unsigned)rng_below(&m->rng, CPUS));
	kmem_cache_return_sheaf(s, rng_below(&m->rng, 2) ? GFP_KERNEL : GFP_NOWAIT, sheaf);
}

static void one_kmalloc(struct model *m)
{
	u64 size = 32 + rng_below(&m->rng, 700);

	came_in(m, kmalloc(size, GFP_KERNEL), NULL, size);
}

static void step(struct model *m)
{
	bool room = m->nr < NR_LIVE_MAX;

	become_cpu(&m->bench, (unsigned)rng_below(&m->rng, CPUS));
	switch (rng_below(&m->rng, 16)) {
	case 0:
		if (room)
			bulk_alloc(m);
		break;
	case 1:
		bulk_free(m);
		break;
	case 2:
		if (room)
			prefilled(m);
		break;
	case 3:
		if (room)
			one_kmalloc(m);
		break;
	case 4:
		op_end(1);
		break;
	case 5 ... 9:
		if (room)
			one_alloc(m);
		break;
	default:
		if (m->nr)
			one_free(m);
	}
}

static void drain(struct model *m)
{
	become_cpu(&m->bench, 0);
	while (m->nr)
		one_free(m);
	kvfree_rcu_barrier();
	slab_validate_all();
}

static void run_model(const char *spec)
{
	u64 seed = from_environment("VMASIM_SEED", 1);
	u64 ops = from_environment("VMASIM_OPS", 100000);
	struct model *m = calloc(1, sizeof(*m));

	printf("%s: VMASIM_SEED=%llu VMASIM_OPS=%llu\n", spec, (unsigned long long)seed,
	       (unsigned long long)ops);
	fflush(stdout);
	m->bench = boot_machine(spec, CPUS, 2);
	rng_seed(&m->rng, seed, 0);
	for (u64 i = 1; i <= ops; i++) {
		step(m);
		if (!(i % VALIDATE_EVERY))
			slab_validate_all();
		if (!(i % (ops / 3)))
			drain(m);
	}
	drain(m);
	end_machine(&m->bench);
	free(m);
}

Test(slab_model, no_live_object_is_handed_out_twice_without_sheaves)
{
	run_model("6.17");
}

Test(slab_model, no_live_object_is_handed_out_twice_with_sheaves)
{
	run_model("6.18");
}

Test(slab_model, no_live_object_is_handed_out_twice_with_tiny_barns_and_sheaves)
{
	run_model("6.18:barn.max_full=1,barn.max_empty=1,maple_node.sheaf_capacity=3,"
		  "vm_area_struct.sheaf_capacity=1,maple_node.cpu_partial=0,"
		  "vm_area_struct.min_partial=0,anon_vma.order=3");
}
