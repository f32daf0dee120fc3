/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl status, pause, resume, reload: asks the daemon that runs, over the system bus.
 */
#include "arith.h"
#include "bus_client.h"
#include "ctl_rows.h"
#include "explain.h"
#include "json.h"
#include "own_cost.h"

#include <inttypes.h>
#include <string.h>

DEFINE_CLEANUP(struct json_writer *, json_writer_free)
DEFINE_CLEANUP(struct bus_client *, bus_client_free)

int ctl_bus_fail(const struct bus_client_error *error, const char *what)
{
	switch (error->why) {
	case BUS_CLIENT_NO_BUS:
		return ctl_fail("no system bus, over which the daemon is asked: %s", error->text);
	case BUS_CLIENT_NO_AGENT:
		return ctl_fail("fgreclaimd does not run, or is not on the system bus");
	case BUS_CLIENT_DENIED:
		return ctl_fail("not permitted: only root may %s", what);
	case BUS_CLIENT_REFUSED:
		ctl_fail("%s", error->text);
		return strcmp(error->name, BUS_ERROR_CONFIGURATION) == 0 ? EXIT_CONFIGURATION
									 : EXIT_FAILURE;
	default:
		return ctl_fail("fgreclaimd: %s", error->text);
	}
}

/* --- status */

static void print_bytes(const char *what, uint64_t bytes, const char *behind)
{
	char text[BYTES_TEXT_MAX];

	printf("%s%s%s", what, explain_bytes(bytes, text, sizeof(text)), behind);
}

static void print_count(const char *what, uint64_t count, const char *behind)
{
	if (is_number(count))
		printf("%s%" PRIu64 "%s", what, count, behind);
	else
		printf("%s-%s", what, behind);
}

/* Of msec seconds, of usec msec. */
static void print_thousandth(const char *what, uint64_t value, const char *behind)
{
	print_count(what, is_number(value) ? value / 1000 : value, behind);
}

static void print_paused(const struct status *status)
{
	printf("  paused     ");
	if (!status->paused || !status->paused[0])
		printf("nothing");
	for (size_t i = 0; status->paused && status->paused[i]; i++)
		printf("%s%s", i > 0 ? ", " : "",
		       strcmp(status->paused[i], "/") == 0 ? "the whole host" : status->paused[i]);
	putchar('\n');
}

static void print_cost(const struct status *status)
{
	uint64_t share_ppm = 0;

	if (is_number(status->cpu_usec) && is_number(status->uptime_msec))
		share_ppm = own_cost_share_ppm(status->cpu_usec,
					       saturating_mul(status->uptime_msec, 1000));
	print_thousandth("  own cost   ", status->cpu_usec, " ms of CPU time, ");
	printf("%" PRIu64 ".%03" PRIu64 "%% of one core; ", share_ppm / 10000,
	       share_ppm / 10 % 1000);
	print_bytes("memory: ", status->rss_bytes, "\n");
}

static void print_freed(const struct status *status)
{
	print_bytes("  freed      ", status->freed_bytes, " of ");
	print_bytes("", status->asked_bytes, " asked for; ");
	print_count("", status->agings, " agings, ");
	print_count("", status->writes, " writes, ");
	print_count("", status->failures, " without effect\n");
	print_bytes("  of that    ", status->returned_bytes, " came back, ");
	print_bytes("", status->out_bytes, " are out still; ");
	print_bytes("swap takes ", status->swap_cost_bytes, " of memory for it, ");
	print_bytes("", status->disk_bytes, " went to disks\n");
}

static void print_status(const struct status *status)
{
	printf("fgreclaimd %s: %s%s\n", status->version ?: "-", status->state ?: "-",
	       status->dry_run ? ", dry run" : "");
	printf("  capability %s\n", status->capability ?: "-");
	print_thousandth("  up         ", status->uptime_msec, " s, ");
	print_count("", status->looks, " looks, the last begun ");
	print_thousandth("", status->look_age_msec, " s ago\n");
	print_count("  cgroups    ", status->class_memcgs, " of a class, of ");
	print_count("", status->memcgs, "; ");
	print_count("", status->held_memcgs, " held back, ");
	print_count("", status->paused_memcgs, " paused\n");
	print_paused(status);
	if (status->dry_run)
		print_bytes("  dry run    would have asked for ", status->dry_run_bytes, "\n");
	if (!status->dry_run || status->writes > 0)
		print_freed(status);
	print_cost(status);
}

