/* SPDX-License-Identifier: MIT */
/*
 * MESSAGE_IDs of the journal entries that somebody may want to look for. Made with
 * "systemd-id128 new". Whoever adds one adds its text to conf/fgreclaimd.catalog too.
 */
#ifndef FGRECLAIM_MESSAGES_H
#define FGRECLAIM_MESSAGES_H

#define MESSAGE_STARTED  "baf2c87ac6fb4d2e92893d63153d9196" /* the daemon works */
#define MESSAGE_STOPPED  "1efc3553e588447e9f6f1d7efb3617d3" /* the daemon has stopped */
#define MESSAGE_DEGRADED "d0acdb1bbc22402c828334f22ebac4ab" /* the host lacks something */
#define MESSAGE_CONFIG   "0887d85fa8944795b64d61a49dea9a26" /* configuration loaded or refused */
#define MESSAGE_BACKOFF  "d9627f628f0d48b7a649e28cb1089936" /* reclaim of a cgroup is held back */
#define MESSAGE_ADVICE   "feabe622bd1f4d8892f40dbc33b7a2f9" /* a cgroup is in trouble at its limit */
#define MESSAGE_SLOW     "5bde73953e194a4d85d86de601afdca3" /* the kernel takes long over a file */
#define MESSAGE_PROTECT \
	"874e64a7eacb47e4a2fb2342ce4c422a" /* memory.low: put back, or somebody else's */

#define MESSAGE_STALLED "79e39a9724f8465a82bde2eac136ebd7" /* a write does not end */

#endif
