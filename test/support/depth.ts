// How much this run draws, compiles and measures: `npm test` a little of everything, `npm run test:deep` all of it,
// `npm test -- quick` nothing that needs nvcc.
import { ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

export type Depth = 'quick' | 'usual' | 'deep';

export const depth: Depth = readDepth(process.env['WARPLENS_DEPTH']);
export const deep = depth === 'deep';

function readDepth(name = ''): Depth {
  if (name === 'quick' || name === 'usual' || name === 'deep') return name;
  if (name === '') return 'usual';
  throw new Error(`WARPLENS_DEPTH is "${name}": use quick, usual or deep.`);
}

/** How many to draw: `many` in a deep run. */
export function drawn(few: number, many: number): number {
  return deep ? many : few;
}

/** By which samples change: the day of the last commit, so that a commit has one draw; `WARPLENS_DAY` repeats another. */
const commit = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: __dirname, encoding: 'utf8' }).stdout?.trim();
const day = Number(process.env['WARPLENS_DAY'] ?? Math.floor(Number(commit || Date.now() / 1000) / 86_400));

/** All of a deep run, else `few` that are spread evenly over the list, of which every part has its day. */
export function sampleOf<T>(all: readonly T[], few: number): readonly T[] {
  if (deep || all.length <= few) return all;
  return Array.from({ length: few }, (_, at) => all[(Math.floor((at * all.length) / few) + day) % all.length]!);
}

/** Holds a time against its limit in deep runs alone: otherwise other steps share the machine, and Mocha's limit is all. */
export function inTime(milliseconds: number, most: number, what = 'it'): void {
  if (deep) ok(milliseconds < most, `${what} took ${Math.round(milliseconds)} ms, and may take ${Math.round(most)}`);
}

type Body = (this: Mocha.Context) => void | Promise<unknown>;

/** `it` for tests of one kind that take long: all of them in a deep run, else one in `every`, by the day. */
export function inTurn(every: number): (title: string, body: Body) => void {
  let count = 0;
  return (title, body) => {
    if (deep || (count++ + day) % every === 0) it(title, body);
  };
}

/** A test that measures memory or speed, or runs long: it exists in deep runs only. */
export const itDeep = (title: string, body: Body): unknown => deep && it(title, body);
