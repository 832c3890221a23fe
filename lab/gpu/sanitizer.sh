#!/usr/bin/env bash
# Runs programs under compute-sanitizer on a machine with a GPU, for comparison with the errors that `warplens check` reports.
#
#   lab/gpu/sanitizer.sh FOLDER LIST [TOOL…]      TOOL: memcheck racecheck synccheck (memcheck and racecheck by default)
#
# LIST has a program a line: its folder below FOLDER (with a Makefile that makes `main`), a tab, the arguments. Programs are built in parallel,
# then run ten at a time, each at most LIMIT (30) seconds with its first LAUNCHES (60) launches checked. $OUT/TOOL.txt (OUT is `out/gpu` by
# default) has for each program `=== NAME TOOL rc=STATUS` and what the tool printed. A program counts as clean where its summary has 0 errors
# and 0 hazards; one without a summary ran out of time. ARCH may be set (native). Exit status: 0 whatever was found, 2 for bad use.
set -u
[ $# -ge 2 ] || { echo 'sanitizer.sh: FOLDER LIST [TOOL…]' >&2; exit 2; }
command -v compute-sanitizer > /dev/null || { echo 'sanitizer.sh: compute-sanitizer was not found; put it on the path.' >&2; exit 2; }
root=$(cd "$1" && pwd)
list=$(realpath "$2")
shift 2
mkdir -p "${OUT:=out/gpu}"
out=$(cd "$OUT" && pwd)
export ARCH=${ARCH:-native} LIMIT=${LIMIT:-30} LAUNCHES=${LAUNCHES:-60} root
make_program() { cd "$root/$1" && timeout 110 make -s ARCH="$ARCH" CC=nvcc > build.log 2>&1; }
run_program() {
  cd "$root/$1" && [ -x ./main ] || return
  # Arguments are words of the list.
  # shellcheck disable=SC2086
  timeout -k 2 "$LIMIT" compute-sanitizer --tool "$3" --launch-count "$LAUNCHES" --print-limit 6 ./main $2 > "$3.log" 2>&1
  { echo "=== $1 $3 rc=$?"; grep -a '^=========' "$3.log" | head -60; } > "$3.sum"
}
export -f make_program run_program
cut -f1 "$list" | xargs -P "$(nproc)" -I{} bash -c 'make_program {}'
for tool in "${@:-memcheck racecheck}"; do
  for each in $tool; do
    while IFS=$'\t' read -r name arguments; do
      while [ "$(jobs -rp | wc -l)" -ge 10 ]; do sleep 0.1; done
      run_program "$name" "$arguments" "$each" &
    done < "$list"
    wait
    cut -f1 "$list" | while read -r name; do cat "$root/$name/$each.sum" 2> /dev/null; done > "$out/$each.txt"
  done
done
