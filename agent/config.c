/* SPDX-License-Identifier: MIT */
/*
 * Loads, checks and writes the configuration: sections, classes, the Match= lists, and faults.
 *
 * inih (55 and later) splits the lines into key and value; config_files.c sees to it that it cannot
 * misread them, config_keys.c knows the keys. Loading stops at the first fault, and nothing of what
 * was read until then counts.
 */
#include "config.h"

#include "cgroup_match.h"
#include "config_files.h"
#include "config_keys.h"
#include "macro.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <string.h>

/* Often enough to be ahead of a service that grows, seldom enough to cost next to nothing. */
#define DEFAULT_INTERVAL_USEC (UINT64_C(5) * 1000 * 1000)

/* A write that takes longer meets something that it had better not wait for. */
#define DEFAULT_WRITE_DEADLINE_USEC (UINT64_C(500) * 1000)

/* Stands in when no file defines a class. */
#define DEFAULT_CLASS   "default"
#define DEFAULT_PATTERN "/**"
#define DEFAULT_ORIGIN  "built in"

#define CLASS_PREFIX  "Class"
#define CLASS_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

struct load {
	struct config *config;
	struct config_error *error;
	int r;      /* the first fault */
	char *file; /* as shown: without control characters */
	struct config_reader reader;
	enum config_section section;
	int32_t class_index; /* in a [Class] section */
};

DEFINE_CLEANUP(struct config *, config_free)

struct config *config_free(struct config *config)
{
	if (!config)
		return NULL;
	for (size_t i = 0; i < config->n_matches; i++) {
		free(config->matches[i].pattern);
		free(config->matches[i].origin);
	}
	free(config->matches);
	free(config);
	return NULL;
}

static int fault_errno(struct load *load, int r)
{
	if (load->file && r != -ENOMEM)
		snprintf(load->error->text, sizeof(load->error->text), "%s: %s", load->file,
			 r == -ENOTSUP ? "not a regular file" : strerror(-r));
	else
		snprintf(load->error->text, sizeof(load->error->text), "%s", strerror(-r));
	return load->r = r;
}

/* "FILE:LINE: SUBJECT: what is wrong"; a line as a whole has no subject. */
static _printf_(3, 4) int fault(struct load *load, const char *subject, const char *format, ...)
{
	char what[256];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	snprintf(load->error->text, sizeof(load->error->text), "%s:%u: %s%s%s", load->file,
		 load->reader.line, subject ?: "", subject ? ": " : "", what);
	return load->r = -EINVAL;
}

/* Keeps matches in the order in which they count: by class, within it as they were read. Takes
 * pattern and origin over, in case of success only. */
static int match_add(struct config *config, int32_t class_index, char *pattern, char *origin)
{
	struct config_match *matches =
		reallocarray(config->matches, config->n_matches + 1, sizeof(*matches));
	size_t at = config->n_matches;

	if (!matches)
		return -ENOMEM;
	config->matches = matches;
	while (at > 0 && matches[at - 1].class_index > class_index)
		at--;
	memmove(&matches[at + 1], &matches[at], (config->n_matches - at) * sizeof(*matches));
	matches[at] = (struct config_match){pattern, origin, class_index};
	config->n_matches++;
	return 0;
}

static int match_add_copy(struct config *config, int32_t class_index, const char *pattern,
			  const char *origin)
{
	_cleanup_free_ char *pattern_copy = strdup(pattern);
	_cleanup_free_ char *origin_copy = strdup(origin);
	int r;

	if (!pattern_copy || !origin_copy)
		return -ENOMEM;
	r = match_add(config, class_index, pattern_copy, origin_copy);
	if (r < 0)
		return r;
	pattern_copy = origin_copy = NULL;
	return 0;
}

static void matches_remove(struct config *config, int32_t class_index)
{
	size_t kept = 0;

	for (size_t i = 0; i < config->n_matches; i++) {
		struct config_match *match = &config->matches[i];

		if (match->class_index == class_index) {
			free(match->pattern);
			free(match->origin);
		} else {
			config->matches[kept++] = *match;
		}
	}
	config->n_matches = kept;
}

