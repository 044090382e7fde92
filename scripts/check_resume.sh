#!/usr/bin/env bash
# Learning that is killed again and again ends with the same skill, bit for bit.
#   scripts/check_resume.sh [-s SEED] [-k KILLS] [-b STRIDE] CLIP [OPTION…]
#   scripts/check_resume.sh -h | --help
# Learns CLIP once without a break, then kills (kill -9) and resumes it at KILLS random moments, and compares.
#   -s SEED    of the random moments (default 1)
#   -k KILLS   default 10
#   -b STRIDE  the program (default build/stride)
#   OPTION…    of `stride learn skill`, such as --seed 3 or --set evolve_iterations=5; not -o and --resume
# Prints when each kill came and in which phase. Takes some times as long as learning alone; writes to a temporary folder only.
# Exits with 0 if the skills are the same, 1 if they differ or learning failed, 2 for wrong usage.
# Example: scripts/check_resume.sh -k 5 walk --seed 3 --set evolve_iterations=5
set -euo pipefail
usage() { sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

seed=1 kills=10 stride="$(dirname "${BASH_SOURCE[0]}")/../build/stride"
if [[ ${1-} == --help ]]; then usage; exit 0; fi
while getopts "s:k:b:h" option; do
  case $option in
    s) seed=$OPTARG ;;
    k) kills=$OPTARG ;;
    b) stride=$OPTARG ;;
    h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
if (($# == 0)); then usage >&2; exit 2; fi

folder=$(mktemp -d)
process=
finish() {
  [[ -z $process ]] || kill -9 "$process" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
out=$folder/killed.skill
RANDOM=$seed

# What the checkpoint says is done.
phase() {
  if [[ ! -e $out.checkpoint ]]; then echo "before the first checkpoint"; return; fi
  local names=("open loop" "guided" "evolution" "the last trials") head
  head=$(grep -aom1 '"phase":[0-9]*,"iteration":[0-9]*' "$out.checkpoint" | head -n 1)
  [[ $head =~ \"phase\":([0-9]+),\"iteration\":([0-9]+) ]]
  echo "${names[${BASH_REMATCH[1]}]}, after ${BASH_REMATCH[2]} iterations of it"
}

begin=$(date +%s%N)
"$stride" learn skill "$@" --accept-partial --quiet -o "$folder/whole.skill" >/dev/null
whole_ms=$((($(date +%s%N) - begin) / 1000000))
echo "without a break: $((whole_ms / 1000)).$(printf %03d $((whole_ms % 1000))) s"

# Moments within 0.6 of the whole reach every phase; a run that ends before its kill is compared, and begun again.
compare() { cmp "$folder/whole.skill" "$out"; }
for ((kill = 1; kill <= kills;)); do
  wait_ms=$(((RANDOM * 32768 + RANDOM) % (whole_ms * 60 / 100 + 1)))
  "$stride" learn skill "$@" --accept-partial --resume --quiet -o "$out" >/dev/null 2>"$folder/errors" &
  process=$!
  sleep "$((wait_ms / 1000)).$(printf %03d $((wait_ms % 1000)))"
  kill -9 "$process" 2>/dev/null || true
  status=0
  wait "$process" 2>/dev/null || status=$?
  case $status in
    137)
      echo "kill $kill: after $wait_ms ms, in: $(phase)"
      kill=$((kill + 1)) ;;
    0)
      compare
      echo "ended before its kill, the same; begun again"
      rm -f "$out" "$out".* ;;
    *)
      cat "$folder/errors" >&2
      exit 1 ;;
  esac
  process=
done
"$stride" learn skill "$@" --accept-partial --resume --quiet -o "$out" >/dev/null
compare
echo "the same skill, bit for bit, after $kills kills"
