// Holds the occupancy calculator against that of the CUDA toolkit (`cuda_occupancy.h`) over a grid of combinations.
//
//   npx tsx tools/occupancy/compare.ts                     all of the grid, over a million; needs nvcc
//   npx tsx tools/occupancy/compare.ts --record FILE       writes every 4,001st with the header's answer
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  knownCapabilities,
  multiprocessorLimits,
  occupancy,
  type BlockResources,
  type MultiprocessorLimits,
  type Occupancy,
} from '../../hardware/src/occupancy';

export interface Combination {
  readonly of: MultiprocessorLimits;
  readonly block: Required<Omit<BlockResources, 'carveout'>> & { readonly carveout?: number };
}

const threadCounts = [
  1, 17, 32, 33, 48, 64, 72, 96, 100, 128, 160, 192, 224, 256, 288, 320, 384, 416, 448, 512, 544, 576, 640, 704, 768,
  832, 896, 992, 1000, 1023, 1024, 1025,
];
const registerCounts = [
  0, 8, 16, 24, 25, 32, 33, 37, 40, 41, 48, 56, 64, 65, 72, 80, 96, 104, 128, 129, 168, 200, 255, 256,
];
const sharedSizes = [0, 4, 1024, 2052, 8192, 12_288, 16_384, 33_000, 48_128, 49_152];
const dynamicSizes = [0, 1, 512, 3072, 8192, 20_000, 32_768, 49_152, 65_536, 101_376, 166_912, 232_448];

/**
 * Every combination of the grid: 11 compute capabilities, 32 × 24 threads and registers, 10 × 12 of shared memory, and
 * what else there is in turn.
 */
export function* combinations(): Generator<Combination> {
  let turn = 0;
  for (const capability of knownCapabilities) {
    const of = multiprocessorLimits(capability)!;
    for (const threads of threadCounts)
      for (const registers of registerCounts)
        for (const staticSharedBytes of sharedSizes)
          for (const dynamicSharedBytes of dynamicSizes) {
            turn++;
            const carveout = [undefined, undefined, 0, 25, 50, 100, 7][turn % 7];
            yield {
              of,
              block: {
                threads,
                registers,
                staticSharedBytes,
                dynamicSharedBytes,
                dynamicSharedBytesAllowed: turn % 5 === 0 ? 16_384 : dynamicSharedBytes,
                barriers: [1, 1, 2, 5, 16, 0][turn % 6]!,
                ...(carveout === undefined ? {} : { carveout }),
              },
            };
          }
  }
}

/** As the program beside this file reads it. */
function question({ of, block }: Combination): string {
  const major = Math.floor(of.computeCapability + 1e-9);
  return [
    major,
    Math.round((of.computeCapability - major) * 10),
    of.threads,
    of.sharedBytes,
    of.sharedBytesOfBlock,
    of.sharedBytesOfBlockOptIn,
    of.sharedBytesReserved,
    block.threads,
    block.registers,
    block.staticSharedBytes,
    block.dynamicSharedBytes,
    block.dynamicSharedBytesAllowed,
    block.barriers,
    block.carveout ?? -1,
  ].join(' ');
}

/** Our answer in the words of that program. */
export function answerText({ blocks, allowed }: Occupancy): string {
  return [
    blocks,
    allowed.threads,
    allowed.blocks,
    allowed.registers ?? -1,
    allowed['shared memory'] ?? -1,
    allowed.barriers ?? -1,
  ].join(' ');
}

/** What the toolkit's calculator says of each combination, in their order. Throws where nvcc is not there. */
export function headerAnswers(asked: readonly Combination[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'warplens-occupancy-'));
  try {
    const program = join(folder, 'header');
    execFileSync('nvcc', ['-O2', '-w', '-cudart', 'none', '-o', program, join(__dirname, 'header.cpp')]);
    const input = `${asked.map(question).join('\n')}\n`;
    return execFileSync(program, { input, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
      .trimEnd()
      .split('\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (require.main === module) {
  const file = process.argv[2] === '--record' ? process.argv[3] : undefined;
  const all = [...combinations()];
  const asked = file === undefined ? all : all.filter((_, at) => at % 4001 === 0);
  const answers = headerAnswers(asked);
  const different = asked.flatMap((each, at) => {
    const ours = answerText(occupancy(each.of, each.block));
    return ours === answers[at] ? [] : [`${question(each)}: ${ours}, the header says ${answers[at]}`];
  });
  for (const line of different.slice(0, 20)) console.log(line);
  console.log(`${asked.length - different.length} of ${asked.length} combinations are equal.`);
  if (different.length > 0) process.exitCode = 1;
  if (file !== undefined) {
    const recorded = asked.map((each, at) => ({ question: question(each), answer: answers[at] }));
    writeFileSync(file, `${JSON.stringify(recorded, undefined, 0).replaceAll('},{', '},\n{')}\n`);
  }
}
