/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl: command line, and one function for each verb.
 */
#include "ctl.h"
#include "arith.h"
#include "file.h"
#include "parse.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

/* What list waits between its two looks; and at most: longer is a mistake in the unit. */
#define WAIT_USEC     USEC_PER_SEC
#define WAIT_MAX_USEC (3600 * USEC_PER_SEC)

enum {
	OPT_ROOT = 256,
	OPT_JSON,
	OPT_WHY,
	OPT_WAIT,
	OPT_SINCE,
	OPT_CONFIG,
	OPT_SWEEP,
	OPT_VERSION,
	OPT_HELP,
};

struct verb {
	const char *name;
	int (*run)(const struct ctl *ctl);
	bool takes_cgroup, needs_cgroup;
	bool lists; /* takes --why */
	bool waits; /* takes --wait= */
	bool no_json;
	bool looks_back; /* takes --since= */
	bool takes_trace;
	bool plans;       /* takes --config= and --sweep= */
	bool writes;      /* takes --output=, and must have it */
	bool asks_daemon; /* has no use for --root= */
};

static const struct verb verbs[] = {
	{.name = "features", .run = ctl_features},
	{.name = "list", .run = ctl_list, .lists = true, .waits = true},
	{.name = "generations", .run = ctl_generations, .takes_cgroup = true},
	{.name = "explain",
	 .run = ctl_explain,
	 .asks_daemon = true,
	 .takes_cgroup = true,
	 .needs_cgroup = true},
	{.name = "report", .run = ctl_report, .asks_daemon = true, .looks_back = true},
	{.name = "top", .run = ctl_top, .asks_daemon = true, .waits = true, .no_json = true},
	{.name = "replay", .run = ctl_replay, .takes_trace = true, .plans = true},
	{.name = "plot", .run = ctl_plot, .takes_trace = true, .writes = true},
	{.name = "status", .run = ctl_status, .asks_daemon = true},
	{.name = "pause", .run = ctl_pause, .asks_daemon = true, .takes_cgroup = true},
	{.name = "resume", .run = ctl_resume, .asks_daemon = true, .takes_cgroup = true},
	{.name = "reload", .run = ctl_reload, .asks_daemon = true},
};

static void print_help(void)
{
	puts("fgreclaimctl [OPTION]... VERB\n"
	     "Shows what fgreclaimd has to work with, and tells a running one what to do.\n"
	     "\n"
	     "Without a daemon:\n"
	     "  features              what this host can do, how that is known, what would help\n"
	     "  list                  cgroups, and what is decided about each of them: by the\n"
	     "                        daemon that runs, or what one would\n"
	     "  generations [CGROUP]  MGLRU's generations and tiers of one cgroup, or of all;\n"
	     "                        by path, or by the end of it: mongod.service\n"
	     "  replay TRACE          plans again what fgreclaimd has recorded\n"
	     "  plot TRACE -o FILE    draws it: memory, working set, refaults, decisions\n"
	     "Of the daemon, over the system bus:\n"
	     "  top                   the same as list and more, on a screen\n"
	     "  status                what it does, has done, and costs\n"
	     "  explain CGROUP        the last decision about it, with all that made it\n"
	     "  report                what was freed, what came back, what it cost, by cgroup\n"
	     "  pause [CGROUP]        leave a cgroup and all below it alone, or the whole host\n"
	     "  resume [CGROUP]       go on there\n"
	     "  reload                load its configuration anew\n"
	     "\n"
	     "  --root=DIR   look at DIR/sys and DIR/proc in place of the host's\n"
	     "  --json       print JSON\n"
	     "  --why        list: which line of the configuration decided the class\n"
	     "  --wait=SEC   list: time between its two looks at a live host, 1 if not given\n"
	     "               top: between two of its questions\n"
	     "  --since=TIME report: as far back, in full hours; to its start if not given\n"
	     "  --config=FILE    replay: by this configuration too, and what differs\n"
	     "  --sweep=[CLASS.]KEY=A,B,C    replay: a table, freed against refaults\n"
	     "  --output=FILE    plot: the SVG file that is written, -o for short\n"
	     "  --version    print the version and leave\n"
	     "  --help       print this and leave\n"
	     "\n"
	     "See fgreclaimctl(1).");
}

static int fail_usage(const char *format, ...) _printf_(1, 2);

