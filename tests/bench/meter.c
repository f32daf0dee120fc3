/* SPDX-License-Identifier: MIT */
/*
 * Watches a run of a bench. Once a second it writes a line of comma-separated values to standard
 * output: time, phase, residence times so far in this phase, the workload's counters, the agent's
 * CPU time, zram's own memory, and for each cgroup the counters of `columns`. A value that cannot
 * be read is an empty field.
 *
 *   meter --counters FILE --go PID [--agent CGROUP] [--progress FILE] [--full] --warm N,MIN,MAX
 *         --measure N,MIN,MAX NAME=CGROUP...
 *   meter --counters FILE --follow [--agent CGROUP] NAME=CGROUP...
 *
 * A residence time is the time in which as many pages leave the first cgroup as it has on its LRU
 * lists; they are summed up as d pgsteal / (anon + file), so that they are right while either
 * changes. A phase ends after N of them, but not before MIN seconds, and after MAX in any case;
 * the warm-up with --full not before the first cgroup has come near its limit. Between the two,
 * PID gets SIGUSR1.
 *
 * With --follow it is told: SIGUSR1 begins the second phase, SIGTERM ends it, each with a sample of
 * that moment.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "workload.h"

#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CGROUPS_MAX 3
#define TEXT_MAX    (1 << 20)
#define UNKNOWN     UINT64_MAX
#define LRU_GEN     "/sys/kernel/debug/lru_gen"
#define ZRAM        "/sys/block/zram0"
/* The first cgroup is at its limit when it holds so much of it: reclaim keeps it just below. */
#define FULL_PERCENT 97

enum column {
	CURRENT,
	ANON,
	FILE_PAGES,
	PGSCAN,
	PGSTEAL,
	REFAULT_ANON,
	REFAULT_FILE,
	EVENTS_MAX,
	EVENTS_HIGH,
	SWAP,
	STALL_MEMORY,
	STALL_MEMORY_FULL,
	STALL_IO,
	STALL_IO_FULL,
	CPU,
	MAX_SEQ,
	GENERATIONS,
	_COLUMN_MAX,
};

/* Where a column comes from: the word behind `key` in `file`, the first one after `line`. */
static const struct {
	const char *name, *file, *key, *line;
} columns[_COLUMN_MAX] = {
	[CURRENT] = {"current", "memory.current", ""},
	[ANON] = {"anon", "memory.stat", "\nanon "},
	[FILE_PAGES] = {"file", "memory.stat", "\nfile "},
	[PGSCAN] = {"pgscan", "memory.stat", "\npgscan "},
	[PGSTEAL] = {"pgsteal", "memory.stat", "\npgsteal "},
	[REFAULT_ANON] = {"refault_anon", "memory.stat", "\nworkingset_refault_anon "},
	[REFAULT_FILE] = {"refault_file", "memory.stat", "\nworkingset_refault_file "},
	[EVENTS_MAX] = {"events_max", "memory.events", "\nmax "},
	[EVENTS_HIGH] = {"events_high", "memory.events", "\nhigh "},
	[SWAP] = {"swap", "memory.swap.current", ""},
	[STALL_MEMORY] = {"stall_memory_usec", "memory.pressure", "total="},
	[STALL_MEMORY_FULL] = {"stall_memory_full_usec", "memory.pressure", "total=", "\nfull "},
	[STALL_IO] = {"stall_io_usec", "io.pressure", "total="},
	[STALL_IO_FULL] = {"stall_io_full_usec", "io.pressure", "total=", "\nfull "},
	[CPU] = {"cpu_usec", "cpu.stat", "\nusage_usec "},
	[MAX_SEQ] = {"max_seq", NULL, NULL},
	[GENERATIONS] = {"generations", NULL, NULL},
};

struct cgroup {
	const char *name, *path;
	uint64_t values[_COLUMN_MAX];
};

struct phase {
	uint64_t residences, min_seconds, max_seconds;
};

struct meter {
	int counters;
	pid_t go;
	const char *agent;
	FILE *progress;
	bool full, follow;
	struct phase phases[2];
	struct cgroup cgroups[CGROUPS_MAX];
	size_t n_cgroups;
	double residences; /* of this phase */
};

/* The whole file, with a newline before it so that a key is found in the first line too; empty
 * if it cannot be read. In static memory, until the next call. */
static const char *read_text(const char *path)
{
	static char text[TEXT_MAX];
	size_t length = 1;
	ssize_t n;
	int fd;

	text[0] = '\n';
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && length < sizeof(text) - 1 &&
	       (n = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)n;
	if (fd >= 0)
		close(fd);
	text[length] = '\0';
	return text;
}

