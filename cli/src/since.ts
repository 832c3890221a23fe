// The lines of files that changed since a git revision.
import { realpathSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import type { Span } from '../../server/src/semantic/model';
import { placesIn } from './source';
import type { CheckedFile } from './checkedFile';
import { commitOf, git, listOf, topOf } from './git';

/** First and last line, from 1; for deleted lines, the two around them. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}
/** The new and changed lines of each file. */
export type Changes = (path: string) => readonly LineRange[];

const wholeFile: readonly LineRange[] = [{ first: 1, last: Number.MAX_SAFE_INTEGER }];

/** Runs git once per repository and once per changed file. Throws BadUse with one sentence. */
export function changesSince(revision: string): Changes {
  const repositories = new Map<string, Repository>();
  const tops = new Map<string, string>();
  return (path) => {
    const real = realpathSync(path);
    const folder = dirname(real);
    const top = tops.get(folder) ?? topOf(folder, '--since');
    tops.set(folder, top);
    const repository = repositories.get(top) ?? openRepository(top, revision);
    repositories.set(top, repository);
    return repository(relative(top, real).split(sep).join('/'));
  };
}

type Repository = (path: string) => readonly LineRange[];

function openRepository(top: string, revision: string): Repository {
  const commit = commitOf(top, revision);
  const tracked = new Set(listOf(top, ['ls-files', '-z']));
  const changed = new Map<string, string>();
  const status = listOf(top, ['diff', '--name-status', '-z', '--find-renames', '--no-ext-diff', commit, '--']);
  for (let at = 0; at < status.length; ) {
    const renamed = /^[RC]/.test(status[at]!);
    const before = status[at + 1]!;
    changed.set(renamed ? status[at + 2]! : before, before);
    at += renamed ? 3 : 2;
  }
  return (path) => {
    // Git does not know the file: all of it is new.
    if (!tracked.has(path)) return wholeFile;
    const before = changed.get(path);
    if (before === undefined) return [];
    const options = ['--unified=0', '--no-color', '--no-ext-diff', '--no-textconv'];
    const renamed = before !== path;
    const diff = git(top, [
      'diff',
      ...options,
      ...(renamed ? [`${commit}:${before}`, '--', path] : [commit, '--', `:(top,literal)${path}`]),
    ]);
    return diff.status === 0 ? hunksOf(diff.stdout) : wholeFile;
  };
}

/** The lines of the new text that a diff without context touches. */
export function hunksOf(diff: string): readonly LineRange[] {
  return [...diff.matchAll(/^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/gm)].map((hunk) => {
    const first = Number(hunk[1]);
    const count = hunk[2] === undefined ? 1 : Number(hunk[2]);
    return count === 0 ? { first, last: first + 1 } : { first, last: first + count - 1 };
  });
}

/** Findings on the changed lines of a file, and of kernels that have such lines. */
export function touched({ text, findings }: CheckedFile, changes: readonly LineRange[]): readonly ResolvedFinding[] {
  const placeOf = placesIn(text);
  const isTouched = (span: Span): boolean => {
    const { line, endLine } = placeOf(span);
    return changes.some((range) => range.first <= endLine && line <= range.last);
  };
  return findings.filter((finding) => [finding.at, ...(finding.kernelsAt ?? [])].some(isTouched));
}
