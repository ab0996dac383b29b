/* SPDX-License-Identifier: MIT */
/*
 * test_lines.c - what the virtual engine charges, and what it doesn't.
 *
 * Tests are compiled without access hooks, so the hooks are called by hand, as
 * the compiler would.
 */
#include "virtual_fixture.h"

/* With any sanitizer on, gcc takes these names for its own, of slightly other types. */
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"

void __tsan_read4(void *p);
void __tsan_write8(void *p);
void __tsan_volatile_read8(void *p);
void __tsan_unaligned_write8(void *p);
void __tsan_read16(void *p);
void __tsan_read_range(void *p, unsigned long size);
u64 __tsan_atomic64_load(const volatile u64 *p, int order);
void __tsan_atomic64_store(volatile u64 *p, u64 value, int order);
u64 __tsan_atomic64_exchange(volatile u64 *p, u64 value, int order);
u64 __tsan_atomic64_fetch_add(volatile u64 *p, u64 value, int order);
u64 __tsan_atomic64_fetch_sub(volatile u64 *p, u64 value, int order);
u64 __tsan_atomic64_fetch_and(volatile u64 *p, u64 value, int order);
u64 __tsan_atomic64_fetch_or(volatile u64 *p, u64 value, int order);
u64 __tsan_atomic64_fetch_xor(volatile u64 *p, u64 value, int order);
u64 __tsan_atomic64_fetch_nand(volatile u64 *p, u64 value, int order);
int __tsan_atomic64_compare_exchange_strong(volatile u64 *p, u64 *expected, u64 desired, int order,
					    int failure);
int __tsan_atomic64_compare_exchange_weak(volatile u64 *p, u64 *expected, u64 desired, int order,
					  int failure);
u64 __tsan_atomic64_compare_exchange_val(volatile u64 *p, u64 expected, u64 desired, int order,
					 int failure);
u8 __tsan_atomic8_fetch_add(volatile u8 *p, u8 value, int order);

Test(lines, zeroing_a_node_charges_its_four_lines)
{
	struct machine *machine = enter_virtual(GP_NORMAL);
	char *page = some_page();
	u64 before = machine->cpus[0].clock_ps;

	memset(page, 0xff, 512);
	cr_assert_eq(CHARGES(mem_zero(page + 256, 256)), 4);
	cr_assert_eq(machine->cpus[0].clock_ps - before, 4 * ACCESS_PS);
	cr_assert_eq(page[255], (char)0xff);
	for (unsigned i = 256; i < 512; i++)
		cr_assert_eq(page[i], 0);
	drop_page(page);
	end_virtual(machine);
}

Test(lines, a_range_costs_each_line_it_touches)
{
	struct machine *machine = enter_virtual(GP_NORMAL);
	char *page = some_page();

	cr_assert_eq(CHARGES(__tsan_read4(page)), 1);
	cr_assert_eq(CHARGES(__tsan_write8(page + 56)), 1);
	cr_assert_eq(CHARGES(__tsan_volatile_read8(page)), 1);
	cr_assert_eq(CHARGES(__tsan_unaligned_write8(page + 60)), 2, "it crosses a line");
	cr_assert_eq(CHARGES(__tsan_read16(page + 48)), 1);
	cr_assert_eq(CHARGES(__tsan_read_range(page, 64)), 1);
	cr_assert_eq(CHARGES(__tsan_read_range(page + 63, 66)), 3);
	cr_assert_eq(CHARGES(__tsan_read_range(page + 8, 192)), 4);
	drop_page(page);
	end_virtual(machine);
}

Test(lines, bulk_copies_charge_both_sides)
{
	struct machine *machine = enter_virtual(GP_NORMAL);
	char *page = some_page();
	char host[256];

	for (unsigned i = 0; i < 256; i++)
		host[i] = (char)i;
	cr_assert_eq(CHARGES(mem_copy(page, host, 256)), 4, "host memory is free");
	cr_assert_eq(CHARGES(mem_copy(page + 1024, page, 256)), 8);
	cr_assert_eq(memcmp(page + 1024, host, 256), 0);
	cr_assert_eq(CHARGES(mem_move(page + 64, page, 128)), 4);
	cr_assert_eq(memcmp(page + 64, host, 128), 0);
	drop_page(page);
	end_virtual(machine);
}

Test(lines, pairs_are_charged_whether_they_swap_or_not)
{
	struct machine *machine = enter_virtual(GP_NORMAL);
	char *page = some_page();
	u64 *pair = (u64 *)page;
	bool swapped;

	pair[0] = 1;
	pair[1] = 2;
	cr_assert_eq(CHARGES(swapped = cas16(pair, 1, 3, 5, 6)), 1);
	cr_assert_not(swapped);
	cr_assert_eq(pair[0], 1);
	cr_assert_eq(CHARGES(swapped = cas16(pair, 1, 2, 5, 6)), 1);
	cr_assert(swapped);
	cr_assert(pair[0] == 5 && pair[1] == 6);
	cr_assert_eq(CHARGES(swapped = this_cpu_cas16(pair, 5, 6, 7, 8)), 1);
	cr_assert(swapped);
	cr_assert(pair[0] == 7 && pair[1] == 8);
	drop_page(page);
	end_virtual(machine);
}

