# SPDX-License-Identifier: MIT
"""The tables and the picture of the measuring bench: for each workload NAME.md, NAME.svg, NAME.json."""

import json
import pathlib
import sys

import compare
from report import show, spread

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "vm" / "demo"))
import picture  # noqa: E402  the demo's, beside this in the tree only

EXIT_OK, EXIT_FAILED = 0, 1

# (name of the value, heading, digits)
ROWS = (
    ("ops_per_second", "{operation}/s", 1),
    ("mean_us", "mean latency, us", 1),
    ("p50_us", "p50, us", 0),
    ("p90_us", "p90, us", 0),
    ("p95_us", "p95, us", 0),
    ("p99_us", "p99, us", 0),
    ("p999_us", "p99.9, us", 0),
    ("slow_percent", "waited for the disk, %", 2),
    ("files_seconds", "files read in, s", 3),
    ("hot_refaults", "pages of the database read again", 0),
    ("refault_file", "file refaults", 0),
    ("refaults_per_op", "file refaults over {operation}", 4),
    ("refault_anon", "anon refaults", 0),
    ("pgscan", "pages scanned", 0),
    ("pgsteal", "pages reclaimed", 0),
    ("scan_per_steal", "scanned per reclaimed", 3),
    ("held_mib", "memory held, MiB", 2),
    ("swap_mib", "swapped out, MiB", 2),
    ("events_max", "events max", 0),
    ("events_high", "events high", 0),
    ("stall_memory_percent", "memory stall, %", 3),
    ("stall_memory_full_percent", "memory stall full, %", 3),
    ("stall_io_percent", "io stall, %", 2),
    ("stall_io_full_percent", "io stall full, %", 2),
    ("load_cpu_seconds", "CPU of the load, s", 2),
    ("agent_cpu_percent", "agent CPU, %", 3),
)
COMPARED = ("ops_per_second", "mean_us", "p50_us", "p90_us", "p99_us", "slow_percent", "files_seconds",
            "hot_refaults", "refault_file", "refaults_per_op", "pgscan", "scan_per_steal", "held_mib",
            "stall_io_percent")


def heading(workload, name):
    return next(text for row, text, _ in ROWS if row == name).format(operation=workload.operation)


def condition_name(condition):
    kernel, agent = condition
    return kernel if agent == compare.BASE_AGENT else f"{kernel} + {agent}"


def one_line(workload, values):
    parts = [f"{heading(workload, name)} {show(values.get(name), digits)}" for name, _, digits in ROWS
             if name in ("ops_per_second", "mean_us", "refault_file", "scan_per_steal", "held_mib")]
    return ", ".join(parts)


def lined_up(lines):
    """A Markdown table that can be read as it is; the first line is the heading."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = ["| " + " | ".join([line[0].ljust(widths[0])]
                              + [cell.rjust(w) for cell, w in zip(line[1:], widths[1:])]) + " |"
            for line in lines]
    rule = "|" + "|".join(["-" * (widths[0] + 2)] + ["-" * (w + 1) + ":" for w in widths[1:]]) + "|"
    return [text[0], rule, *text[1:]]


def values_table(workload, runs):
    conditions = compare.conditions_of(runs)
    counts = [len(compare.of(runs, *c, "ops_per_second")) for c in conditions]
    lines = [["median (least to most)"]
             + [f"{condition_name(c)}, {n} run{'s' * (n > 1)}" for c, n in zip(conditions, counts)]]
    for name, _, digits in ROWS:
        cells = [list(compare.of(runs, *c, name).values()) for c in conditions]
        if any(value is not None for cell in cells for value in cell):
            lines.append([heading(workload, name)] + [spread(cell, digits) for cell in cells])
    return lined_up(lines)


def show_ratio(mean, low, high):
    if mean is None:
        return "-"
    return f"{mean:.3f}" if low is None else f"{mean:.3f} [{low:.3f} {high:.3f}]"


def seeds_of(workload, condition, base, name):
    if condition[1] != base[1]:
        return ""
    return ", ".join(f"{seed.ratio:.3f}" for seed in workload.seeds
                     if (seed.condition, seed.base, seed.metric) == (condition[0], base[0], name))


def ratios_table(workload, runs):
    """Each comparison's ratios, and beside those of kernels what the seeds have. [] without any."""
    pairs = compare.comparisons(runs)
    if not pairs:
        return []
    lines = [["ratio [95 %]"] + [cell for c, b in pairs for cell in
                                 (compare.title_of(c, b), *(["seeds"] if c[1] == b[1] else []))]]
    for name in COMPARED:
        cells = []
        for condition, base in pairs:
            found = compare.ratios(compare.of(runs, *condition, name), compare.of(runs, *base, name))
            cells.append(show_ratio(*compare.interval(found)))
            if condition[1] == base[1]:
                cells.append(seeds_of(workload, condition, base, name))
        if any(cell not in ("-", "") for cell in cells):
            lines.append([heading(workload, name)] + cells)
    return lined_up(lines)


