#!/usr/bin/env bash
# Pictures of the viewer's main views, docs/pictures/viewer-*.png, from the program in build/.
#   scripts/screenshots.sh [PROGRAM [NAME...]]   all of them, or those of these names (live, curves, phone, ...)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=${1:-build/stride}
[[ -x $program ]] || {
  echo "screenshots: $program is missing: build first (./test.sh)" >&2
  exit 1
}
mkdir -p docs/pictures
STRIDE_BINARY=$program node tests/browser/screenshots.mjs docs/pictures "${@:2}"
