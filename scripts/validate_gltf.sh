#!/bin/bash
# Runs the Khronos glTF validator (npm's gltf-validator, installed in a scratch folder) on files. Needs node, npm and a network.
# Exit code 1 if a file has an error, 2 if the validator could not be installed or run.
#
# Usage: scripts/validate_gltf.sh FILE...
set -euo pipefail

if [ $# -eq 0 ]; then
  echo "usage: scripts/validate_gltf.sh FILE..." >&2
  exit 2
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if ! npm install --prefix "$scratch" --silent --no-audit --no-fund gltf-validator@2.0.0-dev.3.10 >"$scratch/log" 2>&1; then
  cat "$scratch/log" >&2
  echo "validate_gltf.sh: npm could not install gltf-validator" >&2
  exit 2
fi
cat >"$scratch/validate.js" <<'SCRIPT'
const fs = require('fs');
const path = require('path');
const validator = require('gltf-validator');
(async () => {
  let errors = 0;
  for (const file of process.argv.slice(2)) {
    let issues;
    try {
      issues = (await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
        uri: file,
        externalResourceFunction: (uri) =>
            fs.promises.readFile(path.join(path.dirname(file), decodeURIComponent(uri))),
      })).issues;
    } catch (error) {  // what the validator cannot even parse
      issues = {numErrors: 1, numWarnings: 0, numInfos: 0, messages: [{severity: 0, message: String(error)}]};
    }
    console.log(`${file}: ${issues.numErrors} errors, ${issues.numWarnings} warnings, ${issues.numInfos} infos`);
    for (const m of issues.messages) {
      console.log(`  ${['error', 'warning', 'info', 'hint'][m.severity]}: ${m.code || ''} ${m.pointer || ''} ${m.message}`);
    }
    errors += issues.numErrors;
  }
  process.exitCode = errors > 0 ? 1 : 0;
})();
SCRIPT
node "$scratch/validate.js" "$@"
