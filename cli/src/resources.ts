// warplens resources: what the kernels of built programs take, kept in a file and held against it.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { bytesSource } from '../../profiler/src/report/byteSource';
import { type CubinResources, readCubinResources } from '../../profiler/src/report/cubinResources';
import { embeddedCubins } from '../../profiler/src/report/fatbin';
import { nameOfSymbol } from '../../profiler/src/report/functionNames';
import { report, type Terminal } from './options';
import { BadUse } from './badUse';

const units = { registers: 'registers', local: 'bytes of local memory', shared: 'bytes of shared memory' } as const;
const figures = Object.keys(units) as (keyof CubinResources)[];

type Pinned = Readonly<Record<string, CubinResources>>;

export function registerResources(program: Command, terminal: Terminal): void {
  program
    .command('resources')
    .argument('<files...>', 'objects, libraries and programs of nvcc, fatbins and cubins')
    .option('-c, --check <file>', 'compare with this file instead of printing')
    .option('-o, --output-file <file>', 'write to this file instead of standard output')
    .action(async (files: string[], flags: { readonly check?: string; readonly outputFile?: string }) => {
      const now = await resourcesOf(files);
      if (flags.check === undefined) report(JSON.stringify(now, null, 2), flags.outputFile, terminal);
      else {
        const differences = differencesOf(pinned(flags.check), now, flags.check);
        report(differences.join('\n'), flags.outputFile, terminal);
        terminal.exitCode = differences.length > 0 ? 1 : 0;
      }
    });
}

/** The most where several cubins have a kernel: one for each architecture. */
async function resourcesOf(files: readonly string[]): Promise<Pinned> {
  const all = new Map<string, CubinResources>();
  for (const path of files)
    for (const [symbol, one] of await read(path)) {
      const known = all.get(symbol);
      all.set(symbol, known ? most(known, one) : one);
    }
  return Object.fromEntries([...all].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function most(one: CubinResources, other: CubinResources): CubinResources {
  return {
    registers: Math.max(one.registers, other.registers),
    local: Math.max(one.local, other.local),
    shared: Math.max(one.shared, other.shared),
  };
}

async function read(path: string): Promise<readonly (readonly [string, CubinResources])[]> {
  const found: (readonly [string, CubinResources])[] = [];
  try {
    const file = readFileSync(path);
    for (const cubin of (await embeddedCubins(file)) ?? [file])
      found.push(...(await readCubinResources(bytesSource(cubin))));
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'not a 64-bit ELF file or a fatbin, or damaged';
    throw new BadUse(`${path} cannot be read (${reason}). Build it with nvcc as an object, a program or a cubin.`);
  }
  if (found.length > 0) return found;
  throw new BadUse(
    `${path} holds no linked machine code of kernels. Build it with nvcc for the architecture of a GPU, such as ` +
      '-arch=sm_90; of code built with -rdc=true, name the linked program.',
  );
}

function pinned(path: string): Pinned {
  try {
    const kept = JSON.parse(readFileSync(path, 'utf8')) as Pinned;
    const isWhole = Object.values(kept).every((one) => figures.every((figure) => Number.isFinite(one?.[figure])));
    if (isWhole) return kept;
  } catch {
    // Said below.
  }
  throw new BadUse(`${path} is not a file that warplens resources wrote. Write it with --output-file ${path}.`);
}

/** One sentence for each figure that differs, and for each kernel that one side lacks. */
function differencesOf(kept: Pinned, now: Pinned, file: string): string[] {
  const stale = `${file} is out of date; write it again with --output-file.`;
  return [...new Set([...Object.keys(kept), ...Object.keys(now)])].sort().flatMap((symbol) => {
    const [before, after] = [kept[symbol], now[symbol]];
    const name = `${nameOfSymbol(symbol)} (${symbol})`;
    if (!after) return [`${name} is not in the build: ${stale}`];
    if (!before) return [`${name} is not in the file: ${stale}`];
    return figures
      .filter((figure) => before[figure] !== after[figure])
      .map((figure) => {
        const change = `${before[figure]} → ${after[figure]} ${units[figure]}`;
        return after[figure] > before[figure]
          ? `${name} takes more: ${change}.`
          : `${name} takes less: ${change}; ${stale}`;
      });
  });
}
