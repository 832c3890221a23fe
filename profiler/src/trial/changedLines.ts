/** Whether the lines that a change touches ran in the unchanged program, and their part of the kernel's samples. */

import type { KernelMeasurement, LineMetrics } from '../../../protocol/src/lineMetrics';
import { carryLines } from '../lines/carryOver';
import { nameOf, resemblance } from '../lines/sourceMapping';
import type { RecordedSource } from '../lines/sourceMapping';
import { counters } from '../overlay/kernels';
import type { FileText } from './variantHost';

/** The section that counts what each line executed, and its samples. */
export const lineSections = ['SourceCounters'] as const;

/** What the unchanged form executed under ncu, with its sources as they were built. */
export interface ExecutedLines {
  readonly kernels: readonly KernelMeasurement[];
  readonly lines: readonly LineMetrics[];
  readonly sources: ReadonlyMap<string, RecordedSource>;
}

export interface ChangedLines {
  /** Short names of the kernels that contain them. */
  readonly kernels: readonly string[];
  /** Their part of these kernels' samples, 0 to 1, code inlined there apart; undefined where no warp executed them. */
  readonly share: number | undefined;
}

/** Undefined where the changed lines have no instruction in what was measured, or nothing was counted. */
export function changedLines(
  { kernels, lines, sources }: ExecutedLines,
  files: readonly FileText[],
): ChangedLines | undefined {
  const own: LineMetrics[] = [];
  const reached: LineMetrics[] = [];
  let ran = false;
  for (const { path, text } of files) {
    const source = builtSource(sources, path, text);
    const here = lines.filter(({ file }) => file === source?.path);
    // What a change outside of the kernels does, such as another launch, no line of theirs says.
    ran ||= source === undefined;
    for (const { line: changed, from, to } of source ? placesOf(source.text, text) : []) {
      const ofLine = here.filter(({ line }) => line === changed);
      // A declaration has no instruction: it matters within its block.
      const reach = ofLine.length > 0 ? ofLine : here.filter(({ line }) => from <= line && line <= to);
      ran ||= reach.length === 0 || reach.some(({ values }) => values[counters.instructions] !== 0);
      own.push(...ofLine);
      reached.push(...reach);
    }
  }
  const found = new Set((ran ? own : reached).map(({ launch }) => launch));
  const launches = kernels.filter(({ launch }) => found.has(launch));
  const samples = sum(launches.map(({ values }) => values[counters.samples] ?? 0));
  const counted = ({ launch }: KernelMeasurement): boolean =>
    lines.some((line) => line.launch === launch && line.values[counters.instructions]! > 0);
  if (launches.length === 0 || (ran ? samples === 0 : !launches.every(counted))) return undefined;
  const samplesOf = new Map(launches.map(({ launch, values }) => [launch, values[counters.samples] ?? 0]));
  const ownSamples = sum(own.map(({ launch, shares }) => (shares[counters.samples] ?? 0) * samplesOf.get(launch)!));
  return {
    kernels: [...new Set(launches.map(({ shortName }) => shortName))],
    share: ran ? ownSamples / samples : undefined,
  };
}

/** The source of a changed file as it was built: that of its name which is most like it. */
function builtSource(
  sources: ExecutedLines['sources'],
  path: string,
  text: string,
): { readonly path: string; readonly text: string } | undefined {
  const alike = [...sources.values()].flatMap((source) => {
    if (source.text === undefined || nameOf(source.path) !== nameOf(path)) return [];
    const { kept } = carryLines(source.text, text);
    return kept >= resemblance ? [{ path: source.path, text: source.text, kept }] : [];
  });
  const [best, next] = alike.sort((a, b) => b.kept - a.kept);
  return best?.kept === next?.kept ? undefined : best;
}

/**
 * The lines of the unchanged text that a change touches, from 1: those that it changes or removes, and the line that a
 * new line comes before.
 */
export function touchedLines(before: string, after: string): readonly number[] {
  return placesOf(before, after).map(({ line, before: next }) => line ?? next);
}

/** A changed line of the unchanged text, or a gap with new lines, and the lines of the block that it is in. */
interface ChangedPlace extends Block {
  readonly line?: number;
  /** The line that is changed, or that new ones come before. */
  readonly before: number;
}

/** What a change touches: lines with code that were changed or removed; where there are none, the gap of new ones. */
function placesOf(before: string, after: string): ChangedPlace[] {
  const { lineNow } = carryLines(before, after);
  const [was, is] = [before.split('\n'), after.split('\n')];
  const blocks = blocksOf(before);
  const places: ChangedPlace[] = [];
  let removed: number[] = [];
  let now = 0;
  for (let line = 1; line <= was.length + 1; line++) {
    const at = line > was.length ? is.length + 1 : lineNow(line);
    if (at === undefined) {
      if (isCode(was[line - 1]!)) removed.push(line);
      continue;
    }
    if (removed.length > 0)
      places.push(...removed.map((changed) => ({ line: changed, before: changed, ...blocks[changed - 1]! })));
    else if (is.slice(now, at - 1).some(isCode)) places.push({ before: line, ...blocks[line - 1]! });
    removed = [];
    now = at;
  }
  return places;
}

/** Brackets and comments do nothing when they run. */
function isCode(text: string): boolean {
  return /\w/.test(text) && !text.trimStart().startsWith('//');
}

/** The lines between a pair of braces, from 1, both inclusive; of none, no line. */
interface Block {
  readonly from: number;
  readonly to: number;
}

const notCode = /\/\*[\s\S]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;

/** The innermost block around the begin of each line, and of the end of the text. */
function blocksOf(text: string): readonly Block[] {
  const lines = text.replace(notCode, (part) => part.replace(/[^\n]/g, ' ')).split('\n');
  const open: { from: number; to: number }[] = [{ from: 0, to: -1 }];
  const blocks: Block[] = [];
  for (const [index, line] of lines.entries()) {
    blocks.push(open.at(-1)!);
    for (const [brace] of line.matchAll(/[{}]/g)) {
      if (brace === '{') open.push({ from: index + 2, to: lines.length });
      else if (open.length > 1) open.pop()!.to = index;
    }
  }
  return [...blocks, open[0]!];
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
