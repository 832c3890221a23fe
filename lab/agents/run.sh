#!/usr/bin/env bash
# Builds and runs the programs of lab/agents/draw.ts as they were and as both arms changed them, on a GPU.
#
#   lab/agents/run.sh KITS       KITS holds plan.tsv, original/NN, text/answer/NN and mcp/answer/NN
#
# Writes to $OUT (default out/gpu): times.csv (program,form,run,status,ns,launches; ns is the time of all kernels of a
# run, status `build` a form that does not build) and outputs.tar.gz (what each run printed, what each build said). The
# forms take turns, so that no form has the warmer GPU. CUPTI times the kernels: KITS/run/trace.so with libcupti beside
# it, or lab/severity/collect/trace.cpp built here; else by ncu, the first 200 launches. RUNS (3) is the number of runs,
# LIMIT (60) the seconds of one, SECONDS_IN_ALL (540) the time in all: programs that do not fit are named. ONLY is a
# pattern of the numbers of chosen programs. Needs nvcc, make and a GPU; no node.
set -u
kits=$(cd "${1:?Name the folder of the kits.}" && pwd) || exit 2
[ -f "$kits/plan.tsv" ] || { echo "run.sh: there is no plan.tsv in $kits." >&2; exit 2; }
cd "$(dirname "$0")/../.." || exit 2
OUT=${OUT:-out/gpu}
mkdir -p "$OUT" && OUT=$(cd "$OUT" && pwd)
for folder in /usr/local/cuda/bin /usr/local/cuda-*/bin; do [ -d "$folder" ] && PATH=$PATH:$folder; done
export PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/outputs"
grep -E "^(${ONLY:-.*})	" "$kits/plan.tsv" >"$work/plan"

trace=
if [ -f "$kits/run/trace.so" ]; then
  trace=$kits/run/trace.so
else
  for cuda in /usr/local/cuda /usr/local/cuda-*; do
    [ -n "$trace" ] && break
    for extra in "" /extras/CUPTI; do
      g++ -O2 -shared -fPIC "-I$cuda/include" "-I$cuda$extra/include" lab/severity/collect/trace.cpp \
        -o "$work/trace.so" "-L$cuda$extra/lib64" "-Wl,-rpath,$cuda$extra/lib64" -lcupti 2>/dev/null || continue
      trace=$work/trace.so
      break
    done
  done
fi

changed() { (cd "$kits/$2/answer/$1" 2>/dev/null && find . -type f ! -name answer.json ! -name Makefile); }
# The files of a form lie over a copy of the original; how it is built is not the agent's to change.
prepare() {
  local id=$1 form=$2 to=$work/$1.$2 file
  cp -r "$kits/original/$id" "$to"
  [ "$form" = original ] && return
  changed "$id" "$form" | while read -r file; do
    mkdir -p "$to/$(dirname "$file")" && cp "$kits/$form/answer/$id/$file" "$to/$file"
  done
}
build() {
  local id=$1 form=$2 command=$3
  (cd "$work/$id.$form" && timeout -k 5 180 sh -c "$command") >"$work/outputs/$id.$form.build.txt" 2>&1 ||
    touch "$work/$id.$form.failed"
}
export -f build
export work

while IFS=$'\t' read -r id command _; do
  for form in original text mcp; do
    [ "$form" = original ] || [ -n "$(changed "$id" "$form")" ] || continue
    prepare "$id" "$form"
    printf '%s\0%s\0%s\0' "$id" "$form" "$command" >>"$work/builds"
  done
done <"$work/plan"
xargs -0 -n 3 -P "$(nproc)" bash -c 'build "$@"' _ <"$work/builds"

# run ID FORM NUMBER COMMAND: a row of times.csv.
run() {
  local id=$1 form=$2 number=$3 command=$4 to=$work/outputs/$1.$2.$3.txt status sums
  rm -f "$work"/trace.*[0-9] "$work/ncu.csv"
  if [ -n "$trace" ]; then
    (cd "$work/$id.$form" && CUDA_INJECTION64_PATH=$trace TRACE_OUT=$work/trace \
      LD_LIBRARY_PATH=$(dirname "$trace"):${LD_LIBRARY_PATH:-} \
      timeout -k 5 "${LIMIT:-60}" sh -c "exec $command") </dev/null 2>/dev/null | head -c 1048576 >"$to"
    status=${PIPESTATUS[0]}
    sums=$(cat "$work"/trace.*[0-9] 2>/dev/null | awk -F '\t' '{ n += $1; ns += $2 } END { printf "%.0f,%.0f", ns, n }')
  else
    (cd "$work/$id.$form" && timeout -k 5 "${LIMIT:-60}" ncu --csv --log-file "$work/ncu.csv" --print-units base \
      --target-processes all --metrics gpu__time_duration.sum --launch-count 200 \
      sh -c "exec $command") </dev/null 2>/dev/null | head -c 1048576 >"$to"
    status=${PIPESTATUS[0]}
    sums=$(awk -F '","' '/gpu__time_duration.sum/ { gsub(/[",]/, "", $NF); ns += $NF; n++ }
      END { printf "%.0f,%.0f", ns, n }' "$work/ncu.csv")
  fi
  echo "$id,$form,$number,$status,$sums" | tee -a "$OUT/times.csv"
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1
echo "kernels timed by ${trace:-ncu}"
echo program,form,run,status,ns,launches >"$OUT/times.csv"
while IFS=$'\t' read -r -u 3 id _ command; do
  forms=
  for form in original text mcp; do
    [ -d "$work/$id.$form" ] || continue
    if [ ! -f "$work/$id.$form.failed" ]; then forms="$forms $form"; continue; fi
    echo "$id,$form,0,build,0,0" | tee -a "$OUT/times.csv"
  done
  for number in $(seq "${RUNS:-3}"); do
    if [ "$SECONDS" -gt "${SECONDS_IN_ALL:-540}" ]; then echo "left out for time: $id, run $number"; break; fi
    for form in $forms; do run "$id" "$form" "$number" "$command"; done
  done
  tar -czf "$OUT/outputs.tar.gz" -C "$work" outputs
done 3<"$work/plan"
tar -czf "$OUT/outputs.tar.gz" -C "$work" outputs
echo "In all $SECONDS s."
