/* SPDX-License-Identifier: MIT */
/*
 * The table of all keys: where each belongs, and how its value is read and written.
 */
#ifndef FGRECLAIM_CONFIG_KEYS_H
#define FGRECLAIM_CONFIG_KEYS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum config_section {
	SECTION_NONE, /* before the first [Section] */
	SECTION_AGENT,
	SECTION_SWAP,
	SECTION_METRICS,
	SECTION_CLASS,
	_CONFIG_SECTION_MAX,
};

struct config_key {
	enum config_section section;
	const char *name;
	const char *form; /* what a value has to be; NULL: a key that later versions will know */
	/* Both are NULL for Match= and Hours=, lists, which config.c keeps itself. parse returns 0, -EINVAL
	 * or -ERANGE and touches the field on success only. */
	int (*parse)(const struct config_key *key, const char *value, void *field);
	void (*print)(const void *field, FILE *f);
	size_t offset; /* of the field, in struct config or, in [Class], in struct class_params */
	uint64_t lowest;
	uint64_t highest;
};

/* "Agent"; "Class NAME" for a class. */
const char *config_section_to_string(enum config_section section);

/* NULL: there is no such key in this section. */
const struct config_key *config_key_find(enum config_section section, const char *name);

/* The key that was probably meant: the same one of another section, or else one of this section
 * that is written nearly so. NULL: no idea. */
const struct config_key *config_key_guess(enum config_section section, const char *name);

/* Writes the keys of a section but for Match=, each on its line; base: see offset. */
void config_keys_print(enum config_section section, const void *base, FILE *f);

#endif
