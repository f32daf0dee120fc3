/* SPDX-License-Identifier: MIT */
/*
 * The small kernel files to structs: cgroup v2 interface files, PSI, /proc/meminfo, /proc/vmstat. A
 * line without its newline is torn ("123" may have been "12345"), so its value counts as not
 * understood; so does a key that stands there twice. Sources:
 * Documentation/admin-guide/cgroup-v2.rst, Documentation/accounting/psi.rst, mm/memcontrol.c
 * memory_stat_format(), fs/proc/meminfo.c, mm/vmstat.c.
 */
#include "kparse.h"
#include "kparse_text.h"
#include "macro.h"

int kparse_value(const char *text, size_t len, uint64_t *ret)
{
	struct text line;

	if (!text_only_line(text, len, &line))
		return -EINVAL;
	if (text_equals(&line, "max")) {
		*ret = SAMPLE_INFINITY;
		return 0;
	}
	return text_to_number(line, ret) < 0 ? -EINVAL : 0;
}

/*
 * Files of keys and numbers
 */

struct keyed {
	const char *key;
	bool found; /* whether its value was understood or not */
	uint64_t value;
};

enum keyed_form {
	KEYED_FLAT,    /* "key 123" */
	KEYED_MEMINFO, /* "Key:   123 kB"; the value becomes bytes */
};

/* The line of key form, its key taken off. */
static bool take_key(struct text *line, enum keyed_form form, struct text *ret)
{
	char delimiter = form == KEYED_MEMINFO ? ':' : ' ';
	const char *end = memchr(line->p, delimiter, text_left(line));

	if (!end || end == line->p)
		return false;
	*ret = (struct text){line->p, end};
	line->p = end + 1;
	return true;
}

static int take_keyed_number(struct text line, enum keyed_form form, uint64_t *ret)
{
	uint64_t value;

	if (form == KEYED_FLAT)
		return text_to_number(line, ret);
	text_skip_blanks(&line);
	if (text_take_number(&line, &value) < 0 || !text_equals(&line, " kB"))
		return -EINVAL;
	if (value >= SAMPLE_INFINITY / 1024)
		return -ERANGE;
	*ret = value * 1024;
	return 0;
}

/* Fills in what it finds of items. -EINVAL when no line is of the form; -EBADMSG, still filled in,
 * when the last line is torn. */
static int keyed_read(struct text t, enum keyed_form form, struct keyed *items, size_t n_items)
{
	struct text line, key;
	bool whole = true, any = false;

	for (size_t i = 0; i < n_items; i++)
		items[i].value = SAMPLE_UNKNOWN;
	while (text_take_line(&t, &line, &whole)) {
		if (!take_key(&line, form, &key))
			continue;
		for (size_t i = 0; i < n_items; i++) {
			struct keyed *item = &items[i];
			bool again = item->found;

			if (!text_equals(&key, item->key))
				continue;
			item->found = true;
			if (again || !whole || take_keyed_number(line, form, &item->value) < 0)
				item->value = SAMPLE_UNKNOWN;
			break;
		}
		text_skip_blanks(&line);
		any = any || (whole && is_digit(text_peek(&line)));
	}
	if (!any)
		return -EINVAL;
	return whole ? 0 : -EBADMSG;
}

/* Of n values; unknown when one is. */
static uint64_t sum_all(const struct keyed *items, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		/* Below SAMPLE_INFINITY each, so this also refuses an unknown one. */
		if (items[i].value >= SAMPLE_INFINITY - sum)
			return SAMPLE_UNKNOWN;
		sum += items[i].value;
	}
	return sum;
}

/* The kernel's own sum in items[0], or what its parts in items[1..] give. */
static uint64_t sum_or_parts(const struct keyed *items, size_t n, bool torn)
{
	uint64_t sum = 0;
	bool any = false;

	if (items[0].found)
		return items[0].value;
	for (size_t i = 1; i < n; i++) {
		if (!items[i].found)
			continue;
		any = true;
		if (items[i].value >= SAMPLE_INFINITY - sum)
			return SAMPLE_UNKNOWN;
		sum += items[i].value;
	}
	/* A torn text may have lost parts. */
	return any && !torn ? sum : SAMPLE_UNKNOWN;
}

