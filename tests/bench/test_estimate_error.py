#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The verdict on a dry run's estimate, by known numbers."""
import unittest

import estimate_error as error

MIB = 1 << 20


def report(freed, returned, path="/a"):
    row = {"path": path, "freed_bytes": freed, "returned_bytes": returned,
           "dry_freed_bytes": freed, "dry_returned_bytes": returned}
    return {"cgroups": [row], "totals": row}


class EstimateError(unittest.TestCase):
    def verdict(self, dry, real):
        return error.holds(error.pairs(report(*dry), report(*real))[-1])

    def test_bounds(self):
        self.assertTrue(self.verdict((120, 50), (100, 100)))
        self.assertTrue(self.verdict((80, 500), (100, 100)))
        self.assertFalse(self.verdict((121, 100), (100, 100)))
        self.assertFalse(self.verdict((79, 100), (100, 100)))
        self.assertFalse(self.verdict((100, 49), (100, 100)))
        self.assertTrue(self.verdict((0, 0), (0, 0)))
        self.assertFalse(self.verdict((1, 0), (0, 0)))
        self.assertFalse(self.verdict((None, 0), (1, 0)))
        self.assertFalse(self.verdict((100, None), (100, 0)))

    def test_pairs(self):
        rows = error.pairs(report(1, 2), report(3, 4, path="/b"))
        self.assertEqual(rows, [("all", 1, 3, 2, 4)])
        rows = error.pairs(report(1, 2), report(3, 4))
        self.assertEqual(rows[0], ("/a", 1, 3, 2, 4))

    def test_table(self):
        lines = error.table([("all", 90 * MIB, 100 * MIB, None, 0)])
        self.assertEqual(lines[1].split(),
                         ["90.0M", "100.0M", "-10.0", "%", "-", "0.0M", "-", "all"])
        self.assertEqual(len(lines[0]) - len("CGROUP"), len(lines[1]) - len("all"))


if __name__ == "__main__":
    unittest.main()
