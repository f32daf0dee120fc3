#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unit tests of the measuring bench's host part on made-up runs: compare.py, publish.py, `run`."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import tempfile
import unittest
from xml.dom import minidom

import compare
import publish

HERE = pathlib.Path(__file__).resolve().parent
MIB = 1 << 20
WORKLOAD = compare.Workload(
    "made-up", "a < b", "reads", 64, 900, 3.0,
    (compare.parse_seed("fg/stock ops_per_second 1.1 somebody, 16 GiB"),
     compare.parse_seed("fg/stock mean_us 0.05 somebody else")),
    (compare.parse_want("fg/stock ops_per_second >= 1.05"),
     compare.parse_want("fgreclaimd/none held_mib < 1")))


def run(kernel, agent="none", number=1, **values):
    return {"workload": "made-up", "kernel": kernel, "agent": agent, "run": number, "values": values}


def load_run():
    loader = importlib.machinery.SourceFileLoader("bench_run", str(HERE / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_run", loader))
    loader.exec_module(module)
    return module


class TestInterval(unittest.TestCase):
    def test_a_single_run_has_no_interval(self):
        self.assertEqual(compare.interval([1.25])[1:], (None, None))
        self.assertAlmostEqual(compare.interval([1.25])[0], 1.25)

    def test_equal_runs_have_one_of_no_width(self):
        for value in compare.interval([0.5, 0.5, 0.5]):
            self.assertAlmostEqual(value, 0.5)

    def test_two_runs_by_hand(self):
        # Logarithms 0 and 2: their mean is 1, their standard error 1, and t of one degree 12.706.
        mean, low, high = compare.interval([1.0, 2.718281828459045 ** 2])
        self.assertAlmostEqual(mean, 2.718281828459045)
        self.assertAlmostEqual(low, 2.718281828459045 ** (1 - 12.706))
        self.assertAlmostEqual(high, 2.718281828459045 ** (1 + 12.706))

    def test_more_runs_make_it_narrower(self):
        few, many = compare.interval([0.9, 1.1] * 2), compare.interval([0.9, 1.1] * 20)
        self.assertLess(few[1], many[1])
        self.assertGreater(few[2], many[2])

    def test_what_is_unknown_stays_unknown(self):
        for values in ([], [1.0, None]):
            self.assertEqual(compare.interval(values), (None, None, None))

    def test_none_at_all_is_the_best_ratio(self):
        self.assertEqual(compare.interval([0.0, 1.0]), (0.0, None, None))


class TestComparisons(unittest.TestCase):
    def test_compared_with_the_same_random_numbers(self):
        runs = [run("stock", number=n, ops_per_second=100.0 * n) for n in (1, 2, 3)] + \
            [run("fg", number=n, ops_per_second=200.0 * n) for n in (3, 2)]
        found = compare.ratios(compare.of(runs, "fg", "none", "ops_per_second"),
                               compare.of(runs, "stock", "none", "ops_per_second"))
        self.assertEqual(found, [2.0, 2.0])

    def test_a_base_of_0_is_no_ratio(self):
        self.assertEqual(compare.ratios({1: 5}, {1: 0}), [None])

    def test_kernels_with_stock_and_agents_with_none(self):
        runs = [run(k, a) for k in ("fg", "stock") for a in ("none", "fgreclaimd")]
        titles = [compare.title_of(*pair) for pair in compare.comparisons(runs)]
        self.assertEqual(titles, ["fg/stock", "fgreclaimd/none on stock", "fgreclaimd/none on fg"])

    def test_nothing_to_compare_with(self):
        self.assertEqual(compare.comparisons([run("fg"), run("classic")]), [])


class TestWants(unittest.TestCase):
    def met(self, *runs):
        return [met for *_, met in compare.judged(WORKLOAD, runs)]

    def test_at_the_bound(self):
        base = run("stock", ops_per_second=100.0)
        self.assertEqual(self.met(base, run("fg", ops_per_second=105.0)), [True])
        self.assertEqual(self.met(base, run("fg", ops_per_second=104.9)), [False])

    def test_on_every_kernel_and_strictly_below(self):
        runs = [run("stock", held_mib=64.0, ops_per_second=1.0),
                run("stock", "fgreclaimd", held_mib=64.0),
                run("fg", held_mib=64.0, ops_per_second=2.0), run("fg", "fgreclaimd", held_mib=63.0)]
        self.assertEqual(self.met(*runs), [True, False, True])

    def test_an_unknown_value_is_not_met(self):
        self.assertEqual(self.met(run("stock"), run("fg", ops_per_second=1.0)), [False])

    def test_an_operator_that_there_is_not(self):
        with self.assertRaises(ValueError):
            compare.parse_want("fg/stock ops_per_second > 1")


class TestRunValues(unittest.TestCase):
    ROWS = ("usec,phase,load_current,zram,load_pgscan,load_pgsteal,load_stall_io_usec,agent_cpu_usec",
            f"0,0,{MIB},0,7,7,0,0",
            f"1000000,1,{10 * MIB},0,10,10,0,1000",
            f"2000000,1,{20 * MIB},0,10,10,0,1000",
            f"5000000,1,{20 * MIB},{4 * MIB},40,30,2000000,41000")

    def values(self, rows, result="ops=5\nops_per_second=1.25\np99_us=often\n"):
        with tempfile.TemporaryDirectory() as name:
            out = pathlib.Path(name)
            (out / "samples.csv").write_text("\n".join(rows) + "\n")
            if result is not None:
                (out / "result").write_text(result)
            return compare.run_values(out)

    def test_measured_time_only(self):
        values = self.values(self.ROWS)
        self.assertEqual(values["window_seconds"], 4)
        self.assertEqual(values["pgscan"], 30)
        self.assertAlmostEqual(values["scan_per_steal"], 1.5)
        self.assertAlmostEqual(values["stall_io_percent"], 50)
        self.assertAlmostEqual(values["agent_cpu_percent"], 1)
        self.assertEqual(values["ops"], 5)
        self.assertEqual(values["ops_per_second"], 1.25)

    def test_memory_is_weighted_by_time_and_has_zrams_own(self):
        # 15 for a second, 20 for three; zram rises from 0 to 4 in those three.
        self.assertAlmostEqual(self.values(self.ROWS)["held_mib"], (15 + 60 + 6) / 4)

    def test_what_is_not_there_is_unknown(self):
        values = self.values(self.ROWS)
        self.assertIsNone(values["events_max"])
        self.assertNotIn("p99_us", values)
        self.assertIsNone(self.values([row.rsplit(",", 1)[0] for row in self.ROWS])
                          ["agent_cpu_percent"])

    def test_no_measured_time(self):
        self.assertEqual(self.values(self.ROWS[:3]), {})

    def test_no_result(self):
        self.assertNotIn("ops", self.values(self.ROWS, None))


class TestPublish(unittest.TestCase):
    RUNS = [run("stock", number=n, ops_per_second=100.0, held_mib=64.0) for n in (1, 2)] + \
        [run("fg", number=n, ops_per_second=110.0, held_mib=64.0) for n in (1, 2)]

    def publish(self, runs):
        with tempfile.TemporaryDirectory() as name:
            text, status = publish.publish([WORKLOAD], runs, pathlib.Path(name))
            minidom.parse(str(pathlib.Path(name) / "made-up.svg"))
            self.assertEqual((pathlib.Path(name) / "made-up.md").read_text(), text)
            return text, status

    def test_table(self):
        text, status = self.publish(self.RUNS)
        self.assertEqual(status, publish.EXIT_OK)
        self.assertIn("1.100 [1.100 1.100]", text)
        self.assertIn("ok: fg/stock, reads/s: 1.100, wanted >= 1.05", text)
        self.assertIn("somebody else", text)
        for block in text.split("\n\n"):
            if block.startswith("|"):
                self.assertEqual(len({len(line) for line in block.rstrip().splitlines()}), 1)

    def test_a_run_that_failed_is_told_and_fails(self):
        text, status = self.publish(self.RUNS + [run("fg", number=3)])
        self.assertIn("1 of 5 runs failed", text)
        self.assertEqual(status, publish.EXIT_FAILED)

    def test_what_is_wanted_and_not_so_fails(self):
        slow = [run("fg", number=n, ops_per_second=90.0) for n in (1, 2)]
        text, status = self.publish(self.RUNS[:2] + slow)
        self.assertIn("NOT OK: fg/stock", text)
        self.assertEqual(status, publish.EXIT_FAILED)

    def test_no_run_at_all_that_is_good(self):
        self.assertEqual(self.publish([run("fg")])[1], publish.EXIT_FAILED)

    def test_only_one_condition(self):
        text, status = self.publish(self.RUNS[:1])
        self.assertNotIn("95 %", text)
        self.assertEqual(status, publish.EXIT_OK)


class TestFiles(unittest.TestCase):
    """Every workload and agent is what README.md says that they are."""
    bench = load_run()

    def test_workloads_describe_themselves(self):
        for name in self.bench.names_in("workloads"):
            with self.subTest(name):
                workload = self.bench.described(name)
                self.assertTrue(workload.title and workload.seeds and workload.wants)
                self.assertGreater(workload.guest_mib, workload.limit_mib)
                known = {row for row, _, _ in publish.ROWS}
                for told in (*workload.seeds, *workload.wants):
                    self.assertIn(told.metric, known)
                self.bench.workload_shell(name, "type on_host prepare warm measured result >/dev/null")

    def test_agents_start_and_stop(self):
        for name in self.bench.names_in("agents"):
            with self.subTest(name):
                subprocess.run(["bash", "-euc", 'source "$1"; type agent_start agent_stop', "bash",
                                HERE / "agents" / name], check=True, stdout=subprocess.DEVNULL)

    def test_one_name_for_several(self):
        names = ["grep", "grep-cool", "zipf-0.5", "zipf-0.9"]
        self.assertEqual(self.bench.chosen(["zipf"], names), names[2:])
        self.assertEqual(self.bench.chosen(["grep", "zipf-0.9"], names), ["grep", "zipf-0.9"])
        self.assertEqual(self.bench.chosen([], names), names)
        with self.assertRaises(ValueError):
            self.bench.chosen(["zip"], names)


if __name__ == "__main__":
    unittest.main()
