/* SPDX-License-Identifier: MIT */
/*
 * Every call to the kernel, failing in every way: scan, reading, listing and writes of three memcgs
 * over two passes, once for each call and each fault that it can meet. After that, and two passes of
 * a sound kernel, all has to be as in a run without faults.
 *
 * In each run: no crash and no descriptor left (and no memory, under AddressSanitizer); counters that
 * say no more than was done; not a word in the log, which is for what the administrator should know;
 * nothing queued, under way or referred to in the end, and every memcg known, listed and written to
 * as before.
 */
#include "arith.h"
#include "executor.h"
#include "macro.h"
#include "pass.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "fake-kernel.h"

#define MIB        (UINT64_C(1) << 20)
#define TICK       UINT64_C(5000000)
#define HOUR       UINT64_C(3600000000)
#define ERRNO_MOST 133
#define MEMCGS     "abc"

/* Distinct pairs of an operation and a fault. */
#define OPERATIONS_MAX 128

struct scene {
	sd_event *event;
	struct config *config;
	struct hierarchy *hierarchy;
	struct lru_gen lru_gen;
	struct features features;
	struct pass pass;
	struct ring *ring;
	struct executor *executor;
	uint64_t now_usec;
	unsigned n_failed_passes;
};

struct matrix {
	const struct fixture *fixture;
	sd_event *event;
	struct config *config;
	char reference[sizeof(fake_kernel.log)]; /* writes of the last pass without any fault */
	int log_fd;
	struct {
		char name[FAKE_NAME_MAX];
		bool met[FAULT_ENDS];
	} operations[OPERATIONS_MAX];
	unsigned n_operations, n_pairs, n_runs;
};

static int stderr_fd = -1; /* as it was; stderr is the log that is checked */

/* On failure: says where it was, and what has been said about it. */
static int teardown(void **state)
{
	char text[4096];

	if (stderr_fd >= 0) {
		dup2(stderr_fd, STDERR_FILENO);
		close(stderr_fd);
		fixture_read(*state, "log", text, sizeof(text));
		print_error("call %u, \"%s\", fault %d: %s\n", fake_kernel.fault_call,
			    fake_kernel.met, fake_kernel.fault, text);
	}
	return fixture_teardown(state);
}

/* The files that writes change, as they were. */
static void lay_out(const struct fixture *fixture)
{
	for (const char *name = MEMCGS; *name; name++) {
		const char path[] = {'/', *name, '\0'};

		fixture_write(fixture, fixture_memcg_file(path, "memory.current"), "1073741824\n");
		fixture_printf(fixture, fixture_memcg_file(path, "memory.stat"), FAKE_STAT,
			       (uintmax_t)60000, (uintmax_t)15000);
	}
}

static void make_host(const struct fixture *fixture)
{
	char listing[2048];
	size_t len = 0;

	fixture_add_cgroups(fixture);
	for (const char *name = MEMCGS; *name; name++) {
		const char path[] = {'/', *name, '\0'};

		fixture_add_memcg(fixture, path);
		len += (size_t)snprintf(listing + len, sizeof(listing) - len,
					"memcg %5d %s\n node     0\n %10d %10d %10d %10d \n"
					" %10d %10d %10d %10d \n %10d %10d %10d %10d \n"
					" %10d %10d %10d %10d \n",
					*name - 'a' + 1, path, 4, 900000, 9000, 500, 5, 600000, 10,
					10, 6, 300000, 10, 10, 7, 150000, 10, 10);
	}
	fixture_write(fixture, "sys/kernel/debug/lru_gen", listing);
	fixture_write(fixture, "sys/kernel/debug/lru_gen_full", listing);
	fixture_write(fixture, "proc/meminfo",
		      "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\nSwapTotal: 4194304 kB\n"
		      "SwapFree: 4194304 kB\n");
	lay_out(fixture);
}

static void scene_open(struct scene *scene, const struct matrix *matrix)
{
	const char *why;

	*scene = (struct scene){
		.event = matrix->event,
		.config = matrix->config,
		.features = {.capability = CAPABILITY_TIERS},
		.now_usec = 1000 * TICK,
	};
	assert_int_equal(hierarchy_open(matrix->fixture->root, &scene->hierarchy, &why), 0);
	assert_int_equal(pass_init(&scene->pass, matrix->fixture->root, scene->hierarchy,
				   &scene->lru_gen, &scene->features),
			 0);
	assert_int_equal(ring_open_on(scene->event, &fake_kernel_ring, &scene->ring), 0);
	assert_int_equal(executor_new(scene->ring, &scene->lru_gen, &scene->executor), 0);
	executor_configure(scene->executor, scene->config, false);
	scene->lru_gen = (struct lru_gen){.read_fd = -1, .write_fd = -1};
}

static void scene_close(struct scene *scene)
{
	executor_free(scene->executor);
	ring_close(scene->ring);
	pass_done(&scene->pass);
	lru_gen_close(&scene->lru_gen);
	hierarchy_close(scene->hierarchy);
}

