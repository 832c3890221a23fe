/**
 * Compares what two forms of a program print: exactly, but for times, dates and paths, and for what changes from run to
 * run by as much.
 */

/** What the unchanged program prints, learnt from several runs of it. */
export interface LearntOutput {
  readonly lines: readonly Line[];
  /** Why nothing can be compared, where that is so. */
  readonly incomparable?: string;
  /** Lines and numbers that stay the same from run to run. */
  readonly fixed: { readonly lines: number; readonly numbers: number };
}

interface Line {
  /** What stands around the values; one more than values. */
  readonly words: readonly string[];
  readonly values: readonly PrintedValue[];
  /** Other words from run to run. */
  readonly restless: boolean;
}

interface PrintedValue {
  /** `clock` is a date or a time of day. */
  readonly kind: 'number' | 'clock' | 'path';
  readonly text: string;
  /**
   * Nanoseconds of one unit if a unit of time follows; 0 for a rate (GB/s), and where the words say that it is a time.
   */
  readonly unit?: number;
  /** Least and largest of the runs, where they are not all the same. */
  readonly range?: { readonly least: number; readonly most: number };
  /** Other from run to run, and no number. */
  readonly restless?: true;
}

export interface OutputComparison {
  readonly verdict: 'same' | 'different' | 'not compared';
  /** The first difference, lines from 1. */
  readonly difference?: {
    readonly line: number;
    readonly before: string;
    readonly after: string;
    /**
     * How far the number went in the runs of the unchanged program, where that was a little: `between 3.14 and 3.15`.
     */
    readonly varied?: string;
  };
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

/** Words after which a number is a time or a rate, with or without a unit. Not `time step 5`. */
const timeWords =
  /\b(?:times?(?!\s*-?steps?\b)|timings?|timer|elapsed|took|takes|duration|latency|runtime|wall-?clock|bandwidth|throughput|performance|speed-?up|(?:[kmgt]?fl)ops?|(?:frame|data|transfer) rate|fps|cycles|overhead)\b/i;

/**
 * Numbers that vary by less than this part of their size from run to run have a value: sums in another order, say. What
 * varies by more (times, seeds, process numbers) has none that could be compared.
 */
const roundingShare = 1e-3;
/**
 * How many times as far as the runs of the unchanged program were apart another form's number may lie outside of them.
 */
const timesTheRange = 10;

/** Learns from the outputs of at least one run. */
export function learnOutput(outputs: readonly string[]): LearntOutput {
  const [first, ...others] = outputs.map(linesOf);
  const empty = { lines: [], fixed: { lines: 0, numbers: 0 } };
  if (!first) return { ...empty, incomparable: 'The program was not run.' };
  const lines = first.map((line) => ({ ...line, values: [...line.values] }));
  for (const other of others) {
    if (other.length !== lines.length) {
      return {
        ...empty,
        incomparable:
          `The unchanged program prints ${count(lines.length, 'line')} in one run and ` +
          `${other.length} in another, so its output cannot be compared.`,
      };
    }
    for (const [at, line] of other.entries()) {
      const known = lines[at]!;
      if (!sameWords(known, line)) lines[at] = { ...known, restless: true };
      else
        known.values.forEach((each, index) => {
          known.values[index] = learnValue(each, line.values[index]!.text);
        });
    }
  }
  const still = lines.filter((line) => !line.restless);
  const fixed = {
    lines: still.filter((line) => line.values.every(isCompared) && line.words.some((word) => word.trim() !== ''))
      .length,
    numbers: still.reduce((sum, line) => sum + line.values.filter(isCompared).length, 0),
  };
  if (lines.length === 0)
    return { lines, fixed, incomparable: 'The program prints nothing, so only its exit status was compared.' };
  if (fixed.lines + fixed.numbers === 0)
    return {
      lines,
      fixed,
      incomparable: 'The whole output of the unchanged program varies from run to run, so it cannot be compared.',
    };
  return { lines, fixed };
}

function learnValue(known: PrintedValue, text: string): PrintedValue {
  if (known.text === text) return known;
  const [was, is] = [Number(known.text), Number(text)];
  if (known.kind !== 'number' || !Number.isFinite(was) || !Number.isFinite(is)) return { ...known, restless: true };
  const { least, most } = known.range ?? { least: was, most: was };
  return { ...known, range: { least: Math.min(least, is), most: Math.max(most, is) } };
}

/**
 * Compares every run of another form with what was learnt. `tolerance` is the relative difference that numbers may
 * have.
 */
export function compareOutput(learnt: LearntOutput, outputs: readonly string[], tolerance = 0): OutputComparison {
  if (learnt.incomparable !== undefined) return { verdict: 'not compared', leftOut: [], remark: learnt.incomparable };
  const leftOut = new Set<number>();
  let difference: OutputComparison['difference'];
  let largest = 0;
  let numbersAlone = true;
  for (const output of outputs) {
    const lines = linesOf(output);
    const differs = (at: number, varied?: string): void => {
      difference ??= {
        line: at + 1,
        before: textOf(learnt.lines[at]),
        after: textOf(lines[at]),
        ...(varied !== undefined ? { varied } : {}),
      };
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
      before.values.forEach((known, index) => {
        const now = after.values[index]!.text;
        if (known.text === now) return;
        if (!isCompared(known)) {
          leftOut.add(at + 1);
          return;
        }
        const deviation = deviationFrom(known, Number(now));
        if (deviation <= tolerance) return;
        largest = Math.max(largest, deviation);
        differs(at, known.range && `between ${known.range.least} and ${known.range.most}`);
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
  const { numbers, lines } = learnt.fixed;
  const varying = learnt.lines.flatMap((line, at) => (line.restless || line.values.some(varies) ? [at + 1] : []));
  if (numbers === 0 && learnt.lines.some(({ values }) => values.some(varies)))
    return {
      verdict: 'not compared',
      leftOut: left,
      remark:
        `The numbers vary between runs of the unchanged program (${placesOf(varying)}), so no number was ` +
        'compared; the words around them are the same.',
    };
  const others = left.filter((line) => !varying.includes(line));
  const remark = [
    `Compared: ${count(lines, 'whole line')} and ${count(numbers, 'number')}.`,
    ...(varying.length > 0 ? [`Not compared, since the unchanged program varies there: ${placesOf(varying)}.`] : []),
    ...(others.length > 0 ? [`Not compared, as times, dates and paths: ${placesOf(others)}.`] : []),
  ].join(' ');
  return { verdict: 'same', leftOut: left, remark };
}

/** What results that vary between the runs of the unchanged program point at; undefined where none does. */
export function racingResults({ lines }: LearntOutput): string | undefined {
  const varying = lines.flatMap(({ values }, at) => (values.some(varies) ? [at + 1] : []));
  if (varying.length === 0) return undefined;
  return (
    `The numbers that the unchanged program prints vary from run to run (${placesOf(varying)}). If they should be the ` +
    'same each time, this points at a race: run `compute-sanitizer --tool racecheck` on the program.'
  );
}

/** Whether the unchanged program's own runs differ in a value other than a time, by more than rounding. */
function varies(value: PrintedValue): boolean {
  return value.kind === 'number' && value.unit === undefined && !isCompared(value);
}

/** `line 3`, `lines 1, 2, 3` */
function placesOf(lines: readonly number[]): string {
  return `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, 6).join(', ')}${lines.length > 6 ? ', …' : ''}`;
}

/**
 * How far a number is from what the unchanged program prints, as a part of its size; 0 within the room that its own
 * runs leave.
 */
function deviationFrom({ text, range }: PrintedValue, now: number): number {
  if (!range) return deviationOf(Number(text), now);
  const room = timesTheRange * (range.most - range.least);
  if (now >= range.least - room && now <= range.most + room) return 0;
  return Math.min(deviationOf(range.least, now), deviationOf(range.most, now));
}

/** The times with a unit that every run prints at the same place. */
export function printedTimes(outputs: readonly string[]): PrintedTime[] {
  const [first, ...others] = outputs.map(linesOf);
  if (!first) return [];
  const times: PrintedTime[] = [];
  first.forEach((line, at) => {
    line.values.forEach(({ unit, text }, index) => {
      if (!unit) return;
      const values = [
        Number(text),
        ...others.map((other) =>
          other.length === first.length && sameWords(line, other[at]!) ? Number(other[at]!.values[index]!.text) : NaN,
        ),
      ];
      if (values.some((value) => !Number.isFinite(value) || value <= 0)) return;
      times.push({ line: at + 1, label: labelOf(line, index), nanoseconds: values.map((value) => value * unit) });
    });
  });
  return times;
}

/** The parts of a line that are no words, what is longest first. */
const valueKinds: readonly (readonly [PrintedValue['kind'], RegExp])[] = [
  [
    'clock',
    // 2026-11-22T03:17:05.123Z · 2026/11/22 · 22.11.2026 · Sun Nov 22 03:27:00 UTC 2026 · 22 Nov 2026 · 03:17:05 · 3:17
    // PM
    /\b\d{4}(?<iso>[-/])\d{2}\k<iso>\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?\b|\b\d{1,2}(?<local>[-/.])\d{1,2}\k<local>\d{4}\b|\b(?:(?:mon|tue|wed|thu|fri|sat|sun)\w*\.?,?\s+)?(?:\d{1,2}\.?\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,4}(?:,?\s+\d{1,2}:\d{2}(?::\d{2})?)?(?:\s+[A-Z]{3,4})?(?:,?\s+\d{4})?\b|\b\d{1,3}:\d{2}:\d{2}(?:[.,]\d+)?\b|\b\d{1,2}:\d{2}\s?[ap]m\b/i,
  ],
  // A whole path, so that a number in a file's name is none of the program's.
  ['path', /(?<![\w./])(?:~|\.{1,2})?\/(?:[\w.+@~,=-]+\/)*[\w.+@~,=-]*\w(?:\/(?!\w))?|\b[A-Za-z]:\\[\w.+@~,=\\-]+/],
  ['number', number],
];
const anyValue = new RegExp(valueKinds.map(([kind, { source }]) => `(?<${kind}>${source})`).join('|'), 'gi');

function linesOf(output: string): Line[] {
  const lines = output
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.trimEnd());
  while (lines.at(-1) === '') lines.pop();
  return lines.map((text) => {
    const words: string[] = [];
    const values: PrintedValue[] = [];
    let last = 0;
    for (const match of text.matchAll(anyValue)) {
      words.push(text.slice(last, match.index));
      const kind = valueKinds.find(([each]) => match.groups![each] !== undefined)![0];
      const end = match.index + match[0].length;
      const unit =
        kind === 'number'
          ? unitOf(text.slice(0, match.index), text.slice(last, match.index), text.slice(end))
          : undefined;
      values.push({ kind, text: match[0], ...(unit !== undefined ? { unit } : {}) });
      last = end;
    }
    words.push(text.slice(last));
    return { words, values, restless: false };
  });
}

/**
 * Nanoseconds of one unit of a number, 0 for a rate or a time without its unit; undefined for what is neither. `label`
 * is the text between the number and the previous one.
 */
function unitOf(before: string, label: string, behind: string): number | undefined {
  // A number within a name (sm_90) is a part of the name; it is compared as a number all the same.
  if (/[A-Za-z_]$/.test(before)) return undefined;
  if (rateBehind.test(behind)) return 0;
  const time = unitBehind.exec(behind)?.[1] ?? unitBefore.exec(before)?.[1];
  if (time !== undefined) return timeUnits[time];
  return timeWords.test(label.slice(label.search(/[^.;!?]*$/))) ? 0 : undefined;
}

/** Whether a value is one that another form has to print too. */
function isCompared({ kind, unit, restless, range, text }: PrintedValue): boolean {
  if (kind !== 'number' || unit !== undefined || restless) return false;
  if (!range) return true;
  const scale = Math.max(Math.abs(range.least), Math.abs(range.most));
  // Whole numbers that vary are counters and addresses, not sums that round.
  return /[.e]/i.test(text) && range.most - range.least <= roundingShare * scale;
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
    .map((word, at) => word + (line.values[at]?.text ?? ''))
    .join('')
    .trim()
    .slice(0, 200);
}

function labelOf(line: Line, index: number): string {
  const text = line.words
    .slice(0, index + 1)
    .map((word, at) => word + (at < index ? line.values[at]!.text : ''))
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
