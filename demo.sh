#!/usr/bin/env bash
# Installs what is missing, builds stride, runs it on built-in data and shows what came out: a summary
# table, a recording, a report and the viewer. On a terminal the viewer stays until Ctrl-C; otherwise
# the demo checks that it answers and ends by itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# Runs a command after printing it, so that the reader can repeat it.
show() {
  printf '\n$ %s\n' "$*"
  "$@"
}
fail() {
  echo "demo: $*" >&2
  exit 1
}

scripts/setup.sh

# build.ninja is the last thing that configuring writes: after an interruption it runs again.
if [[ ! -f build/build.ninja ]]; then
  cmake --preset release
fi
cmake --build build --target stride

out=results/demo
skill=$out/walk/walk.skill
recording=$out/walk/pushed.stride
report=$out/report.html
mkdir -p $out/walk $out/motions

# A walk learned from the built-in clip, then pushed from all sides: 60 N for 0.2 s every 4 s.
show build/stride learn skill walk -o $skill --seed 1
show build/stride simulate --skill $skill --scenario data/scenarios/pushed_walk.json --record $recording --sheet $out/walk/pushed.png --sheet-cells 24

# A captured clip of Debian's assimp-testmodels on the same body, and the recording for Blender.
clip=/usr/share/assimp/models/BVH/01_01.bvh
show build/stride import "$clip" -o $out/motions/captured.motion --preview $out/motions/captured.png
show build/stride convert $recording $out/walk/pushed.glb

# Experiments, shortened.
show build/stride reproduce liu16/speed --quick --out $out/liu16-speed
show build/stride reproduce stride/standing --quick --out $out/stride-standing

printf '\nSummary\n'
build/stride report $out -o $report

# The viewer, on a port that is free.
log=$(mktemp)
viewer=
end() {
  if [[ -n $viewer ]]; then
    kill "$viewer" 2>/dev/null || true
    wait "$viewer" 2>/dev/null || true
  fi
  rm -f "$log"
}
trap end EXIT
trap 'exit 0' INT TERM
build/stride view $recording --no-browser --port 0 >"$log" 2>&1 &
viewer=$!
address=
for _ in {1..100}; do
  address=$(sed -n 's/^viewer: //p' "$log")
  [[ -n $address ]] && break
  kill -0 "$viewer" 2>/dev/null || break
  sleep 0.1
done
[[ -n $address ]] || fail "the viewer did not start: $(cat "$log")"

# What it answers to a browser that asks for the page.
port=${address##*:}
port=${port%%/*}
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET / HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$port" >&3
read -r -t 10 answer <&3 || fail "the viewer does not answer at $address"
exec 3>&-
[[ $answer == *" 200 "* ]] || fail "the viewer at $address answers: $answer"

cat <<EOS

recording  $recording
report     $report
motions    $out/motions/captured.png, $out/walk/pushed.glb (opens in Blender)
viewer     $address
EOS
if [[ -t 0 && -t 1 ]]; then
  echo "           open it in a browser; Ctrl-C ends it"
  wait "$viewer"
else
  echo "           answered; stopped again, as there is no terminal. To see it: build/stride view $recording"
fi
