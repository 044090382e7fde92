#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests.
# Arguments go to ctest, for instance: ./test.sh -R dynamics
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

scripts/setup.sh

# build.ninja is the last thing that configuring writes: after an interruption it runs again.
if [[ ! -f build/build.ninja ]]; then
  cmake --preset release
fi
cmake --build build
ctest --test-dir build --output-on-failure --no-tests=error --parallel 2 "$@"
