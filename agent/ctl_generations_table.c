/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl generations, for people.
 */
#include "ctl_generations.h"
#include "arith.h"
#include "ctl.h"
#include "explain.h"
#include "workingset.h"

#include <inttypes.h>

/* A count, with its mark before it. */
#define NUMBER_TEXT_MAX 24

struct table {
	const struct listing *listing;
	uint64_t page_bytes;
	size_t n_records;
	bool tiers;
};

static void print_size(uint64_t pages, uint64_t page_bytes)
{
	char text[BYTES_TEXT_MAX];

	if (is_number(pages))
		printf("  %12" PRIu64 " %8s", pages,
		       explain_bytes(saturating_mul(pages, page_bytes), text, sizeof(text)));
	else
		printf("  %12s %8s", "-", "-");
}

/* mark: before the number, none: '\0'. */
static void print_flow(bool there, char mark, uint64_t value)
{
	char text[NUMBER_TEXT_MAX] = "-";

	if (there && is_number(value))
		snprintf(text, sizeof(text), "%.1s%" PRIu64, (char[]){mark, '\0'}, value);
	printf(" %10s", text);
}

static void print_tiers(const struct tier_sample *tiers, uint32_t n)
{
	for (uint32_t t = 0; t < n; t++) {
		/* The kinds are the same for all tiers of a generation. */
		if (tiers[t].kind[LRU_ANON] == TIER_NONE && tiers[t].kind[LRU_FILE] == TIER_NONE)
			return;
		printf("%17" PRIu32, t);
		for (int type = 0; type < _LRU_TYPE_MAX; type++) {
			bool there = tiers[t].kind[type] != TIER_NONE;
			char mark = tiers[t].kind[type] == TIER_AVERAGE ? '~' : '\0';

			printf("  ");
			print_flow(there, mark, tiers[t].refaulted[type]);
			print_flow(there, mark, tiers[t].evicted[type]);
			print_flow(there, mark, tiers[t].protected[type]);
		}
		putchar('\n');
	}
}

static void print_generations(const struct table *table, const struct lru_gen_record *record)
{
	const struct lruvec_sample *lruvec = &record->lruvec;

	printf("%12s %12s  %12s %8s  %12s %8s\n", "SEQ", "AGE", "ANON PAGES", "BYTES", "FILE PAGES",
	       "BYTES");
	if (record->n_tiers > 0)
		printf("%17s   %10s %10s %10s   %10s %10s %10s\n", "TIER", "REFAULTED", "EVICTED",
		       "PROTECTED", "REFAULTED", "EVICTED", "PROTECTED");
	for (uint32_t g = 0; g < lruvec->n_gens; g++) {
		const struct gen_sample *gen = &lruvec->gens[g];

		printf("%12" PRIu64 " %6" PRIu64 ".%03" PRIu64 " s", gen->seq, gen->age_msec / 1000,
		       gen->age_msec % 1000);
		print_size(gen->pages[LRU_ANON], table->page_bytes);
		print_size(gen->pages[LRU_FILE], table->page_bytes);
		puts(workingset_is_cold(lruvec, g) && number_or(gen->pages[LRU_ANON], 0) > 0
			     ? "  anon is cold"
			     : "");
		print_tiers(record->tiers[g], record->n_tiers);
	}
}

static void print_summary(const struct table *table, const struct listing_entry *entry)
{
	uint64_t cold_pages, young_pages;
	char cold[BYTES_TEXT_MAX], young[BYTES_TEXT_MAX];

	workingset_measure(&table->listing->lruvecs[entry->first_lruvec], entry->n_lruvecs,
			   &cold_pages, &young_pages);
	printf("  anon: working set %" PRIu64 " pages, %s; cold %" PRIu64 " pages, %s\n",
	       young_pages,
	       explain_bytes(saturating_mul(young_pages, table->page_bytes), young, sizeof(young)),
	       cold_pages,
	       explain_bytes(saturating_mul(cold_pages, table->page_bytes), cold, sizeof(cold)));
}

static void print_record(const struct lru_gen_record *record, const struct listing_entry *entry,
			 bool last, void *userdata)
{
	struct table *table = userdata;
	const char *why = generations_why(record, entry);

	if (table->n_records++ > 0)
		putchar('\n');
	table->tiers |= record->flaw == KPARSE_OK && record->n_tiers > 0;
	if (record->flaw == KPARSE_NO_MEMCG)
		fputs("of an unknown memcg", stdout);
	else if (record->path_len == 0)
		fputs(record->memcg_id == 0 ? "the whole system" : "(path not known)", stdout);
	else
		ctl_print_text(stdout, record->path, record->path_len);
	if (record->flaw != KPARSE_NO_MEMCG)
		printf(": memcg %" PRIu64, record->memcg_id);
	if (record->lruvec.node != UINT32_MAX)
		printf(", node %" PRIu32, record->lruvec.node);
	if (why)
		printf(", not used: %s", why);
	putchar('\n');
	if (record->flaw == KPARSE_OK)
		print_generations(table, record);
	if (last && entry->fault == LISTING_OK)
		print_summary(table, entry);
}

void generations_print_table(struct generations *generations)
{
	struct table table = {
		.listing = &generations->listing,
		.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
	};

	generations_walk(generations, false, print_record, &table);
	if (table.n_records == 0)
		puts("no memcg is listed");
	if (table.tiers)
		puts("\nTiers: anon to the left, file to the right. ~ is a moving average, EVICTED "
		     "then\nis evicted and protected together.");
	ctl_print_dying(generations->dying);
}
