/**
 * Problems that prevent a profile on a host, before anything is built or run, each with the step that solves it.
 */

import type { ProblemKind } from '../transport/problem';
import type { GpuFacts, HostFacts } from './probe';

export interface Check {
  readonly name:
    | 'host'
    | 'launcher'
    | 'nvcc'
    | 'gpu'
    | 'architecture'
    | 'driver'
    | 'ncu'
    | 'sections'
    | 'permission'
    | 'room'
    | 'clocks';
  readonly verdict: 'good' | 'note' | 'bad';
  /** What was found. */
  readonly text: string;
  /** What to do about it; absent when the verdict is good. */
  readonly nextStep?: string;
  /** What kind of problem a profile ends with that goes on regardless. */
  readonly kind?: ProblemKind;
}

/** What a list of checks shows of one. */
export type CheckRow = Pick<Check, 'verdict' | 'text' | 'nextStep'> & { readonly name: string };

/** Room that a profile wants: a build, and a report of the size of a large sample (30 MB) many times over. */
export const wantedFreeBytes = 512 << 20;

/** The oldest ncu whose reports and options this profiler was tried with in part; older ones are noted, not refused. */
const oldestTriedNcu = '2022.2';

export interface CheckOptions {
  readonly hostName: string;
  /** Whether nvcc is needed: not when the user's own command builds. */
  readonly needsNvcc: boolean;
  readonly launcher: readonly string[];
  /** Whether ncu is asked to lock the clocks. */
  readonly locksClocks: boolean;
}

