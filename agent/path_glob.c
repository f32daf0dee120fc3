/* SPDX-License-Identifier: MIT */
/*
 * Globs over cgroup paths: iterative, with at most two points to come back to.
 *
 * fnmatch(3) is not used: its "*" either stops at "/" or does not, for the whole pattern, it takes
 * a backslash as an escape, and it depends on the locale.
 *
 * Only the last "*" and the last "**" are worth coming back to. A star that lies further left could
 * only hand over a later place in the path, and whatever fits from there also fits from the earlier
 * place, since the star on the right takes what lies between: a "**" anything, and a "*" what is in
 * the same name, while the "/" itself pins down where each name begins. tests/unit/test-path-glob.c
 * compares that with the plain recursive definition.
 */
#include "path_glob.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Above all of Unicode: bytes that are no UTF-8 become characters of their own. */
#define STRAY_BYTE 0x110000U

/* Where to go on when the characters after a star do not fit. */
struct retry {
	const char *pattern; /* right after the star; NULL: there is no such star */
	const char *path;    /* first character that the star has not taken yet */
};

/* The character at s, which is not at its end; returns its length in bytes. */
static size_t character(const char *s, uint32_t *ret)
{
	unsigned char lead = (unsigned char)s[0];
	size_t len = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;
	uint32_t c = len == 1 ? lead : lead & (0x7fU >> len);

	for (size_t i = 1; i < len; i++) {
		unsigned char next = (unsigned char)s[i];

		if ((next & 0xc0) != 0x80) {
			len = 1;
			break;
		}
		c = c << 6 | (next & 0x3fU);
	}
	*ret = len == 1 && lead >= 0x80 ? STRAY_BYTE + lead : c;
	return len;
}

/* p stands behind the "["; returns what follows the "]", or NULL when this is no set. */
static const char *set_fits(const char *p, uint32_t c, bool *ret)
{
	bool negated = *p == '!' || *p == '^';
	bool fits = false;

	if (negated)
		p++;
	do {
		uint32_t low, high;

		if (!*p || *p == '/')
			return NULL;
		p += character(p, &low);
		high = low;
		if (p[0] == '-' && p[1] && p[1] != ']' && p[1] != '/')
			p += 1 + character(p + 1, &high);
		if (high < low)
			return NULL;
		if (low <= c && c <= high)
			fits = true;
	} while (*p != ']');
	*ret = fits != negated && c != '/';
	return p + 1;
}

/* Compares one character and moves both on if it fits. *pattern is at no star. */
static bool step(const char **pattern, const char **path)
{
	const char *after = NULL;
	uint32_t wanted, c;
	bool fits;
	size_t len;

	if (!**pattern || !**path)
		return false;
	len = character(*path, &c);
	if (**pattern == '?') {
		fits = c != '/';
		after = *pattern + 1;
	} else if (**pattern == '[') {
		after = set_fits(*pattern + 1, c, &fits);
	}
	if (!after) {
		after = *pattern + character(*pattern, &wanted);
		fits = c == wanted;
	}
	if (!fits)
		return false;
	*pattern = after;
	*path += len;
	return true;
}

/* Lets the star take one character more. */
static bool extend(struct retry *retry, bool across, const char **pattern, const char **path)
{
	uint32_t c;

	if (!retry->pattern || !*retry->path || (!across && *retry->path == '/'))
		return false;
	retry->path += character(retry->path, &c);
	*pattern = retry->pattern;
	*path = retry->path;
	return true;
}

bool path_glob_match(const char *pattern, const char *path)
{
	struct retry within = {NULL, NULL};
	struct retry across = {NULL, NULL};

	while (*pattern || *path) {
		if (*pattern == '*') {
			bool twin = pattern[1] == '*';

			pattern += strspn(pattern, "*");
			within = (struct retry){twin ? NULL : pattern, path};
			if (twin)
				across = (struct retry){pattern, path};
			continue;
		}
		if (step(&pattern, &path) || extend(&within, false, &pattern, &path))
			continue;
		if (!extend(&across, true, &pattern, &path))
			return false;
	}
	return true;
}

/* What may be wrong with any glob. */
static const char *check_sets(const char *pattern)
{
	bool fits;

	for (const char *p = pattern; *p;) {
		p = *p == '[' ? set_fits(p + 1, 0, &fits) : p + 1;
		if (!p)
			return "a set [...] is not closed or has a backward range; \"[[]\" is a "
			       "\"[\"";
	}
	return NULL;
}

const char *path_glob_check(const char *pattern)
{
	size_t len = strlen(pattern);

	if (pattern[0] != '/')
		return "a cgroup path starts with \"/\"";
	if (len > 1 && pattern[len - 1] == '/')
		return "a cgroup path never ends in \"/\"; \"/**\" is what lies below it";
	if (strstr(pattern, "//"))
		return "a cgroup path never contains \"//\"";
	return check_sets(pattern);
}

const char *path_glob_check_name(const char *pattern)
{
	if (!*pattern)
		return "there is no name";
	if (strchr(pattern, '/'))
		return "a name never contains \"/\"";
	return check_sets(pattern);
}
