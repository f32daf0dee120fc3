/* SPDX-License-Identifier: MIT */
/*
 * A job at its limit, in virtual time, by flows and not by pages: so many pages a second are
 * evicted and come back, generations drain, agings are granted or refused as the kernel would. What
 * the workload makes of an aging, a test says (aged). The page-level model is tests/sim's.
 */
#ifndef FGRECLAIM_TESTS_POLICY_LIMIT_H
#define FGRECLAIM_TESTS_POLICY_LIMIT_H

#include "policy-world.h"

enum limit_kernel {
	KERNEL_612, /* never ages by itself here; refuses at four generations */
	KERNEL_614, /* opens one when two are left; never refuses */
};

#define LIMIT_ANON  MIB(4)
#define LIMIT_FILE  MIB(92)
#define LIMIT_STEAL 1229 /* pages a second: T_res is 20 s, too fast for headroom */
#define LIMIT_TRES  SECONDS(20)

struct limit_host {
	struct policy_world w;
	size_t root, job;
	enum limit_kernel kernel;
	uint64_t began_usec;

	/* The workload, a second. */
	uint64_t steal, refault_file, refault_anon, swap_out; /* pages */
	uint64_t cpu_usec;                                    /* 0: unknown */
	uint64_t look_usec;                                   /* 0: as the plan wants it */
	bool hits;                                            /* memory.events grows */
	bool unlisted, idle_executor;                         /* no listing; nothing carried out */
	bool undrained; /* reads and evictions leave the generations as they are */
	uint32_t n_gens;
	uint64_t max_seq, file_pages[4], born_usec[4]; /* by generation, oldest first */

	uint64_t agings, forced, refused; /* carried out */
	uint64_t last_aged_usec;
	uint64_t looks;
	/* Called for each aging that happened. */
	void (*aged)(struct limit_host *host);
	/* Called after each look, before what was planned is done. */
	void (*looked)(struct limit_host *host);
};

/* A job with its own limit full, of LIMIT_ANON and LIMIT_FILE, three generations, half of what is
 * evicted comes back; the first look has been taken. */
void limit_init(struct limit_host *host, enum limit_kernel kernel);

/* Time passes, looks are taken. */
void limit_run(struct limit_host *host, uint64_t usec);
uint64_t limit_usec(const struct limit_host *host);

struct memcg_sample *limit_sample(struct limit_host *host);
struct memcg_state *limit_state(struct limit_host *host);
enum reason limit_reason(struct limit_host *host);

#endif
