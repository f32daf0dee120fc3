/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl generations: reads the listing, checks it against the cgroup tree as the daemon
 * does, and finds the cgroup that is meant. The records themselves are large, so the text is gone
 * through again to print them rather than kept in that form.
 */
#include "ctl.h"
#include "ctl_generations.h"
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#define LISTING_DIR "/sys/kernel/debug/"

static void generations_done(struct generations *generations)
{
	lru_gen_close(&generations->lru_gen);
	listing_done(&generations->listing);
}

/* --- the text */

static int read_text(struct generations *generations, const char *root, const char *name)
{
	struct lru_gen *lru_gen = &generations->lru_gen;
	char path[PATH_MAX];
	ssize_t len;

	if ((size_t)snprintf(path, sizeof(path), "%s" LISTING_DIR "%s", root, name) >= sizeof(path))
		return -ENAMETOOLONG;
	close_fd(&lru_gen->read_fd);
	lru_gen->read_fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (lru_gen->read_fd < 0)
		return -errno;
	len = lru_gen_read(lru_gen);
	if (len < 0)
		return (int)len;
	generations->len = (size_t)len;
	return 0;
}

/* The tiers are in the full listing only; lockdown leaves that one readable and closes the other.
 * */
static int read_listing(struct generations *generations, const struct ctl *ctl,
			const struct hierarchy *hierarchy)
{
	const char *name = "lru_gen_full";
	int r, full = read_text(generations, ctl->root, name);

	r = full;
	if (r < 0) {
		name = "lru_gen";
		r = read_text(generations, ctl->root, name);
	}
	if (r < 0)
		return ctl_fail("%s" LISTING_DIR "%s: %s", ctl->root, name, strerror(-r));
	if (full < 0)
		ctl_note("lru_gen_full: %s; showing lru_gen, which has no tiers", strerror(-full));
	r = listing_read(&generations->listing, generations->lru_gen.text, generations->len,
			 hierarchy);
	if (r < 0)
		return ctl_fail("%s" LISTING_DIR "%s: %s", ctl->root, name,
				r == -EINVAL ? "this is no listing of generations" : strerror(-r));
	return 0;
}

static void note_disabled(const char *root)
{
	char path[PATH_MAX], text[32];

	if ((size_t)snprintf(path, sizeof(path), "%s/sys/kernel/mm/lru_gen/enabled", root) <
		    sizeof(path) &&
	    file_read_at(AT_FDCWD, path, text, sizeof(text)) >= 0 && !(strtoul(text, NULL, 0) & 1))
		ctl_note("MGLRU is switched off: what is listed is not kept up");
}

/* --- which cgroup */

static bool same_path(const struct listing_entry *a, const struct listing_entry *b)
{
	return a->path_len == b->path_len && memcmp(a->path, b->path, a->path_len) == 0;
}

/* A path from the top of the tree, or the end of one: one name or more. */
static bool is_meant(const struct listing_entry *entry, const char *name, size_t len)
{
	const char *end;

	if (entry->path_len < len || len == 0)
		return false;
	end = entry->path + entry->path_len - len;
	if (memcmp(end, name, len) != 0)
		return false;
	return entry->path_len == len || (*name != '/' && end[-1] == '/');
}

static int choose(struct generations *generations, const char *name)
{
	const struct listing *listing = &generations->listing;
	size_t len = strlen(name);

	while (len > 1 && name[len - 1] == '/')
		len--;
	for (size_t i = 0; i < listing->n_entries; i++) {
		const struct listing_entry *entry = &listing->entries[i];

		if (!is_meant(entry, name, len))
			continue;
		if (!generations->shown)
			generations->shown = entry;
		if (same_path(entry, generations->shown))
			continue;
		ctl_note("more than one cgroup is \"%s\", two of them:", name);
		ctl_print_text(stderr, generations->shown->path, generations->shown->path_len);
		fputc('\n', stderr);
		ctl_print_text(stderr, entry->path, entry->path_len);
		fputc('\n', stderr);
		return EXIT_FAILURE;
	}
	return generations->shown ? 0 : ctl_fail("no cgroup \"%s\" is listed", name);
}

/* --- the records, once more */

struct walk {
	struct generations *generations;
	bool all;
	generations_show_t show;
	void *userdata;
	size_t entry;  /* that of the next record */
	uint32_t seen; /* records of it so far */
};

static void walk_record(const struct lru_gen_record *record, void *userdata)
{
	struct walk *walk = userdata;
	const struct listing *listing = &walk->generations->listing;
	const struct listing_entry *shown = walk->generations->shown;
	const struct listing_entry *entry = &listing->entries[walk->entry];
	bool last = ++walk->seen == entry->n_records;

	if (walk->all || !shown || same_path(entry, shown))
		walk->show(record, entry, last, walk->userdata);
	if (last) {
		walk->entry++;
		walk->seen = 0;
	}
}

void generations_walk(struct generations *generations, bool all, generations_show_t show,
		      void *userdata)
{
	struct walk walk = {
		.generations = generations,
		.all = all,
		.show = show,
		.userdata = userdata,
	};

	/* The same text gives the same records. */
	kparse_lru_gen(generations->lru_gen.text, generations->len, generations->listing.record,
		       walk_record, &walk);
}

const char *generations_why(const struct lru_gen_record *record, const struct listing_entry *entry)
{
	if (record->flaw != KPARSE_OK)
		return kparse_flaw_to_string(record->flaw);
	return entry->fault == LISTING_OK ? NULL : listing_fault_to_string(entry->fault);
}

/* --- the verb */

int ctl_generations(const struct ctl *ctl)
{
	_cleanup_(generations_done) struct generations generations = {
		.lru_gen = {.read_fd = -1, .write_fd = -1},
	};
	_cleanup_(ctl_host_close) struct ctl_host host;
	int r = ctl_host_open_tree(&host, ctl, NULL);

	if (r < 0)
		return EXIT_FAILURE;
	r = listing_init(&generations.listing);
	if (r < 0)
		return ctl_fail("%s", strerror(-r));
	r = read_listing(&generations, ctl, host.hierarchy);
	if (r > 0)
		return r;
	note_disabled(ctl->root);
	generations.dying = ctl_host_dying(host.hierarchy);
	if (ctl->argument) {
		r = choose(&generations, ctl->argument);
		if (r > 0)
			return r;
	}
	if (!ctl->json) {
		generations_print_table(&generations);
		return EXIT_SUCCESS;
	}
	r = generations_print_json(&generations);
	return r < 0 ? ctl_fail("%s", strerror(-r)) : EXIT_SUCCESS;
}
