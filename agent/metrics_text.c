/* SPDX-License-Identifier: MIT */
/*
 * Metrics as Prometheus reads them: text format 0.0.4,
 * https://prometheus.io/docs/instrumenting/exposition_formats/.
 */
#include "arith.h"
#include "escape.h"
#include "macro.h"
#include "metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char *const lru_names[_LRU_TYPE_MAX] = {[LRU_ANON] = "anon", [LRU_FILE] = "file"};

static void head(FILE *f, const char *name, const char *kind, const char *help)
{
	fprintf(f, "# HELP fgreclaimd_%s %s\n# TYPE fgreclaimd_%s %s\n", name, help, name, kind);
}

static void put(FILE *f, const char *name, const char *kind, const char *help, uint64_t value)
{
	head(f, name, kind, help);
	fprintf(f, "fgreclaimd_%s %" PRIu64 "\n", name, value);
}

/* Microseconds as seconds, exactly. */
static void put_seconds(FILE *f, uint64_t usec)
{
	fprintf(f, "%" PRIu64 ".%06" PRIu64 "\n", usec / USEC_PER_SEC, usec % USEC_PER_SEC);
}

/* A label's value: UTF-8, with backslash, quote and newline escaped. */
static int put_label(FILE *f, const char *bytes, size_t len)
{
	_cleanup_free_ char *text = escape_text(bytes, len, false);

	if (!text)
		return -ENOMEM;
	for (const char *c = text; *c; c++) {
		if (*c == '\n') {
			fputs("\\n", f);
			continue;
		}
		if (*c == '\\' || *c == '"')
			fputc('\\', f);
		fputc(*c, f);
	}
	return 0;
}

static void write_process(const struct metrics *metrics, const struct metrics_host *host, FILE *f)
{
	head(f, "build_info", "gauge", "The agent that runs.");
	fprintf(f, "fgreclaimd_build_info{version=\"%s\"} 1\n", PACKAGE_VERSION);
	head(f, "capability_info", "gauge", "What the host can do: a level of the ladder.");
	fprintf(f, "fgreclaimd_capability_info{level=\"%s\"} 1\n",
		capability_to_string(host->capability));
	put(f, "dry_run", "gauge", "1: nothing is reclaimed.", host->dry_run);
	put(f, "memcgs", "gauge", "Cgroups that are looked at.", metrics->memcgs);
	head(f, "last_look_timestamp_seconds", "gauge", "When the host was last looked at.");
	fputs("fgreclaimd_last_look_timestamp_seconds ", f);
	put_seconds(f, host->look_time_usec);
	head(f, "cpu_seconds_total", "counter", "CPU time of the agent, reclaim included.");
	fputs("fgreclaimd_cpu_seconds_total ", f);
	put_seconds(f, host->cost.cpu_usec);
	if (host->cost.rss_bytes < SAMPLE_INFINITY)
		put(f, "resident_memory_bytes", "gauge", "Memory of the agent.",
		    host->cost.rss_bytes);
}

static void write_ticks(const struct metrics *metrics, FILE *f)
{
	uint64_t n = 0;

	head(f, "tick_duration_seconds", "histogram", "Reading all files, once in a tick.");
	for (size_t i = 0; i < METRICS_TICK_BOUNDS; i++) {
		n += metrics->ticks[i];
		fprintf(f, "fgreclaimd_tick_duration_seconds_bucket{le=\"%g\"} %" PRIu64 "\n",
			(double)metrics_tick_bounds_usec[i] / 1e6, n);
	}
	n += metrics->ticks[METRICS_TICK_BOUNDS];
	fprintf(f, "fgreclaimd_tick_duration_seconds_bucket{le=\"+Inf\"} %" PRIu64 "\n", n);
	fputs("fgreclaimd_tick_duration_seconds_sum ", f);
	put_seconds(f, metrics->ticks_usec);
	fprintf(f, "fgreclaimd_tick_duration_seconds_count %" PRIu64 "\n", n);
	put(f, "tick_overruns_total", "counter",
	    "Ticks in which that took longer than an interval.", metrics->overruns);
}

