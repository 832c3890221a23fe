// What the page of a measurement shows, as data: the verdict, the forms with their times, what may be applied.
import { showDuration } from '../../../profiler/src/history/steps';
import { showGain } from '../../../profiler/src/trial/judge';
import { totalTime } from '../../../profiler/src/trial/kernelTimes';
import { bestOf, plainName, showBest, trialRows } from '../../../profiler/src/trial/show';
import type { Spread } from '../../../profiler/src/trial/spread';
import type { TrialResult, VariantResult } from '../../../profiler/src/trial/trial';

/** What was measured, besides the result. */
export interface TrialSubject {
  /** The fix, or `Sweep of num_workers`. */
  readonly title: string;
  /** `unpadded-tile.cu:18`. */
  readonly place: string;
  /** A fix, or values of one number. */
  readonly kind: 'fix' | 'sweep';
}

export interface TrialPageModel {
  readonly title: string;
  readonly subtitle: string;
  /** How the headline is coloured. */
  readonly mood: 'better' | 'worse' | 'neutral';
  readonly headline: string;
  readonly explanation: string;
  readonly forms: readonly PageForm[];
  /** In which they are shown. */
  readonly order: readonly number[];
  /** Columns that have something in them. */
  readonly columns: readonly { readonly key: Column; readonly title: string }[];
  /** Kernels by form, where a form has several. */
  readonly kernels: readonly { readonly name: string; readonly times: readonly string[] }[];
  readonly notes: readonly string[];
  /** What the first button does. */
  readonly offer?: { readonly form: number; readonly label: string };
}

export type Column = 'kernel' | 'result' | 'program' | 'registers' | 'occupancy';

export interface PageForm {
  readonly name: string;
  readonly isUnchanged: boolean;
  readonly isBest: boolean;
  /** Of the longest time, 0 to 1; absent where no time is. */
  readonly bar?: number;
  readonly cells: Readonly<Record<Column, string>>;
  readonly mood: 'better' | 'worse' | 'neutral';
  /** In words, where the columns do not say it all. */
  readonly words: string;
  readonly canApply: boolean;
  readonly recommended: boolean;
  readonly hasOutput: boolean;
  readonly differs: boolean;
}

const titles: Readonly<Record<Column, string>> = {
  kernel: 'Kernel time',
  result: 'Result',
  program: 'Whole program',
  registers: 'Registers',
  occupancy: 'Occupancy',
};

/** The model of the page; `inEditorWords` names settings where the profiler names options of the command line. */
export function trialPage(
  subject: TrialSubject,
  result: TrialResult,
  inEditorWords: (text: string) => string = (text) => text,
): TrialPageModel {
  // What is wrong with a form counts before its time.
  const rows = trialRows(result).map(({ gain, output, ...row }) => ({
    ...row,
    result:
      output === 'different' ? 'output differs' : output === 'fails' || output === 'does not build' ? output : gain,
  }));
  const best = bestOf(result)?.best;
  const times = result.variants.map(barTime);
  const longest = Math.max(...times.map((time) => time?.median ?? 0));
  const forms = result.variants.map(
    (variant, index): PageForm => ({
      name: variant.name,
      isUnchanged: index === 0,
      isBest: variant === best,
      ...(times[index] && longest > 0 ? { bar: times[index].median / longest } : {}),
      cells: rows[index]!,
      mood: moodOf(variant),
      words: inEditorWords(variant.verdict?.words ?? ''),
      canApply: index > 0 && variant.build.ok,
      recommended: variant.verdict?.recommended === true,
      hasOutput: variant.run?.output !== undefined,
      differs: variant.output?.verdict === 'different',
    }),
  );
  const columns = (Object.keys(titles) as Column[])
    .filter((key) => rows.some((row) => row[key] !== ''))
    .map((key) => ({ key, title: titles[key] }));
  const names = [...new Set(result.variants.flatMap(({ kernels }) => kernels.map(({ name }) => name)))];
  const isOne = subject.kind === 'fix' && forms.length === 2;
  // By the numbers of a sweep, which were built with the present one first.
  const order = forms
    .map((_form, index) => index)
    .sort((a, b) => (subject.kind === 'sweep' ? parseFloat(forms[a]!.name) - parseFloat(forms[b]!.name) : a - b));
  return {
    title: subject.title,
    subtitle: [subject.place, result.device, result.host === 'this machine' ? result.host : `on ${result.host}`]
      .filter(Boolean)
      .join(' · '),
    ...headlineOf(subject, result, inEditorWords),
    forms,
    order,
    // Of one fix the headline says it.
    columns: isOne ? columns.filter(({ key }) => key !== 'result') : columns,
    kernels:
      names.length > 1
        ? names.map((name) => ({
            name,
            times: result.variants.map(({ kernels }) => timeOf(kernels.find((kernel) => kernel.name === name)?.time)),
          }))
        : [],
    notes: result.notes.map(inEditorWords),
    ...offerOf(subject, result),
  };
}

