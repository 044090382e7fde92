#!/bin/sh
# Makes the tables anew, after a change that is meant to change bits: tests/determinism/write.sh [build folder]
# On a processor with AVX-512, else those of the sets that it lacks stay as they are.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=${1:-$here/../../build}/determinism
"$program" "$here" --write
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F "$program" "$here" --no-fma --write
