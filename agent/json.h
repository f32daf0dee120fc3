/* SPDX-License-Identifier: MIT */
/*
 * JSON, written as it is made: a whole of any size in the memory of one of its parts.
 *
 * Begin an object, put members, end it. key: for a member of an object; NULL: for an element of an
 * array, and for the whole. An error sticks and makes the rest do nothing; json_writer_finish()
 * tells it. Errors of the file are left in the file, see ferror(3).
 */
#ifndef FGRECLAIM_JSON_H
#define FGRECLAIM_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_writer;

/* file must stay. Errors: -ENOMEM. */
int json_writer_new(FILE *file, struct json_writer **ret);

/* Frees; what was not ended is not written. NULL is allowed; returns NULL. */
struct json_writer *json_writer_free(struct json_writer *writer);

/* Ends the line. 0, -ENOMEM, or -EINVAL: something is still open, or nested too deep. */
int json_writer_finish(struct json_writer *writer);

void json_begin_object(struct json_writer *writer, const char *key);
void json_begin_array(struct json_writer *writer, const char *key);
void json_end(struct json_writer *writer);

/* null when it does not fit in 63 bits: SAMPLE_UNKNOWN and SAMPLE_INFINITY are such. */
void json_put_u64(struct json_writer *writer, const char *key, uint64_t value);
/* value / 1000, as a number with a fraction; null as above. */
void json_put_milli(struct json_writer *writer, const char *key, uint64_t value);
void json_put_bool(struct json_writer *writer, const char *key, bool value);
void json_put_null(struct json_writer *writer, const char *key);

/* Bytes that are no UTF-8 become \xNN, in text. NULL is null. */
void json_put_text(struct json_writer *writer, const char *key, const char *text);
void json_put_bytes(struct json_writer *writer, const char *key, const char *bytes, size_t len);

#endif
