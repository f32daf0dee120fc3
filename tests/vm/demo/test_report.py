#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unit tests of phase.py, report.py and picture.py on made-up results of a run."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from xml.dom import minidom

import phase
import picture
import report

MIB = 1 << 20

# What a run that shows everything left behind, as {path: text}.
HARMED = {
    "begin/uptime": "100.00 5.00\n",
    "end/uptime": "220.00 9.00\n",
    "begin/hot/memory.stat": "anon 1\nworkingset_refault_anon 0\nworkingset_refault_file 10\n",
    "end/hot/memory.stat": "anon 1\nworkingset_refault_anon 0\nworkingset_refault_file 20010\n",
    "end/idle/memory.stat": "workingset_refault_anon 40\n",
    "end/hot/memory.current": f"{64 * MIB}\n",
    "end/slice/memory.max": f"{512 * MIB}\n",
    "begin/slice/memory.events": "low 0\nmax 5\n",
    "end/slice/memory.events": "low 0\nmax 2505\n",
    "begin/slice/memory.pressure": "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\n"
                                   "full avg10=0.00 avg60=0.00 avg300=0.00 total=500000\n",
    "end/slice/memory.pressure": "some avg10=0.00 avg60=0.00 avg300=0.00 total=13000000\n"
                                 "full avg10=0.00 avg60=0.00 avg300=0.00 total=500000\n",
    "end/zram_mm_stat": "0 0 4096 0 0 0 0 0 0\n",
    "hot.txt": "lookups=12000\nlookups_per_second=100.50\np50_us=4000\np99_us=9000\n",
    "stream.txt": "mib_per_second=8.000\nexhausted=0\n",
    "idle.txt": "page_size=4096\nhot_pages=20480\nhot_swapped=0\ncold_pages=61440\n"
                "cold_swapped=0\nmajflt=3\n",
    "samples.csv": "uptime,hot_current,idle_current,stream_current,hot_refault_file,zram_used,"
                   "slice_max,idle_swap\n"
                   f"10.00,,{320 * MIB},,,0,0,\n"
                   f"11.00,{96 * MIB},{320 * MIB},{MIB},0,0,0,0\n"
                   f"13.00,{64 * MIB},{320 * MIB},{99 * MIB},400,0,9,{240 * MIB}\n",
}

SAVED = HARMED | {
    "end/hot/memory.stat": "workingset_refault_anon 7\nworkingset_refault_file 103\n",
    "end/idle/memory.stat": "workingset_refault_anon 102\n",
    "end/zram_mm_stat": f"{240 * MIB} 1 {130 * MIB} 0 0 0 0 0 0\n",
    "idle.txt": "page_size=4096\nhot_pages=20480\nhot_swapped=0\ncold_pages=61440\n"
                "cold_swapped=61000\nmajflt=3\n",
    "samples.csv": f"uptime,slice_max,idle_swap\n10.00,0,0\n11.00,0,{239 * MIB}\n",
    "begin/agent.txt": "CPUUsageNSec=1000000000\nNRestarts=0\nVmRSS:\t   3072 kB\n",
    "end/agent.txt": "CPUUsageNSec=2200000000\nNRestarts=0\nActiveState=active\n"
                     "VmHWM:\t   5120 kB\nVmRSS:\t   4096 kB\n",
}


class WithDirectory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)

    def make(self, name, files):
        for path, content in files.items():
            target = self.root / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content)
        return self.root / name

    def values(self, files):
        return phase.read_phase(self.make("run", files))


