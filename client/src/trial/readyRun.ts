// What is run for a measurement: the run that a file was last profiled with, if it builds the program.
import type { TextDocument } from 'vscode';
import type { Profiling, ReadyRun, RunArguments } from '../profiling/profiling';
import { remedyTitles } from '../profiling/problemWords';

/** What `warplens.sweepParameter` takes; what is absent is asked for. */
export interface SweepArguments {
  readonly uri: string;
  /** From 0. */
  readonly line: number;
  /** Which parameter, where the line has several. */
  readonly name?: string;
  readonly values?: readonly number[];
  /** As for a profile: with something to run and a host, nothing is asked. */
  readonly run?: RunArguments;
}
/** The run that a file was last profiled with, or a new one; it has to build, since a changed form is built. */
export async function readyRun(
  profiling: Profiling,
  document: TextDocument,
  wanted: RunArguments | undefined,
  how: 'ask' | 'other host' | undefined,
): Promise<ReadyRun | undefined> {
  const ready = await profiling.readyRun(
    { file: document.uri.fsPath, ...wanted, ...(how === 'other host' ? { host: undefined } : {}) },
    how === 'ask' ? how : undefined,
  );
  if (!ready) return undefined;
  if (ready.request.build.built || ready.request.build.inPlace !== undefined) {
    const answer = await profiling.asking.say(
      'information',
      `Warplens: ${ready.title} is ` +
        `${ready.request.build.built ? 'already built' : 'built in place'}. Measuring a change ` +
        'needs a build from copies of the sources.',
      remedyTitles.what,
    );
    return answer && how !== 'ask' ? readyRun(profiling, document, undefined, 'ask') : undefined;
  }
  return ready;
}
