/** Compares what two forms of a program print: exactly, but for what changes from run to run anyway and for the times that programs print. */

/** What the unchanged program prints, learnt from several runs of it. */
export interface LearntOutput {
  readonly lines: readonly Line[];
  /** Why nothing can be compared, where that is so. */
  readonly incomparable?: string;
  /** Lines and numbers that stay the same from run to run. */
  readonly fixed: { readonly lines: number; readonly numbers: number };
}

interface Line {
  /** What stands around the numbers; one more than numbers. */
  readonly words: readonly string[];
  readonly numbers: readonly PrintedNumber[];
  /** Other words from run to run. */
  readonly restless: boolean;
}

interface PrintedNumber {
  readonly text: string;
  readonly restless: boolean;
  /** Nanoseconds of one unit where a unit of time stands behind it; 0 for a rate (GB/s). */
  readonly unit?: number;
}

export interface OutputComparison {
  readonly verdict: 'same' | 'different' | 'not compared';
  /** The first difference, lines from 1. */
  readonly difference?: { readonly line: number; readonly before: string; readonly after: string };
  /** The largest relative difference, where numbers alone differ. */
  readonly largestDeviation?: number;
  /** Lines, from 1, with numbers or words that were left out: they change from run to run, or are times. */
  readonly leftOut: readonly number[];
  /** What the reader has to know of the comparison: what was not compared, and why. */
  readonly remark?: string;
}

/** A time that the program itself prints, in each of its runs. */
export interface PrintedTime {
  /** From 1. */
  readonly line: number;
  /** The words before it. */
  readonly label: string;
  readonly nanoseconds: readonly number[];
}

