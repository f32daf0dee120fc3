# SPDX-License-Identifier: MIT
"""Derives the values of one run of the policy bench from what the guest left behind.

Whatever is missing or unreadable is None and stays None through every sum: a table with a dash is
honest, one with a made-up 0 is not.
"""

import csv
import math
import pathlib
import re

import cases

MIB = 1 << 20
PAGE = 4096
# population.c: how its pages are used.
NEVER_USED_SHARE, RATE_MIN_HZ, RATE_MAX_HZ = 0.25, 1e-4, 0.5
# What policy.md calls the working set: what was used in so many seconds.
WORKING_SET_S = 120
# Refaults of the default class, RefaultLimit=: of the memory held, in a minute.
RATE_TARGET = 0.005
# The first quarter of an hour of a population is the way there: what is used once in ten minutes
# cannot be told from what is never used any sooner.
SETTLING_S = 900
# M7: so much is gone, and the time of the test begins; then so long to get there and to stay.
FIRST_GONE_MIB, GONE_S, STAY_S = 4, 60, 300
# The end of the warm-up to compare with, in residence times.
BEFORE = 4


def number(text):
    try:
        return float(text) if "." in text else int(text)
    except (TypeError, ValueError):
        return None


def read_samples(path):
    """samples.csv as a list of dicts; a field without a value is None, a line cut short is left
    out."""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except OSError:
        return []
    return [{key: number(value) for key, value in row.items()}
            for row in csv.DictReader(text.splitlines()) if None not in row.values()]


def rise(rows, name):
    """What a counter rose by from the first to the last of the rows. None if that is unknown, or
    if it fell: then it was reset."""
    if len(rows) < 2:
        return None
    begin, end = rows[0].get(name), rows[-1].get(name)
    return None if begin is None or end is None or end < begin else end - begin


def total(*values):
    return None if None in values else sum(values)


def ratio(part, whole, factor=1):
    return None if part is None or not whole else factor * part / whole


def seconds(rows):
    return ratio(rise(rows, "usec"), 1_000_000)


def refaults(rows, group):
    return total(rise(rows, f"{group}_refault_anon"), rise(rows, f"{group}_refault_file"))


def mean(rows, *names):
    sums = [total(*(row.get(name) for name in names)) for row in rows]
    return None if None in sums or not sums else sum(sums) / len(sums)


def count_agings(log):
    """All `+` of the agent: the last of its summaries, which it writes when it stops, is of all its
    time. None without any sign that it ran to its end."""
    if log is None or not re.search(r"fgreclaimd\[\d+\]: stopped$", log, re.MULTILINE):
        return None
    return int((re.findall(r"asked for, (\d+) agings,", log) or [0])[-1])


