/** Times a program's kernels where its counters may not be read: a timeline of nsys, else the times that it prints. */

import { randomBytes } from 'node:crypto';
import { basename, join, posix } from 'node:path';

import type { BuiltProgram } from '../build/build';
import type { HostFacts } from '../preflight/probe';
import type { Host } from '../transport/host';
import { ProfileProblem, lastLines } from '../transport/problem';
import { giveFreeName, whileLocked } from '../transport/resultFile';
import { printedTimes } from '../trial/outputs';
import type { PrintedTime } from '../trial/outputs';
import { runProgram } from '../trial/run';
import { runUnder, withBuiltProgram } from './profileSession';
import type { ProfileOptions, ProfileRequest } from './profileSession';

/** `timeline`: a SQLite export of nsys in the store. `printed`: what the program prints, where there is no nsys. */
export type KernelTimes = { readonly timeline: string } | { readonly printed: readonly PrintedTime[] };

/** Rejects with a ProfileProblem; leaves nothing on the host. */
export function timeKernels(request: ProfileRequest, options: ProfileOptions = {}): Promise<KernelTimes> {
  return withBuiltProgram(request, options, { counters: false, prepare: () => {} }, (host, { facts }, built) =>
    timeOn(host, facts, built, request, options),
  );
}

async function timeOn(
  host: Host,
  facts: HostFacts,
  built: BuiltProgram,
  request: ProfileRequest,
  { signal, onEvent }: ProfileOptions,
): Promise<KernelTimes> {
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
  const command = [facts.nsys, 'profile', '--trace=cuda', '--sample=none', '--force-overwrite=true', '--export=sqlite'];
  const ended = await runUnder('nsys', [...command, '--output', base], host, built, request.collect, { signal });
  const printed = lastLines(ended.output + ended.errors);
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
