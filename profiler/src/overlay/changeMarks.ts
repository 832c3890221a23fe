// Turns changes of lines into what an editor draws: where a line got better or worse, by how much, and in which words.
import { duration, percent } from '../lines/amounts';
import type { ChangeVerdict, KernelChange, LineChange, ReportChanges } from './changes';
import { ratioText, type Mark } from './marks';

/** A mark of a line that changed, with its change. */
export interface ChangeMark extends Mark {
  readonly level: 'better' | 'worse' | 'changed';
  readonly change: LineChange;
}

/**
 * The marks of all lines that changed and are still there, of all kernels or of the one named, what changed most
 * first. What removed lines saved is on the line above them.
 */
export function changeMarks({ kernels }: ReportChanges, named?: string): ChangeMark[] {
  const marks = kernels
    .filter(({ after }) => named === undefined || after.name === named)
    .flatMap((kernel) => {
      const removed = removedBelow(kernel);
      return kernel.lines.flatMap((line) => changeMark(kernel, line, removed.get(line) ?? 0) ?? []);
    });
  const most = marks.reduce((all, { weight }) => Math.max(all, weight), 0);
  return marks
    .map((mark) => ({ ...mark, heat: most > 0 ? Math.sqrt(mark.weight / most) : 0 }))
    .sort((a, b) => b.weight - a.weight || a.line.line - b.line.line);
}

/** Nanoseconds of a launch, below 0, that removed lines saved, by the nearest line above them that is still there. */
function removedBelow({ lines }: KernelChange): ReadonlyMap<LineChange, number> {
  const saved = new Map<LineChange, number>();
  for (const gone of lines) {
    if (gone.line !== undefined || !gone.timeChanged || gone.costNs === undefined) continue;
    const above = lines
      .filter(({ line, before }) => line !== undefined && before && before.file === gone.file)
      .filter(({ lineBefore }) => lineBefore! < gone.lineBefore!)
      .reduce<LineChange | undefined>(
        (last, one) => (last && last.lineBefore! > one.lineBefore! ? last : one),
        undefined,
      );
    if (above) saved.set(above, (saved.get(above) ?? 0) + gone.costNs);
  }
  return saved;
}

function changeMark(kernel: KernelChange, change: LineChange, removedNs: number): ChangeMark | undefined {
  const { line, file } = change;
  const verdict = change.verdict === 'same' && removedNs < 0 ? 'better' : change.verdict;
  if (verdict === 'same' || line === undefined) return undefined;
  return {
    kernel: kernel.after,
    line: change.after ?? { file, line, values: {} },
    heat: 0,
    cell: cellOf(kernel, { ...change, verdict }),
    figure: costText(change),
    words: [...(removedNs < 0 ? [`removed below: ${signed(removedNs, duration)}`] : []), ...changeWords(change)],
    level: levelOf(kernel, verdict),
    weight: Math.abs(change.costNs ?? (change.shareAfter ?? 0) - (change.shareBefore ?? 0)) - removedNs,
    change,
  };
}

/** Where the kernel became faster, what a new line of it costs is the price of the gain and no loss. */
export function levelOf<Verdict extends ChangeVerdict>(
  { durationBeforeNs: was, durationAfterNs: is, durationChanged }: KernelChange,
  verdict: Verdict,
): Verdict | 'changed' {
  const isFaster = durationChanged && was !== undefined && is !== undefined && is < was;
  return verdict === 'worse' && isFaster ? 'changed' : verdict;
}

/**
 * Per cent of the longer launch that the line costs more or less, or a sign where only counters changed: at most three
 * characters.
 */
function cellOf({ durationBeforeNs, durationAfterNs }: KernelChange, change: LineChange): string {
  const difference =
    change.costNs === undefined
      ? (change.shareAfter ?? 0) - (change.shareBefore ?? 0)
      : change.costNs / Math.max(durationBeforeNs!, durationAfterNs!);
  const whole = Math.min(99, Math.round(Math.abs(difference) * 100));
  if (!change.timeChanged || whole === 0) return signs[change.verdict];
  return `${difference < 0 ? '−' : '+'}${whole}`;
}

