/* SPDX-License-Identifier: MIT */
/*
 * Looks at the host as the agent does, again and again, while churn removes and makes cgroups, and
 * holds each memcg of each snapshot against the truth: is the listing's record its own?
 *
 *	scan-check SCANS DIR TRUTH	DIR: as in /proc/PID/cgroup
 *
 * A record of the listing is wrong when its pages are not those of the cgroup with that id. A cgroup
 * that was charged before the scan and is not being removed holds exactly what churn gave it; the
 * others hold that at most. memory.current and memory.stat of the same snapshot must agree as well.
 * Prints KEY=VALUE lines. Exit: 0, 1 when anything was wrong.
 */
#define _GNU_SOURCE
#include "host.h"
#include "truth.h"

#include "file.h"
#include "kparse.h"
#include "macro.h"

#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define MOUNT "/sys/fs/cgroup"

/* memory.current is charged ahead for each processor, 64 pages at a time (MEMCG_CHARGE_BATCH), and
 * counts what the kernel itself needs for the cgroup, which is on no list. */
#define CURRENT_AHEAD_PAGES  (64 * 2)
#define CURRENT_KERNEL_PAGES 256

/* memory.stat lags behind by two seconds, or by 64 pages for each processor. */
#define STAT_LAG_PAGES (64 * 2)

#define STAT_EACH 17

/* What the process that charges a cgroup has of its own there, until it ends. */
#define CHARGER_PAGES 64

#define COMPLAINTS_MAX 20

/* Memory of our own (the table of truth is shared memory) is bounded by the number of cgroups: a
 * base, and so much for each. It does not grow after the first scans, but by the allocator's luck. */
#define ANON_BASE_KIB       2048
#define ANON_PER_CGROUP_KIB 6
#define ANON_GROWTH_KIB     512
#define SETTLED_SCANS       20

struct totals {
	uint64_t memcgs, listed, exact, moving, unknown, gone, flawed;
	uint64_t unlisted; /* alive, charged before the scan, and without a record */
	uint64_t wrong, wrong_gone, wrong_id, wrong_current, wrong_stat;
	uint64_t current_excess_pages; /* the most that memory.current was above the lists */
	uint64_t stats, stat_lag_pages;
	unsigned complaints;
};

struct check {
	const char *dir;
	struct truth_table *table;
	struct totals totals;
	uint64_t start_usec; /* of this scan */
	uint64_t number;     /* of memcgs whose memory.stat might be read */
};

struct held {
	uint64_t pages[_LRU_TYPE_MAX];
};

static struct held sum_generations(const struct snapshot *snapshot,
				   const struct memcg_sample *sample)
{
	struct held held = {0};

	for (uint32_t l = 0; l < sample->n_lruvecs; l++) {
		const struct lruvec_sample *lruvec = &snapshot->lruvecs[sample->first_lruvec + l];

		for (uint32_t g = 0; g < lruvec->n_gens; g++)
			for (int type = 0; type < _LRU_TYPE_MAX; type++)
				if (lruvec->gens[g].pages[type] != SAMPLE_UNKNOWN)
					held.pages[type] += lruvec->gens[g].pages[type];
	}
	return held;
}

/* Whether the path is still that cgroup's. */
static bool is_alive(const struct memcg *memcg)
{
	char path[512];
	struct stat st;

	snprintf(path, sizeof(path), MOUNT "%s", memcg->path);
	return stat(path, &st) == 0 && st.st_ino == memcg->id;
}

static void complain(struct check *check, const struct memcg *memcg, const struct truth *truth,
		     const struct held *held, const char *what)
{
	if (check->totals.complaints++ >= COMPLAINTS_MAX)
		return;
	printf("# %s of %s (id %" PRIu64 ", listed as %" PRIu64 "): %" PRIu64 " + %" PRIu64
	       " pages listed, %u + %u given; charged %jd ms before the scan, leaving %jd ms after "
	       "its start\n",
	       what, memcg->path, memcg->id, memcg->listing_id, held->pages[LRU_ANON],
	       held->pages[LRU_FILE], truth->anon_pages, truth->file_pages,
	       (intmax_t)(check->start_usec - truth->charged_usec) / 1000,
	       truth->leaving_usec ? (intmax_t)(truth->leaving_usec - check->start_usec) / 1000
				   : -1);
}

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void keep_most(uint64_t *most, uint64_t value)
{
	if (value > *most)
		*most = value;
}