/** Judges facts. Pure: the same facts give the same checks. */
export function judge(facts: HostFacts, options: CheckOptions): Check[] {
  const checks: Check[] = [];
  const good = (name: Check['name'], text: string) => checks.push({ name, verdict: 'good', text });
  const note = (name: Check['name'], text: string, nextStep: string) =>
    checks.push({ name, verdict: 'note', text, nextStep });
  const bad = (name: Check['name'], kind: ProblemKind, text: string, nextStep: string) =>
    checks.push({ name, verdict: 'bad', kind, text, nextStep });

  good('host', [options.hostName, facts.system, facts.inContainer ? 'in a container' : ''].filter(Boolean).join(', '));
  if (options.launcher.length > 0) {
    if (facts.seesScratch)
      good(
        'launcher',
        `\`${options.launcher.join(' ')}\` runs commands${facts.hostName ? ` on ${facts.hostName}` : ''}`,
      );
    else {
      bad(
        'launcher',
        'launcher',
        `A command run by \`${options.launcher.join(' ')}\` cannot access the scratch folder.`,
        'Use a folder that both can access with --scratch (for example a home or project folder).',
      );
    }
  }

  const gpu = facts.gpus?.[0];
  if (facts.nvcc) good('nvcc', `nvcc ${facts.nvcc.version ?? 'of unknown version'} (${facts.nvcc.path})`);
  else if (options.needsNvcc) {
    bad(
      'nvcc',
      'tool-missing',
      `nvcc was not found on ${options.hostName}.`,
      'Install the CUDA Toolkit there, or give the compiler with --nvcc; a non-interactive ssh session does ' +
        'not read .bashrc.',
    );
  } else {
    note('nvcc', `nvcc was not found on ${options.hostName}.`, 'Your build command must find its own compiler.');
  }

  if (gpu) {
    const more = facts.gpus!.length > 1 ? ` and ${facts.gpus!.length - 1} more` : '';
    good('gpu', `${gpu.name}${more}, compute capability ${gpu.computeCapability}, driver ${gpu.driver}`);
    if (gpu.mig)
      note(
        'gpu',
        'The GPU is partitioned into instances (MIG).',
        'Counters of shared units are not available in an instance; only per-line figures are.',
      );
  } else if (facts.gpus) {
    bad(
      'gpu',
      'no-gpu',
      `nvidia-smi lists no GPU on ${options.hostName}${facts.gpuTrouble ? `: ${facts.gpuTrouble}` : '.'}`,
      'Check the driver there (`nvidia-smi`), or use a launcher that allocates a GPU (--launcher "srun --gres=gpu:1").',
    );
  } else {
    bad(
      'gpu',
      'no-gpu',
      `nvidia-smi was not found on ${options.hostName}, so there is no NVIDIA driver.`,
      'Choose a host with a GPU, or a launcher that allocates one.',
    );
  }

  if (gpu && facts.nvcc && facts.nvcc.architectures.length > 0) {
    const wanted = architectureOf(gpu.computeCapability);
    if (facts.nvcc.architectures.includes(wanted)) good('architecture', `this nvcc builds for ${wanted}`);
    else {
      const known = facts.nvcc.architectures;
      const kind = options.needsNvcc
        ? bad
        : (name: Check['name'], _kind: ProblemKind, text: string, nextStep: string) => note(name, text, nextStep);
      kind(
        'architecture',
        'gpu-not-supported',
        `nvcc ${facts.nvcc.version ?? ''} cannot build for ${gpu.name} (${wanted}); it supports ${known[0]} to ` +
          `${known.at(-1)}.`,
        Number(wanted.slice(3)) < Number(known[0]!.slice(3).replace(/\D/g, ''))
          ? 'Use an older CUDA Toolkit for this GPU (--nvcc).'
          : 'Use a newer CUDA Toolkit for this GPU (--nvcc).',
      );
    }
  }
  if (facts.driverCuda && facts.nvcc?.version) {
    if (parseInt(facts.nvcc.version) > parseInt(facts.driverCuda)) {
      note(
        'driver',
        `The driver supports CUDA ${facts.driverCuda} and nvcc is ${facts.nvcc.version}: programs may fail to start.`,
        "Use the toolkit of the driver's CUDA version (--nvcc), or update the driver.",
      );
    } else good('driver', `the driver supports CUDA ${facts.driverCuda}`);
  }

  if (facts.ncu) {
    const shown = facts.ncu.title?.includes('(replay)')
      ? `ncu (replay) ${facts.ncu.version ?? ''}`
      : `ncu ${facts.ncu.version ?? 'of unknown version'}`;
    good('ncu', `${shown} (${facts.ncu.path})`);
    if (facts.ncu.version && compareVersions(facts.ncu.version, oldestTriedNcu) < 0)
      note(
        'ncu',
        `ncu ${facts.ncu.version} is older than the versions tested with Warplens.`,
        'Use a newer Nsight Compute (--ncu) if figures are missing.',
      );
    if (facts.ncu.sections.length === 0) {
      bad(
        'sections',
        'ncu-failed',
        'ncu finds no section files.',
        'A complete installation has them beside ncu (…/sections); reinstall Nsight Compute, or ' +
          'use another with --ncu.',
      );
    } else if (!facts.ncu.sections.includes('SourceCounters')) {
      bad(
        'sections',
        'ncu-failed',
        'This ncu has no section SourceCounters, so there are no per-line figures.',
        'Use Nsight Compute 2020.1 or newer (--ncu).',
      );
    } else good('sections', `${facts.ncu.sections.length} section files, SourceCounters among them`);
  } else {
    bad(
      'ncu',
      'tool-missing',
      `ncu was not found on ${options.hostName}.`,
      'Install Nsight Compute there (part of the CUDA Toolkit), or give its path with --ncu.',
    );
  }

  if (facts.countersForRootOnly === false) good('permission', 'every user may read the GPU counters');
  else if (facts.countersForRootOnly === true) {
    const admin = facts.hasAdminCapability ?? (facts.isRoot && !facts.inContainer);
    if (admin) good('permission', 'only root may read the GPU counters, and this is root');
    else
      bad(
        'permission',
        'permission',
        `Only root may read the GPU counters on ${options.hostName} (RmProfilingAdminOnly: 1).`,
        permissionStep(facts.inContainer),
      );
  } else {
    note(
      'permission',
      'The permission to read GPU counters is unknown before the run.',
      `If ncu refuses (ERR_NVGPUCTRPERM): ${permissionStep(facts.inContainer)}`,
    );
  }

  if (facts.freeBytes !== undefined) {
    const megabytes = Math.floor(facts.freeBytes / (1 << 20));
    if (facts.freeBytes < 16 << 20)
      bad(
        'room',
        'host-disk-full',
        `Only ${megabytes} MB are free in the scratch folder's file system.`,
        'Free some space there, or use another folder with --scratch.',
      );
    else if (facts.freeBytes < wantedFreeBytes)
      note(
        'room',
        `Only ${megabytes} MB are free in the scratch folder's file system.`,
        'A large report may not fit; use another folder with --scratch.',
      );
    else good('room', `${megabytes} MB free for scratch files`);
  }

  if (gpu) {
    const fixed =
      gpu.applicationClock !== undefined &&
      gpu.defaultApplicationClock !== undefined &&
      gpu.applicationClock !== gpu.defaultApplicationClock;
    if (fixed)
      note(
        'clocks',
        `Application clocks are set to ${gpu.applicationClock} MHz (default ${gpu.defaultApplicationClock}).`,
        'They are set manually; compare durations only with runs at the same clocks.',
      );
    else
      good(
        'clocks',
        options.locksClocks
          ? 'ncu locks the clocks while it measures'
          : 'the driver controls the clocks: durations vary with temperature and load ' +
              '(--clocks base or boost locks them)',
      );
  }
  return checks;
}

