/* SPDX-License-Identifier: MIT */
/*
 * Arrays that grow, one way for all. Their owners keep a capacity, of several side by side if they
 * are of one length.
 */
#ifndef FGRECLAIM_ARRAY_H
#define FGRECLAIM_ARRAY_H

#include <errno.h>
#include <stdlib.h>

#define ARRAY_CAPACITY_START 64

/* The capacity for n elements: what there is, or twice that as often as it takes. */
static inline size_t array_capacity(size_t capacity, size_t n)
{
	if (capacity == 0)
		capacity = ARRAY_CAPACITY_START;
	while (capacity < n)
		capacity *= 2;
	return capacity;
}

/* Gives the array room for n elements. 0 or -ENOMEM, and then it is as it was. */
#define array_resize(array, n)                                                   \
	({                                                                       \
		typeof(array) _grown = reallocarray(array, n, sizeof(*(array))); \
		if (_grown)                                                      \
			(array) = _grown;                                        \
		_grown ? 0 : -ENOMEM;                                            \
	})

/* Room for n elements in an array with a capacity of its own. 0 or -ENOMEM. */
#define array_reserve(array, capacity, n)                                          \
	({                                                                         \
		size_t _wanted = array_capacity(capacity, n);                      \
		int _r = _wanted == (capacity) ? 0 : array_resize(array, _wanted); \
		if (_r == 0)                                                       \
			(capacity) = _wanted;                                      \
		_r;                                                                \
	})

#endif
