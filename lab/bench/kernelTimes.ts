// Holds predicted times of kernels against measured ones.
//
// npx tsx lab/bench/kernelTimes.ts --root FOLDER --times KERNELS.jsonl [--gpu NAME] [--last] [--json]
//
// One JSON object a line: { file, kernel, grid, block, microseconds, instructions? }, `file` below the root, of which
// `warplens report --format json` gives all but the first. Only launches whose grid and block the source says are
// compared, of kernels of which every loop is counted. A third of the programs, drawn by a seed over their names, is left out but for `--last`: nothing may be
// changed by it. Exit status: 0 whatever the figures, 2 for bad arguments.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { uriOf } from '../../cli/src/analysis';
import { usual } from '../../server/src/cost/choice';
import { describe, type KernelTime, timeAlone, workOf } from '../../server/src/cost/kernelTime';
import { createRank } from '../../server/src/cost/traffic';
import { gpuByName } from '../../server/src/semantic/gpus';
import { createSyntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import { nodeFileSystem } from '../../server/src/workspace/nodeFileSystem';
import { createWorkspace } from '../../server/src/workspace/workspace';

interface Launch {
  readonly file: string;
  readonly kernel: string;
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly microseconds: number;
  readonly instructions?: number;
}
interface Held extends Launch {
  readonly predicted: KernelTime;
  readonly issued: number;
}

const seed = '2026';
/** Of a shorter kernel most is its start. */
const least = 5;
const usage =
  'usage: npx tsx lab/bench/kernelTimes.ts --root FOLDER --times KERNELS.jsonl [--gpu NAME] [--last] [--json]';

function isInLastThird(file: string): boolean {
  return createHash('sha256').update(`${seed} ${file}`).digest()[0]! % 3 === 0;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      root: { type: 'string' },
      times: { type: 'string' },
      gpu: { type: 'string', default: 'H200' },
      last: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const gpu = gpuByName(values.gpu);
  if (!values.root || !values.times || !gpu) throw new Error(usage);
  const launches = readFileSync(values.times, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Launch);
  const workspace = createWorkspace({ fileSystem: nodeFileSystem, syntax: await createSyntax(readGrammarFiles()) });
  const held: Held[] = [];
  for (const file of new Set(launches.map((each) => each.file))) {
    const path = join(values.root, file);
    if (isInLastThird(file) !== values.last || !existsSync(path)) continue;
    const uri = uriOf(path);
    const model = workspace.analyse(uri, { text: readFileSync(path, 'utf8'), version: 1 })?.model;
    const rank = model && createRank(model, gpu);
    for (const kernel of rank?.kernels ?? []) {
      const described = describe(rank!, kernel, usual);
      const isOpen = [...rank!.accessesOf(kernel), ...workOf(rank!, kernel)].some(({ loops }) =>
        loops.some(({ trips }) => trips === undefined),
      );
      if (isOpen || kernel.sectors + kernel.wavefronts === 0) continue;
      const same = launches.filter((each) => each.file === file && each.kernel === kernel.name);
      const blocks = same[0] && product(same[0].grid);
      // Several launches, and launches whose shape is not known, are those of other sizes.
      if (!described || !blocks || same.some(({ grid }) => product(grid) !== blocks)) continue;
      if (kernel.fact!.shapes.some(({ block }) => product(block) !== product(same[0]!.block))) continue;
      const needs = new Map([...described.needs].map(([name, one]) => [name, (one * blocks) / described.blocks]));
      const predicted = timeAlone({ ...described, blocks, needs }, gpu);
      const microseconds = median(same.map((each) => each.microseconds));
      const issued = described.issue * 4 * blocks;
      if (microseconds >= least) held.push({ ...same[0]!, microseconds, predicted, issued });
    }
    workspace.forget(uri);
  }
  if (values.json) console.log(JSON.stringify(held));
  else report(held);
}

function report(held: readonly Held[]): void {
  console.log('| kernel | µs, predicted | measured | bound by | factor | instructions, predicted over counted |');
  console.log('|---|--:|--:|---|--:|--:|');
  // Nsight Compute's duration has no launch in it.
  const factorOf = ({ predicted, microseconds }: Held): number => predicted.busy / microseconds;
  const off = (factor: number): number => Math.max(factor, 1 / factor);
  for (const one of [...held].sort((a, b) => factorOf(a) - factorOf(b))) {
    const { predicted, microseconds, instructions, issued } = one;
    const counted = instructions ? (issued / instructions).toFixed(2) : '–';
    const cells = [
      predicted.busy.toFixed(1),
      microseconds.toFixed(1),
      predicted.bound,
      factorOf(one).toFixed(2),
      counted,
    ];
    console.log(`| ${one.file.split('/').at(-1)} ${one.kernel} | ${cells.join(' | ')} |`);
  }
  const factors = held.map((one) => off(factorOf(one)));
  const within = (most: number): number => factors.filter((factor) => factor <= most).length;
  console.log(
    `\n${held.length} kernels, off by a factor of ${median(factors).toFixed(2)} in the median, ` +
      `${within(1.5)} within 1.5, ${within(2)} within 2`,
  );
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function product(sizes: readonly number[]): number {
  return sizes.reduce((all, one) => all * one, 1);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
