#!/usr/bin/env bash
# What takes too long for every change: the unit tests with the address and undefined-behaviour
# sanitizers, and what runs on threads with the thread sanitizer.
#
#   scripts/nightly.sh             both
#   scripts/nightly.sh asan        one of them: asan or tsan
#   scripts/nightly.sh asan REGEX  only tests whose names match
#
# Needs what scripts/setup.sh installs. Builds in build-asan and build-tsan.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ${1:-} == --help ]]; then
  sed -n '2,/^set -e/{/^set -e/d;s/^# \{0,1\}//;p}' "$0"
  exit 0
fi
which=${1:-both}
if [[ $which != both && $which != asan && $which != tsan ]]; then
  echo "nightly: '$which'; expected asan, tsan or nothing" >&2
  exit 2
fi

jobs=$(nproc)
failed=()

export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp"

asan() {
  cmake --preset asan >/dev/null && cmake --build build-asan --target unit_tests &&
    ctest --test-dir build-asan -L unit -R "${1:-.}" -j "$jobs" --output-on-failure --no-tests=error
}
tsan() {
  cmake --preset tsan >/dev/null && cmake --build build-tsan --target learn_test server_test stride &&
    ctest --test-dir build-tsan -R "${1:-^(Workers|Ranks|Rollouts|Access|server_)}" --output-on-failure --no-tests=error
}

if [[ $which != tsan ]]; then asan "${2:-}" || failed+=(asan); fi
if [[ $which != asan ]]; then tsan "${2:-}" || failed+=(tsan); fi
if ((${#failed[@]} != 0)); then
  echo "nightly: failed: ${failed[*]}" >&2
  exit 1
fi
echo "nightly: passed"
