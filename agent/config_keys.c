/* SPDX-License-Identifier: MIT */
/*
 * The table of all keys, with one pair of functions for each type of value: text to field and field
 * to text, the latter such that the former reads it back.
 *
 * Names, units and defaults: fgreclaimd.conf(5). Ranges of what the policy uses are in params.c;
 * those of what only the agent uses are here.
 */
#include "config_keys.h"

#include "config.h"
#include "edit_distance.h"
#include "macro.h"
#include "parse.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define MSEC UINT64_C(1000)
#define SEC  (UINT64_C(1000) * MSEC)
#define MIN  (UINT64_C(60) * SEC)
#define HOUR (UINT64_C(60) * MIN)
#define PPM  UINT64_C(1000000)

/* A name counts as nearly written so up to this many letters added, dropped or changed. */
#define GUESS_DISTANCE_MAX 2

static int parse_flag(const struct config_key *key _unused_, const char *value, void *field)
{
	return parse_bool(value, field);
}

static void print_flag(const void *field, FILE *f)
{
	fputs(*(const bool *)field ? "yes" : "no", f);
}

static int parse_time(const struct config_key *key, const char *value, void *field)
{
	uint64_t usec;
	int r = parse_usec(value, &usec);

	if (r < 0)
		return r;
	if (usec < key->lowest || usec > key->highest)
		return -ERANGE;
	*(uint64_t *)field = usec;
	return 0;
}

static void print_time(const void *field, FILE *f)
{
	static const struct {
		uint64_t usec;
		const char *unit;
	} units[] = {{HOUR, "h"}, {MIN, "min"}, {SEC, "s"}, {MSEC, "ms"}, {1, "us"}};
	uint64_t usec = *(const uint64_t *)field;
	size_t i = 0;

	while (usec % units[i].usec)
		i++;
	fprintf(f, "%" PRIu64 "%s", usec / units[i].usec, units[i].unit);
}

static int parse_size(const struct config_key *key _unused_, const char *value, void *field)
{
	return parse_bytes(value, field);
}

static void print_size(const void *field, FILE *f)
{
	static const char *const units[] = {"", "K", "M", "G", "T"};
	uint64_t bytes = *(const uint64_t *)field;
	size_t i = 0;

	while (bytes > 0 && bytes % 1024 == 0 && i + 1 < ARRAY_SIZE(units)) {
		bytes /= 1024;
		i++;
	}
	fprintf(f, "%" PRIu64 "%s", bytes, units[i]);
}

static int parse_day(const struct config_key *key _unused_, const char *value, void *field)
{
	return parse_bytes_per_day(value, field);
}

static void print_day(const void *field, FILE *f)
{
	if (*(const uint64_t *)field == UINT64_MAX) {
		fputs("infinity", f);
		return;
	}
	print_size(field, f);
	fputs("/day", f);
}

static int parse_share(const struct config_key *key, const char *value, void *field)
{
	uint64_t ppm;
	int r = parse_share_ppm(value, key->highest, &ppm);

	if (r < 0)
		return r;
	if (ppm < key->lowest)
		return -ERANGE;
	*(uint64_t *)field = ppm;
	return 0;
}

static void print_share(const void *field, FILE *f)
{
	uint64_t ppm = *(const uint64_t *)field;
	char fraction[8];
	size_t len;

	snprintf(fraction, sizeof(fraction), ".%04u", (unsigned int)(ppm % 10000));
	for (len = strlen(fraction); len > 0 && strchr("0.", fraction[len - 1]); len--)
		fraction[len - 1] = '\0';
	fprintf(f, "%" PRIu64 "%s%%", ppm / 10000, fraction);
}

static int parse_rate(const struct config_key *key _unused_, const char *value, void *field)
{
	return parse_share_per_min_ppm(value, field);
}

static void print_rate(const void *field, FILE *f)
{
	print_share(field, f);
	fputs("/min", f);
}

static int parse_number(const struct config_key *key, const char *value, void *field)
{
	uint64_t number;
	int r = parse_u64(value, &number);

	if (r < 0)
		return r;
	if (number < key->lowest || number > key->highest)
		return -ERANGE;
	*(uint32_t *)field = (uint32_t)number;
	return 0;
}

static void print_number(const void *field, FILE *f)
{
	fprintf(f, "%" PRIu32, *(const uint32_t *)field);
}

/* node_exporter reads files of this name and no other. */
static int parse_textfile(const struct config_key *key _unused_, const char *value, void *field)
{
	if (strlen(value) >= CONFIG_TEXTFILE_MAX || (*value && fnmatch("/*[!/].prom", value, 0)))
		return -EINVAL;
	strcpy(field, value);
	return 0;
}

