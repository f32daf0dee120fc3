/* SPDX-License-Identifier: MIT */
/*
 * Fields of a struct that are told by name, on the bus and in JSON, from one table.
 */
#ifndef FGRECLAIM_FIELD_H
#define FGRECLAIM_FIELD_H

#include <stddef.h>

/* Types are D-Bus's: 's', a const char *, NULL for what is not there; 't', a uint64_t, SAMPLE_UNKNOWN
 * for what is not known. */
struct field {
	const char *key;
	char type;
	size_t offset;
};

#endif
