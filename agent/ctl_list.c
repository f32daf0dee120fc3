/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl list: what the daemon would see of each cgroup and decide about it, without a
 * daemon. Two looks, since rates need two; nothing is carried out.
 */
#include "ctl.h"
#include "arith.h"
#include "cgroup_name.h"
#include "class_wait.h"
#include "clock.h"
#include "explain.h"
#include "json.h"
#include "memcg_class.h"
#include "pass.h"
#include "tier.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#define SENTENCE_MAX 160
#define DISPLAY_MAX  128

DEFINE_CLEANUP(struct json_writer *, json_writer_free)
DEFINE_CLEANUP(struct config *, config_free)

/* One cgroup as it is shown. */
struct row {
	const struct memcg *memcg;
	const char *class; /* NULL: none */
	const char *match; /* FILE:LINE, NULL: none */
	uint64_t current_bytes;
	uint64_t working_set_bytes; /* SAMPLE_UNKNOWN: not measured, as all below */
	uint64_t cold_bytes;
	uint64_t refault_mpps[_LRU_TYPE_MAX];
	uint64_t age_msec;
	enum cgroup_kind kind;
	char display[DISPLAY_MAX]; /* what it is, for people */
	char sentence[SENTENCE_MAX];
	char protect[SENTENCE_MAX]; /* the same for memory.low */
};

struct list {
	const struct ctl *ctl;
	const struct config *config;
	const struct pass *pass;
	bool live;
};

static const char *action_to_string(enum action_kind action)
{
	static const char *const names[_ACTION_MAX] = {
		[ACTION_NONE] = "none",       [ACTION_AGE] = "age",
		[ACTION_EVICT] = "evict",     [ACTION_RECLAIM] = "reclaim",
		[ACTION_PROTECT] = "protect",
	};

	return (size_t)action < ARRAY_SIZE(names) ? names[action] : "invalid";
}

/* Of a recording nobody knows the age, nor does anything happen between two looks at it. */
static void fill_row(const struct list *list, const struct memcg *memcg, struct row *ret)
{
	const struct memcg_state *state = &memcg->state;
	const struct memcg_sample *sample = &list->pass->sampler.reading.samples[memcg->index];
	const struct config_match *match;
	struct cgroup_name name;
	int32_t class_index = memcg->class_index;

	config_classify(list->config, memcg->path, &match);
	*ret = (struct row){
		.memcg = memcg,
		.class = class_index < 0 ? NULL : list->config->policy.classes[class_index].name,
		.match = match ? match->origin : NULL,
		.current_bytes = sample->current_bytes,
		.working_set_bytes = sample->listed ? state->working_set_bytes : SAMPLE_UNKNOWN,
		.cold_bytes = sample->listed ? state->cold_bytes : SAMPLE_UNKNOWN,
		.age_msec = SAMPLE_UNKNOWN,
	};
	for (int type = 0; type < _LRU_TYPE_MAX; type++) {
		bool measured = state->dt_usec > 0 && is_number(state->last.refault_pages[type]);

		ret->refault_mpps[type] = measured ? state->refault_mpps[type] : SAMPLE_UNKNOWN;
	}
	if (list->live && state->last_usec > 0)
		ret->age_msec = saturating_sub(clock_usec(CLOCK_BOOTTIME), state->last_usec) / 1000;
	cgroup_name_parse(memcg->path, strlen(memcg->path), &name);
	ret->kind = name.kind;
	cgroup_name_display(&name, ret->display, sizeof(ret->display));
	explain_verdict(&state->verdict, ret->sentence, sizeof(ret->sentence));
	explain_verdict(&state->protect.verdict, ret->protect, sizeof(ret->protect));
}

static void print_rate(uint64_t mpps)
{
	if (is_number(mpps))
		printf(" %7" PRIu64 ".%" PRIu64, mpps / 1000, mpps / 100 % 10);
	else
		printf(" %9s", "-");
}

static void print_row(const struct row *row, bool why)
{
	char current[BYTES_TEXT_MAX], workset[BYTES_TEXT_MAX], cold[BYTES_TEXT_MAX];
	char asked[SENTENCE_MAX];

	printf("%9s %9s %9s", explain_bytes(row->current_bytes, current, sizeof(current)),
	       explain_bytes(row->working_set_bytes, workset, sizeof(workset)),
	       explain_bytes(row->cold_bytes, cold, sizeof(cold)));
	print_rate(row->refault_mpps[LRU_ANON]);
	print_rate(row->refault_mpps[LRU_FILE]);
	printf("  %-16.16s %s", row->class ? row->class : "-", row->memcg->name);
	/* Nobody knows a container by its path. */
	if (row->kind >= CGROUP_SESSION)
		printf(" [%s]", row->display);
	printf(": %s\n", row->sentence);
	if (!why)
		return;
	printf("%51s%s\n", "", row->match ? row->match : "no Match= fits");
	if (row->memcg->state.protect.verdict.reason != REASON_NONE)
		printf("%51s%s\n", "", row->protect);
	if (*memcg_class_explain(row->memcg, asked, sizeof(asked)))
		printf("%51s%s\n", "", asked);
}

