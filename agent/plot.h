/* SPDX-License-Identifier: MIT */
/*
 * Curves over time as an SVG file.
 */
#ifndef FGRECLAIM_PLOT_H
#define FGRECLAIM_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PLOT_CURVES_MAX 3

struct plot_curve {
	const char *name; /* ASCII without markup, as all texts of a plot */
	const char *colour;
	const double *values; /* one each moment; below 0: not known */
};

struct plot_panel {
	const char *title; /* with its unit */
	bool bars;         /* values are of events, not of a state */
	size_t n_curves;
	struct plot_curve curves[PLOT_CURVES_MAX];
};

struct plot {
	const uint64_t *times_usec; /* ascending */
	size_t n;                   /* moments, above 0 */
	const struct plot_panel *panels;
	size_t n_panels;
};

/* Errors of the file are left in the file, see ferror(3). Where there are more moments than the plot is
 * wide, neighbours are drawn as one: a state as their mean, events as their sum. */
void plot_write(const struct plot *plot, FILE *f);

#endif
