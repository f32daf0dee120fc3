/* SPDX-License-Identifier: MIT */
#include "explain_memcg.h"
#include "arith.h"
#include "explain.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text {
	char *buf;
	size_t size, len;
};

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *text, const char *format, ...)
{
	va_list ap;
	int n;

	if (text->len + 1 >= text->size)
		return;
	va_start(ap, format);
	n = vsnprintf(text->buf + text->len, text->size - text->len, format, ap);
	va_end(ap);
	text->len = n < 0 ? text->len : min_u64(text->len + (size_t)n, text->size - 1);
}

static void put_rate(struct text *text, const char *what, uint64_t mpps)
{
	if (is_number(mpps))
		put(text, "%s %" PRIu64 ".%" PRIu64 "/s", what, mpps / 1000, mpps / 100 % 10);
	else
		put(text, "%s unknown", what);
}

static void put_share(struct text *text, const char *what, uint64_t ppm)
{
	if (is_number(ppm))
		put(text, "%s %" PRIu64 ".%02" PRIu64 " %%", what, ppm / 10000, ppm / 100 % 100);
	else
		put(text, "%s unknown", what);
}

static void put_bytes(struct text *text, uint64_t bytes)
{
	char number[BYTES_TEXT_MAX];

	put(text, "%s",
	    bytes == SAMPLE_UNKNOWN ? "unknown" : explain_bytes(bytes, number, sizeof(number)));
}

static void put_protection(struct text *text, const struct ledger_row *row)
{
	put(text, "; holds ");
	put_bytes(text, row->current_bytes);
	put(text, ", to be left ");
	put_bytes(text, row->floor_bytes);
	if (row->floor_layer)
		put(text, " by %s", row->floor_layer);
}

static void put_evidence(struct text *text, const struct ledger_row *row)
{
	put_rate(text, "; pages that come back: anon", row->anon_refault_mpps);
	put_rate(text, ", file", row->file_refault_mpps);
	put_share(text, "; stalls: memory", row->memory_stall_ppm);
	put_share(text, ", io", row->io_stall_ppm);
	put_share(text, "; of evicted file came back", row->file_return_ppm);
	put_share(text, ", of tier 1 and above", row->tier_return_ppm);
}

static void put_hold(struct text *text, const struct ledger_row *row)
{
	if (!is_number(row->hold_msec) || row->hold_msec == 0)
		return;
	put(text, "; refused for %" PRIu64 " s more", row->hold_msec / 1000);
	if (row->backoffs > 0)
		put(text, ", harmed %" PRIu64 " times in a row", row->backoffs);
}

void explain_memcg(const struct ledger_row *row, char *buf, size_t size)
{
	struct text text = {.buf = buf, .size = size};

	if (size == 0)
		return;
	buf[0] = '\0';
	put(&text, "%s", row->sentence);
	/* Nothing more is known of what was not considered. */
	if (!row->law)
		return;
	put_hold(&text, row);
	put_protection(&text, row);
	put_evidence(&text, row);
}
