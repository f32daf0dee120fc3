# SPDX-License-Identifier: MIT
"""The tests of the policy bench: what runs in the guest, and what must come of it.

Page counts are pages of 4 KiB. "Memory" of the tests M1 to M5 is a limit of 96 MiB.
"""

import dataclasses

CONDITIONS = ("none", "off", "fgreclaimd")  # off: MGLRU switched off
AGENT = "fgreclaimd"

# Without a limit nobody but the agent reclaims: MGLRU switched off changes nothing.
UNLIMITED = ("none", AGENT)

COUNTERS = "--counters /run/bench/counters"
READER = f"reader {COUNTERS}"
SEEDED = ("reader", "population")  # the programs that draw random numbers
MEMORY_PAGES = 96 * 256
FILE_PAGES = MEMORY_PAGES * 5 // 2
DISK, DISK2 = "/dev/slow0", "/dev/slow1"
# More pages than any run reads: a stream never meets its beginning again.
ENDLESS = 250_000_000
GREP_PAGES = 14266   # a database of 56 MiB
POPULATION_PAGES = 65536

# From here on, in residence times of the measured time, what the agent changed must show.
LATE = 12

# Added to a bound that is told from a base: a run that begins when memory is full has some thousand
# refaults until the kernel has found out what is hot, a few hundred more or less each time, in a
# million operations.
SLACK = 0.0005


@dataclasses.dataclass(frozen=True)
class Bound:
    """One criterion. value `op` limit; with of: limit times the median of that value in
    (case, condition), plus slack; case None: the same one."""
    level: str        # "must" or "moonshot"
    value: str
    op: str           # "<=" or ">="
    limit: float
    of: tuple = None
    slack: float = 0.0


def must(*args, **kwargs):
    return Bound("must", *args, **kwargs)


def moonshot(*args, **kwargs):
    return Bound("moonshot", *args, **kwargs)


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    title: str
    programs: tuple          # "UNIT PROGRAM ARGUMENT..."; programs of one unit share its cgroup
    figures: tuple           # the values that are this test's own, for the table
    bounds: tuple
    known: dict              # {condition: text}: the first figure as measured before, by hand
    # (residence times, least seconds, most seconds)
    warm: tuple = (6, 60, 180)
    measure: tuple = (21, 60, 600)
    full: bool = True        # the warm-up lasts until memory is full, at least
    unit_max: str = "96M"
    slice_max: str = "infinity"
    latency_us: int = 400    # a memory of 96 MiB is replaced in ten seconds
    conf: str = "bench.conf"
    units: tuple = ("one",)  # the cgroups with counters of their own
    main: str = "one"        # whose residence time counts; "slice": the parent's
    conditions: tuple = CONDITIONS
    empty_units: tuple = ()  # cgroups that a program fills from elsewhere
    minutes: float = 4.0     # a run, for the first estimate of the time that is left


def population(file=None):
    command = f"one population {COUNTERS} --pages {POPULATION_PAGES}"
    return (command + (f" --file {file}" if file else ""),)


def saver_case(name, title, file, figures, bounds, known, **kwargs):
    return Case(name, title, population(file), figures, bounds, known, warm=(0, 1, 1),
                measure=(0, 3600, 3600), full=False, unit_max="infinity", minutes=3,
                conditions=UNLIMITED, **kwargs)


SAVING = ("saved_percent", "rate_percent_min", "oracle_gap_pp", "rate_of_target",
          "stall_io_percent")
SAVING_BOUNDS = (
    must("saved_percent", ">=", 30), must("rate_percent_min", "<=", 1),
    moonshot("oracle_gap_pp", "<=", 5), moonshot("rate_of_target", ">=", 0.8),
    moonshot("rate_of_target", "<=", 1.2),
)
HARMLESS = ("refaults_per_op", "plus")
HARMLESS_BOUNDS = (
    must("refaults_per_op", "<=", 1.02, of=(None, "none"), slack=SLACK), must("plus", "<=", 0),
    moonshot("refaults_per_op", "<=", 1.0, of=(None, "none")),
)
GREP_SOURCES = f"zipf0:{DISK}:{GREP_PAGES}:4 stream:{DISK2}:{ENDLESS}:5"
# As many files a second as the grep through real ones that M10's figure is known from.
GREP_PAUSE_US = 1000
# A memory of 96 MiB in ten seconds: a stream that is read ahead would replace it in one.
STREAM_PAUSE_US = 400

