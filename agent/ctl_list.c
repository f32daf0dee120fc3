/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl list: what the daemon saw of each cgroup and decided about it; or without a daemon, what
 * one would. That takes two looks, since rates need two; nothing is carried out.
 */
#include "ctl.h"
#include "arith.h"
#include "array.h"
#include "class_wait.h"
#include "clock.h"
#include "ctl_rows.h"
#include "pass.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

DEFINE_CLEANUP(struct config *, config_free)
DEFINE_CLEANUP(struct bus_client *, bus_client_free)

/* --- by a look of its own */

static int add_text(char ***texts, size_t n, const char *text)
{
	char **grown = reallocarray(*texts, n + 2, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	*texts = grown;
	grown[n] = strdup(text);
	grown[n + 1] = NULL;
	return grown[n] ? 0 : -ENOMEM;
}

static int fill_waiting(struct cgroup_rows *rows, const struct config *config,
			struct memcg *const *memcgs, size_t n_memcgs)
{
	uint64_t waiting = class_wait_find(config, memcgs, n_memcgs);
	char text[CLASS_WAIT_TEXT_MAX];
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < config->policy.n_classes && r >= 0; i++) {
		if (!(waiting & UINT64_C(1) << i))
			continue;
		r = add_text(&rows->waiting_classes, n, config->policy.classes[i].name);
		if (r >= 0)
			r = add_text(&rows->waiting, n,
				     class_wait_explain(config, i, text, sizeof(text)));
		n++;
	}
	return r;
}

/* json: paths as they are, and not for people. Of a recording nobody knows the age, nor does anything
 * happen between two looks at it. */
static int fill_rows(struct cgroup_rows *rows, const struct config *config,
		     struct memcg *const *memcgs, size_t n, bool live, bool json)
{
	uint64_t now_usec = live ? clock_usec(CLOCK_BOOTTIME) : 0;
	int r = array_reserve(rows->rows, rows->capacity, n);

	for (size_t i = 0; i < n && r >= 0; i++) {
		ledger_fill(memcgs[i], config, now_usec, &rows->rows[i]);
		if (json)
			rows->rows[i].path = memcgs[i]->path;
		rows->rows[i].dying_descendants = memcg_read_dying(memcgs[i]);
		rows->n++;
	}
	return r < 0 ? r : fill_waiting(rows, config, memcgs, n);
}

static void wait_usec(uint64_t usec)
{
	struct timespec left = {
		.tv_sec = (time_t)(usec / USEC_PER_SEC),
		.tv_nsec = (long)(usec % USEC_PER_SEC) * 1000,
	};

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

/* A recorded tree does not change, so nobody waits for it. */
static int look_twice(struct pass *pass, const struct ctl *ctl, const struct config *config,
		      bool live)
{
	uint64_t interval_usec = live ? ctl->wait_usec : config->interval_usec;
	uint64_t now_usec = clock_usec(CLOCK_BOOTTIME);
	struct plan plan;
	int r;

	r = pass_look(pass, config, now_usec, interval_usec, &plan);
	if (r < 0)
		return r;
	if (live) {
		wait_usec(interval_usec);
		now_usec = clock_usec(CLOCK_BOOTTIME);
	} else {
		now_usec += interval_usec;
	}
	return pass_look(pass, config, now_usec, interval_usec, &plan);
}

static int list_host(const struct ctl *ctl, const struct config *config, struct ctl_host *host)
{
	_cleanup_(pass_done) struct pass pass = {0};
	bool live = hierarchy_is_live(host->hierarchy);
	struct ctl_rows rows = {.dying = SAMPLE_UNKNOWN};
	struct memcg *const *memcgs;
	size_t n;
	int r;

	r = pass_init(&pass, ctl->root, host->hierarchy, &host->lru_gen, &host->features);
	if (r < 0)
		return r;
	r = look_twice(&pass, ctl, config, live);
	if (r < 0)
		return r;
	memcgs = hierarchy_memcgs(host->hierarchy, &n);
	r = fill_rows(&rows.rows, config, memcgs, n, live, ctl->json);
	rows.capability = capability_to_string(host->features.capability);
	rows.dying = ctl_host_dying(host->hierarchy);
	if (r >= 0 && ctl->json)
		r = ctl_rows_print_json(&rows);
	else if (r >= 0)
		ctl_rows_print(&rows, ctl->why);
	cgroup_rows_done(&rows.rows);
	return r;
}

static int list_alone(const struct ctl *ctl)
{
	_cleanup_(config_free_ptr) struct config *config = NULL;
	_cleanup_(ctl_host_close) struct ctl_host host = {0};
	struct config_error error;
	int r;

	host.lru_gen = (struct lru_gen){.read_fd = -1, .write_fd = -1};
	if (config_load(ctl->root, NULL, &config, &error) < 0) {
		ctl_fail("%s", error.text);
		return EXIT_CONFIGURATION;
	}
	if (ctl_host_open_tree(&host, ctl, config) < 0)
		return EXIT_FAILURE;
	if (!host.hierarchy)
		return ctl_fail("%s", host.why_not);
	ctl_host_probe(&host, ctl, config, false);
	if (!*ctl->root && geteuid() != 0)
		ctl_note("not root: what only root may open is not known here");
	r = list_host(ctl, config, &host);
	return r < 0 ? ctl_fail("%s", strerror(-r)) : EXIT_SUCCESS;
}

/* --- by the daemon */

/* False: there is none to be asked, and this was said unless it is the usual case. */
static bool ask_daemon(struct cgroup_rows *rows)
{
	_cleanup_(bus_client_free_ptr) struct bus_client *client = NULL;
	struct bus_client_error error;
	int r = bus_client_new(&client, &error);

	if (r >= 0)
		r = bus_client_list(client, rows, &error);
	if (r < 0 && error.why != BUS_CLIENT_NO_BUS && error.why != BUS_CLIENT_NO_AGENT)
		ctl_note("fgreclaimd does not tell: %s; looking without it", error.text);
	return r >= 0;
}

int ctl_list(const struct ctl *ctl)
{
	struct ctl_rows rows = {.from_daemon = true, .dying = SAMPLE_UNKNOWN};
	int r = 0;

	/* Who says how long to wait wants a look of its own. */
	if (*ctl->root || ctl->wait_given || !ask_daemon(&rows.rows))
		return list_alone(ctl);
	if (ctl->json)
		r = ctl_rows_print_json(&rows);
	else
		ctl_rows_print(&rows, ctl->why);
	cgroup_rows_done(&rows.rows);
	return r < 0 ? ctl_fail("%s", strerror(-r)) : EXIT_SUCCESS;
}
