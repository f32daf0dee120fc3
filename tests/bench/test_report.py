#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unit tests of cases.py, measure.py and report.py on made-up runs."""

import dataclasses
import importlib.machinery
import importlib.util
import json
import pathlib
import tempfile
import unittest

import cases
import measure
import report

MIB = 1 << 20
LOG = ("[  9.1] bench fgreclaimd[77]: freed 1.0M of 2.0M asked for, 3 agings, 9 writes, "
       "0 without effect\n"
       "[ 69.1] bench fgreclaimd[77]: freed 1.0M of 2.0M asked for, 5 agings, 11 writes, "
       "0 without effect\n"
       "[ 70.1] bench fgreclaimd[77]: stopped\n")
M1 = cases.chosen(["M1"])[0]
M2 = cases.chosen(["M2"])[0]
M7 = cases.chosen(["M7"])[0]


def sample(second, phase, residences, **values):
    row = {"usec": second * 1_000_000, "phase": phase, "residences": residences, "ops": 0,
           "stream": 0}
    return row | values


def write_samples(path, rows):
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [",".join(names)]
    for row in rows:
        lines.append(",".join("" if row.get(name) is None else str(row[name]) for name in names))
    path.write_text("\n".join(lines) + "\n")


def run(case, condition, number=1, short=False, **values):
    return {"case": case, "condition": condition, "run": number, "short": short,
            "values": {"seconds": 60} | values}


class TestMeasure(unittest.TestCase):
    def values(self, case, condition, rows, log=None):
        with tempfile.TemporaryDirectory() as name:
            directory = pathlib.Path(name)
            if rows is not None:
                write_samples(directory / "samples.csv", rows)
            if log is not None:
                (directory / "agent.log").write_text(log)
            return measure.run_values(case, condition, directory)

    # A warm-up of 10 residence times with .1 refaults/op, then 20 with .5, from the 12th on .2.
    def shifted(self):
        rows, ops, refaults = [], 0, 0
        for second in range(31):
            phase, residences = (0, second) if second <= 10 else (1, second - 11)
            if second:
                ops += 1000
                refaults += 100 if second <= 11 else 500 if residences <= 12 else 200
            rows.append(sample(second, phase, residences, ops=ops, one_refault_file=refaults,
                               one_refault_anon=0, one_max_seq=3 + (second > 20),
                               one_pgscan=refaults,
                               one_events_max=5 * second, one_stall_io_usec=250_000 * second,
                               one_cpu_usec=500_000 * second, agent_cpu_usec=10_000 * second))
        return rows

    def test_only_the_measured_time_counts(self):
        values = self.values(M2, "none", self.shifted())
        self.assertEqual(values["seconds"], 19)
        self.assertEqual(values["residences"], 19)
        self.assertEqual(values["residence_seconds"], 1)
        self.assertEqual(values["ops"], 19000)
        self.assertAlmostEqual(values["refaults_per_op"], (12 * 500 + 7 * 200) / 19000)
        self.assertEqual(values["agings"], 1)
        self.assertEqual(values["events_max_per_second"], 5)
        self.assertEqual(values["stall_io_percent"], 25)
        self.assertEqual(values["agent_cpu_percent"], 1)
        self.assertEqual(values["ops_per_cpu_second"], 2000)

    def test_before_and_late(self):
        values = self.values(M2, "none", self.shifted())
        self.assertAlmostEqual(values["before_refaults_per_op"], 0.1)
        self.assertAlmostEqual(values["late_refaults_per_op"], 0.2)

    def test_too_short_a_run_has_no_late_figure(self):
        self.assertIsNone(self.values(M2, "none", self.shifted()[:20])["late_refaults_per_op"])

    def test_runs_are_compared_over_the_same_stretch(self):
        shorter = dataclasses.replace(M2, measure=(5, 0, 60))
        values = self.values(shorter, "none", self.shifted())
        self.assertEqual(values["residences"], 5)
        self.assertAlmostEqual(values["refaults_per_op"], 0.5)

    def test_a_missing_or_reset_counter_is_unknown(self):
        rows = self.shifted()
        rows[-1]["one_refault_file"] = None
        rows[-1]["one_pgscan"] = 0
        values = self.values(M2, "none", rows)
        self.assertIsNone(values["refaults_per_op"])
        self.assertIsNone(values["pgscan"])
        self.assertIsNone(values["stall_memory_percent"])

    def test_nothing_there_at_all(self):
        self.assertEqual(self.values(M2, "none", None), {})

    def test_agings_are_summed_up(self):
        self.assertEqual(self.values(M2, cases.AGENT, self.shifted(), LOG)["plus"], 5)

    def test_an_agent_that_said_nothing_has_aged_nothing(self):
        self.assertEqual(measure.count_agings("fgreclaimd[7]: stopped\n"), 0)

    def test_an_agent_that_did_not_end_is_unknown(self):
        self.assertIsNone(measure.count_agings(None))
        self.assertIsNone(measure.count_agings(LOG.rsplit("\n", 2)[0]))

    def test_anon_time_runs_from_the_first_that_goes(self):
        def anon(second):  # 5 MiB a second from the 60th on, down to 100
            return max(100, 400 - 5 * max(0, second - 60)) * MIB
        rows = [sample(s, 1, 0, one_anon=anon(s), one_refault_anon=0, one_refault_file=0)
                for s in range(481)]
        values = self.values(M7, "none", rows)
        self.assertEqual(values["start_seconds"], 61)
        self.assertEqual(values["gone_mib"], 300)
        self.assertEqual(values["swing_mib"], 0)
        values = self.values(M7, "none", rows[:300])
        self.assertNotIn("swing_mib", values)

    def test_anon_of_which_nothing_goes(self):
        rows = [sample(s, 1, 0, one_anon=400 * MIB) for s in range(481)]
        values = self.values(M7, "none", rows)
        self.assertEqual(values["gone_mib"], 0)
        self.assertNotIn("swing_mib", values)

    def test_oracle(self):
        rates = [0, 0, 1, 2, 4, 8, 16, 32, 64, 128]
        self.assertEqual(measure.oracle_saved_percent(rates, 0), 20)
        self.assertEqual(measure.oracle_saved_percent(rates, 7.5), 50)
        self.assertEqual(measure.oracle_saved_percent(rates, 1000), 100)

    def test_population(self):
        rates = measure.population_rates(1000)
        self.assertEqual(rates.count(0), 250)
        self.assertEqual(rates, sorted(rates))
        self.assertLess(rates[-1], measure.RATE_MAX_HZ)
        self.assertGreater(measure.working_set_pages(rates), 300)
        self.assertLess(measure.working_set_pages(rates), 600)

    def test_saving(self):
        pages = cases.POPULATION_PAGES
        rows = [sample(s, 1, 0, one_anon=pages * 4096 // 2, one_file=0, one_refault_file=0,
                       one_refault_anon=2 * s) for s in range(1500)]
        values = self.values(cases.chosen(["M8-anon"])[0], "none", rows)
        self.assertAlmostEqual(values["saved_percent"], 50)
        self.assertAlmostEqual(values["rate_of_target"], 120 / (0.005 * pages / 2))
        wss = measure.working_set_pages(measure.population_rates(pages))
        self.assertAlmostEqual(values["rate_percent_min"], 100 * 120 / wss)


