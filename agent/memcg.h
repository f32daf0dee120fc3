/* SPDX-License-Identifier: MIT */
/*
 * One memory cgroup: its identity, the descriptors of its files, and what the policy remembers of
 * it.
 *
 * A memcg is its cgroup id (the inode of its directory) and a directory descriptor held open, never
 * its path: paths are used again. A memcg that has gone is a normal result: reads and opens return
 * -ENODEV or -ENOENT, which memcg_is_gone_errno() tells from errors.
 */
#ifndef FGRECLAIM_MEMCG_H
#define FGRECLAIM_MEMCG_H

#include "account.h"
#include "estimate.h"
#include "params.h"
#include "read_cost.h"
#include "state.h"

#include <stdbool.h>
#include <stdint.h>

enum memcg_file {
	MEMCG_CURRENT,
	MEMCG_STAT,
	MEMCG_EVENTS,
	MEMCG_PRESSURE,
	MEMCG_IO_PRESSURE,
	MEMCG_CPU_STAT,
	MEMCG_CGROUP_EVENTS,
	MEMCG_SWAP_CURRENT,
	MEMCG_SWAP_MAX,
	MEMCG_ZSWAP_CURRENT,
	MEMCG_ZSWAP_MAX,
	MEMCG_ZSWAP_WRITEBACK,
	MEMCG_MIN,
	MEMCG_LOW,
	MEMCG_HIGH,
	MEMCG_MAX,
	_MEMCG_FILE_MAX,
};

/* savings.c: what our writes freed of it. */
struct memcg_freed {
	uint64_t held_bytes[_LRU_TYPE_MAX];    /* and what has not come back */
	uint64_t cost_bytes;                   /* what zram and zswap took for the anon of it */
	uint64_t unpriced_bytes;               /* anon of it for which that is not known */
	uint64_t refault_pages[_LRU_TYPE_MAX]; /* that were counted when this was last looked at */
};

/* protector.c: whose value memory.low has. */
enum low_owner {
	LOW_FREE,    /* whoever's it was without us */
	LOW_OURS,    /* set by us */
	LOW_FOREIGN, /* set by us once, and by somebody else since */
};
struct memcg_low {
	enum low_owner owner;
	bool changing;
	uint32_t said; /* bit I: that its protection is held down, for the reason of I */
	/* Of one that is ours, as in struct protect_entry: */
	uint64_t original_bytes;
	uint64_t former_bytes;
	uint64_t next_bytes;
};

/* Four generations in every kernel so far: sample.h. */
#define SEEN_GENS 4

/* What the last look saw of it that the policy does not remember, for those who ask between two
 * looks: pass.c. */
struct memcg_seen {
	uint64_t look_usec; /* when; 0: not yet, and the rest is unknown */
	bool listed;        /* its generations were */
	uint64_t current_bytes, swap_bytes;
	uint64_t floor_bytes; /* that it may not be taken below; SAMPLE_UNKNOWN: without a class */
	const char *floor_layer; /* what sets it; NULL: as above */
	struct seen_gen {
		uint64_t age_msec, bytes[_LRU_TYPE_MAX];
	} gens[SEEN_GENS]; /* the youngest first, of all nodes together; the last one has all older ones */
	uint32_t n_gens;
};

struct memcg {
	uint64_t id;
	char *path; /* from the top of the hierarchy; "/" is the root */
	char *name; /* the same for people: valid UTF-8, no control characters */
	int dir_fd;
	int fds[_MEMCG_FILE_MAX]; /* opened when first needed, -1 before; of a reading's thread */
	int usage_fds[3];         /* likewise, of who writes: memcg_read_usage() */
	int reclaim_fd;           /* memory.reclaim, likewise */

	struct memcg *parent; /* NULL: the root */
	struct memcg *first_child, *last_child, *next_sibling;
	int watch;           /* number of the directory's watch, negative: not watched */
	bool leaf;           /* no child */
	bool changed;        /* children came or went since they were read */
	bool marked;         /* user.fgreclaim.omit=1 on it or on an ancestor */
	bool omitted;        /* never to be touched: marked, or one of those that never are */
	bool paused;         /* likewise, as long as somebody wants so: pass_pause() */
	int32_t match_index; /* the class that its path fits, -1: none */
	int32_t class_index; /* the same, or the one that was asked for: memcg_class.h */
	uint64_t class_bits; /* bit I: its Hours= hold for it; 0 without a class */
	char asked_class[CLASS_NAME_MAX + 1]; /* by user.fgreclaim.class on it, empty: by none */
	bool asks;                            /* it or an ancestor asks for a class */
	const char *refused; /* a key that it would raise, or a sentence; NULL: it is followed */
	bool refusal_said;
	uint64_t first_seen_usec;
	uint64_t scan; /* number of the scan that last found it */

