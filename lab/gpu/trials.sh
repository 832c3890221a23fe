#!/usr/bin/env bash
# Measures what fixes are worth on a real GPU: `warplens measure` of six samples and `warplens sweep` of a block size, by the bundled command line.
#
#   lab/gpu/trials.sh       from the root of the repository; CARRY (default .carry) holds `node` (or `node.xz`) and `dist/cli.js` with its wasm files
#
# The results go to $OUT/trials.json, an object for each trial, and what was shown to $OUT/trials.log (OUT is `out/gpu` by default). SECONDS_IN_ALL
# (default 340) bounds it: what does not fit is left out by name; a trial that fails does not end the others. Needs nvcc, ncu and a GPU; no node of the machine.
set -u
cd "$(dirname "$0")/../.." || exit 2
OUT=${OUT:-out/gpu}
CARRY=${CARRY:-.carry}
limit=${SECONDS_IN_ALL:-340}
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
log=$OUT/trials.log
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$log"

for folder in /usr/local/cuda/bin /usr/local/cuda-*/bin; do [ -d "$folder" ] && PATH=$PATH:$folder; done
export PATH
cli=$(cd "$CARRY/dist" 2>/dev/null && pwd)/cli.js
[ -f "$cli" ] || cli=$PWD/dist/cli.js
[ -f "$cli" ] || { echo "trials.sh: there is no cli.js in $CARRY/dist or dist; run \"npm run build\"." >&2; exit 2; }
node=$work/node
if [ -f "$CARRY/node" ]; then cp "$CARRY/node" "$node"
elif [ -f "$CARRY/node.xz" ]; then xz -dc "$CARRY/node.xz" >"$node"
elif command -v node >/dev/null; then ln -s "$(command -v node)" "$node"
else echo "trials.sh: there is no node in $CARRY, nor in PATH." >&2; exit 2; fi
chmod +x "$node"

left() {
  local found
  found=$( { ls -d "${TMPDIR:-/tmp}"/warplens.* 2>/dev/null; for id in $(grep -lz '^WARPLENS_RUN=' /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n'); do echo "$id: $(tr '\0' ' ' <"/proc/$id/cmdline" | head -c 100)"; done; } 2>/dev/null | tr '\n' ' ')
  [ -z "$found" ] && echo 'nothing left behind' || echo "LEFT BEHIND: $found"
}

# trial NAME SECONDS COMMAND…: what was printed as JSON stays in $work/NAME.json, how it went in $work/NAME.facts.
trial() {
  local name=$1 wanted=$2 begin=$SECONDS status
  shift 2
  if [ $((SECONDS + wanted)) -gt "$limit" ]; then echo "left out for time: $name" | tee -a "$log"; return 1; fi
  echo "== $name: warplens $*" | tee -a "$log"
  timeout -k 15 "$((wanted * 2))" "$node" "$cli" "$@" --json >"$work/$name.json" 2>"$work/$name.err"
  status=$?
  printf '%s\n%s\n%s\n%s\n' "$status" "$((SECONDS - begin))" "$*" "$(left)" >"$work/$name.facts"
  cat "$work/$name.err" >>"$log"
  echo "   status $status, $((SECONDS - begin)) s, $(left)" | tee -a "$log"
  return 0
}

# As soon as a trial is done its result is in the file: a run that is cut off keeps those before it.
merge() {
  "$node" -e '
    const fs = require("fs"), [work, out] = process.argv.slice(1);
    const text = (name) => { try { return fs.readFileSync(`${work}/${name}`, "utf8"); } catch { return ""; } };
    const names = fs.readdirSync(work).filter((name) => name.endsWith(".facts")).map((name) => name.slice(0, -6)).sort((a, b) => fs.statSync(`${work}/${a}.facts`).mtimeMs - fs.statSync(`${work}/${b}.facts`).mtimeMs);
    const trials = names.map((name) => {
      const [status, seconds, command, left] = text(`${name}.facts`).split("\n");
      let result;
      try { result = JSON.parse(text(`${name}.json`)); } catch { result = { problem: { message: text(`${name}.err`).trim().split("\n").slice(-6).join("\n") } }; }
      return { name, command, status: Number(status), seconds: Number(seconds), left, result };
    });
    fs.writeFileSync(out, JSON.stringify({ date: new Date().toISOString(), trials }, undefined, 1) + "\n");
    for (const { name, result } of trials.slice(-1)) for (const { name: form, verdict } of result.variants ?? []) if (verdict) console.log(`   ${form}: ${verdict.words}`);
    for (const { result } of trials.slice(-1)) { if (result.problem) console.log(`   ${result.problem.message}`); for (const note of result.notes ?? []) console.log(`   note: ${note}`); if (result.best) console.log(`   best: ${result.best}, equal to it: ${result.equals.join(", ") || "none"}`); }
  ' "$work" "$OUT/trials.json" 2>&1 | tee -a "$log"
}
both() { trial "$@" && merge; }

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>&1 | head -n 1 | tee -a "$log"
"$node" --version 2>&1 | tee -a "$log"
both chunk-per-thread 40 measure samples/vector-addition/chunk-per-thread.cu --rule cuda/uncoalesced-access
both unpadded-tile 40 measure samples/transpose/unpadded-tile.cu --rule cuda/bank-conflict
both shared-sweep 40 measure samples/reduction/shared-sweep.cu --rule cuda/shared-sweep-reduction
both array-of-structs 40 measure samples/structs/array-of-structs.cu --against samples/structs/array-of-structs.fixed.cu
both allocate-each-turn 40 measure samples/allocation/allocate-each-turn.cu --rule cuda/alloc-in-loop
both data-branch 40 measure samples/convolution/data-branch.cu --rule cuda/divergent-branch
line=$(grep -n '<<<' samples/block-shape/forty-eight.cu | head -n 1 | cut -d : -f 1)
both block-size 70 sweep "samples/block-shape/forty-eight.cu:$line" --values 32,64,128,256,512,1024
# When there is time: the wait in a loop, and a fix that costs results their last bits.
both synchronise-each 30 measure samples/launches/synchronise-each.cu --rule cuda/sync-in-loop
both double-literal 30 measure samples/literals/double-literal.cu --rule cuda/double-in-float
echo "In all $SECONDS s." | tee -a "$log"
