/* SPDX-License-Identifier: MIT */
/*
 * Passes on the event loop while the kernel takes its time: a FIFO stands for a file that does not
 * answer, and the loop has to go on. And while the host has no thread to read with.
 *
 * Includes worker.c, with a door in place of pthread_create().
 */
#include <pthread.h>

static int door_create(pthread_t *ret, const pthread_attr_t *attr, void *(*begin)(void *),
		       void *arg);

#define pthread_create door_create
#include "agent/worker.c"
#undef pthread_create

#include "ticker.h"
#include "clock.h"
#include "cpu_budget.h"
#include "macro.h"
#include "ring.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "fixture.h"

#define PATIENCE UINT64_C(60000000)

static unsigned threads_refused; /* so many of the next ones */

static int door_create(pthread_t *ret, const pthread_attr_t *attr, void *(*begin)(void *),
		       void *arg)
{
	if (threads_refused == 0)
		return pthread_create(ret, attr, begin, arg);
	threads_refused--;
	return EAGAIN;
}

struct bench {
	const struct fixture *fixture;
	sd_event *event;
	struct config *config;
	struct hierarchy *hierarchy;
	struct lru_gen lru_gen;
	struct features features;
	struct pass pass;
	struct ticker *ticker;
	unsigned n_begun, n_planned, n_signals;
	uint64_t read_usec; /* of the last pass */
};

static void on_begin(void *userdata)
{
	struct bench *bench = userdata;

	assert_false(bench->ticker && ticker_is_busy(bench->ticker));
	bench->n_begun++;
}

static void on_planned(const struct plan *plan, void *userdata)
{
	struct bench *bench = userdata;

	assert_int_equal(plan->n_decisions, 0);
	bench->n_planned++;
	bench->read_usec = bench->pass.sampler.reading.took_usec;
	assert_int_equal(ticker_n_passes(bench->ticker), bench->n_planned);
}

/* A memcg whose memory.stat does not answer. */
static void add_mute_memcg(const struct bench *bench, const char *path)
{
	const char *name;

	fixture_add_memcg(bench->fixture, path);
	name = fixture_memcg_file(path, "memory.stat");
	fixture_remove(bench->fixture, name);
	assert_int_equal(mkfifo(fixture_path(bench->fixture, name), 0600), 0);
}