class TestCases(unittest.TestCase):
    def test_all_and_some(self):
        self.assertEqual(cases.chosen([]), list(cases.CASES))
        self.assertEqual([c.name for c in cases.chosen(["M10", "M1"])], ["M1", "M10"])
        self.assertEqual(len(cases.chosen(["M5"])), 4)
        with self.assertRaises(ValueError):
            cases.chosen(["M11"])

    def test_every_figure_has_a_heading(self):
        known = set(report.OWN) | {name for name, _, _ in report.COMMON}
        for case in cases.CASES:
            for name in case.figures + tuple(bound.value for bound in case.bounds):
                self.assertIn(name, known, case.name)

    def test_every_test_has_a_must_and_20_residence_times(self):
        for case in cases.CASES:
            self.assertIn("must", {bound.level for bound in case.bounds}, case.name)
            self.assertTrue(case.measure[0] >= 20 or case.measure[:2] == (0, case.measure[2]),
                            case.name)

    def test_every_configuration_is_there(self):
        for case in cases.CASES:
            self.assertTrue((pathlib.Path(__file__).parent / "conf" / case.conf).exists())


class TestVerdict(unittest.TestCase):
    GOOD = dict(late_refaults_per_op=0.04, late_ops_per_second=140, plus=3)

    def status(self, *runs, case=M1, skipped=()):
        return report.report([case], list(runs), dict(skipped))[1]

    def base(self):
        return run("M1", "none", late_refaults_per_op=0.2, late_ops_per_second=100)

    def test_all_well(self):
        self.assertEqual(self.status(self.base(), run("M1", cases.AGENT, **self.GOOD)), 0)

    def test_at_the_bound(self):
        good = self.GOOD | {"late_refaults_per_op": 0.06}
        self.assertEqual(self.status(self.base(), run("M1", cases.AGENT, **good)), 0)

    def test_one_bad_run_of_three_fails_it(self):
        bad = self.GOOD | {"late_refaults_per_op": 0.061}
        runs = [run("M1", cases.AGENT, n, **self.GOOD) for n in (1, 2)]
        self.assertEqual(self.status(self.base(), *runs, run("M1", cases.AGENT, 3, **bad)), 1)

    def test_a_moonshot_missed_fails_nothing(self):
        slow = self.GOOD | {"late_ops_per_second": 100}
        text, status = report.report([M1], [self.base(), run("M1", cases.AGENT, **slow)], {})
        self.assertEqual(status, 0)
        self.assertIn("not reached", text)

    def test_a_missing_number_fails_it(self):
        self.assertEqual(self.status(self.base()), 1)
        self.assertEqual(self.status(self.base(), run("M1", cases.AGENT)), 1)
        self.assertEqual(self.status(self.base(), run("M1", cases.AGENT, **self.GOOD),
                                     run("M1", cases.AGENT, 2)), 1)

    def test_a_short_run_fails_it(self):
        self.assertEqual(self.status(self.base(), run("M1", cases.AGENT, short=True, **self.GOOD)),
                         1)

    def test_a_skipped_test_is_not_held(self):
        text, status = report.report([M1], [], {"M1": "no such key"})
        self.assertEqual(status, 1)
        self.assertIn("SKIPPED      no such key", text)

    def harmless(self, refaults, plus=0):
        case = cases.chosen(["M5-zipf9"])[0]
        runs = [run(case.name, "none", n, refaults_per_op=base)
                for n, base in ((1, 0.1), (2, 0.2), (3, 0.9))]
        return self.status(*runs, run(case.name, cases.AGENT, refaults_per_op=refaults, plus=plus),
                           case=case)

    def test_harm_is_told_from_the_median_without_the_agent(self):
        self.assertEqual(self.harmless(0.204), 0)
        self.assertEqual(self.harmless(0.206), 1)

    def test_a_single_aging_is_harm(self):
        self.assertEqual(self.harmless(0.2, plus=1), 1)

    def test_no_base_no_verdict(self):
        case = cases.chosen(["M5-zipf9"])[0]
        self.assertEqual(self.status(run(case.name, cases.AGENT, refaults_per_op=0, plus=0),
                                     case=case), 1)

    def test_a_base_in_another_test(self):
        case = cases.chosen(["M9"])[0]
        bound = next(b for b in case.bounds if b.of)
        runs = [run("M8-file", cases.AGENT, saved_percent=30)]
        for saved, met in ((25, True), (24.9, False)):
            agent = run("M9", cases.AGENT, saved_percent=saved)
            self.assertEqual(report.judge_bound(bound, case, runs + [agent])[0], met)


