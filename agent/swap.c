/* SPDX-License-Identifier: MIT */
/*
 * What swap there is. Sources: Documentation/ABI/stable/sysfs-block (queue/rotational),
 * Documentation/admin-guide/blockdev/zram.rst (mm_stat). A partition's directory in sysfs lies in
 * that of its disk, and /sys/class/block has links to both.
 */
#include "swap.h"
#include "arith.h"
#include "file.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define TEXT_MAX 16384

/* --- rotational */

/* folder: below ROOT, of a disk or a partition. */
static enum rotational rotational_of(const char *root, const char *folder)
{
	static const char *const places[] = {"/queue/rotational", "/../queue/rotational"};
	char path[PATH_MAX], text[16];
	bool rotational;

	for (size_t i = 0; i < 2; i++) {
		int len;

		if ((size_t)snprintf(path, sizeof(path), "%s%s", folder, places[i]) >= sizeof(path))
			continue;
		len = file_read_below(root, path, text, sizeof(text));
		if (len >= 0 && kparse_rotational(text, (size_t)len, &rotational) >= 0)
			return rotational ? ROTATIONAL_YES : ROTATIONAL_NO;
	}
	return ROTATIONAL_UNKNOWN;
}

/* By a name in /dev. A recorded tree has disks alone: there "sda2" is a part of "sda", and
 * "nvme0n1p2" one of "nvme0n1". */
static enum rotational rotational_of_name(const char *root, const char *name)
{
	char folder[PATH_MAX];
	enum rotational found;
	size_t len;

	snprintf(folder, sizeof(folder), "/sys/class/block/%s", name);
	found = rotational_of(root, folder);
	if (found != ROTATIONAL_UNKNOWN)
		return found;
	snprintf(folder, sizeof(folder), "/sys/block/%s", name);
	found = rotational_of(root, folder);
	if (found != ROTATIONAL_UNKNOWN)
		return found;
	len = strlen(folder);
	while (len > 0 && isdigit((unsigned char)folder[len - 1]))
		len--;
	if (len > 1 && folder[len - 1] == 'p' && isdigit((unsigned char)folder[len - 2]))
		len--;
	folder[len] = '\0';
	return rotational_of(root, folder);
}

enum rotational swap_rotational(const char *root, const struct swap_area *area)
{
	const char *name = strrchr(area->name, '/');
	char folder[64];
	struct stat st;

	if (!area->is_file)
		return name ? rotational_of_name(root, name + 1) : ROTATIONAL_UNKNOWN;
	/* Of a recorded file only the name is there. */
	if (*root || stat(area->name, &st) < 0)
		return ROTATIONAL_UNKNOWN;
	snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u", major(st.st_dev),
		 minor(st.st_dev));
	return rotational_of(root, folder);
}

/* --- all areas */

struct look {
	const char *root;
	struct swap_summary *summary;
	size_t len;
};

static const char *device_text(const struct swap_area *area, enum rotational rotational)
{
	if (area->is_zram)
		return "zram";
	switch (rotational) {
	case ROTATIONAL_YES:
		return area->is_file ? "file, rotational" : "rotational";
	case ROTATIONAL_NO:
		return area->is_file ? "file, not rotational" : "not rotational";
	case ROTATIONAL_UNKNOWN:
		break;
	}
	return area->is_file ? "file" : "unknown device";
}

static void add_text(struct look *look, const struct swap_area *area, enum rotational rotational)
{
	char *text = look->summary->text;
	size_t size = sizeof(look->summary->text) - sizeof(", ...") + 1;
	const char *comma = look->len > 0 ? ", " : "";
	int len;

	if (look->len >= size)
		return;
	len = snprintf(text + look->len, size - look->len, "%s%s (%s)", comma, area->name,
		       device_text(area, rotational));
	if (len < 0 || (size_t)len >= size - look->len) {
		sprintf(text + look->len, "%s...", comma);
		look->len = size;
		return;
	}
	look->len += (size_t)len;
}

