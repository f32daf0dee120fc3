/* SPDX-License-Identifier: MIT */
/*
 * The few macros that the whole agent shares: cleanup attributes, ownership transfer, array size.
 * Cleanup runs in reverse order of declaration when a scope ends, so an early return never leaks.
 */
#ifndef FGRECLAIM_MACRO_H
#define FGRECLAIM_MACRO_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define _cleanup_(f)   __attribute__((cleanup(f)))
#define _printf_(a, b) __attribute__((format(printf, a, b)))
#define _unused_       __attribute__((unused))

/* Where each instruction counts. */
#define _always_inline_ inline __attribute__((always_inline))
#define _noinline_      __attribute__((noinline))

/* Defines static inline name_ptr(T *p), which calls func(*p) unless *p is NULL: for _cleanup_. */
#define DEFINE_CLEANUP(type, func)             \
	static inline void func##_ptr(type *p) \
	{                                      \
		if (*p)                        \
			func(*p);              \
	}

static inline void free_ptr(void *p)
{
	free(*(void **)p);
}

static inline void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

DEFINE_CLEANUP(FILE *, fclose)

#define _cleanup_free_  _cleanup_(free_ptr)
#define _cleanup_close_ _cleanup_(close_fd)
#define _cleanup_file_  _cleanup_(fclose_ptr)

/* Hands the pointer (or descriptor) over to the caller: the scope's cleanup then finds nothing. */
#define TAKE_PTR(p)                         \
	({                                  \
		__typeof__(p) _taken = (p); \
		(p) = NULL;                 \
		_taken;                     \
	})
#define TAKE_FD(fd)                \
	({                         \
		int _taken = (fd); \
		(fd) = -1;         \
		_taken;            \
	})

#endif
