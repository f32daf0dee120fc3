#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""check-metrics.py FILE DASHBOARD RULES: the text format of Prometheus, strictly.

Each metric has HELP and TYPE, once, before its samples, which stand together; names, labels and values
are well formed; counters end in _total; no series twice; a histogram's buckets add up. What the dashboard
and the rules ask for is there."""
import json
import re
import sys

LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(%s(?:,%s)*)\})? (\S+)' % (LABEL, LABEL))


def check(text):
    assert text.endswith("\n"), "no newline at the end"
    kinds, helps, series, done, current = {}, set(), {}, set(), None
    for line in text[:-1].split("\n"):
        if line.startswith("# "):
            _, what, name, rest = line.split(" ", 3)
            assert what in ("HELP", "TYPE") and rest, line
            if what == "HELP":
                assert name not in helps, f"HELP twice: {name}"
                helps.add(name)
            else:
                assert name not in kinds and name in helps, f"TYPE: {name}"
                assert rest in ("counter", "gauge", "histogram"), line
                kinds[name] = rest
            continue
        match = SAMPLE.fullmatch(line)
        assert match, f"not a sample: {line}"
        name, labels, value = match.groups()
        base = re.sub("_(bucket|sum|count)$", "", name)
        base = base if kinds.get(base) == "histogram" else name
        assert base in kinds, f"no TYPE: {name}"
        assert base.startswith("fgreclaimd_"), name
        assert (kinds[base] == "counter") == base.endswith("_total"), f"name: {base}"
        assert "type=" not in (labels or ""), line
        if base != current:
            assert base not in done, f"not together: {base}"
            done.add(base)
            current = base
        assert (name, labels) not in series, f"twice: {line}"
        series[name, labels] = float(value)
        assert series[name, labels] >= 0, line
    assert set(kinds) == done, f"no samples: {set(kinds) - done}"
    for base in (name for name, kind in kinds.items() if kind == "histogram"):
        buckets = [v for (n, _), v in series.items() if n == base + "_bucket"]
        assert buckets == sorted(buckets), f"buckets of {base}"
        assert (base + "_bucket", 'le="+Inf"') in series
        assert buckets[-1] == series[base + "_count", None], base
    return series


def main():
    series = check(open(sys.argv[1], encoding="utf-8").read())
    names = {name for name, _ in series}
    dashboard = open(sys.argv[2], encoding="utf-8").read()
    rules = open(sys.argv[3], encoding="utf-8").read()
    json.loads(dashboard)
    for text in (dashboard, rules):
        asked = set(re.findall(r"\bfgreclaimd_[a-z_]+", text))
        assert asked and asked <= names, f"asked for, and not there: {asked - names}"
    for label in ("class", "cgroup"):
        count = {}
        for _, labels in series:
            for value in re.findall(label + r'="((?:[^"\\]|\\.)*)"', labels or ""):
                count[value] = count.get(value, 0) + 1
        assert all(n <= 25 for n in count.values()), f"too many series: {count}"
    print(len(series), "series")


main()
