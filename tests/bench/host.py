# SPDX-License-Identifier: MIT
"""What the benches share on the host: the guest's clock, progress, and this tree's own daemon."""

import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
VM = HERE.parent / "vm"
LIMIT_S = 7200     # of the host's time, for a guest that hangs
# One instruction is a nanosecond, and when all wait the next event comes at once.
CLOCK = ("--qemu-args", "-icount shift=0,sleep=off")
ENVIRONMENT = os.environ | {"VM_ACCEL": "tcg,thread=single"}


class Progress:
    """Lines with the time that is left, by the runs' first estimates and how those held so far."""

    def __init__(self, minutes, jobs=1):
        self.begin = time.monotonic()
        self.jobs = jobs
        self.to_do = sum(minutes)
        self.done = 0.0
        self.lock = threading.Lock()

    def say(self, text):
        passed = (time.monotonic() - self.begin) / 60
        rate = self.done / passed if self.done else self.jobs
        with self.lock:
            print(f"[{passed:5.1f} min, about {(self.to_do - self.done) / rate:.0f} left] {text}",
                  file=sys.stderr, flush=True)

    def run_ended(self, minutes):
        with self.lock:
            self.done += minutes


def die(text):
    print(f"{pathlib.Path(sys.argv[0]).name}: {text}", file=sys.stderr)
    sys.exit(2)


def run_checked(*command, **kwargs):
    """Its output; when it fails, that is shown, and all ends."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            check=False, **kwargs)
    if result.returncode:
        print(result.stdout, file=sys.stderr)
        die(f"{command[0]} failed")
    return result.stdout


def built_daemon():
    """Builds this tree beside the ones of `bootstrap`, and installs it there."""
    build, root = TOP / "build" / "bench", TOP / "build" / "bench" / "root"
    if not (TOP / "configure").exists():
        run_checked("./autogen.sh", cwd=TOP)
    build.mkdir(parents=True, exist_ok=True)
    if not (build / "config.status").exists():
        run_checked(TOP / "configure", "--quiet", "--prefix=/usr", "--sysconfdir=/etc", cwd=build)
    shutil.rmtree(root, ignore_errors=True)
    run_checked("make", "--silent", "-j2", "install", f"DESTDIR={root}", cwd=build)
    return root


def daemon_root(argument):
    """What --daemon=DIR says, DIR being what `make install DESTDIR=DIR` left, or `built`."""
    root = built_daemon() if argument == "built" else pathlib.Path(argument).resolve()
    if not (root / "usr/sbin/fgreclaimd").exists():
        die(f"no usr/sbin/fgreclaimd in {root}")
    return root