const signs: Readonly<Record<ChangeVerdict, string>> = { better: '▼', worse: '▲', changed: '◆', same: '' };

/** `−21.9 µs`, `+12.3 points` where the reports have no times; empty where the time did not change. */
export function costText(change: LineChange): string {
  if (!change.timeChanged) return '';
  if (change.costNs !== undefined) return signed(change.costNs, duration);
  const points = 100 * ((change.shareAfter ?? 0) - (change.shareBefore ?? 0));
  return signed(points, (by) => `${by.toFixed(1)} points`);
}

/** What changed on a line, one thing each: its share, its counters, why its warps wait. */
export function changeWords(change: LineChange): string[] {
  const { before, after, edited, shareBefore, shareAfter, counts, reasons } = change;
  const words: string[] = [];
  if (!before) words.push('new');
  else if (!after) words.push('no longer in this kernel');
  else if (edited) words.push('edited');
  if (change.timeChanged && before && after) words.push(`${percent(shareBefore!)} → ${percent(shareAfter!)}`);
  // A line that only one of the two has differs in everything.
  if (!before || !after) return words;
  for (const { metric, before: from, after: to, ratioBefore, ratioAfter, changed } of counts) {
    if (!changed) continue;
    words.push(
      ratioBefore !== undefined && ratioAfter !== undefined && ratioText(ratioBefore) !== ratioText(ratioAfter)
        ? `${metric} ${ratioText(ratioBefore)} → ${ratioText(ratioAfter)}`
        : `${metric} ${partText(from, to)}`,
    );
  }
  const [first] = reasons;
  if (first) words.push(`${first.after > first.before ? 'more' : 'less'} ${first.title}`);
  return words;
}

/**
 * What changed on a line in a sentence: `Since step 1: −21.9 µs a launch; 36.2% → 25.9%; wavefronts 32.0× → 1.0×; MIO
 * throttle 20.1% → 3.4% of the kernel.`
 */
export function differenceText({ kernel, change, figure, words: its }: ChangeMark, name: string): string {
  const reasons = change.reasons
    .slice(0, 3)
    .map(({ title, before, after }) => `${title} ${percent(before)} → ${percent(after)} of the kernel`);
  const words = its.filter((word) => !/^(more|less) /.test(word));
  const cost = figure === '' || change.costNs === undefined ? figure : `${figure} a launch`;
  const parts = [cost, ...words, ...reasons];
  return `Since ${name}, in ${kernel.shortName}: ${parts.filter(Boolean).join('; ')}.`;
}

/** `+38 %` */
function partText(from: number, to: number): string {
  if (from <= 0 || to <= 0) return to > 0 ? 'new' : 'gone';
  return signed(100 * (to / from - 1), (by) => `${by.toFixed(by < 10 ? 1 : 0)} %`);
}

function signed(value: number, text: (value: number) => string): string {
  return `${value < 0 ? '−' : '+'}${text(Math.abs(value))}`;
}

/**
 * The place after or before another one, in the order of files and lines, round its ends; `files` in the order in
 * which they are walked.
 */
export function nextChange(
  marks: readonly ChangeMark[],
  files: readonly string[],
  here: { readonly file: string; readonly line: number } | undefined,
  step: 1 | -1,
): ChangeMark | undefined {
  const order = ({ file, line }: { readonly file: string; readonly line: number }): readonly [number, number] => [
    files.indexOf(file),
    line,
  ];
  const compare = (a: readonly [number, number], b: readonly [number, number]): number => a[0] - b[0] || a[1] - b[1];
  const stops = [...new Map(marks.map((mark) => [`${mark.line.line}\n${mark.line.file}`, mark])).values()].sort(
    (a, b) => compare(order(a.line), order(b.line)),
  );
  if (!here || !files.includes(here.file)) return step > 0 ? stops[0] : stops.at(-1);
  const at = order(here);
  return step > 0
    ? (stops.find((mark) => compare(order(mark.line), at) > 0) ?? stops[0])
    : (stops.findLast((mark) => compare(order(mark.line), at) < 0) ?? stops.at(-1));
}