/* The agent leaves out the memory.stat of small cgroups: here it is read of one in STAT_EACH. False
 * when it was not, or its cgroup has gone. */
static bool read_stat(struct check *check, const struct memcg *memcg,
		      const struct memcg_sample *sample, uint64_t lru_bytes[_LRU_TYPE_MAX])
{
	struct memcg_sample own;
	char text[8192];
	int len;

	memcpy(lru_bytes, sample->lru_bytes, sizeof(sample->lru_bytes));
	if (lru_bytes[LRU_ANON] != SAMPLE_UNKNOWN && lru_bytes[LRU_FILE] != SAMPLE_UNKNOWN)
		return true;
	if (check->number++ % STAT_EACH != 0)
		return false;
	len = file_read_at(memcg->dir_fd, "memory.stat", text, sizeof(text));
	if (len < 0 || kparse_memory_stat(text, (size_t)len, &own) < 0 || !is_alive(memcg))
		return false;
	memcpy(lru_bytes, own.lru_bytes, sizeof(own.lru_bytes));
	return true;
}

/* Of a memcg that holds still: the two other witnesses in the same snapshot. */
static void check_witnesses(struct check *check, const struct memcg *memcg,
			    const struct memcg_sample *sample, const struct truth *truth,
			    const struct held *held)
{
	struct totals *t = &check->totals;
	uint64_t listed = held->pages[LRU_ANON] + held->pages[LRU_FILE];
	uint64_t current = sample->current_bytes / 4096;
	uint64_t lru_bytes[_LRU_TYPE_MAX];

	if (sample->current_bytes == SAMPLE_UNKNOWN || current < listed ||
	    current > listed + CURRENT_AHEAD_PAGES + CURRENT_KERNEL_PAGES) {
		t->wrong_current++;
		complain(check, memcg, truth, held, "memory.current");
	} else {
		keep_most(&t->current_excess_pages, current - listed);
	}
	if (!read_stat(check, memcg, sample, lru_bytes))
		return;
	t->stats++;
	for (int type = 0; type < _LRU_TYPE_MAX; type++) {
		uint64_t lag = difference(lru_bytes[type] / 4096, held->pages[type]);

		if (lag > STAT_LAG_PAGES) {
			t->wrong_stat++;
			complain(check, memcg, truth, held, "memory.stat");
		} else {
			keep_most(&t->stat_lag_pages, lag);
		}
	}
}

static void check_listed(struct check *check, const struct memcg *memcg,
			 const struct memcg_sample *sample, const struct truth *truth,
			 const struct snapshot *snapshot, bool alive)
{
	struct totals *t = &check->totals;
	struct held held = sum_generations(snapshot, sample);
	uint64_t charged_usec = truth->charged_usec;
	bool exact = charged_usec && charged_usec < check->start_usec && !truth->leaving_usec;
	bool charging = !charged_usec || charged_usec > check->start_usec;
	uint64_t charger_pages = charging ? CHARGER_PAGES : 0;
	bool right = exact ? held.pages[LRU_ANON] == truth->anon_pages &&
				     held.pages[LRU_FILE] == truth->file_pages
			   : held.pages[LRU_ANON] <= truth->anon_pages + charger_pages &&
				     held.pages[LRU_FILE] <= truth->file_pages;

	t->listed++;
	if (exact)
		t->exact++;
	else
		t->moving++;
	if (!right) {
		t->wrong++;
		t->wrong_gone += !alive;
		complain(check, memcg, truth, &held, alive ? "listing" : "listing, gone,");
	} else if (exact) {
		check_witnesses(check, memcg, sample, truth, &held);
	}
}

static void check_memcg(struct check *check, const struct memcg *memcg,
			const struct memcg_sample *sample, const struct snapshot *snapshot)
{
	struct totals *t = &check->totals;
	struct truth *truth = truth_find(check->table, memcg->id);
	bool alive = is_alive(memcg);
	struct stat st;

	t->memcgs++;
	t->gone += !alive;
	if (sample->id != memcg->id || fstat(memcg->dir_fd, &st) < 0 || st.st_ino != memcg->id) {
		t->wrong_id++;
		printf("# %s is not of id %" PRIu64 "\n", memcg->path, memcg->id);
	}
	/* Made a moment ago: churn has not said yet what it will hold. */
	if (!truth) {
		t->unknown++;
		return;
	}
	if (sample->listed)
		check_listed(check, memcg, sample, truth, snapshot, alive);
	else if (alive && truth->charged_usec && truth->charged_usec < check->start_usec)
		t->unlisted++;
}

