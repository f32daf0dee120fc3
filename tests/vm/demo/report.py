#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The end of the demo: one table, a verdict, demo.json and demo.svg.

    report.py [--out DIR] WITHOUT WITH

WITHOUT and WITH are the result directories of the run without and the run with the agent. Exit
status: 0 all criteria met, 1 not, 3 all but the speed of the stream, which is a time and not a
count, and so may be the fault of a busy host.
"""

import argparse
import json
import pathlib
import sys

import phase
import picture

# The criteria of the demo.
HOT_REFAULTS_PERCENT = 2.0     # of the refaults without the agent
FREED_PERCENT = 95.0           # of idle's truly cold anon
IDLE_REFAULTS_PERCENT = 1.0    # of idle's hot pages
STREAM_SPEED_PERCENT = 95.0    # of the speed without the agent
# Fewer refaults than this without the agent, and there was no harm to prevent.
MEANINGFUL_REFAULTS = 1000
# Less than this is noise: a few pages of systemd's.
MEANINGFUL_FREED_MIB = 1.0

EXIT_OK, EXIT_FAILED, EXIT_SLOW_STREAM = 0, 1, 3

# (heading or None), (label, name of the value, digits)
ROWS = (
    ("Memory at the end, MiB",),
    ("hot", "hot.memory_mib", 1),
    ("idle", "idle.memory_mib", 1),
    ("stream", "stream.memory_mib", 1),
    ("the slice as a whole", "slice.memory_mib", 1),
    ("Freed, MiB",),
    ("cold anon of idle, freed", "idle.freed_mib", 1),
    ("anon of idle, freed before the limit was hit", "idle.freed_before_limit_mib", 1),
    ("all anon now in zram", "zram.stored_mib", 1),
    ("zram's own memory", "zram.used_mib", 1),
    ("net saved", "zram.net_mib", 1),
    ("Refaults, pages",),
    ("hot", "hot.refaults", 0),
    ("stream", "stream.refaults", 0),
    ("idle", "idle.refaults", 0),
    ("idle, its anon since the start", "idle.refault_anon_run", 0),
    ("Service",),
    ("hot, look-ups per second", "hot.lookups_per_second", 1),
    ("hot, p50, us", "hot.p50_us", 0),
    ("hot, p99, us", "hot.p99_us", 0),
    ("stream, MiB/s", "stream.mib_per_second", 2),
    ("Stalls of the slice",),
    ("memory.events max", "slice.events_max", 0),
    ("PSI memory some, % of time", "slice.psi_memory_some_percent", 2),
    ("PSI memory full, % of time", "slice.psi_memory_full_percent", 2),
    ("PSI io some, % of time", "slice.psi_io_some_percent", 2),
    ("Agent",),
    ("CPU, seconds", "agent.cpu_seconds", 2),
    ("CPU, % of one core", "agent.cpu_percent", 2),
    ("RSS now, MiB", "agent.rss_mib", 1),
    ("RSS at its peak, MiB", "agent.peak_mib", 1),
)


def show(value, digits=0):
    return "-" if value is None else f"{value:,.{digits}f}".replace(",", " ")


def show_ratio(without, with_):
    """with : without as a factor; '-' when there is nothing to divide by."""
    if without is None or with_ is None or without <= 0:
        return "-"
    return f"x {with_ / without:.3f}"


def table(without, with_):
    lines = [("", "without agent", "with agent", "with : without")]
    for row in ROWS:
        if len(row) == 1:
            lines.append((row[0], "", "", ""))
            continue
        label, name, digits = row
        a, b = without.get(name), with_.get(name)
        lines.append(("  " + label, show(a, digits), show(b, digits), show_ratio(a, b)))
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    text = ["  ".join([line[0].ljust(widths[0])]
                      + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]).rstrip()
            for line in lines]
    return "\n".join(text[:1] + ["-" * (sum(widths) + 6)] + text[1:])


def criterion(met, text):
    """met is None when a number it needs is missing; that never counts as met."""
    return {"met": bool(met), "text": text + ("" if met is not None else "  (a number is missing)")}


def compare(value, test):
    return None if value is None else test(value)


def hot_criteria(without, with_):
    before, after = without.get("hot.refaults"), with_.get("hot.refaults")
    known = before is not None and after is not None
    percent = phase.share(after, before)
    return [
        criterion(compare(before, lambda v: v >= MEANINGFUL_REFAULTS),
                  f"without the agent hot suffers: {show(before)} refaults "
                  f"(at least {show(MEANINGFUL_REFAULTS)})"),
        criterion(after <= before if known else None,
                  f"the agent does not make hot worse: {show(after)} refaults, "
                  f"{show(before)} without"),
        criterion(compare(percent, lambda v: v <= HOT_REFAULTS_PERCENT),
                  f"hot refaults: {show(percent, 2)} % of the run without the agent "
                  f"(at most {show(HOT_REFAULTS_PERCENT)} %)"),
    ]


def idle_criteria(with_):
    freed = with_.get("idle.freed_before_limit_mib")
    percent = with_.get("idle.freed_percent")
    refaults = with_.get("idle.refault_percent")
    net = with_.get("zram.net_mib")
    return [
        criterion(compare(freed, lambda v: v >= MEANINGFUL_FREED_MIB),
                  f"the agent freed something: {show(freed, 1)} MiB of idle before the limit was "
                  f"hit (at least {show(MEANINGFUL_FREED_MIB)})"),
        criterion(compare(percent, lambda v: v >= FREED_PERCENT),
                  f"cold anon of idle freed: {show(percent, 2)} % of "
                  f"{show(with_.get('idle.cold_mib'), 1)} MiB "
                  f"(at least {show(FREED_PERCENT)} %)"),
        criterion(compare(net, lambda v: v > 0),
                  f"net saved, zram's own memory subtracted: {show(net, 1)} MiB (above 0)"),
        criterion(compare(refaults, lambda v: v <= IDLE_REFAULTS_PERCENT),
                  f"idle refaults: {show(with_.get('idle.refault_anon_run'))} pages, "
                  f"{show(refaults, 2)} % of its hot ones "
                  f"(at most {show(IDLE_REFAULTS_PERCENT)} %)"),
    ]


def agent_criterion(with_):
    restarts = with_.get("agent.restarts")
    return criterion(compare(restarts, lambda v: v == 0),
                     f"the agent ran through: {show(restarts)} restarts (0)")


def stream_criterion(without, with_):
    percent = phase.share(with_.get("stream.mib_per_second"),
                          without.get("stream.mib_per_second"))
    return criterion(compare(percent, lambda v: v >= STREAM_SPEED_PERCENT),
                     f"stream: {show(percent, 1)} % as fast as without the agent "
                     f"(at least {show(STREAM_SPEED_PERCENT)} %)")


def judge(without, with_):
    """(criteria in the order to print them, exit status)"""
    counted = hot_criteria(without, with_) + idle_criteria(with_) + [agent_criterion(with_)]
    stream = stream_criterion(without, with_)
    if not all(c["met"] for c in counted):
        status = EXIT_FAILED
    else:
        status = EXIT_OK if stream["met"] else EXIT_SLOW_STREAM
    return counted + [stream], status


LAST_LINES = {
    EXIT_OK: "The demo shows what it should.",
    EXIT_FAILED: "NOT OK: the demo does not show what it should.",
    EXIT_SLOW_STREAM: "NOT OK: only the stream's speed fell short. It is a time, not a count: "
                      "repeat on a host without other work.",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=".", type=pathlib.Path)
    parser.add_argument("without", type=pathlib.Path)
    parser.add_argument("with_", metavar="with", type=pathlib.Path)
    args = parser.parse_args()

    without, with_ = phase.read_phase(args.without), phase.read_phase(args.with_)
    criteria, status = judge(without, with_)
    args.out.mkdir(parents=True, exist_ok=True)
    json_path, svg_path = args.out / "demo.json", args.out / "demo.svg"
    json_path.write_text(json.dumps({"without": without, "with": with_, "criteria": criteria,
                                     "exit_status": status}, indent=1) + "\n", encoding="utf-8")
    svg_path.write_text(picture.draw([
        picture.Panel("without the agent", phase.read_samples(args.without / "samples.csv"),
                      without["begin"], without["end"]),
        picture.Panel("with the agent", phase.read_samples(args.with_ / "samples.csv"),
                      with_["begin"], with_["end"]),
    ], with_["slice.limit_mib"] or without["slice.limit_mib"]), encoding="utf-8")

    print(table(without, with_))
    print()
    for c in criteria:
        print(f"{'ok    ' if c['met'] else 'NOT OK'}  {c['text']}")
    print(f"\npicture  {svg_path.resolve()}\nnumbers  {json_path.resolve()}\n")
    print(LAST_LINES[status])
    return status


if __name__ == "__main__":
    sys.exit(main())
