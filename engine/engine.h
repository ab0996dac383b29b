/* SPDX-License-Identifier: MIT */
/*
 * engine.h - the machine underneath: everything a floor above may use of it.
 *
 * Two engines implement this face. The native one (engine/native/) runs each
 * task on a real thread pinned to a core; the virtual one (engine/virtual/)
 * runs the same sources on virtual CPUs with a virtual clock, charging every
 * memory access that falls into the arena. Nothing above this floor knows which
 * one runs; VMASIM_VIRTUAL is read here and nowhere else.
 *
 * A machine has CPUs (per-CPU data, callback lists, counters), memory nodes and
 * one reserved arena of simulated kernel memory. Kernel-named calls take no
 * context: they act on the *current* CPU of the calling thread, which belongs to
 * one machine. Set-up code and unit tests run as CPU 0 between machine_enter()
 * and machine_leave(), while no task runs.
 *
 *   thread --current--> struct cpu --> struct machine --> slot[] (caches ...)
 *
 * Inline parts live in engine/<core>/inline.h and must stay inline natively: a
 * call costs as much as the sheaf pop it would serve.
 */
#ifndef VMASIM_ENGINE_ENGINE_H
#define VMASIM_ENGINE_ENGINE_H

#include "base/check.h"
#include "base/list.h"
#include "base/machine_desc.h"
#include "base/message.h"
#include "base/names.h"
#include "base/policy.h"
#include "base/types.h"

#include "engine/atomic.h"

/* ---- Machines ------------------------------------------------------------ */

struct machine;
struct cpu;

enum placement {
	PLACE_CORES, /* one task a core first, then the siblings */
	PLACE_SMT,   /* all threads of a core before the next core */
	PLACE_NONE,  /* not pinned */
};

struct machine_config {
	const struct machine_desc *desc; /* copied */
	unsigned nr_workers;		 /* CPUs that tasks may use, >= 1 */
	enum placement placement;
	enum gp_policy gp;
	u64 seed;
	u64 arena_bytes; /* a node; 0: the engine's default (16 GiB reserved, not touched) */
};

/**
 * machine_create() - build a machine of this core's engine.
 * Return: 0 and *@out; -EINVAL where the engine can't be that machine (native
 * with a foreign topology; virtual with more workers than it has CPUs); -ENOMEM.
 */
int machine_create(const struct machine_config *config, struct machine **out, struct message *msg);

/** machine_destroy() - free it; no thread may be inside. Pages still out are a vm_bug(). */
void machine_destroy(struct machine *machine);

/** machine_enter() - make the calling thread CPU 0 of @machine. No task may be running. */
void machine_enter(struct machine *machine);

/** machine_leave() - undo machine_enter(). */
void machine_leave(struct machine *machine);

/** engine_name() - "native" or "virtual". */
const char *engine_name(void);

/** machine_describe_host() - fill @desc from hwloc: this system's CPUs, cores, nodes. */
int machine_describe_host(struct machine_desc *desc, struct message *msg);

/*
 * Slots: what floors above hang on a machine, so that calls without a context
 * argument find it. alloc keeps one cache a slot.
 */
enum { MACHINE_SLOTS = 32 };
void machine_set_slot(unsigned slot, void *value);
/* void *machine_slot(unsigned slot);                         (inline) */

/** machine_desc() - description of the current machine; constant. */
const struct machine_desc *machine_desc(void);

/* ---- CPUs ---------------------------------------------------------------- */

/*
 * unsigned this_cpu(void);            index of the running CPU, 0..nr_cpus()-1  (inline)
 * unsigned nr_cpus(void);             CPUs that have per-CPU data: the workers
 * unsigned nr_nodes(void);            memory nodes
 * unsigned cpu_to_node(unsigned cpu);
 * unsigned numa_node_id(void);        node of the running CPU                  (inline)
 *
 * typedef u32 percpu_t: offset of a per-CPU object in each CPU's area of the arena.
 */
typedef u32 percpu_t;

unsigned nr_cpus(void);
unsigned nr_nodes(void);
unsigned cpu_to_node(unsigned cpu);

/** percpu_alloc() - @size zeroed bytes on every CPU, @align a power of two. Boot only. */
percpu_t percpu_alloc(size_t size, size_t align);

/** percpu_free() - give them back (same @size). Boot only. */
void percpu_free(percpu_t offset, size_t size);

/* void *this_cpu_ptr(percpu_t);       on the running CPU                        (inline) */
/** per_cpu_ptr() - on any CPU: inspection, flushing while that CPU is stopped. */
void *per_cpu_ptr(percpu_t offset, unsigned cpu);

/*
 * void preempt_disable(void); void preempt_enable(void);                        (inline)
 * void local_irq_save(irqflags_t flags); void local_irq_restore(irqflags_t);    (macro, inline)
 * Natively nothing; virtually ticks, softirqs and migration are held back.
 */
typedef unsigned long irqflags_t;

/* ---- Locks --------------------------------------------------------------- */

