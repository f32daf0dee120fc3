/* SPDX-License-Identifier: MIT */
/*
 * The unit `stream`: a backup, a grep, a virus scanner. It reads every file of a tree once, from
 * beginning to end, one at a time, and never comes back: what it leaves in the page cache is of no
 * use to anybody. It gives the kernel no hint (no O_DIRECT, no posix_fadvise), as most such
 * programs do not.
 *
 * It waits for SIGUSR1 before the first file, and when it is done (all files read, or --seconds
 * over) it stays until SIGTERM, so that its cgroup can still be looked at.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fts.h>
#include <getopt.h>
#include <string.h>

#include "workload.h"

struct progress {
	uint64_t files;
	uint64_t bytes;
	bool exhausted; /* the tree ended before the time did */
};

static void read_tree(char *root, uint64_t deadline_usec, struct progress *progress)
{
	char *roots[] = {root, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	FTSENT *entry;

	if (!tree)
		err(1, "%s", root);
	while ((entry = fts_read(tree))) {
		if (workload_now_usec() >= deadline_usec || workload_should_stop())
			break;
		switch (entry->fts_info) {
		case FTS_F:
		case FTS_NSOK: /* not looked at, by FTS_NOSTAT; readdir says it is no directory */
			progress->bytes += workload_read_file(entry->fts_accpath);
			progress->files++;
			break;
		case FTS_ERR:
		case FTS_DNR:
			errx(1, "%s: %s", entry->fts_path, strerror(entry->fts_errno));
		}
	}
	progress->exhausted = !entry;
	fts_close(tree);
}

static void write_result(const char *path, const struct progress *progress, uint64_t usec)
{
	FILE *file = workload_result_open(path);
	double seconds = (double)usec / 1e6, mib = (double)progress->bytes / (1024 * 1024);

	fprintf(file, "files=%llu\n", (unsigned long long)progress->files);
	fprintf(file, "bytes=%llu\n", (unsigned long long)progress->bytes);
	fprintf(file, "seconds=%.3f\n", seconds);
	fprintf(file, "mib_per_second=%.3f\n", seconds > 0 ? mib / seconds : 0.0);
	fprintf(file, "exhausted=%d\n", progress->exhausted);
	workload_result_close(file, path);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"seconds", required_argument, NULL, 's'},
		{"result", required_argument, NULL, 'r'},
		{0},
	};
	struct progress progress = {0};
	const char *result = NULL;
	uint64_t limit_usec = UINT64_MAX / 2, begin;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 's':
			limit_usec = workload_parse_u64("--seconds", optarg) * 1000000;
			break;
		case 'r':
			result = optarg;
			break;
		default:
			return 2;
		}
	}
	if (optind + 1 != argc)
		errx(2, "usage: stream [--seconds N] [--result FILE] DIRECTORY");

	workload_init();
	workload_ready("waiting for SIGUSR1");
	while (!workload_take_go()) {
		if (workload_should_stop())
			return 0;
		workload_wait_for_signal();
	}
	begin = workload_now_usec();
	read_tree(argv[optind], begin + limit_usec, &progress);
	write_result(result, &progress, workload_now_usec() - begin);
	while (!workload_should_stop())
		workload_wait_for_signal();
	return 0;
}
