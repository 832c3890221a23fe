/**
 * Compares what the runs of two forms printed: by the user's own command, byte for byte, or by what was learnt of the
 * unchanged one.
 */

import { posix } from 'node:path';

import type { Host } from '../transport/host';
import { ProfileProblem } from '../transport/problem';
import { compareOutput, learnOutput } from './outputs';
import type { LearntOutput, OutputComparison } from './outputs';
import type { TrialRequest } from './request';
import { longestOutput, sameOnHost } from './run';
import type { ProgramRun } from './run';
import type { Ran } from './runForms';

/** What the unchanged form prints, learnt from all of its runs. */
export function learn({ runs, folder }: Ran): LearntOutput {
  const texts = runs.map(({ output }) => output && underOneName(output, folder));
  if (texts.every((text) => text !== undefined)) return learnOutput(texts);
  return {
    lines: [],
    fixed: { lines: 0, numbers: 0 },
    incomparable: `The program prints more than ${longestOutput >> 20} MB; it was compared byte by byte only.`,
  };
}

export async function compareRuns(
  host: Host,
  learnt: LearntOutput,
  before: Ran,
  after: Ran,
  request: TrialRequest,
  signal?: AbortSignal,
): Promise<OutputComparison> {
  const [was, is] = [before.runs[0]!, after.runs[0]!];
  const command = request.compare?.command;
  if (command !== undefined) {
    const said = await host.run(['sh', '-c', command, 'compare', was.outputFile, is.outputFile], {
      stage: 'run',
      signal,
      directory: after.built.directory,
      environment: { BEFORE: before.built.directory },
    });
    const remark = `Compared by \`${command}\`.`;
    if (said.status === 0) return { verdict: 'same', leftOut: [], remark };
    if (said.status >= 126)
      throw new ProfileProblem(
        'run',
        'bad-setting',
        `The comparison \`${command}\` could not be run on ${host.name}.`,
        'Check the command there; status 0 means equal, 1 means different output.',
        said.errors.trim(),
      );
    return {
      verdict: 'different',
      leftOut: [],
      remark,
      difference: {
        line: 1,
        before: `\`${command}\``,
        after: (said.output + said.errors).trim().split('\n')[0]?.slice(0, 200) || `status ${said.status}`,
      },
    };
  }
  if (was.output === undefined || is.output === undefined) {
    const allSame = async (runs: readonly ProgramRun[]): Promise<boolean> => {
      for (const run of runs) if (!(await sameOnHost(host, was.outputFile, run.outputFile, signal))) return false;
      return true;
    };
    if (!(await allSame(before.runs.slice(1))))
      return {
        verdict: 'not compared',
        leftOut: [],
        remark: 'The program prints more than 1 MB, which varies from run to run, so its output was not compared.',
      };
    if (await allSame(after.runs)) return { verdict: 'same', leftOut: [], remark: 'Compared byte by byte.' };
    return {
      verdict: 'different',
      leftOut: [],
      difference: { line: 1, before: `${was.outputBytes} bytes`, after: `${is.outputBytes} bytes, different` },
    };
  }
  return compareOutput(
    learnt,
    after.runs.map(({ output }) => underOneName(output ?? '', after.folder)),
    request.compare?.tolerance ?? 0,
  );
}

/** Paths that a build wrote down (`__FILE__`) name the folder of their form: they read alike for all. */
function underOneName(output: string, folder: string): string {
  const scratch = posix.basename(posix.dirname(folder));
  return output.replaceAll(`${scratch}/${posix.basename(folder)}`, `${scratch}/form`);
}
