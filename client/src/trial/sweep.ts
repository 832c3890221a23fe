// Sweeps a number of a line: builds, runs and times the program with each of several values.
import { Uri, window, workspace } from 'vscode';
import type { FoundParameter } from '../../../protocol/src/requests';
import type { Profiling } from '../profiling/profiling';
import type { Server } from '../server';
import { formEdits, placeOf, textsOf } from './formEdits';
import { parametersAt } from './measureActions';
import type { Measurements } from './measurement';
import { readyRun, type SweepArguments } from './readyRun';
import type { ShownTrial } from './trialPanel';

/** The command *Sweep …*: takes a line, or that of the cursor. */
export function sweeper(
  server: Server,
  profiling: Profiling,
  measurements: Measurements,
): (given?: unknown) => Promise<ShownTrial | undefined> {
  async function sweep(given?: unknown, how?: 'ask' | 'other host'): Promise<ShownTrial | undefined> {
    const wanted: SweepArguments | undefined = isSweepArguments(given)
      ? given
      : window.activeTextEditor && {
          uri: window.activeTextEditor.document.uri.toString(),
          line: window.activeTextEditor.selection.active.line,
        };
    if (!wanted) return undefined;
    const document = await workspace.openTextDocument(Uri.parse(wanted.uri));
    const line = document.lineAt(Math.min(wanted.line, document.lineCount - 1)).range;
    const first = await choose(await parametersAt(server, document, line), wanted.name);
    const values = first && (wanted.values ?? (await askForValues(first)));
    if (!first || !values) return undefined;
    const ready = await readyRun(profiling, document, wanted.run, how);
    if (!ready) return undefined;
    // Saving may have formatted the line.
    const parameter = (await parametersAt(server, document, line)).find(({ name }) => name === first.name) ?? first;
    const forms = await Promise.all(
      ordered(parameter.value, values).map(async (value) => ({
        name: value === parameter.value ? `${value} (current)` : String(value),
        edits:
          value === parameter.value
            ? []
            : await formEdits([{ uri: parameter.uri, range: parameter.range, newText: String(value) }]),
      })),
    );
    return measurements.measure(
      {
        subject: { title: `Sweep of ${parameter.name}`, place: placeOf(document, line.start.line), kind: 'sweep' },
        forms,
        before: await textsOf(forms.flatMap(({ edits }) => edits)),
        ...(parameter.kernel !== undefined ? { kernel: parameter.kernel } : {}),
      },
      ready,
      (again) => sweep({ ...wanted, values }, again),
    );
  }

  async function choose(
    found: readonly FoundParameter[],
    name: string | undefined,
  ): Promise<FoundParameter | undefined> {
    const fitting = name === undefined ? found : found.filter((parameter) => parameter.name === name);
    if (fitting.length === 0) {
      void profiling.asking.say(
        'information',
        'Warplens: this line has no number to sweep. Put the cursor on a launch, a num_workers or ' +
          'vector_length clause, or an integer constant.',
      );
      return undefined;
    }
    if (fitting.length === 1) return fitting[0];
    return (
      await profiling.asking.pick(
        fitting.map((parameter) => ({
          label: parameter.name,
          description: String(parameter.value),
          ...(parameter.remark === undefined ? {} : { detail: parameter.remark }),
          parameter,
        })),
        { title: 'Sweep', placeholder: 'Number to sweep' },
      )
    )?.item.parameter;
  }

  async function askForValues({
    name,
    candidates,
    value,
    remark,
  }: FoundParameter): Promise<readonly number[] | undefined> {
    const text = await profiling.asking.input({
      title: `Sweep ${name}`,
      value: candidates.join(', '),
      prompt: `Values to build, run and time; the current value is ${value}.${remark ? ` Note: ${remark}.` : ''}`,
      validateInput: (typed) =>
        numbersIn(typed)
          ? undefined
          : 'Positive whole numbers separated by commas, at least one of them not the current value.',
    });
    return text === undefined ? undefined : numbersIn(text);

    function numbersIn(typed: string): number[] | undefined {
      const numbers = typed
        .split(/[\s,;]+/)
        .filter((part) => part !== '')
        .map(Number);
      return numbers.some((number) => number !== value) &&
        numbers.every((number) => Number.isSafeInteger(number) && number > 0)
        ? [...new Set(numbers)]
        : undefined;
    }
  }

  return (given) => sweep(given);
}

/** The present value first, then the others in order. */
function ordered(value: number, values: readonly number[]): number[] {
  return [value, ...values.filter((other) => other !== value).sort((a, b) => a - b)];
}

function isSweepArguments(given: unknown): given is SweepArguments {
  const { uri, line } = (given ?? {}) as Partial<SweepArguments>;
  return typeof uri === 'string' && typeof line === 'number';
}
