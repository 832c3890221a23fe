/** Asks a host whether a profile can work there. */

import type { Host } from '../transport/host';
import { ProfileProblem, lastLines } from '../transport/problem';
import { judge } from './checks';
import type { Check } from './checks';
import { probeScript, readProbe } from './probe';
import type { HostFacts } from './probe';

export interface PreflightOptions {
  readonly signal?: AbortSignal | undefined;
  /** Compiler and profiler on the host when they are not the ones that PATH and the usual folders give. */
  readonly nvcc?: string | undefined;
  readonly ncu?: string | undefined;
  readonly needsNvcc: boolean;
  readonly locksClocks: boolean;
  /** The driver's parameter file; another one only in tests. */
  readonly driverParameters?: string | undefined;
}

export interface Preflight {
  readonly facts: HostFacts;
  readonly checks: readonly Check[];
}

/**
 * Rejects only when the host is lost, the launcher does not work or the signal aborts; its other findings are in
 * the checks.
 */
export async function preflight(host: Host, options: PreflightOptions): Promise<Preflight> {
  const answer = await host.run(
    [
      'sh',
      '-c',
      probeScript,
      'warplens',
      host.scratch,
      options.driverParameters ?? '/proc/driver/nvidia/params',
      options.nvcc ?? '',
      options.ncu ?? '',
    ],
    // With a launcher the folder is wherever the launcher puts commands: whether the scratch folder is seen there is
    // one of the questions.
    { stage: 'preflight', signal: options.signal, directory: host.launcher.length > 0 ? '/' : host.scratch },
  );
  if (!answer.output.includes('@@ system')) {
    throw new ProfileProblem(
      'preflight',
      host.launcher.length > 0 ? 'launcher' : 'connection-lost',
      `${host.name} did not answer the checks before the run.`,
      host.launcher.length > 0 ? 'Run the launcher by hand with the command `true`.' : 'Try again.',
      lastLines(answer.errors),
    );
  }
  const facts = readProbe(answer.output);
  return {
    facts,
    checks: judge(facts, {
      hostName: host.name,
      needsNvcc: options.needsNvcc,
      launcher: host.launcher,
      locksClocks: options.locksClocks,
    }),
  };
}

/** The first check that makes a profile hopeless, as a problem. */
export function problemOf(checks: readonly Check[]): ProfileProblem | undefined {
  const failed = checks.find((check) => check.verdict === 'bad');
  return failed && new ProfileProblem('preflight', failed.kind ?? 'ncu-failed', failed.text, failed.nextStep ?? '');
}
