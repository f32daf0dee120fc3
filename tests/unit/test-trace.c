/* SPDX-License-Identifier: MIT */
/*
 * Traces: hosts and histories thrown by dice are recorded, read again and planned again, and all of it is
 * as it was; whatever is damaged is refused, with its line.
 */
#include "policy-dice.h"

#include "macro.h"
#include "name_hash.h"
#include "replay.h"
#include "trace.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define LOOKS 60
#define HOSTS 40

static struct policy_world w;

static char *name(size_t memcg, void *userdata)
{
	char *text;

	(void)userdata;
	return asprintf(&text, "\"/memcg-%zu\"", memcg) < 0 ? NULL : text;
}

static struct config *default_config(void)
{
	struct config_error error;
	struct config *config;

	assert_int_equal(config_load("", "/dev/null", &config, &error), 0);
	return config;
}

static void put_header(struct trace_text *text, const struct config *config, uint64_t part)
{
	const struct trace_header header = {.recording = 7, .part = part};
	struct features features = {.capability = CAPABILITY_TIERS};
	char *config_text = trace_config_text(config, false);

	snprintf(features.probes[0].evidence, sizeof(features.probes[0].evidence), "\"\\\n\x01");
	trace_put_header(text, &header, config_text, &features);
	free(config_text);
}

/* By configuration, which has one class and defaults. */
static void plan(const struct config *config, struct trace_text *text, struct trace_frame *frame)
{
	for (size_t i = 0; i < w.snapshot.n_memcgs; i++)
		if (w.memcgs[i].class_index > 0)
			w.memcgs[i].class_index = 0;
	assert_int_equal(trace_text_snapshot(text, frame, &w.snapshot, w.states, name, NULL), 0);
	w.plan = (struct plan){.decisions = w.decisions, .capacity = w.capacity};
	policy_plan(&config->policy, &w.snapshot, w.states, w.planned_bytes, &w.plan);
	trace_text_plan(text, &w.plan, w.states, w.snapshot.n_memcgs);
}

/* Kept beside the trace, to hold it against. */
struct kept {
	struct snapshot snapshot;
	struct memcg_sample memcgs[WORLD_MEMCGS_MAX];
	struct lruvec_sample lruvecs[WORLD_LRUVECS_MAX];
};
static struct kept kept[LOOKS];

static void keep(struct kept *ret)
{
	ret->snapshot = w.snapshot;
	memcpy(ret->memcgs, w.memcgs, sizeof(w.memcgs));
	memcpy(ret->lruvecs, w.lruvecs, sizeof(w.lruvecs));
}

static void record(struct trace_text *text, uint64_t seed)
{
	struct dice dice = {.state = seed};
	struct trace_frame frame = {0};
	struct config *config = default_config();

	dice_build(&dice, &w, 0);
	w.capacity = policy_plan_capacity(&w.snapshot);
	put_header(text, config, 1);
	for (size_t i = 0; i < LOOKS; i++) {
		if (i == LOOKS / 2) {
			trace_frame_done(&frame);
			put_header(text, config, 2);
		}
		if (w.snapshot.n_memcgs > 0 && dice_once_in(&dice, 10))
			w.states[dice_below(&dice, w.snapshot.n_memcgs)].rebase = true;
		keep(&kept[i]);
		plan(config, text, &frame);
		for (size_t m = 0; m < w.snapshot.n_memcgs; m++)
			kept[i].memcgs[m].class_index = w.memcgs[m].class_index;
		dice_obey(&dice, &w);
		dice_happen(&dice, &w, 0);
	}
	assert_false(text->failed);
	trace_frame_done(&frame);
	config_free(config);
}

static struct trace_reader reader_of(const void *text, size_t len)
{
	struct trace_reader reader = {.name = "trace", .file = fmemopen((void *)text, len, "r")};

	assert_non_null(reader.file);
	return reader;
}

static void end(struct trace_reader *reader)
{
	fclose(reader->file);
	trace_reader_done(reader);
}

