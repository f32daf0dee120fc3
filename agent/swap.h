/* SPDX-License-Identifier: MIT */
/*
 * What swap there is: on which devices, and how much memory it takes itself.
 */
#ifndef FGRECLAIM_SWAP_H
#define FGRECLAIM_SWAP_H

#include "file.h"
#include "kparse.h"

#define SWAP_ZRAMS_MAX 8

struct swap_summary {
	unsigned areas;
	unsigned zram;                         /* of these, */
	unsigned zram_numbers[SWAP_ZRAMS_MAX]; /* the N of /dev/zramN of each, while there is room */
	unsigned rotational;                   /* of these, known to be on a disk that rotates */
	/* Each area with its device, for people: "/dev/zram0 (zram), /dev/sda2 (rotational)"; what
	 * does not fit is left out, with "..." in its place. */
	char text[120];
};

/* From ROOT/proc/swaps. No swap, and a list that is not understood, is none. */
void swap_look(const char *root, struct swap_summary *ret);

/* The same again and again: the list stays open, and the devices are looked at again only when areas
 * have come or gone. All zeros: not looked yet. */
struct swap_watch {
	struct kept_file list;
	bool looked;
	uint64_t fingerprint; /* of the areas that the summary is of */
	struct swap_summary summary;
};
const struct swap_summary *swap_watch_look(struct swap_watch *watch, const char *root);
void swap_watch_done(struct swap_watch *watch);

enum rotational {
	ROTATIONAL_UNKNOWN,
	ROTATIONAL_NO,
	ROTATIONAL_YES,
};

/* Of the disk that a swap area is on: a whole one, or that of a partition, from ROOT/sys. That of a
 * file is asked of the file system on the host only; of one on several disks it is unknown. */
enum rotational swap_rotational(const char *root, const struct swap_area *area);

/*
 * What swap saves costs memory again: the bytes that zram holds in RAM (mem_used_total of its
 * mm_stat) and zswap (Zswap in meminfo), or SAMPLE_UNKNOWN if that of a zram could not be read; and
 * the bytes that are in use of all areas.
 */
struct swap_memory {
	uint64_t held_bytes;
	uint64_t swapped_bytes;
};
void swap_measure(const char *root, struct swap_memory *ret);

#endif
