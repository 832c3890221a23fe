#!/usr/bin/env bash
# Runs on a GPU what pack-openacc.sh built: times of the sparse product by vector length and workers, of small pairs and of the samples' stages, and
# whether the rules' examples print the same before and after their fixes (and what they print without directives).
#
#   lab/gpu/openacc.sh [FOLDER]      FOLDER from pack-openacc.sh (.carry/openacc); the figures go to $OUT/openacc.json (OUT is out/gpu by default)
#
# Needs a GPU; nvcc and ncu, where they are, tell the toolkit's version and the kernels' own times. Exit status: 0 when all agree, 1 when not, 2 for bad use.
set -u
cd "$(dirname "$0")/../.." || exit 2
folder=${1:-.carry/openacc}
OUT=${OUT:-out/gpu}
[ -d "$folder/bin" ] || { echo "openacc.sh: there is no $folder/bin; run lab/gpu/pack-openacc.sh first." >&2; exit 2; }
nvidia-smi --query-gpu=name --format=csv,noheader >/dev/null 2>&1 || { echo "openacc.sh: nvidia-smi shows no GPU." >&2; exit 2; }
folder=$(cd "$folder" && pwd)
mkdir -p "$OUT"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod +x "$folder"/*/*.exe
PATH=$PATH:/usr/local/cuda/bin
bad=0
. lab/gpu/compare.sh

# on SECONDS PROGRAM…: with the libraries of the folder, on the GPU or not at all.
on() { local seconds=$1; shift; LD_LIBRARY_PATH=$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ACC_DEVICE_TYPE=nvidia timeout "$seconds" "$@"; }
# list NAME: the objects of $work/NAME as a member of the figures.
list() { printf ',\n"%s": [' "$1"; [ -f "$work/$1" ] && paste -sd, "$work/$1" | sed 's/},{/},\n  {/g; s/^/\n  /'; printf ']'; }
plain() { tr -d '"\\' | tr '\n\t' '  ' | head -c 300; }
fail() { bad=1; printf '{"what": "%s", "status": %s, "said": "%s"}\n' "$1" "$2" "$(tail -n 3 "$3" | plain)" >>"$work/failures"; echo "FAILED $1: $(tail -n 3 "$3")"; }

for language in C:product.c Fortran:product.F90; do
  program=$folder/bin/${language#*:}.exe
  on 120 "$program" >"$work/out" 2>"$work/err"; status=$?
  [ $status = 0 ] || fail "${language#*:}" $status "$work/err"
  cat "$work/out"
  awk -v language="${language%:*}" '$1 == "stage" { printf "{\"language\": \"%s\", \"stage\": \"%s\", \"median\": %s, \"least\": %s, \"most\": %s, \"result\": %s}\n", language, $2, $3, $4, $5, $7 }' "$work/out" >>"$work/product"
done

on 90 "$folder/bin/patterns.c.exe" >"$work/out" 2>"$work/err"; status=$?
[ $status = 0 ] && ! grep -q DIFFER "$work/out" || fail patterns.c $status "$work/err"
cat "$work/out"
awk '$1 == "pair" { printf "{\"rule\": \"%s\", \"before\": %s, \"after\": %s, \"results\": \"%s\"}\n", $2, $3, $4, $5 }' "$work/out" >"$work/patterns"

for program in "$folder"/samples/*.exe; do
  name=$(basename "$program" .exe)
  on 60 "$program" >"$work/out" 2>"$work/err"; status=$?
  [ $status = 0 ] || fail "$name" $status "$work/err"
  echo "$name: $(tr '\n' ' ' <"$work/out")"
  awk -v name="$name" -v status=$status '$1 == "result" { result = $2 } $1 == "time" { time = $2 } END { printf "{\"sample\": \"%s\", \"time\": %s, \"result\": %s, \"status\": %s}\n", name, time == "" ? "null" : time, result == "" ? "null" : result, status }' "$work/out" >>"$work/samples"
done

for after in "$folder"/pairs/*.after.*.exe; do
  [ -f "$after" ] || continue
  before=${after/.after./.before.}
  serial=${after/.after./.serial.}
  name=$(basename "$after" .exe)
  name=${name/.after./.}
  for each in "$serial" "$before" "$after"; do
    base=$work/$(basename "$each")
    if [ -x "$each" ]; then on 30 "$each" 64 >"$base.out" 2>"$base.err"; status=$?; echo $status >"$base.rc"; echo "exit $status" >>"$base.out"; else echo 'not built' >"$base.rc"; : >"$base.out"; fi
  done
  [ "$serial" != "$after" ] || continue
  b=$work/$(basename "$before") a=$work/$(basename "$after") s=$work/$(basename "$serial")
  same=$(compare "$b" "$a"); meant=$(compare "$s" "$a")
  # An example whose fault is its result (a missing reduction) differs before; what counts is that after its fix it prints what it means.
  # Samples are run with a small grid, which their first word sets.
  case $meant in prints*) [ ! -s "$a.err" ] || bad=1 ;; *) bad=1 ;; esac
  printf '{"pair": "%s", "before": "%s", "after": "%s", "beforeAndAfter": "%s", "withoutDirectives": "%s", "printed": "%s"}\n' "$name" "$(cat "$b.rc")" "$(cat "$a.rc")" "$same" "$meant" "$({ tail -n 2 "$a.out"; tail -n 1 "$a.err"; } 2>/dev/null | plain)" >>"$work/pairs"
  echo "$name: before $(cat "$b.rc"), after $(cat "$a.rc"); before and after $same; without directives $meant"
done

if command -v ncu >/dev/null; then
  metrics=gpu__time_duration.sum,launch__block_size,launch__grid_size,sm__warps_active.avg.pct_of_peak_sustained_active
  on 110 ncu --csv --page raw --print-units base --metrics "$metrics" "$folder/bin/product.c.exe" 200 1 >"$work/ncu" 2>&1 || echo "ncu: $(tail -n 2 "$work/ncu")"
  # Each stage runs twice: the second counts. Columns are found by their names.
  grep '^"' "$work/ncu" | awk -F '","' '
    # ncu parts the thousands of a number by commas.
    { gsub(/^"|"$/, ""); for (i = 1; i <= NF; i++) if ($i ~ /^[0-9,.]+$/) gsub(/,/, "", $i) }
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    NR == 2 && $column["ID"] == "" { next }
    { name = $column["Kernel Name"]; sub(/\$_omp_fn.*/, "", name);
      line[name] = sprintf("{\"kernel\": \"%s\", \"milliseconds\": %.4f, \"block\": %d, \"grid\": %d, \"occupancy\": %.1f}", name, $column["gpu__time_duration.sum"] / 1e6, $column["launch__block_size"], $column["launch__grid_size"], $column["sm__warps_active.avg.pct_of_peak_sustained_active"]); if (!(name in seen)) { seen[name] = 1; order[++n] = name } }
    END { for (i = 1; i <= n; i++) print line[order[i]] }' >"$work/profile"
  cat "$work/profile"
fi

{
  printf '{"gpu": "%s", "driver": "%s", "cuda": "%s", "gcc": "%s", "command": "lab/gpu/pack-openacc.sh && lab/gpu/openacc.sh"' \
    "$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)" "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)" "$(nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')" "$(cat "$folder/gcc-version")"
  for name in product profile patterns samples pairs failures; do list $name; done
  printf '\n}\n'
} >"$OUT/openacc.json"
echo "In all $SECONDS s; $([ $bad = 0 ] && echo all agree || echo NOT all agree)."
exit $bad
