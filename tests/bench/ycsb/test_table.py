#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unit tests of table.py on made-up runs."""

import json
import pathlib
import tempfile
import unittest

import table


def run(condition, number=1, **values):
    base = {name: 1.0 for _, name, _ in table.ROWS if not name.endswith("_ratio")}
    return base | {"condition": condition, "run": number, "settings": {"limit": 320}} | values


def three(ops=1000.0, p99=100, number=1):
    """The agent's run has these, the one alone 1000 and 100."""
    return [run("alone", number, ops_per_second=1000.0, p99_us=100),
            run("stream", number, ops_per_second=500.0, p99_us=900),
            run("agent", number, ops_per_second=ops, p99_us=p99)]


class TestReport(unittest.TestCase):
    def test_met(self):
        text, status = table.report(three(990.0, 110))
        self.assertEqual(status, 0)
        self.assertIn("0.500", text)
        self.assertIn("9.00", text)
        self.assertEqual(text.count("ok      "), 2)

    def test_slow(self):
        self.assertEqual(table.report(three(989.0, 110))[1], 1)

    def test_late(self):
        self.assertEqual(table.report(three(1000.0, 111))[1], 1)

    def test_each_run_counts(self):
        self.assertEqual(table.report(three() + three(number=2) + three(900.0, number=3))[1], 1)

    def test_compared_with_the_same_random_numbers(self):
        runs = three() + [run("alone", 2, ops_per_second=2000.0, p99_us=100),
                          run("agent", 2, ops_per_second=1000.0, p99_us=100)]
        text, status = table.report(runs)
        self.assertEqual(status, 1)
        self.assertIn("0.750 [0.500 1.000]", text)

    def test_not_compared_with_other_settings(self):
        runs = three()
        runs[0]["settings"] = {"limit": 256}
        self.assertEqual(table.report(runs)[1], 1)

    def test_nothing_to_compare_with(self):
        self.assertEqual(table.report(three()[1:])[1], 1)
        self.assertEqual(table.report(three()[:2])[1], 1)
        self.assertEqual(table.report([])[1], 1)


class TestRunValues(unittest.TestCase):
    LATENCIES = {"count": 9, "mean_us": 1, "p50_us": 2, "p99_us": 3, "p999_us": 4, "max_us": 5}

    def values(self, rows, low="104857600\n"):
        with tempfile.TemporaryDirectory() as name:
            out = pathlib.Path(name)
            (out / "end/mongod.service").mkdir(parents=True)
            (out / "end/mongod.service/memory.low").write_text(low)
            (out / "samples.csv").write_text("\n".join(rows) + "\n")
            (out / "ycsb.json").write_text(json.dumps(
                {"seconds": 10.0, "ops": 200, "ops_per_second": 20.0, "pages_read": 50,
                 "read": self.LATENCIES, "update": self.LATENCIES, "intervals": []}))
            return table.run_values("agent", 1, out)

    def test_measured_time_only(self):
        values = self.values(["phase,usec,stream,agent_cpu_usec,mongod_refault_file,mongod_file,"
                              "mongod_anon,backup_file,slice_events_max",
                              "0,0,0,0,0,0,0,0,0",
                              "1,1000000,256,500000,10,1,1,1,7",
                              "1,3000000,768,540000,15,2097152,1,1,7"])
        self.assertEqual(values["mongod_refaults"], 5)
        self.assertEqual(values["mongod_file_mib"], 2)
        self.assertEqual(values["backup_mib_per_second"], 1)
        self.assertEqual(values["agent_cpu_percent"], 2)
        self.assertEqual(values["events_max"], 0)
        self.assertEqual(values["miss_percent"], 25)
        self.assertEqual(values["low_mib"], 100)
        self.assertEqual(values["p99_us"], 3)
        self.assertIsNone(values["backup_refaults"])

    def test_no_backup(self):
        values = self.values(["phase,usec,stream,mongod_file,mongod_anon,backup_file",
                              "1,1000000,0,1,1,", "1,2000000,0,1,1,"], low="max\n")
        self.assertIsNone(values["backup_mib_per_second"])
        self.assertIsNone(values["backup_file_mib"])
        self.assertIsNone(values["low_mib"])

    def test_no_samples(self):
        with self.assertRaises(IndexError):
            self.values(["phase,usec", "0,5"])


if __name__ == "__main__":
    unittest.main()