function headlineOf(
  subject: TrialSubject,
  result: TrialResult,
  inEditorWords: (text: string) => string,
): Pick<TrialPageModel, 'headline' | 'explanation' | 'mood'> {
  const [, only] = result.variants;
  if (subject.kind === 'fix' && result.variants.length === 2) {
    const headline = headlines(only!);
    const words = inEditorWords(only!.verdict!.words);
    const rest = words.startsWith(`${headline}: `)
      ? words.slice(headline.length + 2)
      : words.startsWith('The output differs on line')
        ? words.replace('The output differs on', 'On')
        : words;
    return { headline, explanation: rest.charAt(0).toUpperCase() + rest.slice(1), mood: moodOf(only!) };
  }
  const best = bestOf(result)?.best;
  return {
    headline: best ? `${best.name}: ${showGain(best.verdict!.gain!)}` : `Keep ${plainName(result.variants[0]!)}`,
    explanation: showBest(result),
    mood: best ? 'better' : 'neutral',
  };
}

function headlines({ verdict }: VariantResult): string {
  switch (verdict!.kind) {
    case 'faster':
    case 'slower':
      return showGain(verdict!.gain!);
    case 'no-gain':
      return 'No gain measured';
    case 'mixed':
      return 'Some kernels faster, some slower';
    case 'output-differs':
      return 'The output differs';
    case 'fails':
      return 'The changed program fails';
    case 'does-not-build':
      return 'The change does not build';
    case 'did-not-run':
      return 'The changed lines did not run';
    case 'invalid':
      return 'The measurement is not valid';
    case 'unmeasured':
      return 'No time was measured';
  }
}

/** The forms that can be applied, the recommended one first; of what does not build there is none. */
function offerOf(subject: TrialSubject, result: TrialResult): Pick<TrialPageModel, 'offer'> {
  const best = bestOf(result)?.best;
  if (best)
    return {
      offer: {
        form: result.variants.indexOf(best),
        label: subject.kind === 'sweep' || result.variants.length > 2 ? `Apply ${best.name}` : 'Apply',
      },
    };
  return {};
}

/** One bar is one yardstick: kernels where every form that ran has them, else the program. */
function barTime(variant: VariantResult, _index: number, all: readonly VariantResult[]): Spread | undefined {
  const ran = all.filter(({ run }) => run?.program !== undefined);
  const timed = all[0]!.kernels.length > 0 && ran.some((each, index) => index > 0 && each.kernels.length > 0);
  return timed ? totalTime(variant.kernels) : variant.run?.program;
}

function moodOf({ verdict }: VariantResult): 'better' | 'worse' | 'neutral' {
  switch (verdict?.kind) {
    case 'faster':
      return 'better';
    case undefined:
    case 'no-gain':
    case 'did-not-run':
    case 'invalid':
    case 'unmeasured':
      return 'neutral';
    default:
      return 'worse';
  }
}

function timeOf(time: Spread | undefined): string {
  return time ? showDuration(time.median) : '–';
}
