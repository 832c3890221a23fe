#!/bin/sh
# Records reports of corner cases with ncu's own pages beside them, on a machine with a GPU, and compares the reader with them:
#
#   sh test/profiler/gpu/recordReports.sh FOLDER [NAME…]      all reports, or those named (range app-range, say)
#
# Needs nvcc, ncu with permission for the counters, node and npm's packages for the comparison (left out without them; set WARPLENS_REPORTS
# to FOLDER where they are); for the OpenACC kernel also a GCC that offloads to nvptx (left out without one).
# A report is kept as a fixture by: npx tsx test/profiler/support/packReport.ts FOLDER/NAME.ncu-rep
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
folder=${1:?"Give a folder for the reports."}
mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 1
shift
names=$*
failed=0

if nvcc -O2 -lineinfo -arch=native -DWITH_CUBLAS -o "$folder/corners" "$here/corners.cu" -lcublas 2> "$folder/cublas.build.log"; then cublas=yes; else
  cublas=no
  nvcc -O2 -lineinfo -arch=native -o "$folder/corners" "$here/corners.cu" || exit 1
fi

pages() { # NAME
  for page in raw details; do ncu --import "$folder/$1.ncu-rep" --page "$page" --csv --print-units base > "$folder/$1.$page.csv" || failed=1; done
  ncu --import "$folder/$1.ncu-rep" --page source --csv --print-source cuda,sass > "$folder/$1.source.csv" || failed=1
}

sources='--import-source yes'
record() { # NAME, ncu's options, program and arguments
  name=$1
  shift
  case " ${names:-$name} " in *" $name "*) ;; *) return ;; esac
  echo "== $name"
  if ncu --force-overwrite --export "$folder/$name" --set full $sources "$@" > "$folder/$name.log" 2>&1 && [ -f "$folder/$name.ncu-rep" ]; then pages "$name"; else
    tail -n 5 "$folder/$name.log"
    failed=1
  fi
}

record two-on-a-line "$folder/corners" lines
if [ $cublas = yes ]; then record cublas "$folder/corners" cublas; else echo "== cublas left out: $(head -n 1 "$folder/cublas.build.log")"; fi
record graph-nodes --graph-profiling graph "$folder/corners" graph
record processes --target-processes all "$folder/corners" processes
# A range knows no sources of its own: ncu refuses to import them.
sources=
record range --replay-mode range "$folder/corners" range
record app-range --replay-mode app-range "$folder/corners" range
sources='--import-source yes'
if gcc -O2 -g -fopenacc -foffload=nvptx-none -foffload-options=nvptx-none=-misa=sm_80 -o "$folder/acc" "$here/acc.c" 2> "$folder/acc.build.log"; then
  record openacc-gcc "$folder/acc"
else
  echo "== openacc-gcc left out: this gcc does not offload to nvptx ($(head -n 1 "$folder/acc.build.log"))"
fi

cd "$root" || exit 1
if ! command -v node > /dev/null || [ ! -d node_modules/mocha ]; then
  echo "There is no node (or no node_modules) here, so nothing was compared. Where it is: WARPLENS_REPORTS=FOLDER npx mocha --import tsx test/profiler/reportLines.test.ts test/profiler/reportMetrics.test.ts"
  exit $failed
fi
WARPLENS_REPORTS="$folder" node --import tsx node_modules/mocha/bin/mocha.js test/profiler/reportLines.test.ts test/profiler/reportMetrics.test.ts || failed=1
for report in "$folder"/*.ncu-rep; do
  node --import tsx lab/bench/report.ts --runs 3 --ncu "$(command -v ncu)" "$report" || failed=1
done
exit $failed
