/* SPDX-License-Identifier: MIT */
/*
 * Writes one CSV line a second about a few cgroups and zram: what the picture is drawn from. It is
 * a program because a shell loop doing the same would be the busiest process of an emulated guest.
 *
 * Each NAME=DIRECTORY gives the columns NAME_current, _swap, _anon, _file, _refault_anon,
 * _refault_file and _max (memory.events, hierarchical). Bytes, except refaults and max, which are
 * counts since the cgroup was made. `uptime` is seconds since boot, as in /proc/uptime. A value
 * that cannot be read (the cgroup is not there yet, or no more) is an empty field, never 0.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

#define TEXT_SIZE 16384 /* memory.stat is below 2 KiB on 6.12 */

/* Of each cgroup, in the order of print_sample(). */
static const char *const columns[] = {
	"current", "swap", "anon", "file", "refault_anon", "refault_file", "max",
};

static const char *const stat_keys[] = {"anon", "file", "workingset_refault_anon",
					"workingset_refault_file"};

/* Reads the file whole. Opening it each time is dearer than keeping it open, but never looks at a
 * cgroup that has been removed and made again under the same name. */
static bool read_text(const char *directory, const char *name, char text[static TEXT_SIZE])
{
	char path[4096];
	ssize_t n = -1;
	int fd, len;

	len = snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (len < 0 || (size_t)len >= sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, TEXT_SIZE - 1);
	close(fd);
	if (n < 0)
		return false;
	text[n] = '\0';
	return true;
}

/* The number behind "KEY " at the start of a line, as text; prints nothing if there is none. */
static void print_keyed(FILE *out, const char *text, const char *key)
{
	size_t key_len = strlen(key);

	fputc(',', out);
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, key_len) == 0 && line[key_len] == ' ') {
			const char *value = line + key_len + 1;

			fprintf(out, "%.*s", (int)strcspn(value, "\n"), value);
			return;
		}
	}
}

static void print_single(FILE *out, const char *directory, const char *name)
{
	char text[TEXT_SIZE];

	fputc(',', out);
	if (read_text(directory, name, text))
		fprintf(out, "%.*s", (int)strcspn(text, "\n"), text);
}

/* mm_stat: orig_data_size compr_data_size mem_used_total ... */
static void print_zram(FILE *out, const char *directory)
{
	unsigned long long orig, compressed, used;
	char text[TEXT_SIZE];

	if (directory && read_text(directory, "mm_stat", text) &&
	    sscanf(text, "%llu %llu %llu", &orig, &compressed, &used) == 3)
		fprintf(out, ",%llu,%llu", orig, used);
	else
		fputs(",,", out);
}

static void print_header(FILE *out, char **cgroups, int n)
{
	fputs("uptime", out);
	for (int i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++)
			fprintf(out, ",%.*s_%s", (int)strcspn(cgroups[i], "="), cgroups[i],
				columns[k]);
	fputs(",zram_orig,zram_used\n", out);
}

static void print_sample(FILE *out, char **cgroups, int n, const char *zram)
{
	char text[TEXT_SIZE];
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	fprintf(out, "%lld.%02ld", (long long)now.tv_sec, now.tv_nsec / 10000000);
	for (int i = 0; i < n; i++) {
		const char *directory = strchr(cgroups[i], '=') + 1;

		print_single(out, directory, "memory.current");
		print_single(out, directory, "memory.swap.current");
		if (!read_text(directory, "memory.stat", text))
			text[0] = '\0';
		for (size_t k = 0; k < sizeof(stat_keys) / sizeof(stat_keys[0]); k++)
			print_keyed(out, text, stat_keys[k]);
		if (!read_text(directory, "memory.events", text))
			text[0] = '\0';
		print_keyed(out, text, "max");
	}
	print_zram(out, zram);
	fputc('\n', out);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"interval-ms", required_argument, NULL, 'i'},
		{"zram", required_argument, NULL, 'z'},
		{0},
	};
	uint64_t interval_usec = 1000000, next;
	const char *zram = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'i':
			interval_usec = workload_parse_u64("--interval-ms", optarg) * 1000;
			break;
		case 'z':
			zram = optarg;
			break;
		default:
			return 2;
		}
	}
	for (int i = optind; i < argc; i++)
		if (!strchr(argv[i], '='))
			errx(2, "usage: sampler [--interval-ms N] [--zram DIR] NAME=CGROUP...");

	workload_init();
	print_header(stdout, argv + optind, argc - optind);
	next = workload_now_usec();
	while (!workload_should_stop()) {
		uint64_t now;

		print_sample(stdout, argv + optind, argc - optind, zram);
		if (fflush(stdout) != 0)
			err(1, "cannot write");
		next += interval_usec;
		now = workload_now_usec();
		if (next > now)
			workload_sleep(next - now);
	}
	return 0;
}