static void write_writes(const struct executor_totals *totals, FILE *f)
{
	static const enum write_result failures[] = {
		WRITE_NOTHING,     WRITE_LIED, WRITE_RACED,
		WRITE_INTERRUPTED, WRITE_GONE, WRITE_REFUSED,
	};

	put(f, "aging_runs_total", "counter", "Agings that were done.", totals->agings);
	put(f, "evictions_total", "counter", "Writes that were to take memory or to age.",
	    totals->writes);
	head(f, "eviction_failures_total", "counter",
	     "Those that freed nothing, or were cut short.");
	for (size_t i = 0; i < ARRAY_SIZE(failures); i++)
		fprintf(f, "fgreclaimd_eviction_failures_total{reason=\"%s\"} %" PRIu64 "\n",
			write_result_to_string(failures[i]), totals->results[failures[i]]);
	put(f, "dry_run_bytes_total", "counter", "What a dry run would have asked for.",
	    totals->dry_bytes);
	put(f, "swap_disk_bytes_total", "counter", "Swapped out to disks at most.",
	    totals->disk_bytes);
}

static void class_values(const struct metrics *metrics, FILE *f, const char *name, const char *kind,
			 const char *help, size_t offset)
{
	head(f, name, kind, help);
	for (size_t i = 0; i < metrics->n_classes; i++)
		fprintf(f, "fgreclaimd_%s{class=\"%s\"} %" PRIu64 "\n", name,
			metrics->classes[i].name,
			*(const uint64_t *)((const char *)&metrics->classes[i] + offset));
}

static void class_lrus(const struct metrics *metrics, FILE *f, const char *name, const char *help,
		       size_t offset)
{
	head(f, name, "counter", help);
	for (size_t i = 0; i < metrics->n_classes; i++)
		for (int type = 0; type < _LRU_TYPE_MAX; type++)
			fprintf(f, "fgreclaimd_%s{class=\"%s\",lru=\"%s\"} %" PRIu64 "\n", name,
				metrics->classes[i].name, lru_names[type],
				((const uint64_t *)((const char *)&metrics->classes[i] +
						    offset))[type]);
}

static void write_classes(const struct metrics *metrics, FILE *f)
{
	class_values(metrics, f, "class_memcgs", "gauge", "Leaf cgroups of a class.",
		     offsetof(struct metrics_class, memcgs));
	class_values(metrics, f, "held_bytes", "gauge", "Memory of these.",
		     offsetof(struct metrics_class, held_bytes));
	class_values(metrics, f, "working_set_bytes", "gauge", "Anon that is in use, as measured.",
		     offsetof(struct metrics_class, working_set_bytes));
	head(f, "cold_bytes", "gauge", "Memory that is not in use, as measured.");
	for (size_t i = 0; i < metrics->n_classes; i++)
		fprintf(f, "fgreclaimd_cold_bytes{class=\"%s\",lru=\"anon\"} %" PRIu64 "\n",
			metrics->classes[i].name, metrics->classes[i].cold_bytes);
	class_values(metrics, f, "reclaim_requested_bytes_total", "counter", "Asked for.",
		     offsetof(struct metrics_class, requested_bytes));
	class_lrus(metrics, f, "reclaimed_bytes_total", "Freed by the agent, as measured.",
		   offsetof(struct metrics_class, stolen_bytes));
	class_lrus(metrics, f, "refaults_total", "Pages that came back, whoever took them.",
		   offsetof(struct metrics_class, refault_pages));
	head(f, "stall_seconds_total", "counter", "Memory pressure, some, summed up over cgroups.");
	for (size_t i = 0; i < metrics->n_classes; i++) {
		fprintf(f, "fgreclaimd_stall_seconds_total{class=\"%s\"} ",
			metrics->classes[i].name);
		put_seconds(f, metrics->classes[i].stall_usec);
	}
	head(f, "backoffs_total", "counter", "Times that a cgroup was held back.");
	for (size_t i = 0; i < metrics->n_classes; i++)
		for (int hold = 0; hold < METRICS_HOLDS; hold++)
			fprintf(f,
				"fgreclaimd_backoffs_total{class=\"%s\",reason=\"%s\"} %" PRIu64
				"\n",
				metrics->classes[i].name,
				reason_to_string((enum reason)(REASON_HOLD_REFAULT + hold)),
				metrics->classes[i].backoffs[hold]);
}

