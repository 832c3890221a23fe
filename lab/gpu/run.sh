#!/usr/bin/env bash
# Builds and runs programs before and after their fixes on a machine with a GPU and nvcc, compares what they print and tabulates their times.
#
#   lab/gpu/run.sh [FOLDER]
#
# Pairs are X.cu and X.fixed.cu under samples/ and server/src/rules/ (those with a main), the stages of samples/ado, and X.cu and X.fixed.cu under
# FOLDER, which lab/gpu/writePairs.ts fills with what the quick fixes make of the samples and of the rules' own examples. A program prints
# `result VALUE`, `time MS ms` (the median of its own runs) and exits with 0 when its result is right. Of programs that print no result all
# that they print is compared, without times, word by word. The table goes to $OUT/pairs.csv and $OUT/pairs.md (OUT is `out/gpu` by default).
# Needs nvcc and a GPU, no node. ARCH and NVCC may be set; ONLY is a pattern that chosen pairs match. Exit status: 0 when all agree, 1 when not, 2 for bad use.
set -u
cd "$(dirname "$0")/../.." || exit 2
OUT=${OUT:-out/gpu}
NVCC=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! "$NVCC" --version > /dev/null 2>&1; then
  echo "run.sh: nvcc was not found; put it on the path or set NVCC." >&2
  exit 2
fi
if [ -z "${ARCH:-}" ]; then
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | head -1 | tr -d ' .')
  if [ -z "$capability" ]; then
    echo "run.sh: nvidia-smi shows no GPU; set ARCH (sm_90, say) to build without one." >&2
    exit 2
  fi
  ARCH=sm_$capability
fi
mkdir -p "$OUT"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

# name<TAB>before<TAB>after
pairs() {
  local fixed before name
  for fixed in $(find samples server/src/rules ${1:+"$1"} -name '*.fixed.cu' | sort); do
    before=${fixed%.fixed.cu}.cu
    if [ -f "$before" ] && grep -q 'int main' "$before" && grep -q 'int main' "$fixed"; then
      name=${before%.cu}
      # What the fixes wrote is named by sample and fix, wherever the folder lies.
      case $name in samples/* | server/src/rules/*) ;; *) name="fix: ${name##*/}" ;; esac
      printf '%s\t%s\t%s\n' "$name" "$before" "$fixed"
    fi
  done
  printf '%s\t%s\t%s\n' 'ado: row per thread to coalesced' samples/ado/1-row-per-thread.cu samples/ado/2-coalesced.cu
  printf '%s\t%s\t%s\n' 'ado: sweep to shuffle' samples/ado/2-coalesced.cu samples/ado/3-shuffle.cu
  printf '%s\t%s\t%s\n' 'ado: shuffle to cuBLAS' samples/ado/3-shuffle.cu samples/ado/4-averages-then-cublas.cu
}
pairs "${1:-}" | grep -E "${ONLY:-.}" > "$build/pairs"
if [ ! -s "$build/pairs" ]; then
  echo "run.sh: no pair matches '${ONLY:-}'." >&2
  exit 2
fi

program() { echo "$build/$(echo "$1" | tr '/ ' '__').exe"; }
export -f program
export build NVCC ARCH
compile() {
  local libraries=
  grep -q cublas "$1" && libraries=-lcublas
  "$NVCC" -O3 -std=c++17 -arch="$ARCH" -lineinfo -Isamples -o "$(program "$1")" "$1" $libraries > "$(program "$1").log" 2>&1 || rm -f "$(program "$1")"
}
export -f compile
cut -f2,3 "$build/pairs" | tr '\t' '\n' | sort -u | xargs -P "$(nproc)" -d '\n' -I{} bash -c 'compile "$1"' _ {}

run() {
  local exe; exe=$(program "$1")
  [ -f "$exe.out" ] && return
  if [ -x "$exe" ]; then timeout 60 "$exe" > "$exe.out" 2> "$exe.err"; echo $? > "$exe.rc"; else cp "$exe.log" "$exe.out"; echo "not built" > "$exe.rc"; fi
}
. lab/gpu/compare.sh
field() { awk -v key="$2" '$1 == key { print $2; exit }' "$(program "$1").out"; }

gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2> /dev/null | head -1)
release=$("$NVCC" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
echo 'pair,before_ms,after_ms,gain,results' > "$OUT/pairs.csv"
{
  echo "Measured on ${gpu:-no GPU}, CUDA $release, $ARCH, -O3; each time is the median that the program prints."
  echo
  echo '| pair | before (ms) | after (ms) | gain | results |'
  echo '|---|---|---|---|---|'
} > "$OUT/pairs.md"
rm -f "$OUT/failures.log"
bad=0
while IFS=$'\t' read -r name before after; do
  run "$before"; run "$after"
  rcBefore=$(cat "$(program "$before").rc"); rcAfter=$(cat "$(program "$after").rc")
  if [ "$rcBefore" != 0 ] || [ "$rcAfter" != 0 ]; then
    verdict="failed (before: $rcBefore, after: $rcAfter)"
    # A toolkit without its libraries says nothing about the samples.
    if grep -q 'cublas_v2.h: No such file' "$(program "$before").out" "$(program "$after").out"; then verdict='not built: this toolkit has no cuBLAS'; else bad=1; fi
  else
    verdict=$(awk -v a="$(field "$before" result)" -v b="$(field "$after" result)" 'BEGIN { if (a == "" || b == "") print ""; else if (a == b) print "equal"; else { d = a - b; if (d < 0) d = -d; s = a < 0 ? -a : a; print (d <= 1e-4 * s ? "equal within " sprintf("%.1e", d / s) : "DIFFERENT (" a ", " b ")") } }')
    [ -n "$verdict" ] || verdict=$(compare "$(program "$before")" "$(program "$after")")
    case $verdict in DIFFERENT* | 'none printed') bad=1 ;; esac
  fi
  tb=$(field "$before" time); ta=$(field "$after" time)
  gain=$(awk -v a="${tb:-0}" -v b="${ta:-0}" 'BEGIN { if (a > 0 && b > 0) printf "%.2f", a / b }')
  echo "\"$name\",$tb,$ta,$gain,\"$verdict\"" >> "$OUT/pairs.csv"
  echo "| $name | $tb | $ta | ${gain:+$gain×} | $verdict |" >> "$OUT/pairs.md"
  case $verdict in failed*) { echo "== $name"; tail -n 5 "$(program "$before")".{out,err} "$(program "$after")".{out,err} 2> /dev/null; } >> "$OUT/failures.log" ;; esac
done < "$build/pairs"
cat "$OUT/pairs.md"
[ -f "$OUT/failures.log" ] && cat "$OUT/failures.log"
exit $bad
