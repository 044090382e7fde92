#!/usr/bin/env bash
# Checks that the C++ sources are formatted as .clang-format says.
#
#   scripts/check_format.sh          report what differs; exit code 1 if anything does
#   scripts/check_format.sh --fix    rewrite the files instead
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
  "") action=(--dry-run -Werror) ;;
  --fix) action=(-i) ;;
  *)
    echo "check_format: unknown argument '$1'; expected nothing or --fix" >&2
    exit 2
    ;;
esac

folders=()
for folder in src apps tests bench examples; do
  if [[ -d "$folder" ]]; then
    folders+=("$folder")
  fi
done
mapfile -d '' -t files < <(find "${folders[@]}" -type f \( -name '*.h' -o -name '*.cc' \) -print0)
if ((${#files[@]} == 0)); then
  echo "check_format: no sources found" >&2
  exit 1
fi

if ! printf '%s\0' "${files[@]}" |
  xargs -0 --max-args=16 --max-procs=2 clang-format --style=file "${action[@]}"; then
  echo "check_format: run scripts/check_format.sh --fix" >&2
  exit 1
fi
echo "check_format: ${#files[@]} files"
