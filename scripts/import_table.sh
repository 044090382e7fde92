#!/bin/bash
# The table of docs/import.md: what `stride import` makes of every clip in a folder and in Debian's assimp-testmodels.
# Exit code 1 if a clip misses a limit.
#
# Usage: scripts/import_table.sh FOLDER [STRIDE] [-- OPTIONS OF IMPORT]
#   FOLDER   holds *.bvh, *.temp, *.amc, deepmimic/*.txt, at any depth
#   STRIDE   the program (default: build/stride)
set -euo pipefail

folder=${1:?usage: scripts/import_table.sh FOLDER [STRIDE] [-- OPTIONS]}
shift
stride=build/stride
if [ $# -gt 0 ] && [ "$1" != -- ]; then stride=$1; shift; fi
if [ $# -gt 0 ]; then shift; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

{
  find "$folder" -type f \( -name '*.bvh' -o -name '*.temp' -o -name '*.amc' -o -path '*deepmimic/*.txt' \) | sort
  find /usr/share/assimp/models/BVH -name '*.bvh' 2>/dev/null | sort
} > "$scratch/clips"

while read -r clip; do
  name=$(echo "$clip" | tr / _)
  if ! "$stride" import "$clip" -o "$scratch/out.motion" --json --quiet "$@" > "$scratch/$name.json" 2> "$scratch/error"; then
    echo "{\"file\": \"$clip\", \"error\": \"$(head -1 "$scratch/error" | tr -d '"\\')\"}" > "$scratch/$name.json"
  fi
  echo "$scratch/$name.json" >> "$scratch/results"
done < "$scratch/clips"

python3 - "$scratch/results" <<'PYTHON'
import json
import os
import sys

COLUMNS = ["clip", "skeleton", "scale", "frames", "fps", "s", "speed m/s", "turn deg", "contacts", "cycle",
           "ground cm", "slide cm before", "after", "contact height cm", "foot depth cm", "height m", "bones deg",
           "fall m/s2"]
print("| " + " | ".join(COLUMNS) + " |")
print("|" + "---|" * len(COLUMNS))
failed = []
for path in open(sys.argv[1]).read().split("\n"):
    if not path:
        continue
    r = json.load(open(path))
    name = "/".join(r["file"].split("/")[-2:])
    if "error" in r:
        failed.append(name + ": " + r["error"])
        continue
    feet = [c for c in r["contacts"] if c["part"].endswith("foot")]
    cycle = f'{r["cycle"]["first"]}-{r["cycle"]["last"]}' if r["cycle"] else "-"
    fall = "-" if r["flight_gravity"] is None else f'{r["flight_gravity"]:.1f}'
    advice = [w.split("--fps ")[1] for w in r["warnings"] if "--fps" in w]
    if advice:
        fall += f" (advises --fps {advice[0]})"
    cells = [name, r["skeleton"], f'{r["scale"]:.4g}', r["frames"], f'{r["fps"]:g}', f'{r["seconds"]:.1f}',
             f'{r["speed"]:.2f}', f'{r["heading_change_deg"]:.0f}', len(feet), cycle,
             f'{100 * r["ground_offset"]:.1f}', f'{100 * r["max_foot_slide_before"]:.1f}',
             f'{100 * r["max_foot_slide_after"]:.1f}', f'{100 * r["max_contact_height"]:.1f}',
             f'{100 * r["max_foot_depth"]:.1f}', f'{r["body_height"]:.2f}', f'{r["bone_direction_error_deg"]:.1f}', fall]
    print("| " + " | ".join(str(cell) for cell in cells) + " |")
    limits = {"max_foot_slide_after": 0.02, "max_contact_height": 0.01, "max_foot_depth": 0.01,
              "bone_direction_error_deg": 5}
    failed += [f"{name}: {key} is {r[key]:.4f}, more than {limit}" for key, limit in limits.items() if r[key] > limit]
for line in failed:
    print(line, file=sys.stderr)
sys.exit(1 if failed else 0)
PYTHON
