// Kinds of facts of a file as a whole: its kernels, its launches, its build.
import { once } from '../language';
import type { FunctionDecl } from '../../syntax/ast';
import { bodyFact, kernelFact, launchFacts, unsetFacts } from '../kernels';
import type { BuildFact, KernelFact, OverrunFact, Span, UnsetFact } from '../model';
import { overrunFacts } from '../races';
import type { DeviceDebug } from './model';
import type { FileContext, FileKind } from './kinds';
import { mergeOverruns, mergeWrong } from './merge';

declare module '../model' {
  interface Facts {
    kernel: KernelFact;
    launch: LaunchFact;
    build: BuildFact;
    overrun: OverrunFact;
    unset: UnsetFact;
  }
}

const kernelsOf = once(({ uri, runs, launchesOf, locate, types, program, workOf }: FileContext): KernelFact[] => {
  const described = new Set<FunctionDecl>();
  return runs.flatMap((run) => {
    const facts: KernelFact[] = [];
    if (run.kernel.uri === uri && !described.has(run.kernel)) {
      described.add(run.kernel);
      const its = runs.filter(({ kernel }) => kernel === run.kernel);
      facts.push({ ...kernelFact(its, launchesOf, locate, types, program), work: workOf(run) });
    }
    if (run.body?.uri === uri)
      facts.push({ ...bodyFact(run, run.body, launchesOf, locate, program), work: workOf(run) });
    return facts;
  });
});

export const kernel: FileKind<'kernel'> = { kind: 'kernel', from: 'file', find: kernelsOf };
export const launch: FileKind<'launch'> = {
  kind: 'launch',
  from: 'file',
  find: ({ program, types, locate, launches, uri, fixes }) => launchFacts(program, types, locate, launches, uri, fixes),
};
export const build: FileKind<'build'> = {
  kind: 'build',
  from: 'file',
  find: (file) => buildFacts(kernelsOf(file), file.deviceDebug),
};

/** Each names the launch that it is about, which may be in another function than the access. */
export const overrun: FileKind<'overrun'> = {
  kind: 'overrun',
  from: 'file',
  find: ({ runs, launchesOf, locate, uri }) =>
    runs.flatMap((run) => overrunFacts(run, launchesOf.get(run) ?? [], locate, uri)),
  merge: mergeOverruns,
};

export const unset: FileKind<'unset'> = {
  kind: 'unset',
  from: 'file',
  find: (file) => file.runs.flatMap((run) => unsetFacts(run, file.launchesOf.get(run) ?? [], file)),
  merge: mergeWrong,
};

/** One fact for a file that defines kernels. */
function buildFacts(
  kernels: readonly { readonly name: string; readonly nameAt: Span }[],
  debug: DeviceDebug | undefined,
): BuildFact[] {
  const first = kernels[0];
  return debug && first
    ? [{ kind: 'build', at: first.nameAt, kernels: kernels.map(({ name }) => name), ...debug }]
    : [];
}
