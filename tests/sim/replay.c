/* SPDX-License-Identifier: MIT */
/*
 * A scenario on a real kernel: the accesses that policy-sim makes, the same pages in the same order,
 * made by pread() and by touching memory, in real cgroups. What differs in the results is the model.
 *
 *   sim-replay [--blind] SCENARIO DIRECTORY FILE...
 *
 * Makes the scenario's cgroups below DIRECTORY, reads one FILE for each workload that is not anon,
 * carries out the scenario's commands (`blind`) with --blind, and prints the counters of the measured
 * part. Time is the scenario's: what the host does meanwhile has no part in it. FILEs must not be
 * cached and without end; there is no readahead.
 *
 * One process for each cgroup makes the accesses of its workloads, a step at a time, one after
 * another. The processes prepare their tables before they enter their cgroups: what is charged
 * there is the scenario's pages and what the kernel needs for them. That part is no page a workload
 * could use, and the model has none: limits are raised by it.
 */
#include "arith.h"
#include "replay_cgroup.h"

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SEED 1

/* Limits follow what the kernel needs once in so many steps. To see that has the kernel sum up its
 * counters of the memcg, which it else does every two seconds (FLUSH_USEC in clru.c). */
#define LIMIT_STEPS (2 * USEC_PER_SEC / STEP_USEC)

struct player {
	struct real_cgroup cgroup;
	pid_t pid; /* 0: nothing runs there */
	int to, from;
};

static struct scenario scenario;
static struct workload workloads[WORKLOADS_MAX];
static struct player players[MEMCGS_MAX];

/* Where the pages of a workload are, for the process that uses them. */
static struct place {
	int fd;
	char *memory;   /* NULL: the file */
	uint32_t *laps; /* how often each page has become one of another file */
} places[WORKLOADS_MAX];

static struct workload *find_workload(uint32_t page)
{
	struct workload *w = workloads;

	while (page - w->first_page >= w->params.n_pages)
		w++;
	return w;
}

/* --- what workload.c asks of a host */

bool host_access(struct host *host, uint32_t page)
{
	struct workload *w = find_workload(page);
	struct place *place = &places[w - workloads];
	uint64_t offset = page - w->first_page;
	char byte;

	(void)host;
	if (place->memory) {
		/* Zeroes: what is swapped out takes no room. */
		((volatile char *)place->memory)[offset * KERNEL_PAGE_BYTES] = 0;
		return true;
	}
	offset += (uint64_t)place->laps[offset] * w->params.n_pages;
	if (pread(place->fd, &byte, 1, (off_t)(offset * KERNEL_PAGE_BYTES)) != 1)
		err(1, "page %llu", (unsigned long long)offset);
	return true;
}

void host_forget(struct host *host, uint32_t page)
{
	struct workload *w = find_workload(page);

	(void)host;
	places[w - workloads].laps[page - w->first_page]++;
}

/* --- the processes in the cgroups */

static void prepare(size_t w, const char *file)
{
	const struct workload_params *params = &workloads[w].params;
	size_t bytes = (size_t)params->n_pages * KERNEL_PAGE_BYTES;

	if (params->type == LRU_ANON) {
		places[w].memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (places[w].memory == MAP_FAILED ||
		    madvise(places[w].memory, bytes, MADV_NOHUGEPAGE) < 0)
			err(1, "memory");
		return;
	}
	if (params->mapped)
		errx(2, "mapped files are not replayed");
	places[w].fd = open(file, O_RDONLY | O_CLOEXEC);
	if (places[w].fd < 0)
		err(1, "%s", file);
	posix_fadvise(places[w].fd, 0, 0, POSIX_FADV_RANDOM);
	places[w].laps = calloc(params->n_pages, sizeof(*places[w].laps));
	if (!places[w].laps)
		err(1, "memory");
}

/* Makes as many steps as each word from the pipe says, 0: no more, and sends back how many accesses
 * it has made. */
static void play(size_t c, int in, int out)
{
	struct host host = {0};
	uint32_t steps;

	while (read(in, &steps, sizeof(steps)) == sizeof(steps) && steps > 0) {
		uint64_t accesses = 0;

		for (; steps > 0; steps--) {
			for (size_t w = 0; w < scenario.n_workloads; w++)
				if (scenario.workloads[w].cgroup == c)
					workload_run(&workloads[w], &host, STEP_USEC);
			host.now_usec += STEP_USEC;
		}
		for (size_t w = 0; w < scenario.n_workloads; w++)
			if (scenario.workloads[w].cgroup == c)
				accesses += workloads[w].result.accesses;
		if (write(out, &accesses, sizeof(accesses)) != sizeof(accesses))
			break;
	}
	_exit(0);
}

static void start_player(size_t c, char **files)
{
	struct player *player = &players[c];
	uint32_t first = 0;
	int to[2], from[2];

	if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
		err(1, "pipe");
	player->to = to[1];
	player->from = from[0];
	player->pid = fork();
	if (player->pid < 0)
		err(1, "fork");
	if (player->pid > 0) {
		close(to[0]);
		close(from[1]);
		return;
	}
	close(to[1]);
	close(from[0]);
	scenario_start_workloads(&scenario, SEED, workloads);
	for (size_t w = 0; w < scenario.n_workloads; w++) {
		workloads[w].first_page = first;
		first += workloads[w].params.n_pages;
		if (scenario.workloads[w].cgroup == c)
			prepare(w, files[w]);
	}
	real_cgroup_enter(&player->cgroup);
	play(c, to[0], from[1]);
}

