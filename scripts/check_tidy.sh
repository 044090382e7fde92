#!/usr/bin/env bash
# Runs clang-tidy on what changed. Needs a configured build folder (build/compile_commands.json).
#
#   scripts/check_tidy.sh            files that differ from the base, within the time limit
#   scripts/check_tidy.sh --all      every file, without a limit
#   scripts/check_tidy.sh FILE...    these files, without a limit
#
# The base is $TIDY_BASE, else where this branch left origin/main, else the previous commit.
# The limit is $TIDY_SECONDS (default 150). What it leaves unchecked is listed; it is no failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "check_tidy: $*" >&2
  exit 2
}

[[ -f build/compile_commands.json ]] ||
  fail "build/compile_commands.json not found; run cmake --preset release first"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A commit to compare with, or nothing when there is none.
base_commit() {
  local head base
  head=$(git rev-parse --verify --quiet HEAD) || return 0
  if [[ -n "${TIDY_BASE:-}" ]]; then
    git rev-parse --verify --quiet "$TIDY_BASE^{commit}" || fail "TIDY_BASE: no commit '$TIDY_BASE'"
    return
  fi
  base=$(git merge-base HEAD origin/main 2>/dev/null) || base=$head
  if [[ "$base" == "$head" ]]; then
    base=$(git rev-parse --verify --quiet HEAD~1) || return 0
  fi
  echo "$base"
}

mode=changed
limit=${TIDY_SECONDS:-150}
touch "$scratch/wanted"
case "${1:-}" in
  "")
    base=$(base_commit)
    if [[ -n "$base" ]]; then
      git diff --name-only --diff-filter=d "$base" >"$scratch/wanted"
      git ls-files --others --exclude-standard >>"$scratch/wanted"
    else
      mode=all
    fi
    ;;
  --all)
    mode=all
    limit=86400
    ;;
  -*) fail "unknown argument '$1'; expected nothing, --all or files" ;;
  *)
    limit=86400
    printf '%s\n' "$@" >"$scratch/wanted"
    ;;
esac

# Writes a compilation database for clang (one entry a file, GCC-only flags removed) and the list
# of sources to check. A changed header is checked through the source of the same name, or else
# through one source that includes it.
python3 - "$mode" "$scratch" <<'PYTHON'
import json, os, re, shlex, sys

mode, scratch = sys.argv[1:]
root = os.getcwd()
GCC_ONLY = re.compile(r"-f(no-)?(trapping-math|modulo-sched|tree-.*|ipa-.*|var-tracking.*)|--param=.*|-fmax-errors=.*")
FOLDERS = ("src/", "apps/", "tests/", "bench/", "examples/")

database = {}
with open("build/compile_commands.json", encoding="utf-8") as file:
    for entry in json.load(file):
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), root)
        if not path.startswith(FOLDERS) or path in database:
            continue  # generated, or the same source built again for another instruction set
        arguments = entry.get("arguments") or shlex.split(entry["command"])
        while os.path.basename(arguments[0]) == "ccache":
            arguments = arguments[1:]
        database[path] = {
            "directory": entry["directory"],
            "file": os.path.join(root, path),
            "arguments": [a for a in arguments if not GCC_ONLY.fullmatch(a)],
        }
with open(os.path.join(scratch, "compile_commands.json"), "w", encoding="utf-8") as file:
    json.dump(list(database.values()), file)

texts = {}
def includes(source, name):
    if source not in texts:
        with open(source, encoding="utf-8", errors="replace") as file:
            texts[source] = file.read()
    return f'include "{name}"' in texts[source]

def sources_for(path):
    path = os.path.relpath(os.path.join(root, path), root)
    if path in database:
        return [path]
    stem, extension = os.path.splitext(path)
    if extension != ".h":
        return []
    for candidate in (stem + ".cc", stem + "_test.cc"):
        if candidate in database:
            return [candidate]
    name = path.removeprefix("src/")
    return [s for s in sorted(database) if includes(s, name)][:1]

if mode == "all":
    chosen = sorted(database)
else:
    with open(os.path.join(scratch, "wanted"), encoding="utf-8") as file:
        wanted = [line.rstrip("\n") for line in file]
    chosen = list(dict.fromkeys(s for path in wanted for s in sources_for(path)))
with open(os.path.join(scratch, "sources"), "w", encoding="utf-8") as file:
    file.writelines(s + "\n" for s in chosen)
PYTHON

# Checks one source unless the time is up; notes failures and what was left out.
check() {
  local left=$((deadline - EPOCHSECONDS)) status=0 output
  if ((left <= 0)); then
    echo "$1" >>"$scratch/skipped"
    return
  fi
  output=$(timeout "$left" clang-tidy -p "$scratch" --quiet \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-ignored-optimization-argument \
    "$1" 2>"$scratch/stderr.$$") || status=$?
  if ((status == 124)); then
    echo "$1" >>"$scratch/skipped"
    return
  fi
  if [[ -n "$output" ]]; then
    printf '%s\n' "$output"
  fi
  if ((status != 0)); then
    # The rest of standard error counts suppressed warnings, which nobody needs.
    grep -v -E '^[0-9]+ warnings? (generated|treated as)|^Suppressed' "$scratch/stderr.$$" >&2 || true
    echo "$1" >>"$scratch/failed"
  fi
}
export -f check
export scratch deadline=$((EPOCHSECONDS + limit))

: >"$scratch/failed"
: >"$scratch/skipped"
# shellcheck disable=SC2016 # the inner shell expands it
tr '\n' '\0' <"$scratch/sources" | xargs -0 -r --max-args=1 --max-procs=2 bash -c 'check "$1"' check

count=$(wc -l <"$scratch/sources")
skipped=$(wc -l <"$scratch/skipped")
if ((skipped != 0)); then
  echo "check_tidy: the time limit of $limit s left $skipped of $count files unchecked:" >&2
  sed 's/^/  /' "$scratch/skipped" >&2
fi
if [[ -s "$scratch/failed" ]]; then
  echo "check_tidy: errors in" >&2
  sed 's/^/  /' "$scratch/failed" >&2
  exit 1
fi
echo "check_tidy: $((count - skipped)) files"
