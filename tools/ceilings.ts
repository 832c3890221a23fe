// A ceiling for each room, in lines of TypeScript, and for the time of the unit tests: ceilings only fall.
//
// npx tsx tools/tidy.ts --lower    writes the ceilings down to what is there now
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Weights } from './unitShards';

/** By kind of count, the ceiling of each room. */
export type Ceilings = Readonly<Record<'lines' | 'milliseconds', Readonly<Record<string, number>>>>;

const root = join(__dirname, '..');
const file = 'tools/ceilings.json';
const weights = 'test/support/weights.json';
const kinds = ['lines', 'milliseconds'] as const;

/** The lines of each room, and the sum of what single files of unit tests cost. */
export function counted(files: ReadonlyMap<string, string>): Ceilings {
  const lines: Record<string, number> = {};
  for (const [path, text] of files) {
    const room = heldRoomOf(path);
    if (room !== undefined) lines[room] = (lines[room] ?? 0) + text.split('\n').length - 1;
  }
  const weighed = Object.entries(JSON.parse(files.get(weights) ?? '{}') as Weights);
  const seconds = weighed.reduce((sum, [path, cost]) => (path.endsWith('/') ? sum : sum + cost), 0);
  return { lines, milliseconds: { [weights]: Math.round(1000 * seconds) } };
}

/** A folder at the root; of the server a folder of `src`, of the analysis one further in. The lab is not held. */
function heldRoomOf(path: string): string | undefined {
  if (!path.endsWith('.ts') || path.startsWith('lab/')) return undefined;
  const [, room] = /^(server\/src(?:\/semantic(?=\/)(?:\/\w+(?=\/))?|\/\w+(?=\/))?|\w+)\//.exec(path) ?? [];
  return room;
}

/** Rooms that are above their ceilings. */
export function tooLarge(files: ReadonlyMap<string, string>): string[] {
  const text = files.get(file);
  if (text === undefined) return [];
  const ceilings = JSON.parse(text) as Ceilings;
  const now = counted(files);
  return kinds.flatMap((kind) =>
    Object.entries(now[kind]).flatMap(([room, count]) => {
      const ceiling = ceilings[kind][room];
      if (ceiling === undefined) return [`${room}: no ceiling: run npx tsx tools/tidy.ts --lower.`];
      const what = `${room}: ${shown(count)} ${kind}, ceiling ${shown(ceiling)}`;
      return count > ceiling ? [`${what}: delete what the change replaces.`] : [];
    }),
  );
}

/** Ceilings at the present counts where those are lower, without rooms that are gone. */
export function lowered(ceilings: Ceilings | undefined, now: Ceilings): Ceilings {
  const lower = (kind: (typeof kinds)[number]): Record<string, number> =>
    Object.fromEntries(
      Object.entries(now[kind])
        .map(([room, count]) => [room, Math.min(count, ceilings?.[kind][room] ?? count)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  return { lines: lower('lines'), milliseconds: lower('milliseconds') };
}

export function lower(files: ReadonlyMap<string, string>): void {
  const text = files.get(file);
  const ceilings = lowered(text === undefined ? undefined : (JSON.parse(text) as Ceilings), counted(files));
  writeFileSync(join(root, file), `${JSON.stringify(ceilings, undefined, 2)}\n`);
}

/**
 * Ceilings that rise from one state to the next, where the message of the commit has no line `Raises ROOM: why`. A new
 * room may be as large as the sum by which the others fall.
 */
export function raises(before: Ceilings, after: Ceilings, message: string): string[] {
  return kinds.flatMap((kind) => {
    const rooms = new Set([...Object.keys(before[kind]), ...Object.keys(after[kind])]);
    let freed = 0;
    return [...rooms]
      .sort((a, b) => Number(b in before[kind]) - Number(a in before[kind]))
      .flatMap((room) => {
        const old = before[kind][room];
        const rise = (after[kind][room] ?? 0) - (old ?? 0);
        if (message.split('\n').some((line) => line.startsWith(`Raises ${room}: `))) return [];
        if (old === undefined ? rise <= freed : rise <= 0) {
          freed -= rise;
          return [];
        }
        const what = `${file}: ${room} rises by ${shown(rise)} ${kind}`;
        return [`${what}: only a commit with a line "Raises ${room}: why" may do that.`];
      });
  });
}

/** Raises by the last commit and since, as far as git knows: without a repository there is no history to compare. */
export function raisesInHistory(files: ReadonlyMap<string, string>): string[] {
  const at = (commit: string): Ceilings | undefined => {
    const text = git('show', `${commit}:${file}`);
    return text === undefined ? undefined : (JSON.parse(text) as Ceilings);
  };
  const now = files.get(file);
  const committed = at('HEAD');
  if (now === undefined || committed === undefined) return [];
  const before = at('HEAD~1');
  return [
    ...raises(committed, JSON.parse(now) as Ceilings, ''),
    ...(before === undefined ? [] : raises(before, committed, git('log', '-1', '--format=%B') ?? '')),
  ];
}

function git(...words: readonly string[]): string | undefined {
  try {
    return execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}

function shown(count: number): string {
  return count.toLocaleString('en-US');
}
