# SPDX-License-Identifier: MIT
"""Reads what one run of the demo left behind (see run-phase.sh) and derives its numbers.

Whatever is missing or unreadable is None and stays None through every sum: a table with a dash is
honest, one with a made-up 0 is not.
"""

import csv
import pathlib

UNITS = ("hot", "stream", "idle")
MIB = 1 << 20


def number(text):
    """int if it is one, else float, else None."""
    for kind in (int, float):
        try:
            return kind(text)
        except (TypeError, ValueError):
            pass
    return None


def read_text(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def read_number(path, field=0):
    """One field of the first line."""
    fields = (read_text(path) or "").split()
    return number(fields[field]) if field < len(fields) else None


def read_keyed(path, separator=None):
    """Lines of "key value" (cgroup files) or "key=value" (results): a dict of numbers."""
    values = {}
    for line in (read_text(path) or "").splitlines():
        key, *rest = line.split(separator, 1)
        values[key.strip(":")] = number(rest[0].split()[0]) if rest and rest[0].split() else None
    return values


def read_stall_usec(path, line_name):
    """total= of the "some" or the "full" line of a PSI file."""
    for line in (read_text(path) or "").splitlines():
        name, *pairs = line.split()
        if name == line_name:
            return number(dict(pair.split("=", 1) for pair in pairs).get("total"))
    return None


def difference(end, begin):
    """What a counter rose by. None if it fell: it was reset, and how far it got is unknown."""
    if end is None or begin is None or end < begin:
        return None
    return end - begin


def total(*values):
    return None if None in values else sum(values)


def scaled(value, divisor):
    return None if value is None else value / divisor


def share(part, whole):
    """In percent; None without a whole to compare with."""
    return None if part is None or not whole else 100 * part / whole


def read_samples(path):
    """samples.csv as a list of dicts; a field without a value is None."""
    text = read_text(path)
    if text is None:
        return []
    return [{key: number(value) for key, value in row.items()}
            for row in csv.DictReader(text.splitlines()) if None not in row]


class Moment:
    """The kernel's counters at one moment: the directory begin/ or end/ of a run."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.uptime = read_number(self.directory / "uptime")

    def stat(self, name, key):
        return read_keyed(self.directory / name / "memory.stat").get(key)

    def event(self, name, key):
        return read_keyed(self.directory / name / "memory.events").get(key)

    def current(self, name):
        return read_number(self.directory / name / "memory.current")

    def limit(self, name):
        """None for "max", too: no limit is no number."""
        return read_number(self.directory / name / "memory.max")

    def stall(self, name, resource, line_name):
        return read_stall_usec(self.directory / name / f"{resource}.pressure", line_name)

    def zram(self, field):
        return read_number(self.directory / "zram_mm_stat", field)

    def agent(self):
        return (read_keyed(self.directory / "agent.txt", "=")
                | read_keyed(self.directory / "agent.txt", ":"))


def freed_before_limit(samples):
    """Swap of idle, in bytes, when the slice was last seen not yet to have hit its limit.

    Reclaim at the limit takes cold anon too, late and after the hot file pages. What left before is
    the agent's work alone.
    """
    before = [s for s in samples if s.get("slice_max") == 0 and s.get("idle_swap") is not None]
    return before[-1]["idle_swap"] if before else None


def read_workloads(directory, values):
    hot = read_keyed(directory / "hot.txt", "=")
    values["hot.lookups_per_second"] = hot.get("lookups_per_second")
    values["hot.p50_us"] = hot.get("p50_us")
    values["hot.p99_us"] = hot.get("p99_us")
    stream = read_keyed(directory / "stream.txt", "=")
    values["stream.mib_per_second"] = stream.get("mib_per_second")
    values["stream.exhausted"] = stream.get("exhausted")
    idle = read_keyed(directory / "idle.txt", "=")
    page_mib = (idle.get("page_size") or 4096) / MIB
    for key in ("hot_pages", "hot_swapped", "cold_pages", "cold_swapped", "majflt"):
        values[f"idle.{key}"] = idle.get(key)
    values["idle.cold_mib"] = scaled(idle.get("cold_pages"), 1 / page_mib)
    values["idle.freed_mib"] = scaled(idle.get("cold_swapped"), 1 / page_mib)
    values["idle.freed_percent"] = share(idle.get("cold_swapped"), idle.get("cold_pages"))


def read_kernel(begin, end, values):
    seconds = values["seconds"] = difference(end.uptime, begin.uptime)
    for name in ("slice",) + UNITS:
        values[f"{name}.memory_mib"] = scaled(end.current(name), MIB)
        for kind in ("anon", "file"):
            key = f"workingset_refault_{kind}"
            values[f"{name}.refault_{kind}"] = difference(end.stat(name, key),
                                                          begin.stat(name, key))
        values[f"{name}.refaults"] = total(values[f"{name}.refault_anon"],
                                           values[f"{name}.refault_file"])
    values["slice.limit_mib"] = scaled(end.limit("slice"), MIB)
    # Idle's anon may go at any time after the start, so may come back at any time: the whole run.
    values["idle.refault_anon_run"] = end.stat("idle", "workingset_refault_anon")
    values["idle.refault_percent"] = share(values["idle.refault_anon_run"],
                                           values["idle.hot_pages"])
    values["slice.events_max"] = difference(end.event("slice", "max"), begin.event("slice", "max"))
    for resource, line_name in (("memory", "some"), ("memory", "full"), ("io", "some")):
        stall = difference(end.stall("slice", resource, line_name),
                           begin.stall("slice", resource, line_name))
        values[f"slice.psi_{resource}_{line_name}_percent"] = share(scaled(stall, 1e6), seconds)
    values["zram.stored_mib"] = scaled(end.zram(0), MIB)
    values["zram.used_mib"] = scaled(end.zram(2), MIB)
    stored, used = values["zram.stored_mib"], values["zram.used_mib"]
    values["zram.net_mib"] = None if stored is None or used is None else stored - used


def read_agent(begin, end, values):
    agent = end.agent()
    values["agent.cpu_seconds"] = scaled(difference(agent.get("CPUUsageNSec"),
                                                    begin.agent().get("CPUUsageNSec")), 1e9)
    values["agent.cpu_percent"] = share(values["agent.cpu_seconds"], values["seconds"])
    values["agent.rss_mib"] = scaled(agent.get("VmRSS"), 1024)
    values["agent.peak_mib"] = scaled(agent.get("VmHWM"), 1024)
    values["agent.restarts"] = agent.get("NRestarts")


def read_phase(directory):
    """All numbers of one run, by name; unknown ones are None."""
    directory = pathlib.Path(directory)
    begin, end = Moment(directory / "begin"), Moment(directory / "end")
    values = {"begin": begin.uptime, "end": end.uptime}
    read_workloads(directory, values)
    read_kernel(begin, end, values)
    read_agent(begin, end, values)
    values["idle.freed_before_limit_mib"] = scaled(
        freed_before_limit(read_samples(directory / "samples.csv")), MIB)
    return values
