#!/usr/bin/env bash
# Builds what writeVariations.ts wrote, runs it, and runs it again under compute-sanitizer (memcheck, racecheck, synccheck):
#
#   lab/gpu/runVariations.sh FOLDER
#
# Needs nvcc and a GPU; ARCH may be set (sm_90 by default). Exit status: 0 where all agree and no tool complains, else 1.
set -u
folder=${1:?usage: lab/gpu/runVariations.sh FOLDER}
arch=${ARCH:-sm_90}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
bad=0
for source in "$folder"/*.cu; do
  program=$build/$(basename "$source" .cu)
  libraries=
  grep -q cublas_v2.h "$source" && libraries=-lcublas
  (nvcc -O2 -std=c++17 -arch="$arch" -lineinfo -w -o "$program" "$source" $libraries > "$program.log" 2>&1 || cat "$program.log") &
done
wait
for source in "$folder"/*.cu; do
  name=$(basename "$source" .cu)
  program=$build/$name
  if [ ! -x "$program" ]; then echo "$name: not built"; bad=1; continue; fi
  timeout 60 "$program" || bad=1
  for tool in memcheck racecheck synccheck; do
    if ! command -v compute-sanitizer > /dev/null; then echo "$name: no compute-sanitizer"; break; fi
    timeout 100 compute-sanitizer --tool $tool --report-api-errors no --error-exitcode 9 "$program" > "$program.$tool" 2>&1
    status=$?
    echo "$name $tool: $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$program.$tool" | tail -1) (status $status)"
    [ $status = 0 ] || { bad=1; grep -v -E '^(differ|.*variations)' "$program.$tool" | head -20; }
  done
done
exit $bad
