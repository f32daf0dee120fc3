/* SPDX-License-Identifier: MIT */
/*
 * Reads scenario files: lines of a key and its values; options are NAME=VALUE.
 */
#include "scenario.h"
#include "arith.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 24

struct line {
	const char *path;
	unsigned number;
	char *words[WORDS_MAX];
	size_t n;
};

static const char *const metric_names[_METRIC_MAX] = {
	[METRIC_HIT] = "hit",           [METRIC_MEMORY] = "memory",
	[METRIC_RETURN] = "return",     [METRIC_PEAK] = "peak",
	[METRIC_COST] = "cost",         [METRIC_REFAULTS] = "refaults",
	[METRIC_SCANNED] = "scanned",   [METRIC_AGINGS] = "agings",
	[METRIC_PLUS] = "plus",         [METRIC_WRITES] = "writes",
	[METRIC_EVICTED] = "evicted",   [METRIC_SWAPPED] = "swapped",
	[METRIC_MEMSTALL] = "memstall", [METRIC_EVENTS] = "events",
	[METRIC_WORK] = "work",         [METRIC_REFAULT] = "refault",
};

static const char *const kernel_names[SIM_KERNELS] = {"lru", "clru",  "m612", "m614",
						      "fg",  "fg612", "fgrd"};

static const char *const workload_kinds[_WORKLOAD_KIND_MAX] = {
	[WORKLOAD_ZIPF] = "zipf",   [WORKLOAD_UNIFORM] = "uniform",
	[WORKLOAD_CYCLE] = "cycle", [WORKLOAD_STREAM] = "stream",
	[WORKLOAD_COLD] = "cold",   [WORKLOAD_POPULATION] = "population",
};

const char *kernel_name(int kernel)
{
	return kernel_names[kernel];
}

const char *metric_name(const struct scenario *scenario, unsigned metric)
{
	return metric < _METRIC_MAX ? metric_names[metric]
				    : scenario->workloads[metric - METRIC_HIT_OF].name;
}

static _Noreturn void refuse(const struct line *line, const char *what)
{
	fprintf(stderr, "%s:%u: %s\n", line->path, line->number, what);
	exit(2);
}

static double number(const struct line *line, const char *word)
{
	char *end;
	double value = strtod(word, &end);

	if (end == word || *end)
		refuse(line, word);
	return value;
}

/* The value of an option NAME=VALUE of the line, NULL without one. */
static const char *option(const struct line *line, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 1; i < line->n; i++)
		if (strncmp(line->words[i], name, len) == 0 && line->words[i][len] == '=')
			return line->words[i] + len + 1;
	return NULL;
}

static double number_option(const struct line *line, const char *name, double fallback)
{
	const char *value = option(line, name);

	return value ? number(line, value) : fallback;
}

static bool flag(const struct line *line, const char *name)
{
	for (size_t i = 1; i < line->n; i++)
		if (strcmp(line->words[i], name) == 0)
			return true;
	return false;
}

static const char *word(const struct line *line, size_t i)
{
	if (i >= line->n)
		refuse(line, "too few words");
	return line->words[i];
}

static int find_kernel(const struct line *line, const char *name)
{
	for (int k = 0; k < SIM_KERNELS; k++)
		if (strcmp(kernel_names[k], name) == 0)
			return k;
	if (strcmp(name, "*") == 0)
		return -1;
	refuse(line, "no such kernel");
}

static size_t find_cgroup(const struct scenario *s, const struct line *line, const char *name)
{
	for (size_t i = 0; i < s->n_cgroups; i++)
		if (strcmp(s->cgroups[i].name, name) == 0)
			return i;
	refuse(line, "no such cgroup");
}

static unsigned find_metric(const struct scenario *s, const struct line *line, const char *name)
{
	for (unsigned m = 0; m < _METRIC_MAX; m++)
		if (strcmp(metric_names[m], name) == 0)
			return m;
	for (unsigned w = 0; w < s->n_workloads; w++)
		if (strncmp(name, "hit:", 4) == 0 && strcmp(s->workloads[w].name, name + 4) == 0)
			return METRIC_HIT_OF + w;
	refuse(line, "no such metric");
}

static void read_class(struct scenario *s, const struct line *line)
{
	struct class_params *class = &s->classes[s->n_classes];
	const char *reclaim = option(line, "reclaim");

	if (s->n_classes++ == SIM_CLASSES_MAX)
		refuse(line, "too many classes");
	class_params_init(class, word(line, 1));
	if (reclaim)
		class->reclaim = reclaim_kind_from_string(reclaim);
	class->churn = flag(line, "churn");
	class->weight = (uint32_t)number_option(line, "weight", class->weight);
	class->refault_limit_ppm =
		(uint64_t)(number_option(line, "refault", (double)class->refault_limit_ppm / 1e4) *
			   1e4);
	class->pressure_limit_ppm =
		(uint64_t)(number_option(line, "pressure",
					 (double)class->pressure_limit_ppm / 1e4) *
			   1e4);
	class->floor_ppm =
		(uint64_t)(number_option(line, "floor", (double)class->floor_ppm / 1e4) * 1e4);
}

