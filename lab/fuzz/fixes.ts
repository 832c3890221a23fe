// Executes both sides of fixes on the processor:
// npx tsx lab/fuzz/fixes.ts [FAMILY…] [--count 1000] [--seed 1] [--keep FOLDER]
// npx tsx lab/fuzz/fixes.ts [FAMILY…] --near [--count 1000] [--seed 1]
// npx tsx lab/fuzz/fixes.ts [FAMILY…] --record [--take FILE]
//
// For each family, `count` variations are drawn, fixed as the editor would, built with g++ and run on random inputs of
// many sizes (test/support/onProcessor). Printed are how many were offered the fix, and every one whose results differ.
// `--near` changes a token or a statement of each first (test/fixes/nearMisses.ts): how many are refused, how many are
// no programs or have no one result, and how many of the others were executed.
// `--record` executes those that test/fixes/executed.test.ts holds the fixes against, and writes what was executed: of
// near misses those of the record, and those that FILE names by family (node lab/mutation/near.mjs writes such a file).
// Exit status: 0 where all agree, 1 where one differs, 2 for bad arguments.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { executedFile, recorded } from '../../test/fixes/executed';
import { type Family, families } from '../../test/fixes/families';
import { type NearMiss, nearMisses, nearMissesFile, type Which } from '../../test/fixes/nearMisses';
import { drawFrom, fixedBy } from '../../test/fixes/variations';
import { areAccepted, hasCompiler, type Pair, runPairs } from '../../test/support/onProcessor/pairs';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      count: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      keep: { type: 'string' },
      record: { type: 'boolean', default: false },
      take: { type: 'string' },
      near: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const [count, seed] = [Number(values.count), Number(values.seed)];
  const chosen = families.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  if (!(count > 0) || !Number.isInteger(seed) || chosen.length === 0)
    throw new Error(
      `name families of ${families.map(({ name }) => name).join(', ')}, a count above 0 and a whole seed`,
    );
  if (!hasCompiler()) throw new Error('g++ is not there: install it, it builds both sides of the fixes.');
  if (values.record) {
    await record(chosen, values.take === undefined ? {} : read(values.take));
    return;
  }
  if (values.near) {
    for (const family of chosen) await executeNearMisses(family, { from: seed, most: count });
    return;
  }
  for (const { name, titles, vary } of chosen) {
    const pairs: Pair[] = [];
    let wrong = 0;
    let unfixed = 0;
    const flush = async (): Promise<void> => {
      for (const [at, { name: of, problem }] of (await runPairs(pairs, seed)).entries()) {
        if (problem === undefined) continue;
        wrong++;
        process.exitCode = 1;
        console.log(`${of}: ${problem}\n${pairs[at]!.before}\n=>\n${pairs[at]!.after}`);
      }
      pairs.length = 0;
    };
    let made = 0;
    for (let number = 0; made < count && number < 20 * count; number++) {
      const { text, reference = text, ...rest } = vary(drawFrom(seed * 100_003 + number), `${name} ${seed}/${number}`);
      const after = (await fixedBy(text, titles))?.after;
      if (after === undefined) {
        unfixed++;
        if (values.keep) {
          mkdirSync(values.keep, { recursive: true });
          writeFileSync(join(values.keep, `${name}-${number}.cu`), text);
        }
        continue;
      }
      made++;
      pairs.push({ ...rest, before: reference, after });
      if (pairs.length === 25) await flush();
    }
    await flush();
    console.log(`${name}: ${made} fixed variations executed, ${wrong} differ; ${unfixed} were offered no fix`);
  }
}

/** Executes those that are offered the fix; the outcomes of those that are programs, undefined where one differs. */
async function executeNearMisses(family: Family, which: Which): Promise<Record<string, string> | undefined> {
  const outcomes: [string, string][] = [];
  const counts = { refused: 0, executed: 0, differ: 0, 'no programs, or without one result': 0 };
  const drawn = await nearMisses(family, which);
  for (let from = 0; from < drawn.length; from += 25) {
    const some = drawn.slice(from, from + 25);
    const accepted = await areAccepted(some.map(({ text }) => text));
    const offered = some.filter(({ outcome }, at) => accepted[at] && !isRefused(outcome));
    const results = await runPairs(offered.map(({ pair }) => pair));
    const doubtful = offered.filter((_, at) => results[at]!.problem !== undefined);
    // A program whose own runs differ has nothing that a fix could keep; a race may not show in every order: one
    // block that has to come last among 33 does in one of 33.
    const undefinedOnes = new Set<NearMiss>();
    for (let order = 1, left = doubtful; order <= 100 && left.length > 0; order++) {
      const own = await runPairs(
        left.map(({ pair }) => ({ ...pair, after: pair.before })),
        order,
      );
      for (const [at, { problem }] of own.entries()) if (problem !== undefined) undefinedOnes.add(left[at]!);
      left = left.filter((one) => !undefinedOnes.has(one));
    }
    for (const [at, one] of some.entries()) {
      const problem = results[offered.indexOf(one)]?.problem;
      if (!accepted[at] || hostNamesThreads(one.pair.before) || undefinedOnes.has(one)) {
        counts['no programs, or without one result']++;
        continue;
      }
      if (problem !== undefined) {
        counts.differ++;
        process.exitCode = 1;
        console.log(`${one.pair.name}: ${problem}\n${one.pair.before}\n=>\n${one.pair.after}`);
      } else counts[isRefused(one.outcome) ? 'refused' : 'executed']++;
      outcomes.push([one.number, one.outcome]);
    }
  }
  const said = Object.entries(counts).map(([what, many]) => `${many} ${what}`);
  console.log(`${family.name}, near misses: ${said.join(', ')}`);
  return counts.differ > 0 ? undefined : Object.fromEntries(outcomes);
}

/** What runs kernels on the processor knows a thread in host code, too; no compiler of CUDA does. */
function hostNamesThreads(text: string): boolean {
  const host = text.search(/^void run\(/m);
  return host >= 0 && /\b(threadIdx|blockIdx|blockDim|gridDim)\b/.test(text.slice(host));
}

function isRefused(outcome: string): boolean {
  return outcome.startsWith('none');
}

function read(path: string): Record<string, Record<string, string>> {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, string>>) : {};
}

/** Nothing is written where one differs. */
async function record(chosen: readonly Family[], taken: Readonly<Record<string, object>>): Promise<void> {
  const [executed, near] = [read(executedFile), read(nearMissesFile)];
  for (const family of chosen) {
    const drawn = await recorded(family);
    const pairs = drawn.flatMap(({ pair }) => (pair ? [pair] : []));
    const wrong = (await runPairs(pairs)).filter(({ problem }) => problem !== undefined);
    for (const { name, problem } of wrong) console.log(`${name}: ${problem}`);
    if (wrong.length > 0) {
      process.exitCode = 1;
      return;
    }
    executed[family.name] = Object.fromEntries(drawn.map(({ number, outcome }) => [number, outcome]));
    console.log(`${family.name}: ${pairs.length} fixed variations executed, all agree`);
    const numbers = Object.keys({ ...near[family.name], ...taken[family.name] });
    const outcomes = await executeNearMisses(family, numbers.length > 0 ? { numbers } : {});
    if (!outcomes) return;
    near[family.name] = outcomes;
  }
  writeFileSync(executedFile, `${JSON.stringify(executed, undefined, 1)}\n`);
  writeFileSync(nearMissesFile, `${JSON.stringify(near, undefined, 1)}\n`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
