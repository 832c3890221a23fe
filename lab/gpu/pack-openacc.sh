#!/usr/bin/env bash
# Builds what openacc.sh runs on a machine with a GPU but without GCC's offload compiler: the sparse product, the small pairs, the samples and the
# rules' examples, each for the GPU with GCC, and the libraries that they need.
#
#   lab/gpu/pack-openacc.sh [FOLDER]      x86-64 Linux with gcc, gfortran, their nvptx offload (Debian: gcc-offload-nvptx) and node; FOLDER is .carry/openacc
set -eu
cd "$(dirname "$0")/../.."
folder=${1:-.carry/openacc}
rm -rf "$folder"
mkdir -p "$folder/lib" "$folder/bin" "$folder/pairs" "$folder/samples"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
offload=(-foffload=nvptx-none "-foffload-options=nvptx-none=-misa=sm_80 -O3 -lm")
flags_of() { case $1 in *.f90 | *.F90) echo "-cpp -ffree-line-length-none -fallow-argument-mismatch" ;; *.f) echo "-ffixed-line-length-none" ;; *) echo "-std=gnu11" ;; esac; }
# build SOURCE PROGRAM gpu|serial: serial leaves the directives out, which is what the program means.
build() {
  local compiler=gcc flags modules
  case $1 in *.f90 | *.F90 | *.f) compiler=gfortran ;; *.cpp) compiler=g++ ;; esac
  flags=$(flags_of "$1")
  [ $compiler = g++ ] && flags=-std=gnu++17
  modules=$(mktemp -d "$work/modules.XXXXXX")
  [ $compiler = gfortran ] && flags="$flags -J$modules"
  if [ "$3" = gpu ]; then
    # shellcheck disable=SC2086
    $compiler -O2 -w $flags -fopenacc "${offload[@]}" -o "$2" "$1" -lm
  else
    $compiler -O2 -w $flags -o "$2" "$1" -lm
  fi >"$2.log" 2>&1 && rm -f "$2.log" || echo "not built: $1 ($3)" >&2
}
# soon …: builds beside others.
soon() {
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
  build "$@" &
}

for name in product.c patterns.c product.F90; do soon "lab/gpu/openacc/$name" "$folder/bin/$name.exe" gpu; done
for source in samples/openacc/*/[0-9]*.c samples/openacc/*/[0-9]*.f90; do
  name=$(echo "${source#samples/openacc/}" | tr / -)
  soon "$source" "$folder/samples/$name.exe" gpu
done
npx tsx lab/gpu/writeAccPrograms.ts "$work/pairs"
for source in "$work"/pairs/*; do
  [ -f "$source" ] || continue
  name=$(basename "$source")
  soon "$source" "$folder/pairs/$name.exe" gpu
  case $name in *.before.*) soon "$source" "$folder/pairs/${name/.before./.serial.}.exe" serial ;; esac
done
wait

for library in libgomp.so.1 libgomp-plugin-nvptx.so.1 libgfortran.so.5 libquadmath.so.0; do
  path=$(gcc -print-file-name="$library")
  [ -f "$path" ] || path=$(ldconfig -p | sed -n "s|.*x86-64.*=> \(.*/$library\)$|\1|p" | head -n 1)
  [ -f "$path" ] && cp -L "$path" "$folder/lib/" || echo "There is no $library here." >&2
done
gcc --version | head -n 1 | sed 's/.* //' >"$folder/gcc-version"
du -sh "$folder" | cut -f 1
ls "$folder/bin" "$folder/samples" "$folder/pairs" | grep -c 'exe$'
