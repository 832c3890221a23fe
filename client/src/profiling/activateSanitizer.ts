// *Confirm with Compute Sanitizer*: runs the program of a profile under a tool that sees errors of threads.
import { commands } from 'vscode';
import { sourcesOf } from '../../../profiler/src/history/stepStore';
import { sanitizerTools, type SanitizerTool } from '../../../profiler/src/sanitizer/sanitizerOutput';
import type { Sanitized } from '../evidence/sanitized';
import type { FeatureContext } from '../featureContext';
import { argumentsOf, type Profiling, type RunArguments } from './profiling';

const finds: Readonly<Record<SanitizerTool, string>> = {
  memcheck: 'accesses out of bounds and misaligned ones',
  racecheck: 'races in shared memory',
  synccheck: 'barriers that not all threads reach',
  initcheck: 'reads of memory that nothing wrote',
};

/** The command takes what `warplens.profile.run` takes, and `tool`. */
export function activateSanitizer(
  { extension }: Pick<FeatureContext, 'extension'>,
  profiling: Profiling,
  sanitized: Pick<Sanitized, 'show'>,
): void {
  async function confirm(wanted: RunArguments & { readonly tool?: string }): Promise<void> {
    const tool = sanitizerTools.find((each) => each === wanted.tool) ?? (await pickTool());
    const ready = tool && (await profiling.readyRun(wanted, 'again'));
    if (!ready) return;
    const sources = await sourcesOf(ready.request.build);
    const runs = await profiling.runner.sanitize(ready.request, [tool], ready.title, () => void ready.keep());
    if (!runs) return;
    sanitized.show(sources, runs);
    const errors = runs.flatMap(({ records }) => records).length;
    const notes = runs.flatMap((run) => run.notes);
    for (const note of notes) profiling.runner.output.appendLine(`note: ${note}`);
    const text = `${tool} reports ${errors === 1 ? 'one error' : `${errors === 0 ? 'no' : errors} errors`} in this run`;
    profiling.runner.output.appendLine(text);
    const answer = await profiling.asking.say(
      errors > 0 || notes.length > 0 ? 'warning' : 'information',
      [`Warplens: ${text}.`, ...notes.slice(0, 1)].join(' '),
      ...(errors > 0 ? ['Show Problems'] : []),
    );
    if (answer) await commands.executeCommand('workbench.actions.view.problems');
  }

  async function pickTool(): Promise<SanitizerTool | undefined> {
    const items = sanitizerTools.map((tool) => ({ label: tool, description: finds[tool] }));
    const title = 'Confirm with Compute Sanitizer';
    return (await profiling.asking.pick(items, { title, placeholder: 'What to look for' }))?.item.label;
  }

  extension.subscriptions.push(
    commands.registerCommand('warplens.profile.sanitize', (value?: unknown) => confirm(argumentsOf(value))),
  );
}
