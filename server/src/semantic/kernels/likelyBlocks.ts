// Blocks that a kernel is likely launched with where no launch is known: by the axes that it asks for.
import { type Program, calleeName, walk } from '../language';
import type { Text } from '../races';

export function guessedBlock(
  texts: readonly Text[],
  program: Program,
  threads: number,
): readonly [number, number, number] {
  const axes = usedAxes(texts, program);
  if (axes.z) return [8, 8, 4];
  if (!axes.y) return [threads, 1, 1];
  return threads >= 64 && threads % 32 === 0 ? [32, Math.min(32, threads / 32), 1] : [16, 16, 1];
}

/** Other blocks that the kernel might as well be launched with. */
export function otherBlocks(
  texts: readonly Text[],
  program: Program,
  [x, y, z]: readonly [number, number, number],
): readonly (readonly [number, number, number])[] {
  const axes = usedAxes(texts, program);
  if (axes.z) return [[32, 4, 2]];
  if (!axes.y && y === 1 && z === 1) return [[x === 128 ? 256 : 128, 1, 1]];
  const usual = [
    [32, 8, 1],
    [16, 16, 1],
    [8, 32, 1],
  ] as const;
  return usual.filter((block) => block[0] !== x);
}

/** Functions that are looked into for what they ask of the thread's place. */
const mostCallees = 32;

/** The axes of the thread's place beside x that the kernel, or a function that it calls, asks for. */
function usedAxes(texts: readonly Text[], program: Program): { y: boolean; z: boolean } {
  const axes = { y: false, z: false };
  const seen = new Set(texts);
  for (const fn of seen) {
    walk(fn.body, (node) => {
      if (node.kind === 'call') {
        const name = calleeName(node);
        const callees = name === undefined ? [] : program.functions(name);
        for (const callee of callees) if (callee.body && callee.device && seen.size < mostCallees) seen.add(callee);
      }
      if (node.kind !== 'member' || node.object.kind !== 'name' || node.object.name !== 'threadIdx') return;
      if (node.field === 'y') axes.y = true;
      if (node.field === 'z') axes.z = true;
    });
  }
  return axes;
}