	uint64_t listing_id; /* how lru_gen names it in the last listing */

	size_t index; /* in the last scan, and so in the snapshot made of it */
	struct memcg_state state;
	struct outcome outcome; /* since its counters were last read */
	struct memcg_seen seen;
	struct memcg_freed freed;
	struct account account;
	struct account_past past;
	struct estimate estimate; /* of a dry run */
	uint64_t stall_seen_usec; /* of its memory.pressure, that the account has */
	struct memcg_low low;
	struct read_cost cost;
	uint64_t slow_bytes; /* that it gives in time, write_size.h; 0: not known to be slow */
	bool busy;           /* a write of ours is under way */
	unsigned references; /* actions that name it: it must not be freed */
};

/* Not in it, or not to be told from others there: the kernel gives this id to no memcg. */
#define LISTING_ID_NONE 0

/* scan is 0 once it has vanished from the tree. */
#define MEMCG_VANISHED 0

/* Takes over dir_fd on success and on failure. path is copied. Errors: -ENOMEM. */
int memcg_new(uint64_t id, const char *path, int dir_fd, struct memcg **ret);
struct memcg *memcg_free(struct memcg *memcg);

/* Never NULL. */
const char *memcg_file_to_string(enum memcg_file file);

/* Reads one of its files whole; length or -errno. The descriptor stays open for the next time,
 * while there are plenty. Touches memcg->fds and nothing else of it. */
int memcg_read(struct memcg *memcg, enum memcg_file file, char *buf, size_t size);

/* True if its directory carries the mark of its owner, user.fgreclaim.omit=1. */
bool memcg_read_mark(const struct memcg *memcg);

/* True if systemd has delegated what is below it: user.delegate=1, which it sets on cgroups of units
 * with Delegate=. */
bool memcg_read_delegated(const struct memcg *memcg);

/* What stands in user.fgreclaim.class; empty: nothing, "?": more than a class can be called. */
void memcg_read_asked_class(const struct memcg *memcg, char *buf, size_t size);

/* Removed cgroups below it that are not gone, or SAMPLE_UNKNOWN. Read anew each time. */
uint64_t memcg_read_dying(const struct memcg *memcg);

/* memory.low, for whoever writes it: read anew each time, the length or -errno; and written, 0 or
 * -errno. The kernel takes whole pages of it. */
int memcg_read_low(const struct memcg *memcg, char *buf, size_t size);
int memcg_write_low(const struct memcg *memcg, const char *text);

/* Descriptor of memory.reclaim, or -errno. */
int memcg_reclaim_fd(struct memcg *memcg);

/* A counter of reclaim, and who it was for. Parts that the kernel does not tell apart are
 * SAMPLE_UNKNOWN. */
struct reclaim_parts {
	uint64_t all;
	uint64_t direct;    /* by tasks; up to 6.14 proactive reclaim is in it */
	uint64_t proactive; /* through memory.reclaim */
};

/* What a write of ours is measured by. Unknown values are SAMPLE_UNKNOWN, the counters of a memcg
 * that the kernel takes long over among them. Has descriptors of its own: the kernel lets one reader
 * at a time through each (fs/kernfs/file.c), and another thread may be waiting in memcg_read(). */
struct memcg_usage {
	uint64_t current_bytes;
	uint64_t swap_bytes;
	struct reclaim_parts pgsteal, pgscan; /* pages */
	uint64_t zswap_bytes; /* what of swap_bytes is there compressed, and part of current_bytes */
};
int memcg_read_usage(struct memcg *memcg, struct memcg_usage *ret);

/* The larger of its own memory.min and memory.low as they are now; SAMPLE_INFINITY for "max".
 * Opened anew, for the same reason. Errors: as of reading. */
int memcg_read_protection(const struct memcg *memcg, uint64_t *ret_bytes);

bool memcg_is_gone_errno(int r);

/* Keeps a memcg alive over scans that no longer find it; the last one to let go frees it then. */
struct memcg *memcg_ref(struct memcg *memcg);
void memcg_unref(struct memcg *memcg);

#endif