/* Every field that means something; generations beyond their number do not. */
static void same_rows(const struct snapshot *wanted, const struct snapshot *found)
{
	for (int rows = 0; rows < _TRACE_ROWS_MAX; rows++) {
		const struct trace_table *table = &trace_tables[rows];
		size_t n, n_found;
		const char *a = trace_rows_of(wanted, (enum trace_rows)rows, &n);
		const char *b = trace_rows_of(found, (enum trace_rows)rows, &n_found);

		if (rows == TRACE_TIERS)
			continue; /* not kept here: test_tiers */
		assert_int_equal(n, n_found);
		for (; n > 0; n--, a += table->row_bytes, b += table->row_bytes) {
			size_t bytes = trace_row_bytes((enum trace_rows)rows, a);

			for (size_t f = 0; f < table->n_fields; f++)
				if (table->fields[f].offset < bytes)
					assert_int_equal(trace_field_get(&table->fields[f], a, 0),
							 trace_field_get(&table->fields[f], b, 0));
		}
	}
	assert_int_equal(wanted->now_usec, found->now_usec);
}

static void test_plans_are_the_same(void **state _unused_)
{
	size_t decisions = 0;

	for (uint64_t seed = 1; seed <= HOSTS; seed++) {
		struct trace_text text = {0};
		struct trace_reader reader;
		struct replay replay = {0};
		size_t n = 0;

		record(&text, seed);
		reader = reader_of(text.data, text.len);
		while (trace_reader_next(&reader) > 0) {
			kept[n].snapshot.memcgs = kept[n].memcgs;
			kept[n].snapshot.lruvecs = kept[n].lruvecs;
			same_rows(&kept[n++].snapshot, &reader.parse.frame.snapshot);
			assert_int_equal(replay_tick(&replay, &reader), 0);
			assert_true(replay_is_as_recorded(&replay, &reader));
			decisions += replay.plan.n_decisions;
		}
		assert_string_equal(reader.error, "");
		assert_int_equal(n, LOOKS);
		replay_done(&replay);
		end(&reader);
		trace_text_done(&text);
	}
	assert_true(decisions > 0);
}

/* What is read is a plan's whole input: without a rebase that was recorded, plans differ. */
static void test_differences_are_seen(void **state _unused_)
{
	struct trace_text text = {0};
	struct trace_reader reader;
	struct replay replay = {0};
	struct config *config = default_config();
	size_t differ = 0;

	config->policy.classes[0].reclaim = RECLAIM_NONE;
	replay.config = config;
	record(&text, 3);
	reader = reader_of(text.data, text.len);
	while (trace_reader_next(&reader) > 0) {
		assert_int_equal(replay_tick(&replay, &reader), 0);
		assert_int_equal(replay.plan.n_decisions, 0);
		differ += !replay_is_as_recorded(&replay, &reader);
	}
	assert_true(differ > 0);
	replay_done(&replay);
	end(&reader);
	trace_text_done(&text);
	config_free(config);
}

static void refuse(const char *text, size_t len, const char *why)
{
	struct trace_reader reader = reader_of(text, len);
	int r;

	do
		r = trace_reader_next(&reader);
	while (r > 0);
	assert_int_equal(r, -EINVAL);
	if (!strstr(reader.error, why))
		fail_msg("\"%s\", not \"%s\"", reader.error, why);
	end(&reader);
}

static void test_cut_off(void **state _unused_)
{
	struct trace_text text = {0};
	char line[40];
	size_t lines = 1;

	record(&text, 5);
	for (size_t i = 1; i < text.len; i++) {
		lines += text.data[i - 1] == '\n';
		if (text.data[i - 1] == '\n' || i % 97 != 0)
			continue;
		snprintf(line, sizeof(line), "trace:%zu: cut off", lines);
		refuse(text.data, i, line);
	}
	trace_text_done(&text);
}

static void refuse_after_header(const char *tick, const char *why)
{
	struct trace_text text = {0};
	struct config *config = default_config();

	put_header(&text, config, 1);
	trace_text_put(&text, tick);
	trace_text_put(&text, "\n");
	refuse(text.data, text.len, why);
	trace_text_done(&text);
	config_free(config);
}

#define HEAD "\"head\":[[0,0,1,2,4096]],"
#define PLAN "\"plan\":[0,0,0,0]"

