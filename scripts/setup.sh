#!/usr/bin/env bash
# Installs the Debian 12 packages that stride needs and that are missing, and builds the viewer's page.
# Asks nothing; needs root or sudo only when something is missing. Safe to run again and again.
#
#   scripts/setup.sh           install what is missing
#   scripts/setup.sh --list    print the package names, one a line
#   scripts/setup.sh --check   print what is missing; exit code 1 if anything is
set -euo pipefail

# The one list of packages. docs/dependencies.md says why each library was chosen.
packages=(
  # Build
  g++                 # C++20 compiler (GCC 12)
  cmake               # build description, presets
  ninja-build         # build tool
  pkg-config          # finds libraries that ship no CMake package
  ccache              # makes rebuilds and second build folders fast
  git                 # version stamp in results
  python3             # repository checks (include direction)

  # Libraries
  libeigen3-dev       # dense linear algebra
  libmujoco-dev       # MuJoCo engine
  libode-dev          # ODE engine
  libbullet-dev       # Bullet engine
  libqhull-dev        # needed by MuJoCo's CMake package
  libgl-dev           # the same: its CMake package asks for OpenGL
  libglx-dev          # the same
  libopengl-dev       # the same
  libfmt-dev          # text formatting
  libspdlog-dev       # logging
  libcli11-dev        # command-line parsing
  nlohmann-json3-dev  # JSON
  libtinyxml2-dev     # XML (MJCF)
  libtinygltf-dev     # glTF
  libpng-dev          # PNG (height fields, pictures)
  zlib1g-dev          # checksums of recordings
  libboost-dev        # web server of the viewer (Beast)
  libtbb-dev          # threads
  libopenmpi-dev      # runs over many machines
  openmpi-bin         # mpirun

  # Tests, benchmarks, checks
  libgtest-dev        # unit tests
  libgmock-dev        # matchers
  libbenchmark-dev    # benchmarks
  libpagmo-dev        # CMA-ES that ours is compared with
  python3-cvxopt      # quadratic programs that ours are compared with
  libmujoco-samples   # humanoid.xml and humanoid100.xml, read by the MJCF tests
  assimp-testmodels   # motion-capture BVH files, read by the import tests
  chromium            # browser tests of the viewer
  clang-14            # fuzz targets
  libclang-rt-14-dev  # fuzzer and sanitizer run-time libraries
  clang-format        # format check
  clang-tidy          # lint
)

# The viewer's page is built with Node; one that is there already may come from elsewhere than Debian.
command -v node >/dev/null || packages+=(nodejs)
command -v npm >/dev/null || packages+=(npm)

fail() {
  echo "setup: $*" >&2
  exit 1
}

# Prints the packages that are not installed, one a line.
missing_packages() {
  # A multi-arch package may be listed once an architecture; one installed copy is enough.
  # dpkg-query exits non-zero when a name is unknown to it, which here only means "missing".
  local installed
  installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' \
    "${packages[@]}" 2>/dev/null | sed -n 's/^installed //p') || true
  local package
  for package in "${packages[@]}"; do
    if [[ $'\n'"$installed"$'\n' != *$'\n'"$package"$'\n'* ]]; then
      echo "$package"
    fi
  done
}

# Runs apt-get as root; three attempts, because mirrors and locks fail now and then.
apt() {
  local attempt
  for attempt in 1 2 3; do
    if "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes \
      -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 "$@" >&2; then
      return 0
    fi
    echo "setup: apt-get $1 failed (attempt $attempt of 3)" >&2
    if ((attempt < 3)); then
      sleep $((attempt * 5))
    fi
  done
  return 1
}

case "${1:-}" in
  "" | --check) ;;
  --list)
    printf '%s\n' "${packages[@]}"
    exit 0
    ;;
  *) fail "unknown argument '$1'; expected nothing, --list or --check" ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  fail "needs Debian 12 or a relative of it (dpkg-query and apt-get not found)." \
    "Elsewhere, install the equivalents of the packages listed in scripts/setup.sh and build with CMake."
fi

mapfile -t missing < <(missing_packages)
if [[ "${1:-}" == --check ]]; then
  if ((${#missing[@]} == 0)); then exit 0; fi
  printf '%s\n' "${missing[@]}"
  exit 1
fi
if ((${#missing[@]} == 0)); then
  exec "$(dirname "${BASH_SOURCE[0]}")/build_web.sh"
fi

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null ||
    fail "must install ${missing[*]}: run as root, or install sudo"
  as_root=(sudo)
  # Without a terminal sudo could only wait for a password that nobody types.
  if [[ ! -t 0 ]]; then
    sudo --non-interactive true 2>/dev/null ||
      fail "must install ${missing[*]}: sudo asks for a password and there is no terminal; run as root"
  fi
fi

echo "setup: installing ${missing[*]}" >&2
apt update || fail "apt-get update failed; is the network reachable?"
apt install --no-install-recommends "${missing[@]}" ||
  fail "could not install ${missing[*]}; stride is built for Debian 12 (bookworm)"

mapfile -t missing < <(missing_packages)
if ((${#missing[@]} != 0)); then
  fail "apt-get reported success, but these are still missing: ${missing[*]}"
fi
exec "$(dirname "${BASH_SOURCE[0]}")/build_web.sh"
