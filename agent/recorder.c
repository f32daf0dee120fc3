/* SPDX-License-Identifier: MIT */
/*
 * --record: writes a trace. A line is made in memory and handed over in one write; where that fails,
 * what got into the file of it is cut off again, so that the trace stays whole.
 */
#include "recorder.h"
#include "clock.h"
#include "log.h"
#include "macro.h"
#include "name_hash.h"
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

struct recorder {
	struct recorder_settings settings;
	const struct config *config;
	const struct features *features;
	int fd; /* -1: stopped */
	uint64_t written_bytes;
	struct trace_header header;
	struct name_hash_key key;
	bool config_is_new;
	struct trace_frame frame;
	struct trace_text text;
	struct memcg *const *memcgs; /* of the snapshot under way */
	char former[];               /* FILE.1 */
};

struct recorder *recorder_free(struct recorder *recorder)
{
	if (!recorder)
		return NULL;
	if (recorder->fd >= 0)
		close(recorder->fd);
	trace_frame_done(&recorder->frame);
	trace_text_done(&recorder->text);
	free(recorder);
	return NULL;
}

static void stop(struct recorder *recorder, int error, const char *what)
{
	log_event(LOG_WARNING, NULL, "recording stops: %s: %s%s%s", recorder->settings.path, what,
		  error ? ": " : "", error ? strerror(error) : "");
	if (recorder->fd >= 0)
		close(recorder->fd);
	recorder->fd = -1;
	trace_frame_done(&recorder->frame);
	trace_text_done(&recorder->text);
}

/* What is there and is no trace is somebody's mistake, and stays. */
static bool is_ours(const char *path)
{
	char start[sizeof(TRACE_MAGIC) - 1];
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;
	ssize_t len;

	if (fd < 0)
		return errno == ENOENT;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	len = read(fd, start, sizeof(start));
	return len == 0 ||
	       (len == (ssize_t)sizeof(start) && memcmp(start, TRACE_MAGIC, sizeof(start)) == 0);
}

/* Moves the former part away and begins one. */
static void begin_part(struct recorder *recorder)
{
	const char *path = recorder->settings.path;

	if (recorder->fd >= 0)
		close(recorder->fd);
	recorder->fd = -1;
	if (!is_ours(path) || !is_ours(recorder->former)) {
		stop(recorder, 0, "there is a file that is no trace");
		return;
	}
	if (rename(path, recorder->former) < 0 && errno != ENOENT) {
		stop(recorder, errno, "moving the former one away");
		return;
	}
	recorder->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (recorder->fd < 0) {
		stop(recorder, errno, "making it");
		return;
	}
	recorder->written_bytes = 0;
	recorder->header.part++;
	recorder->config_is_new = false;
	trace_frame_done(&recorder->frame);
}

static void put_header(struct recorder *recorder)
{
	_cleanup_free_ char *config =
		trace_config_text(recorder->config, recorder->settings.hash_names);

	if (!config)
		recorder->text.failed = true;
	else if (recorder->written_bytes == 0)
		trace_put_header(&recorder->text, &recorder->header, config, recorder->features);
	else
		trace_put_config(&recorder->text, config);
}

int recorder_new(const struct recorder_settings *settings, const struct config *config,
		 const struct features *features, struct recorder **ret)
{
	size_t len = strlen(settings->path) + sizeof(".1");
	struct recorder *recorder = calloc(1, sizeof(*recorder) + len);

	if (!recorder)
		return -ENOMEM;
	recorder->settings = *settings;
	recorder->config = config;
	recorder->features = features;
	recorder->fd = -1;
	snprintf(recorder->former, len, "%s.1", settings->path);
	if (getrandom(&recorder->key, sizeof(recorder->key), 0) != sizeof(recorder->key) ||
	    getrandom(&recorder->header.recording, sizeof(recorder->header.recording), 0) < 0)
		stop(recorder, errno, "no random numbers");
	else
		begin_part(recorder);
	recorder->header.recording >>= 1; /* JSON's integers are of 63 bits here */
	recorder->header.hashed = settings->hash_names;
	*ret = recorder;
	return 0;
}

bool recorder_is_on(const struct recorder *recorder)
{
	return recorder && recorder->fd >= 0;
}

void recorder_configure(struct recorder *recorder, const struct config *config)
{
	if (!recorder)
		return;
	recorder->config = config;
	recorder->config_is_new = true;
}

static char *name_of(size_t memcg, void *userdata)
{
	const struct recorder *recorder = userdata;
	const char *path = recorder->memcgs[memcg]->path;
	_cleanup_free_ char *hashed = NULL;

	if (!recorder->settings.hash_names)
		return trace_json_string(path);
	hashed = name_hash_path(&recorder->key, path);
	return hashed ? trace_json_string(hashed) : NULL;
}

void recorder_snapshot(struct recorder *recorder, const struct snapshot *snapshot,
		       const struct memcg_state *states, struct memcg *const *memcgs)
{
	if (!recorder_is_on(recorder))
		return;
	if (recorder->written_bytes >= recorder->settings.max_bytes / 2) {
		begin_part(recorder);
		if (recorder->fd < 0)
			return;
	}
	recorder->memcgs = memcgs;
	recorder->text.len = 0;
	if (recorder->written_bytes == 0 || recorder->config_is_new)
		put_header(recorder);
	recorder->config_is_new = false;
	if (trace_text_snapshot(&recorder->text, &recorder->frame, snapshot, states, name_of,
				recorder) < 0)
		stop(recorder, ENOMEM, "a tick");
}

static ssize_t write_all(int fd, const char *data, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = write(fd, data + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	return 0;
}

void recorder_plan(struct recorder *recorder, const struct plan *plan,
		   const struct memcg_state *states, size_t n)
{
	int r;

	if (!recorder_is_on(recorder))
		return;
	trace_text_plan(&recorder->text, plan, states, n);
	if (recorder->text.failed) {
		stop(recorder, ENOMEM, "a plan");
		return;
	}
	r = (int)write_all(recorder->fd, recorder->text.data, recorder->text.len);
	if (r == 0) {
		recorder->written_bytes += recorder->text.len;
		return;
	}
	if (ftruncate(recorder->fd, (off_t)recorder->written_bytes) < 0)
		log_debug("%s: its last line is cut off", recorder->settings.path);
	stop(recorder, -r, "writing");
}
