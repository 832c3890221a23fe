#!/usr/bin/env bash
# Times every fix that `applyFixes.ts --each` wrote, alone, and compares what both sides print:
#
#   lab/gpu/timeFixes.sh ROOT FIXES PROGRAMS [SECONDS]
#
# ROOT has a folder for each program, FIXES is the `--out` of applyFixes.ts (its fixes.jsonl may be cut or put in another
# order). PROGRAMS has a program a line: its folder, the command that builds it there, the command that runs it, and,
# where only some kernels are timed, a regular expression of their names, separated by tabs. All sides are built in
# parallel, run PARALLEL (8) at a time for their output, then timed by ncu LAUNCHES (100) launches each, before, each
# fix, and all of them a second time, TIMED (1) at a time (ncu lets no two kernels run together, but copies may), until
# SECONDS (540) are over. $OUT/times.jsonl (OUT is `out/gpu` by default) gets the row of each fix with "output", how the
# outputs compare, and "before" and "after": for each kernel its launches and the median of its microseconds, for each
# of the two times. lab/bench/timedFixes.ts reads it. LIMIT (20): the seconds of a run. Needs a compiler, ncu and a GPU.
# Exit status: 0 whatever was measured, 2 for bad use.
set -u
[ $# -ge 3 ] || { echo 'timeFixes.sh: ROOT FIXES PROGRAMS [SECONDS]' >&2; exit 2; }
command -v ncu > /dev/null || { echo 'timeFixes.sh: ncu was not found; put it on the path.' >&2; exit 2; }
root=$(cd "$1" && pwd)
fixes=$(cd "$2" && pwd)
export programs=$(realpath "$3")
end=${4:-540}
. "$(dirname "$0")/compare.sh"
mkdir -p "${OUT:=out/gpu}"
out=$(cd "$OUT" && pwd)
export work LIMIT=${LIMIT:-20} LAUNCHES=${LAUNCHES:-100}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

field() { awk -F '\t' -v name="$1" -v at="$2" '$1 == name { print $at; exit }' "$programs"; }
# A side is SIDE/PROGRAM: `before`, or the number of a fix's round.
build() {
  cd "$work/$1/src" && timeout -k 2 150 bash -c "$(field "${1#*/}" 2)" > "$work/$1/build.log" 2>&1 && : > "$work/$1/built"
}
# Before a fix twice, a second apart, for programs whose output varies. Folders are left out of what is printed.
print() {
  local name
  cd "$work/$1/src" || return
  for name in run $([ "${1%%/*}" != before ] || echo again); do
    [ $name = run ] || sleep 1.1
    timeout -k 2 "$LIMIT" bash -c "$(field "${1#*/}" 3)" 2> /dev/null < /dev/null | sed "s,$work/${1%%/*}/,,g" | head -c 1000000 > "$work/$1/$name.out"
    echo "${PIPESTATUS[0]}" > "$work/$1/status"
    [ "$(cat "$work/$1/status")" != 124 ] || break
  done
}
measure() {
  local kernels again
  kernels=$(field "${1#*/}" 4)
  cd "$work/$1/src" || return
  for again in 1 2 3; do
    timeout -k 5 "$((LIMIT * 2))" ncu --metrics gpu__time_duration.sum --clock-control none ${kernels:+-k "regex:$kernels"} \
      -c "$LAUNCHES" --kill yes --csv --print-units base --print-kernel-base function --target-processes all \
      --log-file "$work/$1/ncu.$2" bash -c "$(field "${1#*/}" 3)" > /dev/null 2>&1 < /dev/null
    # Another ncu that starts at the same moment has the counters.
    grep -q 'driver resource was unavailable' "$work/$1/ncu.$2" || break
  done
  # A kernel a line: its name, launches, median of its microseconds.
  awk -F '","' '/gpu__time_duration/ { value = $NF; gsub(/[",\r]/, "", value); print $5 "\t" value / 1000 }' "$work/$1/ncu.$2" | sort -t "$(printf '\t')" -k1,1 -k2,2g |
    awk -F '\t' 'function line() { if (n) printf "%s\t%d\t%.3f\n", name, n, n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }
      $1 != name { line(); n = 0; name = $1 } { v[++n] = $2 } END { line() }' > "$work/$1/times.$2"
}
export -f field build print measure

# The times of a side as JSON: { kernel: [[launches, median], …] }, one pair for each time that it was run.
times() {
  cat "$work/$1"/times.? 2> /dev/null | sort -s -t "$(printf '\t')" -k1,1 | awk -F '\t' 'BEGIN { printf "{" }
    { gsub(/["\\]/, "", $1); if ($1 != name) { printf "%s\"%s\":[", name == "" ? "" : "],", $1; name = $1 } else printf ","; printf "[%d,%s]", $2, $3 }
    END { printf "%s}", name == "" ? "" : "]" }'
}
# How the outputs of both sides compare.
verdict() {
  local before=$work/before/$2 after=$work/$1/$2 now then words
  [ -e "$before/built" ] || { echo 'not built before'; return; }
  [ -e "$after/built" ] || { echo "NOT BUILT AFTER: $(grep -m 1 -E 'error|undefined' "$after/build.log" | tr -d '"\\' | tr '\t' ' ' | tail -c 200)"; return; }
  now=$(cat "$before/status") then=$(cat "$after/status")
  [ "$now" = "$then" ] || { echo "ENDS with $then instead of $now"; return; }
  [ "$now" != 124 ] && [ "$now" != 137 ] || { echo 'longer than the limit'; return; }
  words=$(compare "$before/run" "$after/run" | tr -d '"\\[:cntrl:]')
  case $words in DIFFERENT*)
    # Times and rates differ between two runs of the same program, too.
    compare "$before/run" "$before/again" > "$after/varies"
    if grep -q DIFFERENT "$after/varies"; then
      paste "$before/run.words" "$before/again.words" "$after/run.words" | awk -F '\t' -v now="$after/now.out" -v then="$after/then.out" \
        '{ printf "" > now; printf "" > then } $1 == $2 { print $1 > now; print $3 > then }'
      words=$(compare "$after/now" "$after/then" | tr -d '"\\[:cntrl:]')
      case $words in DIFFERENT*) words="varies before, too: $words" ;; *) words="$words, except for what varies before" ;; esac
    fi ;;
  esac
  echo "$words"
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>&1 | head -1
sed -E 's/^\{"program":"([^"]*)","round":([0-9]+),.*/\2\t\1/' "$fixes/fixes.jsonl" > "$work/rounds"
while IFS=$'\t' read -r round program; do
  for side in before "$round"; do
    [ ! -e "$work/$side/$program" ] || continue
    mkdir -p "$work/$side/$program"
    cp -r "$root/$program" "$work/$side/$program/src"
    [ "$side" = before ] || cp -r "$fixes/$round/$program/." "$work/$side/$program/src"
  done
done < "$work/rounds"
# A program before its fixes, programs in the order of their first fix.
awk -F '\t' '!($2 in all) { order[++n] = $2 } { all[$2] = all[$2] "\n" $1 "/" $2 } END { for (i = 1; i <= n; i++) print "before/" order[i] all[order[i]] }' \
  "$work/rounds" > "$work/sides"
xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'build {}' < "$work/sides"
echo "built $(ls -d "$work"/*/*/built | wc -l) of $(wc -l < "$work/sides") sides after $SECONDS s"
while read -r side; do [ ! -e "$work/$side/built" ] || echo "$side"; done < "$work/sides" | xargs -P "${PARALLEL:-8}" -I{} bash -c 'print {}'
echo "run after $SECONDS s"
report() {
  while IFS= read -r row; do
    IFS=$'\t' read -r round program < <(sed -E 's/^\{"program":"([^"]*)","round":([0-9]+),.*/\2\t\1/' <<< "$row")
    only=$(field "$program" 4)
    printf '%s,"output":"%s"%s,"before":%s,"after":%s}\n' "${row%\}}" "$(verdict "$round" "$program")" "${only:+,\"kernels\":\"${only//\\/\\\\}\"}" "$(times "before/$program")" "$(times "$round/$program")"
  done < "$fixes/fixes.jsonl" > "$out/times.jsonl"
}
report
export deadline=$(($(date +%s) + end - SECONDS))
# Only what ends on both sides can be compared.
while read -r side; do
  now=$(cat "$work/before/${side#*/}/status" 2> /dev/null)
  [ "${now:-124}" -ge 124 ] || [ "$now" != "$(cat "$work/$side/status" 2> /dev/null)" ] || echo "$side"
done < "$work/sides" > "$work/timed"
for time in 1 2; do
  xargs -P "${TIMED:-1}" -I{} bash -c '[ "$(date +%s)" -ge "$deadline" ] || measure {} '$time < "$work/timed"
  echo "timed $time× after $SECONDS s"
  report
done
