#!/bin/sh
# Records on a GPU machine what ncu and nvidia-smi answer to the questions of the checks, for tools/replay-ncu/logs.
#
#   lab/gpu/record-ncu-answers.sh FOLDER [PROGRAM]     PROGRAM: any CUDA program, for the refusal
folder=$1 program=$2
mkdir -p "$folder"
ncu --version >"$folder/version.txt" 2>&1
ncu --help >"$folder/help.txt" 2>&1
ncu --list-sections >"$folder/list-sections.txt" 2>&1
ncu --list-sets >"$folder/list-sets.txt" 2>&1
nvidia-smi >"$folder/nvidia-smi.txt" 2>&1
nvidia-smi --query-gpu=name,driver_version,compute_cap,clocks.applications.graphics,clocks.default_applications.graphics,mig.mode.current --format=csv,noheader,nounits >"$folder/nvidia-smi-query.txt" 2>&1
cat /proc/driver/nvidia/params >"$folder/params.txt" 2>&1
if [ -n "$program" ]; then
  # Somebody without rights, whom a driver for administrators only refuses.
  copy=$(mktemp -d) && cp "$program" "$copy/program" && chmod 755 "$copy" "$copy/program"
  (cd "$copy" && setpriv --reuid 65534 --regid 65534 --clear-groups env TMPDIR="$copy" HOME="$copy" ncu --section SpeedOfLight ./program) >"$folder/as-nobody.log" 2>&1
  echo "exit status $?" >>"$folder/as-nobody.log"
  rm -rf "$copy"
fi
exit 0