static void test_hostile(void **state _unused_)
{
	refuse_after_header("{}", "trace:2: neither");
	refuse_after_header("[1]", "trace:2: no object");
	refuse_after_header("{\"t\":1}", "no plan");
	refuse_after_header("{\"t\":1," PLAN "}", "pages of no size");
	refuse_after_header("{\"t\":1,\"n\":[1,0,0]," PLAN "}", "no ids");
	refuse_after_header("{\"t\":1,\"n\":[99999999,0,0],\"ids\":[]," PLAN "}", "any host");
	refuse_after_header("{\"t\":1,\"n\":[-1,0,0],\"ids\":[]," PLAN "}", "any host");
	refuse_after_header("{\"t\":1,\"n\":[2,0,0],\"ids\":[1]," PLAN "}", "not as many ids");
	refuse_after_header("{\"t\":1,\"n\":[1,0,0],\"ids\":[1]," HEAD PLAN "}", "no name");
	refuse_after_header("{\"t\":1,\"n\":[1,0,0],\"ids\":[1],\"new\":[[1,\"/\"]]," PLAN "}",
			    "no new cgroup");
	refuse_after_header("{\"t\":1,\"memcg\":[[0,0,1]]," PLAN "}", "not there");
	refuse_after_header("{\"t\":1,\"head\":[[0,0]]," PLAN "}", "not a row");
	refuse_after_header("{\"t\":1,\"head\":[[0,99,1]]," PLAN "}", "not a field");
	refuse_after_header("{\"t\":1,\"head\":[[0,2,-1]]," PLAN "}", "out of its range");
	refuse_after_header("{\"t\":1,\"rebase\":[0]," HEAD PLAN "}", "of no cgroup");
	refuse_after_header("{\"t\":1,\"decisions\":[[0,\"age\",\"\",0,0,0,0,0,0]]," HEAD PLAN "}",
			    "for no cgroup");
	refuse_after_header("{\"t\":1,\"system\":[[0,0,9]]," HEAD PLAN "}", "unknown capability");
	refuse_after_header("{\"config\":\"[Agent]\\nInterval=soon\\n\"}", "its configuration");
	refuse_after_header("{\"fgreclaim-trace\":2}", "another version");
	refuse("{\"t\":1}\n", 8, "trace:1: no header");
	refuse("{\"config\":\"\"}\n", 14, "trace:1: no header");
}

static void test_hostile_memcgs(void **state _unused_)
{
	/* Fields 0 and 1 are parent and class, 45 and 47 the numbers of lruvecs and tiers. */
	static const char *const cases[][2] = {
		{"0,0", "a cgroup before its parent"},
		{"0,4294967295,1,5", "a cgroup of no known class"},
		{"0,4294967295,45,1", "generations that are not there"},
		{"0,4294967295,47,1", "tiers that are not there"},
		{"0,4294967295,3,2", "\"leaf\" out of its range"},
	};

	assert_string_equal(trace_tables[TRACE_MEMCG].fields[45].name, "n_lruvecs");
	assert_string_equal(trace_tables[TRACE_MEMCG].fields[47].name, "n_tiers");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char tick[256];

		snprintf(tick, sizeof(tick),
			 "{\"t\":1,\"n\":[1,0,0],\"ids\":[1],\"new\":[[0,\"/\"]],"
			 "\"memcg\":[[0,%s]]," HEAD PLAN "}",
			 cases[i][0]);
		refuse_after_header(tick, cases[i][1]);
	}
}

/* Of one recording, in order. */
static void test_parts(void **state _unused_)
{
	struct trace_text text = {0};
	struct config *config = default_config();

	put_header(&text, config, 2);
	put_header(&text, config, 4);
	refuse(text.data, text.len, "trace:2: not the part that follows");
	trace_text_done(&text);
	config_free(config);
}

static void test_hash(void **state _unused_)
{
	/* Of the appendix of the paper: key 00 01 .. 0f, message 00 01 .. 0e. */
	const struct name_hash_key key = {
		{UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)}};
	unsigned char message[15];
	char *path;

	for (size_t i = 0; i < sizeof(message); i++)
		message[i] = (unsigned char)i;
	assert_int_equal(name_hash(&key, message, sizeof(message)), UINT64_C(0xa129ca6149be45e5));
	path = name_hash_path(&key, "/a/b/a");
	assert_int_equal(strlen(path), 3 * 17);
	assert_memory_equal(path, path + 34, 17);
	assert_memory_not_equal(path, path + 17, 17);
	free(path);
	path = name_hash_path(&key, "/");
	assert_string_equal(path, "/");
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plans_are_the_same),
		cmocka_unit_test(test_differences_are_seen),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_hostile_memcgs),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