/* --- TopMemcgs= */

static uint64_t held(const struct memcg *memcg)
{
	uint64_t bytes = memcg->state.last.current_bytes;

	return bytes < SAMPLE_INFINITY ? bytes : 0;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = held(*(struct memcg *const *)a), y = held(*(struct memcg *const *)b);

	return x < y ? 1 : x > y ? -1 : 0;
}

struct memcg_value {
	const char *name, *help;
	uint64_t (*get)(const struct memcg *memcg);
};

static uint64_t working_set(const struct memcg *memcg)
{
	return memcg->state.working_set_bytes;
}

static uint64_t cold(const struct memcg *memcg)
{
	return memcg->state.cold_bytes;
}

static uint64_t refaults_anon(const struct memcg *memcg)
{
	return memcg->state.refault_mpps[LRU_ANON] / 1000;
}

static uint64_t refaults_file(const struct memcg *memcg)
{
	return memcg->state.refault_mpps[LRU_FILE] / 1000;
}

static uint64_t low(const struct memcg *memcg)
{
	return memcg->state.protect.low_bytes;
}

static const struct memcg_value memcg_values[METRICS_MEMCG_SERIES] = {
	{"memcg_held_bytes", "Memory of a cgroup.", held},
	{"memcg_working_set_bytes", "Anon of it that is in use, as measured.", working_set},
	{"memcg_cold_bytes", "Anon of it that is not.", cold},
	{"memcg_protected_bytes", "Its memory.low as Protect=auto has it.", low},
	{"memcg_anon_refaults_per_second", "Anon pages that come back, averaged.", refaults_anon},
	{"memcg_file_refaults_per_second", "File pages that come back, averaged.", refaults_file},
};

static int write_memcgs(const struct metrics_host *host, FILE *f)
{
	_cleanup_free_ struct memcg **top = calloc(host->n_memcgs + 1, sizeof(*top));
	size_t n = 0;
	int r = 0;

	if (!top)
		return -ENOMEM;
	for (size_t i = 0; i < host->n_memcgs; i++)
		if (host->memcgs[i]->leaf && host->memcgs[i]->class_index >= 0)
			top[n++] = host->memcgs[i];
	qsort(top, n, sizeof(*top), by_size);
	if (n > host->top_memcgs)
		n = host->top_memcgs;
	for (size_t v = 0; n > 0 && v < ARRAY_SIZE(memcg_values); v++) {
		head(f, memcg_values[v].name, "gauge", memcg_values[v].help);
		for (size_t i = 0; i < n && r == 0; i++) {
			fprintf(f, "fgreclaimd_%s{cgroup=\"", memcg_values[v].name);
			r = put_label(f, top[i]->path, strlen(top[i]->path));
			fprintf(f, "\"} %" PRIu64 "\n", memcg_values[v].get(top[i]));
		}
	}
	return r;
}

int metrics_write(const struct metrics *metrics, const struct metrics_host *host, FILE *f)
{
	write_process(metrics, host, f);
	write_ticks(metrics, f);
	write_writes(host->executor, f);
	write_classes(metrics, f);
	return host->top_memcgs > 0 ? write_memcgs(host, f) : 0;
}