int kparse_memory_stat(const char *text, size_t len, struct memcg_sample *ret)
{
	enum {
		LRU = 0,
		SINGLE = 4,
		PGSCAN = 9,
		PGSTEAL = 14,
		PARTS = 5,
		ZSWAP = PGSTEAL + PARTS,
	};
	struct keyed items[] = {
		[LRU] = {.key = "active_anon"},
		{.key = "inactive_anon"},
		{.key = "active_file"},
		{.key = "inactive_file"},
		[SINGLE] = {.key = "unevictable"},
		{.key = "file_dirty"},
		{.key = "file_writeback"},
		{.key = "workingset_refault_anon"},
		{.key = "workingset_refault_file"},
		[PGSCAN] = {.key = "pgscan"},
		{.key = "pgscan_kswapd"},
		{.key = "pgscan_direct"},
		{.key = "pgscan_khugepaged"},
		{.key = "pgscan_proactive"},
		[PGSTEAL] = {.key = "pgsteal"},
		{.key = "pgsteal_kswapd"},
		{.key = "pgsteal_direct"},
		{.key = "pgsteal_khugepaged"},
		{.key = "pgsteal_proactive"},
		[ZSWAP] = {.key = "zswap"},
	};
	int r = keyed_read(text_of(text, len), KEYED_FLAT, items, ARRAY_SIZE(items));
	bool torn = r == -EBADMSG;

	if (r < 0 && !torn)
		return r;
	ret->lru_bytes[LRU_ANON] = sum_all(items + LRU, 2);
	ret->lru_bytes[LRU_FILE] = sum_all(items + LRU + 2, 2);
	ret->active_bytes[LRU_ANON] = items[LRU].value;
	ret->active_bytes[LRU_FILE] = items[LRU + 2].value;
	ret->unevictable_bytes = items[SINGLE].value;
	ret->file_dirty_bytes = items[SINGLE + 1].value;
	ret->file_writeback_bytes = items[SINGLE + 2].value;
	ret->refault_pages[LRU_ANON] = items[SINGLE + 3].value;
	ret->refault_pages[LRU_FILE] = items[SINGLE + 4].value;
	ret->pgscan_pages = sum_or_parts(items + PGSCAN, PARTS, torn);
	ret->pgsteal_pages = sum_or_parts(items + PGSTEAL, PARTS, torn);
	ret->counts_proactive = items[PGSTEAL + 4].value != SAMPLE_UNKNOWN;
	/* Also the number of a file of its own, which may have been read. */
	if (items[ZSWAP].value != SAMPLE_UNKNOWN)
		ret->zswap_current_bytes = items[ZSWAP].value;
	return 0;
}

int kparse_memory_events(const char *text, size_t len, struct memcg_sample *ret)
{
	struct keyed items[] = {
		{.key = "high"},
		{.key = "max"},
		{.key = "oom"},
		{.key = "oom_kill"},
	};
	int r = keyed_read(text_of(text, len), KEYED_FLAT, items, ARRAY_SIZE(items));

	if (r < 0 && r != -EBADMSG)
		return r;
	ret->events_high = items[0].value;
	ret->events_max = items[1].value;
	ret->events_oom = items[2].value;
	ret->events_oom_kill = items[3].value;
	return 0;
}

int kparse_cpu_stat(const char *text, size_t len, uint64_t *ret_usec)
{
	struct keyed item = {.key = "usage_usec"};
	int r = keyed_read(text_of(text, len), KEYED_FLAT, &item, 1);

	if (r < 0 && r != -EBADMSG)
		return r;
	*ret_usec = item.value;
	return 0;
}

int kparse_cgroup_events(const char *text, size_t len, bool *ret_populated, bool *ret_frozen)
{
	struct keyed items[] = {{.key = "populated"}, {.key = "frozen"}};
	int r = keyed_read(text_of(text, len), KEYED_FLAT, items, ARRAY_SIZE(items));

	/* Torn is refused: a bool has no room for unknown. Kernels before 5.2 have no "frozen". */
	if (r < 0 || items[0].value > 1 || (items[1].found && items[1].value > 1))
		return -EINVAL;
	*ret_populated = items[0].value == 1;
	*ret_frozen = items[1].found && items[1].value == 1;
	return 0;
}

