# SPDX-License-Identifier: MIT
"""What a run of the YCSB bench has left behind, and the table with its verdict.

Whatever is missing is None and stays None: a dash in the table, and never a criterion that is met.
"""

import csv
import json
import statistics

CONDITIONS = {"alone": "alone", "stream": "backup", "agent": "backup, agent"}  # and their titles
OPS_RATIO_MIN = 0.99
P99_RATIO_MAX = 1.1
PAGE = 4096
MIB = 1 << 20

# (label, value, digits)
ROWS = (
    ("operations/s", "ops_per_second", 1),
    ("  of those alone", "ops_ratio", 3),
    ("read p50, us", "p50_us", 0),
    ("read p99, us", "p99_us", 0),
    ("  times that alone", "p99_ratio", 2),
    ("read p99.9, us", "p999_us", 0),
    ("update p99, us", "update_p99_us", 0),
    ("WiredTiger's reads of the file, % of operations", "miss_percent", 2),
    ("mongod, refaults", "mongod_refaults", 0),
    ("mongod, file MiB", "mongod_file_mib", 1),
    ("mongod, anon MiB", "mongod_anon_mib", 1),
    ("mongod, memory.low MiB", "low_mib", 0),
    ("mongod, waiting for io, % of time", "mongod_io_percent", 2),
    ("backup, MiB/s", "backup_mib_per_second", 2),
    ("backup, refaults", "backup_refaults", 0),
    ("backup, file MiB", "backup_file_mib", 1),
    ("slice, memory.events max", "events_max", 0),
    ("agent, CPU %", "agent_cpu_percent", 2),
)


def read_samples(path):
    """The rows of the measured time; a field without a value is None."""
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["phase"] == "1"]
    return [{k: float(v) if v else None for k, v in row.items()} for row in rows]


def rise(rows, name):
    begin, end = rows[0].get(name), rows[-1].get(name)
    return None if begin is None or end is None else end - begin


def scaled(value, factor, divisor=1):
    return None if value is None or not divisor else value * factor / divisor


def read_low(path):
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return None if text == "max" else int(text) / MIB


def run_values(condition, number, out):
    """All values of the run in directory out. OSError, KeyError, IndexError: it is not all there."""
    driver = json.loads((out / "ycsb.json").read_text())
    rows = read_samples(out / "samples.csv")
    seconds = rise(rows, "usec") / 1e6
    last = rows[-1]
    backup = last["backup_file"] is not None
    return {
        "condition": condition, "run": number, "seconds": driver["seconds"],
        "ops": driver["ops"], "ops_per_second": driver["ops_per_second"],
        "p50_us": driver["read"]["p50_us"], "p99_us": driver["read"]["p99_us"],
        "p999_us": driver["read"]["p999_us"], "update_p99_us": driver["update"]["p99_us"],
        "miss_percent": scaled(driver["pages_read"], 100, driver["ops"]),
        "mongod_refaults": rise(rows, "mongod_refault_file"),
        "mongod_file_mib": scaled(last["mongod_file"], 1, MIB),
        "mongod_anon_mib": scaled(last["mongod_anon"], 1, MIB),
        "mongod_io_percent": scaled(rise(rows, "mongod_stall_io_usec"), 1e-4, seconds),
        "low_mib": read_low(out / "end/mongod.service/memory.low"),
        "backup_mib_per_second": scaled(rise(rows, "stream"), PAGE / MIB, seconds) if backup else None,
        "backup_refaults": rise(rows, "backup_refault_file"),
        "backup_file_mib": scaled(last["backup_file"], 1, MIB),
        "events_max": rise(rows, "slice_events_max"),
        "agent_cpu_percent": scaled(rise(rows, "agent_cpu_usec"), 1e-4, seconds),
        "intervals": driver["intervals"],
    }


def with_ratios(runs):
    """Each run compared with the one alone that drew the same random numbers, with the same settings."""
    for run in runs:
        base = next((other for other in runs if other["condition"] == "alone" and
                     all(other[name] == run[name] for name in ("run", "settings"))), None)
        run["ops_ratio"] = scaled(run["ops_per_second"], 1, base and base["ops_per_second"])
        run["p99_ratio"] = scaled(run["p99_us"], 1, base and base["p99_us"])
    return runs


def show(values, digits):
    """The median, and least and most where they differ as shown."""
    if not values or None in values:
        return "-"
    texts = [f"{v:,.{digits}f}".replace(",", " ")
             for v in (statistics.median(values), min(values), max(values))]
    return texts[0] if texts[1] == texts[2] else f"{texts[0]} [{texts[1]} {texts[2]}]"


def one_line(run):
    return (f"   {run['ops_per_second']:.1f} operations/s, read p99 {run['p99_us']} us, "
            f"{show([run['mongod_refaults']], 0)} refaults of mongod")


def criterion(runs, name, test, text):
    """(met in every run, line); without a run, or a value, it is not met."""
    values = [run[name] for run in runs]
    met = bool(values) and None not in values and all(map(test, values))
    return met, f"{'ok    ' if met else 'NOT OK'}  {text.format(show(values, 3))}"


def report(runs):
    """(text, exit status): 0 when the agent keeps what the issue of this bench asks for."""
    runs = with_ratios(runs)
    conditions = [c for c in CONDITIONS if any(run["condition"] == c for run in runs)]
    lines = [[""] + [CONDITIONS[c] for c in conditions]]
    for label, name, digits in ROWS:
        lines.append([label] + [show([r[name] for r in runs if r["condition"] == c], digits)
                                for c in conditions])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = ["  ".join([line[0].ljust(widths[0])]
                      + [cell.rjust(w) for cell, w in zip(line[1:], widths[1:])]).rstrip()
            for line in lines]
    text.insert(1, "-" * (sum(widths) + 2 * len(conditions)))
    agent = [run for run in runs if run["condition"] == "agent"]
    criteria = [
        criterion(agent, "ops_ratio", lambda v: v >= OPS_RATIO_MIN,
                  f"beside the backup, with the agent: {{}} of the operations per second alone "
                  f"(at least {OPS_RATIO_MIN})"),
        criterion(agent, "p99_ratio", lambda v: v <= P99_RATIO_MAX,
                  f"read p99: {{}} times that alone (at most {P99_RATIO_MAX})"),
    ]
    text += [""] + [line for _, line in criteria]
    return "\n".join(text), 0 if all(met for met, _ in criteria) else 1