class TestPhase(WithDirectory):
    def test_counters_are_those_of_the_measured_time(self):
        values = self.values(HARMED)
        self.assertEqual(values["hot.refaults"], 20000)
        self.assertEqual(values["slice.events_max"], 2500)
        self.assertEqual(values["seconds"], 120)

    def test_stall_is_a_share_of_the_measured_time(self):
        values = self.values(HARMED)
        self.assertAlmostEqual(values["slice.psi_memory_some_percent"], 10)
        self.assertEqual(values["slice.psi_memory_full_percent"], 0)

    def test_idle(self):
        values = self.values(SAVED)
        self.assertAlmostEqual(values["idle.cold_mib"], 240)
        self.assertAlmostEqual(values["idle.freed_mib"], 61000 / 256)
        self.assertAlmostEqual(values["idle.refault_percent"], 100 * 102 / 20480)

    def test_zram_is_subtracted(self):
        self.assertAlmostEqual(self.values(SAVED)["zram.net_mib"], 110)

    def test_zram_that_holds_nothing_still_costs(self):
        self.assertLess(self.values(HARMED)["zram.net_mib"], 0)

    def test_agent(self):
        values = self.values(SAVED)
        self.assertAlmostEqual(values["agent.cpu_seconds"], 1.2)
        self.assertAlmostEqual(values["agent.cpu_percent"], 1)
        self.assertEqual(values["agent.rss_mib"], 4)
        self.assertEqual(values["agent.peak_mib"], 5)

    def test_no_agent_is_unknown_not_zero(self):
        values = self.values(HARMED)
        self.assertIsNone(values["agent.cpu_seconds"])
        self.assertIsNone(values["agent.rss_mib"])

    def test_what_the_limit_drove_out_is_not_the_agents_work(self):
        self.assertEqual(self.values(HARMED)["idle.freed_before_limit_mib"], 0)

    def test_freed_without_ever_hitting_the_limit(self):
        self.assertEqual(self.values(SAVED)["idle.freed_before_limit_mib"], 239)

    def test_nothing_there_at_all(self):
        self.assertEqual(set(phase.read_phase(self.root / "nowhere").values()), {None})

    def test_a_counter_that_fell_is_unknown(self):
        self.assertIsNone(phase.difference(3, 7))
        self.assertIsNone(phase.difference(3, None))
        self.assertEqual(phase.difference(7, 7), 0)

    def test_damaged_files(self):
        values = self.values({"hot.txt": "lookups_per_second\np50_us=\np99_us=often\n\n",
                              "end/zram_mm_stat": "?", "end/slice/memory.max": "max\n"})
        self.assertEqual(set(values.values()), {None})

    def test_samples_with_a_last_line_cut_short(self):
        run = self.make("run", {"samples.csv": "uptime,hot_current\n1.00,5\n2.00"})
        self.assertEqual(phase.read_samples(run / "samples.csv"),
                         [{"uptime": 1.0, "hot_current": 5}, {"uptime": 2.0, "hot_current": None}])


class TestTable(WithDirectory):
    def test_columns_are_aligned(self):
        lines = report.table(self.values(HARMED), self.values(SAVED)).splitlines()
        full = [line for line in lines if line.startswith("  ")]
        self.assertEqual(len({len(line) for line in full}), 1)

    def test_missing_is_a_dash(self):
        for line in report.table({}, {}).splitlines()[2:]:
            self.assertNotRegex(line, r"\d\s*$")

    def test_ratio(self):
        self.assertEqual(report.show_ratio(200, 1), "x 0.005")
        self.assertEqual(report.show_ratio(0, 1), "-")
        self.assertEqual(report.show_ratio(None, 1), "-")
        self.assertEqual(report.show_ratio(1, None), "-")

    def test_thousands(self):
        self.assertEqual(report.show(1234567), "1 234 567")
        self.assertEqual(report.show(0, 1), "0.0")


