/* SPDX-License-Identifier: MIT */
/*
 * What this host can do. Sources for each probe: kernel files as named below; that a request of
 * "0 swappiness=60" is refused with EINVAL by kernels without that key and does nothing on those
 * with it is mm/memcontrol.c memory_reclaim() of Linux 6.1 and 6.12.
 */
#include "feature.h"
#include "arith.h"
#include "door.h"
#include "file.h"
#include "lru_gen_probe.h"
#include "macro.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>

static const char *const names[_FEATURE_MAX] = {
	[FEATURE_CGROUP] = "cgroup2",
	[FEATURE_RECLAIM] = "memory.reclaim",
	[FEATURE_SWAPPINESS] = "swappiness",
	[FEATURE_MGLRU] = "mglru",
	[FEATURE_LRU_GEN] = "lru_gen",
	[FEATURE_ANON_ONLY] = "swappiness-max",
	[FEATURE_TIERS] = "lru_gen_full",
	[FEATURE_FG] = "fg",
	[FEATURE_PSI] = "psi",
	[FEATURE_SWAP] = "swap",
	[FEATURE_SWAP_MEMORY] = "swap-is-memory",
	[FEATURE_RING] = "io_uring",
	[FEATURE_WRITES] = "writes",
};

static const char *const remedies[_FEATURE_MAX] = {
	[FEATURE_CGROUP] = "boot with systemd.unified_cgroup_hierarchy=1",
	[FEATURE_RECLAIM] = "Linux 5.19 or later and a writable cgroup mount are needed, and not "
			    "6.17 or 6.18 without CONFIG_NUMA",
	[FEATURE_SWAPPINESS] = "without it file is reclaimed alone only where swap is no danger; "
			       "Linux 6.11 or later has it",
	[FEATURE_MGLRU] = "where the kernel has it: echo y >/sys/kernel/mm/lru_gen/enabled",
	[FEATURE_LRU_GEN] =
		"mount debugfs (systemctl start sys-kernel-debug.mount); kernel lockdown "
		"closes it for good",
	[FEATURE_TIERS] = "mount debugfs (systemctl start sys-kernel-debug.mount)",
	[FEATURE_FG] =
		"where it is known whether the kernel promotes by frequency: FastPath=yes or "
		"FastPath=no",
	[FEATURE_PSI] = "boot with psi=1; without it pressure is no brake",
	[FEATURE_SWAP] = "add zram swap; without swap no anon is reclaimed",
	[FEATURE_SWAP_MEMORY] = "use zram or zswap, or set Anon=yes to allow a disk",
	[FEATURE_RING] = "threads of our own do as well; for io_uring set sysctl "
			 "kernel.io_uring_disabled=0 and allow io_uring_* in seccomp",
	[FEATURE_WRITES] = "set Ring=auto: threads need nothing from the host",
};

/* What each builds on: what is missing for want of that is not worth a remedy of its own. */
static const enum feature needs[_FEATURE_MAX] = {
	[FEATURE_CGROUP] = _FEATURE_MAX,        [FEATURE_RECLAIM] = FEATURE_CGROUP,
	[FEATURE_SWAPPINESS] = FEATURE_RECLAIM, [FEATURE_MGLRU] = FEATURE_RECLAIM,
	[FEATURE_LRU_GEN] = FEATURE_MGLRU,      [FEATURE_ANON_ONLY] = FEATURE_LRU_GEN,
	[FEATURE_TIERS] = FEATURE_LRU_GEN,      [FEATURE_FG] = FEATURE_TIERS,
	[FEATURE_PSI] = FEATURE_RECLAIM,        [FEATURE_SWAP] = FEATURE_RECLAIM,
	[FEATURE_SWAP_MEMORY] = FEATURE_SWAP,   [FEATURE_RING] = FEATURE_WRITES,
	[FEATURE_WRITES] = FEATURE_RECLAIM,
};

static const char *const capability_names[_CAPABILITY_MAX] = {
	[CAPABILITY_OBSERVE] = "observe",         [CAPABILITY_RECLAIM] = "reclaim",
	[CAPABILITY_GENERATIONS] = "generations", [CAPABILITY_TIERS] = "tiers",
	[CAPABILITY_FAST_PATH] = "fast-path",
};

static void set(struct features *features, enum feature feature, bool present, const char *format,
		...) _printf_(4, 5);