static void put_texts(struct json_writer *writer, const char *key, char *const *texts)
{
	json_begin_array(writer, key);
	for (; texts && *texts; texts++)
		json_put_text(writer, NULL, *texts);
	json_end(writer);
}

static int print_status_json(const struct status *status)
{
	_cleanup_(json_writer_free_ptr) struct json_writer *writer = NULL;
	int r = json_writer_new(stdout, &writer);

	if (r < 0)
		return r;
	json_begin_object(writer, NULL);
	for (size_t i = 0; i < STATUS_FIELDS_N; i++) {
		const struct status_field *field = &status_fields[i];
		const void *at = (const char *)status + field->offset;

		switch (field->type) {
		case 's':
			json_put_text(writer, field->key, *(char *const *)at);
			break;
		case 'a':
			put_texts(writer, field->key, *(char *const *const *)at);
			break;
		case 'b':
			json_put_bool(writer, field->key, *(const int *)at);
			break;
		default:
			json_put_u64(writer, field->key, *(const uint64_t *)at);
		}
	}
	json_end(writer);
	return json_writer_finish(writer);
}

int ctl_status(const struct ctl *ctl)
{
	_cleanup_(bus_client_free_ptr) struct bus_client *client = NULL;
	_cleanup_(status_done) struct status status = {0};
	struct bus_client_error error;
	int r = bus_client_new(&client, &error);

	if (r >= 0)
		r = bus_client_status(client, &status, &error);
	if (r < 0)
		return ctl_bus_fail(&error, "ask it");
	if (!ctl->json) {
		print_status(&status);
		return EXIT_SUCCESS;
	}
	r = print_status_json(&status);
	return r < 0 ? ctl_fail("%s", strerror(-r)) : EXIT_SUCCESS;
}

/* --- pause, resume, reload */

struct act {
	const char *method; /* on the bus */
	const char *verb;
	const char *
		word; /* behind the path that it returns: what has been done; NULL: it takes none */
	const char *key; /* and in JSON */
	bool value;
};

static int print_done_json(const struct act *act, const char *path)
{
	_cleanup_(json_writer_free_ptr) struct json_writer *writer = NULL;
	int r = json_writer_new(stdout, &writer);

	if (r < 0)
		return r;
	json_begin_object(writer, NULL);
	if (path)
		json_put_text(writer, "cgroup", path);
	json_put_bool(writer, act->key, act->value);
	json_end(writer);
	return json_writer_finish(writer);
}

static int carry_out(const struct ctl *ctl, const struct act *act)
{
	_cleanup_(bus_client_free_ptr) struct bus_client *client = NULL;
	_cleanup_free_ char *path = NULL;
	struct bus_client_error error;
	int r = bus_client_new(&client, &error);

	if (r >= 0)
		r = bus_client_call(client, act->method, act->word ? ctl->argument ?: "" : NULL,
				    act->word ? &path : NULL, &error);
	if (r < 0)
		return ctl_bus_fail(&error, act->verb);
	if (ctl->json) {
		r = print_done_json(act, path);
		return r < 0 ? ctl_fail("%s", strerror(-r)) : EXIT_SUCCESS;
	}
	if (path)
		printf("%s: %s\n", strcmp(path, "/") == 0 ? "the whole host" : path, act->word);
	return EXIT_SUCCESS;
}

int ctl_pause(const struct ctl *ctl)
{
	return carry_out(ctl, &(struct act){"Pause", "pause", "paused", "paused", true});
}

int ctl_resume(const struct ctl *ctl)
{
	return carry_out(ctl, &(struct act){"Resume", "resume", "goes on", "paused", false});
}

int ctl_reload(const struct ctl *ctl)
{
	return carry_out(ctl, &(struct act){"Reload", "reload", NULL, "reloaded", true});
}
