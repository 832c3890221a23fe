#!/bin/sh
# What the hooks for pre-commit run, from the clone that it made: builds the command line once, then runs it.
set -e
here=$(cd "$(dirname "$0")/.." && pwd)
cli="${WARPLENS_CLI:-$here/dist/cli.js}"
if [ ! -f "$cli" ]; then
  # Programs of packages are not needed, and newer versions of npm do not run them.
  (cd "$here" && npm ci --ignore-scripts --no-audit --no-fund && node tools/build.mjs cli) > /dev/null ||
    { echo 'Warplens could not be built: it needs Node 20 or newer with npm, and the npm registry.' >&2; exit 2; }
fi
exec node "$cli" "$@"