static void set(struct features *features, enum feature feature, bool present, const char *format,
		...)
{
	struct feature_probe *probe = &features->probes[feature];
	va_list ap;

	probe->present = present;
	va_start(ap, format);
	vsnprintf(probe->evidence, sizeof(probe->evidence), format, ap);
	va_end(ap);
}

/* memory.reclaim of the first memcg that may be touched: asking for nothing there harms nobody. */
static void probe_reclaim(struct features *features, struct hierarchy *hierarchy)
{
	static const char request[] = "0 swappiness=60";
	struct memcg *const *memcgs = NULL;
	struct memcg *memcg = NULL;
	size_t n = 0;
	ssize_t r;
	int fd;

	if (hierarchy)
		memcgs = hierarchy_memcgs(hierarchy, &n);
	for (size_t i = 0; i < n && !memcg; i++)
		if (!memcgs[i]->omitted)
			memcg = memcgs[i];
	if (!memcg) {
		set(features, FEATURE_RECLAIM, false, "no memory cgroup that may be touched");
		set(features, FEATURE_SWAPPINESS, false, "not probed");
		return;
	}
	fd = memcg_reclaim_fd(memcg);
	if (fd < 0) {
		set(features, FEATURE_RECLAIM, false, "memory.reclaim of %.60s: %s", memcg->name,
		    strerror(-fd));
		set(features, FEATURE_SWAPPINESS, false, "not probed");
		return;
	}
	if (!hierarchy_is_live(hierarchy)) {
		set(features, FEATURE_RECLAIM, true, "memory.reclaim is there (not a live tree)");
		set(features, FEATURE_SWAPPINESS, false, "not probed: not a live tree");
		return;
	}
	set(features, FEATURE_RECLAIM, true, "memory.reclaim opens for writing");
	r = door_ask(fd, request);
	if (r < 0)
		set(features, FEATURE_SWAPPINESS, false, "\"%s\": %s", request, strerror((int)-r));
	else
		set(features, FEATURE_SWAPPINESS, true, "\"%s\" was taken", request);
}

/* As long as nobody is listed to be asked of, it is tried again. */
static void probe_anon_only(struct features *features, struct feature_host *host)
{
	struct lru_gen *lru_gen = host->lru_gen;
	bool probed = lru_gen->live && host->hierarchy && features->probes[FEATURE_MGLRU].present &&
		      features->probes[FEATURE_LRU_GEN].present;
	int r = probed && !lru_gen->asked ? lru_gen_probe(lru_gen, host->hierarchy) : 0;

	if (!probed)
		set(features, FEATURE_ANON_ONLY, false, "not probed");
	else if (r < 0)
		set(features, FEATURE_ANON_ONLY, false, "not probed yet: %s", strerror(-r));
	else
		set(features, FEATURE_ANON_ONLY, lru_gen->takes_max,
		    "lru_gen %s swappiness \"max\": %s", lru_gen->takes_max ? "takes" : "refuses",
		    lru_gen->takes_max ? "anon is evicted alone" : "200 evicts anon first");
}

static void probe_mglru(struct features *features, struct feature_host *host)
{
	const struct lru_gen *lru_gen = host->lru_gen;
	char text[32];
	int len = kept_file_read(&host->files.mglru, host->root, "/sys/kernel/mm/lru_gen/enabled",
				 text, sizeof(text));

	if (len < 0)
		set(features, FEATURE_MGLRU, false, "lru_gen/enabled: %s", strerror(-len));
	else
		set(features, FEATURE_MGLRU, strtoul(text, NULL, 0) & 1, "lru_gen/enabled is %.*s",
		    (int)strcspn(text, "\n"), text);
	if (lru_gen->read_fd < 0)
		set(features, FEATURE_LRU_GEN, false, "reading lru_gen: %s",
		    strerror(-lru_gen->read_error));
	else if (lru_gen->write_fd < 0)
		set(features, FEATURE_LRU_GEN, false, "writing lru_gen: %s",
		    strerror(-lru_gen->write_error));
	else
		set(features, FEATURE_LRU_GEN, true, "lru_gen opens for reading and writing");
	set(features, FEATURE_TIERS, lru_gen->full_readable, "lru_gen_full %s",
	    lru_gen->full_readable ? "opens for reading" : "does not open");
}

