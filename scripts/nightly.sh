#!/usr/bin/env bash
# What takes too long for every change: the unit tests with the address and undefined-behaviour
# sanitizers, what runs on threads with the thread sanitizer, and every fuzz target for a minute.
#
#   scripts/nightly.sh             all
#   scripts/nightly.sh asan        one of them: asan, tsan or fuzz
#   scripts/nightly.sh asan REGEX  only tests whose names match
#
# Needs what scripts/setup.sh installs. Builds in build-asan, build-tsan and build-fuzz.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ${1:-} == --help ]]; then
  sed -n '2,/^set -e/{/^set -e/d;s/^# \{0,1\}//;p}' "$0"
  exit 0
fi
which=${1:-all}
if [[ $which != all && $which != asan && $which != tsan && $which != fuzz ]]; then
  echo "nightly: '$which'; expected asan, tsan, fuzz or nothing" >&2
  exit 2
fi

jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
failed=()

export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp"

asan() {
  cmake --preset asan >/dev/null && cmake --build build-asan --target unit_tests &&
    ctest --test-dir build-asan -L unit -R "${1:-.}" -j "$jobs" --output-on-failure --no-tests=error &&
    { [[ -n ${1:-} ]] || sanitized_lanes; }
}
# Once more in the one kind of lanes that has the address sanitizer (cmake/lanes.cmake).
sanitized_lanes() (
  export STRIDE_INSTRUCTION_SET=sse2
  build-asan/sim_test --gtest_brief=1 && build-asan/scenario_test --gtest_brief=1 &&
    build-asan/learn_test --gtest_brief=1 && build-asan/controllers_test --gtest_brief=1 --gtest_filter='*Lanes*'
)
tsan() {
  cmake --preset tsan >/dev/null &&
    cmake --build build-tsan --target learn_test app_test server_test stride &&
    # Crowded asks for frame rates, which no program has under this sanitizer.
    ctest --test-dir build-tsan -R "${1:-^(Workers|Ranks|Rollouts|Live|Access|server_)}" -E server_Crowded --output-on-failure --no-tests=error
}
fuzz() {
  cmake --preset fuzz >/dev/null && cmake --build build-fuzz --target fuzz_targets && tests/fuzz/run.sh 60
}

if [[ $which == all || $which == asan ]]; then asan "${2:-}" || failed+=(asan); fi
if [[ $which == all || $which == tsan ]]; then tsan "${2:-}" || failed+=(tsan); fi
if [[ $which == all || $which == fuzz ]]; then fuzz || failed+=(fuzz); fi
if ((${#failed[@]} != 0)); then
  echo "nightly: failed: ${failed[*]}" >&2
  exit 1
fi
echo "nightly: passed"
