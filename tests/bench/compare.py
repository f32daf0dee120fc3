# SPDX-License-Identifier: MIT
"""The values of a run of the measuring bench, and the statistics over several.

Whatever is missing is None and stays None: a dash in the table, and never a criterion that is met.
Two conditions are compared run by run: those with the same number drew the same random numbers.
"""

import dataclasses
import math
import pathlib
import statistics

import measure

BASE_KERNEL, BASE_AGENT = "stock", "none"
# Student's t for a two-sided 95 %, by degrees of freedom; beyond, the normal distribution's is near.
T_95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
        2.052, 2.048, 2.045, 2.042)
T_95_MANY = 1.960


@dataclasses.dataclass(frozen=True)
class Seed:
    """What others have measured: value `metric` of condition over that of base."""
    condition: str
    base: str
    metric: str
    ratio: float
    source: str


@dataclasses.dataclass(frozen=True)
class Want:
    """What is to hold of the ratio of two kernels, or of two agents on every kernel."""
    condition: str
    base: str
    metric: str
    op: str
    limit: float


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    title: str
    operation: str   # what is counted, in the plural
    limit_mib: int
    guest_mib: int
    minutes: float   # a run takes about so long
    seeds: tuple
    wants: tuple


def parse_seed(text):
    pair, metric, ratio, source = text.split(" ", 3)
    return Seed(*pair.split("/"), metric, float(ratio), source)


def parse_want(text):
    pair, metric, op, limit = text.split()
    if op not in ("<=", "<", ">="):
        raise ValueError(text)
    return Want(*pair.split("/"), metric, op, float(limit))


def holds(want, ratio):
    if want.op == ">=":
        return ratio >= want.limit
    return ratio < want.limit if want.op == "<" else ratio <= want.limit


# --- one run

def read_result(path):
    """The workload's key=value lines; a value that is no number is left out."""
    text = measure.read_text(path)
    pairs = (line.partition("=") for line in (text or "").splitlines())
    values = {key: measure.number(value) for key, _, value in pairs}
    return {key: value for key, value in values.items() if value is not None}


def time_weighted(rows, name):
    """The mean over time: between two samples it is the mean of both."""
    if len(rows) < 2 or any(row.get(name) is None for row in rows):
        return None
    area = sum((b["usec"] - a["usec"]) * (a[name] + b[name]) / 2 for a, b in zip(rows, rows[1:]))
    return measure.ratio(area, measure.rise(rows, "usec"))


def run_values(directory):
    """All values of a run by name; {} when the guest left no measured time."""
    directory = pathlib.Path(directory)
    rows = [row for row in measure.read_samples(directory / "samples.csv") if row["phase"] == 1]
    if len(rows) < 2:
        return {}
    time = measure.seconds(rows)
    values = {"window_seconds": time}
    for name in ("refault_file", "refault_anon", "pgscan", "pgsteal", "events_max", "events_high"):
        values[name] = measure.rise(rows, f"load_{name}")
    for name in ("stall_memory", "stall_memory_full", "stall_io", "stall_io_full"):
        values[f"{name}_percent"] = measure.ratio(measure.rise(rows, f"load_{name}_usec"), time, 1e-4)
    held = time_weighted(rows, "load_current"), time_weighted(rows, "zram")
    values |= {
        "scan_per_steal": measure.ratio(values["pgscan"], values["pgsteal"]),
        "held_mib": measure.ratio(measure.total(*held), measure.MIB),
        "swap_mib": measure.ratio(time_weighted(rows, "load_swap"), measure.MIB),
        "load_cpu_seconds": measure.ratio(measure.rise(rows, "load_cpu_usec"), 1e6),
        "agent_cpu_percent": measure.ratio(measure.rise(rows, "agent_cpu_usec"), time, 1e-4),
    }
    values |= read_result(directory / "result")
    return values | {"refaults_per_op": measure.ratio(values["refault_file"], values.get("ops"))}


# --- several

def of(runs, kernel, agent, metric):
    """{run number: value}; a run without the value has None."""
    return {run["run"]: run["values"].get(metric) for run in runs
            if (run["kernel"], run["agent"]) == (kernel, agent)}


def median(values):
    return None if not values or None in values else statistics.median(values)


def interval(ratios):
    """(geometric mean, low, high) of the 95 % interval by Student's t over the logarithms; low and
    high are None for a single one, or beside a 0, which has no logarithm; all are None where a ratio
    is unknown."""
    if not ratios or None in ratios:
        return None, None, None
    if 0 in ratios:
        return 0.0, None, None
    logs = [math.log(ratio) for ratio in ratios]
    middle = statistics.fmean(logs)
    if len(logs) == 1:
        return math.exp(middle), None, None
    t = T_95[len(logs) - 2] if len(logs) - 2 < len(T_95) else T_95_MANY
    half = t * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(middle), math.exp(middle - half), math.exp(middle + half)


def ratios(values, base):
    """Of the runs that both have, in their order. A base of 0 makes the ratio unknown."""
    numbers = sorted(values.keys() & base.keys())
    return [measure.ratio(values[n], base[n]) for n in numbers]


def conditions_of(runs):
    """(kernel, agent) that ran: the base first, then in the order of the alphabet."""
    return sorted({(run["kernel"], run["agent"]) for run in runs},
                  key=lambda c: (c[0] != BASE_KERNEL, c[0], c[1] != BASE_AGENT, c[1]))


def comparisons(runs):
    """(condition, base) of all that are to be compared: each kernel with stock, without an agent,
    and each agent with none, on the same kernel."""
    conditions = conditions_of(runs)
    pairs = [((k, a), (BASE_KERNEL, a)) for k, a in conditions if a == BASE_AGENT and k != BASE_KERNEL]
    pairs += [((k, a), (k, BASE_AGENT)) for k, a in conditions if a != BASE_AGENT]
    return [(condition, base) for condition, base in pairs if base in conditions]


def title_of(condition, base):
    """fg/stock for kernels; fgreclaimd/none, and the kernel it is on, for agents."""
    if condition[1] == base[1]:
        return f"{condition[0]}/{base[0]}"
    return f"{condition[1]}/{base[1]} on {condition[0]}"


def judged(workload, runs):
    """[(title, want, geometric mean or None, whether it holds)] for all wants of what ran."""
    verdicts = []
    for condition, base in comparisons(runs):
        same_agent = condition[1] == base[1]
        pair = (condition[0], base[0]) if same_agent else (condition[1], base[1])
        for want in workload.wants:
            if (want.condition, want.base) != pair:
                continue
            mean = interval(ratios(of(runs, *condition, want.metric), of(runs, *base, want.metric)))[0]
            verdicts.append((title_of(condition, base), want, mean,
                             mean is not None and holds(want, mean)))
    return verdicts
