#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks fgreclaimctl's JSON: keys, types, nulls; numbers against the listing they come from.

check-json.py features FILE LEVEL MISSING...
check-json.py list FILE [PATH CLASS MATCH]...    CLASS, MATCH: "-" for null
check-json.py generations FILE [LISTING]         LISTING: compare with it, all of it is sound
"""
import json
import re
import sys


def fail(text):
    sys.exit(f"check-json: {text}")


def no_doubles(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        fail(f"a key twice: {keys}")
    return dict(pairs)


def has_keys(value, keys, what):
    if not isinstance(value, dict) or list(value) != keys.split():
        fail(f"{what}: not the keys {keys}: {value}")


def is_count(value, what, or_null=False):
    if value is None and or_null:
        return
    if type(value) is not int or value < 0:
        fail(f"{what}: no count: {value!r}")


def is_text(value, what, or_null=False):
    if not (value is None and or_null) and not (isinstance(value, str) and value):
        fail(f"{what}: no text: {value!r}")


def is_bool(value, what):
    if not isinstance(value, bool):
        fail(f"{what}: neither true nor false: {value!r}")


def check_features(root, level, *missing):
    has_keys(root, "capability features", "features")
    if root["capability"] != level:
        fail(f"capability {root['capability']}, not {level}")
    found = []
    for feature in root["features"]:
        fg = feature["name"] == "fg"
        has_keys(feature, "name present state evidence remedy" + " sources" * fg, "feature")
        if feature["state"] not in (("present",) if feature["present"] else ("missing", "unknown")):
            fail(f"state {feature['state']}: {feature}")
        for source in feature.get("sources", []):
            has_keys(source, "name says evidence", "source")
            is_text(source["evidence"], "evidence")
            if source["says"] not in ("yes", "no", "unknown"):
                fail(f"a source that says {source['says']}")
        is_text(feature["name"], "name")
        is_bool(feature["present"], "present")
        is_text(feature["evidence"], "evidence")
        is_text(feature["remedy"], "remedy", or_null=True)
        if feature["present"]:
            if feature["remedy"] is not None:
                fail(f"a remedy for what is there: {feature}")
        else:
            found.append(feature["name"])
    if len(root["features"]) != 13 or sorted(found) != sorted(missing):
        fail(f"missing: {found}, not {missing}")


def check_list(root, *expected):
    has_keys(root, "cgroups waiting_classes of_daemon", "list")
    is_bool(root["of_daemon"], "of_daemon")
    for name in root["waiting_classes"]:
        is_text(name, "waiting class")
    rows = {}
    for row in root["cgroups"]:
        has_keys(row, "path name kind id class match asked_class asked_class_refused "
                 "current_bytes working_set_bytes cold_bytes "
                 "refaults_per_second tier_return_ppm action reason sentence protect age_ms "
                 "dying_descendants", "cgroup")
        is_text(row["path"], "path")
        is_text(row["name"], "name")
        is_text(row["kind"], "kind")
        is_count(row["id"], "id")
        is_text(row["class"], "class", or_null=True)
        is_text(row["match"], "match", or_null=True)
        is_text(row["asked_class"], "asked_class", or_null=True)
        is_text(row["asked_class_refused"], "asked_class_refused", or_null=True)
        for key in ("current_bytes", "working_set_bytes", "cold_bytes", "tier_return_ppm",
                    "age_ms", "dying_descendants"):
            is_count(row[key], key, or_null=True)
        has_keys(row["refaults_per_second"], "anon file", "refaults_per_second")
        for value in row["refaults_per_second"].values():
            if value is not None and type(value) is not float:
                fail(f"no rate: {value!r}")
        if row["action"] not in ("none", "age", "evict", "reclaim"):
            fail(f"no action: {row['action']!r}")
        is_text(row["reason"], "reason")
        is_text(row["sentence"], "sentence")
        rows[row["path"]] = row
    if len(rows) != len(root["cgroups"]):
        fail("a path twice")
    for path, name, match in zip(*[iter(expected)] * 3):
        if path not in rows:
            fail(f"no {path}")
        for key, wanted in ("class", name), ("match", match):
            if rows[path][key] != (None if wanted == "-" else wanted):
                fail(f"{path}: {key} {rows[path][key]!r}, not {wanted!r}")


def check_flows(tier, what):
    if tier is None:
        return
    if "avg_total" in tier:
        has_keys(tier, "avg_refaulted avg_total", what)
    else:
        has_keys(tier, "refaulted evicted protected", what)
    for key, value in tier.items():
        is_count(value, key)


def check_record(record):
    has_keys(record, "memcg_id path node generations valid why", "record")
    nameless = record["why"] == "no-memcg"
    is_count(record["memcg_id"], "memcg_id", or_null=nameless)
    if not isinstance(record["path"], str) and not nameless:
        fail(f"no path: {record}")
    is_count(record["node"], "node", or_null=not record["valid"])
    is_bool(record["valid"], "valid")
    is_text(record["why"], "why", or_null=True)
    if record["valid"] != (record["why"] is None):
        fail(f"valid, or why not: {record}")
    if record["valid"] and len(record["generations"]) < 2:
        fail(f"hardly any generations: {record}")
    for gen in record["generations"]:
        has_keys(gen, "seq age_ms anon_pages file_pages tiers walk", "generation")
        is_count(gen["seq"], "seq")
        is_count(gen["age_ms"], "age_ms")
        is_count(gen["anon_pages"], "anon_pages", or_null=True)
        is_count(gen["file_pages"], "file_pages", or_null=True)
        for number, tier in enumerate(gen["tiers"]):
            has_keys(tier, "tier anon file", "tier")
            if tier["tier"] != number:
                fail(f"tier {tier['tier']} for {number}")
            check_flows(tier["anon"], "anon")
            check_flows(tier["file"], "file")
        if gen["walk"] is not None:
            if not re.fullmatch("[A-Z]+", "".join(gen["walk"])):
                fail(f"walk: {gen['walk']}")
            for key, value in gen["walk"].items():
                is_count(value, key)


def flows_of(columns):
    """Three columns of a tier line, as (number, mark)."""
    numbers = [number for number, _ in columns]
    marks = "".join(mark for _, mark in columns)
    if marks == "rep":
        return dict(zip(("refaulted", "evicted", "protected"), numbers))
    if marks.startswith("RT"):
        return dict(zip(("avg_refaulted", "avg_total"), numbers))
    return None


def read_listing(path):
    """A sound listing in the form of the JSON, read in another way than by the program."""
    records, layout = [], {"tiers": False, "walk": "none"}
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    memcg = None
    for line in lines:
        if line.startswith(b"memcg "):
            number, name = re.fullmatch(rb"memcg +(\d+) (.*)", line).groups()
            memcg = int(number), name.decode("utf-8", "backslashreplace")
            continue
        if line.startswith(b" node "):
            records.append({"memcg_id": memcg[0], "path": memcg[1], "node": int(line.split()[1]),
                            "generations": [], "valid": True, "why": None})
            continue
        columns = [(int(n), m.decode()) for n, m in re.findall(rb"(\d+)([A-Za-z]?)", line)]
        if not columns:
            continue
        generations = records[-1]["generations"]
        indent = len(line) - len(line.lstrip())
        if indent <= 10:
            sizes = [None if mark == "x" else number for number, mark in columns[2:]]
            generations.append({"seq": columns[0][0], "age_ms": columns[1][0],
                                "anon_pages": sizes[0], "file_pages": sizes[1], "tiers": [],
                                "walk": None})
        elif indent <= 21:
            layout["tiers"] = True
            generations[-1]["tiers"].append({"tier": columns[0][0], "anon": flows_of(columns[1:4]),
                                             "file": flows_of(columns[4:7])})
        elif columns[0][1] not in ("", "x"):
            generations[-1]["walk"] = {mark.upper(): number for number, mark in columns}
            layout["walk"] = "".join(generations[-1]["walk"])
    return {"records": records, "layout": layout}


def check_generations(root, listing=None):
    has_keys(root, "records layout dying_descendants", "generations")
    is_count(root["dying_descendants"], "dying_descendants", or_null=True)
    has_keys(root["layout"], "tiers walk", "layout")
    is_bool(root["layout"]["tiers"], "tiers")
    is_text(root["layout"]["walk"], "walk")
    for record in root["records"]:
        check_record(record)
    if not listing:
        return
    wanted = read_listing(listing)
    if root["layout"] != wanted["layout"]:
        fail(f"layout {root['layout']}, not {wanted['layout']}")
    if len(root["records"]) != len(wanted["records"]) or not wanted["records"]:
        fail(f"{len(root['records'])} records, not {len(wanted['records'])}")
    for found, record in zip(root["records"], wanted["records"]):
        if found != record:
            fail(f"not what is listed:\n  {found}\n  {record}")


def main():
    verb, path = sys.argv[1:3]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not text.endswith("\n"):
        fail("the last line does not end")
    root = json.loads(text, object_pairs_hook=no_doubles,
                      parse_constant=lambda name: fail(f"{name} is no JSON"))
    {"features": check_features, "list": check_list,
     "generations": check_generations}[verb](root, *sys.argv[3:])


main()