static void read_cgroup(struct scenario *s, const struct line *line)
{
	struct cgroup_line *cgroup = &s->cgroups[s->n_cgroups];
	const char *parent = option(line, "in"), *class = option(line, "class");

	if (s->n_cgroups == MEMCGS_MAX - 1)
		refuse(line, "too many cgroups");
	*cgroup = (struct cgroup_line){
		.parent = parent ? (int)find_cgroup(s, line, parent) : -1,
		.max = number_option(line, "max", 0),
		.min = number_option(line, "min", 0),
		.low = number_option(line, "low", 0),
	};
	snprintf(cgroup->name, sizeof(cgroup->name), "%s", word(line, 1));
	for (size_t c = 0; class && c < s->n_classes; c++)
		if (strcmp(s->classes[c].name, class) == 0)
			cgroup->class_index = (int)c;
	s->n_cgroups++;
}

static void read_workload(struct scenario *s, const struct line *line)
{
	struct workload_line *w = &s->workloads[s->n_workloads];
	struct workload_params *p = &w->params;
	double memory = s->memory_pages;

	if (s->n_workloads == WORKLOADS_MAX)
		refuse(line, "too many workloads");
	*w = (struct workload_line){.cgroup = find_cgroup(s, line, word(line, 1))};
	snprintf(w->name, sizeof(w->name), "%s", word(line, 2));
	while (p->kind < _WORKLOAD_KIND_MAX && strcmp(workload_kinds[p->kind], word(line, 3)) != 0)
		p->kind++;
	if (p->kind == _WORKLOAD_KIND_MAX)
		refuse(line, "no such kind of workload");
	p->type = flag(line, "anon") ? LRU_ANON : LRU_FILE;
	p->mapped = flag(line, "anon") || flag(line, "map");
	p->measured = !flag(line, "unmeasured");
	p->n_pages = (uint32_t)(number_option(line, "pages", 1) * memory);
	p->rate = number_option(line, "share", 1) * s->rate * memory;
	p->theta = number_option(line, "theta", 0.9);
	p->grain = s->grain;
	p->drift = number_option(line, "drift", 0);
	p->shift_usec = (uint64_t)(number_option(line, "shift", 0) * (double)USEC_PER_SEC);
	p->shift_once = flag(line, "once");
	p->shift_share = number_option(line, "shifted", 1);
	p->app_pages = (uint32_t)(number_option(line, "app", 0) * memory);
	p->slowest = number_option(line, "slowest", 1e-4);
	p->fastest = number_option(line, "fastest", 0.5);
	p->never = number_option(line, "never", 0.25);
	if (p->n_pages == 0)
		refuse(line, "a workload needs pages");
	s->n_workloads++;
}

/* KERNEL none|agent METRIC [RELATION] VALUE */
static void read_expectation(struct scenario *s, const struct line *line, bool bound)
{
	struct expectation *e =
		bound ? &s->bounds[s->n_bounds++] : &s->references[s->n_references++];
	const char *relation = bound ? word(line, 4) : "=";

	if (s->n_bounds > BOUNDS_MAX || s->n_references > REFERENCES_MAX)
		refuse(line, "too many of them");
	*e = (struct expectation){
		.kernel = find_kernel(line, word(line, 1)),
		.agent = strcmp(word(line, 2), "agent") == 0,
		.metric = find_metric(s, line, word(line, 3)),
		.relation = strcmp(relation, ">=") == 0   ? RELATION_LEAST
			    : strcmp(relation, "<=") == 0 ? RELATION_MOST
							  : RELATION_EQUAL,
		.value = number(line, word(line, bound ? 5 : 4)),
	};
}

static void read_title(struct scenario *s, const struct line *line)
{
	for (size_t i = 1; i < line->n; i++) {
		size_t len = strlen(s->title);

		snprintf(s->title + len, sizeof(s->title) - len, "%s%s", i > 1 ? " " : "",
			 line->words[i]);
	}
}

static void read_kernels(struct scenario *s, const struct line *line)
{
	memset(s->kernels, 0, sizeof(s->kernels));
	for (size_t i = 1; i < line->n; i++) {
		int kernel = find_kernel(line, line->words[i]);

		if (kernel >= 0)
			s->kernels[kernel] = true;
	}
}