const number = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[-+]?\b(?:nan|inf(?:inity)?)\b/gi;
const timeUnits: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  usec: 1e3,
  ms: 1e6,
  msec: 1e6,
  msecs: 1e6,
  millisecond: 1e6,
  milliseconds: 1e6,
  microseconds: 1e3,
  s: 1e9,
  sec: 1e9,
  secs: 1e9,
  seconds: 1e9,
};
const unitBehind = /^\s*[([]?(ns|us|µs|μs|usec|ms|msecs?|milliseconds?|microseconds|s|secs?|seconds)[)\]]?(?![\w/])/;
const unitBefore = /[([](ns|us|µs|μs|usec|ms|msecs?|milliseconds?|s|secs?|seconds)[)\]]\s*[:=]?\s*$/;
const rateBehind =
  /^\s*[([]?(?:[kKMGT]i?[Bb](?:ytes)?\/s(?:ec)?|[MGT]?FLOPS?(?:\/s)?|[MGT]?flops?(?:\/s)?|[MGT]?flop\/s|it\/s|fps|FPS)\b/;

/** Learns from the outputs of at least one run. */
export function learnOutput(outputs: readonly string[]): LearntOutput {
  const [first, ...others] = outputs.map(linesOf);
  const empty = { lines: [], fixed: { lines: 0, numbers: 0 } };
  if (!first) return { ...empty, incomparable: 'The program was not run.' };
  const lines = first.map((line) => ({ ...line, numbers: [...line.numbers] }));
  for (const other of others) {
    if (other.length !== lines.length) {
      return {
        ...empty,
        incomparable: `The unchanged program prints ${count(lines.length, 'line')} in one run and ${other.length} in another, so its output cannot be compared.`,
      };
    }
    for (const [at, line] of other.entries()) {
      const known = lines[at]!;
      if (!sameWords(known, line)) lines[at] = { ...known, restless: true };
      else
        known.numbers.forEach((each, index) => {
          if (each.text !== line.numbers[index]!.text) known.numbers[index] = { ...each, restless: true };
        });
    }
  }
  const still = lines.filter((line) => !line.restless);
  const fixed = {
    lines: still.filter((line) => line.numbers.every(isFixed) && line.words.some((word) => word.trim() !== '')).length,
    numbers: still.reduce((sum, line) => sum + line.numbers.filter(isFixed).length, 0),
  };
  if (lines.length === 0)
    return { lines, fixed, incomparable: 'The program prints nothing, so only its exit status was compared.' };
  if (fixed.lines + fixed.numbers === 0)
    return {
      lines,
      fixed,
      incomparable:
        'Nothing that the unchanged program prints stays the same from run to run, so its output cannot be compared.',
    };
  return { lines, fixed };
}

/** Compares every run of another form with what was learnt. `tolerance` is the relative difference that numbers may have. */
export function compareOutput(learnt: LearntOutput, outputs: readonly string[], tolerance = 0): OutputComparison {
  if (learnt.incomparable !== undefined) return { verdict: 'not compared', leftOut: [], remark: learnt.incomparable };
  const leftOut = new Set<number>();
  let difference: OutputComparison['difference'];
  let largest = 0;
  let numbersAlone = true;
  for (const output of outputs) {
    const lines = linesOf(output);
    const differs = (at: number): void => {
      difference ??= { line: at + 1, before: textOf(learnt.lines[at]), after: textOf(lines[at]) };
    };
    for (let at = 0; at < Math.max(lines.length, learnt.lines.length); at++) {
      const before = learnt.lines[at];
      const after = lines[at];
      if (before && after && before.restless) {
        leftOut.add(at + 1);
        continue;
      }
      if (!before || !after || !sameWords(before, after)) {
        numbersAlone = false;
        differs(at);
        continue;
      }
      before.numbers.forEach((known, index) => {
        const now = after.numbers[index]!.text;
        if (!isFixed(known)) {
          if (known.restless || known.text !== now) leftOut.add(at + 1);
          return;
        }
        if (known.text === now) return;
        const deviation = deviationOf(Number(known.text), Number(now));
        if (deviation <= tolerance) return;
        largest = Math.max(largest, deviation);
        differs(at);
      });
    }
  }
  const left = [...leftOut].sort((a, b) => a - b);
  if (difference)
    return {
      verdict: 'different',
      difference,
      leftOut: left,
      ...(numbersAlone && Number.isFinite(largest) ? { largestDeviation: largest } : {}),
    };
  const remark =
    left.length === 0
      ? undefined
      : `Left out of the comparison: times, and what changes from run to run (${left.length === 1 ? 'line' : 'lines'} ${left.slice(0, 6).join(', ')}${left.length > 6 ? ', …' : ''}).`;
  return { verdict: 'same', leftOut: left, ...(remark ? { remark } : {}) };
}

/** The times with a unit that every run prints at the same place. */
export function printedTimes(outputs: readonly string[]): PrintedTime[] {
  const [first, ...others] = outputs.map(linesOf);
  if (!first) return [];
  const times: PrintedTime[] = [];
  first.forEach((line, at) => {
    line.numbers.forEach(({ unit, text }, index) => {
      if (!unit) return;
      const values = [
        Number(text),
        ...others.map((other) =>
          other.length === first.length && sameWords(line, other[at]!) ? Number(other[at]!.numbers[index]!.text) : NaN,
        ),
      ];
      if (values.some((value) => !Number.isFinite(value) || value <= 0)) return;
      times.push({ line: at + 1, label: labelOf(line, index), nanoseconds: values.map((value) => value * unit) });
    });
  });
  return times;
}

function linesOf(output: string): Line[] {
  const lines = output
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.trimEnd());
  while (lines.at(-1) === '') lines.pop();
  return lines.map((text) => {
    const words: string[] = [];
    const numbers: PrintedNumber[] = [];
    let last = 0;
    for (const match of text.matchAll(number)) {
      const before = text.slice(last, match.index);
      const behind = text.slice(match.index + match[0].length);
      // A number within a name (sm_90) is a part of the name; it is compared as a number all the same.
      const inName = /[A-Za-z_]$/.test(text.slice(0, match.index));
      const time = unitBehind.exec(behind)?.[1] ?? unitBefore.exec(text.slice(0, match.index))?.[1];
      const unit = inName ? undefined : rateBehind.test(behind) ? 0 : time === undefined ? undefined : timeUnits[time];
      words.push(before);
      numbers.push({ text: match[0], restless: false, ...(unit !== undefined ? { unit } : {}) });
      last = match.index + match[0].length;
    }
    words.push(text.slice(last));
    return { words, numbers, restless: false };
  });
}

function isFixed(each: PrintedNumber): boolean {
  return !each.restless && each.unit === undefined;
}

function sameWords(a: Line, b: Line): boolean {
  // Columns that are padded move with the width of their numbers.
  return a.words.length === b.words.length && a.words.every((word, at) => squeezed(word) === squeezed(b.words[at]!));
}

function squeezed(word: string): string {
  return word.replace(/\s+/g, ' ').trim();
}

function textOf(line: Line | undefined): string {
  if (!line) return '(no such line)';
  return line.words
    .map((word, at) => word + (line.numbers[at]?.text ?? ''))
    .join('')
    .trim()
    .slice(0, 200);
}

function labelOf(line: Line, index: number): string {
  const text = line.words
    .slice(0, index + 1)
    .map((word, at) => word + (at < index ? line.numbers[at]!.text : ''))
    .join('')
    .trim()
    .replace(/[\s:=([]+$/, '');
  return text.length > 48 ? `…${text.slice(-47)}` : text || 'time';
}

function deviationOf(a: number, b: number): number {
  if (!Number.isFinite(a) || !Number.isFinite(b)) return Infinity;
  const scale = Math.max(Math.abs(a), Math.abs(b));
  return scale === 0 ? 0 : Math.abs(a - b) / scale;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
