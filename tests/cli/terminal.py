#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A terminal of the test's own, with fgreclaimctl top on it.

terminal.py PROGRAM SCENARIO    prints what is wrong and exits 1, or exits 0
Scenarios: keys, sizes, term, gone (its terminal closes, with the signal that comes of it), lost (the
same, and no signal comes), daemon PID (the daemon ends meanwhile).
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

PATIENCE = 60


class Terminal:
    def __init__(self, program, controlling=True, arguments=("top", "--wait=100ms")):
        self.master, slave = pty.openpty()
        self.resize(24, 80)

        def own():
            os.setsid()
            if controlling:
                fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.child = subprocess.Popen([program, *arguments], stdin=slave, stdout=slave,
                                      stderr=slave, preexec_fn=own)
        os.close(slave)
        self.seen = ""

    def resize(self, lines, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def type(self, text):
        os.write(self.master, text.encode())

    def read(self, seconds):
        """False: there is nothing, or nobody is left to write it."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            self.seen += os.read(self.master, 65536).decode("utf-8", "replace")
        except OSError:
            return False
        return True

    def forget(self):
        self.seen = ""

    def wait_for(self, text):
        """Until it is on the screen. What stands there already is not drawn again, but for a change of
        size: so that is changed again and again."""
        end = time.monotonic() + PATIENCE
        columns = 80
        while text not in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.seen):
            if time.monotonic() > end or self.child.poll() is not None:
                sys.exit(f"no {text!r} on the screen: {self.seen[-2000:]!r}")
            self.settle()
            columns = 161 - columns
            self.resize(24, columns)

    def settle(self):
        """Lets it draw."""
        for _ in range(5):
            self.read(0.1)

    def wait_for_end(self, wanted):
        end = time.monotonic() + PATIENCE
        while self.child.poll() is None:
            if time.monotonic() > end:
                self.child.kill()
                sys.exit("it does not end")
            if self.master >= 0:
                self.read(0.1)
            else:
                time.sleep(0.05)
        # What it wrote last, and nobody has read yet.
        while self.master >= 0 and self.read(0):
            pass
        if self.child.returncode != wanted:
            sys.exit(f"exit {self.child.returncode}, not {wanted}: {self.seen[-2000:]!r}")

    def close(self):
        os.close(self.master)
        self.master = -1


def keys(program):
    terminal = Terminal(program)
    terminal.wait_for("running, dry run")
    terminal.wait_for("CURRENT")
    terminal.wait_for("/system.slice/mongod.service: ")
    # The root holds an unknown amount, and is last; the largest is first and so selected.
    terminal.wait_for(" /system.slice ")
    terminal.wait_for("generations, age")
    terminal.wait_for("s ago: watched only")
    terminal.forget()
    terminal.type("o")
    terminal.settle()
    terminal.forget()
    terminal.type("n")
    terminal.type("k" * 20)
    terminal.wait_for("never touched")
    for key in "cwoafnjjkk?\x1b[6~\x1b[5~\x1b[A\x1b[B":
        terminal.type(key)
    terminal.settle()
    terminal.type("q")
    terminal.wait_for_end(0)
    if "\x1b[?1049l" not in terminal.seen:
        sys.exit(f"the terminal is not given back: {terminal.seen[-200:]!r}")


def sizes(program):
    terminal = Terminal(program)
    terminal.wait_for("CURRENT")
    for lines, columns in ((50, 132), (10, 40), (5, 20), (2, 2), (1, 1), (3, 200), (200, 3)):
        terminal.resize(lines, columns)
        terminal.settle()
        terminal.type("jkn")
        terminal.settle()
    terminal.forget()
    terminal.resize(24, 80)
    terminal.wait_for("CURRENT")
    terminal.wait_for("q quit")
    terminal.type("q")
    terminal.wait_for_end(0)


def term(program):
    terminal = Terminal(program)
    terminal.wait_for("CURRENT")
    terminal.child.send_signal(signal.SIGTERM)
    terminal.wait_for_end(0)


def gone(program):
    terminal = Terminal(program)
    terminal.wait_for("CURRENT")
    terminal.close()
    terminal.wait_for_end(1)


def lost(program):
    terminal = Terminal(program, controlling=False)
    terminal.wait_for("CURRENT")
    terminal.close()
    terminal.wait_for_end(1)


def daemon(program, pid):
    terminal = Terminal(program)
    terminal.wait_for("running, dry run")
    os.kill(int(pid), signal.SIGTERM)
    terminal.wait_for("fgreclaimd does not run")
    terminal.type("jkn")
    terminal.settle()
    terminal.type("q")
    terminal.wait_for_end(0)


if __name__ == "__main__":
    {"keys": keys, "sizes": sizes, "term": term, "gone": gone, "lost": lost,
     "daemon": daemon}[sys.argv[2]](sys.argv[1], *sys.argv[3:])
