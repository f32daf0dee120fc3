/* SPDX-License-Identifier: MIT */
/*
 * The live listing against the kernel's other books, while nothing happens: for each memcg and node
 * memory.numa_stat, for each memcg memory.stat.
 *
 *	scan-sums [DIR]		DIR: below it are cgroups that hold still, without slack
 *
 * Those two count a cgroup with all below it, and with the dying ones; the listing counts each for
 * itself. So the listing is summed up by path, dying ones included. Exit: 0, 1 when a sum is off.
 */
#include "host.h"

#include "kparse.h"
#include "file.h"
#include "macro.h"

#include <err.h>
#include <inttypes.h>
#include <string.h>

#define NODES_MAX 8

/* Pages that were just allocated wait in a batch for each processor (PAGEVEC_SIZE, 31) before they
 * are on a list, and the counters are brought up to date by 64 for each processor
 * (MEMCG_CHARGE_BATCH) or every 2 s. The guest's own services are not still while this runs. */
#define SLACK_PAGES (2 * (31 + 64))

/* Readings in which each memcg must have agreed once: where the nodes of one are torn apart between
 * two pages of the listing it tells nothing, and a service may write to its log meanwhile. */
#define TRIES 10

struct sums {
	uint64_t pages[NODES_MAX][_LRU_TYPE_MAX];
	bool damaged; /* a record of it or below it must not be believed */
};

struct books {
	struct host host;
	const char *dir;
	struct sums *listed; /* by index of the memcg */
	bool *agreed;        /* likewise, in any of the readings */
	size_t n;
	unsigned nodes; /* in the listing */
	uint64_t records, bad_records;
};

struct comparison {
	uint64_t compared, off, most;
};

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void add_generations(const struct lruvec_sample *lruvec, struct sums *sums)
{
	if (lruvec->node >= NODES_MAX)
		errx(2, "node %" PRIu32, lruvec->node);
	for (uint32_t g = 0; g < lruvec->n_gens; g++)
		for (int type = 0; type < _LRU_TYPE_MAX; type++)
			if (lruvec->gens[g].pages[type] != SAMPLE_UNKNOWN)
				sums->pages[lruvec->node][type] += lruvec->gens[g].pages[type];
}

/* Adds a record to its memcg and all above it; the path of a dying one may be nobody's. */
static void take(const struct lru_gen_record *record, void *userdata)
{
	struct books *books = userdata;
	const struct lruvec_sample *lruvec = &record->lruvec;
	size_t len = record->path_len;

	books->records++;
	books->bad_records += record->flaw != KPARSE_OK;
	if (record->flaw == KPARSE_OK && lruvec->node >= books->nodes)
		books->nodes = lruvec->node + 1;
	for (;;) {
		struct memcg *memcg = hierarchy_find(books->host.hierarchy, record->path, len);

		if (memcg && record->flaw == KPARSE_OK)
			add_generations(lruvec, &books->listed[memcg->index]);
		else if (memcg)
			books->listed[memcg->index].damaged = true;
		if (len <= 1)
			return;
		while (len > 1 && record->path[len - 1] != '/')
			len--;
		len -= len > 1;
	}
}

static void read_listing(struct books *books)
{
	static struct lru_gen_record record;
	size_t former_n = books->n;
	ssize_t len;

	host_scan(&books->host);
	hierarchy_memcgs(books->host.hierarchy, &books->n);
	free(books->listed);
	books->listed = calloc(books->n, sizeof(*books->listed));
	/* Another number of memcgs, other indices. */
	if (books->n != former_n) {
		free(books->agreed);
		books->agreed = calloc(books->n, sizeof(*books->agreed));
	}
	books->records = books->bad_records = 0;
	len = lru_gen_read(&books->host.lru_gen);
	if (!books->listed || !books->agreed || len <= 0)
		errx(2, "no listing");
	kparse_lru_gen(books->host.lru_gen.text, (size_t)len, &record, take, books);
}

/* Adds the numbers of "KEY N0=1 N1=2" to *sums of type. */
static void add_line(const char *text, const char *key, int type, struct sums *sums)
{
	const char *line = text;
	size_t len = strlen(key);

	while (line && !(strncmp(line, key, len) == 0 && line[len] == ' ')) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		errx(1, "memory.numa_stat has no %s", key);
	for (line += len; *line == ' ';) {
		char *end;
		unsigned long node = strtoul(line + 2, &end, 10);
		uint64_t bytes = strtoull(end + 1, &end, 10);

		if (node < NODES_MAX)
			sums->pages[node][type] += bytes / 4096;
		line = end;
	}
}

