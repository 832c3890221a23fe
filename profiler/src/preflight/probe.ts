/** One question to the host about everything a profile needs, and its answer as facts. */

/** What the host said. Absent facts were not to be had; nothing is guessed. */
export interface HostFacts {
  /** `uname -sm`, e.g. `Linux x86_64`. */
  readonly system: string | undefined;
  readonly hostName: string | undefined;
  readonly isRoot: boolean;
  readonly inContainer: boolean;
  readonly nvcc:
    | { readonly path: string; readonly version: string | undefined; readonly architectures: readonly string[] }
    | undefined;
  readonly ncu: NcuFacts | undefined;
  /** One entry for each GPU that nvidia-smi lists; undefined when there is no nvidia-smi. */
  readonly gpus: readonly GpuFacts[] | undefined;
  /** What nvidia-smi said when it did not list GPUs. */
  readonly gpuTrouble: string | undefined;
  /** Newest CUDA version that the driver runs, e.g. `13.0`. */
  readonly driverCuda: string | undefined;
  /** RmProfilingAdminOnly of the driver: whether only root may read the counters. */
  readonly countersForRootOnly: boolean | undefined;
  /** Whether the process may administrate the system (CAP_SYS_ADMIN), which the driver takes for root. */
  readonly hasAdminCapability: boolean | undefined;
  /** Free bytes in the scratch folder. */
  readonly freeBytes: number | undefined;
  /** Whether the command (behind the launcher) sees the scratch folder. */
  readonly seesScratch: boolean;
  /** Demangler on the host, if any. */
  readonly demangler: string | undefined;
  readonly cuobjdump: string | undefined;
  readonly nvdisasm: string | undefined;
  readonly nsys?: string | undefined;
  readonly sanitizer?: string | undefined;
}

export interface NcuFacts {
  readonly path: string;
  /** E.g. `2025.3.1`. */
  readonly version: string | undefined;
  /** The first line that names the program; holds `(replay)` when it is the recorded one. */
  readonly title: string | undefined;
  /** Identifiers that `--list-sections` prints. Empty when it finds no section files. */
  readonly sections: readonly string[];
  /** Long options that `--help` names, e.g. `--filter-mode`. */
  readonly options: readonly string[];
}

export interface GpuFacts {
  readonly name: string;
  readonly driver: string;
  /** E.g. `9.0`. */
  readonly computeCapability: string;
  /** Application clocks against their default, in MHz, when the driver says both. */
  readonly applicationClock: number | undefined;
  readonly defaultApplicationClock: number | undefined;
  /** Whether the GPU is cut into instances (MIG). */
  readonly mig: boolean;
}

/** Where CUDA's tools lie when PATH does not say: an ssh command gets a poorer PATH than a terminal. */
const usualFolders =
  '/usr/local/cuda/bin /usr/local/cuda-*/bin /opt/cuda/bin /usr/lib/nvidia-cuda-toolkit/bin ' +
  '/opt/nvidia/hpc_sdk/Linux_*/2*/compilers/bin /opt/nvidia/nsight-compute/2* ' +
  '/opt/nvidia/nsight-systems/2*/bin ' +
  '/usr/local/cuda/nsight-compute-2* /opt/nvidia/hpc_sdk/Linux_*/2*/profilers/Nsight_Compute';

/**
 * POSIX sh. Arguments: scratch folder, the driver's parameter file, nvcc or empty, ncu or empty.
 * Each answer follows a line `@@ NAME`; every question may fail without failing the others.
 */
export const probeScript = `
scratch=$1 parameters=$2 nvcc=$3 ncu=$4
say() { printf '\\n@@ %s\\n' "$1"; }
find_tool() {
  command -v "$1" 2>/dev/null && return
  for folder in ${usualFolders}; do
    [ -x "$folder/$1" ] && [ ! -d "$folder/$1" ] && last=$folder/$1
  done
  [ -n "$last" ] && printf '%s\\n' "$last"
  last=
}
export LC_ALL=C
say system; uname -sm
say hostname; uname -n
say user; id -u
say container; [ -e /.dockerenv ] || [ -e /run/.containerenv ] || grep -qE 'docker|kubepods|containerd|lxc' /proc/1/cgroup 2>/dev/null && echo yes
say capabilities; sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status 2>/dev/null
[ -n "$nvcc" ] || nvcc=$(find_tool nvcc)
if [ -n "$nvcc" ] && nvcc=$(command -v "$nvcc"); then
  say nvcc; printf '%s\\n' "$nvcc"; "$nvcc" --version 2>&1
  say architectures; "$nvcc" --list-gpu-code 2>/dev/null
fi
[ -n "$ncu" ] || ncu=$(find_tool ncu)
if [ -n "$ncu" ] && ncu=$(command -v "$ncu"); then
  say ncu; printf '%s\\n' "$ncu"; "$ncu" --version 2>&1
  say sections; "$ncu" --list-sections 2>&1
  say options; "$ncu" --help 2>/dev/null | grep -o -e '--[a-z][a-z-]*' | sort -u
fi
if smi=$(find_tool nvidia-smi) && [ -n "$smi" ]; then
  say gpus; "$smi" --query-gpu=name,driver_version,compute_cap,clocks.applications.graphics,clocks.default_applications.graphics,mig.mode.current --format=csv,noheader,nounits 2>&1
  say smi; "$smi" 2>/dev/null | head -n 6
fi
say parameters; cat "$parameters" 2>/dev/null
say room; df -Pk "$scratch" 2>/dev/null
say scratch; [ -d "$scratch" ] && [ -w "$scratch" ] && echo yes
say demangler; find_tool cu++filt || true; command -v c++filt 2>/dev/null
say cuobjdump; find_tool cuobjdump
say nvdisasm; find_tool nvdisasm
say nsys; find_tool nsys
sanitizer=$(find_tool compute-sanitizer)
for tool in "$nvcc" "$ncu"; do
  [ -x "\${tool%/*}/compute-sanitizer" ] && sanitizer=\${tool%/*}/compute-sanitizer && break
done
say sanitizer; printf '%s\\n' "$sanitizer"
exit 0
`;