/*
 * struct spinlock: 8 bytes. Which class it is was given once, at init.
 * void spin_lock_init(struct spinlock *, enum lock_class);
 * void spin_lock(struct spinlock *);  void spin_unlock(struct spinlock *);
 * bool spin_trylock(struct spinlock *);
 * spin_lock_irqsave(lock, flags);  spin_unlock_irqrestore(lock, flags);
 * bool spin_trylock_irqsave(lock, flags);
 * bool spin_is_locked(struct spinlock *);
 * A lock that RCU callbacks take must use the irqsave forms everywhere: a
 * callback may arrive at any access of a CPU whose interrupts are on.
 *
 * struct local_trylock: one byte, CPU-private.
 * bool local_trylock(struct local_trylock *); void local_unlock(struct local_trylock *);
 * Fails only where the caller interrupted a holder on the same CPU. Never an
 * atomic.
 *
 * struct rw_semaphore: Linux's rwsem: optimistic spinning, writer stealing,
 * hand-off after a wait.
 * void init_rwsem(struct rw_semaphore *, enum lock_class);
 * void down_read(), up_read(), down_write(), up_write(), downgrade_write();
 * bool down_read_trylock(), down_write_trylock();   each of (struct rw_semaphore *)
 * bool rwsem_is_write_locked(const struct rw_semaphore *), rwsem_is_locked(...);
 *
 * struct vma_lock: per-VMA lock, a reference count and the write sequence.
 * void vma_lock_init(struct vma_lock *);
 * bool vma_lock_read_trylock(struct vma_lock *, u32 mm_seq);   false: write-locked in mm_seq,
 *	or since; mm_seq was read by smp_load_acquire()
 * void vma_lock_read_unlock(struct vma_lock *);
 * void vma_lock_init_detached(), vma_lock_attach(), vma_lock_detach(), bool
 *	vma_lock_is_detached(): a detached VMA is in no tree and refuses readers; detach
 *	waits for those inside. The state outlives the VMA in memory that stays typed.
 * void vma_lock_write(struct vma_lock *, u32 mm_seq);   waits for readers; mmap_lock held for
 *	writing; released for all VMAs at once when the mm bumps its sequence
 *
 * bool cas16(void *p, u64 old0, u64 old1, u64 new0, u64 new1);
 *	16-byte compare-and-swap of a 16-byte aligned pair, full barrier (lock prefix)
 * bool this_cpu_cas16(...same...);   against this CPU only: no lock prefix
 */

/* ---- RCU ----------------------------------------------------------------- */

struct rcu_head {
	struct rcu_head *next;
	void (*func)(struct rcu_head *head);
};

/*
 * void rcu_read_lock(void); void rcu_read_unlock(void);                         (inline)
 * Readers must not block. Natively qsbr: op_end() is the quiescent state.
 */

/**
 * call_rcu() - run func(@head) after a grace period, on the CPU that queued it,
 * at an op_end() or barrier, throttled. @head lies inside the object freed.
 * Context: any; may be called from a callback.
 */
void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head));

/** synchronize_rcu() - wait for a grace period. Context: sleeps, no lock held. */
void synchronize_rcu(void);

/**
 * rcu_barrier() - wait until every callback queued before the call has run.
 * Context: boot CPU while no task runs (then all CPUs' callbacks are run here), or
 * a task (then only its own CPU's are waited for, see docs/adr).
 */
void rcu_barrier(void);

/** rcu_pending() - callbacks queued and not yet invoked, all CPUs. */
u64 rcu_pending(void);

/* ---- Time, operations, counters ------------------------------------------- */

/** now_ns() - the clock of the running CPU, nanoseconds. */
u64 now_ns(void);

/*
 * void cpu_work(u32 ns);   declared cost of work that is not executed          (inline)
 * void count_event(enum vm_event, u64 n);                                       (inline)
 * void stat_add(unsigned cache_index, enum slab_stat, u64 n);   own CPU's       (inline)
 * void op_begin(void);
 * void op_end(u64 operations);   end of an operation that counts so many: quiescent state,
 *	softirq point. The only place where callbacks run natively.
 * bool task_stopping(void);      true once the run's window is over            (inline)
 */

enum { MACHINE_MAX_CACHES = 48 };

/** event_total() - sum over CPUs; racy while tasks run. */
u64 event_total(enum vm_event event);

/** stat_total() - sum over CPUs of one cache's counter; racy while tasks run. */
u64 stat_total(unsigned cache_index, enum slab_stat stat);

/* ---- Tasks --------------------------------------------------------------- */

struct run_sample {
	u64 clock_ns;	/* since the gate opened */
	u64 operations; /* of all tasks, since the gate opened */
	u64 rss_bytes;	/* of the host process; 0 virtually */
};

struct task_run {
	unsigned nr_tasks;
	int (*prepare)(unsigned task, void *arg); /* on its CPU, before the gate; 0 or -errno */
	void (*loop)(unsigned task, void *arg);	  /* calls op_end(); returns when task_stopping() */
	void (*finish)(unsigned task, void *arg); /* on the task's CPU, after the loop */
	void *arg;

