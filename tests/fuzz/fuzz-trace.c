/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a trace: it is read to its end or refused with a line, and what was read until then is
 * planned without harm.
 */
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_reader reader = {.name = "trace"};
	struct replay replay = {0};
	int r;

	if (size == 0)
		return 0;
	reader.file = fmemopen((void *)data, size, "r");
	if (!reader.file)
		abort();
	while ((r = trace_reader_next(&reader)) > 0) {
		if (replay_tick(&replay, &reader) < 0)
			break;
		replay_is_as_recorded(&replay, &reader);
	}
	if (r < 0 && !reader.error[0])
		abort();
	fclose(reader.file);
	trace_reader_done(&reader);
	replay_done(&replay);
	return 0;
}