static int assign_match(struct load *load, const char *value)
{
	_cleanup_free_ char *origin = NULL;
	const char *why;
	int r;

	if (!*value) {
		matches_remove(load->config, load->class_index);
		return 0;
	}
	why = cgroup_match_check(value);
	if (why)
		return fault(load, "Match", "\"%s\": %s", value, why);
	if (asprintf(&origin, "%s:%u", load->file, load->reader.line) < 0) {
		origin = NULL;
		return fault_errno(load, -ENOMEM);
	}
	r = match_add_copy(load->config, load->class_index, value, origin);
	return r < 0 ? fault_errno(load, r) : 0;
}

/* What the policy does not know of a class: it has no wall clock. */
static int assign_hours(struct load *load, const struct config_key *key, const char *value)
{
	if (hours_parse(value, &load->config->hours[load->class_index]) < 0)
		return fault(load, key->name, "\"%s\" is not %s", value, key->form);
	return 0;
}

static int fault_unknown_key(struct load *load, const char *name)
{
	const struct config_key *guess = config_key_guess(load->section, name);

	if (load->section == SECTION_NONE)
		return fault(load, name, "stands before the first [Section]");
	if (!guess)
		return fault(load, name, "unknown key in [%s]",
			     config_section_to_string(load->section));
	if (guess->section != load->section)
		return fault(load, name, "belongs into [%s]",
			     config_section_to_string(guess->section));
	return fault(load, name, "unknown key; did you mean %s=?", guess->name);
}

/* One assignment. The ranges are checked here as well, while the line is known: since all was well
 * before it, whatever params_check() finds is of this line. */
static int assign(struct load *load, const char *name, const char *value)
{
	const struct config_key *key = config_key_find(load->section, name);
	struct policy_params *policy = &load->config->policy;
	char *base;

	if (!key)
		return fault_unknown_key(load, name);
	if (!key->form)
		return fault(load, name, "not supported by this version");
	if (strcmp(key->name, "Match") == 0)
		return assign_match(load, value);
	if (strcmp(key->name, "Hours") == 0)
		return assign_hours(load, key, value);
	if (!*value && strcmp(key->name, "Textfile") != 0)
		return fault(load, name, "no value; it takes %s", key->form);
	if (key->section == SECTION_CLASS)
		base = (char *)&policy->classes[load->class_index];
	else
		base = (char *)load->config;
	if (key->parse(key, value, base + key->offset) < 0 || params_check(policy))
		return fault(load, name, "\"%s\" is not %s", value, key->form);
	return 0;
}

/* Finds or adds a class; returns its index. */
static int32_t class_get(struct load *load, const char *name)
{
	struct policy_params *policy = &load->config->policy;
	int32_t index = config_find_class(load->config, name);

	if (index >= 0)
		return index;
	if (policy->n_classes >= CLASSES_MAX)
		return fault(load, NULL, "[Class %s]: there are more than %d classes", name,
			     CLASSES_MAX);
	class_params_init(&policy->classes[policy->n_classes], name);
	return (int32_t)policy->n_classes++;
}

static int enter_class(struct load *load, const char *name)
{
	int32_t index;

	if (!*name)
		return fault(load, NULL, "[Class]: a class needs a name, as in [Class NAME]");
	if (strlen(name) > CLASS_NAME_MAX)
		return fault(load, NULL, "[Class %s]: the name is longer than %d bytes", name,
			     CLASS_NAME_MAX);
	if (name[strspn(name, CLASS_LETTERS)])
		return fault(load, NULL,
			     "[Class %s]: the name may have letters, digits, \"-\", "
			     "\"_\" and \".\"",
			     name);
	index = class_get(load, name);
	if (index < 0)
		return index;
	load->section = SECTION_CLASS;
	load->class_index = index;
	return 0;
}

/* name: what stands between the brackets. inih tells of a section only with its first key and cuts
 * names at 49 bytes, so that the line itself is looked at. */
