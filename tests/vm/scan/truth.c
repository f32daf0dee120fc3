/* SPDX-License-Identifier: MIT */
/*
 * What each test cgroup really holds. One writer, any number of readers.
 */
#include "truth.h"

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* 50 new cgroups a second fill half of it in 20 minutes. */
#define SLOTS (1u << 17)

struct truth_table {
	struct truth slots[SLOTS];
};

struct truth_table *truth_open(const char *path, bool writer)
{
	int fd = open(path, writer ? O_RDWR | O_CREAT | O_TRUNC : O_RDWR, 0600);
	void *p;

	if (fd < 0 || (writer && ftruncate(fd, sizeof(struct truth_table)) < 0))
		err(2, "%s", path);
	p = mmap(NULL, sizeof(struct truth_table), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		err(2, "%s", path);
	close(fd);
	return p;
}

/* The slot that holds id, or the free one where it belongs. */
static struct truth *find_slot(struct truth_table *table, uint64_t id)
{
	uint32_t i = (uint32_t)((id * 0x9e3779b97f4a7c15) >> 40) % SLOTS;

	for (uint32_t tries = 0; tries < SLOTS; tries++, i = (i + 1) % SLOTS) {
		uint64_t there = atomic_load(&table->slots[i].id);

		if (there == id || there == 0)
			return &table->slots[i];
	}
	errx(2, "the table is full");
}

struct truth *truth_find(struct truth_table *table, uint64_t id)
{
	struct truth *slot = find_slot(table, id);

	return atomic_load(&slot->id) == id ? slot : NULL;
}

struct truth *truth_add(struct truth_table *table, uint64_t id, uint32_t anon_pages,
			uint32_t file_pages)
{
	struct truth *slot = find_slot(table, id);

	if (atomic_load(&slot->id) == id)
		errx(2, "cgroup id %ju was used before", (uintmax_t)id);
	slot->anon_pages = anon_pages;
	slot->file_pages = file_pages;
	atomic_store(&slot->id, id);
	return slot;
}
