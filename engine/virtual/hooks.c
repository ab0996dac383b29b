/* SPDX-License-Identifier: MIT */
/*
 * hooks.c - the compiler's side of lines.c: the names that -fsanitize=thread calls.
 *
 * gcc 12 and clang 14 emit these; which forms exist was read off their output.
 */
#include "engine/virtual/charge.h"

/* With any sanitizer on, gcc takes these names for its own, of slightly other types. */
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"

void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_vptr_read(void **p);
void __tsan_vptr_update(void **p, void *value);
void __tsan_read_range(void *p, unsigned long size);
void __tsan_write_range(void *p, unsigned long size);
void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
	(void)caller;
}

void __tsan_func_exit(void)
{
}

void __tsan_vptr_read(void **p)
{
	charge(p, sizeof(*p));
}

void __tsan_vptr_update(void **p, void *value)
{
	(void)value;
	charge(p, sizeof(*p));
}

void __tsan_read_range(void *p, unsigned long size)
{
	charge(p, size);
}

void __tsan_write_range(void *p, unsigned long size)
{
	charge(p, size);
}

void __tsan_atomic_thread_fence(int order)
{
	(void)order;
}

void __tsan_atomic_signal_fence(int order)
{
	(void)order;
}

#define HOOK(name, size)                                                                           \
	void __tsan_##name(void *p);                                                               \
	void __tsan_##name(void *p)                                                                \
	{                                                                                          \
		charge(p, size);                                                                   \
	}

#define HOOKS(size)                                                                                \
	HOOK(read##size, size)                                                                     \
	HOOK(write##size, size)                                                                    \
	HOOK(unaligned_read##size, size)                                                           \
	HOOK(unaligned_write##size, size)                                                          \
	HOOK(volatile_read##size, size)                                                            \
	HOOK(volatile_write##size, size)                                                           \
	HOOK(unaligned_volatile_read##size, size)                                                  \
	HOOK(unaligned_volatile_write##size, size)                                                 \
	HOOK(read_write##size, size)                                                               \
	HOOK(unaligned_read_write##size, size)

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

#define FETCH_OP(bits, type, name, expression)                                                     \
	type __tsan_atomic##bits##_fetch_##name(volatile type *p, type value, int order);          \
	type __tsan_atomic##bits##_fetch_##name(volatile type *p, type value, int order)           \
	{                                                                                          \
		type old;                                                                          \
                                                                                                   \
		(void)order;                                                                       \
		charge((const void *)p, sizeof(type));                                             \
		old = *p;                                                                          \
		*p = (type)(expression);                                                           \
		return old;                                                                        \
	}

#define COMPARE_OP(bits, type, name)                                                               \
	int __tsan_atomic##bits##_compare_exchange_##name(volatile type *p, type *expected,        \
							  type desired, int order, int failure);   \
	int __tsan_atomic##bits##_compare_exchange_##name(volatile type *p, type *expected,        \
							  type desired, int order, int failure)    \
	{                                                                                          \
		type old;                                                                          \
                                                                                                   \
		(void)order;                                                                       \
		(void)failure;                                                                     \
		charge((const void *)p, sizeof(type));                                             \
		old = *p;                                                                          \
		if (old != *expected) {                                                            \
			*expected = old;                                                           \
			return 0;                                                                  \
		}                                                                                  \
		*p = desired;                                                                      \
		return 1;                                                                          \
	}

#define ATOMICS(bits, type)                                                                        \
	type __tsan_atomic##bits##_load(const volatile type *p, int order);                        \
	type __tsan_atomic##bits##_load(const volatile type *p, int order)                         \
	{                                                                                          \
		(void)order;                                                                       \
		charge((const void *)p, sizeof(type));                                             \
		return *p;                                                                         \
	}                                                                                          \
	void __tsan_atomic##bits##_store(volatile type *p, type value, int order);                 \
	void __tsan_atomic##bits##_store(volatile type *p, type value, int order)                  \
	{                                                                                          \
		(void)order;                                                                       \
		charge((const void *)p, sizeof(type));                                             \
		*p = value;                                                                        \
	}                                                                                          \
	type __tsan_atomic##bits##_exchange(volatile type *p, type value, int order);              \
	type __tsan_atomic##bits##_exchange(volatile type *p, type value, int order)               \
	{                                                                                          \
		type old;                                                                          \
                                                                                                   \
		(void)order;                                                                       \
		charge((const void *)p, sizeof(type));                                             \
		old = *p;                                                                          \
		*p = value;                                                                        \
		return old;                                                                        \
	}                                                                                          \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type expected,           \
							type desired, int order, int failure);     \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type expected,           \
							type desired, int order, int failure)      \
	{                                                                                          \
		type old;                                                                          \
                                                                                                   \
		(void)order;                                                                       \
		(void)failure;                                                                     \
		charge((const void *)p, sizeof(type));                                             \
		old = *p;                                                                          \
		if (old == expected)                                                               \
			*p = desired;                                                              \
		return old;                                                                        \
	}                                                                                          \
	COMPARE_OP(bits, type, strong)                                                             \
	COMPARE_OP(bits, type, weak)                                                               \
	FETCH_OP(bits, type, add, old + value)                                                     \
	FETCH_OP(bits, type, sub, old - value)                                                     \
	FETCH_OP(bits, type, and, old &value)                                                      \
	FETCH_OP(bits, type, or, old | value)                                                      \
	FETCH_OP(bits, type, xor, old ^ value)                                                     \
	FETCH_OP(bits, type, nand, ~(old & value))

ATOMICS(8, u8)
ATOMICS(16, u16)
ATOMICS(32, u32)
ATOMICS(64, u64)
__extension__ typedef unsigned __int128 u128;
ATOMICS(128, u128)
