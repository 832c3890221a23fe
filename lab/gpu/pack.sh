#!/bin/sh
# Packs what a bare GPU machine (CUDA and ncu, no node, no network) needs to run profile-e2e.sh: node, the bundled command line, an sshd, and,
# if wished, HeCBench programs.
#
#   lab/gpu/pack.sh FOLDER [HECBENCH_ROOT NAME…]        x86-64 Linux; run `npm run build` first
set -eu
[ $# -ge 1 ] || { sed -n '2,6p' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
shift
[ -f "$root/dist/cli.js" ] || { echo 'There is no dist/cli.js. Run "npm run build".' >&2; exit 1; }
mkdir -p "$folder/dist" "$folder/ssh/lib" "$folder/programs"
folder=$(cd "$folder" && pwd)
[ -f "$folder/node.xz" ] || xz -T0 -3 -c "$(readlink -f "$(command -v node)")" >"$folder/node.xz"
cp "$root/dist/cli.js" "$folder/dist/"

# OpenSSH with the libraries it needs beyond the C library, which every Linux has in its own version.
if [ -x /usr/sbin/sshd ]; then
  for program in /usr/sbin/sshd "$(command -v ssh)" "$(command -v ssh-keygen)" "$(command -v rsync || true)"; do
    [ -n "$program" ] || continue
    cp -L "$program" "$folder/ssh/"
    ldd "$program" | sed -n 's|.*=> \(/[^ ]*\) .*|\1|p' | grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv|ld-linux[^/]*)\.so' | while read -r library; do cp -L "$library" "$folder/ssh/lib/"; done
  done
  tar -C "$folder" -cJf "$folder/ssh.tar.xz" ssh
  rm -r "$folder/ssh"
else
  echo 'There is no sshd here: the run over ssh will be left out.' >&2
  rm -r "$folder/ssh"
fi

if [ $# -ge 1 ]; then
  hecbench=$1
  shift
  for name; do
    cp -r "$hecbench/src/$name" "$folder/programs/"
    rm -f "$folder/programs/$name/"*.o "$folder/programs/$name/main"
  done
fi
du -sh "$folder" | cut -f 1
