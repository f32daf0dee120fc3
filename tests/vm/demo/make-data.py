#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the demo's data: a SQLite database and a tree of files to be read once.

    make-data.py --database-mib N --files N --file-kib N DIRECTORY

Everything is cut from one block of seeded random bytes, so the same arguments give the same data on
any machine, and no block is a hole or zeros: those would be read without any I/O.
"""

import argparse
import os
import random
import sqlite3

POOL_BYTES = 16 << 20
FILES_PER_DIRECTORY = 256
# Nine bodies and their overhead fill a 4 KiB page of SQLite.
BODY_BYTES = 440
BODIES_PER_PAGE = 9
PAGE_BYTES = 4096


class Pool:
    """A block of random bytes handed out in slices at odd offsets."""

    STEP = 1_000_003

    def __init__(self, seed):
        self._bytes = random.Random(seed).randbytes(POOL_BYTES)
        self._at = 0

    def take(self, size):
        self._at = (self._at + self.STEP) % (POOL_BYTES - size)
        return memoryview(self._bytes)[self._at:self._at + size]


def make_database(path, mib, pool):
    rows = mib * (1 << 20) // PAGE_BYTES * BODIES_PER_PAGE
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    db.execute("PRAGMA journal_mode = OFF")
    db.execute("PRAGMA synchronous = OFF")
    db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
    with db:
        db.executemany("INSERT INTO item VALUES (?, ?)",
                       ((i, pool.take(BODY_BYTES)) for i in range(1, rows + 1)))
    db.close()


def make_files(directory, count, size, pool):
    for i in range(count):
        group, name = divmod(i, FILES_PER_DIRECTORY)
        parent = os.path.join(directory, f"{group:04d}")
        if name == 0:
            os.makedirs(parent)
        with open(os.path.join(parent, f"{name:03d}"), "wb") as file:
            file.write(pool.take(size))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--database-mib", type=int, required=True)
    parser.add_argument("--files", type=int, required=True)
    parser.add_argument("--file-kib", type=int, required=True)
    parser.add_argument("directory")
    args = parser.parse_args()

    pool = Pool(seed=1)
    os.makedirs(args.directory, exist_ok=True)
    make_database(os.path.join(args.directory, "hot.db"), args.database_mib, pool)
    make_files(os.path.join(args.directory, "files"), args.files, args.file_kib << 10, pool)


if __name__ == "__main__":
    main()
