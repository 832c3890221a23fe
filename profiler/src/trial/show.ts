/** A trial as a table for a terminal and as Markdown, and what is best of a sweep. */

import { showDuration } from '../history/steps';
import { showGain } from './judge';
import { totalTime } from './kernelTimes';
import { compareSpreads } from './spread';
import type { Spread } from './spread';
import type { TrialResult, VariantResult } from './trial';

/** One row for a form of the program; cells are words or empty. */
export interface TrialRow {
  readonly name: string;
  readonly kernel: string;
  readonly program: string;
  readonly output: string;
  readonly gain: string;
  readonly registers: string;
  readonly occupancy: string;
}

export const columnTitles: Readonly<Record<keyof TrialRow, string>> = {
  name: 'form',
  kernel: 'kernels',
  program: 'whole program',
  output: 'output',
  gain: 'gain',
  registers: 'registers',
  occupancy: 'occupancy',
};

/** The rows; the first is the unchanged program. */
export function trialRows(result: TrialResult): TrialRow[] {
  return result.variants.map((variant) => {
    const [longest] = variant.kernels;
    return {
      name: variant.name,
      kernel: timeCell(totalTime(variant.kernels)),
      program: timeCell(variant.run?.program),
      output: outputCell(variant),
      gain: gainCell(variant),
      registers: longest?.registers === undefined ? '' : String(longest.registers),
      occupancy: longest?.occupancy?.achieved === undefined ? '' : `${Math.round(longest.occupancy.achieved)} %`,
    };
  });
}

/**
 * For a terminal: the table, then a sentence for each changed form, then the notes. Of a sweep, sentences only where
 * the table does not say it all.
 */
export function showTrial(result: TrialResult, isSweep = false): string {
  const rows = isSweep ? trialRows(result).sort((a, b) => parseFloat(a.name) - parseFloat(b.name)) : trialRows(result);
  const columns = (Object.keys(columnTitles) as (keyof TrialRow)[]).filter(
    (column) => column === 'name' || rows.some((row) => row[column] !== ''),
  );
  const lines = [columnTitles, ...rows].map((row) =>
    columns
      .map((column) => {
        const width = Math.max(...[columnTitles, ...rows].map((each) => each[column].length));
        return column === 'name' || column === 'output' ? row[column].padEnd(width) : row[column].padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
  const verdicts = result.variants.flatMap(({ name, verdict }) =>
    verdict && !(isSweep && (verdict.kind === 'faster' || verdict.kind === 'slower' || verdict.kind === 'no-gain'))
      ? [`${name}: ${verdict.words}`]
      : [],
  );
  if (isSweep) verdicts.push(showBest(result));
  return `${lines.join('\n')}\n\n${[...verdicts, ...result.notes.map((note) => `note: ${note}`)].join('\n')}\n`;
}

/**
 * The form to offer: the fastest of those that are measured as faster with the same output, or undefined where none is.
 * `equals` are the others that take as long within the spread; of all of these the first one in order is offered, the
 * smaller change of two.
 */
export function bestOf(
  result: TrialResult,
): { readonly best: VariantResult; readonly equals: readonly VariantResult[] } | undefined {
  const faster = result.variants.filter(({ verdict }) => verdict?.recommended === true && verdict.gain !== undefined);
  if (faster.length === 0) return undefined;
  // Only gains on one yardstick can be put in order.
  const yardsticks = (['kernel', 'printed', 'program'] as const).map((by) =>
    faster.filter(({ verdict }) => verdict!.by === by),
  );
  const comparable = yardsticks.find((each) => each.length > 0)!;
  const fastest = [...comparable].sort((a, b) => b.verdict!.gain! - a.verdict!.gain!)[0]!;
  const time = timeOf(fastest);
  const equals = comparable.filter(
    (other) => other === fastest || (time && timeOf(other) && compareSpreads(time, timeOf(other)!) === 'same'),
  );
  return { best: fastest, equals: equals.filter((other) => other !== fastest) };
}

/** The sentence under a sweep. */
export function showBest(result: TrialResult): string {
  const found = bestOf(result);
  const unchanged = plainName(result.variants[0]!);
  if (!found) return `No other variant was measured as faster than ${unchanged} with the same output.`;
  const { best, equals } = found;
  const more =
    equals.length > 0
      ? ` ${equals.map(({ name }) => name).join(', ')} ${equals.length === 1 ? 'takes' : 'take'} as long ` +
        'within the spread.'
      : '';
  return `Best: ${best.name}, ${showGain(best.verdict!.gain!)} than ${unchanged}, with the same output.${more}`;
}

/** A name without the parenthesized part after it. */
export function plainName({ name }: { readonly name: string }): string {
  return name.replace(/ \([^()]*\)$/, '');
}

function timeOf(variant: VariantResult): Spread | undefined {
  return variant.verdict?.by === 'program'
    ? variant.run?.program
    : variant.verdict?.by === 'kernel'
      ? totalTime(variant.kernels)
      : undefined;
}

function timeCell(spread: Spread | undefined): string {
  if (!spread) return '';
  const half = (spread.max - spread.min) / 2;
  const share = spread.median === 0 ? 0 : (100 * half) / spread.median;
  return `${showDuration(spread.median)}${spread.values.length > 1 ? ' ± ' + `${share < 0.1 ? '0.1' : share < 10 ? share.toFixed(1) : share < 100 ? Math.round(share) : 'over 100'} ` + '%' : ''}`;
}

function outputCell({ verdict, output }: VariantResult): string {
  if (!verdict) return '';
  if (verdict.kind === 'does-not-build') return 'does not build';
  if (verdict.kind === 'fails') return 'fails';
  return output?.verdict ?? '';
}

function gainCell({ verdict }: VariantResult): string {
  if (!verdict || verdict.gain === undefined) return '';
  if (verdict.kind === 'no-gain') return 'no gain';
  return showGain(verdict.gain);
}
