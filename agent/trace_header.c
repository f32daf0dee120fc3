/* SPDX-License-Identifier: MIT */
/*
 * The lines of a trace that are no ticks: headers and configurations.
 */
#include "trace.h"
#include "macro.h"

#include <inttypes.h>
#include <string.h>

static void put_string(struct trace_text *text, const char *bytes)
{
	_cleanup_free_ char *string = trace_json_string(bytes);

	if (string)
		trace_text_put(text, string);
	else
		text->failed = true;
}

static void put_features(struct trace_text *text, const struct features *features)
{
	for (int i = 0; i < _FEATURE_MAX; i++) {
		const struct feature_probe *probe = &features->probes[i];

		trace_text_put(text, i > 0 ? ",{\"name\":" : "{\"name\":");
		put_string(text, feature_to_string((enum feature)i));
		trace_text_put(text, probe->present ? ",\"present\":true" : ",\"present\":false");
		trace_text_put(text, ",\"evidence\":");
		put_string(text, probe->evidence);
		trace_text_put(text, "}");
	}
}

static void put_fields(struct trace_text *text, const struct trace_table *table)
{
	put_string(text, table->name);
	for (size_t f = 0; f < table->n_fields; f++) {
		trace_text_put(text, f > 0 ? "," : ":[");
		put_string(text, table->fields[f].name);
	}
	trace_text_put(text, "]");
}

void trace_put_header(struct trace_text *text, const struct trace_header *header,
		      const char *config, const struct features *features)
{
	char numbers[160];

	snprintf(numbers, sizeof(numbers),
		 "%s%d,\"agent\":\"%s\",\"recording\":%" PRIu64 ",\"part\":%" PRIu64
		 ",\"hashed\":%s,\"capability\":",
		 TRACE_MAGIC, TRACE_VERSION, PACKAGE_VERSION, header->recording, header->part,
		 header->hashed ? "true" : "false");
	trace_text_put(text, numbers);
	put_string(text, capability_to_string(features->capability));
	trace_text_put(text, ",\"config\":");
	put_string(text, config);
	trace_text_put(text, ",\"features\":[");
	put_features(text, features);
	trace_text_put(text, "],\"fields\":{");
	for (size_t i = 0; i < _TRACE_ROWS_MAX; i++) {
		if (i > 0)
			trace_text_put(text, ",");
		put_fields(text, &trace_tables[i]);
	}
	trace_text_put(text, "}}\n");
}

void trace_put_config(struct trace_text *text, const char *config)
{
	trace_text_put(text, "{\"config\":");
	put_string(text, config);
	trace_text_put(text, "}\n");
}

char *trace_config_text(const struct config *config, bool hashed)
{
	char *text = NULL, *to, *next;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	config_dump(config, f);
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	to = text;
	for (char *line = text; *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (*line == '#' || (hashed && strncmp(line, "Match=", 6) == 0))
			continue;
		memmove(to, line, (size_t)(next - line));
		to += next - line;
	}
	*to = '\0';
	return text;
}
