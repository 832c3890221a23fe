// Holds the gain that the model predicts for a fix against the gain that was measured.
//
// npx tsx lab/bench/gains.ts [--json]
//
// Of docs/measurements/h200-fixes.json those pairs whose rule speaks of memory: both sides are analysed, and the
// prediction is server/src/cost/kernelTime.ts, whose constants were measured by separate programs
// (lab/gpu/constants.cu). Programs below lab/gpu/heldBack were written and predicted before they were measured; since
// then changes were judged by them as well. Exit status: 0, 2 where a sample is missing.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { memoryWorkspace } from '../../test/support/analyseText';
import { applyEdits } from '../../server/src/workspace/edits';
import { lint } from '../../server/src/lint/lint';
import { gpuByName } from '../../server/src/semantic/gpus';
import { type Gain, predictedGain } from '../../server/src/cost/kernelTime';
import type { Analysed } from '../../server/src/workspace/workspace';

/** The GPU that docs/measurements/gains.md was measured on. */
const measuredOn = gpuByName('H200')!;

interface Pair {
  readonly rule?: string;
  readonly sample: string;
  readonly change: string;
  readonly before: number;
  readonly after: number;
}
interface Held extends Pair {
  readonly predicted: Gain;
  readonly measured: number;
}

const root = join(__dirname, '../..');
const spoken = /^cuda\/(uncoalesced-access|bank-conflict)$/;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
  const files = new Map<string, string>();
  const read = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory() && entry.name !== 'build') read(join(folder, entry.name));
      else if (/\.cuh?$/.test(entry.name))
        files.set(join(folder, entry.name), readFileSync(join(folder, entry.name), 'utf8'));
  };
  read(join(root, 'samples'));
  read(join(root, 'lab/gpu/fixes'));
  read(join(root, 'lab/gpu/heldBack'));
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
    const predicted = predictedGain(before.model, analysed(path, after).model, measuredOn);
    if (predicted) held.push({ ...pair, predicted, measured: pair.before / pair.after });
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
  for (const finding of lint(before.model, text, { gpu: measuredOn }).findings) {
    const fix = finding.rule === rule ? finding.fixes.find(({ applicability }) => applicability === kind) : undefined;
    if (fix) return applyEdits(text, fix.edits, uri);
  }
  return undefined;
}

function report(held: readonly Held[]): void {
  const off = ({ predicted, measured }: Held): number => Math.abs(predicted.gain / measured - 1);
  const ms = (microseconds: number): string => (microseconds / 1000).toFixed(3);
  console.log(
    '| program | change | before, predicted (ms) | measured | after, predicted | measured | bound by ' +
      '| gain, predicted | measured | off by |\n|---|---|--:|--:|--:|--:|---|--:|--:|--:|',
  );
  for (const one of held) {
    const { before, after, gain, assumed } = one.predicted;
    // Where a grid or a loop was assumed only the ratio means something.
    const time = (of: typeof before): string => (assumed ? '–' : ms(of.microseconds));
    const cells = [
      one.sample,
      one.change,
      time(before),
      one.before.toFixed(3),
      time(after),
      one.after.toFixed(3),
      before.bound === after.bound ? before.bound : `${before.bound}, ${after.bound}`,
      `${gain.toFixed(2)}×`,
      `${one.measured.toFixed(2)}×`,
      `${(100 * off(one)).toFixed(0)} %`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  const isHeldBack = ({ sample }: Held): boolean => sample.includes('/heldBack/');
  for (const [name, some] of [
    ['held back', held.filter(isHeldBack)],
    ['others', held.filter((one) => !isHeldBack(one))],
    ['together', held],
  ] as const) {
    const sorted = some.map(off).sort((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)];
    if (median === undefined) continue;
    const near = sorted.filter((one) => one <= 0.25).length;
    console.log(
      `\n${name}: ${some.length} pairs, off by ${(100 * median).toFixed(0)} % in the median, ` +
        `${near} of them by at most 25 %`,
    );
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