static uint64_t number_after(const char *text, const char *line, const char *key)
{
	const char *at = line ? strstr(text, line) : text;
	unsigned long long value;
	char *end;

	at = at ? strstr(at, key) : NULL;
	if (!at)
		return UNKNOWN;
	value = strtoull(at + strlen(key), &end, 10);
	return end == at + strlen(key) ? UNKNOWN : value;
}

static uint64_t read_line_value(const char *directory, const char *file, const char *line,
				const char *key)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", directory, file);
	return number_after(read_text(path), line, key);
}

static uint64_t read_value(const char *directory, const char *file, const char *key)
{
	return read_line_value(directory, file, NULL, key);
}

/* mem_used_total, the third word: what zram itself takes, which no cgroup is charged for. */
static uint64_t read_zram(void)
{
	unsigned long long used;

	return sscanf(read_text(ZRAM "/mm_stat"), "%*u %*u %llu", &used) == 1 ? used : UNKNOWN;
}

/* The last generation of node 0 is the youngest. See the kernel's admin-
 * guide/mm/multigen_lru.rst for the layout. */
static void read_generations(struct cgroup *cgroup)
{
	const char *path = strncmp(cgroup->path, "/sys/fs/cgroup", 14) ? "" : cgroup->path + 14;
	unsigned long long seq;
	char line_end[512];
	const char *at;

	cgroup->values[MAX_SEQ] = cgroup->values[GENERATIONS] = UNKNOWN;
	snprintf(line_end, sizeof(line_end), " %s\n", path);
	at = strstr(read_text(LRU_GEN), line_end);
	at = at ? strstr(at, "node ") : NULL;
	if (!at)
		return;
	cgroup->values[GENERATIONS] = 0;
	while ((at = strchr(at, '\n')) && sscanf(++at, " %llu", &seq) == 1) {
		cgroup->values[MAX_SEQ] = seq;
		cgroup->values[GENERATIONS]++;
	}
}

static void read_cgroup(struct cgroup *cgroup)
{
	for (size_t i = 0; i < _COLUMN_MAX; i++)
		if (columns[i].file)
			cgroup->values[i] = read_line_value(cgroup->path, columns[i].file,
							    columns[i].line, columns[i].key);
	read_generations(cgroup);
}

static void print_header(const struct meter *meter)
{
	printf("usec,phase,residences,ops,stream,agent_cpu_usec,zram");
	for (size_t i = 0; i < meter->n_cgroups; i++)
		for (size_t k = 0; k < _COLUMN_MAX; k++)
			printf(",%s_%s", meter->cgroups[i].name, columns[k].name);
	putchar('\n');
}

static void print_value(uint64_t value)
{
	if (value == UNKNOWN)
		putchar(',');
	else
		printf(",%llu", (unsigned long long)value);
}

static void print_sample(const struct meter *meter, unsigned int phase)
{
	uint64_t ops[_BENCH_COUNTER_MAX] = {0};

	if (pread(meter->counters, ops, sizeof(ops), 0) != sizeof(ops))
		memset(ops, 0, sizeof(ops)); /* the workload has not begun */
	printf("%llu,%u,%.3f,%llu,%llu", (unsigned long long)workload_now_usec(), phase,
	       meter->residences, (unsigned long long)ops[BENCH_OPS],
	       (unsigned long long)ops[BENCH_STREAM]);
	print_value(meter->agent ? read_value(meter->agent, "cpu.stat", "\nusage_usec ") : UNKNOWN);
	print_value(read_zram());
	for (size_t i = 0; i < meter->n_cgroups; i++)
		for (size_t k = 0; k < _COLUMN_MAX; k++)
			print_value(meter->cgroups[i].values[k]);
	putchar('\n');
	fflush(stdout);
}

static void sample(struct meter *meter)
{
	const uint64_t *first = meter->cgroups[0].values;
	uint64_t before = first[PGSTEAL], lru;

	for (size_t i = 0; i < meter->n_cgroups; i++)
		read_cgroup(&meter->cgroups[i]);
	if (first[ANON] == UNKNOWN || first[FILE_PAGES] == UNKNOWN || first[PGSTEAL] == UNKNOWN)
		errx(1, "cannot read the counters of %s", meter->cgroups[0].path);
	lru = (first[ANON] + first[FILE_PAGES]) / BENCH_PAGE;
	if (before <= first[PGSTEAL] && lru)
		meter->residences += (double)(first[PGSTEAL] - before) / (double)lru;
}

static bool is_full(const struct cgroup *cgroup)
{
	uint64_t limit = read_value(cgroup->path, "memory.max", "\n");

	return limit == UNKNOWN || cgroup->values[CURRENT] >= limit / 100 * FULL_PERCENT;
}