Test(lines, atomic_hooks_charge_and_do_the_operation)
{
	struct machine *machine = enter_virtual(GP_NORMAL);
	char *page = some_page();
	u64 *p = (u64 *)page;
	u64 before = engine_charges();
	u64 expected = 1;
	u8 *byte = (u8 *)(page + 64);

	__tsan_atomic64_store(p, 12, 0);
	cr_assert_eq(__tsan_atomic64_load(p, 0), 12);
	cr_assert_eq(__tsan_atomic64_exchange(p, 10, 0), 12);
	cr_assert_eq(__tsan_atomic64_fetch_add(p, 5, 0), 10);
	cr_assert_eq(__tsan_atomic64_fetch_sub(p, 3, 0), 15);
	cr_assert_eq(__tsan_atomic64_fetch_and(p, 6, 0), 12);
	cr_assert_eq(__tsan_atomic64_fetch_or(p, 9, 0), 4);
	cr_assert_eq(__tsan_atomic64_fetch_xor(p, 1, 0), 13);
	cr_assert_eq(__tsan_atomic64_fetch_nand(p, 4, 0), 12);
	cr_assert_eq(*p, ~4ull);
	*p = 3;
	cr_assert_eq(__tsan_atomic64_compare_exchange_strong(p, &expected, 9, 0, 0), 0);
	cr_assert_eq(expected, 3);
	cr_assert_eq(__tsan_atomic64_compare_exchange_weak(p, &expected, 9, 0, 0), 1);
	cr_assert_eq(__tsan_atomic64_compare_exchange_val(p, 8, 1, 0, 0), 9);
	cr_assert_eq(__tsan_atomic64_compare_exchange_val(p, 9, 1, 0, 0), 9);
	cr_assert_eq(*p, 1);
	*byte = 255;
	cr_assert_eq(__tsan_atomic8_fetch_add(byte, 2, 0), 255);
	cr_assert_eq(*byte, 1, "of its own width");
	cr_assert_eq(engine_charges() - before, 14);
	drop_page(page);
	end_virtual(machine);
}

Test(lines, locks_charge_the_line_they_lie_in)
{
	struct machine *machine = enter_virtual(GP_NORMAL);
	char *page = some_page();
	struct spinlock *lock = (struct spinlock *)page;
	struct rw_semaphore *sem = (struct rw_semaphore *)(page + 64);
	struct local_trylock *flag = (struct local_trylock *)(page + 128);
	struct vma_lock *vma = (struct vma_lock *)(page + 192);
	bool ok;

	spin_lock_init(lock, LOCK_BARN);
	init_rwsem(sem, LOCK_MMAP_LOCK);
	vma_lock_init(vma);
	*flag = (struct local_trylock){0};
	cr_assert_eq(CHARGES(spin_lock(lock)), 1);
	cr_assert_eq(CHARGES(ok = spin_trylock(lock)), 1);
	cr_assert_not(ok);
	cr_assert_eq(CHARGES(spin_unlock(lock)), 1);
	cr_assert_eq(CHARGES(down_read(sem)), 1);
	cr_assert_eq(CHARGES(ok = down_write_trylock(sem)), 1);
	cr_assert_not(ok);
	cr_assert_eq(CHARGES(up_read(sem)), 1);
	cr_assert_eq(CHARGES((down_write(sem), downgrade_write(sem), up_read(sem))), 3);
	cr_assert_eq(CHARGES(ok = local_trylock(flag)), 1);
	cr_assert(ok);
	cr_assert_not(local_trylock(flag));
	local_unlock(flag);
	cr_assert_eq(CHARGES(vma_lock_write(vma, 1)), 1);
	cr_assert_not(vma_lock_read_trylock(vma, 1));
	cr_assert(vma_lock_read_trylock(vma, 2));
	vma_lock_read_unlock(vma);
	drop_page(page);
	end_virtual(machine);
}

Test(lines, engine_state_is_free_and_the_zone_lock_is_not)
{
	struct machine *machine = enter_virtual(GP_NORMAL);
	char *page;

	machine_set_slot(3, machine);
	cr_assert_eq(CHARGES({
		count_event(EVENT_FAULT, 1);
		stat_add(0, STAT_ALLOC_SLAB, 1);
		cr_assert_eq(machine_slot(3), machine);
		cr_assert_eq(this_cpu(), 0);
	}), 0);
	cr_assert_eq(event_total(EVENT_FAULT), 1);
	cr_assert_eq(stat_total(0, STAT_ALLOC_SLAB), 1);
	cr_assert_eq(CHARGES(page = some_page()), 3, "lock, descriptor, unlock");
	drop_page(page);
	end_virtual(machine);
}

Test(lines, strays_are_heap_accesses_that_nothing_exempts)
{
	struct machine *machine = enter_virtual(GP_NORMAL);
	static u64 constant;
	u64 on_stack = 0;
	u64 *heap = malloc(1024);
	char *page;

	engine_exempt(heap + 64, 64);
	__tsan_write8(heap);
	engine_watch_strays(true);
	page = some_page();
	__tsan_write8(page);
	__tsan_read4(&constant);
	__tsan_write8(&on_stack);
	__tsan_write8(heap + 64);
	__tsan_write8(heap + 71);
	drop_page(page);
	cr_assert_eq(engine_strays(), 0);
	__tsan_write8(heap);
	__tsan_write8(heap + 72);
	cr_assert_eq(engine_strays(), 2);
	engine_watch_strays(true);
	cr_assert_eq(engine_strays(), 0, "counted from zero");
	engine_watch_strays(false);
	__tsan_write8(heap);
	cr_assert_eq(engine_strays(), 0);
	free(heap);
	end_virtual(machine);
}
