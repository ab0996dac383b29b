/* SPDX-License-Identifier: MIT */
/*
 * test_locks.c - what locks promise one thread; many threads are stress_engine's.
 */
#include "engine_fixture.h"

Test(spinlock, is_taken_once)
{
	struct spinlock lock;
	irqflags_t flags;

	cr_assert_eq(sizeof(lock), 8);
	spin_lock_init(&lock, LOCK_BARN);
	cr_assert_not(spin_is_locked(&lock));
	spin_lock(&lock);
	cr_assert(spin_is_locked(&lock));
	cr_assert_not(spin_trylock(&lock));
	spin_unlock(&lock);
	cr_assert(spin_trylock_irqsave(&lock, flags));
	cr_assert_not(spin_trylock(&lock));
	spin_unlock_irqrestore(&lock, flags);
	spin_lock_irqsave(&lock, flags);
	cr_assert(spin_is_locked(&lock));
	spin_unlock_irqrestore(&lock, flags);
	cr_assert_eq(lock.class, LOCK_BARN);
}

Test(local_trylock, fails_inside_a_holder)
{
	struct local_trylock lock = {0};

	cr_assert(local_trylock(&lock));
	cr_assert_not(local_trylock(&lock));
	local_unlock(&lock);
	cr_assert(local_trylock(&lock));
	local_unlock(&lock);
}

Test(rwsem, readers_share_and_writers_do_not)
{
	struct rw_semaphore sem;

	init_rwsem(&sem, LOCK_MMAP_LOCK);
	down_read(&sem);
	cr_assert(down_read_trylock(&sem));
	cr_assert_not(down_write_trylock(&sem));
	cr_assert(rwsem_is_locked(&sem));
	cr_assert_not(rwsem_is_write_locked(&sem));
	up_read(&sem);
	cr_assert_not(down_write_trylock(&sem));
	up_read(&sem);
	cr_assert_not(rwsem_is_locked(&sem));
	down_write(&sem);
	cr_assert(rwsem_is_write_locked(&sem));
	cr_assert_not(down_read_trylock(&sem));
	cr_assert_not(down_write_trylock(&sem));
	up_write(&sem);
	cr_assert_not(rwsem_is_locked(&sem));
}

Test(rwsem, a_downgraded_writer_is_a_reader)
{
	struct rw_semaphore sem;

	init_rwsem(&sem, LOCK_MMAP_LOCK);
	down_write(&sem);
	downgrade_write(&sem);
	cr_assert(rwsem_is_locked(&sem));
	cr_assert_not(rwsem_is_write_locked(&sem));
	cr_assert(down_read_trylock(&sem));
	cr_assert_not(down_write_trylock(&sem));
	up_read(&sem);
	up_read(&sem);
	cr_assert(down_write_trylock(&sem));
	up_write(&sem);
}

Test(vma_lock, is_write_locked_until_the_mm_moves_on)
{
	struct vma_lock lock;

	vma_lock_init(&lock);
	cr_assert(vma_lock_read_trylock(&lock, 1));
	cr_assert(vma_lock_read_trylock(&lock, 1), "readers share");
	vma_lock_read_unlock(&lock);
	vma_lock_read_unlock(&lock);
	vma_lock_write(&lock, 1);
	vma_lock_write(&lock, 1);
	cr_assert_not(vma_lock_read_trylock(&lock, 1));
	cr_assert(vma_lock_read_trylock(&lock, 2), "the sequence releases all VMAs at once");
	vma_lock_read_unlock(&lock);
	vma_lock_write(&lock, 2);
	cr_assert_not(vma_lock_read_trylock(&lock, 2));
	cr_assert_not(vma_lock_read_trylock(&lock, 1), "a reader whose sequence is old");
	cr_assert(vma_lock_read_trylock(&lock, 3));
	vma_lock_read_unlock(&lock);
}

struct pair {
	u64 word[2];
} __attribute__((aligned(16)));

typedef bool cas_fn(void *p, u64 old0, u64 old1, u64 new0, u64 new1);

static void check_cas(cas_fn *cas)
{
	struct pair pair = {{1, 2}};
	static const u64 wrong[][2] = {{1, 3}, {0, 2}, {2, 1}, {1ull << 63 | 1, 2}, {1, ~2ull}};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		cr_assert_not(cas(&pair, wrong[i][0], wrong[i][1], 8, 9));
		cr_assert_eq(pair.word[0], 1);
		cr_assert_eq(pair.word[1], 2);
	}
	cr_assert(cas(&pair, 1, 2, 1ull << 63, ~0ull));
	cr_assert_eq(pair.word[0], 1ull << 63);
	cr_assert_eq(pair.word[1], ~0ull);
	cr_assert_not(cas(&pair, 1, 2, 3, 4));
}

Test(cas16, swaps_only_when_both_halves_match)
{
	check_cas(cas16);
	check_cas(this_cpu_cas16);
}

Test(bulk, zero_copy_and_move_do_what_they_say)
{
	char a[64], b[64];

	for (unsigned i = 0; i < 64; i++)
		a[i] = (char)i;
	mem_copy(b, a, 64);
	cr_assert_eq(memcmp(a, b, 64), 0);
	mem_move(a + 1, a, 63);
	cr_assert_eq(a[63], 62);
	cr_assert_eq(a[1], 0);
	mem_zero(b + 1, 62);
	cr_assert_eq(b[0], 0);
	cr_assert_eq(b[62], 0);
	cr_assert_eq(b[63], 63);
}