static void show_progress(const struct meter *meter, unsigned int index, uint64_t seconds)
{
	const struct phase *phase = &meter->phases[index];

	if (!meter->progress)
		return;
	fprintf(meter->progress,
		"PROGRESS: %s %llu s of %llu to %llu, residence times %.1f of %llu, %llu MiB\n",
		index ? "measuring" : "warming up", (unsigned long long)seconds,
		(unsigned long long)phase->min_seconds, (unsigned long long)phase->max_seconds,
		meter->residences, (unsigned long long)phase->residences,
		(unsigned long long)meter->cgroups[0].values[CURRENT] >> 20);
	fflush(meter->progress);
}

static void run_phase(struct meter *meter, unsigned int index)
{
	const struct phase *phase = &meter->phases[index];
	const uint64_t begin = workload_now_usec();
	bool full = index == 1 || !meter->full;

	for (uint64_t ticks = 1;; ticks++) {
		uint64_t seconds, now = workload_now_usec(), next = begin + ticks * 1000000;

		if (next > now)
			usleep((useconds_t)(next - now));
		sample(meter);
		print_sample(meter, index);
		full = full || is_full(&meter->cgroups[0]);
		if (!full)
			meter->residences = 0;
		seconds = (workload_now_usec() - begin) / 1000000;
		if (ticks % 10 == 0)
			show_progress(meter, index, seconds);
		if (seconds >= phase->max_seconds ||
		    (full && seconds >= phase->min_seconds &&
		     meter->residences >= (double)phase->residences))
			return;
	}
}

static void follow(struct meter *meter)
{
	uint64_t next = workload_now_usec();
	unsigned int phase = 0;
	bool stop;

	do {
		bool go;

		stop = workload_should_stop();
		go = workload_take_go();
		sample(meter);
		print_sample(meter, phase);
		if (go) { /* the last sample of one phase is the first of the next */
			phase = 1;
			meter->residences = 0;
			print_sample(meter, phase);
		}
		while (next <= workload_now_usec())
			next += 1000000;
		if (!stop)
			workload_sleep(next - workload_now_usec());
	} while (!stop);
}

static void parse_phase(struct phase *ret, const char *option, char *text)
{
	const char *residences = strsep(&text, ","), *min = strsep(&text, ","), *max = text;

	if (!max)
		errx(2, "%s N,MIN,MAX", option);
	ret->residences = workload_parse_u64(option, residences);
	ret->min_seconds = workload_parse_u64(option, min);
	ret->max_seconds = workload_parse_u64(option, max);
}

static void parse_cgroup(struct meter *meter, char *text)
{
	struct cgroup *cgroup = &meter->cgroups[meter->n_cgroups++];

	cgroup->name = strsep(&text, "=");
	cgroup->path = text;
	if (!text)
		errx(2, "a cgroup is NAME=DIRECTORY");
}

static void parse_option(struct meter *meter, int c, char *argument)
{
	switch (c) {
	case 'c':
		(void)bench_counters(argument); /* makes the file if the workload has not yet */
		meter->counters = open(argument, O_RDONLY | O_CLOEXEC);
		break;
	case 'g':
		meter->go = (pid_t)workload_parse_u64("--go", argument);
		break;
	case 'a':
		meter->agent = argument;
		break;
	case 'p':
		meter->progress = fopen(argument, "we");
		break;
	case 'f':
		meter->full = true;
		break;
	case 'o':
		meter->follow = true;
		break;
	case 'w':
		parse_phase(&meter->phases[0], "--warm", argument);
		break;
	case 'm':
		parse_phase(&meter->phases[1], "--measure", argument);
		break;
	default:
		exit(2);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"counters", required_argument, NULL, 'c'},
		{"go", required_argument, NULL, 'g'},
		{"agent", required_argument, NULL, 'a'},
		{"progress", required_argument, NULL, 'p'},
		{"full", no_argument, NULL, 'f'},
		{"follow", no_argument, NULL, 'o'},
		{"warm", required_argument, NULL, 'w'},
		{"measure", required_argument, NULL, 'm'},
		{0},
	};
	struct meter meter = {.counters = -1};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		parse_option(&meter, c, optarg);
	for (; optind < argc && meter.n_cgroups < CGROUPS_MAX; optind++)
		parse_cgroup(&meter, argv[optind]);
	if (optind < argc || !meter.n_cgroups || meter.counters < 0 ||
	    (meter.go > 0) == meter.follow)
		errx(2, "usage: see meter.c");

	print_header(&meter);
	if (meter.follow) {
		workload_init();
		follow(&meter);
		return 0;
	}
	sample(&meter);
	meter.residences = 0;
	run_phase(&meter, 0);
	if (kill(meter.go, SIGUSR1) < 0)
		err(1, "the workload is gone");
	meter.residences = 0;
	print_sample(&meter, 1);
	run_phase(&meter, 1);
	return 0;
}
