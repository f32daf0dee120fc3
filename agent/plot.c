/* SPDX-License-Identifier: MIT */
/*
 * Curves over time as an SVG file: panels one below the other, on one axis of time.
 */
#include "plot.h"

#include <math.h>

/* In pixels. */
#define WIDTH        960
#define LEFT         70
#define RIGHT        20
#define PANEL_HEIGHT 150
#define PANEL_STEP   205
#define TOP          40
#define BOTTOM       30

#define COLUMNS (WIDTH - LEFT - RIGHT)
#define Y_TICKS 4
#define X_TICKS 8

/* 1, 2 or 5 times a power of ten: at least the value. */
static double round_up(double value)
{
	double power = 1;

	if (!(value > 0))
		return 1;
	while (power < value)
		power *= 10;
	while (power / 10 >= value)
		power /= 10;
	if (power / 5 >= value)
		return power / 5;
	return power / 2 >= value ? power / 2 : power;
}

static double seconds(const struct plot *plot, size_t i)
{
	return (double)(plot->times_usec[i] - plot->times_usec[0]) / 1e6;
}

static double span(const struct plot *plot)
{
	double whole = seconds(plot, plot->n - 1);

	return whole > 0 ? whole : 1;
}

/* Values of a curve in columns of pixels; NAN: none there. */
static void gather(const struct plot *plot, const struct plot_curve *curve, bool sum,
		   double columns[COLUMNS])
{
	size_t counts[COLUMNS] = {0};

	for (size_t i = 0; i < COLUMNS; i++)
		columns[i] = NAN;
	for (size_t i = 0; i < plot->n; i++) {
		size_t at = (size_t)(seconds(plot, i) / span(plot) * (COLUMNS - 1));

		if (curve->values[i] < 0)
			continue;
		columns[at] = counts[at]++ == 0 ? curve->values[i] : columns[at] + curve->values[i];
	}
	for (size_t i = 0; i < COLUMNS; i++)
		if (!sum && counts[i] > 0)
			columns[i] /= (double)counts[i];
}

static double highest(double top, const double columns[COLUMNS])
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (!isnan(columns[i]) && columns[i] > top)
			top = columns[i];
	return top;
}

static void draw_line(const double columns[COLUMNS], const char *colour, double top, double y,
		      FILE *f)
{
	fprintf(f, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"", colour);
	for (size_t i = 0; i < COLUMNS; i++)
		if (!isnan(columns[i]))
			fprintf(f, "%zu,%.1f ", LEFT + i,
				y + PANEL_HEIGHT - columns[i] / top * PANEL_HEIGHT);
	fputs("\"/>\n", f);
}

static void draw_bars(const double columns[COLUMNS], const char *colour, double top, double y,
		      FILE *f)
{
	fprintf(f, "<path stroke=\"%s\" d=\"", colour);
	for (size_t i = 0; i < COLUMNS; i++)
		if (!isnan(columns[i]) && columns[i] > 0)
			fprintf(f, "M%zu.5,%.1fV%.1f", LEFT + i, y + PANEL_HEIGHT,
				y + PANEL_HEIGHT - columns[i] / top * PANEL_HEIGHT);
	fputs("\"/>\n", f);
}

static void draw_grid(const struct plot *plot, double top, double y, FILE *f)
{
	for (int i = 0; i <= Y_TICKS; i++) {
		double at = y + PANEL_HEIGHT - PANEL_HEIGHT * i / (double)Y_TICKS;

		fprintf(f,
			"<path class=\"grid\" d=\"M%d,%.1fH%d\"/>"
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n",
			LEFT, at, LEFT + COLUMNS, LEFT - 6, at + 4, top * i / Y_TICKS);
	}
	for (int i = 0; i <= X_TICKS; i++) {
		double at = LEFT + (COLUMNS - 1) * i / (double)X_TICKS;

		fprintf(f,
			"<path class=\"grid\" d=\"M%.1f,%.1fV%.1f\"/>"
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.4g s</text>\n",
			at, y, y + PANEL_HEIGHT, at, y + PANEL_HEIGHT + 16,
			span(plot) * i / X_TICKS);
	}
}

static void draw_panel(const struct plot *plot, const struct plot_panel *panel, double y, FILE *f)
{
	double columns[PLOT_CURVES_MAX][COLUMNS], top = 0, x = LEFT + COLUMNS;

	for (size_t i = 0; i < panel->n_curves; i++) {
		gather(plot, &panel->curves[i], panel->bars, columns[i]);
		top = highest(top, columns[i]);
	}
	top = round_up(top);
	fprintf(f, "<text class=\"title\" x=\"%d\" y=\"%.1f\">%s</text>\n", LEFT, y - 10,
		panel->title);
	draw_grid(plot, top, y, f);
	for (size_t i = 0; i < panel->n_curves; i++) {
		const struct plot_curve *curve = &panel->curves[i];

		(panel->bars ? draw_bars : draw_line)(columns[i], curve->colour, top, y, f);
		x -= 150;
		fprintf(f,
			"<path stroke=\"%s\" stroke-width=\"3\" d=\"M%.0f,%.1fh20\"/>"
			"<text x=\"%.0f\" y=\"%.1f\">%s</text>\n",
			curve->colour, x, y - 14, x + 26, y - 10, curve->name);
	}
}

void plot_write(const struct plot *plot, FILE *f)
{
	int height = TOP + (int)plot->n_panels * PANEL_STEP + BOTTOM;

	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\">\n"
		"<style>text{font:12px sans-serif;fill:#333}.title{font-weight:bold}"
		".grid{stroke:#ddd}</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		WIDTH, height, WIDTH, height);
	for (size_t i = 0; i < plot->n_panels; i++)
		draw_panel(plot, &plot->panels[i], TOP + (double)i * PANEL_STEP, f);
	fputs("</svg>\n", f);
}