static void scan(struct host *host, struct check *check)
{
	struct snapshot snapshot;
	struct memcg *const *memcgs;
	size_t n;

	check->start_usec = now_usec();
	host_scan(host);
	host_sample(host, true, &snapshot);
	check->totals.flawed += host->sampler.flawed_records;
	memcgs = hierarchy_memcgs(host->hierarchy, &n);
	if (n != snapshot.n_memcgs)
		errx(1, "%zu memcgs, but %zu in the snapshot", n, snapshot.n_memcgs);
	for (size_t i = 0; i < n; i++)
		if (path_is_below(memcgs[i]->path, check->dir))
			check_memcg(check, memcgs[i], &snapshot.memcgs[i], &snapshot);
}

static void print(const struct totals *t, unsigned scans)
{
	printf("scans=%u\nrecords=%" PRIu64 "\nlisted=%" PRIu64 "\nexact=%" PRIu64
	       "\nmoving=%" PRIu64 "\nnew=%" PRIu64 "\ngone=%" PRIu64 "\n",
	       scans, t->memcgs, t->listed, t->exact, t->moving, t->unknown, t->gone);
	printf("flawed=%" PRIu64 "\nunlisted=%" PRIu64 "\n", t->flawed, t->unlisted);
	printf("wrong=%" PRIu64 "\nwrong_of_gone=%" PRIu64 "\nwrong_id=%" PRIu64
	       "\nwrong_current=%" PRIu64 "\nwrong_stat=%" PRIu64 "\n",
	       t->wrong, t->wrong_gone, t->wrong_id, t->wrong_current, t->wrong_stat);
	printf("current_excess_pages_max=%" PRIu64 "\nstats_read=%" PRIu64
	       "\nstat_lag_pages_max=%" PRIu64 "\n",
	       t->current_excess_pages, t->stats, t->stat_lag_pages);
}

static bool memory_is_bounded(const struct host *host, uint64_t settled_kib)
{
	uint64_t anon_kib = memory_kib("RssAnon:");
	size_t n;

	hierarchy_memcgs(host->hierarchy, &n);
	printf("vmhwm_kib=%" PRIu64 "\nanon_kib_after_%d_scans=%" PRIu64 "\nanon_kib=%" PRIu64
	       "\nanon_bytes_per_cgroup=%" PRIu64 "\n",
	       memory_kib("VmHWM:"), SETTLED_SCANS, settled_kib, anon_kib, anon_kib * 1024 / n);
	return anon_kib <= ANON_BASE_KIB + n * ANON_PER_CGROUP_KIB &&
	       (!settled_kib || anon_kib <= settled_kib + ANON_GROWTH_KIB);
}

int main(int argc, char **argv)
{
	struct check check = {0};
	struct totals *t = &check.totals;
	uint64_t start, settled_kib = 0;
	struct cpu_time cpu;
	struct host host;
	unsigned scans;
	bool bad;

	if (argc != 4)
		errx(2, "usage: scan-check SCANS DIR TRUTH");
	scans = (unsigned)atoi(argv[1]);
	check.dir = argv[2];
	check.table = truth_open(argv[3], false);
	host_open(&host);
	start = now_usec();
	for (unsigned i = 0; i < scans; i++) {
		scan(&host, &check);
		if (i + 1 == SETTLED_SCANS)
			settled_kib = memory_kib("RssAnon:");
	}
	cpu = cpu_time();
	print(t, scans);
	printf("seconds=%" PRIu64 "\nuser_msec_per_scan=%" PRIu64 "\nsystem_msec_per_scan=%" PRIu64
	       "\n",
	       (now_usec() - start) / 1000000, cpu.user_usec / 1000 / scans,
	       cpu.system_usec / 1000 / scans);
	bad = !memory_is_bounded(&host, settled_kib);
	host_close(&host);
	return bad || t->wrong || t->wrong_id || t->wrong_current || t->wrong_stat || !t->exact;
}