/** Reads the answer. Never throws; what it does not recognise is absent. */
export function readProbe(text: string): HostFacts {
  const answers = new Map<string, string>();
  for (const part of text.split(/(?:^|\n)@@ /).slice(1)) {
    const end = part.indexOf('\n');
    answers.set(part.slice(0, end), part.slice(end + 1).trim());
  }
  const said = (name: string): string | undefined => answers.get(name) || undefined;
  const linesOf = (name: string): string[] =>
    (said(name)?.split('\n') ?? []).map((line) => line.trim()).filter((line) => line !== '');

  const nvccLines = linesOf('nvcc');
  const ncuLines = linesOf('ncu');
  const gpuLines = linesOf('gpus');
  const gpus = gpuLines.map(readGpu).filter((gpu) => gpu !== undefined);
  const parameter = /^RmProfilingAdminOnly:\s*(\d+)/m.exec(said('parameters') ?? '');
  const capabilities = said('capabilities');
  const room = linesOf('room').at(-1)?.split(/\s+/);
  const freeKilobytes = room && room.length >= 6 ? Number(room[room.length - 3]) : NaN;

  return {
    system: said('system'),
    hostName: said('hostname'),
    isRoot: said('user') === '0',
    inContainer: said('container') === 'yes',
    nvcc:
      nvccLines[0] === undefined
        ? undefined
        : {
            path: nvccLines[0],
            version:
              /release \d+\.\d+, V(\d+\.\d+\.\d+)/.exec(said('nvcc') ?? '')?.[1] ??
              /release (\d+\.\d+)/.exec(said('nvcc') ?? '')?.[1],
            architectures: linesOf('architectures').filter((line) => /^sm_\d+[a-z]?$/.test(line)),
          },
    ncu:
      ncuLines[0] === undefined
        ? undefined
        : {
            path: ncuLines[0],
            version: /Version (\d+\.\d+(?:\.\d+)?)/.exec(said('ncu') ?? '')?.[1],
            title: ncuLines.find((line) => /Nsight Compute/.test(line)),
            sections: readSectionList(said('sections') ?? ''),
            options: linesOf('options'),
          },
    gpus: answers.has('gpus') ? gpus : undefined,
    gpuTrouble: answers.has('gpus') && gpus.length === 0 ? gpuLines.slice(0, 3).join(' ') || undefined : undefined,
    driverCuda: /CUDA Version:\s*(\d+\.\d+)/.exec(said('smi') ?? '')?.[1],
    countersForRootOnly: parameter ? parameter[1] !== '0' : undefined,
    hasAdminCapability:
      capabilities && /^[0-9a-f]{1,16}$/i.test(capabilities)
        ? (BigInt(`0x${capabilities}`) & (1n << 21n)) !== 0n
        : undefined,
    freeBytes: Number.isFinite(freeKilobytes) ? freeKilobytes * 1024 : undefined,
    seesScratch: said('scratch') === 'yes',
    demangler: linesOf('demangler')[0],
    cuobjdump: linesOf('cuobjdump')[0],
    nvdisasm: linesOf('nvdisasm')[0],
    nsys: linesOf('nsys')[0],
    sanitizer: linesOf('sanitizer')[0],
  };
}

/** `--list-sections` prints a table whose first column is the identifier; other columns differ between versions. */
function readSectionList(text: string): string[] {
  const lines = text.split('\n');
  const header = lines.findIndex((line) => /^\s*Identifier\s/.test(line));
  return lines
    .slice(header + 1)
    .map((line) => /^\s*([A-Za-z][A-Za-z0-9_]*)\s{1,}\S/.exec(line)?.[1])
    .filter((name) => name !== undefined);
}

function readGpu(line: string): GpuFacts | undefined {
  const fields = line.split(',').map((field) => field.trim());
  if (fields.length < 3 || !/^\d+\.\d+$/.test(fields[2]!)) return undefined;
  const clock = (field: string | undefined) => (field && /^\d+$/.test(field) ? Number(field) : undefined);
  return {
    name: fields[0]!,
    driver: fields[1]!,
    computeCapability: fields[2]!,
    applicationClock: clock(fields[3]),
    defaultApplicationClock: clock(fields[4]),
    mig: fields[5] === 'Enabled',
  };
}
