/** From measurements to a verdict in words that claims no more than was measured. */

import { describeStatus } from '../collect/ncuProblem';
import { showDuration } from '../history/steps';
import { amount, percent } from '../lines/amounts';
import type { ChangedLines } from './changedLines';
import { totalTime } from './kernelTimes';
import type { KernelTime } from './kernelTimes';
import type { OutputComparison, PrintedTime } from './outputs';
import { compareSpreads, spreadOf } from './spread';
import type { Spread } from './spread';

/** What was measured of one form of the program. */
export interface Measured {
  readonly status: number;
  /** How it ended, where the status does not say it. */
  readonly ending?: string;
  /** Wall time of the program without a profiler, in nanoseconds. */
  readonly program?: Spread;
  readonly printed: readonly PrintedTime[];
  readonly kernels: readonly KernelTime[];
  /** The kernel with the changed lines, where it was not launched. */
  readonly notLaunched?: string | undefined;
}

export type VerdictKind =
  | 'faster'
  | 'no-gain'
  | 'slower'
  | 'mixed'
  | 'output-differs'
  | 'fails'
  | 'does-not-build'
  | 'did-not-run'
  | 'invalid'
  | 'unmeasured';

/** What a gain was measured on. */
export type Yardstick = 'kernel' | 'program' | 'printed';

export interface Verdict {
  readonly kind: VerdictKind;
  /** One or two sentences. */
  readonly words: string;
  /** How many times faster (below 1: slower), by the medians. */
  readonly gain?: number;
  readonly by?: Yardstick;
  /** Whether applying it is a sound default: measured as faster, built, and its output compared and equal. */
  readonly recommended: boolean;
}

interface Comparison {
  readonly way: 'faster' | 'slower' | 'same';
  readonly gain: number;
  readonly before: Spread;
  readonly after: Spread;
  readonly of: string;
}

/** Judges a form that built and ran against the unchanged program; `changed` is given where there is no gain. */
export function judge(before: Measured, after: Measured, output: OutputComparison, changed?: ChangedLines): Verdict {
  if (after.status !== before.status) {
    return {
      kind: 'fails',
      recommended: false,
      words:
        `The program ${after.ending ?? describeStatus(after.status)} and the unchanged program ` +
        `${describeStatus(before.status)}. Do not apply the change.`,
    };
  }
  const kernel = compareKernels(before, after);
  const program = before.program && after.program && comparisonOf(before.program, after.program, 'the whole program');
  const printed = comparePrinted(before.printed, after.printed);
  const timed = withReason(withoutTimes(before, after) ?? judgeTimes(kernel, program, printed), changed);
  if (output.verdict === 'different') {
    const { line, before: was, after: is, varied } = output.difference!;
    const rounding =
      output.largestDeviation !== undefined && output.largestDeviation < 1e-3
        ? ` Numbers differ by ${output.largestDeviation.toPrecision(2)} relative at most; if that is ` +
          'rounding, allow it with --tolerance.'
        : '';
    const changed = timed.kind === 'faster' || timed.kind === 'slower';
    const time = changed ? ` (${showGain(timed.gain!)}.)` : '';
    return {
      ...(changed ? { gain: timed.gain!, by: timed.by! } : {}),
      kind: 'output-differs',
      recommended: false,
      words:
        `The output differs on line ${line}: "${was}" became ` +
        `"${is}"${varied ? `, a number that varied ${varied} between unchanged runs` : ''}.${rounding}${time}`,
    };
  }
  const remark =
    output.verdict === 'not compared' && output.remark
      ? ` ${output.remark}`
      : output.verdict === 'same'
        ? ` The output is the same.${output.remark ? ` ${output.remark}` : ''}`
        : '';
  return {
    ...timed,
    recommended: timed.kind === 'faster' && output.verdict === 'same',
    words: `${timed.words}${remark}`,
  };
}

/** `3.10× faster`, `1.20× slower`: three digits. */
export function showGain(gain: number): string {
  return gain >= 1 ? `${digits(gain)}× faster` : `${digits(1 / gain)}× slower`;
}

/** `512 us (510 us to 514 us)`. */
export function showSpread(spread: Spread): string {
  const [low, middle, high] = [spread.min, spread.median, spread.max].map(showDuration);
  return low === high ? middle! : `${middle} (${low} to ${high})`;
}

/** Why the times say nothing of the change. */
function withoutTimes(before: Measured, after: Measured): Omit<Verdict, 'recommended'> | undefined {
  if (before.notLaunched !== undefined)
    return {
      kind: 'did-not-run',
      words:
        `The changed lines did not run: the program launched no kernel ${before.notLaunched}. ` +
        'Give arguments with which it does.',
    };
  for (const [form, { kernels }] of [['unchanged', before] as const, ['changed', after] as const])
    for (const { name, time, floor } of kernels)
      if (floor && time.median < floor.nanoseconds)
        return {
          kind: 'invalid',
          words:
            `The measurement is not valid: the kernel ${name} of the ${form} program was timed at ` +
            `${showDuration(time.median)}, but DRAM takes at least ${showDuration(floor.nanoseconds)} for the ` +
            `${amount(floor.bytes)}B that it moved. Measure again.`,
        };
  return undefined;
}

