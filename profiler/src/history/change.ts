/** What changed in the sources between two steps, as counts, as a line, and as a unified diff. */

import { basename, relative } from 'node:path';
import { structuredPatch, formatPatch } from 'diff';
import type { StructuredPatch } from 'diff';
import { carryLines } from '../lines/carryOver';
import { resemblance } from '../lines/sourceMapping';
import type { Step, StepChange } from './steps';

/** A source as it was built. */
export interface SourceText {
  /** Absolute path on this machine. */
  readonly path: string;
  readonly text: string;
}

export interface ChangedFile {
  /** Path of both sides; the older where the file is gone. */
  readonly path: string;
  readonly before?: SourceText | undefined;
  readonly after?: SourceText | undefined;
  readonly patch: StructuredPatch;
  readonly added: number;
  readonly removed: number;
}

/** A comparison of one file that takes longer is given up, and the file counts as changed as a whole. */
const longestComparisonMs = 1_000;

/**
 * The files that differ, those with kernels first. Line ends do not count. Files of one name are paired where the
 * project has moved, and the last two where one is an edit of the other under a new name.
 */
export function changedFiles(before: readonly SourceText[], after: readonly SourceText[]): ChangedFile[] {
  const found: ChangedFile[] = [];
  const left = new Map(before.map((source) => [source.path, source]));
  const alone = after.filter((source) => {
    const same = left.get(source.path) ?? onlyNamesake(source.path, after, left);
    if (same) left.delete(same.path);
    if (same) add(same, source);
    return !same;
  });
  const [old] = left.values();
  const renamed =
    old && left.size === 1 && alone.length === 1 && carryLines(old.text, alone[0]!.text).kept >= resemblance;
  if (renamed) add(old, alone[0]);
  else {
    for (const source of alone) add(undefined, source);
    for (const source of left.values()) add(source, undefined);
  }
  return found.sort((a, b) => Number(hasKernels(b)) - Number(hasKernels(a)) || a.path.localeCompare(b.path));

  function add(old: SourceText | undefined, now: SourceText | undefined): void {
    const [oldText, newText] = [old?.text ?? '', now?.text ?? ''].map((text) => text.replaceAll('\r\n', '\n'));
    if (oldText === newText && old && now) return;
    const path = (now ?? old)!.path;
    const patch =
      structuredPatch(path, path, oldText!, newText!, undefined, undefined, {
        context: 3,
        timeout: longestComparisonMs,
      }) ?? structuredPatch(path, path, '', newText!, undefined, undefined, { context: 0 });
    const lines = patch.hunks.flatMap(({ lines: of }) => of);
    found.push({
      path,
      before: old,
      after: now,
      patch,
      added: lines.filter((line) => line.startsWith('+')).length,
      removed: lines.filter((line) => line.startsWith('-')).length,
    });
  }
}

/** A unified diff of all files with paths relative to the folder; longer ones are cut, and say so. */
export function unifiedDiff(files: readonly ChangedFile[], folder: string, mostLines = Infinity): string {
  const lines = files.flatMap(({ path, patch, before, after }) => {
    const name = shortPath(path, folder);
    const named = {
      ...patch,
      oldFileName: before ? `a/${name}` : '/dev/null',
      newFileName: after ? `b/${name}` : '/dev/null',
      oldHeader: undefined,
      newHeader: undefined,
    };
    return formatPatch(named)
      .split('\n')
      .filter((line) => !/^(Index: |=+$)/.test(line) && line !== '');
  });
  return lines.length > mostLines
    ? `${lines.slice(0, mostLines).join('\n')}\n… ${lines.length - mostLines} more lines`
    : lines.join('\n');
}

type Compared = Pick<Step, 'number' | 'buildCommand' | 'collectCommand' | 'host' | 'device' | 'arguments' | 'commit'>;

/**
 * The change since the step before, described by a commit of these sources, else by the first changed line, else by
 * the other differences.
 */
export function changeSince(
  before: Compared,
  after: Omit<Compared, 'number'>,
  files: readonly ChangedFile[],
  folder: string,
): StepChange {
  return {
    since: before.number,
    title: titleOf(before, after, files),
    files: files.map(({ path, added, removed }) => ({ path: shortPath(path, folder), added, removed })),
  };
}

function titleOf(before: Compared, after: Omit<Compared, 'number'>, files: readonly ChangedFile[]): string {
  if (after.commit?.clean && after.commit.id !== before.commit?.id && before.commit?.clean && files.length > 0)
    return after.commit.subject;
  const lines = files.flatMap(({ patch }) => patch.hunks.flatMap((hunk) => hunk.lines));
  const telling = (sign: '+' | '-') =>
    lines.find((line) => line.startsWith(sign) && /[A-Za-z0-9_]/.test(line) && !/^.\s*(\/\/|\/\*|\*)/.test(line));
  const first = telling('+') ?? telling('-');
  if (first !== undefined) return `${first.startsWith('-') ? 'without ' : ''}${shortened(first.slice(1).trim(), 80)}`;
  if (files.length > 0) return 'comments and white space only';
  const others = [
    before.device !== after.device && after.device !== undefined
      ? `on ${after.device}`
      : before.host !== after.host && after.host !== ''
        ? `on ${after.host}`
        : undefined,
    (before.arguments ?? []).join(' ') !== (after.arguments ?? []).join(' ')
      ? `arguments ${after.arguments?.join(' ') || 'none'}`
      : undefined,
    withoutScratch(before.buildCommand) !== withoutScratch(after.buildCommand) ? 'another build command' : undefined,
  ].filter((text) => text !== undefined);
  return others.length > 0 ? `same sources, ${others.join(', ')}` : 'same sources';
}

/** The scratch folder has another name in each run. */
function withoutScratch(command: string): string {
  return command.replace(/[^\s']*\/warplens\.[A-Za-z0-9]+/g, '');
}

function shortPath(path: string, folder: string): string {
  const inside = relative(folder, path);
  return inside === '' || inside.startsWith('..') || /^[A-Za-z]:/.test(inside)
    ? basename(path)
    : inside.split('\\').join('/');
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

export function isKernelSource({ text }: SourceText): boolean {
  return /__global__|#pragma acc|!\$acc/i.test(text);
}

function hasKernels({ before, after }: ChangedFile): boolean {
  return isKernelSource((after ?? before)!);
}

/** The one file of that name among those that are left, where this one is the only one of its name, too. */
function onlyNamesake(
  path: string,
  all: readonly SourceText[],
  left: ReadonlyMap<string, SourceText>,
): SourceText | undefined {
  const name = basename(path);
  const there = [...left.values()].filter((source) => basename(source.path) === name);
  return there.length === 1 && all.filter((source) => basename(source.path) === name).length === 1
    ? there[0]
    : undefined;
}
