# SPDX-License-Identifier: MIT
"""Draws the demo's picture: memory over time, without and with the agent side by side.

Each panel stacks the memory of the three units below the limit of their slice, and has under it the
refaults of `hot`. Both panels share their scales, or they could not be compared. The SVG is plain:
no script, no style sheet, its own white ground, readable at its native 900 pixels.
"""

import dataclasses
import math
from xml.sax.saxutils import escape

import phase

WIDTH, HEIGHT = 900, 536
LEFT, RIGHT, GAP = 62, 14, 26           # of the panels
TOP, MEMORY_HEIGHT = 104, 260
REFAULT_TOP, REFAULT_HEIGHT = 420, 70
PANEL_WIDTH = (WIDTH - LEFT - RIGHT - GAP) / 2

# Distinct for colour-blind eyes too (after Okabe and Ito), from the bottom of the stack upwards.
STACK = (("hot", "#D55E00"), ("idle", "#56B4E9"), ("stream", "#BDBDBD"))
LINE_COLOUR, ZRAM_COLOUR, GRID_COLOUR, TEXT_COLOUR = "#222222", "#6A3D9A", "#E4E4E4", "#333333"


@dataclasses.dataclass
class Panel:
    """One run: its samples, and when its measured time began and ended (uptime, or None)."""
    title: str
    samples: list
    begin: float | None
    end: float | None

    def start(self):
        return next((s["uptime"] for s in self.samples if s.get("uptime") is not None), 0)

    def series(self, key):
        """(seconds since the first sample, value) of all samples that have both."""
        return [(s["uptime"] - self.start(), s[key]) for s in self.samples
                if s.get("uptime") is not None and s.get(key) is not None]

    def rates(self, key):
        """A counter as (seconds, rise per second). Where it fell there is no rate."""
        points = self.series(key)
        return [(t1, (v1 - v0) / (t1 - t0)) for (t0, v0), (t1, v1) in zip(points, points[1:])
                if t1 > t0 and v1 >= v0]


def nice_step(top, wanted=5):
    """A step of 1, 2 or 5 times a power of ten that cuts 0..top into about `wanted` parts."""
    raw = max(top, 1e-9) / wanted
    power = 10 ** math.floor(math.log10(raw))
    return next(power * m for m in (1, 2, 5, 10) if power * m >= raw * 0.999)


@dataclasses.dataclass
class Scale:
    """Maps seconds and values to pixels; y grows upwards from the bottom of the plot."""
    left: float
    bottom: float
    width: float
    height: float
    seconds: float
    top: float

    def x(self, seconds):
        return self.left + self.width * min(seconds / self.seconds, 1)

    def y(self, value):
        return self.bottom - self.height * min(value / self.top, 1)

    def points(self, points):
        return " ".join(f"{self.x(t):.1f},{self.y(v):.1f}" for t, v in points)


def text(x, y, content, size=12, anchor="start", weight="normal", colour=TEXT_COLOUR):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'font-weight="{weight}" fill="{colour}">{escape(content)}</text>')


def line(x1, y1, x2, y2, colour, width=1, dash=""):
    dash = f' stroke-dasharray="{dash}"' if dash else ""
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"{dash}/>')


def polyline(points, colour, width=1.5, dash=""):
    dash = f' stroke-dasharray="{dash}"' if dash else ""
    return (f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}" '
            f'stroke-linejoin="round"{dash}/>')


def stacked(samples, start):
    """[(unit, colour, lower edge, upper edge)] in MiB; a unit not there yet has no height."""
    rows = [s for s in samples if s.get("uptime") is not None]
    floor = [(s["uptime"] - start, 0.0) for s in rows]
    layers = []
    for name, colour in STACK:
        roof = [(t, low + (s.get(f"{name}_current") or 0) / phase.MIB)
                for (t, low), s in zip(floor, rows)]
        layers.append((name, colour, floor, roof))
        floor = roof
    return layers


def grid(scale, step, labels):
    parts = []
    for i in range(int(scale.top / step + 0.001) + 1):
        y = scale.y(i * step)
        parts.append(line(scale.left, y, scale.left + scale.width, y, GRID_COLOUR))
        if labels:
            parts.append(text(scale.left - 8, y + 4, f"{i * step:g}", anchor="end"))
    return parts


def time_axis(scale):
    step = nice_step(scale.seconds)
    parts = [line(scale.left, scale.bottom, scale.left + scale.width, scale.bottom, LINE_COLOUR)]
    for i in range(int(scale.seconds / step) + 1):
        x = scale.x(i * step)
        parts.append(line(x, scale.bottom, x, scale.bottom + 4, LINE_COLOUR))
        parts.append(text(x, scale.bottom + 17, f"{i * step:g}", anchor="middle"))
    return parts