/** A verdict without a gain, with what the changed lines executed. */
function withReason(
  timed: Omit<Verdict, 'recommended'>,
  changed: ChangedLines | undefined,
): Omit<Verdict, 'recommended'> {
  if (!changed) return timed;
  const { kernels, share } = changed;
  const named = `${kernels.length === 1 ? 'the kernel' : 'the kernels'} ${kernels.join(', ')}`;
  if (share !== undefined)
    return {
      ...timed,
      words: `${timed.words} The changed lines make ${percent(share)} of the samples of ${named}.`,
    };
  return {
    kind: 'did-not-run',
    words:
      `The changed lines did not run: ${named} executed none of their instructions in the launches that were ` +
      'measured. Give arguments with which one runs.',
  };
}

function judgeTimes(
  kernel: Comparison | undefined,
  program: Comparison | undefined,
  printed: Comparison | undefined,
): Omit<Verdict, 'recommended'> {
  const faster = (by: Yardstick, { gain, before, after, of }: Comparison): Omit<Verdict, 'recommended'> => ({
    kind: 'faster',
    by,
    gain,
    words: `${showGain(gain)}: ${of} took ${showDuration(before.median)} and takes ${showDuration(after.median)}.`,
  });
  const slower = (by: Yardstick, { gain, before, after, of }: Comparison): Omit<Verdict, 'recommended'> => ({
    kind: 'slower',
    by,
    gain,
    words: `${showGain(gain)}: ${of} took ${showDuration(before.median)} and takes ${showDuration(after.median)}.`,
  });
  if (kernel && kernel.way !== 'same') {
    // The program counts in the end: a kernel that gains while the program loses does not count as a gain.
    if (program && program.way !== 'same' && program.way !== kernel.way) {
      return {
        kind: 'mixed',
        by: 'kernel',
        gain: kernel.gain,
        words:
          `${capital(kernel.of)} is ${showGain(kernel.gain)}, but the whole program is ` +
          `${showGain(program.gain)} (${showDuration(program.before.median)} to ` +
          `${showDuration(program.after.median)}).`,
      };
    }
    return kernel.way === 'faster' ? faster('kernel', kernel) : slower('kernel', kernel);
  }
  const equal = kernel ? 'The kernel takes as long as before; ' : '';
  // What the program times itself is nearer to the change than its wall time, most of which is starting up.
  const host =
    printed && printed.way !== 'same'
      ? { by: 'printed' as const, ...printed }
      : program && program.way !== 'same'
        ? { by: 'program' as const, ...program }
        : undefined;
  if (host) {
    if (host.by === 'printed' && program && program.way !== 'same' && program.way !== host.way) {
      return {
        kind: 'mixed',
        by: 'printed',
        gain: host.gain,
        words:
          `${capital(host.of)} is ${showGain(host.gain)}, but the whole program is ` +
          `${showGain(program.gain)} (${showDuration(program.before.median)} to ` +
          `${showDuration(program.after.median)}).`,
      };
    }
    const said = host.way === 'faster' ? faster(host.by, host) : slower(host.by, host);
    return { ...said, words: kernel ? `${equal}${said.words}` : said.words };
  }
  const basis = kernel
    ? { by: 'kernel' as const, ...kernel }
    : printed
      ? { by: 'printed' as const, ...printed }
      : program
        ? { by: 'program' as const, ...program }
        : undefined;
  if (!basis) return { kind: 'unmeasured', words: 'No time was measured.' };
  return {
    kind: 'no-gain',
    by: basis.by,
    gain: basis.gain,
    words: `No gain measured: ${basis.of} took ${showSpread(basis.before)} and takes ${showSpread(basis.after)}.`,
  };
}

function compareKernels(before: Measured, after: Measured): Comparison | undefined {
  const was = totalTime(before.kernels);
  const is = totalTime(after.kernels);
  if (!was || !is) return undefined;
  const [only] = before.kernels;
  const same = before.kernels.length === 1 && after.kernels.length === 1 && after.kernels[0]!.name === only!.name;
  return comparisonOf(was, is, same ? `the kernel ${only!.name}` : 'all kernels together');
}

/**
 * The times that a program prints of itself, where they agree: the one that changed most, or the longest where none
 * changed.
 */
function comparePrinted(before: readonly PrintedTime[], after: readonly PrintedTime[]): Comparison | undefined {
  const pairs = before.flatMap((was) => {
    const is = after.find(({ line, label }) => line === was.line && label === was.label);
    return is
      ? [
          comparisonOf(
            spreadOf(was.nanoseconds)!,
            spreadOf(is.nanoseconds)!,
            `the time that the program prints on line ${was.line}`,
          ),
        ]
      : [];
  });
  const changed = pairs.filter(({ way }) => way !== 'same');
  if (new Set(changed.map(({ way }) => way)).size > 1) return undefined;
  const list = changed.length > 0 ? changed : pairs;
  return [...list].sort((a, b) => b.before.median - a.before.median)[0];
}

function comparisonOf(before: Spread, after: Spread, of: string): Comparison {
  return { way: compareSpreads(before, after), gain: before.median / after.median, before, after, of };
}

function digits(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toPrecision(3);
}
function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
