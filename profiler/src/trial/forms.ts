/** Builds each form of a program in a separate folder, and runs them under the same path, one after the other. */

import { basename, posix } from 'node:path';

import { build } from '../build/build';
import type { BuiltProgram } from '../build/build';
import type { Preflight } from '../preflight/preflight';
import type { Host } from '../transport/host';
import { ProfileProblem, lastLines } from '../transport/problem';
import type { Step, TrialOptions, TrialRequest, Variant } from './request';
import { copyFoldersOnce, variantHost } from './variantHost';

/** A form that was built. */
export interface Prepared {
  readonly variant: Variant;
  /** The host as the form sees it: what is written goes into `folder`. */
  readonly host: Host;
  /** The form's own folder on the host. */
  readonly folder: string;
  readonly built: BuiltProgram;
}

/** At most so many builds at a time. */
const buildsAtOnce = 4;

/**
 * Each form's program, or the problem that its build ended with. A problem that is not of the form (the host is lost,
 * the disk is full) is thrown.
 */
export async function buildAll(
  host: Host,
  checked: Preflight,
  request: TrialRequest,
  { signal, onEvent }: TrialOptions,
  step: Step,
): Promise<(Prepared | ProfileProblem)[]> {
  const results: (Prepared | ProfileProblem)[] = [];
  const waiting = [...request.variants.entries()];
  const copyFolder = copyFoldersOnce(host);
  let thrown: unknown;
  const buildNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next && thrown === undefined; next = waiting.shift()) {
      const [at, variant] = next;
      const folder = posix.join(host.scratch, `form-${at}`);
      const own = variantHost(host, folder, variant.files, copyFolder);
      step('build', `building: ${variant.name}`);
      try {
        await host.run(['mkdir', '-p', folder], { stage: 'send', signal, launched: false });
        const built = await build(own.host, checked.facts, request.build, {
          signal,
          onText: (text) => onEvent?.({ what: 'build-output', variant: variant.name, text }),
        });
        const [outside] = own.unused();
        if (outside !== undefined)
          throw new ProfileProblem(
            'build',
            'source-missing',
            `${basename(outside)} is not part of the build, so a change in it cannot be measured.`,
            'Use a build that includes it: the sources that include it, or a folder that contains it.',
          );
        results[at] = { variant, host: own.host, folder, built };
        onEvent?.({ what: 'built', variant: variant.name, program: built });
      } catch (error) {
        if (error instanceof ProfileProblem && (error.kind === 'build-failed' || error.kind === 'no-program')) {
          results[at] = error;
          onEvent?.({ what: 'build-failed', variant: variant.name, message: error.message });
        } else thrown ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(buildsAtOnce, request.variants.length) }, buildNext));
  if (thrown !== undefined) throw thrown;
  return results;
}

/**
 * Where the form that runs stands: all of them under one path, so that `argv[0]`, the working folder and what is made
 * of them are the same.
 */
export function commonFolder(host: Host): string {
  return posix.join(posix.dirname(host.scratch), 'form');
}

/**
 * Runs a form under the common path: its folder is moved there, a link stays behind for paths that its build has
 * written down, and afterwards it is moved back. The form is handed over as it is there. Rejects with what `act`
 * rejects with, and with a ProfileProblem where the folder cannot be moved.
 */
export async function underOnePath<Result>(
  form: Prepared,
  act: (form: Prepared) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const common = commonFolder(form.host);
  const there = (path: string): string =>
    path === form.folder || path.startsWith(`${form.folder}/`) ? common + path.slice(form.folder.length) : path;
  await move(form.host, 'mv "$1" "$2" && ln -s "$2" "$1"', form.folder, common, signal);
  const own: Host = {
    ...form.host,
    scratch: common,
    run: (words, options) => form.host.run(words, { ...options, directory: there(options.directory ?? common) }),
  };
  const { program, directory } = form.built;
  let result: Result;
  try {
    result = await act({
      ...form,
      host: own,
      folder: common,
      built: { ...form.built, program: there(program), directory: there(directory) },
    });
  } catch (error) {
    // The error is reported; the folder goes with its host if the host is unreachable.
    if (!signal?.aborted) await move(form.host, leave, form.folder, common).catch(() => undefined);
    throw error;
  }
  await move(form.host, leave, form.folder, common, signal);
  return result;
}

const leave = 'rm -f "$1" && mv "$2" "$1"';

async function move(host: Host, script: string, folder: string, common: string, signal?: AbortSignal): Promise<void> {
  const moved = await host.run(['sh', '-c', script, 'move', folder, common], {
    stage: 'run',
    signal,
    launched: false,
    directory: posix.dirname(common),
  });
  if (moved.status !== 0)
    throw new ProfileProblem(
      'run',
      'no-scratch',
      `${folder} could not be moved on ${host.name}.`,
      'Use another folder there with --scratch.',
      lastLines(moved.errors, 3),
    );
}
