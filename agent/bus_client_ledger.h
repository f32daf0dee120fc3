/* SPDX-License-Identifier: MIT */
/*
 * What a running agent tells of cgroups, all pages of it together.
 */
#ifndef FGRECLAIM_BUS_CLIENT_LEDGER_H
#define FGRECLAIM_BUS_CLIENT_LEDGER_H

#include "bus_client.h"
#include "ledger.h"

/* The strings of the rows live as long as this; so a row may be copied. */
struct cgroup_rows {
	struct ledger_row *rows;
	size_t n, capacity;
	struct ledger_totals totals; /* of a report */
	char **waiting_classes; /* of a list: no cgroup belongs to them; a NULL follows; NULL: none */
	char **waiting;         /* likewise, in a sentence each */
	void **replies;
	size_t n_replies, replies_capacity;
};

void cgroup_rows_done(struct cgroup_rows *rows);

/* The order of the tree: parents before their children. */
int cgroup_rows_compare(const struct ledger_row *a, const struct ledger_row *b);

/* All three: *ret is to be freed with cgroup_rows_done(). Rows are in the order of the tree. -errno:
 * *ret_error says why. */
int bus_client_list(struct bus_client *client, struct cgroup_rows *ret,
		    struct bus_client_error *ret_error);
int bus_client_report(struct bus_client *client, uint64_t since_usec, struct cgroup_rows *ret,
		      struct bus_client_error *ret_error);
int bus_client_explain(struct bus_client *client, const char *cgroup, struct cgroup_rows *ret,
		       struct bus_client_error *ret_error);

#endif
