/* SPDX-License-Identifier: MIT */
/*
 * How the values of a cgroup are called: see ledger.h.
 */
#include "ledger.h"

#define FIELD_OF(of, key, type, field)                \
	{                                             \
		key, type, offsetof(struct of, field) \
	}
#define FIELD(key, type, field) FIELD_OF(ledger_row, key, type, field)
#define GENERATION(number, gen)                                                     \
	FIELD("generation" number "_age_ms", 't', gen.age_msec),                    \
		FIELD("generation" number "_anon_bytes", 't', gen.bytes[LRU_ANON]), \
		FIELD("generation" number "_file_bytes", 't', gen.bytes[LRU_FILE])
#define TOTAL(key, field) FIELD_OF(ledger_totals, key, 't', field)

const struct field ledger_fields[LEDGER_FIELDS_N] = {
	FIELD("path", 's', path),
	FIELD("name", 's', name),
	FIELD("kind", 's', kind),
	FIELD("id", 't', id),
	FIELD("class", 's', class),
	FIELD("match", 's', match),
	FIELD("asked_class", 's', asked_class),
	FIELD("asked_class_refused", 's', asked_class_refused),
	FIELD("current_bytes", 't', current_bytes),
	FIELD("swap_bytes", 't', swap_bytes),
	FIELD("working_set_bytes", 't', working_set_bytes),
	FIELD("cold_bytes", 't', cold_bytes),
	FIELD("anon_refault_mpps", 't', anon_refault_mpps),
	FIELD("file_refault_mpps", 't', file_refault_mpps),
	FIELD("tier_return_ppm", 't', tier_return_ppm),
	FIELD("age_ms", 't', age_msec),
	FIELD("action", 's', action),
	FIELD("reason", 's', reason),
	FIELD("sentence", 's', sentence),
	FIELD("protect_low_bytes", 't', protect_low_bytes),
	FIELD("protect_working_set_bytes", 't', protect_working_set_bytes),
	FIELD("protect_reason", 's', protect_reason),
	FIELD("protect_sentence", 's', protect_sentence),
	/* explain */
	FIELD("explanation", 's', explanation),
	FIELD("look_age_ms", 't', look_age_msec),
	FIELD("law", 's', law),
	FIELD("floor_layer", 's', floor_layer),
	FIELD("floor_bytes", 't', floor_bytes),
	FIELD("peak_bytes", 't', peak_bytes),
	FIELD("locked_bytes", 't', locked_bytes),
	FIELD("memory_stall_ppm", 't', memory_stall_ppm),
	FIELD("io_stall_ppm", 't', io_stall_ppm),
	FIELD("file_return_ppm", 't', file_return_ppm),
	FIELD("settled_file_return_ppm", 't', settled_file_return_ppm),
	FIELD("growth_bytes_per_second", 't', growth_bps),
	FIELD("hold_ms", 't', hold_msec),
	FIELD("backoffs", 't', backoffs),
	GENERATION("0", gens[0]),
	GENERATION("1", gens[1]),
	GENERATION("2", gens[2]),
	GENERATION("3", gens[3]),
	/* report */
	FIELD("writes", 't', account[ACCOUNT_WRITES]),
	FIELD("failures", 't', account[ACCOUNT_FAILURES]),
	FIELD("agings", 't', account[ACCOUNT_AGINGS]),
	FIELD("asked_bytes", 't', account[ACCOUNT_ASKED_BYTES]),
	FIELD("freed_bytes", 't', account[ACCOUNT_FREED_BYTES]),
	FIELD("returned_bytes", 't', account[ACCOUNT_RETURNED_BYTES]),
	FIELD("write_us", 't', account[ACCOUNT_WRITE_USEC]),
	FIELD("reclaim_cpu_us", 't', account[ACCOUNT_CPU_USEC]),
	FIELD("stall_us", 't', account[ACCOUNT_STALL_USEC]),
	FIELD("dry_freed_bytes", 't', account[ACCOUNT_DRY_FREED_BYTES]),
	FIELD("dry_returned_bytes", 't', account[ACCOUNT_DRY_RETURNED_BYTES]),
	FIELD("dry_unjudged_bytes", 't', account[ACCOUNT_DRY_UNJUDGED_BYTES]),
	FIELD("dry_agings", 't', account[ACCOUNT_DRY_AGINGS]),
	FIELD("out_bytes", 't', out_bytes),
	FIELD("swap_cost_bytes", 't', swap_cost_bytes),
	FIELD("net_bytes", 't', net_bytes),
};

const struct field ledger_totals_fields[LEDGER_TOTALS_N] = {
	TOTAL("span_ms", span_msec),
	TOTAL("dry_run", dry_run),
	TOTAL("class_cgroups", memcgs),
	TOTAL("cpu_us", cpu_usec),
	TOTAL("rss_bytes", rss_bytes),
	TOTAL("writes", account[ACCOUNT_WRITES]),
	TOTAL("failures", account[ACCOUNT_FAILURES]),
	TOTAL("agings", account[ACCOUNT_AGINGS]),
	TOTAL("asked_bytes", account[ACCOUNT_ASKED_BYTES]),
	TOTAL("freed_bytes", account[ACCOUNT_FREED_BYTES]),
	TOTAL("returned_bytes", account[ACCOUNT_RETURNED_BYTES]),
	TOTAL("write_us", account[ACCOUNT_WRITE_USEC]),
	TOTAL("reclaim_cpu_us", account[ACCOUNT_CPU_USEC]),
	TOTAL("stall_us", account[ACCOUNT_STALL_USEC]),
	TOTAL("dry_freed_bytes", account[ACCOUNT_DRY_FREED_BYTES]),
	TOTAL("dry_returned_bytes", account[ACCOUNT_DRY_RETURNED_BYTES]),
	TOTAL("dry_unjudged_bytes", account[ACCOUNT_DRY_UNJUDGED_BYTES]),
	TOTAL("dry_agings", account[ACCOUNT_DRY_AGINGS]),
	TOTAL("out_bytes", out_bytes),
	TOTAL("swap_cost_bytes", swap_cost_bytes),
	TOTAL("net_bytes", net_bytes),
};
