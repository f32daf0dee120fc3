/* SPDX-License-Identifier: MIT */
/*
 * The fields of a snapshot as a trace has them.
 */
#include "trace_field.h"
#include "macro.h"

#include <string.h>

#define FIELD(type, field, clock)                                                   \
	{                                                                           \
#field, offsetof(type, field), sizeof(((type *)NULL)->field), clock \
	}

#define HEAD(field, clock)   FIELD(struct snapshot, field, clock)
#define SYSTEM(field, clock) FIELD(struct system_sample, field, clock)
#define MEMCG(field, clock)  FIELD(struct memcg_sample, field, clock)
#define LRUVEC(field, clock) FIELD(struct lruvec_sample, field, clock)
#define TIERS(field, clock)  FIELD(struct lruvec_tiers, field, clock)

#define GEN(i)                                                                        \
	LRUVEC(gens[i].seq, TRACE_PLAIN), LRUVEC(gens[i].age_msec, TRACE_SINCE_MSEC), \
		LRUVEC(gens[i].pages[0], TRACE_PLAIN), LRUVEC(gens[i].pages[1], TRACE_PLAIN)

#define TIER(i)                                                                                   \
	TIERS(tiers[i].refaulted_pages, TRACE_PLAIN), TIERS(tiers[i].evicted_pages, TRACE_PLAIN), \
		TIERS(tiers[i].protected_pages, TRACE_PLAIN),                                     \
		TIERS(tiers[i].mean_refaulted_pages, TRACE_PLAIN),                                \
		TIERS(tiers[i].mean_total_pages, TRACE_PLAIN)

/* A struct that has grown has a field that is missing below. */
_Static_assert(sizeof(struct memcg_sample) == 392, "its fields are those of memcg_fields");
_Static_assert(sizeof(struct system_sample) == 72, "its fields are those of system_fields");
_Static_assert(sizeof(struct snapshot) == 152, "its fields are those of head_fields, and arrays");
_Static_assert(LRUVEC_GENS_MAX == 16 && LRUVEC_TIERS_MAX == 8, "all of them have a field");

static const struct trace_field head_fields[] = {
	HEAD(interval_usec, TRACE_PLAIN),
	HEAD(read_usec, TRACE_PLAIN),
	HEAD(page_bytes, TRACE_PLAIN),
};

static const struct trace_field system_fields[] = {
	SYSTEM(capability, TRACE_PLAIN),
	SYSTEM(reclaim_swappiness, TRACE_PLAIN),
	SYSTEM(recursive_protection, TRACE_PLAIN),
	SYSTEM(swap_is_zram, TRACE_PLAIN),
	SYSTEM(zswap, TRACE_PLAIN),
	SYSTEM(swap_rotates, TRACE_PLAIN),
	SYSTEM(zswap_room_bytes, TRACE_PLAIN),
	SYSTEM(swap_total_bytes, TRACE_PLAIN),
	SYSTEM(swap_free_bytes, TRACE_PLAIN),
	SYSTEM(swap_written_bytes, TRACE_PLAIN),
	SYSTEM(cpu_wait_usec, TRACE_PLAIN),
	SYSTEM(ram_bytes, TRACE_PLAIN),
	SYSTEM(available_bytes, TRACE_PLAIN),
};

static const struct trace_field memcg_fields[] = {
	MEMCG(parent, TRACE_PLAIN),
	MEMCG(class_index, TRACE_PLAIN),
	MEMCG(seen_usec, TRACE_SINCE_USEC),
	MEMCG(leaf, TRACE_PLAIN),
	MEMCG(populated, TRACE_PLAIN),
	MEMCG(frozen, TRACE_PLAIN),
	MEMCG(omitted, TRACE_PLAIN),
	MEMCG(paused, TRACE_PLAIN),
	MEMCG(closed, TRACE_PLAIN),
	MEMCG(busy, TRACE_PLAIN),
	MEMCG(listed, TRACE_PLAIN),
	MEMCG(skipped, TRACE_PLAIN),
	MEMCG(read_interval_usec, TRACE_PLAIN),
	MEMCG(current_bytes, TRACE_PLAIN),
	MEMCG(swap_current_bytes, TRACE_PLAIN),
	MEMCG(swap_max_bytes, TRACE_PLAIN),
	MEMCG(zswap_current_bytes, TRACE_PLAIN),
	MEMCG(zswap_max_bytes, TRACE_PLAIN),
	MEMCG(zswap_only, TRACE_PLAIN),
	MEMCG(min_bytes, TRACE_PLAIN),
	MEMCG(low_bytes, TRACE_PLAIN),
	MEMCG(high_bytes, TRACE_PLAIN),
	MEMCG(max_bytes, TRACE_PLAIN),
	MEMCG(lru_bytes[0], TRACE_PLAIN),
	MEMCG(lru_bytes[1], TRACE_PLAIN),
	MEMCG(active_bytes[0], TRACE_PLAIN),
	MEMCG(active_bytes[1], TRACE_PLAIN),
	MEMCG(unevictable_bytes, TRACE_PLAIN),
	MEMCG(file_dirty_bytes, TRACE_PLAIN),
	MEMCG(file_writeback_bytes, TRACE_PLAIN),
	MEMCG(refault_pages[0], TRACE_PLAIN),
	MEMCG(refault_pages[1], TRACE_PLAIN),
	MEMCG(pgscan_pages, TRACE_PLAIN),
	MEMCG(pgsteal_pages, TRACE_PLAIN),
	MEMCG(counts_proactive, TRACE_PLAIN),
	MEMCG(events_high, TRACE_PLAIN),
	MEMCG(events_max, TRACE_PLAIN),
	MEMCG(events_oom, TRACE_PLAIN),
	MEMCG(events_oom_kill, TRACE_PLAIN),
	MEMCG(cpu_usec, TRACE_PLAIN),
	MEMCG(psi_memory.some_usec, TRACE_PLAIN),
	MEMCG(psi_memory.full_usec, TRACE_PLAIN),
	MEMCG(psi_io.some_usec, TRACE_PLAIN),
	MEMCG(psi_io.full_usec, TRACE_PLAIN),
	MEMCG(first_lruvec, TRACE_PLAIN),
	MEMCG(n_lruvecs, TRACE_PLAIN),
	MEMCG(first_tiers, TRACE_PLAIN),
	MEMCG(n_tiers, TRACE_PLAIN),
	MEMCG(outcome.writes, TRACE_PLAIN),
	MEMCG(outcome.failures, TRACE_PLAIN),
	MEMCG(outcome.agings, TRACE_PLAIN),
	MEMCG(outcome.refused_agings, TRACE_PLAIN),
	MEMCG(outcome.asked_bytes, TRACE_PLAIN),
	MEMCG(outcome.freed_bytes, TRACE_PLAIN),
	MEMCG(outcome.stolen_pages[0], TRACE_PLAIN),
	MEMCG(outcome.stolen_pages[1], TRACE_PLAIN),
	MEMCG(outcome.scanned_pages, TRACE_PLAIN),
	MEMCG(outcome.to_disk, TRACE_PLAIN),
	MEMCG(outcome.write_usec, TRACE_PLAIN),
	MEMCG(outcome.aging_usec, TRACE_PLAIN),
};

