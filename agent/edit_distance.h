/* SPDX-License-Identifier: MIT */
/*
 * How like two short words are: for a word that is not known, the one that was perhaps meant.
 */
#ifndef FGRECLAIM_EDIT_DISTANCE_H
#define FGRECLAIM_EDIT_DISTANCE_H

#include <stddef.h>

/* How many letters of a one has to add, drop or change to have b (Levenshtein); case does not matter.
 * SIZE_MAX if b is longer than EDIT_DISTANCE_MAX letters. */
size_t edit_distance(const char *a, const char *b);

#define EDIT_DISTANCE_MAX 32

#endif
