/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CHECK(cond) states what must hold; it is on in every build. A failed check
 * is a bug of this program, never a bad input, and does not return. One
 * condition per line, no side effects.
 *
 * The handler is the only service the core asks of whoever links it: the
 * command prints and aborts, a test may jump out.
 */
#ifndef RUNQLAB_BASE_CHECK_H
#define RUNQLAB_BASE_CHECK_H

__attribute__((noreturn, cold)) void check_failed(const char *file, int line, const char *cond);

#define CHECK(cond)                                                                                \
	do {                                                                                       \
		if (__builtin_expect(!(cond), 0))                                                  \
			check_failed(__FILE__, __LINE__, #cond);                                   \
	} while (0)

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* Bring the line of the cache at P; P may point to nothing. */
#define prefetch(p) __builtin_prefetch(p)
#define ALWAYS_INLINE inline __attribute__((always_inline))
/* What is seldom called by a busy function, which then need not save registers for it. */
#define SELDOM __attribute__((noinline))

#endif