	u64 warmup_ns;
	u64 window_ns; /* measured time after the warm-up */
	/*
	 * A task; 0: no limit. With a limit there is no warm-up: the window starts at the
	 * gate. Whichever of window_ns (0: no limit) and count ends first.
	 */
	u64 max_operations;
	const volatile int *interrupt; /* non-zero: stop now, no valid result; may be NULL */
	void (*progress)(void *arg, double done); /* 0..1, may be NULL */
	void *progress_arg;

	/* results */
	u64 measured_ns;	  /* length of the window */
	u64 *operations;	  /* [nr_tasks], in the window; caller's array */
	u64 events[NR_EVENTS];	  /* in the window, all CPUs */
	struct run_sample *samples; /* malloc'ed, about one a second of window; caller frees */
	unsigned nr_samples;
	bool interrupted;
	bool oversubscribed; /* more tasks than CPUs the placement could use */
	double gp_thread_share; /* CPU share of the native grace-period thread; 0 virtually */
};

/**
 * machine_run() - run @run->nr_tasks tasks, one a worker, from a common start.
 * Called without machine_enter(). Tasks are prepared first, then pass one gate
 * together; the window starts after the warm-up.
 * Return: 0; a task's prepare() error; -EINVAL/-EAGAIN with a message.
 */
int machine_run(struct machine *machine, struct task_run *run, struct message *msg);

/* ---- Memory -------------------------------------------------------------- */

/*
 * struct page: 64 bytes, one cache line, in the arena's own array. Its first 8
 * bytes (flags, owner's) and all others belong to the page's owner while
 * allocated, except in tail pages of an order > 0 block, whose second word is
 * head|1. alloc overlays struct slab on it.
 */
struct page {
	u64 word[8];
};

struct object_field {
	const char *name;
	u32 offset;
	u32 size;
};

/* What lies in a page or a cache: name, size and fields, for attribution. Static const data. */
struct object_type {
	const char *name;
	u32 size;
	u32 nr_fields;
	const struct object_field *fields;
};

/* A field of @owner for its table. */
#define OBJECT_FIELD(owner, field)                                                                 \
	{                                                                                          \
		#field, offsetof(struct owner, field), sizeof(((struct owner *)0)->field)          \
	}

/* The type of struct @owner from its table of fields. */
#define OBJECT_TYPE(owner, table)                                                                  \
	{                                                                                          \
		#owner, sizeof(struct owner), ARRAY_SIZE(table), table                             \
	}

/**
 * page_alloc() - 2^@order contiguous pages of @node, naturally aligned, not zeroed.
 * Falls back to other nodes. @owner: what will lie in them.
 * Return: descriptor of the first page (zeroed, tails' word[1] set), NULL when the arena is full.
 */
struct page *page_alloc(unsigned node, unsigned order, const struct object_type *owner);

/** page_free() - give back a block of the same @order. */
void page_free(struct page *page, unsigned order);

/*
 * void *page_address(const struct page *);                                      (inline)
 * struct page *virt_to_page(const void *);       exact page                     (inline)
 * struct page *virt_to_head_page(const void *);  head of its block              (inline)
 * bool in_arena(const void *);   an address of any allocatable page             (inline)
 */

/** page_to_node() - memory node of a page, from its address. */
unsigned page_to_node(const struct page *page);

/** page_is_allocated() - inspection only. */
bool page_is_allocated(const struct page *page);

/** page_owner() - what page_alloc() was told lies in the block @page heads. */
const struct object_type *page_owner(const struct page *page);

/** page_visit() - call @visit for the head of every allocated block; no task runs. */
void page_visit(void (*visit)(void *arg, struct page *page, unsigned order), void *arg);

/** pages_in_use() - allocated pages, all nodes. */
u64 pages_in_use(void);

/*
 * Bulk memory inside the arena: charged by the virtual engine line by line.
 * void mem_zero(void *p, size_t n); void mem_copy(void *to, const void *from, size_t n);
 * void mem_move(void *to, const void *from, size_t n);                           (inline)
 */

/*
 * void engine_exempt(const void *start, size_t size);   constants of a floor above that lie
 * in host memory (struct kmem_cache, page state): accesses are free and no strays. Natively
 * nothing.                                                                         (inline)
 */

/** engine_charges() - charged accesses of the running CPU so far; 0 natively. For tests. */
u64 engine_charges(void);

/**
 * engine_watch_strays() - start or stop counting, from zero, the calling thread's
 * accesses to host heap memory that nothing declared exempt. For tests.
 */
void engine_watch_strays(bool on);

/** engine_strays() - accesses counted so; always 0 natively. */
u64 engine_strays(void);

#ifdef VMASIM_VIRTUAL
#include "engine/virtual/inline.h"
#else
#include "engine/native/inline.h"
#endif

#endif
