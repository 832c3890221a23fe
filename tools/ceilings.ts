// Holds each room to a number of lines that only falls.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lines of TypeScript by room, and milliseconds of the unit tests by `weights`. */
type Ceilings = Readonly<Record<string, number>>;

const root = join(__dirname, '..');
const path = 'tools/ceilings.json';

/** The room of a file that counts, or undefined for what has no ceiling (`lab`, data). */
function roomOf(file: string): string | undefined {
  if (!file.endsWith('.ts') || file.startsWith('lab/')) return undefined;
  return /^(?:server\/src\/semantic(?:\/[\w-]+(?=\/))?|server\/src(?:\/[\w-]+(?=\/))?|[\w-]+(?=\/))/.exec(file)?.[0];
}

/** What each room measures today. */
export function sizesOf(files: ReadonlyMap<string, string>): Ceilings {
  const sizes: Record<string, number> = {};
  for (const [file, text] of files) {
    const room = roomOf(file);
    if (room !== undefined) sizes[room] = (sizes[room] ?? 0) + text.split('\n').length - 1;
  }
  const weights = files.get('test/support/weights.json');
  if (weights !== undefined)
    sizes['weights'] = Object.values(JSON.parse(weights) as Ceilings).reduce((sum, weight) => sum + weight, 0);
  return sizes;
}

/** Rooms above their ceiling, rooms without one, and ceilings that were raised since the last commit. */
export function aboveCeiling(
  files: ReadonlyMap<string, string>,
  committed: () => Ceilings | undefined = committedCeilings,
): string[] {
  const text = files.get(path);
  if (text === undefined) return [];
  const ceilings = JSON.parse(text) as Ceilings;
  const found = Object.entries(sizesOf(files)).flatMap(([room, size]) => {
    const ceiling = ceilings[room];
    if (ceiling === undefined) return [`${path}: "${room}" has no ceiling: run "npx tsx tools/tidy.ts --lower".`];
    return size > ceiling
      ? [`${room}: ${size} ${unitOf(room)}, ceiling ${ceiling}: delete what the change replaces.`]
      : [];
  });
  for (const [room, before] of Object.entries(committed() ?? {}))
    if ((ceilings[room] ?? 0) > before)
      found.push(`${path}: the ceiling of ${room} rises from ${before} to ${ceilings[room]}: ceilings only fall.`);
  return found;
}

const unitOf = (room: string): string => (room === 'weights' ? 'ms of unit tests' : 'lines');

/** The ceilings of the last commit; undefined without git, or before there were any. */
function committedCeilings(): Ceilings | undefined {
  try {
    const text = execFileSync('git', ['show', `HEAD:${path}`], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
    return JSON.parse(text) as Ceilings;
  } catch {
    return undefined;
  }
}

/** Writes the size of each room where it is below the ceiling; a new room starts with its size. */
export function lowerCeilings(files: ReadonlyMap<string, string>): void {
  const ceilings = JSON.parse(files.get(path) ?? '{}') as Ceilings;
  const sizes = Object.entries(sizesOf(files)).sort(([a], [b]) => (a < b ? -1 : 1));
  const lowered = Object.fromEntries(sizes.map(([room, size]) => [room, Math.min(size, ceilings[room] ?? size)]));
  writeFileSync(join(root, path), `${JSON.stringify(lowered, null, 2)}\n`);
}
