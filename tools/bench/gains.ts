// Holds the gain that the model predicts for a fix against the gain that was measured.
//
// npx tsx tools/bench/gains.ts [--plain] [--json]
//
// The pairs are those of docs/measurements/h200-fixes.json whose rule speaks of memory: both sides are analysed, and of
// the kernel with the most traffic the prediction is its time before over its time after, each for the same ideal
// sectors. The time is a roofline's: that of the busiest of L2 (two sectors a cycle for a multiprocessor), shared
// memory (one wavefront a cycle) and DRAM, which has to bring the ideal sectors whatever the access looks like.
// `--plain` leaves DRAM out: the ratio of sectors or wavefronts alone.
//
// That time is the least that the access before can take, since the caches may keep every sector until its other bytes
// are wanted. The most is where they keep none: DRAM brings each sector anew, and threads that the GPU has room for and
// the launch does not start (their numbers are known) leave it idle. Both ends are printed, and how many measured gains
// lie between. Exit status: 0, 2 where a sample is missing.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { memoryWorkspace } from '../../test/support/analyseText';
import { applyEdits } from '../../server/src/lint/edits';
import { lint } from '../../server/src/lint/lint';
import { createRank, trafficOf } from '../../server/src/lint/rank';
import type { Analysed } from '../../server/src/workspace/workspace';

interface Pair {
  readonly rule?: string;
  readonly sample: string;
  readonly change: string;
  readonly before: number;
  readonly after: number;
}
interface Held extends Pair {
  readonly predicted: number;
  /** Where the caches keep nothing before the fix. */
  readonly most: number;
  readonly measured: number;
}

const root = join(__dirname, '../..');
const spoken = /^cuda\/(uncoalesced-access|bank-conflict)$/;
/**
 * Cycles of a multiprocessor for a sector from L2 and for a wavefront (server/src/lint/rank.ts), and for a sector from
 * DRAM: 4.8 TB/s of an H200 (its data sheet) over 132 multiprocessors of 1.98 GHz are 18.4 bytes a cycle.
 */
const cycles = { sectors: 0.5, wavefronts: 1, dram: 32 / 18.4 };

/** Threads that an H200 holds at once. */
const capacity = 132 * 2048;

interface Times {
  /** Cycles for each ideal sector, where the caches keep what is asked for until all of it was used. */
  readonly kept: number;
  /** Where they keep nothing. */
  readonly lost: number;
  /** The part of the GPU's threads that the launches start; 1 where their number is not known. */
  readonly filled: number;
}

/** Times of the kernel with the most traffic; undefined without known traffic. */
function timesIn({ model, gpu }: Analysed, plain: boolean): Times | undefined {
  const rank = createRank(model, gpu);
  const [kernel] = [...rank.kernels].sort((a, b) => b.sectors + b.wavefronts - (a.sectors + a.wavefronts));
  if (!kernel || kernel.sectors === 0) return undefined;
  let ideal = 0;
  for (const access of model.facts.access) {
    const { sectors, sectorsIdeal } = access;
    if (!sectors || !sectorsIdeal || rank.shareOf(access)?.kernel !== kernel) continue;
    ideal += (trafficOf(access) * sectorsIdeal) / sectors;
  }
  if (ideal <= 0) return undefined;
  const near = Math.max(kernel.sectors * cycles.sectors, kernel.wavefronts * cycles.wavefronts);
  const block = model.facts.kernel
    .find(({ name }) => name === kernel.name)
    ?.shapes.find(({ assumed }) => !assumed)?.block;
  const threads = block && !kernel.assumed ? kernel.blocks * block[0] * block[1] * block[2] : capacity;
  return {
    kept: Math.max(near, plain ? 0 : ideal * cycles.dram) / ideal,
    lost: Math.max(near, plain ? 0 : kernel.sectors * cycles.dram) / ideal,
    filled: Math.min(1, threads / capacity),
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { json: { type: 'boolean', default: false }, plain: { type: 'boolean', default: false } },
  });
  const files = new Map<string, string>();
  const read = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory() && entry.name !== 'build') read(join(folder, entry.name));
      else if (/\.cuh?$/.test(entry.name))
        files.set(join(folder, entry.name), readFileSync(join(folder, entry.name), 'utf8'));
  };
  read(join(root, 'samples'));
  read(join(root, 'test/gpu/fixes'));
  const workspace = await memoryWorkspace(files);
  let version = 0;
  const analysed = (path: string, text: string): Analysed => {
    const found = workspace.analyse(pathToFileURL(path).href, { text, version: ++version });
    if (!found) throw new Error(`${path} is not analysed`);
    return found;
  };
  const { pairs } = JSON.parse(readFileSync(join(root, 'docs/measurements/h200-fixes.json'), 'utf8')) as {
    readonly pairs: readonly Pair[];
  };
  const held: Held[] = [];
  for (const pair of pairs) {
    if (!pair.rule || !spoken.test(pair.rule)) continue;
    const path = [join(root, 'samples', `${pair.sample}.cu`), join(root, `${pair.sample}.cu`)].find(existsSync);
    if (!path) throw new Error(`${pair.sample} is not there`);
    const text = files.get(path)!;
    const before = analysed(path, text);
    const after = afterOf(pair, path, text, before, files);
    if (after === undefined) {
      console.error(`${pair.sample}: no such change (${pair.change})`);
      continue;
    }
    const [from, to] = [timesIn(before, values.plain), timesIn(analysed(path, after), values.plain)];
    if (from === undefined || to === undefined) continue;
    held.push({
      ...pair,
      predicted: from.kept / to.kept,
      most: (from.lost / to.kept) * Math.max(1, to.filled / from.filled),
      measured: pair.before / pair.after,
    });
  }
  if (values.json) console.log(JSON.stringify(held));
  else report(held);
}

/** The text that was measured: a fix of the rule, the sample's own fixed form, or its next stage. */
function afterOf(
  { rule, change }: Pair,
  path: string,
  text: string,
  before: Analysed,
  files: ReadonlyMap<string, string>,
): string | undefined {
  const stage = /^by hand(?:: (\S+))?/.exec(change);
  if (stage) return files.get(stage[1] ? join(dirname(path), `${stage[1]}.cu`) : path.replace(/\.cu$/, '.fixed.cu'));
  const uri = pathToFileURL(path).href;
  const kind = change.split(' ')[0];
  for (const finding of lint(before.model, text, { gpu: before.gpu }).findings) {
    const fix = finding.rule === rule ? finding.fixes.find(({ applicability }) => applicability === kind) : undefined;
    if (fix) return applyEdits(text, fix.edits, uri);
  }
  return undefined;
}

function report(held: readonly Held[]): void {
  const off = (of: Held): number => Math.abs(of.predicted / of.measured - 1);
  console.log('| program | change | at least | at most | measured | off the least by |\n|---|---|--:|--:|--:|--:|');
  for (const one of held) {
    const range = `${one.predicted.toFixed(2)}× | ${one.most.toFixed(2)}×`;
    console.log(
      `| ${one.sample} | ${one.change} | ${range} | ${one.measured.toFixed(2)}× | ${(100 * off(one)).toFixed(0)} % |`,
    );
  }
  const spread = 1.1;
  const within = held.filter(
    ({ predicted, most, measured }) => measured >= predicted / spread && measured <= most * spread,
  ).length;
  console.log(`\n${within} of ${held.length} lie between the two, or a tenth outside`);
  const sorted = held.map(off).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median !== undefined) console.log(`\n${held.length} pairs, off by ${(100 * median).toFixed(0)} % in the median`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
