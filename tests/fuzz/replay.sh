#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Runs every fuzz target once over its corpus, and the parser of listings over the real ones too.
set -eu

fuzz=${srcdir:-.}/tests/fuzz
listings=${srcdir:-.}/tests/fixtures/listings

./fuzz-cgroup-name "$fuzz/corpus/cgroup-name"
./fuzz-kparse-lru-gen "$fuzz/corpus/kparse-lru-gen" "$listings"
./fuzz-kparse-small "$fuzz/corpus/kparse-small"
./fuzz-parse "$fuzz/corpus/parse"
./fuzz-trace "$fuzz/corpus/trace"
./fuzz-config "$fuzz/../../conf"
