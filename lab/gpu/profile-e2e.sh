#!/usr/bin/env bash
# The running half of the profiler on a real GPU: samples and HeCBench programs from source to line metrics, on this machine and over ssh,
# with faults, times, and a look for what was left behind.
#
#   lab/gpu/profile-e2e.sh BUNDLE OUT      BUNDLE from pack.sh; results land in OUT (e2e.md, and PART.tar.xz as soon as a part is done)
#
# PARTS chooses of: samples hecbench sections ssh faults reading answers (all; they run in the order given). SECONDS_IN_ALL (default 540) bounds it: what does not fit is
# named as left out, and no step runs longer than 110 s. Needs nvcc, ncu, nvidia-smi and a GPU; nothing of the network.
set -u
bundle=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
limit=${SECONDS_IN_ALL:-540}
work=$(mktemp -d /tmp/e2e.XXXXXX)
results=$work/results
mkdir -p "$results"
report=$out/e2e.md
node=$work/node
xz -dc "$bundle/node.xz" >"$node" && chmod +x "$node"
cli=$bundle/dist/cli.js
warplens() { timeout -k 15 110 "$node" "$cli" "$@"; }
say() { printf '%s\n' "$*" | tee -a "$report"; }
# save: packs what the part has left; a run that is cut off keeps the parts before it.
save() {
  tar -C "$results" -cJf "$out/$part.tar.xz" . && rm -rf "${results:?}"/*
  say ""; say "($part: at $SECONDS s)"
}
fits() { if [ $((SECONDS + $1)) -gt "$limit" ]; then say "left out for time: $2"; return 1; fi; }

# Facts out of `warplens profile --format json`, by node since nothing else here reads JSON.
facts() {
  "$node" -e '
    const r = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
    if (r.problem) { console.log(`FAILED ${r.problem.kind} in ${r.problem.stage}: ${r.problem.message} → ${r.problem.nextStep}`); process.exit(1); }
    const files = new Set(r.lines.map((l) => l.file)).size;
    const with_ = new Set(r.lines.map((l) => l.launch)).size;
    const samples = r.lines.reduce((s, l) => s + (l.values.smsp__pcsamp_sample_count ?? 0), 0);
    const registers = r.resources.map((k) => k.registers).join(" ");
    console.log(`${r.collectSeconds === undefined ? "" : `ncu ${r.collectSeconds.toFixed(1)} s; `}${r.kernels.length} launches (${with_} with lines), ${r.lines.length} lines of ${files} files, ${samples} samples, registers ${registers || "-"}${r.notes.length ? "; notes: " + r.notes.join(" | ") : ""}`);
  ' "$1"
}
left() {
  local found
  found=$( { ls -d /tmp/warplens.* 2>/dev/null; for id in $(grep -lz '^WARPLENS_RUN=' /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n'); do echo "$id: $(tr '\0' ' ' <"/proc/$id/cmdline" | head -c 100)"; done; } 2>/dev/null | tr '\n' ' ')
  [ -z "$found" ] && echo 'nothing left behind' || echo "LEFT BEHIND: $found"
}
# one NAME ARGUMENTS…: profiles, and says what came out, how long it took and what stayed.
one() {
  local name=$1 begin end status
  shift
  begin=$(date +%s.%N)
  warplens profile --format json --store "$work/store/$name" "$@" >"$results/$name.json" 2>"$results/$name.err"
  status=$?
  end=$(date +%s.%N)
  say "| $name | $status | $(echo "$end $begin" | awk '{printf "%.1f", $1 - $2}') | $(facts "$results/$name.json" 2>&1 | head -c 600) | $(left) |"
  # The files are large, and only the reports are wanted again.
  cp "$work/store/$name"/*-001.ncu-rep "$results/$name.ncu-rep" 2>/dev/null
  return $status
}
# wait_at_most SECONDS PROCESS: its exit status; killed when it stays longer.
wait_at_most() {
  (sleep "$1"; kill -KILL "$2") >/dev/null 2>&1 &
  local guard=$! status
  wait "$2"; status=$?
  kill "$guard" 2>/dev/null
  return $status
}
head_row() { say "| what | status | seconds | result | after it |"; say "|---|---|---|---|---|"; }

cat >"$work/faults.cu" <<'CU'
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void small(float* x) { x[threadIdx.x] += 1.0f; }
__global__ void other(float* x) { x[threadIdx.x] *= 2.0f; }
int main(int count, char** words) {
  float* x;
  cudaMalloc(&x, 1 << 20);
  const char* what = count > 1 ? words[1] : "";
  if (!strcmp(what, "crash-first")) abort();
  small<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  if (!strcmp(what, "crash-after")) abort();
  if (!strcmp(what, "exit-7")) { cudaDeviceSynchronize(); return 7; }
  if (!strcmp(what, "forever")) for (int i = 1;; i++) { small<<<i, 32>>>(x); other<<<i, 64>>>(x); cudaDeviceSynchronize(); }
  if (!strcmp(what, "hang")) for (;;) ;
  return 0;
}
CU

: >"$report"
say "# Profiling end to end, $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)"
say ""
say '```'
warplens profile --check 2>&1 | tee -a "$report"
say '```'

# pages NAME…: ncu's own pages of reports, to compare the reader with.
pages() {
  local name
  for name; do [ -f "$results/$name.ncu-rep" ] && timeout 60 ncu --import "$results/$name.ncu-rep" --page source --csv --print-source cuda,sass >"$results/$name.source.csv" 2>/dev/null; done
}

part_samples() {
  say ""; say "## Samples, on this machine"; head_row
  for source in ${WARPLENS_E2E_SAMPLES:-ado/1-row-per-thread ado/2-coalesced ado/3-shuffle ado/4-averages-then-cublas transpose/unpadded-tile reduction/shared-sweep structs/array-of-structs vector-addition/chunk-per-thread matrix-product/register-tiled}; do
    fits 30 "$source" || continue
    (cd "$root/samples" && one "$(basename "$source")" "$source.cu" --flags "$(case $source in *cublas*) echo -lcublas ;; esac)")
  done
  pages 4-averages-then-cublas register-tiled
  save
}

part_hecbench() {
  say ""; say "## HeCBench programs, on this machine"; head_row
  hec() {
    [ -d "$bundle/programs/$1" ] && fits 60 "$1" || return 0
    cp -r "$bundle/programs/$1" "$work/$1"
    local name=$1
    shift
    (cd "$work/$name" && one "$name" --time-limit 90 "$@")
  }
  hec softmax-cuda main.cu --flags -std=c++17 -- 20000 784 1 2
  hec stencil1d-cuda --build 'make ARCH=sm_90' --program main -- 33554432 5
  hec attention-cuda --build 'make ARCH=sm_90' -- 16384 512 1 2
  hec jacobi-cuda main.cu --flags -std=c++17
  hec histogram-cuda --build 'make ARCH=sm_90' -- --i=2
  hec bitonic-sort-cuda main.cu --flags -std=c++17 -- 18 2
  pages histogram-cuda
  save
}

part_sections() {
  say ""; say "## Cost of the sections against --set full"; head_row
  # The seconds of ncu alone are in the results; the two that matter run three times.
  for sections in default full default full default full SourceCounters SourceCounters,LaunchStats,Occupancy SourceCounters,LaunchStats,Occupancy,SpeedOfLight,WarpStateStats; do
    fits 20 "sections $sections" || continue
    name=sections-$(echo "$sections" | tr ',' '+')
    if [ $sections = default ]; then choice=(); else choice=(--sections "$sections"); fi
    (cd "$root/samples" && one "$name" ado/2-coalesced.cu "${choice[@]}")
    say "passes of $sections: $(grep -o '[0-9]* passes' "$results/$name.err" | sort | uniq -c | tr '\n' ';')"
  done
  # Many kernels, so that what every run costs weighs little.
  for sections in default full; do
    fits 40 "28 kernels, sections $sections" || continue
    if [ $sections = default ]; then choice=(); else choice=(--sections "$sections"); fi
    (cd "$work" && one "28-kernels-$sections" faults.cu "${choice[@]}" --most-kernels 28 -- forever)
  done
  save
}

part_ssh() {
  say ""; say "## Over ssh to this machine"
  if [ -f "$bundle/ssh.tar.xz" ] && fits 60 ssh; then
    tar -C "$work" -xJf "$bundle/ssh.tar.xz"
    export LD_LIBRARY_PATH=$work/ssh/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PATH=$PATH:$work/ssh
    ssh=$work/ssh
    mkdir -p /run/sshd
    grep -q '^sshd:' /etc/passwd || echo 'sshd:x:74:65534::/run/sshd:/usr/sbin/nologin' >>/etc/passwd
    "$ssh/ssh-keygen" -q -t ed25519 -N '' -f "$ssh/host_key" && "$ssh/ssh-keygen" -q -t ed25519 -N '' -f "$ssh/user_key"
    cp "$ssh/user_key.pub" "$ssh/authorized_keys"
    port=$((20000 + RANDOM % 20000))
    printf '%s\n' "Port $port" 'ListenAddress 127.0.0.1' "HostKey $ssh/host_key" "PidFile $ssh/pid" "AuthorizedKeysFile $ssh/authorized_keys" 'PermitRootLogin yes' 'StrictModes no' 'UsePAM no' "SetEnv PATH=$PATH LD_LIBRARY_PATH=$LD_LIBRARY_PATH" >"$ssh/sshd_config"
    printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d ' ' -f 1,2 "$ssh/host_key.pub")" >"$ssh/known_hosts"
    printf '%s\n' 'Host loop' '  HostName 127.0.0.1' "  Port $port" "  User $(id -un)" "  IdentityFile $ssh/user_key" '  IdentitiesOnly yes' "  UserKnownHostsFile $ssh/known_hosts" >"$ssh/ssh_config"
    chmod 600 "$ssh"/*_key "$ssh/ssh_config"
    "$ssh/sshd" -D -e -f "$ssh/sshd_config" 2>"$results/sshd.err" &
    daemon=$!
    sleep 1
    if timeout 20 "$ssh/ssh" -F "$ssh/ssh_config" -o BatchMode=yes loop true 2>>"$results/sshd.err"; then
      say ""; say '```'
      warplens profile --check loop --ssh-config "$ssh/ssh_config" 2>&1 | tee -a "$report"
      say '```'
      head_row
      (cd "$root/samples" && one ssh-2-coalesced ado/2-coalesced.cu --host loop --ssh-config "$ssh/ssh_config")
      [ -d "$bundle/programs/stencil1d-cuda" ] && cp -r "$bundle/programs/stencil1d-cuda" "$work/stencil1d-ssh" && (cd "$work/stencil1d-ssh" && one ssh-stencil1d --host loop --ssh-config "$ssh/ssh_config" --build 'make ARCH=sm_90' --program main -- 33554432 2)
      (cd "$work" && one ssh-no-such-kernel faults.cu --host loop --ssh-config "$ssh/ssh_config" --kernel nosuch)
      # The connection is cut in the run.
      (cd "$work" && exec timeout -k 15 90 "$node" "$cli" profile --host loop --ssh-config "$ssh/ssh_config" --store "$work/store/cut" faults.cu --most-kernels 100000 -- forever >/dev/null 2>"$results/cut.err") &
      victim=$!
      sleep 10
      for id in $(awk -v daemon=$daemon '$4 == daemon {print $1}' /proc/[0-9]*/stat 2>/dev/null); do kill -KILL "$id"; done
      wait_at_most 60 $victim; status=$?
      sleep 6
      say "| ssh: connection cut in the run | $status | | $(tail -n 3 "$results/cut.err" | tr '\n' ' ') | $(left) |"
    else
      say "sshd does not work here: $(tail -n 3 "$results/sshd.err" | tr '\n' ' ')"
    fi
    kill $daemon
  else
    say "left out: no sshd in the bundle, or no time."
  fi
  save
}

