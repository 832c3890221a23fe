// What the counters say of a program's lines, as an answer is held against it.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { amounts, badLines, type BadLine, type Space, spaces, statementLines } from '../severity/compare';
import type { Program } from '../severity/programs';

/** The statement of a line whose accesses take at least 1.5 times the ideal. */
export interface Spot {
  readonly space: Space;
  /** Relative to the program's folder. */
  readonly file: string;
  readonly line: number;
  readonly from: number;
  readonly to: number;
  /** Sectors or wavefronts over the ideal. */
  readonly ratio: number;
  /** The part of the program's excess in this space, 0 to 1. */
  readonly part: number;
}

export interface Truth {
  readonly id: string;
  readonly program: string;
  readonly repo: string;
  readonly commit: string;
  readonly gpu: string;
  readonly build: string;
  readonly command: string;
  /** The counters show no waste: the right answer is to change nothing. */
  readonly control: boolean;
  /** Per space the lines with the most excess; those within one hundredth of the program's excess are equal. */
  readonly worst: readonly Spot[];
  /** All bad lines of lab/severity/compare.ts. */
  readonly bad: readonly Spot[];
}

/** Of all sectors, or of all wavefronts, what a control may take beyond the ideal. */
const mostExcess = 0.05;
const equalPart = 0.01;

/** Whether the program has accesses, and of its sectors and of its wavefronts nearly none are beyond the ideal. */
export function isControl(program: Program): boolean {
  const sums = spaces.map((space) => {
    const all = program.lines.map((line) => amounts(line, space));
    // Code that was inlined twice is subtracted twice.
    return {
      taken: all.reduce((sum, { taken }) => sum + Math.max(0, taken), 0),
      excess: all.reduce((sum, { taken, ideal }) => sum + Math.max(0, taken - ideal), 0),
    };
  });
  return sums.some(({ taken }) => taken > 0) && sums.every(({ taken, excess }) => excess <= mostExcess * taken);
}

function textsOf(root: string): (file: string) => readonly string[] {
  const texts = new Map<string, readonly string[]>();
  return (file) => {
    const known = texts.get(file);
    if (known) return known;
    const path = join(root, file);
    const text = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    texts.set(file, text);
    return text;
  };
}

/** The spots of a line: its own statement, and those that its code was inlined into. */
function spotsOf(
  { line, space, ratio, part }: BadLine,
  textOf: (file: string) => readonly string[],
  within: (file: string) => string | undefined,
): Spot[] {
  return [[line.file, line.line] as const, ...(line.sites ?? [])].flatMap(([path, number]) => {
    const file = within(path);
    if (file === undefined) return [];
    const [from, to] = statementLines(textOf(path), number, number);
    return [{ space, file, line: number, from, to, ratio, part }];
  });
}

/**
 * The worst and the bad lines of a program in a checkout; undefined where one of them lies outside of its folder or at
 * a line without text, which another commit would have.
 */
export function spotsIn(program: Program, root: string): Pick<Truth, 'worst' | 'bad'> | undefined {
  const { path } = program;
  const within = (file: string): string | undefined =>
    file === path ? basename(file) : file.startsWith(`${path}/`) ? file.slice(path.length + 1) : undefined;
  const textOf = textsOf(root);
  const bad = badLines(program);
  if (bad.some(({ line: { file, line } }) => within(file) === undefined || !textOf(file)[line - 1]?.trim()))
    return undefined;
  const most = (space: Space): number =>
    Math.max(0, ...bad.filter((each) => each.space === space).map(({ part }) => part));
  const worst = bad.filter(({ space, part }) => part > most(space) - equalPart);
  const spots = (list: readonly BadLine[]): Spot[] => list.flatMap((each) => spotsOf(each, textOf, within));
  return { worst: spots(worst), bad: spots(bad) };
}