static void print_text(const void *field, FILE *f)
{
	fputs(field, f);
}

static int parse_anon(const struct config_key *key _unused_, const char *value, void *field)
{
	enum anon_policy policy = anon_policy_from_string(value);

	if (policy == _ANON_POLICY_MAX)
		return -EINVAL;
	*(enum anon_policy *)field = policy;
	return 0;
}

static void print_anon(const void *field, FILE *f)
{
	fputs(anon_policy_to_string(*(const enum anon_policy *)field), f);
}

static const char *const fast_path_names[_FAST_PATH_MAX] = {
	[FAST_PATH_AUTO] = "auto",
	[FAST_PATH_YES] = "yes",
	[FAST_PATH_NO] = "no",
};

const char *fast_path_to_string(enum fast_path choice)
{
	return fast_path_names[choice];
}

static const char *const ring_choice_names[_RING_CHOICE_MAX] = {
	[RING_AUTO] = "auto",
	[RING_IO_URING] = "io_uring",
	[RING_THREADS] = "threads",
};

const char *ring_choice_to_string(enum ring_choice choice)
{
	return ring_choice_names[choice];
}

/* Index of the name that value is, or -EINVAL. */
static int find_name(const char *const *names, size_t n, const char *value)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(value, names[i]) == 0)
			return (int)i;
	return -EINVAL;
}

static int parse_fast_path(const struct config_key *key _unused_, const char *value, void *field)
{
	int choice = find_name(fast_path_names, _FAST_PATH_MAX, value);

	if (choice < 0)
		return choice;
	*(enum fast_path *)field = (enum fast_path)choice;
	return 0;
}

static void print_fast_path(const void *field, FILE *f)
{
	fputs(fast_path_names[*(const enum fast_path *)field], f);
}

static int parse_ring(const struct config_key *key _unused_, const char *value, void *field)
{
	int choice = find_name(ring_choice_names, _RING_CHOICE_MAX, value);

	if (choice < 0)
		return choice;
	*(enum ring_choice *)field = (enum ring_choice)choice;
	return 0;
}

static void print_ring(const void *field, FILE *f)
{
	fputs(ring_choice_names[*(const enum ring_choice *)field], f);
}

static int parse_reclaim(const struct config_key *key _unused_, const char *value, void *field)
{
	enum reclaim_kind kind = reclaim_kind_from_string(value);

	if (kind == _RECLAIM_KIND_MAX)
		return -EINVAL;
	*(enum reclaim_kind *)field = kind;
	return 0;
}

static void print_reclaim(const void *field, FILE *f)
{
	fputs(reclaim_kind_to_string(*(const enum reclaim_kind *)field), f);
}

/* Bytes or a share, whichever was said last: the field is the class. */
static int parse_floor(const struct config_key *key, const char *value, void *field)
{
	struct class_params *class = field;
	uint64_t bytes = 0, ppm = 0;
	int r;

	if (strchr(value, '%'))
		r = parse_share_ppm(value, key->highest, &ppm);
	else
		r = parse_bytes(value, &bytes);
	if (r < 0)
		return r;
	class->floor_bytes = bytes;
	class->floor_ppm = ppm;
	return 0;
}

static void print_floor(const void *field, FILE *f)
{
	const struct class_params *class = field;

	if (class->floor_ppm > 0)
		print_share(&class->floor_ppm, f);
	else
		print_size(&class->floor_bytes, f);
}

static int parse_protect(const struct config_key *key _unused_, const char *value, void *field)
{
	bool automatic = strcmp(value, "auto") == 0;

	if (!automatic && strcmp(value, "no") != 0)
		return -EINVAL;
	*(bool *)field = automatic;
	return 0;
}

static void print_protect(const void *field, FILE *f)
{
	fputs(*(const bool *)field ? "auto" : "no", f);
}

#define AGENT(field) offsetof(struct config, field)
#define CLASS(field) offsetof(struct class_params, field)