part_faults() {
  say ""; say "## Faults"; head_row
  cd "$work" || exit 1
  fits 100 faults && {
    one no-such-kernel faults.cu --kernel nosuch
    one crash-before-kernels faults.cu -- crash-first
    one crash-after-a-kernel faults.cu -- crash-after
    one exit-7-after-a-kernel faults.cu -- exit-7
    one most-kernels-5 faults.cu --most-kernels 5 -- forever
    one time-limit-8s-endless-kernels faults.cu --time-limit 8 --most-kernels 100000 -- forever
    one time-limit-8s-hanging-after-one faults.cu --time-limit 8 -- hang
    one no-line-info --build 'nvcc -o plain faults.cu -arch=sm_90 && true' --program plain
    one stale-no-line-info --build "env -u NVCC_APPEND_FLAGS $(command -v nvcc) -o plain2 faults.cu -arch=sm_90" --program plain2
    # Ctrl-C in the middle of a run. The signal has to reach node itself, not a shell around it.
    "$node" "$cli" profile --store "$work/store/interrupt" faults.cu --most-kernels 100000 -- forever >"$results/interrupt.out" 2>"$results/interrupt.err" &
    victim=$!
    sleep 8; kill -INT $victim
    wait_at_most 40 $victim; status=$?
    say "| Ctrl-C in the run | $status | | $(tail -n 2 "$results/interrupt.err" | tr '\n' ' ') | $(left) |"
    # The tool itself is killed: the host has to notice alone.
    "$node" "$cli" profile --store "$work/store/kill" faults.cu --most-kernels 100000 -- forever >/dev/null 2>&1 &
    victim=$!
    sleep 8; kill -KILL $victim; wait $victim 2>/dev/null; sleep 6
    say "| kill -9 of warplens in the run | | | | $(left) |"
  }
  cd / || exit 1
  save
}