class TestTable(unittest.TestCase):
    def test_columns_are_aligned(self):
        runs = [run("M1", c, late_refaults_per_op=0.2, pgscan=10**7) for c in cases.CONDITIONS]
        lines = report.table(M1, runs)
        self.assertEqual(len({len(line) for line in lines}), 1)
        self.assertIn("10 000 000", "\n".join(lines))

    def test_spread(self):
        self.assertEqual(report.spread([3, 1, 2], 0), "2 (1 to 3)")
        self.assertEqual(report.spread([3], 1), "3.0")
        self.assertEqual(report.spread([3, None], 1), "-")
        self.assertEqual(report.spread([], 1), "-")

    def test_a_row_of_unknowns_is_left_out(self):
        text = "\n".join(report.table(M1, [run("M1", "none", pgscan=1)]))
        self.assertIn("pgscan", text)
        self.assertNotIn("agent CPU", text)

    def test_no_runs(self):
        text, status = report.report([M1], [], {})
        self.assertEqual(status, 1)
        self.assertNotIn("known before", text)

    def test_no_negative_zero(self):
        self.assertEqual(report.show(-0.01, 1), "0.0")
        self.assertEqual(report.show(-1.5, 1), "-1.5")


def load_policy():
    path = str(pathlib.Path(__file__).with_name("policy"))
    loader = importlib.machinery.SourceFileLoader("policy", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("policy", loader))
    loader.exec_module(module)
    return module


class TestResume(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.results = pathlib.Path(directory.name)
        self.daemon = self.results / "daemon"
        binary = self.daemon / "usr/sbin/fgreclaimd"
        binary.parent.mkdir(parents=True)
        binary.write_text("one")
        self.policy = load_policy()

    def done(self, case=M1, condition=cases.AGENT, **changes):
        told = self.policy.conditions_of(M1, condition, 1, self.daemon)
        stored = told | {"short": False, "values": {"residences": 21}} | changes
        (self.results / f"M1-{condition}-1.json").write_text(json.dumps(stored))
        return self.policy.is_done(case, condition, 1, self.daemon, self.results)

    def test_kept(self):
        self.assertTrue(self.done())
        self.assertTrue(self.done(condition="none"))

    def test_not_there(self):
        self.assertFalse(self.policy.is_done(M1, "none", 2, self.daemon, self.results))

    def test_interrupted(self):
        self.assertFalse(self.done(short=True, values={}))

    def test_cut_short(self):
        self.assertFalse(self.done(short=True))
        cut = dataclasses.replace(M1, measure=(3, 5, 10))
        self.assertTrue(self.done(case=cut, short=True))

    def test_another_disk(self):
        self.assertFalse(self.done(latency_us=1))

    def test_another_daemon(self):
        self.assertFalse(self.done(daemon_sha256="of another one"))
        self.assertTrue(self.done(condition="none", daemon_sha256="of another one"))


if __name__ == "__main__":
    unittest.main()