CASES = (
    Case("M1", "60 MiB of cold anon beside zipf .9 by read()",
         ("one idle --size 60 --hot-percent 0", f"one {READER} zipf900:{DISK}:{120 * 256}:1"),
         ("late_refaults_per_op", "plus"),
         (must("late_refaults_per_op", "<=", 0.060), moonshot("late_refaults_per_op", "<=", 0.045),
          moonshot("late_ops_per_second", ">=", 1.3, of=(None, "none"))),
         {"none": ".209", "off": ".052"}, warm=(0, 1, 120)),
    Case("M2", "full shift of zipf .9, a file of 2.5 times memory",
         (f"one {READER} --shift zipf900:{DISK}:{FILE_PAGES}:1",),
         ("late_refaults_per_op", "before_refaults_per_op", "plus"),
         (must("late_refaults_per_op", "<=", 0.165), moonshot("late_refaults_per_op", "<=", 0.155),
          moonshot("plus", "<=", 3)),
         {"none": ".185 (before .157)"}, warm=(12, 60, 240)),
    # 8 % of the ranks in the operations of a residence time, 150 000: each swap moves two.
    Case("M3", "drift of 8 % in a residence time, zipf .9",
         (f"one {READER} --drift {FILE_PAGES * 8 // 2 * 10000 // 150000} "
          f"zipf900:{DISK}:{FILE_PAGES}:1",),
         ("late_refaults_per_op", "before_refaults_per_op", "plus"),
         (must("late_refaults_per_op", "<=", 0.190), moonshot("late_refaults_per_op", "<=", 0.177)),
         {"none": ".222 and rising", "off": ".175"}, warm=(12, 60, 240)),
    Case("M4", "loop of 1.2 times memory and zipf .9, Churn=yes",
         (f"one {READER} loop:{DISK}:{MEMORY_PAGES * 6 // 5}:2 zipf900:{DISK2}:{MEMORY_PAGES}:1",),
         ("late_refaults_per_op", "plus"),
         (must("late_refaults_per_op", "<=", 0.50), moonshot("late_refaults_per_op", "<=", 0.37),
          moonshot("agent_cpu_percent", "<=", 15)),
         {"none": ".78", "off": ".73"}, conf="churn.conf"),
    Case("M5-zipf9", "do no harm: zipf .9",
         (f"one {READER} zipf900:{DISK}:{FILE_PAGES}:1",),
         HARMLESS, HARMLESS_BOUNDS, {"none": ".153", "off": ".173"}),
    Case("M5-zipf5", "do no harm: zipf .5",
         (f"one {READER} zipf500:{DISK}:{FILE_PAGES}:1",), HARMLESS, HARMLESS_BOUNDS, {}),
    Case("M5-stream", "do no harm: hot set and one-shot stream in one cgroup",
         (f"one {READER} --pause {STREAM_PAUSE_US} "
          f"zipf0:{DISK}:{40 * 256}:1 stream:{DISK2}:{ENDLESS}:1",),
         HARMLESS, HARMLESS_BOUNDS, {"none": "0 after 4 residence times"}, warm=(0, 1, 120),
         measure=(40, 60, 600)),
    Case("M5-grep", "do no harm: look-ups beside many files read once, 150 MiB",
         (f"one {READER} {GREP_SOURCES}",), HARMLESS, HARMLESS_BOUNDS,
         {"none": "0 in the long run"}, unit_max="150M",
         warm=(0, 1, 120), measure=(40, 60, 600)),
    Case("M6", "siblings: look-ups and stream under one limit of 150 MiB",
         (f"hot {READER} --peer /sys/fs/cgroup/bench.slice/stream.service "
          f"--pause {GREP_PAUSE_US} {GREP_SOURCES}",),
         ("hot_refaults", "stream_per_second"),
         (must("hot_refaults", "<=", 1000), moonshot("hot_refaults", "<=", 50),
          moonshot("stream_per_second", ">=", 0.9, of=(None, "none"))),
         {"none": "84 812 in 4 to 5 residence times"}, unit_max="infinity", slice_max="150M",
         warm=(0, 1, 120), units=("hot", "stream"), main="slice", empty_units=("stream",)),
    Case("M7", "400 MiB of anon, 100 MiB of them hot",
         ("one idle --size 400 --hot-percent 25",),
         ("gone_mib", "refaults", "swing_mib", "start_seconds", "end_gone_mib"),
         (must("gone_mib", ">=", 280), must("refaults", "<=", 200), must("swing_mib", "<=", 4),
          moonshot("gone_mib", ">=", 298), moonshot("refaults", "<=", 20)),
         {"none": "0"}, unit_max="infinity", warm=(0, 1, 1), measure=(0, 480, 480), full=False,
         conf="fast.conf", conditions=UNLIMITED),
    saver_case("M8-anon", "log-uniform population of anon, 256 MiB", None, SAVING, SAVING_BOUNDS,
               {"none": "0"}),
    saver_case("M8-file", "log-uniform population of file by read(), 256 MiB, 0.2 ms", DISK,
               SAVING, SAVING_BOUNDS, {"none": "0"}, latency_us=200),
    saver_case("M9", "log-uniform population of file by read(), 256 MiB, 2 ms", DISK,
               ("stall_io_percent", "saved_percent", "rate_percent_min"),
               (must("stall_io_percent", "<=", 0.2),
                moonshot("saved_percent", ">=", 1, of=("M8-file", AGENT), slack=-5)),
               {"none": "0"}, latency_us=2000),
    Case("M10", "stalls: look-ups beside many files at the limit of 150 MiB",
         (f"one {READER} --pause {GREP_PAUSE_US} {GREP_SOURCES}",),
         ("events_max_per_second", "refaults_per_op"),
         (must("events_max_per_second", "<=", 1),
          must("refaults_per_op", "<=", 1.01, of=(None, "none"), slack=SLACK),
          moonshot("events_max_per_second", "<=", 0)),
         {"none": "55 to 75"}, unit_max="150M", warm=(12, 60, 240)),
)


def chosen(names):
    """The cases of these names, in the order of the table; M5 is all that begin with M5-. None of
    an unknown name: ValueError."""
    for name in names:
        if not any(matches(case, name) for case in CASES):
            raise ValueError(name)
    return [case for case in CASES if not names or any(matches(case, name) for name in names)]


def matches(case, name):
    return case.name == name or case.name.startswith(name + "-")
