/* SPDX-License-Identifier: MIT */
/*
 * stress_engine.c - the native engine's promises under real threads.
 *
 * Each scenario is one run of a few unpinned tasks, more than most small hosts
 * have CPUs. Data that a lock guards is plain, so the thread sanitizer sees a
 * lock that does not exclude; sums and invariants show it without.
 */
#include "base/rng.h"
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS = 4, OPERATIONS = 20000 };

struct pair {
	u64 value, version;
} __attribute__((aligned(16)));

struct shared {
	struct spinlock spin;
	struct rw_semaphore sem;
	struct vma_lock vma;
	u32 mm_seq;
	u64 plain[2]; /* guarded by the scenario's lock; equal outside it */
	struct pair pair;
	u64 faults;
	u64 published; /* RCU-protected */
	u64 read_locked, write_locked;
	struct rng rng[TASKS];
};

struct scenario {
	const char *name;
	void (*step)(struct shared *s, unsigned task);
	bool (*verify)(const struct shared *s);
};

static void fault(struct shared *s)
{
	__atomic_add_fetch(&s->faults, 1, __ATOMIC_RELAXED);
}

static void change(struct shared *s)
{
	if (s->plain[0] != s->plain[1])
		fault(s);
	s->plain[0]++;
	s->plain[1]++;
}

static void look(struct shared *s)
{
	if (s->plain[0] != s->plain[1])
		fault(s);
}

static bool all_counted(const struct shared *s)
{
	return s->plain[0] == (u64)TASKS * OPERATIONS && s->plain[1] == s->plain[0];
}

static void step_spinlock(struct shared *s, unsigned task)
{
	irqflags_t flags;

	if (rng_below(&s->rng[task], 4) == 0)
		while (!spin_trylock_irqsave(&s->spin, flags))
			;
	else
		spin_lock_irqsave(&s->spin, flags);
	change(s);
	spin_unlock_irqrestore(&s->spin, flags);
}

static void step_rwsem_write(struct shared *s, unsigned task)
{
	(void)task;
	down_write(&s->sem);
	change(s);
	up_write(&s->sem);
}

static void step_rwsem(struct shared *s, unsigned task)
{
	u64 seen;

	switch (rng_below(&s->rng[task], 4)) {
	case 0:
		down_write(&s->sem);
		change(s);
		__atomic_add_fetch(&s->write_locked, 1, __ATOMIC_RELAXED);
		up_write(&s->sem);
		break;
	case 1:
		down_write(&s->sem);
		change(s);
		seen = s->plain[0];
		downgrade_write(&s->sem);
		if (s->plain[0] != seen)
			fault(s); /* a writer came between */
		__atomic_add_fetch(&s->write_locked, 1, __ATOMIC_RELAXED);
		up_read(&s->sem);
		break;
	case 2:
		if (!down_read_trylock(&s->sem))
			down_read(&s->sem);
		look(s);
		__atomic_add_fetch(&s->read_locked, 1, __ATOMIC_RELAXED);
		up_read(&s->sem);
		break;
	default:
		down_read(&s->sem);
		look(s);
		__atomic_add_fetch(&s->read_locked, 1, __ATOMIC_RELAXED);
		up_read(&s->sem);
	}
}

static bool rwsem_counted(const struct shared *s)
{
	return s->plain[0] == s->write_locked && s->plain[1] == s->write_locked &&
	       s->read_locked + s->write_locked == (u64)TASKS * OPERATIONS &&
	       !rwsem_is_locked(&s->sem);
}

/* The mm's side of a per-VMA lock: the sequence is bumped before the mmap_lock is left. */
static void step_vma_lock(struct shared *s, unsigned task)
{
	if (rng_below(&s->rng[task], 8) == 0) {
		down_write(&s->sem);
		vma_lock_write(&s->vma, s->mm_seq);
		change(s);
		smp_store_release(&s->mm_seq, s->mm_seq + 1);
		up_write(&s->sem);
	} else if (vma_lock_read_trylock(&s->vma, smp_load_acquire(&s->mm_seq))) {
		look(s);
		vma_lock_read_unlock(&s->vma);
	}
}

static bool vma_consistent(const struct shared *s)
{
	return s->plain[0] == s->plain[1] && s->plain[0] == s->mm_seq - 1 && !s->vma.refcnt;
}

/* value and version move together or not at all. */
static void step_cas16(struct shared *s, unsigned task)
{
	u64 version, value;

	(void)task;
	do {
		version = READ_ONCE(s->pair.version);
		value = READ_ONCE(s->pair.value);
	} while (!cas16(&s->pair, value, version, value + 2, version + 1));
}

static bool pair_counted(const struct shared *s)
{
	return s->pair.version == (u64)TASKS * OPERATIONS && s->pair.value == 2 * s->pair.version;
}

static const struct object_type page_type = {.name = "stress", .size = PAGE_SIZE};

