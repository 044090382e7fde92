#!/usr/bin/env bash
# Does a fresh clone work? Clones the last commit into a temporary folder and runs a script there,
# with an empty build folder and without the compiler cache. Run by hand; not part of ctest.
#
#   tests/install/fresh_clone.sh            runs ./test.sh
#   tests/install/fresh_clone.sh demo.sh    runs ./demo.sh
#
# The folder is removed when the script passes and kept when it fails.
set -euo pipefail

script=${1:-test.sh}
script=${script#./}
case "$script" in
  test.sh | demo.sh) ;;
  *)
    echo "fresh_clone: unknown script '$script'; expected test.sh or demo.sh" >&2
    exit 2
    ;;
esac

root=$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel)
if [[ -n "$(git -C "$root" status --porcelain)" ]]; then
  echo "fresh_clone: uncommitted changes are not part of the clone" >&2
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/stride-clone.XXXXXX")
git clone --quiet "file://$root" "$folder/stride"
echo "fresh_clone: ./$script at $(git -C "$folder/stride" log -1 --format='%h %s')"

# Called from elsewhere and with no terminal, as an automatic build would.
SECONDS=0
if ! (cd / && CCACHE_DISABLE=1 "$folder/stride/$script" </dev/null); then
  echo "fresh_clone: ./$script failed after $SECONDS s; see $folder/stride" >&2
  exit 1
fi
first=$SECONDS

SECONDS=0
if ! (cd / && CCACHE_DISABLE=1 "$folder/stride/$script" </dev/null >"$folder/second.log" 2>&1); then
  echo "fresh_clone: the second run of ./$script failed; see $folder/second.log" >&2
  exit 1
fi

changed=$(git -C "$folder/stride" status --porcelain)
if [[ -n "$changed" ]]; then
  printf 'fresh_clone: ./%s left files behind in %s:\n%s\n' "$script" "$folder/stride" "$changed" >&2
  exit 1
fi
echo "fresh_clone: passed; first run $first s, second run $SECONDS s"
rm -rf "$folder"