/* False when it has gone. */
static bool read_numa_stat(const struct memcg *memcg, struct sums *ret)
{
	static const char *const keys[_LRU_TYPE_MAX][2] = {{"active_anon", "inactive_anon"},
							   {"active_file", "inactive_file"}};
	char text[16384];

	if (file_read_at(memcg->dir_fd, "memory.numa_stat", text, sizeof(text)) < 0)
		return false;
	*ret = (struct sums){0};
	for (int type = 0; type < _LRU_TYPE_MAX; type++)
		for (int i = 0; i < 2; i++)
			add_line(text, keys[type][i], type, ret);
	return true;
}

/* memory.stat, as the agent reads it. */
static bool read_stat(struct memcg *memcg, struct sums *ret)
{
	struct memcg_sample sample;
	char text[8192];
	int len = memcg_read(memcg, MEMCG_STAT, text, sizeof(text));

	if (len < 0 || kparse_memory_stat(text, (size_t)len, &sample) < 0)
		return false;
	*ret = (struct sums){0};
	for (int type = 0; type < _LRU_TYPE_MAX; type++)
		ret->pages[0][type] = sample.lru_bytes[type] / 4096;
	return true;
}

static bool is_still(const struct books *books, const struct memcg *memcg)
{
	return books->dir && path_is_below(memcg->path, books->dir);
}

static void compare(uint64_t listed, uint64_t counted, uint64_t slack, struct comparison *ret)
{
	uint64_t off = difference(listed, counted);

	ret->compared++;
	ret->off += off > slack;
	ret->most = off > ret->most ? off : ret->most;
}

/* Adds to the comparisons of its kind. */
static void compare_memcg(struct books *books, struct memcg *memcg, struct comparison *numa,
			  struct comparison *stat)
{
	const struct sums *listed = &books->listed[memcg->index];
	uint64_t slack = is_still(books, memcg) ? 0 : SLACK_PAGES;
	uint64_t off = numa->off + stat->off;
	struct sums numa_stat, memory_stat;

	if (listed->damaged || !read_numa_stat(memcg, &numa_stat) ||
	    !read_stat(memcg, &memory_stat))
		return;
	for (int type = 0; type < _LRU_TYPE_MAX; type++) {
		uint64_t sum = 0;

		for (unsigned node = 0; node < books->nodes; node++) {
			compare(listed->pages[node][type], numa_stat.pages[node][type], slack,
				numa);
			sum += listed->pages[node][type];
		}
		compare(sum, memory_stat.pages[0][type], slack, stat);
	}
	if (numa->off + stat->off == off)
		books->agreed[memcg->index] = true;
}

static void print(const char *name, const struct comparison *o)
{
	printf("%-40s %8" PRIu64 " sums, %3" PRIu64 " off, at most by %" PRIu64 " pages\n", name,
	       o->compared, o->off, o->most);
}

/* One reading; how many leaves have not agreed in any. The root's own files are the system's. */
static size_t read_all(struct books *books, int try)
{
	struct comparison numa[2] = {0}, stat[2] = {0};
	struct memcg *const *memcgs;
	size_t left = 0;

	read_listing(books);
	memcgs = hierarchy_memcgs(books->host.hierarchy, &books->n);
	for (size_t i = 1; i < books->n; i++) {
		bool still = is_still(books, memcgs[i]);

		compare_memcg(books, memcgs[i], &numa[still], &stat[still]);
		if (!memcgs[i]->leaf || books->agreed[i])
			continue;
		left++;
		if (try == TRIES)
			printf("# %s never agrees\n", memcgs[i]->name);
	}
	printf("reading %d: %zu memcgs, %u nodes, %" PRIu64 " records, %" PRIu64
	       " damaged; %zu memcgs have not agreed yet\n",
	       try, books->n, books->nodes, books->records, books->bad_records, left);
	print("test cgroups, memory.numa_stat, slack 0", &numa[true]);
	print("test cgroups, memory.stat, slack 0", &stat[true]);
	print("the others, memory.numa_stat, slack 190", &numa[false]);
	print("the others, memory.stat, slack 190", &stat[false]);
	return left;
}

int main(int argc, char **argv)
{
	struct books books = {.dir = argc > 1 ? argv[1] : NULL};
	size_t left = 1;

	host_open(&books.host);
	for (int try = 1; try <= TRIES && left > 0; try++)
		left = read_all(&books, try);
	free(books.listed);
	free(books.agreed);
	host_close(&books.host);
	return left > 0;
}