/** How a user gets at the counters; NVIDIA's page on ERR_NVGPUCTRPERM says the same at length. */
export function permissionStep(inContainer: boolean): string {
  return inContainer
    ? 'start the container with --cap-add=SYS_ADMIN, or ask the provider for it ' +
        '(https://developer.nvidia.com/ERR_NVGPUCTRPERM).'
    : 'ask the administrator to load the driver with `options nvidia NVreg_RestrictProfilingToAdminUsers=0` (a ' +
        'file in /etc/modprobe.d, then a reboot), or run as root (https://developer.nvidia.com/ERR_NVGPUCTRPERM).';
}

/** `9.0` → `sm_90`, `12.1` → `sm_121`. */
export function architectureOf(computeCapability: string): string {
  return `sm_${computeCapability.replace('.', '')}`;
}

/**
 * The next step for a program that is built for other GPUs than the host's. `makefile`, where the program's own build
 * has one, says in which variable the architecture stands.
 */
export function architectureStep(gpu: GpuFacts | undefined, makefile = ''): string {
  const wanted = gpu ? architectureOf(gpu.computeCapability) : 'sm_NN';
  const variable = /^[ \t]*(\w+)[ \t]*[:?]?=[ \t]*(\S.*(?:sm|compute)_\d+.*|(?:sm|compute)_\d+.*)$/m.exec(makefile);
  const value = variable ? variable[2]!.trim().replace(/(sm|compute)_\d+[af]?/g, `$1_${wanted.slice(3)}`) : wanted;
  const make = `make ${variable ? variable[1] : 'ARCH'}=${/\s/.test(value) ? `"${value}"` : value}`;
  return (
    `Build for ${gpu?.name ?? 'the GPU of that host'}: --flags "-arch=${wanted}" with nvcc, ` +
    `or in your build (--build '${make}'${variable ? '' : ', if that is its variable'}).`
  );
}

/** Orders dotted version numbers. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((version) => version.split('.').map(Number));
  for (let at = 0; at < Math.max(a!.length, b!.length); at++) {
    const difference = (a![at] ?? 0) - (b![at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The checks as text for a terminal. */
export function showChecks(checks: readonly CheckRow[]): string {
  const sign = { good: 'ok  ', note: 'note', bad: 'BAD ' } as const;
  return `${checks
    .map(
      (check) =>
        `${sign[check.verdict]}  ${check.name.padEnd(12)}  ` +
        `${check.text}${check.nextStep ? `\n${' '.repeat(20)}→ ${check.nextStep}` : ''}`,
    )
    .join('\n')}\n`;
}
