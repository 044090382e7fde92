#!/usr/bin/env bash
# Runs every fuzz target for N seconds, as many at once as there are processors: tests/fuzz/run.sh [N] [build folder]
# Built by: cmake --preset fuzz && ninja -C build-fuzz fuzz_targets
set -euo pipefail
export seconds=${1:-20}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export here build=${2:-$here/../../build-fuzz}
found=$(mktemp -d)
export found
trap 'rm -rf "$found"' EXIT

run() {
  local name=$1 dictionary=() status=0
  mkdir "$found/$name"
  if [[ -f $here/$name.dict ]]; then dictionary=("-dict=$here/$name.dict"); fi
  # New inputs go aside: the corpus in the repository stays small and written by hand.
  "$build/${name}_fuzz" -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=2048 \
    -use_value_profile=1 -print_final_stats=1 -artifact_prefix="$PWD/${name}-" "${dictionary[@]}" \
    "$found/$name" "$here/corpus/$name" >"$found/$name.log" 2>&1 || status=$?
  echo "== $name: $seconds s, $(sed -n 's/^stat::number_of_executed_units: *//p' "$found/$name.log") inputs"
  if ((status != 0)); then tail -n 100 "$found/$name.log"; fi
  return "$status"
}
export -f run
for source in "$here"/*_fuzz.cc; do
  basename "$source" _fuzz.cc
done | xargs -P "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" -I{} bash -c 'run {}'