# Warplens against ncu in reading a report of 30 MB, each a process, three times.
part_reading() {
  local report30=$work/patterns-full.ncu-rep turn
  fits 30 reading || return
  "$node" -e 'const fs = require("fs"); fs.writeFileSync(process.argv[2], require("zlib").brotliDecompressSync(fs.readFileSync(process.argv[1])))' "$root/test/profiler/reports/patterns-full.ncu-rep.br" "$report30"
  say ""; say "## Reading a report of $(stat -c %s "$report30") bytes"; say "| what | seconds |"; say "|---|---|"
  timed() {
    local name=$1 begin end
    shift
    begin=$(date +%s.%N); timeout 60 "$@" >"$results/reading.out" 2>&1 || name="$name FAILED"; end=$(date +%s.%N)
    say "| $name | $(echo "$end $begin" | awk '{printf "%.2f", $1 - $2}') |"
  }
  for turn in 1 2 3; do
    timed "warplens report" "$node" "$cli" report "$report30" --format json
    timed "ncu --import --page source" ncu --import "$report30" --page source --csv --print-source cuda,sass
  done
  rm -f "$results/reading.out"
}

part_answers() {
  fits 30 answers || return
  nvcc -o "$work/plain" "$work/faults.cu" -arch=native
  timeout 60 "$root/lab/gpu/record-ncu-answers.sh" "$results/answers" "$work/plain" 2>/dev/null
  say ""
  say "As nobody: $(grep -h '==ERROR==\|exit status' "$results/answers/as-nobody.log" 2>/dev/null | tr '\n' ' ')"
  save
}

for part in ${PARTS:-samples hecbench sections ssh faults reading answers}; do
  case $part in samples | hecbench | sections | ssh | faults | reading | answers) "part_$part" ;; *) say "There is no part $part." ;; esac
done
say "In all $SECONDS s."
rm -rf "$work"
