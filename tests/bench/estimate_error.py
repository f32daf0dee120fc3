#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far a dry run's estimate was from what a real run of the same load did.

estimate_error.py DRY REAL    both are files of: fgreclaimctl report --json

A line for each cgroup that is in both, and one for all; exit 0 if in all the estimate is within 20 % of
the bytes freed, and not below half of those that came back.
"""
import json
import sys

FREED_ERROR_MOST = 0.20
RETURNED_SHARE_LEAST = 0.5


def error_of(estimate, real):
    """(estimate - real) / real; None if nothing was to be estimated."""
    if estimate is None or real is None:
        return None
    if real == 0:
        return 0.0 if estimate == 0 else None
    return (estimate - real) / real


def pairs(dry, real):
    """[(name, estimated freed, freed, estimated returned, returned)], that of all last."""
    rows = {row["path"]: row for row in real["cgroups"]}
    both = [(row["path"], row, rows[row["path"]]) for row in dry["cgroups"] if row["path"] in rows]
    both.append(("all", dry["totals"], real["totals"]))
    return [(name, one["dry_freed_bytes"], other["freed_bytes"],
             one["dry_returned_bytes"], other["returned_bytes"]) for name, one, other in both]


def holds(row):
    _, dry_freed, freed, dry_returned, returned = row
    error = error_of(dry_freed, freed)
    return (error is not None and abs(error) <= FREED_ERROR_MOST and
            dry_returned is not None and returned is not None and
            dry_returned >= RETURNED_SHARE_LEAST * returned)


def show_bytes(value):
    return "-" if value is None else f"{value / (1 << 20):.1f}M"


def show_error(value):
    return "-" if value is None else f"{100 * value:+.1f} %"


def table(rows):
    lines = [f"{'~FREED':>10} {'FREED':>10} {'ERROR':>9} {'~RETURNED':>10} {'RETURNED':>10} "
             f"{'ERROR':>9}  CGROUP"]
    for name, dry_freed, freed, dry_returned, returned in rows:
        lines.append(f"{show_bytes(dry_freed):>10} {show_bytes(freed):>10} "
                     f"{show_error(error_of(dry_freed, freed)):>9} "
                     f"{show_bytes(dry_returned):>10} {show_bytes(returned):>10} "
                     f"{show_error(error_of(dry_returned, returned)):>9}  {name}")
    return lines


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    reports = []
    for name in sys.argv[1:]:
        with open(name, encoding="ascii") as file:
            reports.append(json.load(file))
    rows = pairs(*reports)
    print("\n".join(table(rows)))
    if not holds(rows[-1]):
        sys.exit("the estimate does not hold")


if __name__ == "__main__":
    main()
