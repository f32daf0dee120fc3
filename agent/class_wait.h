/* SPDX-License-Identifier: MIT */
/*
 * Classes that wait: no cgroup belongs to them, because there is none of that name yet, because a
 * former class has taken all, or because the name is wrong. Nobody can tell which, so it is said.
 */
#ifndef FGRECLAIM_CLASS_WAIT_H
#define FGRECLAIM_CLASS_WAIT_H

#include "config.h"
#include "memcg.h"

#define CLASS_WAIT_TEXT_MAX 256

/* Bit I for the class of index I of the configuration that the memcgs were classified by. */
_Static_assert(CLASSES_MAX <= 64, "a bit for each class");
uint64_t class_wait_find(const struct config *config, struct memcg *const *memcgs, size_t n);

/* "class NAME: no cgroup belongs to it yet, see FILE:LINE"; cut off to fit. Returns buf. */
const char *class_wait_explain(const struct config *config, size_t class_index, char *buf,
			       size_t size);

#endif
