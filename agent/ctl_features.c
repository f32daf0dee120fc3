/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl features: what this host can do, how that is known, and what would help.
 */
#include "ctl.h"
#include "json.h"

#include <string.h>

DEFINE_CLEANUP(struct json_writer *, json_writer_free)
DEFINE_CLEANUP(struct config *, config_free)

static const char *state_of(const struct feature_probe *probe)
{
	return probe->unknown ? "unknown" : probe->present ? "present" : "missing";
}

static const char *says(const struct fg_evidence *evidence)
{
	static const char *const words[] = {
		[FG_UNDECIDED] = "unknown",
		[FG_NO] = "no",
		[FG_YES] = "yes",
	};

	return words[evidence->says];
}

static void print_fg(const struct fg_evidence *evidence)
{
	for (enum fg_source s = 0; s < _FG_SOURCE_MAX; s++)
		printf("%23s: %s: %s\n", fg_source_to_string(s), says(&evidence[s]),
		       evidence[s].why);
}

static void put_fg(struct json_writer *writer, const struct fg_evidence *evidence)
{
	json_begin_array(writer, "sources");
	for (enum fg_source s = 0; s < _FG_SOURCE_MAX; s++) {
		json_begin_object(writer, NULL);
		json_put_text(writer, "name", fg_source_to_string(s));
		json_put_text(writer, "says", says(&evidence[s]));
		json_put_text(writer, "evidence", evidence[s].why);
		json_end(writer);
	}
	json_end(writer);
}

static void print_table(const struct features *features)
{
	printf("capability: %s\n\n%-14s  %-7s  %s\n", capability_to_string(features->capability),
	       "FEATURE", "STATE", "EVIDENCE");
	for (enum feature f = 0; f < _FEATURE_MAX; f++) {
		const struct feature_probe *probe = &features->probes[f];
		const char *remedy = features_remedy(features, f);

		printf("%-14s  %-7s  ", feature_to_string(f), state_of(probe));
		ctl_print_text(stdout, probe->evidence, strlen(probe->evidence));
		if (remedy)
			printf("\n%25s%s", "remedy: ", remedy);
		putchar('\n');
		if (f == FEATURE_FG)
			print_fg(features->fg);
	}
}

static int print_json(const struct features *features)
{
	_cleanup_(json_writer_free_ptr) struct json_writer *writer = NULL;
	int r = json_writer_new(stdout, &writer);

	if (r < 0)
		return r;
	json_begin_object(writer, NULL);
	json_put_text(writer, "capability", capability_to_string(features->capability));
	json_begin_array(writer, "features");
	for (enum feature f = 0; f < _FEATURE_MAX; f++) {
		json_begin_object(writer, NULL);
		json_put_text(writer, "name", feature_to_string(f));
		json_put_bool(writer, "present", features->probes[f].present);
		json_put_text(writer, "state", state_of(&features->probes[f]));
		json_put_text(writer, "evidence", features->probes[f].evidence);
		json_put_text(writer, "remedy", features_remedy(features, f));
		if (f == FEATURE_FG)
			put_fg(writer, features->fg);
		json_end(writer);
	}
	json_end(writer);
	json_end(writer);
	return json_writer_finish(writer);
}

int ctl_features(const struct ctl *ctl)
{
	_cleanup_(config_free_ptr) struct config *config = NULL;
	_cleanup_(ctl_host_close) struct ctl_host host;
	struct config_error error;
	int r = ctl_host_open_tree(&host, ctl, NULL);

	if (r < 0)
		return EXIT_FAILURE;
	if (config_load(ctl->root, NULL, &config, &error) < 0)
		ctl_note("%s; features are those of the default configuration", error.text);
	ctl_host_probe(&host, ctl, config, true);
	if (!*ctl->root && geteuid() != 0)
		ctl_note("not root: what only root may open is missing here");
	if (!ctl->json) {
		print_table(&host.features);
		return EXIT_SUCCESS;
	}
	r = print_json(&host.features);
	return r < 0 ? ctl_fail("%s", strerror(-r)) : EXIT_SUCCESS;
}
