/* SPDX-License-Identifier: MIT */
/*
 * memory.low of one cgroup: see low.h.
 */
#include "low.h"
#include "arith.h"
#include "cgroup_name.h"
#include "explain.h"
#include "kparse.h"
#include "log.h"
#include "macro.h"
#include "messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The cgroup of the unit that a cgroup is in, or NULL. len: of the unit's path. */
static const struct memcg *find_above(const struct memcg *memcg, size_t len)
{
	while (memcg && strlen(memcg->path) > len)
		memcg = memcg->parent;
	return memcg;
}

enum low_writer low_writer_of(const struct memcg *memcg, bool has_systemd,
			      char ret_unit[static UNIT_NAME_LEN_MAX + 1])
{
	size_t len = strlen(memcg->path), unit_len;
	const struct memcg *unit;
	struct cgroup_name name;
	const char *last;

	ret_unit[0] = '\0';
	if (!has_systemd)
		return LOW_WRITER_SELF;
	cgroup_name_parse(memcg->path, len, &name);
	if (name.unit.len == 0)
		return LOW_WRITER_SELF;
	unit_len = (size_t)(name.unit.p + name.unit.len - memcg->path);
	if (unit_len == len) {
		if (name.manager.len > 0)
			return LOW_WRITER_NONE;
		snprintf(ret_unit, UNIT_NAME_LEN_MAX + 1, "%.*s", (int)name.unit.len, name.unit.p);
		return LOW_WRITER_SYSTEMD;
	}
	unit = find_above(memcg, unit_len);
	if (!unit || !memcg_read_delegated(unit))
		return LOW_WRITER_NONE;
	/* A systemd in there has its own. */
	last = strrchr(memcg->path, '/') + 1;
	return unit_name_is_valid(cgroup_unescape(name_part_text(last))) ? LOW_WRITER_NONE
									 : LOW_WRITER_SELF;
}

uint64_t low_read(const struct memcg *memcg)
{
	uint64_t bytes = SAMPLE_UNKNOWN;
	char text[64];
	int len = memcg_read_low(memcg, text, sizeof(text));

	if (len >= 0)
		kparse_value(text, (size_t)len, &bytes);
	return bytes;
}

int low_write(const struct memcg *memcg, uint64_t bytes)
{
	char text[32] = "max\n";

	if (is_number(bytes))
		snprintf(text, sizeof(text), "%" PRIu64 "\n", bytes);
	return memcg_write_low(memcg, text);
}

bool low_is_wanted(const struct memcg *memcg)
{
	return memcg->state.protect.low_bytes > 0 && !memcg->omitted && !memcg->paused;
}

uint64_t low_wanted(const struct memcg *memcg, uint64_t original_bytes)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t bytes = max_u64(memcg->state.protect.low_bytes, original_bytes);

	return is_number(bytes) ? bytes - bytes % page_bytes : bytes;
}

void low_say_foreign(const char *name, uint64_t ours_bytes, uint64_t now_bytes)
{
	char ours[BYTES_TEXT_MAX], now[BYTES_TEXT_MAX];

	log_event(LOG_NOTICE, MESSAGE_PROTECT,
		  "%s: memory.low is %s and not the %s set by Protect=auto: left to whoever set it",
		  name, explain_bytes(now_bytes, now, sizeof(now)),
		  explain_bytes(ours_bytes, ours, sizeof(ours)));
}
