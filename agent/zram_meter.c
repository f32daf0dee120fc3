/* SPDX-License-Identifier: MIT */
/*
 * Source: drivers/block/zram/zram_drv.c mm_stat_show() of Linux 6.12: orig_data_size is the number of
 * pages stored, those of one repeated value included; mem_used_total what the allocator holds for them.
 */
#include "zram_meter.h"
#include "arith.h"

#include <stdio.h>
#include <string.h>

#define TEXT_MAX 512

void zram_meter_done(struct zram_meter *meter)
{
	for (unsigned i = 0; i < SWAP_ZRAMS_MAX; i++)
		kept_file_close(&meter->files[i]);
	*meter = (struct zram_meter){0};
}

void zram_meter_follow(struct zram_meter *meter, const char *root, const struct swap_summary *swap)
{
	if (meter->n == swap->zram &&
	    memcmp(meter->numbers, swap->zram_numbers, sizeof(meter->numbers)) == 0)
		return;
	zram_meter_done(meter);
	meter->root = root;
	meter->n = swap->zram;
	memcpy(meter->numbers, swap->zram_numbers, sizeof(meter->numbers));
}

static bool add(struct zram_meter *meter, unsigned i, struct zram_total *total)
{
	char path[64], text[TEXT_MAX];
	struct zram_stat stat;
	int len;

	snprintf(path, sizeof(path), "/sys/block/zram%u/mm_stat", meter->numbers[i]);
	len = kept_file_read(&meter->files[i], meter->root, path, text, sizeof(text));
	if (len < 0 || kparse_zram_mm_stat(text, (size_t)len, &stat) < 0)
		return false;
	total->stored_bytes = saturating_add(total->stored_bytes, stat.orig_bytes);
	total->used_bytes = saturating_add(total->used_bytes, stat.used_bytes);
	return true;
}

void zram_meter_read(struct zram_meter *meter, struct zram_total *ret)
{
	struct zram_total total = {0};
	bool whole = meter->n <= SWAP_ZRAMS_MAX;

	for (unsigned i = 0; whole && i < meter->n; i++)
		whole = add(meter, i, &total);
	*ret = whole ? total : (struct zram_total){SAMPLE_UNKNOWN, SAMPLE_UNKNOWN};
}

uint64_t zram_cost_bytes(const struct zram_total *before, const struct zram_total *after,
			 uint64_t our_bytes)
{
	uint64_t stored_bytes, grown_bytes;

	if (!is_number(before->used_bytes) || !is_number(after->used_bytes))
		return SAMPLE_UNKNOWN;
	stored_bytes = saturating_sub(after->stored_bytes, before->stored_bytes);
	grown_bytes = saturating_sub(after->used_bytes, before->used_bytes);
	if (our_bytes == 0 || after->stored_bytes == 0)
		return 0;
	if (our_bytes <= stored_bytes)
		return mul_div(grown_bytes, our_bytes, stored_bytes);
	return min_u64(mul_div(our_bytes, after->used_bytes, after->stored_bytes),
		       after->used_bytes);
}
