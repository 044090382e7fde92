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

mkdir -p results/demo
show build/stride list characters
show build/stride list motions
show build/stride simulate --character liu16 --seconds 10 --push 60,90,2,0.2

# A captured clip of Debian's assimp-testmodels, and the built-in walk for Blender.
clip=/usr/share/assimp/models/BVH/01_01.bvh
show build/stride import "$clip" -o results/demo/captured.motion --preview results/demo/captured.png
show build/stride convert walk results/demo/walk.glb

cat <<'EOS'

What ran: the human of liu16 (45 degrees of freedom) held its standing pose for 10 s. After 2 s it
was pushed to its left with 60 N for 0.2 s; the lines above say whether it fell and how much faster
than real time it ran. Then a captured motion was brought onto the same body, with its feet on the
ground, and the built-in walk was written as glTF.

Look at:
  results/demo/captured.png    the captured motion, frame by frame
  results/demo/walk.glb        opens in Blender and in any glTF viewer

Next:
  build/stride --help          all commands
  build/stride list engines    the engines; try --engine mujoco in the command above
  build/stride bench           speed of every layer
  ./test.sh                    all tests
EOS