/* A plan of each kind of action, for the memcgs that are known. */
static void act(struct scene *scene)
{
	static const struct {
		char path[3];
		enum action_kind action;
	} wanted[] = {{"/a", ACTION_RECLAIM},
		      {"/b", ACTION_AGE},
		      {"/c", ACTION_EVICT},
		      {"/c", ACTION_RECLAIM}};
	struct decision decisions[ARRAY_SIZE(wanted)];
	struct plan plan = {.decisions = decisions, .capacity = ARRAY_SIZE(decisions)};
	struct memcg *const *memcgs;
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const struct memcg *memcg = hierarchy_find(scene->hierarchy, wanted[i].path, 2);

		if (memcg)
			decisions[plan.n_decisions++] = (struct decision){
				.memcg = memcg->index,
				.action = wanted[i].action,
				.reason = REASON_HEADROOM,
				.seq = wanted[i].action == ACTION_AGE ? 7 : 4,
				.swappiness =
					wanted[i].action == ACTION_EVICT ? SWAPPINESS_ANON : 0,
				.bytes = wanted[i].action == ACTION_AGE ? 0 : 2 * MIB,
			};
	}
	memcgs = hierarchy_memcgs(scene->hierarchy, &n);
	executor_start(scene->executor, &plan, memcgs);
	while (!executor_is_idle(scene->executor)) {
		unsigned ended = fake_kernel.n_ended;

		assert_true(sd_event_run(scene->event, 0) >= 0);
		/* What blocks meets its deadline. */
		if (fake_kernel.n_ended == ended && !executor_is_idle(scene->executor))
			ring_cancel_all(scene->ring);
	}
	/* Whatever is told too late. */
	while (sd_event_run(scene->event, 0) > 0)
		;
}

/* As the manager does: doors that do not open are tried again, and a pass that fails is put off. */
static void pass(struct scene *scene)
{
	struct plan plan;

	if (scene->lru_gen.read_fd < 0 || scene->lru_gen.write_fd < 0) {
		lru_gen_close(&scene->lru_gen);
		lru_gen_open(&scene->lru_gen, fake_kernel.fixture->root);
	}
	scene->now_usec += TICK;
	if (pass_look(&scene->pass, scene->config, scene->now_usec, TICK, &plan) < 0)
		scene->n_failed_passes++;
	else
		act(scene);
}

static void check_counters(const struct scene *scene)
{
	const struct executor_totals *totals = executor_totals(scene->executor);
	uint64_t n_results = 0;

	for (enum write_result result = 0; result < _WRITE_RESULT_MAX; result++)
		n_results += totals->results[result];
	assert_int_equal(totals->writes, fake_kernel.n_ended);
	assert_int_equal(n_results, totals->writes);
	assert_true(totals->failures <= totals->writes);
	assert_true(totals->agings <= totals->results[WRITE_FREED]);
	assert_true(totals->freed_bytes <= fake_kernel.freed_bytes);
}

/* All is known, listed, idle and written to, as before. */
static void check_state(const struct scene *scene, const struct matrix *matrix)
{
	assert_true(executor_is_idle(scene->executor));
	assert_int_equal(ring_in_flight(scene->ring), 0);
	for (const char *name = MEMCGS; *name; name++) {
		const char path[] = {'/', *name, '\0'};
		const struct memcg *memcg = hierarchy_find(scene->hierarchy, path, 2);
		const struct memcg_sample *sample;

		assert_non_null(memcg);
		assert_true(!memcg->busy && memcg->references == 0 && memcg->class_index == 0);
		assert_int_equal(memcg->listing_id, *name - 'a' + 1);
		sample = &scene->pass.sampler.reading.samples[memcg->index];
		assert_true(sample->listed && sample->populated && !sample->busy);
		assert_true(is_number(sample->current_bytes) && is_number(sample->pgsteal_pages) &&
			    is_number(sample->psi_memory.some_usec) &&
			    is_number(sample->events_max));
	}
	if (matrix->reference[0])
		assert_string_equal(fake_kernel.log, matrix->reference);
}

static void check_log(const struct matrix *matrix)
{
	char text[512] = "";
	struct stat st;

	assert_int_equal(fstat(matrix->log_fd, &st), 0);
	if (st.st_size == 0)
		return;
	assert_true(pread(matrix->log_fd, text, sizeof(text) - 1, 0) > 0);
	fail_msg("in the log: %s", text);
}

