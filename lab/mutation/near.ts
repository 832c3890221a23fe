// The search of near.mjs, in its copy of the sources: which near misses tell mutants from the text without them.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { executedFile, executedVariation } from '../../test/fixes/executed';
import { type Family, families } from '../../test/fixes/families';
import { drawnNearMiss, nearMissesFile, outcomeOf } from '../../test/fixes/nearMisses';
import { drawFrom } from '../../test/fixes/variations';
import { areAccepted } from '../../test/support/onProcessor/pairs';

interface Mutant {
  readonly id: string;
  readonly file: string;
}
interface Candidate {
  readonly family: Family;
  readonly number: string;
  readonly text: string;
  outcome: string;
}
interface Known {
  /** Mutants that some near miss distinguished. */
  readonly seen: string[];
  /** Newly drawn near misses to be executed, by family and number: the mutants that they see. */
  readonly take: Record<string, Record<string, string[]>>;
}
/** What instrumented sources read and write. */
interface Instrumented {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}

const instrumented: Instrumented = ((globalThis as { __stryker__?: Instrumented }).__stryker__ ??= {});
const { tries, from, draw, mutants } = JSON.parse(readFileSync('mutants.json', 'utf8')) as {
  readonly tries: number;
  readonly from: number;
  readonly draw: number;
  readonly mutants: readonly Mutant[];
};
const known: Known & { reached?: string[] } = existsSync('state.json')
  ? (JSON.parse(readFileSync('state.json', 'utf8')) as Known)
  : { seen: [], take: {} };
const seen = new Set(known.seen);
const chance = drawFrom(5);

async function main(): Promise<void> {
  const near = read(nearMissesFile);
  const executed = read(executedFile);
  const held: Candidate[] = [];
  const fresh: Candidate[] = [];
  for (const family of families) {
    const { name } = family;
    for (const number of Object.keys(executed[name] ?? {}))
      held.push({ family, number, text: executedVariation(family, Number(number)).text, outcome: '' });
    const numbers = new Set([
      ...Object.keys(near[name] ?? {}),
      ...Array.from({ length: draw }, (_, at) => `${from + at}`),
    ]);
    const drawn: Candidate[] = [];
    for (const number of numbers) {
      const one = drawnNearMiss(family, number);
      if (!one) continue;
      const candidate = { family, number, text: one.text, outcome: '' };
      if (near[name]?.[number] !== undefined) held.push(candidate);
      else if (one.reference === undefined) drawn.push(candidate);
    }
    for (let at = 0; at < drawn.length; at += 50) {
      const some = drawn.slice(at, at + 50);
      const accepted = await areAccepted(some.map(({ text }) => text));
      fresh.push(...some.filter((_, at) => accepted[at]));
    }
  }
  const byHeld = await reachOf(held);
  const byFresh = await reachOf(fresh);
  const constant = instrumented.mutantCoverage?.static ?? {};
  const tried = mutants.filter(({ id }) => !(id in constant) && (byHeld.has(id) || byFresh.has(id)));
  known.reached = tried.map(({ id }) => id);
  console.log(`${held.length} held, ${fresh.length} drawn; ${tried.length} of ${mutants.length} mutants are reached`);
  for (const { id } of tried) if (!seen.has(id)) await firstThatSees(id, byHeld.get(id) ?? []);
  save();
  console.log(`${seen.size} are seen by those that are held`);
  for (const { id, file } of tried) {
    if (seen.has(id)) continue;
    const one = await firstThatSees(id, byFresh.get(id) ?? []);
    if (!one) continue;
    const also = [id];
    for (const other of tried)
      if (other.file === file && !seen.has(other.id) && byFresh.get(other.id)?.includes(one))
        if (await firstThatSees(other.id, [one])) also.push(other.id);
    (known.take[one.family.name] ??= {})[one.number] = also;
    save();
  }
  save();
}

function save(): void {
  writeFileSync('state.json', JSON.stringify({ ...known, seen: [...seen] }));
}

/** One of some that reach the mutant, drawn, whose outcome it changes. */
async function firstThatSees(id: string, reaching: readonly Candidate[]): Promise<Candidate | undefined> {
  const left = [...reaching];
  for (let count = 0; count < tries && left.length > 0; count++) {
    const [one] = left.splice(chance.below(left.length), 1);
    writeFileSync('busy', id);
    instrumented.activeMutant = id;
    instrumented.hitCount = 0;
    instrumented.hitLimit = 200_000;
    const outcome = await outcomeIn(one!);
    instrumented.activeMutant = undefined;
    rmSync('busy');
    if (outcome === one!.outcome) continue;
    seen.add(id);
    return one;
  }
  return undefined;
}

async function outcomeIn({ family, text }: Candidate): Promise<string> {
  try {
    return (await outcomeOf(family, text)).outcome;
  } catch (error) {
    return `throws ${String(error).slice(0, 80)}`;
  }
}

/** The candidates that reach each mutant; their outcomes are noted. */
async function reachOf(candidates: readonly Candidate[]): Promise<Map<string, Candidate[]>> {
  const reaching = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    instrumented.currentTestId = 'one';
    candidate.outcome = await outcomeIn(candidate);
    instrumented.currentTestId = undefined;
    const reached = instrumented.mutantCoverage?.perTest['one'] ?? {};
    if (instrumented.mutantCoverage) instrumented.mutantCoverage.perTest = {};
    for (const id of Object.keys(reached)) {
      const all = reaching.get(id);
      if (all) all.push(candidate);
      else reaching.set(id, [candidate]);
    }
  }
  return reaching;
}

function read(path: string): Record<string, Record<string, string>> {
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, string>>;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
