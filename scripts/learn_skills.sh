#!/usr/bin/env bash
# Learns the skills of data/skills from the built-in motions, with fixed seeds: some minutes on two cores.
#   scripts/learn_skills.sh [NAME…]     all of them, or those named
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Settings beyond the defaults, by name.
declare -A settings=(
  [walk]="" [walk_slow]="" [walk_fast]="" [march]=""
  [run]="" [locomotion]=""
  # The shipped ones were found in steps with an earlier state of simbicon (their provenance says how): not the same bits.
  [simbicon_walk]="--speed 1.1 --set iterations=200 --set push=160 --set push_seconds=0.4 --set push_every=3 --set seconds=12 --set stop_iterations=80"
  [simbicon_robust]="--character wang09-stocky --speed 1.1 --set iterations=80 --set trials=5 --set robust_iterations=80"
  [simbicon_run]="--gait run --speed 3 --set iterations=250 --set push=80"
)
names=("$@")
if ((${#names[@]} == 0)); then names=(walk walk_slow walk_fast march run locomotion simbicon_walk simbicon_robust simbicon_run); fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p data/skills
for name in "${names[@]}"; do
  if [[ ! -v settings[$name] ]]; then
    echo "learn_skills: no skill '$name'; expected some of: ${!settings[*]}" >&2
    exit 1
  fi
  if [[ $name == locomotion ]]; then
    build/stride learn graph data/graphs/locomotion.json -o "$folder/$name.skill"
    mv "$folder/$name.skill" data/skills/
    continue
  fi
  if [[ $name == simbicon_* ]]; then
    # shellcheck disable=SC2086  # several words on purpose
    build/stride learn simbicon --name "$name" --seed 1 ${settings[$name]} -o "$folder/$name.skill"
    mv "$folder/$name.skill" data/skills/
    continue
  fi
  # shellcheck disable=SC2086  # several words on purpose
  build/stride learn skill "$name" --seed 1 ${settings[$name]} -o "$folder/$name.skill"
  mv "$folder/$name.skill" data/skills/
done