/* Its reader goes on, with an error. */
static void answer(const struct bench *bench, const char *path)
{
	int fd = open(fixture_path(bench->fixture, fixture_memcg_file(path, "memory.stat")),
		      O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	/* Until the reader is there the writer must be, too. */
	for (uint64_t end_usec = fixture_now_usec() + PATIENCE;
	     ticker_is_busy(bench->ticker) && fixture_now_usec() < end_usec;)
		assert_true(sd_event_run(bench->event, 1000) >= 0);
	assert_false(ticker_is_busy(bench->ticker));
	close(fd);
}

static void bench_open(struct bench *bench, void **state, uint64_t slow_usec)
{
	struct ticker_settings settings = {
		.pass = &bench->pass,
		.slow_usec = slow_usec,
		.hurry = true,
		.begin = on_begin,
		.planned = on_planned,
		.userdata = bench,
	};
	const char *why;

	*bench = (struct bench){.fixture = *state};
	fixture_add_cgroups(bench->fixture);
	fixture_add_memcg(bench->fixture, "/good");
	bench->config = fixture_config(bench->fixture, NULL);
	assert_int_equal(hierarchy_open(bench->fixture->root, &bench->hierarchy, &why), 0);
	bench->lru_gen = (struct lru_gen){.read_fd = -1, .write_fd = -1};
	assert_int_equal(pass_init(&bench->pass, bench->fixture->root, bench->hierarchy,
				   &bench->lru_gen, &bench->features),
			 0);
	assert_true(sd_event_new(&bench->event) >= 0);
	settings.event = bench->event;
	assert_int_equal(ticker_new(&settings, bench->config, &bench->ticker), 0);
}

static void bench_close(struct bench *bench)
{
	ticker_free(bench->ticker);
	pass_done(&bench->pass);
	hierarchy_close(bench->hierarchy);
	config_free(bench->config);
	sd_event_unref(bench->event);
}

/* Runs the loop until *count is n. */
static void run_until(struct bench *bench, const unsigned *count, unsigned n)
{
	uint64_t end_usec = fixture_now_usec() + PATIENCE;

	while (*count < n) {
		assert_true(fixture_now_usec() < end_usec);
		assert_true(sd_event_run(bench->event, 10000) >= 0);
	}
}

/* Stops, and waits for the reading under way. */
static void stop(struct bench *bench)
{
	ticker_stop(bench->ticker);
	while (ticker_is_busy(bench->ticker))
		assert_true(sd_event_run(bench->event, 10000) >= 0);
}

static void test_passes_follow(void **state)
{
	struct bench bench;

	bench_open(&bench, state, PATIENCE);
	run_until(&bench, &bench.n_planned, 3);
	stop(&bench);
	assert_int_equal(bench.n_planned, 3);
	bench_close(&bench);
}

static void on_written(struct ring_request *request, int result)
{
	assert_int_equal(result, 5);
	++*(unsigned *)request->userdata;
}

static int on_signal(sd_event_source *source _unused_, const struct signalfd_siginfo *info _unused_,
		     void *userdata)
{
	struct bench *bench = userdata;

	bench->n_signals++;
	return 0;
}

static void test_loop_is_free_while_a_file_hangs(void **state)
{
	_cleanup_close_ int fd = -1;
	unsigned n_written = 0;
	struct ring_request request = {
		.text = "hello",
		.len = 5,
		.deadline_usec = PATIENCE,
		.done = on_written,
		.userdata = &n_written,
	};
	struct ring *ring = NULL;
	struct bench bench;
	sigset_t mask;
	int uring_error;

	bench_open(&bench, state, PATIENCE);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	assert_true(sd_event_add_signal(bench.event, NULL, SIGUSR1, on_signal, &bench) >= 0);
	add_mute_memcg(&bench, "/mute");
	run_until(&bench, &bench.n_begun, 1);
	assert_true(ticker_is_busy(bench.ticker));

	assert_int_equal(kill(getpid(), SIGUSR1), 0);
	run_until(&bench, &bench.n_signals, 1);
	assert_int_equal(ring_open(bench.event, RING_AUTO, &ring, &uring_error), 0);
	fixture_write(bench.fixture, "written", "");
	fd = open(fixture_path(bench.fixture, "written"), O_WRONLY | O_CLOEXEC);
	request.fd = fd;
	assert_int_equal(ring_write(ring, &request), 0);
	run_until(&bench, &n_written, 1);
	ring_close(ring);
	/* All that while it was the only pass, and has not been planned for. */
	assert_true(ticker_is_busy(bench.ticker));
	assert_int_equal(bench.n_begun, 1);
	assert_int_equal(bench.n_planned, 0);

	answer(&bench, "/mute");
	assert_int_equal(bench.n_planned, 1);
	run_until(&bench, &bench.n_begun, 2);
	stop(&bench);
	bench_close(&bench);
}

static void test_the_file_has_a_name(void **state)
{
	uint64_t end_usec = fixture_now_usec() + PATIENCE;
	char where[128] = "";
	struct bench bench;

	bench_open(&bench, state, PATIENCE);
	add_mute_memcg(&bench, "/mute");
	run_until(&bench, &bench.n_begun, 1);
	while (strcmp(where, "memory.stat of /mute") != 0) {
		assert_true(fixture_now_usec() < end_usec);
		reading_where(&bench.pass.sampler.reading, where, sizeof(where));
	}
	ticker_stop(bench.ticker);
	answer(&bench, "/mute");
	assert_int_equal(bench.n_planned, 0);
	bench_close(&bench);
}

/* More CPU time than can have been saved up, in a thread that the loop knows nothing of. */
static void *burn(void *arg _unused_)
{
	while (clock_usec(CLOCK_THREAD_CPUTIME_ID) < 2 * CPU_BUDGET_SAVED_USEC / 100)
		;
	return NULL;
}

/* users.md 8: whoever spends it, the CPU time of the process counts, and idle memory waits for it. */
static void test_all_threads_are_paid_for(void **state)
{
	struct bench bench;
	pthread_t thread;

	bench_open(&bench, state, PATIENCE);
	bench.config->policy.cpu_budget_ppm = 10000;
	assert_int_equal(pthread_create(&thread, NULL, burn, NULL), 0);
	pthread_join(thread, NULL);
	run_until(&bench, &bench.n_planned, 1);
	assert_true(bench.pass.cpu_wait_usec > 0);
	/* A thousand cores pay for it at once. */
	bench.config->policy.cpu_budget_ppm = 1000000000;
	for (uint64_t end_usec = fixture_now_usec() + PATIENCE;
	     bench.pass.cpu_wait_usec > 0 && fixture_now_usec() < end_usec;)
		run_until(&bench, &bench.n_planned, bench.n_planned + 1);
	assert_int_equal(bench.pass.cpu_wait_usec, 0);
	stop(&bench);
	bench_close(&bench);
}

/* Everything is slow here, and still there is one line about it. */
static void test_slowness_is_said_once(void **state)
{
	char text[4096];
	struct bench bench;
	int stderr_fd;

	bench_open(&bench, state, 0);
	stderr_fd = fixture_log_begin(bench.fixture);
	for (unsigned round = 1; round <= 3; round++) {
		char path[16];
		unsigned loops = 0;

		snprintf(path, sizeof(path), "/mute%u", round);
		add_mute_memcg(&bench, path);
		run_until(&bench, &bench.n_begun, bench.n_begun + 1);
		while (loops++ < 5)
			assert_true(sd_event_run(bench.event, 1000) >= 0);
		answer(&bench, path);
	}
	stop(&bench);
	fixture_log_end(bench.fixture, stderr_fd, text, sizeof(text));
	assert_non_null(strstr(text, "the kernel takes more than 0 s"));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	bench_close(&bench);
}

/* Put off, not given up; what came of our writes meanwhile is not lost, and it is said once. */
static void test_no_thread(void **state)
{
	struct memcg *memcg;
	char text[4096];
	struct bench bench;
	int stderr_fd;

	bench_open(&bench, state, PATIENCE);
	stderr_fd = fixture_log_begin(bench.fixture);
	run_until(&bench, &bench.n_planned, 1);
	memcg = hierarchy_find(bench.hierarchy, "/good", 5);
	memcg->outcome = (struct outcome){.writes = 3, .freed_bytes = 4096};
	threads_refused = 2;
	run_until(&bench, &bench.n_begun, 3);
	assert_false(ticker_is_busy(bench.ticker));
	assert_int_equal(bench.n_planned, 1);
	assert_int_equal(memcg->outcome.writes, 3);
	assert_int_equal(memcg->outcome.freed_bytes, 4096);
	run_until(&bench, &bench.n_planned, 2);
	assert_int_equal(bench.pass.sampler.reading.samples[memcg->index].outcome.writes, 3);
	assert_int_equal(memcg->outcome.writes, 0);
	stop(&bench);
	fixture_log_end(bench.fixture, stderr_fd, text, sizeof(text));
	assert_non_null(strstr(text, "no thread to read with"));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	bench_close(&bench);
}

/* Out of descriptors: the same. */
static void test_no_descriptor(void **state)
{
	struct rlimit limit, none;
	struct bench bench;

	bench_open(&bench, state, PATIENCE);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	run_until(&bench, &bench.n_begun, 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_false(ticker_is_busy(bench.ticker));
	run_until(&bench, &bench.n_planned, 1);
	assert_int_equal(bench.n_begun, 2);
	stop(&bench);
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_passes_follow),
		FIXTURE_TEST(test_loop_is_free_while_a_file_hangs),
		FIXTURE_TEST(test_the_file_has_a_name),
		FIXTURE_TEST(test_all_threads_are_paid_for),
		FIXTURE_TEST(test_slowness_is_said_once),
		FIXTURE_TEST(test_no_thread),
		FIXTURE_TEST(test_no_descriptor),
	};

	return cmocka_run_group_tests_name("ticker", tests, NULL, NULL);
}
