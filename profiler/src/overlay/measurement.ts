// The one verdict on a measured line and a measured kernel: value, share, waits and age in the words of every view.
import { duration, percent } from '../lines/amounts';
import { nameOf } from '../lines/sourceMapping';
import { ratioText, stallsOf, type Mark } from './marks';
import type { ProfiledKernel, ProfiledLine } from './kernels';
import { fillerOf } from './queues';
import type { StallReason } from './stallReasons';
import { leastRatio } from './thresholds';

/** Of a figure whose code changed after it was measured. */
export const changedSince = 'changed since: profile again';

/** Where a profiled line is now, and whether code of its kernel changed since. */
export type AgeOf = (kernel: ProfiledKernel, line: ProfiledLine) => { readonly line: number; readonly stale: boolean };
export const asProfiled: AgeOf = (_kernel, { line }) => ({ line, stale: false });

/** The figure and words of a mark: what it says, or what it said before its code changed. */
export function piecesOf({ figure, words }: Pick<Mark, 'figure' | 'words'>, stale: boolean): string[] {
  return stale ? [`was ${figure || words.join('  ')}`, changedSince] : [figure, ...words].filter(Boolean);
}

/** A kernel's time, with its age; empty where it was not timed. */
export function timeText(nanoseconds: number, stale: boolean): string {
  if (!(nanoseconds > 0)) return stale ? changedSince : '';
  return stale ? `was ${duration(nanoseconds)}, ${changedSince}` : duration(nanoseconds);
}

/** `MIO throttle 42.2 %` */
export function reasonText({ title, share }: { readonly title: string; readonly share: number }): string {
  return `${title} ${percent(share)}`;
}

export interface Waits {
  /** The commonest reason. */
  readonly reason: StallReason;
  /** The line that fills the queue which this one waits for, and as it is numbered now. */
  readonly filler?: ProfiledLine;
  readonly filledBy?: string;
  /** Reasons with their shares, what the commonest means, and what fills the queue. */
  readonly sentences: string;
  /** General advice; none where a line is to blame. */
  readonly helps: string;
}

const mostReasons = 3;

/** General advice is about CUDA: OpenACC has none of it to write. */
export function helpOf({ helps }: StallReason, { file }: ProfiledLine): string {
  return /\.(?:cuh?|h\w*|inl)$/i.test(file) ? helps : '';
}

/** Why the warps of a line waited; undefined where they did not. */
export function waitsOf(kernel: ProfiledKernel, line: ProfiledLine, ageOf: AgeOf): Waits | undefined {
  const stalls = stallsOf(line.values);
  const [reason] = stalls;
  if (!reason) return undefined;
  const why = stalls.slice(0, mostReasons).map(reasonText);
  const sentences = [`Waits: ${why.join(', ')}.`];
  if (reason.meaning) sentences.push(`${reason.title[0]!.toUpperCase()}${reason.title.slice(1)}: ${reason.meaning}.`);
  const filler = fillerOf(kernel, line);
  if (!filler) return { reason, sentences: sentences.join(' '), helps: helpOf(reason, line) };
  const where = filler.line.file === line.file ? '' : ` of ${nameOf(filler.line.file)}`;
  const filledBy = `line ${ageOf(kernel, filler.line).line}${where}`;
  const against = filler.ratio >= leastRatio ? `, ${ratioText(filler.ratio)} ideal` : '';
  sentences.push(
    `The queue is filled mainly by ${filledBy}: ${percent(filler.share)} of the ${filler.what}${against}.`,
  );
  return { reason, filler: filler.line, filledBy, sentences: sentences.join(' '), helps: '' };
}
