/* SPDX-License-Identifier: MIT */
#include "edit_distance.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static size_t smallest(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

size_t edit_distance(const char *a, const char *b)
{
	size_t row[EDIT_DISTANCE_MAX + 1];
	size_t n = strlen(b);

	if (n > EDIT_DISTANCE_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			bool differ = tolower((unsigned char)a[i]) != tolower((unsigned char)b[j]);
			size_t above = row[j + 1];

			row[j + 1] = smallest(above + 1, row[j] + 1, diagonal + differ);
			diagonal = above;
		}
	}
	return row[n];
}