def read_text(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def population_rates(pages):
    """Uses per second of each page, as population.c has them, ascending."""
    never = int(NEVER_USED_SHARE * pages)
    used = pages - never
    return [0.0] * never + [RATE_MIN_HZ * (RATE_MAX_HZ / RATE_MIN_HZ) ** ((i + 0.5) / used)
                            for i in range(used)]


def working_set_pages(rates):
    return sum(1 - math.exp(-rate * WORKING_SET_S) for rate in rates)


def oracle_saved_percent(rates, refaults_per_second):
    """What knowing all rates would save at that price: the pages least used are never kept."""
    spent, saved = 0.0, 0
    for rate in rates:
        spent += rate
        if spent > refaults_per_second:
            break
        saved += 1
    return 100 * saved / len(rates)


def cut(measured, residences):
    """The rows up to that many residence times: a run that had to go on for its least seconds is
    compared over the same stretch as another."""
    after = [i for i, row in enumerate(measured) if row["residences"] >= residences > 0]
    return measured[:after[0] + 1] if after else measured


def at_limit_values(measured, warm, main):
    late = [row for row in measured if row["residences"] >= cases.LATE]
    end = warm[-1]["residences"] if warm else 0
    before = [row for row in warm if row["residences"] >= max(0, end - BEFORE)]
    return {
        "late_refaults_per_op": ratio(refaults(late, main), rise(late, "ops")),
        "late_ops_per_second": ratio(rise(late, "ops"), seconds(late)),
        "before_refaults_per_op": ratio(refaults(before, main), rise(before, "ops"))
        if end > BEFORE else None,
    }


def anon_values(measured):
    """Of M7. The time runs from the first memory that goes: a cgroup is left alone when it is
    young."""
    anon = [(row["usec"] / 1e6, row["one_anon"]) for row in measured
            if row.get("one_anon") is not None]
    if not anon:
        return {}
    begin, full = anon[0]
    gone = [(at, (full - value) / MIB) for at, value in anon]
    values = {"end_gone_mib": gone[-1][1], "gone_mib": gone[-1][1]}
    start = next((at for at, mib in gone if mib >= FIRST_GONE_MIB), None)
    if start is None:
        return values
    values["start_seconds"] = start - begin
    values["gone_mib"] = max(mib for at, mib in gone if at <= start + GONE_S)
    stay = [mib for at, mib in gone if start + GONE_S <= at <= start + GONE_S + STAY_S]
    if stay and gone[-1][0] >= start + GONE_S + STAY_S:
        values["swing_mib"] = (max(stay) - min(stay)) / 2
    return values


def population_values(measured):
    if not measured:
        return {}
    begin = measured[0]["usec"]
    settled = [row for row in measured if row["usec"] - begin >= SETTLING_S * 1e6]
    minutes, came_back = ratio(seconds(settled), 60), refaults(settled, "one")
    held = mean(settled[-60:], "one_anon", "one_file")
    average = mean(settled, "one_anon", "one_file")
    if None in (held, average, came_back) or not minutes:
        return {}
    rates = population_rates(cases.POPULATION_PAGES)
    saved = 100 * (1 - held / PAGE / len(rates))
    return {
        "saved_percent": saved,
        "rate_percent_min": 100 * came_back / minutes / working_set_pages(rates),
        "rate_of_target": came_back / minutes / (RATE_TARGET * average / PAGE),
        "oracle_gap_pp": oracle_saved_percent(rates, came_back / minutes / 60) - saved,
    }


def cost_values(measured, main):
    time, cpu = seconds(measured), ratio(rise(measured, f"{main}_cpu_usec"), 1_000_000)
    values = {
        "seconds": time,
        "residences": measured[-1]["residences"],
        "residence_seconds": ratio(time, measured[-1]["residences"]),
        "ops": rise(measured, "ops"),
        "ops_per_second": ratio(rise(measured, "ops"), time),
        "stream_per_second": ratio(rise(measured, "stream"), time),
        "ops_per_cpu_second": ratio(rise(measured, "ops"), cpu),
        "refaults": refaults(measured, main),
        "refaults_per_op": ratio(refaults(measured, main), rise(measured, "ops")),
        "refaults_per_cpu_second": ratio(refaults(measured, main), cpu),
        "agings": rise(measured, f"{main}_max_seq"),
        "pgscan": rise(measured, f"{main}_pgscan"),
        "pgsteal": rise(measured, f"{main}_pgsteal"),
        "events_max_per_second": ratio(rise(measured, f"{main}_events_max"), time),
        "agent_cpu_percent": ratio(rise(measured, "agent_cpu_usec"), time, 1e-4),
    }
    for resource in ("memory", "io"):
        values[f"stall_{resource}_percent"] = ratio(
            rise(measured, f"{main}_stall_{resource}_usec"), time, 1e-4)
    return values


def run_values(case, condition, directory):
    """All values of a run by name; unknown ones are None or left out."""
    directory = pathlib.Path(directory)
    samples = read_samples(directory / "samples.csv")
    warm = [row for row in samples if row["phase"] == 0]
    measured = cut([row for row in samples if row["phase"] == 1], case.measure[0])
    if len(measured) < 2:
        return {}
    values = cost_values(measured, case.main) | at_limit_values(measured, warm, case.main)
    if "hot" in case.units:
        values["hot_refaults"] = refaults(measured, "hot")
    if case.name == "M7":
        values |= anon_values(measured)
    if any("population" in program for program in case.programs):
        values |= population_values(measured)
    if condition == cases.AGENT:
        values["plus"] = count_agings(read_text(directory / "agent.log"))
    return values