static void look_at(const struct swap_area *area, void *userdata)
{
	struct look *look = userdata;
	enum rotational rotational =
		area->is_zram ? ROTATIONAL_NO : swap_rotational(look->root, area);

	look->summary->areas++;
	if (area->is_zram && look->summary->zram < SWAP_ZRAMS_MAX)
		look->summary->zram_numbers[look->summary->zram] =
			(unsigned)strtoul(strrchr(area->name, '/') + strlen("/zram"), NULL, 10);
	look->summary->zram += area->is_zram;
	look->summary->rotational += rotational == ROTATIONAL_YES;
	add_text(look, area, rotational);
}

static void each_area(const char *root, kparse_swap_emit_t emit, void *userdata)
{
	char text[TEXT_MAX];
	int len = file_read_below(root, "/proc/swaps", text, sizeof(text));

	if (len >= 0)
		kparse_swaps(text, (size_t)len, emit, userdata);
}

/* FNV-1a; whoever makes a collision has to be root. */
#define FINGERPRINT_BEGIN UINT64_C(0xcbf29ce484222325)
#define FINGERPRINT_PRIME UINT64_C(0x100000001b3)

static void mix(uint64_t *fingerprint, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*fingerprint =
			(*fingerprint ^ ((const unsigned char *)bytes)[i]) * FINGERPRINT_PRIME;
}

/* All but what is in use. */
static void mix_area(const struct swap_area *area, void *userdata)
{
	mix(userdata, area->name, strlen(area->name) + 1);
	mix(userdata, &area->size_bytes, sizeof(area->size_bytes));
	mix(userdata, &area->is_file, sizeof(area->is_file));
}

const struct swap_summary *swap_watch_look(struct swap_watch *watch, const char *root)
{
	uint64_t fingerprint = FINGERPRINT_BEGIN;
	struct look look = {.root = root, .summary = &watch->summary};
	char text[TEXT_MAX];
	int len = kept_file_read(&watch->list, root, "/proc/swaps", text, sizeof(text));

	if (len >= 0)
		kparse_swaps(text, (size_t)len, mix_area, &fingerprint);
	if (watch->looked && watch->fingerprint == fingerprint)
		return &watch->summary;
	watch->summary = (struct swap_summary){0};
	watch->looked = true;
	watch->fingerprint = fingerprint;
	if (len >= 0)
		kparse_swaps(text, (size_t)len, look_at, &look);
	return &watch->summary;
}

void swap_watch_done(struct swap_watch *watch)
{
	kept_file_close(&watch->list);
	*watch = (struct swap_watch){0};
}

void swap_look(const char *root, struct swap_summary *ret)
{
	struct swap_watch watch = {0};

	*ret = *swap_watch_look(&watch, root);
	swap_watch_done(&watch);
}

/* --- memory */

struct measure {
	const char *root;
	struct swap_memory *memory;
};

static void measure_area(const struct swap_area *area, void *userdata)
{
	struct measure *measure = userdata;
	struct swap_memory *memory = measure->memory;
	char path[PATH_MAX], text[512];
	struct zram_stat stat;
	int len;

	memory->swapped_bytes = saturating_add(memory->swapped_bytes, area->used_bytes);
	if (!area->is_zram)
		return;
	snprintf(path, sizeof(path), "/sys/block/%s/mm_stat", strrchr(area->name, '/') + 1);
	len = file_read_below(measure->root, path, text, sizeof(text));
	if (len < 0 || kparse_zram_mm_stat(text, (size_t)len, &stat) < 0)
		memory->held_bytes = SAMPLE_UNKNOWN;
	else if (is_number(memory->held_bytes))
		memory->held_bytes = saturating_add(memory->held_bytes, stat.used_bytes);
}

void swap_measure(const char *root, struct swap_memory *ret)
{
	struct measure measure = {.root = root, .memory = ret};
	char text[TEXT_MAX];
	struct meminfo meminfo;
	int len = file_read_below(root, "/proc/meminfo", text, sizeof(text));

	*ret = (struct swap_memory){0};
	each_area(root, measure_area, &measure);
	/* Kernels before 5.19 and those without zswap do not have the line. */
	if (len >= 0 && kparse_meminfo(text, (size_t)len, &meminfo) >= 0 &&
	    is_number(meminfo.zswap_bytes) && is_number(ret->held_bytes))
		ret->held_bytes = saturating_add(ret->held_bytes, meminfo.zswap_bytes);
}