static void read_blind(struct scenario *s, const struct line *line)
{
	s->blind = (struct blind){
		.period_usec = (uint64_t)(number(line, word(line, 1)) * (double)USEC_PER_SEC),
		.force = flag(line, "force"),
		.keep = flag(line, "keep"),
		.evict_pages = (uint32_t)(number_option(line, "evict", 0) * s->memory_pages),
		.reclaim_pages = (uint32_t)(number_option(line, "reclaim", 0) * s->memory_pages),
	};
}

static void read_line(struct scenario *s, const struct line *line)
{
	const char *key = line->words[0];
	const struct {
		const char *key;
		double *value;
	} numbers[] = {
		{"rate", &s->rate},     {"residence", &s->residence_sec},
		{"warmup", &s->warmup}, {"length", &s->length},
		{"swap", &s->swap},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strcmp(key, numbers[i].key) == 0) {
			*numbers[i].value = number(line, word(line, 1));
			return;
		}
	if (strcmp(key, "title") == 0)
		read_title(s, line);
	else if (strcmp(key, "memory") == 0)
		s->memory_pages = (uint32_t)number(line, word(line, 1));
	else if (strcmp(key, "grain") == 0)
		s->grain = (uint32_t)number(line, word(line, 1));
	else if (strcmp(key, "tick") == 0)
		s->tick_usec = (uint64_t)(number(line, word(line, 1)) * (double)USEC_PER_SEC);
	else if (strcmp(key, "blind") == 0)
		read_blind(s, line);
	else if (strcmp(key, "cost") == 0)
		s->cost.refault_usec[LRU_ANON] = (uint64_t)number_option(line, "anon", 30),
		s->cost.refault_usec[LRU_FILE] = (uint64_t)number_option(line, "file", 200);
	else if (strcmp(key, "kernels") == 0)
		read_kernels(s, line);
	else if (strcmp(key, "short") == 0)
		s->short_form = true;
	else if (strcmp(key, "metric") == 0)
		s->metric = find_metric(s, line, word(line, 1));
	else if (strcmp(key, "class") == 0)
		read_class(s, line);
	else if (strcmp(key, "cgroup") == 0)
		read_cgroup(s, line);
	else if (strcmp(key, "workload") == 0)
		read_workload(s, line);
	else if (strcmp(key, "bound") == 0)
		read_expectation(s, line, true);
	else if (strcmp(key, "reference") == 0)
		read_expectation(s, line, false);
	else
		refuse(line, "unknown key");
}

static void split(struct line *line, char *text)
{
	char *save, *comment = strchr(text, '#');

	if (comment)
		*comment = '\0';
	line->n = 0;
	for (char *token = strtok_r(text, " \t\n", &save); token;
	     token = strtok_r(NULL, " \t\n", &save)) {
		if (line->n == WORDS_MAX)
			refuse(line, "too many words");
		line->words[line->n++] = token;
	}
}

void scenario_start_workloads(const struct scenario *s, uint64_t seed,
			      struct workload ret[WORKLOADS_MAX])
{
	struct rng rng = {seed};

	for (size_t c = 0; c < s->n_cgroups; c++)
		for (size_t w = 0; w < s->n_workloads; w++)
			if (s->workloads[w].cgroup == c)
				workload_init(&ret[w], &s->workloads[w].params, rng_u64(&rng));
}

void scenario_read(struct scenario *s, const char *path)
{
	struct line line = {.path = path};
	const char *base = strrchr(path, '/');
	FILE *file = fopen(path, "re");
	char text[400];

	if (!file) {
		perror(path);
		exit(2);
	}
	*s = (struct scenario){
		.memory_pages = 16384,
		.grain = 4,
		.residence_sec = 45,
		.warmup = 40,
		.length = 93,
		.rate = 0.15,
		.swap = 1,
		.tick_usec = 2 * USEC_PER_SEC,
		.cost = {.refault_usec = {30, 200},
			 .scan_nsec = 200,
			 .walk_nsec = 20,
			 .access_nsec = 20000},
		.kernels = {true, true, true, true, true, false, false},
	};
	snprintf(s->name, sizeof(s->name), "%s", base ? base + 1 : path);
	if (strrchr(s->name, '.'))
		*strrchr(s->name, '.') = '\0';
	while (fgets(text, sizeof(text), file)) {
		line.number++;
		split(&line, text);
		if (line.n > 0)
			read_line(s, &line);
	}
	fclose(file);
	if (s->n_workloads == 0)
		refuse(&line, "no workload");
	if (s->n_classes == 0)
		class_params_init(&s->classes[s->n_classes++], "default");
}