static void step_pages(struct shared *s, unsigned task)
{
	struct rng *rng = &s->rng[task];
	struct page *page[8];
	unsigned order[8];

	for (unsigned i = 0; i < 8; i++) {
		order[i] = (unsigned)rng_below(rng, 5);
		page[i] = page_alloc((unsigned)rng_below(rng, 2), order[i], &page_type);
		vm_assert(page[i]);
		*(u64 *)page_address(page[i]) = (u64)task << 32 | i;
	}
	for (unsigned i = 0; i < 8; i++) {
		if (*(u64 *)page_address(page[i]) != ((u64)task << 32 | i))
			fault(s);
		page_free(page[i], order[i]);
	}
}

static bool no_pages(const struct shared *s)
{
	(void)s;
	return pages_in_use() == 0;
}

/*
 * An object is replaced and freed through RCU; a reader that got it must find it
 * whole until its op_end(). Freed objects are poisoned plainly, so a callback that
 * comes early is a data race or a wrong magic.
 */
struct object {
	struct rcu_head rcu;
	u64 magic;
	u32 cpu;
};

static void free_object(struct rcu_head *head)
{
	struct object *object = container_of(head, struct object, rcu);

	vm_assert(object->cpu == this_cpu());
	object->magic = 0;
	free(object);
}

static void step_rcu(struct shared *s, unsigned task)
{
	struct object *object, *old;

	if (rng_below(&s->rng[task], 4) == 0) {
		object = malloc(sizeof(*object));
		vm_assert(object);
		*object = (struct object){.magic = 42, .cpu = task};
		old = (struct object *)(uintptr_t)__atomic_exchange_n(
			&s->published, (u64)(uintptr_t)object, __ATOMIC_ACQ_REL);
		if (old) {
			old->cpu = task;
			call_rcu(&old->rcu, free_object);
		}
		return;
	}
	rcu_read_lock();
	object = (struct object *)(uintptr_t)smp_load_acquire(&s->published);
	if (object && object->magic != 42)
		fault(s);
	rcu_read_unlock();
}

static bool callbacks_done(const struct shared *s)
{
	rcu_barrier();
	free((void *)(uintptr_t)s->published);
	return rcu_pending() == 0;
}

static const struct scenario scenarios[] = {
	{"a spinlock excludes", step_spinlock, all_counted},
	{"writers exclude each other", step_rwsem_write, all_counted},
	{"readers, writers and downgraded writers", step_rwsem, rwsem_counted},
	{"per-VMA readers and writers exclude each other", step_vma_lock, vma_consistent},
	{"a pair changes as one", step_cas16, pair_counted},
	{"pages belong to one task at a time", step_pages, no_pages},
	{"objects live until readers have left", step_rcu, callbacks_done},
};

struct stress {
	const struct scenario *scenario;
	struct shared *shared;
};

static void loop(unsigned task, void *arg)
{
	struct stress *stress = arg;

	while (!task_stopping()) {
		stress->scenario->step(stress->shared, task);
		op_end(1);
	}
}

static struct shared *new_shared(void)
{
	struct shared *s = aligned_alloc(64, ALIGN(sizeof(*s), (size_t)64));

	vm_assert(s);
	memset(s, 0, sizeof(*s));
	spin_lock_init(&s->spin, LOCK_NONE);
	init_rwsem(&s->sem, LOCK_NONE);
	vma_lock_init(&s->vma);
	s->mm_seq = 1;
	for (unsigned i = 0; i < TASKS; i++)
		rng_seed(&s->rng[i], 7, i);
	return s;
}

static struct machine *new_machine(void)
{
	struct machine_desc desc;
	struct machine_config config = {.desc = &desc,
					.nr_workers = TASKS,
					.placement = PLACE_NONE,
					.arena_bytes = 256ul << 20};
	struct machine *machine;
	struct message msg = {""};

	if (machine_describe_host(&desc, &msg))
		vm_bug("%s", msg.text);
	desc.nr_nodes = 2;
	if (machine_create(&config, &machine, &msg))
		vm_bug("%s", msg.text);
	return machine;
}

/* True when the scenario held. */
static bool play(const struct scenario *scenario)
{
	struct stress stress = {.scenario = scenario, .shared = new_shared()};
	struct machine *machine = new_machine();
	u64 operations[TASKS];
	struct task_run run = {.nr_tasks = TASKS,
			       .loop = loop,
			       .arg = &stress,
			       .max_operations = OPERATIONS,
			       .operations = operations};
	struct message msg = {""};
	bool ok;

	if (machine_run(machine, &run, &msg))
		vm_bug("%s", msg.text);
	free(run.samples);
	machine_enter(machine);
	ok = scenario->verify(stress.shared) && stress.shared->faults == 0;
	machine_leave(machine);
	machine_destroy(machine);
	free(stress.shared);
	return ok;
}

int main(void)
{
	unsigned failures = 0;

	for (size_t i = 0; i < ARRAY_SIZE(scenarios); i++) {
		bool ok = play(&scenarios[i]);

		printf("%s - %s\n", ok ? "ok" : "not ok", scenarios[i].name);
		fflush(stdout);
		failures += !ok;
	}
	return failures != 0;
}