def measured_marks(panel, scale, top, caption):
    """A dashed line where the stream begins to read."""
    if panel.begin is None:
        return []
    x = scale.x(panel.begin - panel.start())
    parts = [line(x, top, x, scale.bottom, LINE_COLOUR, 1, "2 3")]
    if caption:
        parts.append(text(x + 5, top + 13, "stream reads", size=11))
        parts.append(text(x - 5, top + 13, "warm-up", size=11, anchor="end"))
    return parts


def memory_plot(panel, scale, limit_mib, labels):
    parts = grid(scale, nice_step(scale.top), labels)
    for _, colour, floor, roof in stacked(panel.samples, panel.start()):
        if roof:
            parts.append(f'<polygon points="{scale.points(floor)} {scale.points(roof[::-1])}" '
                         f'fill="{colour}" stroke="white" stroke-width="0.6"/>')
    zram = [(t, v / phase.MIB) for t, v in panel.series("zram_used")]
    if zram:
        parts.append(polyline(scale.points(zram), ZRAM_COLOUR, 2, "5 3"))
    if limit_mib:
        y = scale.y(limit_mib)
        parts.append(line(scale.left, y, scale.left + scale.width, y, LINE_COLOUR, 1.2))
        if labels:
            parts.append(text(scale.left + 4, y - 5, f"limit of the slice, {limit_mib:g} MiB",
                              size=11))
    parts += measured_marks(panel, scale, scale.y(limit_mib or scale.top), True)
    parts += time_axis(scale)
    return parts


def refault_plot(panel, scale, labels):
    parts = grid(scale, nice_step(scale.top, 2), labels)
    rates = panel.rates("hot_refault_file")
    if rates:
        edge = [(rates[0][0], 0)] + rates + [(rates[-1][0], 0)]
        parts.append(f'<polygon points="{scale.points(edge)}" fill="{STACK[0][1]}"/>')
    parts += measured_marks(panel, scale, scale.bottom - scale.height, False)
    parts += time_axis(scale)
    return parts


def legend():
    entries = [(name, colour, None) for name, colour in STACK] + [
        ("zram's own memory (not in the slice)", None, ZRAM_COLOUR)]
    parts, x = [], LEFT
    for name, fill, stroke in entries:
        if fill:
            parts.append(f'<rect x="{x}" y="47" width="14" height="12" fill="{fill}"/>')
        else:
            parts.append(line(x, 53, x + 22, 53, stroke, 2, "5 3"))
            x += 8
        parts.append(text(x + 20, 57, name))
        x += 40 + 7 * len(name)
    return parts


def longest(panels):
    return max((t for p in panels for t, _ in p.series("uptime")), default=0) or 1


def draw(panels, limit_mib=None):
    """The whole picture as SVG text. Works with no samples at all: then the panels are empty."""
    memory_top = max((v for p in panels for *_, roof in stacked(p.samples, p.start())
                      for _, v in roof), default=0)
    memory_top = max(memory_top, limit_mib or 0, 1) * 1.1
    refault_top = max((v for p in panels for _, v in p.rates("hot_refault_file")), default=0) or 1
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="DejaVu Sans, Helvetica, Arial, sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(LEFT, 30, "Memory of three units under one limit", size=17, weight="bold"),
        *legend(),
    ]
    for i, panel in enumerate(panels):
        left = LEFT + i * (PANEL_WIDTH + GAP)
        seconds = longest(panels)
        memory = Scale(left, TOP + MEMORY_HEIGHT, PANEL_WIDTH, MEMORY_HEIGHT, seconds, memory_top)
        refaults = Scale(left, REFAULT_TOP + REFAULT_HEIGHT, PANEL_WIDTH, REFAULT_HEIGHT, seconds,
                         refault_top)
        parts.append(text(left, TOP - 10, panel.title, size=14, weight="bold"))
        parts += memory_plot(panel, memory, limit_mib, i == 0)
        parts.append(text(left, REFAULT_TOP - 6, "file refaults of hot, pages per second", size=12))
        parts += refault_plot(panel, refaults, i == 0)
        parts.append(text(left + PANEL_WIDTH, HEIGHT - 10, "seconds", anchor="end"))
    middle = TOP + MEMORY_HEIGHT / 2
    parts.append(f'<g transform="rotate(-90 16 {middle})">'
                 + text(16, middle, "MiB", anchor="middle") + "</g></svg>")
    return "\n".join(parts) + "\n"
