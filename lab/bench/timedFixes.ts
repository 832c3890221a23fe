// Judges the fixes that lab/gpu/timeFixes.sh timed.
//
// npx tsx lab/bench/timedFixes.ts TIMES.jsonl… [--rows]
//
// Prints a table by rule. A fix is judged by the kernel that its finding is in; where that one is not timed on both sides,
// by the kernel that the prediction changes most, else by all kernels of the program together (each by its launches times
// its median, where all were timed). Each side counts by the shorter of its two times. Slower: any kernel of 10 µs or more
// that both sides launch as often takes 5 % longer in both times. `--rows` prints a line of JSON for each fix.
// Exit status: 0 whatever was measured, 2 for bad arguments.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

type Times = Readonly<Record<string, readonly (readonly [launches: number, median: number])[]>>;
interface Row {
  readonly program: string;
  readonly output: string;
  /** The kernels that were asked for; all where it is left out. */
  readonly kernels?: string;
  readonly before: Times;
  readonly after: Times;
  readonly fixes: readonly {
    readonly rule: string;
    readonly path: string;
    readonly line: number;
    readonly title: string;
    readonly kernel?: string;
    readonly gain?: readonly [number, number];
    readonly predicted?: Readonly<Record<string, readonly [number, number]>>;
  }[];
}

const leastMicroseconds = 10;
const tolerance = 0.05;
/** Launches that lab/gpu/timeFixes.sh times of a program: with as many the others are unknown. */
const mostLaunches = 100;

/** Templates and namespaces are not in the names that ncu prints. */
const baseName = (name: string): string => name.replace(/<.*/, '').split('::').pop()!;
const shortest = (times: Times[string]): number => Math.min(...times.map(([, median]) => median));
const launchesOf = (times: Times): number => Object.values(times).reduce((sum, [first]) => sum + (first?.[0] ?? 0), 0);
const totalOf = (times: Times): number =>
  Object.values(times).reduce((sum, each) => sum + (each[0]?.[0] ?? 0) * shortest(each), 0);

function judged({ program, output, kernels, before, after, fixes: [fix] }: Row) {
  const { rule, path, line, title, kernel, gain, predicted = {} } = fix!;
  const isTimed = (name: string): boolean => name in before && name in after;
  const change = ([now, then]: readonly [number, number]): number => Math.abs(Math.log(now / then));
  const changed = Object.entries(predicted)
    .sort(([, a], [, b]) => change(b) - change(a))
    .map(([name]) => name);
  const candidates = [...(kernel === undefined ? [] : [kernel]), ...changed];
  const judgedBy = candidates.find((name) => isTimed(baseName(name)));
  const isWhole =
    kernels === undefined &&
    [before, after].every((times) => launchesOf(times) > 0 && launchesOf(times) < mostLaunches);
  const name = judgedBy === undefined ? undefined : baseName(judgedBy);
  const times =
    name !== undefined
      ? ([shortest(before[name]!), shortest(after[name]!)] as const)
      : isWhole
        ? ([totalOf(before), totalOf(after)] as const)
        : undefined;
  const slower = Object.keys(before).filter((one) => {
    const [now, then] = [before[one]!, after[one] ?? []];
    return (
      shortest(now) >= leastMicroseconds &&
      then.length > 0 &&
      then[0]![0] === now[0]![0] &&
      Math.min(...then.map(([, median]) => median)) > Math.max(...now.map(([, median]) => median)) * (1 + tolerance)
    );
  });
  const pair = judgedBy === undefined ? undefined : predicted[judgedBy];
  return {
    program,
    kernel: name ?? kernel,
    rule,
    path,
    line,
    title,
    output,
    before: times?.[0],
    after: times?.[1],
    total: name === undefined && times !== undefined ? true : undefined,
    measured: times && times[0] / times[1],
    expected: pair && pair[0] / pair[1],
    promised: gain,
    slower: slower.length > 0 ? slower : undefined,
  };
}

function main(): void {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { rows: { type: 'boolean' } } });
  if (positionals.length === 0) throw new Error('usage: npx tsx lab/bench/timedFixes.ts TIMES.jsonl… [--rows]');
  const rows = positionals.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => judged(JSON.parse(line) as Row)),
  );
  if (values.rows) {
    for (const row of rows) console.log(JSON.stringify(row));
    return;
  }
  const heads = ['fixes', 'built', 'run', 'equal', 'timed ≥ 10 µs', 'faster', 'same', 'slower'];
  const promise = ['promised', 'within 1.5×', 'least–most'];
  console.log(`| rule | ${[...heads, ...promise].join(' | ')} |`);
  console.log(`|---|${[...heads, ...promise].map(() => '--:|').join('')}`);
  for (const rule of [...new Set(rows.map((row) => row.rule)).keys()].sort().concat('all')) {
    const all = rows.filter((row) => rule === 'all' || row.rule === rule);
    const built = all.filter(({ output }) => !/^not built|^NOT BUILT/.test(output));
    const run = built.filter(({ output }) => output !== 'longer than the limit');
    const equal = run.filter(({ output }) => /^prints the same|^none printed/.test(output));
    const timed = all.filter(({ before, measured }) => measured !== undefined && before! >= leastMicroseconds);
    const slower = timed.filter((row) => row.slower !== undefined);
    const faster = timed.filter((row) => row.slower === undefined && row.measured! >= 1 + tolerance);
    const promised = timed.filter((row) => row.expected !== undefined);
    const near = promised.filter(
      ({ expected, measured }) => Math.abs(Math.log(expected! / measured!)) <= Math.log(1.5),
    );
    const ranged = timed.filter((row) => row.promised !== undefined);
    const inside = ranged.filter(
      ({ promised: [least, most] = [1, 1], measured }) =>
        measured! >= least * (1 - tolerance) && measured! <= most * (1 + tolerance),
    );
    const same = timed.length - faster.length - slower.length;
    const counts = [all, built, run, equal, timed, faster].map(({ length }) => length);
    const figures = [
      ...counts,
      same,
      slower.length,
      promised.length,
      near.length,
      `${inside.length} of ${ranged.length}`,
    ];
    console.log(`| ${rule} | ${figures.join(' | ')} |`);
  }
}

try {
  main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
