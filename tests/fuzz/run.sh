#!/bin/sh
# Runs every fuzz target for N seconds: tests/fuzz/run.sh [N] [build folder]
# Built by: cmake --preset fuzz && ninja -C build-fuzz fuzz_targets
set -eu
seconds=${1:-20}
here=$(cd "$(dirname "$0")" && pwd)
build=${2:-$here/../../build-fuzz}
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
for source in "$here"/*_fuzz.cc; do
  name=$(basename "$source" _fuzz.cc)
  echo "== $name: $seconds s"
  mkdir "$found/$name"
  dictionary=
  if [ -f "$here/$name.dict" ]; then dictionary="-dict=$here/$name.dict"; fi
  # New inputs go aside: the corpus in the repository stays small and written by hand.
  "$build/${name}_fuzz" -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=2048 \
    -use_value_profile=1 -print_final_stats=1 -artifact_prefix="$PWD/${name}-" $dictionary \
    "$found/$name" "$here/corpus/$name"
done
