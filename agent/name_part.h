/* SPDX-License-Identifier: MIT */
/*
 * A piece of a name: bytes inside somebody else's text, not terminated, any value allowed. Shared
 * by the files that read names of units and cgroups. No piece reaches outside of the one it is of.
 */
#ifndef FGRECLAIM_NAME_PART_H
#define FGRECLAIM_NAME_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct name_part {
	const char *p; /* never NULL */
	size_t len;
};

#define NAME_PART_NONE ((struct name_part){"", 0})

static inline struct name_part name_part_of(const char *p, size_t len)
{
	/* No arithmetic on a null pointer. */
	return len == 0 ? NAME_PART_NONE : (struct name_part){p, len};
}

static inline struct name_part name_part_text(const char *s)
{
	return (struct name_part){s, strlen(s)};
}

static inline bool name_part_equals(struct name_part part, const char *s)
{
	return part.len == strlen(s) && memcmp(part.p, s, part.len) == 0;
}

/* The first n bytes go off. */
static inline struct name_part name_part_skip(struct name_part part, size_t n)
{
	return (struct name_part){part.p + n, part.len - n};
}

static inline bool name_part_take_head(struct name_part *part, const char *head)
{
	size_t len = strlen(head);

	if (part->len < len || memcmp(part->p, head, len) != 0)
		return false;
	*part = name_part_skip(*part, len);
	return true;
}

static inline bool name_part_take_tail(struct name_part *part, const char *tail)
{
	size_t len = strlen(tail);

	if (part->len < len || memcmp(part->p + part->len - len, tail, len) != 0)
		return false;
	part->len -= len;
	return true;
}

/* What is before the first c, which goes off too: *part is then what is behind it. With no c that
 * is all, and nothing is left. */
static inline struct name_part name_part_take_until(struct name_part *part, char c)
{
	const char *found = memchr(part->p, c, part->len);
	size_t len = found ? (size_t)(found - part->p) : part->len;
	struct name_part before = {part->p, len};

	*part = name_part_skip(*part, found ? len + 1 : len);
	return before;
}

static inline struct name_part name_part_trim(struct name_part part, char c)
{
	while (part.len > 0 && part.p[0] == c)
		part = name_part_skip(part, 1);
	while (part.len > 0 && part.p[part.len - 1] == c)
		part.len--;
	return part;
}

/* The next name of a path, slashes skipped; false at its end. */
static inline bool name_part_next(struct name_part *path, struct name_part *ret)
{
	while (path->len > 0 && path->p[0] == '/')
		*path = name_part_skip(*path, 1);
	if (path->len == 0)
		return false;
	*ret = name_part_take_until(path, '/');
	return true;
}

#endif
