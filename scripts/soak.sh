#!/usr/bin/env bash
# Long use, as a table: memory, descriptors, frame rate, falls and recoveries.
#
#   scripts/soak.sh [SECONDS] [STRIDE] [steering|viewing]
#
# 1. SECONDS (default 3600) of simulated steering: four characters with the built-in skill
#    `locomotion`, each told a new speed and heading every 4 to 12 s, and pushed.
# 2. SECONDS of wall time of `stride view` with eight viewers, and a ninth that floods it, sends junk
#    and disconnects.
# Exits with 1 if the program ends by itself, a character is lost, falls and recoveries do not agree, or
# one of the eight is closed. What may grow (memory, descriptors) and the frame rate are for the reader.
set -euo pipefail
if [[ ${1:-} == --help || ${1:-} == -h ]]; then
  sed -n '2,/^set -e/{/^set -e/d;s/^# \{0,1\}//;p}' "$0"
  exit 0
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python3 tests/server/soak.py "${2:-build/stride}" "${1:-3600}" "${@:3}"