def verdict_lines(workload, runs):
    verdicts = compare.judged(workload, runs)
    lines = [f"- {'ok' if met else 'NOT OK'}: {title}, {heading(workload, want.metric)}: "
             f"{show(mean, 3)}, wanted {want.op} {want.limit:g}" for title, want, mean, met in verdicts]
    return lines, all(met for *_, met in verdicts)


# --- the picture: a panel for each value, in it a row for each condition, in that a dot for each run

PANELS = ("ops_per_second", "mean_us", "p99_us", "hot_refaults", "refault_file", "scan_per_steal", "held_mib")
WIDTH, LEFT, RIGHT, ROW, HEAD, TOP = 900, 190, 40, 20, 44, 50
DOT, MEDIAN = "#56B4E9", "#D55E00"


def panel(workload, runs, name, top):
    """[] when no run has the value."""
    conditions = compare.conditions_of(runs)
    cells = [[v for v in compare.of(runs, *c, name).values() if v is not None] for c in conditions]
    most = max((v for cell in cells for v in cell), default=None)
    if most is None:
        return []
    scale = picture.Scale(LEFT, 0, WIDTH - LEFT - RIGHT, 0, most * 1.05 or 1, 1)
    bottom = top + HEAD - 20 + ROW * len(conditions)
    parts = [picture.text(LEFT, top + 14, heading(workload, name), weight="bold")]
    step = picture.nice_step(scale.seconds)
    for i in range(int(scale.seconds / step) + 1):
        x = scale.x(i * step)
        parts.append(picture.line(x, top + 20, x, bottom, picture.GRID_COLOUR))
        parts.append(picture.text(x, bottom + 13, f"{i * step:g}", size=10, anchor="middle"))
    for i, (condition, cell) in enumerate(zip(conditions, cells)):
        y = top + 20 + ROW * (i + 0.5)
        parts.append(picture.text(LEFT - 8, y + 4, condition_name(condition), anchor="end"))
        parts += [f'<circle cx="{scale.x(v):.1f}" cy="{y:.1f}" r="4" fill="{DOT}"/>' for v in cell]
        if cell:
            x = scale.x(compare.median(cell))
            parts.append(picture.line(x, y - 8, x, y + 8, MEDIAN, 2.5))
    return parts


def draw(workload, runs):
    height, parts = TOP, []
    for name in PANELS:
        drawn = panel(workload, runs, name, height)
        parts += drawn
        height += (HEAD + ROW * len(compare.conditions_of(runs))) if drawn else 0
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="DejaVu Sans, Helvetica, Arial, sans-serif">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        picture.text(16, 24, f"{workload.name}: {workload.title}", size=14, weight="bold"),
        picture.text(16, 41, "a dot is a run, a bar the median", size=11),
        *parts, "</svg>"]) + "\n"


def page(workload, runs):
    """(Markdown, whether every run came to its end and all that is wanted of what ran holds)."""
    good = [run for run in runs if run["values"]]
    lines = [f"## {workload.name}", "", workload.title, ""]
    if len(good) < len(runs):
        lines += [f"{len(runs) - len(good)} of {len(runs)} runs failed.", ""]
    if not good:
        return "\n".join(lines), False
    verdicts, met = verdict_lines(workload, good)
    for block in (values_table(workload, good), ratios_table(workload, good), verdicts):
        lines += [*block, ""] if block else []
    told = {(c.condition, c.base): None for c in workload.seeds}
    for condition, base in told:
        lines += [f"- seeds, {condition}/{base}, {heading(workload, s.metric)} {s.ratio:.3f}: {s.source}"
                  for s in workload.seeds if (s.condition, s.base) == (condition, base)]
    return "\n".join(lines) + "\n", met and len(good) == len(runs)


def publish(workloads, runs, results):
    """(the text of all, exit status); leaves the files in directory results."""
    texts, all_met = [], True
    for workload in workloads:
        mine = [run for run in runs if run["workload"] == workload.name]
        if not mine:
            continue
        text, met = page(workload, mine)
        texts.append(text)
        all_met = all_met and met
        (results / f"{workload.name}.md").write_text(text)
        (results / f"{workload.name}.svg").write_text(
            draw(workload, [run for run in mine if run["values"]]))
        (results / f"{workload.name}.json").write_text(json.dumps({"runs": mine}, indent=1) + "\n")
    return "\n".join(texts), EXIT_OK if all_met else EXIT_FAILED