/* All processes make so many steps, one process at a time; with several, one step at a time. Returns
 * their accesses so far. */
static uint64_t make_steps(uint32_t steps, size_t n_running)
{
	uint32_t at_once = n_running == 1 ? steps : 1;
	uint64_t sum = 0;

	for (; steps > 0; steps -= at_once) {
		sum = 0;
		for (size_t c = 0; c < scenario.n_cgroups; c++) {
			uint64_t accesses;

			if (players[c].pid == 0)
				continue;
			if (write(players[c].to, &at_once, sizeof(at_once)) != sizeof(at_once) ||
			    read(players[c].from, &accesses, sizeof(accesses)) != sizeof(accesses))
				errx(1, "%s ended", players[c].cgroup.path);
			sum += accesses;
		}
	}
	return sum;
}

/* --- the run */

static struct counters look(uint64_t accesses)
{
	struct counters sums = {.accesses = accesses};

	for (size_t c = 0; c < scenario.n_cgroups; c++)
		if (players[c].pid)
			real_cgroup_count(&players[c].cgroup, &sums);
	return sums;
}

static void print_rises(const struct counters *from, const struct counters *to)
{
	printf("accesses %llu\nrefaults %llu\npgscan %llu\npgsteal %llu\nagings %llu\n",
	       (unsigned long long)(to->accesses - from->accesses),
	       (unsigned long long)(to->refaults - from->refaults),
	       (unsigned long long)(to->pgscan - from->pgscan),
	       (unsigned long long)(to->pgsteal - from->pgsteal),
	       (unsigned long long)(to->max_seq - from->max_seq));
}

/* The first step after `step` that is a multiple of n. */
static uint64_t next_multiple(uint64_t step, uint64_t n)
{
	return (step / n + 1) * n;
}

static uint64_t steps_of(double residences)
{
	return (uint64_t)(residences * scenario.residence_sec * 1e6) / STEP_USEC;
}

static void run(bool blind, size_t n_running)
{
	const uint64_t warmup = steps_of(scenario.warmup);
	const uint64_t end = warmup + steps_of(scenario.length);
	const uint64_t period = blind ? scenario.blind.period_usec / STEP_USEC : UINT64_MAX / 2;
	struct counters begun = {0}, ended;
	uint64_t accesses = 0, next;

	for (uint64_t step = 0; step < end; step = next) {
		if (step % LIMIT_STEPS == 0)
			for (size_t c = 0; c < scenario.n_cgroups; c++)
				real_cgroup_limit(&players[c].cgroup);
		if (step == warmup)
			begun = look(accesses);
		next = min_u64(step < warmup ? warmup : end, next_multiple(step, LIMIT_STEPS));
		next = min_u64(next, next_multiple(step, period));
		accesses = make_steps((uint32_t)(next - step), n_running);
		for (size_t c = 0; next % period == 0 && c < scenario.n_cgroups; c++)
			if (players[c].pid)
				real_cgroup_command(&players[c].cgroup, &scenario.blind);
	}
	ended = look(accesses);
	print_rises(&begun, &ended);
}

static void start(const char *directory, char **files, size_t *ret_n_running)
{
	for (size_t c = 0; c < scenario.n_cgroups; c++) {
		const struct cgroup_line *line = &scenario.cgroups[c];

		real_cgroup_make(&players[c].cgroup,
				 line->parent < 0 ? directory : players[line->parent].cgroup.path,
				 line->name,
				 line->max > 0 ? (uint64_t)(line->max * scenario.memory_pages)
					       : SAMPLE_INFINITY);
	}
	for (size_t w = 0; w < scenario.n_workloads; w++)
		if (players[scenario.workloads[w].cgroup].pid == 0) {
			start_player(scenario.workloads[w].cgroup, files);
			++*ret_n_running;
		}
}

static void finish(void)
{
	const uint32_t no_steps = 0;

	for (size_t c = scenario.n_cgroups; c-- > 0;) {
		if (players[c].pid) {
			if (write(players[c].to, &no_steps, sizeof(no_steps)) < 0)
				err(1, "%s", players[c].cgroup.path);
			waitpid(players[c].pid, NULL, 0);
		}
		real_cgroup_remove(&players[c].cgroup);
	}
}

int main(int argc, char **argv)
{
	bool blind = argc > 1 && strcmp(argv[1], "--blind") == 0;
	size_t n_running = 0;

	argv += blind;
	argc -= blind;
	if (argc < 3)
		errx(2, "usage: sim-replay [--blind] SCENARIO DIRECTORY FILE...");
	scenario_read(&scenario, argv[1]);
	if (scenario.grain != 1)
		errx(2, "a page of the kernel's is one page: grain 1");
	if ((size_t)argc - 3 < scenario.n_workloads)
		errx(2, "a FILE for each workload");
	if (blind && !scenario.blind.period_usec)
		errx(2, "no commands in the scenario");
	start(argv[2], argv + 3, &n_running);
	run(blind, n_running);
	finish();
	return 0;
}