/* The whole scene with one fault, or none. */
static void run(struct matrix *matrix, unsigned fault_call, int fault)
{
	size_t descriptors = fixture_count_descriptors();
	struct scene scene;

	lay_out(matrix->fixture);
	fake_kernel_reset(matrix->fixture);
	scene_open(&scene, matrix);
	fake_kernel.fault_call = fault_call;
	fake_kernel.fault = fault;
	fake_kernel.counting = true;
	pass(&scene);
	pass(&scene);
	fake_kernel.counting = false;
	check_counters(&scene);
	fake_kernel_mend();
	/* A directory that was not there for a moment is found by the next full walk. */
	scene.now_usec += HOUR;
	pass(&scene);
	fake_kernel.log[0] = '\0';
	pass(&scene);
	check_counters(&scene);
	check_state(&scene, matrix);
	assert_true(scene.n_failed_passes <= 1);
	check_log(matrix);
	scene_close(&scene);
	assert_int_equal(fixture_count_descriptors(), descriptors);
	matrix->n_runs++;
}

/* Of open and read, what VFS, kernfs and debugfs give. */
static bool is_of_files(int fault)
{
	static const int errors[] = {EPERM,  ENOENT, EINTR,  EIO,    EAGAIN, ENOMEM, EACCES,
				     ENODEV, EINVAL, ENFILE, EMFILE, EROFS,  ESTALE, EOPNOTSUPP};

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (fault == errors[i])
			return true;
	return false;
}

/* A write may end with any errno. */
static bool can_meet(enum fake_call call, int fault)
{
	switch (fault) {
	case FAULT_VANISHES:
		return call != FAKE_SUBMIT;
	case FAULT_GARBAGE:
	case FAULT_EMPTY:
		return call == FAKE_READ;
	case FAULT_BLOCKS:
	case FAULT_LIES:
	case FAULT_TWICE:
		return call == FAKE_WRITE;
	default:
		return fault <= ERRNO_MOST &&
		       (call == FAKE_SUBMIT || call == FAKE_WRITE || is_of_files(fault));
	}
}

/* Whether this operation has met that fault already, in another call. */
static bool *met(struct matrix *matrix, const char *name, int fault)
{
	unsigned i = 0;

	while (i < matrix->n_operations && strcmp(matrix->operations[i].name, name) != 0)
		i++;
	if (i == matrix->n_operations) {
		assert_true(matrix->n_operations++ < OPERATIONS_MAX);
		strcpy(matrix->operations[i].name, name);
	}
	return &matrix->operations[i].met[fault];
}

/* Where an operation comes again: what leads elsewhere. */
static bool is_worth_again(int fault)
{
	static const int faults[] = {ENOENT, ENODEV, EIO, EINTR, EAGAIN, EINVAL, ENOMEM};

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		if (fault == faults[i])
			return true;
	return fault > ERRNO_MOST;
}

static void meet_all(struct matrix *matrix, unsigned call, enum fake_call kind, const char *name)
{
	for (int fault = 1; fault < FAULT_ENDS; fault++) {
		bool *known = met(matrix, name, fault);

		if (!can_meet(kind, fault) || (*known && !is_worth_again(fault)))
			continue;
		matrix->n_pairs += !*known;
		*known = true;
		run(matrix, call, fault);
	}
}

static void test_every_call_fails_in_every_way(void **state)
{
	struct matrix *matrix = calloc(1, sizeof(*matrix));
	struct scene scene;
	unsigned n_calls;

	assert_non_null(matrix);
	matrix->fixture = *state;
	make_host(matrix->fixture);
	fixture_write(matrix->fixture, "log", "");
	matrix->log_fd = open(fixture_path(matrix->fixture, "log"), O_RDWR | O_APPEND | O_CLOEXEC);
	stderr_fd = dup(STDERR_FILENO);
	assert_true(matrix->log_fd >= 0 && stderr_fd >= 0 &&
		    dup2(matrix->log_fd, STDERR_FILENO) >= 0);
	assert_true(sd_event_new(&matrix->event) >= 0);
	matrix->config = fixture_config(matrix->fixture, "[Agent]\nDryRun=no\n");
	/* The event loop keeps what it has once opened for timers. */
	fake_kernel_reset(matrix->fixture);
	scene_open(&scene, matrix);
	scene_close(&scene);
	run(matrix, 0, 0);
	n_calls = fake_kernel.n_calls;
	strcpy(matrix->reference, fake_kernel.log);
	for (unsigned call = 1; call <= n_calls; call++) {
		char name[FAKE_NAME_MAX];
		enum fake_call kind;

		/* A fault that is none tells what this call is. */
		run(matrix, call, 0);
		kind = fake_kernel.met_call;
		strcpy(name, fake_kernel.met);
		meet_all(matrix, call, kind, name);
	}
	dup2(stderr_fd, STDERR_FILENO);
	close(stderr_fd);
	stderr_fd = -1;
	close(matrix->log_fd);
	sd_event_unref(matrix->event);
	config_free(matrix->config);
	print_message("# %u operations, %u pairs of operation and fault, in %u calls: %u runs\n",
		      matrix->n_operations, matrix->n_pairs, n_calls, matrix->n_runs);
	free(matrix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
		test_every_call_fails_in_every_way, fixture_setup, teardown)};

	return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
