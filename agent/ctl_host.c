/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl: the host that is looked at, and what is said about it on standard error.
 */
#include "ctl.h"
#include "clock.h"
#include "escape.h"
#include "pass.h"
#include "ring.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

static void say(const char *format, va_list ap)
{
	fputs("fgreclaimctl: ", stderr);
	vfprintf(stderr, format, ap);
	fputc('\n', stderr);
}

int ctl_fail(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say(format, ap);
	va_end(ap);
	return EXIT_FAILURE;
}

void ctl_note(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say(format, ap);
	va_end(ap);
}

void ctl_print_text(FILE *file, const char *bytes, size_t len)
{
	_cleanup_free_ char *text = escape_text(bytes, len, true);

	fputs(text ? text : "?", file);
}

int ctl_host_open_tree(struct ctl_host *ret, const struct ctl *ctl, const struct config *config)
{
	static const struct config no_classes;
	int r;

	*ret = (struct ctl_host){.lru_gen = {.read_fd = -1, .write_fd = -1}};
	r = hierarchy_open(ctl->root, &ret->hierarchy, &ret->why_not);
	if (r == -ENODEV)
		return 0;
	if (r < 0) {
		ctl_fail("%s: %s", ret->why_not, strerror(-r));
		return r;
	}
	r = hierarchy_scan(ret->hierarchy, config ? config : &no_classes,
			   clock_usec(CLOCK_BOOTTIME));
	if (r < 0)
		ctl_fail("reading the cgroup tree: %s", strerror(-r));
	return r;
}

/* Opens what the daemon would, and closes it again. */
static void probe_ring(struct feature_host *host)
{
	sd_event *event = NULL;
	struct ring *ring = NULL;
	int r = sd_event_new(&event);

	host->ring_error = r < 0 ? r : ring_open(event, host->ring, &ring, &host->uring_error);
	ring_close(ring);
	sd_event_unref(event);
}

/* One look at all cgroups, which together may tell how the kernel behaves. */
static enum fg_verdict see_behaviour(struct ctl_host *host, const struct ctl *ctl,
				     const struct config *config)
{
	_cleanup_(pass_done) struct pass pass = {0};
	struct plan plan;

	if (pass_init(&pass, ctl->root, host->hierarchy, &host->lru_gen, &host->features) < 0 ||
	    pass_look(&pass, config, clock_usec(CLOCK_BOOTTIME), config->interval_usec, &plan) < 0)
		return FG_UNDECIDED;
	return fg_behaviour_judge(&pass.behaviour);
}

void ctl_host_probe(struct ctl_host *host, const struct ctl *ctl, const struct config *config,
		    bool look)
{
	bool live = host->hierarchy ? hierarchy_is_live(host->hierarchy) : !*ctl->root;
	struct feature_host probed = {
		.root = ctl->root,
		.hierarchy = host->hierarchy,
		.why_not = host->why_not,
		.lru_gen = &host->lru_gen,
		.ring = config ? config->ring : RING_AUTO,
		.fast_path = config ? config->fast_path : FAST_PATH_AUTO,
	};

	lru_gen_open(&host->lru_gen, ctl->root);
	if (live)
		probe_ring(&probed);
	features_probe(&host->features, &probed);
	if (look && config && host->hierarchy) {
		probed.fg_seen = see_behaviour(host, ctl, config);
		features_refresh(&host->features, &probed);
	}
	feature_files_close(&probed.files);
	if (!live)
		for (enum feature f = FEATURE_RING; f <= FEATURE_WRITES; f++)
			snprintf(host->features.probes[f].evidence,
				 sizeof(host->features.probes[f].evidence),
				 "not probed: not a live tree");
}

uint64_t ctl_host_dying(const struct hierarchy *hierarchy)
{
	struct memcg *const *memcgs = NULL;
	size_t n = 0;

	if (hierarchy)
		memcgs = hierarchy_memcgs(hierarchy, &n);
	return n > 0 ? memcg_read_dying(memcgs[0]) : SAMPLE_UNKNOWN;
}

void ctl_print_dying(uint64_t dying)
{
	if (dying != SAMPLE_UNKNOWN && dying > 0)
		printf("%" PRIu64 " dying cgroups: removed, but memory or something else of theirs "
		       "is left\n",
		       dying);
}

void ctl_host_close(struct ctl_host *host)
{
	hierarchy_close(host->hierarchy);
	lru_gen_close(&host->lru_gen);
}
