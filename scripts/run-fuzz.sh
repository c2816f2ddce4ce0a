#!/bin/sh
# run-fuzz.sh BUILD SECONDS: runs every fuzz target for so long. A crash leaves its input in BUILD and ends with an error.
set -eu
build=$1 seconds=$2
for target in "$build"/tests/fuzz_*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    name=$(basename "$target")
    mkdir -p "$build/corpus/$name"
    echo "$name, $seconds seconds"
    (cd "$build" && "tests/$name" -max_total_time="$seconds" -rss_limit_mb=4096 -verbosity=0 -print_final_stats=1 \
        "corpus/$name")
done