static void print_table(const struct list *list, struct memcg *const *memcgs, size_t n)
{
	uint64_t waiting = class_wait_find(list->config, memcgs, n);

	printf("capability: %s\n%9s %9s %9s %9s %9s  %-16s %s\n",
	       capability_to_string(list->pass->features->capability), "CURRENT", "WORKSET", "COLD",
	       "ANON BACK", "FILE BACK", "CLASS", "CGROUP: DECISION");
	for (size_t i = 0; i < n; i++) {
		struct row row;

		fill_row(list, memcgs[i], &row);
		print_row(&row, list->ctl->why);
	}
	puts("WORKSET and COLD are anon. BACK: pages per second that return after they were "
	     "evicted.");
	for (size_t i = 0; i < list->config->policy.n_classes; i++) {
		char text[CLASS_WAIT_TEXT_MAX];

		if (waiting & (UINT64_C(1) << i))
			puts(class_wait_explain(list->config, i, text, sizeof(text)));
	}
	ctl_print_dying(ctl_host_dying(list->pass->hierarchy));
}

/* What Protect=auto would set memory.low to; null without it. */
static void put_protection(struct json_writer *writer, const struct row *row)
{
	const struct protect_state *protect = &row->memcg->state.protect;

	if (protect->verdict.reason == REASON_NONE) {
		json_put_null(writer, "protect");
		return;
	}
	json_begin_object(writer, "protect");
	json_put_u64(writer, "low_bytes", protect->low_bytes);
	json_put_u64(writer, "working_set_bytes", protect->workingset_bytes);
	json_put_text(writer, "reason", reason_to_string(protect->verdict.reason));
	json_put_text(writer, "sentence", row->protect);
	json_end(writer);
}

static void put_row(struct json_writer *writer, const struct row *row)
{
	const struct verdict *verdict = &row->memcg->state.verdict;

	json_begin_object(writer, NULL);
	json_put_text(writer, "path", row->memcg->path);
	json_put_text(writer, "name", row->display);
	json_put_text(writer, "kind", cgroup_kind_to_string(row->kind));
	json_put_u64(writer, "id", row->memcg->id);
	json_put_text(writer, "class", row->class);
	json_put_text(writer, "match", row->match);
	json_put_text(writer, "asked_class",
		      *row->memcg->asked_class ? row->memcg->asked_class : NULL);
	json_put_text(writer, "asked_class_refused", row->memcg->refused);
	json_put_u64(writer, "current_bytes", row->current_bytes);
	json_put_u64(writer, "working_set_bytes", row->working_set_bytes);
	json_put_u64(writer, "cold_bytes", row->cold_bytes);
	json_begin_object(writer, "refaults_per_second");
	json_put_milli(writer, "anon", row->refault_mpps[LRU_ANON]);
	json_put_milli(writer, "file", row->refault_mpps[LRU_FILE]);
	json_end(writer);
	json_put_u64(writer, "tier_return_ppm", tier_return_ppm(&row->memcg->state));
	json_put_text(writer, "action", action_to_string(verdict->action));
	json_put_text(writer, "reason", reason_to_string(verdict->reason));
	json_put_text(writer, "sentence", row->sentence);
	put_protection(writer, row);
	json_put_u64(writer, "age_ms", row->age_msec);
	json_put_u64(writer, "dying_descendants", memcg_read_dying(row->memcg));
	json_end(writer);
}

static int print_json(const struct list *list, struct memcg *const *memcgs, size_t n)
{
	_cleanup_(json_writer_free_ptr) struct json_writer *writer = NULL;
	uint64_t waiting = class_wait_find(list->config, memcgs, n);
	int r = json_writer_new(stdout, &writer);

	if (r < 0)
		return r;
	json_begin_object(writer, NULL);
	json_begin_array(writer, "cgroups");
	for (size_t i = 0; i < n; i++) {
		struct row row;

		fill_row(list, memcgs[i], &row);
		put_row(writer, &row);
	}
	json_end(writer);
	json_begin_array(writer, "waiting_classes");
	for (size_t i = 0; i < list->config->policy.n_classes; i++)
		if (waiting & (UINT64_C(1) << i))
			json_put_text(writer, NULL, list->config->policy.classes[i].name);
	json_end(writer);
	json_end(writer);
	return json_writer_finish(writer);
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

static int list_host(struct list *list, struct ctl_host *host)
{
	_cleanup_(pass_done) struct pass pass = {0};
	struct memcg *const *memcgs;
	size_t n;
	int r;

	list->pass = &pass;
	list->live = hierarchy_is_live(host->hierarchy);
	r = pass_init(&pass, list->ctl->root, host->hierarchy, &host->lru_gen, &host->features);
	if (r < 0)
		return r;
	r = look_twice(&pass, list->ctl, list->config, list->live);
	if (r < 0)
		return r;
	memcgs = hierarchy_memcgs(host->hierarchy, &n);
	if (list->ctl->json)
		return print_json(list, memcgs, n);
	print_table(list, memcgs, n);
	return 0;
}

int ctl_list(const struct ctl *ctl)
{
	_cleanup_(config_free_ptr) struct config *config = NULL;
	_cleanup_(ctl_host_close) struct ctl_host host = {0};
	struct config_error error;
	struct list list = {.ctl = ctl};
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
	ctl_host_probe(&host, ctl, config);
	if (!*ctl->root && geteuid() != 0)
		ctl_note("not root: what only root may open is not known here");
	list.config = config;
	r = list_host(&list, &host);
	return r < 0 ? ctl_fail("%s", strerror(-r)) : EXIT_SUCCESS;
}