/* What was used within min_ttl_ms is never reclaimed by the kernel, which kills instead. */
static void probe_min_ttl(struct features *features, struct feature_host *host)
{
	char text[32];

	features->min_ttl_msec = 0;
	if (kept_file_read(&host->files.min_ttl, host->root, "/sys/kernel/mm/lru_gen/min_ttl_ms",
			   text, sizeof(text)) >= 0)
		features->min_ttl_msec = strtoull(text, NULL, 10);
}

static void take_behaviour(struct fg_evidence *ret, enum fg_verdict seen)
{
	static const char *const why[] = {
		[FG_UNDECIDED] = "no cgroup yet that could tell",
		[FG_NO] = "active in memory.stat follows the two youngest generations",
		[FG_YES] = "active in memory.stat is not the two youngest generations",
	};

	*ret = (struct fg_evidence){.says = seen};
	snprintf(ret->why, sizeof(ret->why), "%s", why[seen]);
}

/* Names were looked at before; how the kernel behaves is told in time. */
static void conclude_fg(struct features *features, const struct feature_host *host)
{
	struct feature_probe *probe = &features->probes[FEATURE_FG];
	const char *why[] = {[FG_NO] = NULL, [FG_YES] = NULL};
	enum fg_verdict verdict;

	take_behaviour(&features->fg[FG_BEHAVIOUR], host->fg_seen);
	verdict = fg_conclude(features->fg);
	for (enum fg_source s = _FG_SOURCE_MAX; s-- > 0;)
		if (features->fg[s].says != FG_UNDECIDED)
			why[features->fg[s].says] = features->fg[s].why;
	probe->unknown = host->fast_path == FAST_PATH_AUTO && verdict == FG_UNDECIDED;
	if (host->fast_path != FAST_PATH_AUTO)
		set(features, FEATURE_FG, host->fast_path == FAST_PATH_YES, "FastPath=%s",
		    fast_path_to_string(host->fast_path));
	else if (verdict != FG_UNDECIDED)
		set(features, FEATURE_FG, verdict == FG_YES, "%s", why[verdict]);
	else if (why[FG_YES])
		set(features, FEATURE_FG, false, "%s, but %s", why[FG_YES], why[FG_NO]);
	else
		set(features, FEATURE_FG, false, "neither symbols nor BTF nor behaviour tell");
}

/* A parameter of zswap in percent, 0: none. */
static uint64_t zswap_percent(struct kept_file *file, const char *root, const char *name)
{
	char text[16];
	uint64_t percent;
	int len = kept_file_read(file, root, name, text, sizeof(text));

	return len >= 0 && kparse_value(text, (size_t)len, &percent) >= 0 ? min_u64(percent, 100)
									  : 0;
}

static void probe_zswap(struct features *features, struct feature_host *host, bool swaps)
{
	struct feature_files *files = &host->files;
	char enabled[16] = "";

	kept_file_read(&files->zswap, host->root, "/sys/module/zswap/parameters/enabled", enabled,
		       sizeof(enabled));
	features->zswap = swaps && enabled[0] == 'Y';
	features->zswap_pool_ppm = 0;
	if (features->zswap)
		features->zswap_pool_ppm =
			zswap_percent(&files->zswap_percent, host->root,
				      "/sys/module/zswap/parameters/max_pool_percent") *
			zswap_percent(&files->zswap_threshold, host->root,
				      "/sys/module/zswap/parameters/accept_threshold_percent") *
			(PPM / 10000);
}

static void probe_swap(struct features *features, struct feature_host *host)
{
	const struct swap_summary *swap = swap_watch_look(&host->files.swap, host->root);

	probe_zswap(features, host, swap->areas > 0);
	features->swap_is_zram = swap->areas > 0 && swap->areas == swap->zram;
	features->swap_rotates = swap->rotational > 0;
	set(features, FEATURE_SWAP, swap->areas > 0, "%u swap area%s%s%s", swap->areas,
	    swap->areas == 1 ? "" : "s", swap->areas > 0 ? ": " : "", swap->text);
	set(features, FEATURE_SWAP_MEMORY, features->swap_is_zram || features->zswap,
	    "%u of %u are zram, %u on rotating disks, zswap is %s", swap->zram, swap->areas,
	    swap->rotational, features->zswap ? "on" : "off");
}