class TestVerdict(unittest.TestCase):
    WITHOUT = {"hot.refaults": 20000, "stream.mib_per_second": 8.0}
    WITH = {"hot.refaults": 100, "stream.mib_per_second": 8.0, "idle.freed_before_limit_mib": 239.0,
            "idle.freed_percent": 99.0, "idle.refault_percent": 0.2, "zram.net_mib": 110.0,
            "agent.restarts": 0}

    def status(self, without=None, **with_):
        changes = {key.replace("__", "."): value for key, value in with_.items()}
        return report.judge(self.WITHOUT | (without or {}), self.WITH | changes)[1]

    def test_all_well(self):
        self.assertEqual(self.status(), report.EXIT_OK)

    def test_at_the_limits(self):
        self.assertEqual(self.status(hot__refaults=400, idle__freed_percent=95.0,
                                     idle__refault_percent=1.0, stream__mib_per_second=7.6),
                         report.EXIT_OK)

    def test_each_count_can_fail_it(self):
        for change in ({"hot__refaults": 401}, {"hot__refaults": 20001},
                       {"idle__freed_percent": 94.9}, {"idle__freed_before_limit_mib": 0.0},
                       {"idle__refault_percent": 1.1}, {"zram__net_mib": -1.0},
                       {"agent__restarts": 1}):
            with self.subTest(change):
                self.assertEqual(self.status(**change), report.EXIT_FAILED)

    def test_a_missing_number_fails_it(self):
        for key in self.WITH:
            if key != "stream.mib_per_second":
                with self.subTest(key):
                    self.assertEqual(self.status(**{key.replace(".", "__"): None}),
                                     report.EXIT_FAILED)

    def test_a_slow_stream_is_told_apart(self):
        self.assertEqual(self.status(stream__mib_per_second=7.0), report.EXIT_SLOW_STREAM)
        self.assertEqual(self.status(stream__mib_per_second=None), report.EXIT_SLOW_STREAM)
        self.assertEqual(self.status(stream__mib_per_second=7.0, idle__freed_percent=10.0),
                         report.EXIT_FAILED)

    def test_without_harm_there_is_nothing_to_show(self):
        self.assertEqual(self.status({"hot.refaults": 0}, hot__refaults=0),
                         report.EXIT_FAILED)


class TestPicture(WithDirectory):
    def panel(self, files):
        run = self.make("run", files)
        return picture.Panel("a < b", phase.read_samples(run / "samples.csv"), 12.0, None)

    def test_is_xml(self):
        minidom.parseString(picture.draw([self.panel(HARMED), self.panel(SAVED)], 512))

    def test_draws_without_any_samples(self):
        minidom.parseString(picture.draw([picture.Panel("empty", [], None, None)] * 2))

    def test_a_unit_not_there_yet_takes_no_room(self):
        panel = self.panel(HARMED)
        layers = {name: roof for name, _, _, roof in picture.stacked(panel.samples, panel.start())}
        self.assertEqual(layers["hot"][0], (0, 0))
        self.assertEqual(layers["stream"][1], (1, 96 + 320 + 1))

    def test_rates(self):
        self.assertEqual(self.panel(HARMED).rates("hot_refault_file"), [(3, 200)])

    def test_steps(self):
        self.assertEqual([picture.nice_step(v) for v in (1, 60, 550, 0)], [0.2, 20, 200, 2e-10])


class TestWhole(WithDirectory):
    def run_main(self, without, with_):
        sys.argv = ["report.py", "--out", str(self.root / "out"), str(self.make("a", without)),
                    str(self.make("b", with_))]
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            status = report.main()
        return status, text.getvalue()

    def test_good_run(self):
        status, text = self.run_main(HARMED, SAVED)
        self.assertEqual(status, 0, text)
        self.assertIn(str(self.root / "out" / "demo.svg"), text)
        numbers = json.loads((self.root / "out" / "demo.json").read_text())
        self.assertEqual(numbers["with"]["hot.refaults"], 100)

    def test_an_agent_that_did_nothing(self):
        status, text = self.run_main(HARMED, HARMED)
        self.assertEqual(status, 1)
        self.assertIn("NOT OK  the agent freed something", text)

    def test_no_results(self):
        self.assertEqual(self.run_main({}, {})[0], 1)


if __name__ == "__main__":
    unittest.main()
