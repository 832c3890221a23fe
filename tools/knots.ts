// Finds knots inside the rooms of the analysis: parts of a room that import one another in a circle.
import { stillKnotted } from './tidyExceptions';

const looseFiles = 'loose files';

/** A folder of a room, or its loose files together. The door imports every part and belongs to none. */
function partOf(path: string): { readonly room: string; readonly part: string } | undefined {
  const [, room, rest] = /^(server\/src\/semantic\/\w+)\/(.+)$/.exec(path) ?? [];
  if (room === undefined || rest === 'index.ts') return undefined;
  return { room, part: rest!.includes('/') ? rest!.split('/')[0]! : looseFiles };
}

/** The parts that form knots, by room, each part by its name. */
function knotsIn(
  files: ReadonlyMap<string, string>,
  importsOf: (path: string) => readonly string[],
): Map<string, string[][]> {
  const rooms = new Map<string, Map<string, Set<string>>>();
  for (const path of files.keys()) {
    const from = partOf(path);
    if (from === undefined || !path.endsWith('.ts')) continue;
    const parts = rooms.get(from.room) ?? new Map<string, Set<string>>();
    rooms.set(from.room, parts);
    const targets = parts.get(from.part) ?? new Set<string>();
    parts.set(from.part, targets);
    for (const target of importsOf(path)) {
      const to = partOf(target);
      if (to?.room === from.room) targets.add(to.part);
    }
  }
  return new Map([...rooms].map(([room, parts]) => [room, knotsOf(parts)]));
}

/** Groups of two or more parts that reach one another. */
function knotsOf(parts: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reached = new Map([...parts.keys()].map((part) => [part, reachedFrom(part, parts)]));
  const knots = new Map<string, string[]>();
  for (const [part, others] of reached) {
    const knot = [...others].filter((other) => reached.get(other)?.has(part)).sort();
    if (knot.length > 1) knots.set(knot.join(), knot);
  }
  return [...knots.values()];
}

function reachedFrom(part: string, parts: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>();
  const open = [part];
  for (const one of open)
    for (const next of parts.get(one) ?? [])
      if (!reached.has(next)) {
        reached.add(next);
        open.push(next);
      }
  return reached;
}

/** Knots beyond the exceptions, and parts of an exception that are in no knot any more. */
export function knots(files: ReadonlyMap<string, string>, importsOf: (path: string) => readonly string[]): string[] {
  const found: string[] = [];
  const all = knotsIn(files, importsOf);
  for (const room of new Set([...all.keys(), ...stillKnotted.keys()])) {
    const each = all.get(room) ?? [];
    const excused = stillKnotted.get(room) ?? [];
    for (const knot of each)
      if (!knot.every((part) => excused.includes(part)))
        found.push(`${room}: parts import one another in a circle: ${knot.join(', ')}.`);
    const unneeded = excused.filter((part) => !each.flat().includes(part));
    if (unneeded.length > 0 && files.has(`${room}/index.ts`))
      found.push(`tools/tidyExceptions.ts: ${room}: not knotted any more: ${unneeded.join(', ')}.`);
  }
  return found;
}
