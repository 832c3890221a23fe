/** Turns what ncu said into one message and the next step. */

import { architectureStep, permissionStep } from '../preflight/checks';
import type { GpuFacts } from '../preflight/probe';
import { ProfileProblem } from '../transport/problem';
import type { NcuSummary } from './ncuOutput';

export interface RunFacts {
  readonly hostName: string;
  readonly program: string;
  readonly inContainer: boolean;
  readonly kernelFilter: string | undefined;
  readonly gpu?: GpuFacts | undefined;
  readonly status: number;
  readonly summary: NcuSummary;
  /** The last lines that the program itself printed. */
  readonly programText: string;
  readonly allText: string;
}

/**
 * The problem of a run that brought no kernels. Texts of ncu's messages as seen in its logs (2025.3) and in its
 * documentation; ncu ends with status 0 when a filter matched nothing, so the status alone says little.
 */
export function problemOfRun(run: RunFacts): ProfileProblem {
  const { summary, hostName } = run;
  const said = [...summary.errors, ...summary.warnings].join('\n');
  const detail = summary.errors.length > 0 ? summary.errors.slice(-4).join('\n') : run.programText;
  const problem = (kind: ProfileProblem['kind'], what: string, nextStep: string) =>
    new ProfileProblem('collect', kind, what, nextStep, detail);

  if (/ERR_NVGPUCTRPERM/.test(run.allText)) {
    return problem(
      'permission',
      `No permission to read the GPU counters on ${hostName} (ERR_NVGPUCTRPERM).`,
      `${capitalised(permissionStep(run.inContainer))} Times need no counters: --times.`,
    );
  }
  if (noKernelImage.test(run.allText)) {
    return problem(
      'program-failed',
      `The program has no code for the GPU of ${hostName}: ${noKernelImage.exec(run.allText)![0]}.`,
      architectureStep(run.gpu),
    );
  }
  if (/LibraryNotLoaded/.test(run.allText)) {
    return problem(
      'ncu-failed',
      `ncu cannot load the driver's profiling library on ${hostName} (LibraryNotLoaded).`,
      'Virtualised GPUs and sandboxed containers often lack it; use a host with direct access to the GPU.',
    );
  }
  if (/No section files found/.test(run.allText)) {
    return problem(
      'ncu-failed',
      'ncu finds no section files.',
      'Reinstall Nsight Compute there, or use a complete installation with --ncu.',
    );
  }
  if (/No space left on device|Disk quota exceeded/.test(run.allText)) {
    return problem(
      'host-disk-full',
      `The disk of ${hostName} is full.`,
      'Free some space there, or use another folder with --scratch.',
    );
  }
  if (/does not exist or is not an executable/.test(said)) {
    return problem(
      'no-program',
      `${run.program} is not a program that ${hostName} can run.`,
      'Check that the build produced it, or give its path with --program.',
    );
  }
  if (/lock file|InterprocessLockFailed/i.test(said)) {
    return problem(
      'ncu-failed',
      `ncu cannot take its lock on ${hostName}: another user owns the lock file.`,
      'Ask the owner to remove nsight-compute-lock from the temporary folder there.',
    );
  }
  if (/driver resource was unavailable|ERR_NVGPUCTRUNAVAIL/i.test(said)) {
    return problem(
      'ncu-failed',
      `Another tool is using the GPU counters on ${hostName}.`,
      'Stop it during the run (for a monitoring service: `dcgmi profile --pause`).',
    );
  }
  if (
    /driver is not compatible|not supported on (?:this )?device|does not support profiling|GPU architecture .* not supported/i.test(
      said,
    )
  ) {
    return problem(
      'gpu-not-supported',
      `This ncu cannot profile the GPU or driver of ${hostName}.`,
      'Use a Nsight Compute version that supports this GPU (--ncu).',
    );
  }
  const code = /application returned an error code \((\d+)\)/i.exec(said)?.[1];
  const crashed = /terminated before|crashed|signal/i.test(said);
  const status = code !== undefined ? Number(code) : run.status;
  if (
    code !== undefined ||
    crashed ||
    (run.status !== 0 && summary.connected && summary.availableKernels.length === 0)
  ) {
    return problem(
      'program-failed',
      `The program ${describeStatus(status)} before a kernel was measured.`,
      'Run it by hand with the same arguments until it works, then profile it.',
    );
  }
  if (summary.connected || /No kernels were profiled/.test(said)) {
    if (run.kernelFilter !== undefined) {
      const names = summary.availableKernels;
      return problem(
        'no-kernels',
        `No kernel of the program matches ${run.kernelFilter}.`,
        names.length > 0
          ? `It has ${names.slice(0, 8).join(', ')}${names.length > 8 ? ', …' : ''}; to match part of a name, use ` +
              'regex:part.'
          : 'Give --kernel as regex:part, or omit it.',
      );
    }
    return problem(
      'no-kernels',
      'The program finished without launching a kernel.',
      'Check its arguments, and that it uses this GPU.',
    );
  }
  const first = summary.errors[0];
  if (first !== undefined)
    return problem(
      'ncu-failed',
      `ncu failed: ${first.split('\n')[0]}`,
      'Run the command by hand on the host (--keep leaves the program there).',
    );
  if (run.status === 126 || run.status === 127)
    return problem('tool-missing', `ncu could not be run on ${hostName}.`, 'Give its path with --ncu.');
  return new ProfileProblem(
    'collect',
    'ncu-failed',
    `ncu ended with status ${run.status} and produced no report.`,
    'Run the command by hand on the host (--keep leaves the program there).',
    run.allText.trim().split('\n').slice(-8).join('\n'),
  );
}

/** What CUDA says of a program that was built for other GPUs. */
export const noKernelImage = /no kernel image is available for execution on the device|cudaErrorNoKernelImageForDevice/;

const signals: Readonly<Record<number, string>> = {
  4: 'an illegal instruction',
  6: 'an abort',
  7: 'a bus error',
  8: 'an arithmetic error',
  9: 'a kill signal (possibly out of memory)',
  11: 'a segmentation fault',
  15: 'a termination',
};

/** What an exit status says in words; 128 + n is signal n, and ncu also gives the bare signal number. */
export function describeStatus(status: number): string {
  const signal = signals[status > 128 ? status - 128 : status];
  if (signal && (status > 128 || status === 11)) return `ended with ${signal}`;
  return status === 0 ? 'ended' : `ended with exit status ${status}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