static void probe_psi(struct features *features, const char *root)
{
	char text[512];
	struct psi_total psi;
	int len = file_read_below(root, "/proc/pressure/memory", text, sizeof(text));

	if (len < 0)
		set(features, FEATURE_PSI, false, "pressure/memory: %s", strerror(-len));
	else
		set(features, FEATURE_PSI, kparse_psi(text, (size_t)len, &psi) >= 0,
		    "pressure/memory can be read");
}

/* Settled at start: what was opened then carries out every write. */
static void probe_writes(struct features *features, const struct feature_host *host)
{
	const char *error = strerror(-host->uring_error);

	if (host->ring == RING_THREADS)
		set(features, FEATURE_RING, false, "not tried: Ring=threads");
	else
		set(features, FEATURE_RING, host->uring_error == 0, "io_uring_setup: %s",
		    host->uring_error == 0 ? "works" : error);
	features->probes[FEATURE_RING].unwanted = host->ring == RING_THREADS;
	if (host->ring_error < 0)
		set(features, FEATURE_WRITES, false, "Ring=%s: %s",
		    ring_choice_to_string(host->ring), strerror(-host->ring_error));
	else
		set(features, FEATURE_WRITES, true, "through %s",
		    features->probes[FEATURE_RING].present ? "io_uring" : "threads");
}

static enum capability capability_of(const struct features *features)
{
	const struct feature_probe *probes = features->probes;

	if (!probes[FEATURE_CGROUP].present || !probes[FEATURE_RECLAIM].present ||
	    !probes[FEATURE_WRITES].present)
		return CAPABILITY_OBSERVE;
	if (!probes[FEATURE_MGLRU].present || !probes[FEATURE_LRU_GEN].present)
		return CAPABILITY_RECLAIM;
	if (!probes[FEATURE_TIERS].present)
		return CAPABILITY_GENERATIONS;
	return probes[FEATURE_FG].present ? CAPABILITY_FAST_PATH : CAPABILITY_TIERS;
}

static void probe_what_may_change(struct features *features, struct feature_host *host)
{
	if (host->reclaim_lies)
		set(features, FEATURE_RECLAIM, false,
		    "memory.reclaim reported success and freed nothing, again and again");
	else if (!features->probes[FEATURE_RECLAIM].present)
		probe_reclaim(features, host->hierarchy);
	probe_mglru(features, host);
	probe_anon_only(features, host);
	probe_min_ttl(features, host);
	probe_swap(features, host);
	conclude_fg(features, host);
	features->capability = capability_of(features);
}

void features_probe(struct features *ret, struct feature_host *host)
{
	struct features features = {0};

	if (host->hierarchy) {
		set(&features, FEATURE_CGROUP, true, "mounted, with the memory controller");
	} else {
		set(&features, FEATURE_CGROUP, false, "%s", host->why_not);
		set(&features, FEATURE_SWAPPINESS, false, "not probed");
	}
	fg_names_look(host->root, features.fg);
	probe_psi(&features, host->root);
	probe_writes(&features, host);
	probe_what_may_change(&features, host);
	*ret = features;
}

bool features_refresh(struct features *features, struct feature_host *host)
{
	struct features fresh = *features;
	bool changed;

	probe_what_may_change(&fresh, host);
	changed = memcmp(&fresh, features, sizeof(fresh)) != 0;
	*features = fresh;
	return changed;
}

void feature_files_close(struct feature_files *files)
{
	kept_file_close(&files->mglru);
	kept_file_close(&files->min_ttl);
	kept_file_close(&files->zswap);
	kept_file_close(&files->zswap_percent);
	kept_file_close(&files->zswap_threshold);
	swap_watch_done(&files->swap);
}

const char *feature_to_string(enum feature feature)
{
	return names[feature];
}

const char *capability_to_string(enum capability capability)
{
	return capability_names[capability];
}

const char *features_remedy(const struct features *features, enum feature feature)
{
	enum feature need = needs[feature];

	/* There is nothing to do about a kernel without the fast path. */
	if (features->probes[feature].present || features->probes[feature].unwanted ||
	    (need != _FEATURE_MAX && !features->probes[need].present) ||
	    (feature == FEATURE_FG && !features->probes[feature].unknown))
		return NULL;
	return remedies[feature];
}
