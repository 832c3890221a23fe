/** Times a program's kernels where its counters may not be read: a timeline of nsys, else the times that it prints. */

import { randomBytes } from 'node:crypto';
import { basename, join, posix } from 'node:path';

import { build } from '../build/build';
import { preflight, problemOf } from '../preflight/preflight';
import { openHost } from '../transport/openHost';
import type { Host } from '../transport/host';
import { ProfileProblem, cancelled, lastLines } from '../transport/problem';
import { giveFreeName, whileLocked } from '../transport/resultFile';
import { printedTimes } from '../trial/outputs';
import type { PrintedTime } from '../trial/outputs';
import { runProgram } from '../trial/run';
import type { ProfileOptions, ProfileRequest } from './profileSession';

/** `timeline`: a SQLite export of nsys in the store. `printed`: what the program prints, where there is no nsys. */
export type KernelTimes = { readonly timeline: string } | { readonly printed: readonly PrintedTime[] };

/** Checks that are about ncu alone. */
const ofCounters: ReadonlySet<string> = new Set(['ncu', 'sections', 'permission']);

/** Rejects with a ProfileProblem; leaves nothing on the host. */
export async function timeKernels(request: ProfileRequest, options: ProfileOptions = {}): Promise<KernelTimes> {
  options.onEvent?.({ what: 'stage', stage: 'reach' });
  const host = await openHost(request.host, options.signal);
  try {
    return await timeOn(host, request, options);
  } finally {
    options.onEvent?.({ what: 'stage', stage: 'clean' });
    await host.close();
  }
}

async function timeOn(host: Host, request: ProfileRequest, { signal, onEvent }: ProfileOptions): Promise<KernelTimes> {
  onEvent?.({ what: 'stage', stage: 'preflight' });
  const { facts, checks } = await preflight(host, {
    signal,
    nvcc: request.nvcc,
    needsNvcc: request.build.command === undefined && !request.build.built,
    locksClocks: false,
    driverParameters: request.driverParameters,
  });
  const hopeless = problemOf(checks.filter(({ name }) => !ofCounters.has(name)));
  if (hopeless) throw hopeless;

  onEvent?.({ what: 'stage', stage: 'build' });
  const built = await build(host, facts, request.build, {
    signal,
    onText: (text) => onEvent?.({ what: 'build-output', text }),
  });
  onEvent?.({ what: 'built', program: built });

  onEvent?.({ what: 'stage', stage: 'run' });
  const base = posix.join(host.scratch, 'timeline');
  if (!facts.nsys) {
    const run = await runProgram(host, built.program, built.directory, base, request.collect, signal);
    const printed = printedTimes(run.output === undefined ? [] : [run.output]);
    if (printed.length > 0) return { printed };
    throw new ProfileProblem(
      'run',
      'tool-missing',
      `nsys was not found on ${host.name}, and the program prints no times.`,
      'Install Nsight Systems there (part of the CUDA Toolkit).',
      run.errors,
    );
  }
  const limit = AbortSignal.timeout(request.collect.timeLimitSeconds * 1000);
  const command = [facts.nsys, 'profile', '--trace=cuda', '--sample=none', '--force-overwrite=true', '--export=sqlite'];
  let printed = '';
  try {
    const { output, errors } = await host.run(
      [...command, '--output', base, built.program, ...request.collect.arguments],
      {
        stage: 'run',
        directory: built.directory,
        environment: request.collect.environment,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      },
    );
    printed = lastLines(output + errors);
  } catch (error) {
    if (signal?.aborted) throw cancelled('run');
    if (!limit.aborted) throw error;
    throw new ProfileProblem(
      'run',
      'time-limit',
      `The program did not end within ${request.collect.timeLimitSeconds} s under nsys.`,
      'Use a smaller input, or allow more time with --time-limit.',
    );
  }
  const made = await host.run(['test', '-s', `${base}.sqlite`], { stage: 'run', signal, launched: false });
  if (made.status !== 0)
    throw new ProfileProblem('run', 'program-failed', 'nsys wrote no timeline.', 'See its output.', printed);

  onEvent?.({ what: 'stage', stage: 'fetch' });
  const name = basename(built.program);
  const copy = join(request.store, `.${name}-${randomBytes(6).toString('hex')}.fetched`);
  await host.fetch(`${base}.sqlite`, copy, 'fetch', signal, (have, all) => onEvent?.({ what: 'fetched', have, all }));
  const kept = await whileLocked(join(request.store, 'reports'), () =>
    giveFreeName(copy, (taken) => {
      let at = 1;
      const named = () => `${name}-times-${String(at).padStart(3, '0')}.sqlite`;
      while (taken.includes(named())) at++;
      return named();
    }),
  );
  return { timeline: join(request.store, kept) };
}
