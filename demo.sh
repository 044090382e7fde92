#!/usr/bin/env bash
# Installs what is missing, builds stride and runs it on built-in data. Ends by itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# Runs a command after printing it, so that the reader can repeat it.
show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

scripts/setup.sh

# build.ninja is the last thing that configuring writes: after an interruption it runs again.
if [[ ! -f build/build.ninja ]]; then
  cmake --preset release
fi
cmake --build build --target stride

show build/stride list characters
show build/stride simulate --character liu16 --seconds 10 --push 60,90,2,0.2

cat <<'EOS'

What ran: the human of liu16 (45 degrees of freedom) held its standing pose for 10 s. After 2 s it
was pushed to its left with 60 N for 0.2 s. The lines above say whether it fell and how much faster
than real time it ran.

Next:
  build/stride --help          all commands
  build/stride list engines    the engines; try --engine mujoco in the command above
  build/stride bench           speed of every layer
  ./test.sh                    all tests
EOS