int kparse_cgroup_stat(const char *text, size_t len, uint64_t *ret_dying)
{
	struct keyed items[] = {{.key = "nr_dying_descendants"}};
	int r = keyed_read(text_of(text, len), KEYED_FLAT, items, ARRAY_SIZE(items));

	if (r < 0 && r != -EBADMSG)
		return r;
	*ret_dying = items[0].value;
	return 0;
}

int kparse_meminfo(const char *text, size_t len, struct meminfo *ret)
{
	struct keyed items[] = {
		{.key = "MemTotal"}, {.key = "MemAvailable"}, {.key = "SwapTotal"},
		{.key = "SwapFree"}, {.key = "Zswap"},
	};
	int r = keyed_read(text_of(text, len), KEYED_MEMINFO, items, ARRAY_SIZE(items));

	if (r < 0 && r != -EBADMSG)
		return r;
	ret->total_bytes = items[0].value;
	ret->available_bytes = items[1].value;
	ret->swap_total_bytes = items[2].value;
	ret->swap_free_bytes = items[3].value;
	ret->zswap_bytes = items[4].value;
	return 0;
}

static struct vmstat_reclaim vmstat_reclaim_of(const struct keyed items[4])
{
	return (struct vmstat_reclaim){
		.kswapd = items[0].value,
		.direct = items[1].value,
		.khugepaged = items[2].value,
		.proactive = items[3].value,
	};
}

int kparse_vmstat(const char *text, size_t len, struct vmstat *ret)
{
	struct keyed items[] = {
		{.key = "pgscan_kswapd"},
		{.key = "pgscan_direct"},
		{.key = "pgscan_khugepaged"},
		{.key = "pgscan_proactive"},
		{.key = "pgsteal_kswapd"},
		{.key = "pgsteal_direct"},
		{.key = "pgsteal_khugepaged"},
		{.key = "pgsteal_proactive"},
		{.key = "workingset_refault_anon"},
		{.key = "workingset_refault_file"},
		{.key = "oom_kill"},
	};
	int r = keyed_read(text_of(text, len), KEYED_FLAT, items, ARRAY_SIZE(items));

	if (r < 0 && r != -EBADMSG)
		return r;
	ret->pgscan = vmstat_reclaim_of(items);
	ret->pgsteal = vmstat_reclaim_of(items + 4);
	ret->refault_pages[LRU_ANON] = items[8].value;
	ret->refault_pages[LRU_FILE] = items[9].value;
	ret->oom_kill = items[10].value;
	return 0;
}

/*
 * PSI
 */

/* The total= of the rest of a PSI line; unknown unless there is exactly one. */
static uint64_t psi_line_total(struct text line)
{
	uint64_t total = SAMPLE_UNKNOWN;
	bool found = false;
	struct text word;

	while (text_take_word(&line, &word)) {
		if (!text_take(&word, "total="))
			continue;
		if (found || text_to_number(word, &total) < 0)
			return SAMPLE_UNKNOWN;
		found = true;
	}
	return total;
}

int kparse_psi(const char *text, size_t len, struct psi_total *ret)
{
	struct text t = text_of(text, len), line;
	struct psi_total total = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN};
	bool whole, some = false, full = false;

	while (text_take_line(&t, &line, &whole)) {
		if (text_take(&line, "some ")) {
			total.some_usec = some || !whole ? SAMPLE_UNKNOWN : psi_line_total(line);
			some = true;
		} else if (text_take(&line, "full ")) {
			total.full_usec = full || !whole ? SAMPLE_UNKNOWN : psi_line_total(line);
			full = true;
		}
	}
	if (total.some_usec == SAMPLE_UNKNOWN)
		return -EINVAL;
	*ret = total;
	return 0;
}

/*
 * Names
 */

const char *kparse_flaw_to_string(enum kparse_flaw flaw)
{
	static const char *const names[_KPARSE_FLAW_MAX] = {
		[KPARSE_OK] = "ok",
		[KPARSE_TORN] = "torn",
		[KPARSE_BAD_LINE] = "bad-line",
		[KPARSE_BAD_NUMBER] = "bad-number",
		[KPARSE_BAD_SEQUENCE] = "bad-sequence",
		[KPARSE_TOO_MANY] = "too-many",
		[KPARSE_NO_MEMCG] = "no-memcg",
		[KPARSE_NO_GENERATIONS] = "no-generations",
	};

	return (size_t)flaw < ARRAY_SIZE(names) ? names[flaw] : "unknown";
}