/* clang-format off */
static const struct config_key config_keys[] = {
	{ SECTION_AGENT, "Interval", "a time of 500ms to 1h, with its unit",
	  parse_time, print_time, AGENT(interval_usec), 500 * MSEC, HOUR },
	{ SECTION_AGENT, "DryRun", "yes or no",
	  parse_flag, print_flag, AGENT(dry_run), 0, 0 },
	{ SECTION_AGENT, "CpuBudget", "a share above 0% and up to 100%",
	  parse_share, print_share, AGENT(policy.cpu_budget_ppm), 1, PPM },
	{ SECTION_AGENT, "WriteMax", "a size of 64K to 64M",
	  parse_size, print_size, AGENT(policy.write_max_bytes), 0, 0 },
	{ SECTION_AGENT, "WriteDeadline", "a time of 10ms to 10s, with its unit",
	  parse_time, print_time, AGENT(write_deadline_usec), 10 * MSEC, 10 * SEC },
	{ SECTION_AGENT, "Concurrency", "a number of 1 to 16",
	  parse_number, print_number, AGENT(policy.concurrency), 0, UINT32_MAX },
	{ SECTION_AGENT, "FastPath", "one of auto, yes, no",
	  parse_fast_path, print_fast_path, AGENT(fast_path), 0, 0 },
	{ SECTION_AGENT, "Ring", "one of auto, io_uring, threads",
	  parse_ring, print_ring, AGENT(ring), 0, 0 },
	{ SECTION_SWAP, "Anon", "one of auto, yes, no",
	  parse_anon, print_anon, AGENT(policy.anon), 0, 0 },
	{ SECTION_SWAP, "WriteBudget", "a size per day such as 20G/day, or infinity",
	  parse_day, print_day, AGENT(policy.swap_write_bytes), 0, 0 },
	{ SECTION_METRICS, "Textfile", "an absolute path that ends in .prom, or empty",
	  parse_textfile, print_text, AGENT(textfile), 0, 0 },
	{ SECTION_METRICS, "TopMemcgs", "a number of 0 to 100",
	  parse_number, print_number, AGENT(top_memcgs), 0, 100 },
	{ SECTION_CLASS, "Match", "a glob of cgroup paths or names", NULL, NULL, 0, 0, 0 },
	{ SECTION_CLASS, "Reclaim", "one of none, file, anon, all",
	  parse_reclaim, print_reclaim, CLASS(reclaim), 0, 0 },
	{ SECTION_CLASS, "Weight", "a number of 1 to 10000",
	  parse_number, print_number, CLASS(weight), 0, UINT32_MAX },
	{ SECTION_CLASS, "RefaultLimit", "a share per minute of 0%/min to 100%/min",
	  parse_rate, print_rate, CLASS(refault_limit_ppm), 0, 0 },
	{ SECTION_CLASS, "PressureLimit", "a share of 0% to 100%",
	  parse_share, print_share, CLASS(pressure_limit_ppm), 0, PPM },
	{ SECTION_CLASS, "Floor", "a size such as 64M, or a share of 0% to 100%",
	  parse_floor, print_floor, 0, 0, PPM },
	{ SECTION_CLASS, "Churn", "yes or no",
	  parse_flag, print_flag, CLASS(churn), 0, 0 },
	{ SECTION_CLASS, "Protect", "one of no, auto",
	  parse_protect, print_protect, CLASS(protect), 0, 0 },
	{ SECTION_CLASS, "ProtectMax", "a share above 0% and up to 100%",
	  parse_share, print_share, CLASS(protect_max_ppm), 1, PPM },
	{ SECTION_CLASS, "Hours", "windows such as 22:00-06:00 or Mon..Fri 22:00-06:00, or empty",
	  NULL, NULL, 0, 0, 0 },
	{ SECTION_NONE, NULL, NULL, NULL, NULL, 0, 0, 0 },
};
/* clang-format on */

const char *config_section_to_string(enum config_section section)
{
	static const char *const names[_CONFIG_SECTION_MAX] = {
		[SECTION_NONE] = "none",        [SECTION_AGENT] = "Agent",
		[SECTION_SWAP] = "Swap",        [SECTION_METRICS] = "Metrics",
		[SECTION_CLASS] = "Class NAME",
	};

	return names[section];
}

const struct config_key *config_key_find(enum config_section section, const char *name)
{
	for (const struct config_key *key = config_keys; key->name; key++)
		if (key->section == section && strcmp(key->name, name) == 0)
			return key;
	return NULL;
}

const struct config_key *config_key_guess(enum config_section section, const char *name)
{
	const struct config_key *best = NULL;
	size_t least = GUESS_DISTANCE_MAX + 1;

	for (const struct config_key *key = config_keys; key->name; key++) {
		size_t d = edit_distance(name, key->name);

		if (key->section == section ? d < least : d == 0) {
			best = key;
			least = d;
		}
	}
	return best;
}

void config_keys_print(enum config_section section, const void *base, FILE *f)
{
	for (const struct config_key *key = config_keys; key->name; key++) {
		if (key->section != section || !key->print)
			continue;
		fprintf(f, "%s=", key->name);
		key->print((const char *)base + key->offset, f);
		fputc('\n', f);
	}
}
