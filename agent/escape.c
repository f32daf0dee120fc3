/* SPDX-License-Identifier: MIT */
/*
 * Any bytes to valid UTF-8. What counts as valid: RFC 3629, so no overlong forms, no surrogates,
 * nothing above U+10FFFF. Control characters: C0, DEL, and C1, which terminals obey in UTF-8 too.
 */
#include "escape.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A byte becomes four at most. */
#define GROWTH 4

/* Length of the character at p, 0: not UTF-8. */
static size_t take_character(const unsigned char *p, size_t left, uint32_t *ret)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t c = p[0];
	size_t len = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;

	if (len == 0 || len > left)
		return 0;
	if (len > 1)
		c &= 0x7fu >> len;
	for (size_t i = 1; i < len; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret = c;
	return len;
}

static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f);
}

char *escape_text(const char *bytes, size_t len, bool controls)
{
	const unsigned char *from = (const unsigned char *)bytes, *end = from + len;
	char *text = malloc(GROWTH * len + 1), *to = text;

	if (!text)
		return NULL;
	while (from < end) {
		uint32_t c = 0;
		size_t n = take_character(from, (size_t)(end - from), &c);

		if (n > 0 && c != 0 && !(controls && is_control(c))) {
			memcpy(to, from, n);
			to += n;
			from += n;
			continue;
		}
		for (const unsigned char *stop = from + (n ? n : 1); from < stop; from++)
			to += sprintf(to, "\\x%02x", *from);
	}
	*to = '\0';
	return text;
}
