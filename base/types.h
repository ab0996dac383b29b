/* SPDX-License-Identifier: MIT */
/*
 * types.h - short integer names and the small arithmetic every floor uses.
 */
#ifndef VMASIM_BASE_TYPES_H
#define VMASIM_BASE_TYPES_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define PAGE_SHIFT 12
#define PAGE_SIZE  4096ul
#define PAGE_MASK  (~(PAGE_SIZE - 1))
#define CACHE_LINE 64

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define noinline		__attribute__((__noinline__))
#define always_inline	inline __attribute__((always_inline))
#define __cold			__attribute__((__cold__, __noinline__))
#define printf_like(f, a) __attribute__((format(printf, f, a)))

#define ARRAY_SIZE(a)	   (sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define ALIGN(x, a)	   (((x) + ((a) - 1)) & ~((__typeof__(x))(a) - 1))
#define ALIGN_DOWN(x, a)   ((x) & ~((__typeof__(x))(a) - 1))
#define IS_ALIGNED(x, a)   (((x) & ((__typeof__(x))(a) - 1)) == 0)
#define PAGE_ALIGN(x)	   ALIGN((unsigned long)(x), PAGE_SIZE)

#define min(a, b)                                                                                  \
	({                                                                                         \
		__typeof__(a) min_a = (a);                                                         \
		__typeof__(b) min_b = (b);                                                         \
		min_a < min_b ? min_a : min_b;                                                     \
	})
#define max(a, b)                                                                                  \
	({                                                                                         \
		__typeof__(a) max_a = (a);                                                         \
		__typeof__(b) max_b = (b);                                                         \
		max_a > max_b ? max_a : max_b;                                                     \
	})

#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))

/** fls() - position of the highest set bit, counting from 1; 0 for 0. */
static inline unsigned fls(unsigned long x)
{
	return x ? 64u - (unsigned)__builtin_clzl(x) : 0;
}

/** ilog2() - floor of the binary logarithm; @x must not be 0. */
static inline unsigned ilog2(unsigned long x)
{
	return 63u - (unsigned)__builtin_clzl(x);
}

#endif
