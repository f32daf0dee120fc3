# SPDX-License-Identifier: MIT
"""The end of the policy bench: a table of every test, its bounds judged, and the exit status.

A run is {"case", "condition", "run", "short", "values"}; "short" means that it was cut by an
option, so that its figures prove the bench and nothing else. A bound holds when it holds in every
run.
"""

import statistics

import cases

EXIT_OK, EXIT_FAILED = 0, 1

# (name of the value, heading, digits): beside each test's own figures
COMMON = (
    ("residences", "residence times", 1),
    ("residence_seconds", "one, s", 2),
    ("ops_per_second", "ops/s", 0),
    ("refaults_per_op", "refaults/op", 4),
    ("ops_per_cpu_second", "ops/CPU s", 0),
    ("refaults_per_cpu_second", "refaults/CPU s", 0),
    ("agings", "agings", 0),
    ("plus", "`+` of the agent", 0),
    ("pgscan", "pgscan", 0),
    ("events_max_per_second", "events max/s", 2),
    ("stall_memory_percent", "memory stall, %", 2),
    ("stall_io_percent", "io stall, %", 2),
    ("agent_cpu_percent", "agent CPU, %", 2),
)
OWN = {
    "late_refaults_per_op": (f"refaults/op from {cases.LATE} on", 4),
    "late_ops_per_second": (f"ops/s from {cases.LATE} on", 0),
    "before_refaults_per_op": ("refaults/op before", 4),
    "hot_refaults": ("refaults of hot", 0),
    "stream_per_second": ("pages streamed/s", 0),
    "gone_mib": ("gone within 60 s, MiB", 1),
    "end_gone_mib": ("gone at the end, MiB", 1),
    "start_seconds": ("first gone after, s", 0),
    "swing_mib": ("then +-, MiB", 1),
    "refaults": ("refaults", 0),
    "saved_percent": ("saved, %", 1),
    "rate_percent_min": ("refaults/min, % of WSS", 3),
    "rate_of_target": ("refaults/target", 2),
    "oracle_gap_pp": ("saved less than the oracle, pp", 1),
}


def show(value, digits=0):
    if value is None:
        return "-"
    text = f"{value:,.{digits}f}".replace(",", " ")
    return text.removeprefix("-") if not text.strip("-0.") else text


def values_of(runs, case, condition, name):
    return [run["values"].get(name) for run in runs
            if run["case"] == case and run["condition"] == condition]


def median(values):
    return None if not values or None in values else statistics.median(values)


def spread(values, digits):
    """Median, and least and most when there are several."""
    middle = show(median(values), digits)
    if len(values) < 2 or None in values:
        return middle
    return f"{middle} ({show(min(values), digits)} to {show(max(values), digits)})"


def rows_of(case):
    own = [(name, *OWN[name]) for name in case.figures if name in OWN]
    return own + [row for row in COMMON if row[0] not in {name for name, _, _ in own}]


def table(case, runs):
    """The lines of one test: a row for each figure, a column for each condition that ran."""
    conditions = [c for c in cases.CONDITIONS if values_of(runs, case.name, c, "seconds")]
    if not conditions:
        return []
    lines = [["runs"] + [f"{c}, {len(values_of(runs, case.name, c, 'seconds'))}"
                         for c in conditions]]
    if case.known:
        lines.append(["known before"] + [case.known.get(c, "-") for c in conditions])
    for name, heading, digits in rows_of(case):
        cells = [values_of(runs, case.name, c, name) for c in conditions]
        if any(value is not None for cell in cells for value in cell):
            lines.append([heading] + [spread(cell, digits) for cell in cells])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return ["  " + "  ".join([line[0].ljust(widths[0])]
                             + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])])
            for line in lines]


def limit_of(bound, case, runs):
    if not bound.of:
        return bound.limit
    base = median(values_of(runs, bound.of[0] or case.name, bound.of[1], bound.value))
    return None if base is None else bound.limit * base + bound.slack


def judge_bound(bound, case, runs):
    """True, False, or None when a number is missing; and the sentence."""
    values = values_of(runs, case.name, cases.AGENT, bound.value)
    limit = limit_of(bound, case, runs)
    heading, digits = next(((h, d) for name, h, d in rows_of(case) if name == bound.value),
                           OWN.get(bound.value, (bound.value, 4)))
    base = f", {bound.limit:g} times {' '.join(filter(None, bound.of))}" if bound.of else ""
    known = values and None not in values and limit is not None
    if not known:
        return None, f"{heading}: a number is missing"
    worst = max(values) if bound.op == "<=" else min(values)
    met = worst <= limit if bound.op == "<=" else worst >= limit
    limit_digits = digits if digits or limit == int(limit) else 2
    return met, f"{heading}: {show(worst, digits)} {bound.op} {show(limit, limit_digits)}{base}"


def word(bound, met):
    if bound.level == "must":
        return "ok" if met else "FAILED"
    return "reached" if met else "not reached"


def judge(case, runs, skipped):
    """The verdict's lines of one test, and whether every must held."""
    if case.name in skipped:
        return [f"  SKIPPED      {skipped[case.name]}"], False
    held, lines = True, []
    for bound in case.bounds:
        met, text = judge_bound(bound, case, runs)
        held = held and (bool(met) or bound.level != "must")
        lines.append(f"  {word(bound, met):<11}  {bound.level:<8}  {text}")
    shorts = [run for run in runs if run["case"] == case.name and run["short"]]
    if shorts:
        lines.append("  FAILED       must      the runs are whole: "
                     f"{len(shorts)} were cut short by an option")
    return lines, held and not shorts


def report(chosen, runs, skipped):
    """The whole text, and the exit status."""
    lines, all_held, failed = [], True, []
    for case in chosen:
        verdict, held = judge(case, runs, skipped)
        if not held:
            failed.append(case.name)
        all_held = all_held and held
        lines += [f"{case.name}  {case.title}"] + table(case, runs) + verdict + [""]
    lines.append("Every must holds." if all_held else
                 f"NOT OK: a must is not shown to hold in {', '.join(failed)}.")
    return "\n".join(lines), EXIT_OK if all_held else EXIT_FAILED
