#!/usr/bin/env bash
# Builds the viewer's page, web/dist/index.html, if its sources changed since it was built. Needs the
# network only when the packages of web/package-lock.json are not in web/node_modules yet.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../web"

fail() {
  echo "build_web: $*" >&2
  exit 1
}

hash_of() { # FILE OR FOLDER...: one hash over names and contents
  find "$@" -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -d' ' -f1
}

packages=$(hash_of package.json package-lock.json .npmrc)
sources=$(hash_of src index.html vite.config.ts tsconfig.json package.json package-lock.json)
packages_stamp=node_modules/.stride-stamp
page_stamp=dist/.stride-stamp

if [[ $(cat "$packages_stamp" 2>/dev/null || true) != "$packages" ]]; then
  command -v npm >/dev/null || fail "npm is missing: run scripts/setup.sh"
  echo "build_web: installing the page's packages" >&2
  npm ci --no-audit --no-fund >&2 ||
    fail "npm ci failed in web/; the first build needs the network (npm's registry)"
  echo "$packages" >"$packages_stamp"
fi

if [[ $(cat "$page_stamp" 2>/dev/null || true) != "$sources" || ! -s dist/index.html ]]; then
  echo "build_web: building the page" >&2
  # Beside, then moved: what is there is always whole.
  npx --no-install tsc --noEmit >&2 || fail "type errors in web/src"
  npx --no-install vite build --outDir dist.new --emptyOutDir --logLevel warn >&2 || fail "vite build failed in web/"
  mkdir -p dist
  mv dist.new/index.html dist/index.html
  rm -r dist.new
  echo "$sources" >"$page_stamp"
fi
