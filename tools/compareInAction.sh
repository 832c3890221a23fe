#!/usr/bin/env bash
# What action.yml runs in a checkout: the comparison as the job's summary, as files, and as the step's outcome.
#
# Inputs come by the environment (WARPLENS_…), never as part of a command: they may hold anything.
set -uo pipefail

cli="${WARPLENS_CLI:-$GITHUB_ACTION_PATH/dist/cli.js}"
if [ -z "${WARPLENS_BASE:-}" ]; then
  echo "::error::There is nothing to compare with: set the input \"base\" to a revision."
  exit 2
fi
# git would take it for an option, and "--upload-pack" names a program to run.
if [[ "$WARPLENS_BASE" == -* ]]; then
  echo "::error::The base \"$WARPLENS_BASE\" begins with \"-\": set the input \"base\" to a branch, a tag or a commit."
  exit 2
fi
# A shallow checkout has no base: fetch the one commit.
if ! git rev-parse --quiet --verify --end-of-options "${WARPLENS_BASE}^{commit}" > /dev/null; then
  git fetch --quiet --depth=1 --end-of-options origin "$WARPLENS_BASE" || {
    echo "::error::The revision $WARPLENS_BASE cannot be fetched; check out with \"fetch-depth: 0\"."
    exit 2
  }
fi
# xargs knows quotes, and runs nothing here but echoes.
if ! arguments=$(xargs -r printf '%s\n' <<< "${WARPLENS_ARGUMENTS:-}"); then
  echo "::error::The input \"arguments\" has a quote without its end: $WARPLENS_ARGUMENTS"
  exit 2
fi
mapfile -t more < <(printf '%s' "$arguments")
compare() { node "$cli" diff "$WARPLENS_BASE" ${WARPLENS_GPU:+--gpu "$WARPLENS_GPU"} "${more[@]}" "$@"; }

for file in "${WARPLENS_COMMENT:-}" "${WARPLENS_SARIF:-}"; do
  if [ -n "$file" ] && ! : > "$file"; then
    echo "::error::$file cannot be written: set the inputs \"comment\" and \"sarif\" to files in existing folders."
    exit 2
  fi
done
markdown="${WARPLENS_COMMENT:-$(mktemp)}"
compare --format markdown ${WARPLENS_GATE:+--gate "$WARPLENS_GATE"} > "$markdown"
outcome=$?
if [ "$outcome" -gt 1 ]; then
  echo "::error::Warplens could not compare; see above."
  exit "$outcome"
fi
cat "$markdown" >> "${GITHUB_STEP_SUMMARY:-/dev/stdout}"
if [ -n "${WARPLENS_SARIF:-}" ]; then
  compare --format sarif > "$WARPLENS_SARIF"
  if [ $? -gt 1 ]; then
    echo "::error::$WARPLENS_SARIF could not be written; see above."
    exit 2
  fi
fi
if [ "$outcome" -eq 0 ]; then passed=true; else passed=false; fi
echo "passed=$passed" >> "${GITHUB_OUTPUT:-/dev/null}"
[ "$passed" = true ] || echo "::error::The gate does not pass: $WARPLENS_GATE. The summary says where."
exit "$outcome"
