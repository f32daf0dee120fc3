/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimd: command line, configuration, manager.
 */
#include "config.h"
#include "log.h"
#include "macro.h"
#include "manager.h"
#include "notify.h"
#include "parse.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#define EXIT_USAGE 2

enum {
	OPT_CONFIG = 256,
	OPT_ROOT,
	OPT_DRY_RUN,
	OPT_ONCE,
	OPT_RECORD,
	OPT_RECORD_MAX,
	OPT_RECORD_HASH_NAMES,
	OPT_CHECK_CONFIG,
	OPT_DUMP_CONFIG,
	OPT_VERSION,
	OPT_HELP,
};

struct arguments {
	struct manager_options manager;
	bool check_config;
	bool dump_config;
};

static void print_help(void)
{
	puts("fgreclaimd [OPTION]...\n"
	     "Gives cold memory of cgroups back before the kernel has to take it.\n"
	     "\n"
	     "  --config=FILE    read this file and no other\n"
	     "  --root=DIR       look at DIR/sys and DIR/proc in place of the host's\n"
	     "  --dry-run        decide and report, do not act\n"
	     "  --once           look twice, act once, print a table, leave\n"
	     "  --record=FILE    write what is seen and planned to a trace, for fgreclaimctl "
	     "replay\n"
	     "  --record-max=SIZE    with FILE.1, the former part, below this: 64M if not given\n"
	     "  --record-hash-names  names of cgroups by a hash\n"
	     "  --check-config   check the configuration and leave\n"
	     "  --dump-config    print the effective configuration and leave\n"
	     "  --version        print the version and leave\n"
	     "  --help           print this and leave");
}

static const struct option options[] = {
	{"config", required_argument, NULL, OPT_CONFIG},
	{"root", required_argument, NULL, OPT_ROOT},
	{"dry-run", no_argument, NULL, OPT_DRY_RUN},
	{"once", no_argument, NULL, OPT_ONCE},
	{"record", required_argument, NULL, OPT_RECORD},
	{"record-max", required_argument, NULL, OPT_RECORD_MAX},
	{"record-hash-names", no_argument, NULL, OPT_RECORD_HASH_NAMES},
	{"check-config", no_argument, NULL, OPT_CHECK_CONFIG},
	{"dump-config", no_argument, NULL, OPT_DUMP_CONFIG},
	{"version", no_argument, NULL, OPT_VERSION},
	{"help", no_argument, NULL, OPT_HELP},
	{0},
};

static bool parse_record_max(const char *text, uint64_t *ret)
{
	if (parse_bytes(text, ret) >= 0 && *ret >= RECORDER_LEAST_BYTES && *ret <= INT64_MAX)
		return true;
	fprintf(stderr, "fgreclaimd: --record-max: \"%s\" is not a size of 16K or more\n", text);
	return false;
}

/* Returns -1 to go on, or the exit code. */
static int parse_arguments(int argc, char **argv, struct arguments *ret)
{
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case OPT_CONFIG:
			ret->manager.config_path = optarg;
			break;
		case OPT_ROOT:
			if (!*optarg) {
				fprintf(stderr, "fgreclaimd: --root= needs a directory\n");
				return EXIT_USAGE;
			}
			ret->manager.root = strcmp(optarg, "/") == 0 ? "" : optarg;
			break;
		case OPT_DRY_RUN:
			ret->manager.dry_run = true;
			break;
		case OPT_ONCE:
			ret->manager.once = true;
			break;
		case OPT_RECORD:
			ret->manager.record.path = optarg;
			break;
		case OPT_RECORD_MAX:
			if (!parse_record_max(optarg, &ret->manager.record.max_bytes))
				return EXIT_USAGE;
			break;
		case OPT_RECORD_HASH_NAMES:
			ret->manager.record.hash_names = true;
			break;
		case OPT_CHECK_CONFIG:
			ret->check_config = true;
			break;
		case OPT_DUMP_CONFIG:
			ret->dump_config = true;
			break;
		case OPT_VERSION:
			puts(PACKAGE_STRING);
			return EXIT_SUCCESS;
		case OPT_HELP:
			print_help();
			return EXIT_SUCCESS;
		default:
			return EXIT_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "fgreclaimd: unexpected argument \"%s\"\n", argv[optind]);
		return EXIT_USAGE;
	}
	return -1;
}

static int finish_output(int status)
{
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "fgreclaimd: writing to standard output: %s\n", strerror(errno));
		return EXIT_FAILURE;
	}
	return status;
}

static int run(const struct arguments *arguments, struct config *config)
{
	struct manager *manager;
	int r;

	r = manager_new(&arguments->manager, config, &manager);
	if (r < 0) {
		log_event(LOG_ERR, NULL, "cannot start: %s", strerror(-r));
		notify_failed(r, "cannot start");
		return EXIT_FAILURE;
	}
	r = manager_run(manager);
	manager_free(manager);
	if (r < 0) {
		log_event(LOG_ERR, NULL, "failed: %s", strerror(-r));
		notify_failed(r, "failed");
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {
		.manager = {.root = "", .record.max_bytes = RECORDER_MAX_BYTES},
	};
	struct config_error error;
	struct config *config;
	int status;

	log_open();
	status = parse_arguments(argc, argv, &arguments);
	if (status >= 0)
		return finish_output(status);
	if (config_load(arguments.manager.root, arguments.manager.config_path, &config, &error) <
	    0) {
		log_event(LOG_ERR, NULL, "%s", error.text);
		notify_failed(EINVAL, error.text);
		return EXIT_CONFIGURATION;
	}
	if (arguments.dump_config)
		config_dump(config, stdout);
	else if (arguments.check_config)
		puts("configuration OK");
	if (arguments.dump_config || arguments.check_config) {
		config_free(config);
		return finish_output(EXIT_SUCCESS);
	}
	return finish_output(run(&arguments, config));
}
