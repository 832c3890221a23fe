// Races of a kernel whose block no known code fixes: those that blocks of several sizes show alike.
import type { FunctionDecl } from '../../syntax/ast';
import { type Program, calleeName, walk, sizeOf, type Type } from '../language';
import { Taint, type RunResult } from '../run';
import type { GridAxes } from './otherBlocks';
import { globalRacesOf, overrunsOf, racesOf, type RaceSummary } from './raceFacts';

/** What one supposed block showed. */
export interface SupposedRun {
  readonly block: readonly [number, number, number];
  readonly races: readonly RaceSummary[];
}

/**
 * The races of a run in a block that was supposed; undefined where the block can hardly be that large
 * (threads beyond the end of an array) or is most likely one warp, whose author never has the block wait.
 */
export function supposedRun(
  result: RunResult,
  kernel: FunctionDecl,
  block: readonly [number, number, number],
): SupposedRun | undefined {
  if (!result.shared.some((event) => event.kind === 'meeting' && event.scope === 'block')) return undefined;
  if (overrunsOf(result, block).length > 0) return undefined;
  const narrow = new Set<string>();
  for (const event of result.shared)
    if (event.kind === 'access' && isNarrow(event.base.type, block[0])) narrow.add(event.base.name);
  const races = racesOf(result, kernel, block).filter(({ array }) => !narrow.has(array));
  return { block, races: races.map((race) => ({ ...race, supposed: block })) };
}

/** The races in global memory of a run in a block that was supposed. */
export function supposedGlobal(
  result: RunResult,
  kernel: FunctionDecl,
  block: SupposedRun['block'],
  grid: GridAxes,
): SupposedRun {
  const races = asksForThread(result) ? globalRacesOf(result, kernel, block, grid) : [];
  return { block, races: races.map((race) => ({ ...race, supposed: block })) };
}

/** Does it depend on which thread of its block runs it? A kernel that does not is for one thread. */
function asksForThread({ accesses, branches }: RunResult): boolean {
  const records = [...[...accesses.values()].flat(), ...branches.values()];
  return records.some(({ taint }) => taint & Taint.thread);
}

/** Those that every block shows. */
export function commonRaces(runs: readonly SupposedRun[]): readonly RaceSummary[] {
  const [first, ...others] = runs;
  return (first?.races ?? []).filter(({ key }) =>
    others.every(({ races }) => races.some((other) => other.key === key)),
  );
}

/** Functions that are looked into for how they ask for the thread's place. */
const mostCallees = 32;

/** A function's text, or a lambda's. */
export type Text = Pick<FunctionDecl, 'body'>;

/** Do these, with what they call, ask for nothing of the thread's place in its block but its x? */
export function isOfLine(texts: readonly Text[], program: Program): boolean {
  const seen = new Set(texts);
  let others = false;
  for (const fn of seen) {
    let names = 0;
    let xs = 0;
    walk(fn.body, (node) => {
      if (node.kind === 'call') {
        const name = calleeName(node);
        if (name === undefined) return;
        if (/thread_index|hipThreadIdx/.test(name)) others = true;
        for (const callee of program.functions(name))
          if (callee.body && callee.device && seen.size < mostCallees) seen.add(callee);
      } else if (node.kind === 'name') {
        if (node.name === 'threadIdx') names++;
        else if (/^hip(ThreadIdx|BlockDim)_[yz]$/.test(node.name)) others = true;
      } else if (node.kind === 'member' && node.object.kind === 'name') {
        if (node.object.name === 'threadIdx' && node.field === 'x') xs++;
        else if (node.object.name === 'blockDim' && node.field !== 'x') others = true;
      }
    });
    if (others || names !== xs) return false;
  }
  return true;
}

/** Rows of fewer elements than the block has threads: a thread beyond its row would be in the next one's place. */
function isNarrow(type: Type | undefined, threads: number): boolean {
  if (type?.kind !== 'array' || type.of.kind !== 'array') return false;
  let row: Type = type.of;
  while (row.kind === 'array' && row.of.kind === 'array') row = row.of;
  const bytes = sizeOf(row);
  const element = row.kind === 'array' ? sizeOf(row.of) : undefined;
  return bytes === undefined || element === undefined || bytes / element < threads;
}