static int enter_section(struct load *load, char *name)
{
	size_t prefix = strlen(CLASS_PREFIX);

	for (size_t len = strlen(name); len > 0 && strchr(" \t", name[len - 1]); len--)
		name[len - 1] = '\0';
	if (strncmp(name, CLASS_PREFIX, prefix) == 0 && strchr(" \t", name[prefix]))
		return enter_class(load, name + prefix + strspn(name + prefix, " \t"));
	for (int i = SECTION_AGENT; i < SECTION_CLASS; i++) {
		if (strcmp(name, config_section_to_string((enum config_section)i)) == 0) {
			load->section = (enum config_section)i;
			return 0;
		}
	}
	return fault(load, NULL,
		     "[%s]: unknown section; there are [Agent], [Swap], [Metrics] and [Class "
		     "NAME]",
		     name);
}

/* ini_reader: ends the file for inih at the first fault. */
static char *next_line(char *buf, int size, void *userdata)
{
	struct load *load = userdata;
	char name[CONFIG_LINE_MAX + 1];

	if (load->r < 0)
		return NULL;
	if (!config_reader_next(buf, size, &load->reader)) {
		if (load->reader.fault)
			fault(load, NULL, "%s", load->reader.fault);
		else if (load->reader.r < 0)
			fault_errno(load, load->reader.r);
		return NULL;
	}
	if (buf[0] != '[')
		return buf;
	*stpncpy(name, buf + 1, strcspn(buf + 1, "]")) = '\0';
	return enter_section(load, name) < 0 ? NULL : buf;
}

/* ini_handler. The section is not asked for: see enter_section(). */
static int handle(void *userdata, const char *section _unused_, const char *name, const char *value)
{
	assign(userdata, name, value);
	return 1;
}

static int load_file(struct load *load, const char *path)
{
	int r;

	free(load->file);
	load->file = strdup(path);
	if (!load->file)
		return fault_errno(load, -ENOMEM);
	for (char *p = load->file; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = '?';
	load->section = SECTION_NONE;
	r = config_reader_open(&load->reader, path);
	if (r < 0)
		return fault_errno(load, r);
	r = ini_parse_stream(next_line, load, handle, load);
	config_reader_close(&load->reader);
	if (r == -2)
		return fault_errno(load, -ENOMEM);
	if (r != 0)
		return fault(load, NULL, "not understood"); /* the reader leaves nothing of it */
	return load->r;
}

static int load_all(struct load *load, const char *root, const char *path)
{
	_cleanup_(config_files_done) struct config_files files = {0};
	int r;

	if (path)
		return load_file(load, path);
	r = config_files_find(root, &files, load->error);
	for (size_t i = 0; i < files.n && r == 0; i++)
		r = load_file(load, files.paths[i]);
	return r;
}

static struct config *config_new(void)
{
	struct config *config = calloc(1, sizeof(*config));

	if (!config)
		return NULL;
	config->interval_usec = DEFAULT_INTERVAL_USEC;
	config->write_deadline_usec = DEFAULT_WRITE_DEADLINE_USEC;
	config->dry_run = true;
	params_init(&config->policy);
	return config;
}

int config_load(const char *root, const char *path, struct config **ret, struct config_error *error)
{
	_cleanup_(config_free_ptr) struct config *config = config_new();
	struct load load = {.config = config, .error = error};
	int r;

	if (!config)
		return fault_errno(&load, -ENOMEM);
	r = load_all(&load, root, path);
	free(load.file);
	load.file = NULL;
	if (r < 0)
		return r;
	if (config->policy.n_classes == 0) {
		class_params_init(&config->policy.classes[config->policy.n_classes++],
				  DEFAULT_CLASS);
		r = match_add_copy(config, 0, DEFAULT_PATTERN, DEFAULT_ORIGIN);
		if (r < 0)
			return fault_errno(&load, r);
	}
	*ret = TAKE_PTR(config);
	return 0;
}