static const struct trace_field lruvec_fields[] = {
	LRUVEC(node, TRACE_PLAIN),
	LRUVEC(n_gens, TRACE_PLAIN),
	GEN(0),
	GEN(1),
	GEN(2),
	GEN(3),
	GEN(4),
	GEN(5),
	GEN(6),
	GEN(7),
	GEN(8),
	GEN(9),
	GEN(10),
	GEN(11),
	GEN(12),
	GEN(13),
	GEN(14),
	GEN(15),
};

static const struct trace_field tiers_fields[] = {
	TIERS(seq, TRACE_PLAIN),
	TIERS(n_tiers, TRACE_PLAIN),
	TIER(0),
	TIER(1),
	TIER(2),
	TIER(3),
	TIER(4),
	TIER(5),
	TIER(6),
	TIER(7),
};

#define TABLE(name, fields, type)                              \
	{                                                      \
		name, fields, ARRAY_SIZE(fields), sizeof(type) \
	}

const struct trace_table trace_tables[_TRACE_ROWS_MAX] = {
	[TRACE_HEAD] = TABLE("head", head_fields, struct snapshot),
	[TRACE_SYSTEM] = TABLE("system", system_fields, struct system_sample),
	[TRACE_MEMCG] = TABLE("memcg", memcg_fields, struct memcg_sample),
	[TRACE_LRUVEC] = TABLE("lruvec", lruvec_fields, struct lruvec_sample),
	[TRACE_TIERS] = TABLE("tiers", tiers_fields, struct lruvec_tiers),
};

_Static_assert(ARRAY_SIZE(memcg_fields) <= TRACE_FIELDS_MAX &&
		       ARRAY_SIZE(lruvec_fields) <= TRACE_FIELDS_MAX,
	       "room for a row");

/* Modulo 2^64, so that unknown values are restored too. */
static uint64_t turn(const struct trace_field *field, uint64_t now_usec, uint64_t number)
{
	switch ((enum trace_clock)field->clock) {
	case TRACE_SINCE_USEC:
		return now_usec - number;
	case TRACE_SINCE_MSEC:
		return now_usec / 1000 - number;
	case TRACE_PLAIN:
		break;
	}
	return number;
}

uint64_t trace_field_get(const struct trace_field *field, const void *row, uint64_t now_usec)
{
	const char *at = (const char *)row + field->offset;
	uint64_t number = 0;
	uint32_t half;

	if (field->size == sizeof(bool)) {
		number = *(const bool *)at;
	} else if (field->size == sizeof(half)) {
		memcpy(&half, at, sizeof(half));
		number = half;
	} else {
		memcpy(&number, at, sizeof(number));
	}
	return turn(field, now_usec, number);
}

bool trace_field_set(const struct trace_field *field, void *row, uint64_t now_usec, uint64_t number)
{
	char *at = (char *)row + field->offset;
	uint32_t half;

	number = turn(field, now_usec, number);
	if (field->size == sizeof(bool)) {
		if (number > 1)
			return false;
		*(bool *)at = number;
	} else if (field->size == sizeof(half)) {
		if (number > UINT32_MAX)
			return false;
		half = (uint32_t)number;
		memcpy(at, &half, sizeof(half));
	} else {
		memcpy(at, &number, sizeof(number));
	}
	return true;
}
