/* SPDX-License-Identifier: MIT */
#include "histogram.h"
#include "arith.h"

void histogram_enter(struct histogram *histogram, uint64_t usec)
{
	histogram->counts[min_u64(usec / HISTOGRAM_STEP_USEC, HISTOGRAM_STEPS)]++;
	histogram->n++;
	histogram->most_usec = max_u64(histogram->most_usec, usec);
}

uint64_t histogram_quantile_usec(const struct histogram *histogram, uint64_t share_ppm)
{
	/* So many may have taken longer. */
	uint64_t rest = mul_div(histogram->n, saturating_sub(PPM, share_ppm), PPM), step;

	for (step = HISTOGRAM_STEPS; step > 0 && histogram->counts[step] <= rest; step--)
		rest -= histogram->counts[step];
	return step == HISTOGRAM_STEPS
		       ? histogram->most_usec
		       : min_u64((step + 1) * HISTOGRAM_STEP_USEC, histogram->most_usec);
}