static int fail_usage(const char *format, ...)
{
	va_list ap;

	fputs("fgreclaimctl: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return EXIT_USAGE;
}

/* Seconds, or with a unit: 500ms; 0 is none. */
static int parse_time(const char *text, uint64_t *ret_usec)
{
	uint64_t seconds, usec;

	if (parse_u64(text, &seconds) >= 0)
		usec = saturating_mul(seconds, USEC_PER_SEC);
	else if (parse_usec(text, &usec) < 0)
		return -EINVAL;
	*ret_usec = usec;
	return usec == 0 ? -ERANGE : 0;
}

/* Options that are for one verb alone; NULL: not given. */
struct only {
	const char *list, *wait, *report;
};

static int parse_wait(const char *text, struct ctl *ret)
{
	int r = parse_time(text, &ret->wait_usec);

	if (r < 0 || ret->wait_usec > WAIT_MAX_USEC)
		return fail_usage("--wait: \"%s\" is not between 1us and 1h", text);
	ret->wait_given = true;
	return -1;
}

static int parse_since(const char *text, struct ctl *ret)
{
	if (parse_time(text, &ret->since_usec) < 0)
		return fail_usage("--since: \"%s\" is no time, such as 2h", text);
	return -1;
}

static const struct option options[] = {
	{"root", required_argument, NULL, OPT_ROOT},
	{"json", no_argument, NULL, OPT_JSON},
	{"why", no_argument, NULL, OPT_WHY},
	{"wait", required_argument, NULL, OPT_WAIT},
	{"since", required_argument, NULL, OPT_SINCE},
	{"config", required_argument, NULL, OPT_CONFIG},
	{"sweep", required_argument, NULL, OPT_SWEEP},
	{"output", required_argument, NULL, 'o'},
	{"version", no_argument, NULL, OPT_VERSION},
	{"help", no_argument, NULL, OPT_HELP},
	{0},
};

/* Returns -1 to go on, or the exit code. */
static int parse_options(int argc, char **argv, struct ctl *ret, struct only *ret_only)
{
	int option, status = -1;

	while (status < 0 && (option = getopt_long(argc, argv, "o:", options, NULL)) >= 0) {
		switch (option) {
		case OPT_ROOT:
			if (!*optarg)
				return fail_usage("--root: no directory");
			ret->root = strcmp(optarg, "/") == 0 ? "" : optarg;
			break;
		case OPT_JSON:
			ret->json = true;
			break;
		case OPT_WHY:
			ret->why = true;
			ret_only->list = "--why";
			break;
		case OPT_CONFIG:
			ret->config_path = optarg;
			break;
		case OPT_SWEEP:
			ret->sweep = optarg;
			break;
		case 'o':
			ret->output = optarg;
			break;
		case OPT_WAIT:
			status = parse_wait(optarg, ret);
			ret_only->wait = "--wait";
			break;
		case OPT_SINCE:
			status = parse_since(optarg, ret);
			ret_only->report = "--since";
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
	return status;
}

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	return NULL;
}

static int check_trace_options(const struct ctl *ctl, const struct verb *verb)
{
	if (verb->takes_trace && !ctl->argument)
		return fail_usage("%s: no TRACE", verb->name);
	if (verb->takes_trace && *ctl->root)
		return fail_usage("--root is not for %s", verb->name);
	if ((ctl->config_path || ctl->sweep) && !verb->plans)
		return fail_usage("%s is not for %s", ctl->sweep ? "--sweep" : "--config",
				  verb->name);
	if (ctl->config_path && ctl->sweep)
		return fail_usage("--config and --sweep do not go together");
	if (!ctl->output != !verb->writes)
		return fail_usage(ctl->output ? "--output is not for %s" : "%s: no --output",
				  verb->name);
	return -1;
}

/* Returns the exit code, or sets *ret_verb to go on. */
static int parse_arguments(int argc, char **argv, struct ctl *ret, const struct verb **ret_verb)
{
	const struct verb *verb;
	struct only only = {0};
	int status = parse_options(argc, argv, ret, &only);

	if (status >= 0)
		return status;
	if (optind == argc)
		return fail_usage("no verb; try --help");
	verb = find_verb(argv[optind]);
	if (!verb)
		return fail_usage("unknown verb \"%s\"; try --help", argv[optind]);
	optind++;
	if ((verb->takes_cgroup || verb->takes_trace) && optind < argc)
		ret->argument = argv[optind++];
	if (optind < argc)
		return fail_usage("unexpected argument \"%s\"", argv[optind]);
	if (verb->needs_cgroup && !ret->argument)
		return fail_usage("%s: of which cgroup?", verb->name);
	if (ret->json && verb->no_json)
		return fail_usage("--json is not for %s", verb->name);
	if (only.wait && !verb->waits)
		return fail_usage("%s is not for %s", only.wait, verb->name);
	if (only.list && !verb->lists)
		return fail_usage("%s is not for %s", only.list, verb->name);
	if (only.report && !verb->looks_back)
		return fail_usage("%s is not for %s", only.report, verb->name);
	if (*ret->root && verb->asks_daemon)
		return fail_usage("--root is not for %s", verb->name);
	status = check_trace_options(ret, verb);
	if (status >= 0)
		return status;
	*ret_verb = verb;
	return EXIT_SUCCESS;
}

/* Whoever reads may stop to do so: head(1) is no reason for a message. */
static int finish_output(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (errno != EPIPE)
		ctl_fail("writing to standard output: %s", strerror(errno));
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct ctl ctl = {.root = "", .wait_usec = WAIT_USEC, .since_usec = UINT64_MAX};
	const struct verb *verb = NULL;
	struct stat st;
	int status;

	signal(SIGPIPE, SIG_IGN);
	status = parse_arguments(argc, argv, &ctl, &verb);
	if (!verb)
		return finish_output(status);
	if (*ctl.root && stat(ctl.root, &st) < 0)
		return ctl_fail("%s: %s", ctl.root, strerror(errno));
	file_raise_descriptor_limit();
	return finish_output(verb->run(&ctl));
}
