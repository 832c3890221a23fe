// Compiles the kernels of both versions and reads registers, spills, stack and shared memory from ptxas.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, extname, join, relative } from 'node:path';
import { readPtxasReport, type KernelResources } from '../../../profiler/src/build/ptxasReport';
import { plainName } from '../../../profiler/src/evidence/kernelIdentity';
import { nameOfSymbol } from '../../../profiler/src/report/functionNames';
import type { KernelFigures } from '../../../server/src/comparison/figures';
import type { Resources } from '../../../server/src/comparison/gate';
import type { KernelPair } from '../../../server/src/comparison/work';
import { createBuildFlags } from '../../../server/src/workspace/buildFlags';
import type { CompileFlags } from '../../../server/src/workspace/compileCommands';
import { createConfigurationFiles, type Configuration } from '../../../server/src/workspace/configurationFile';
import { nodeFileSystem } from '../../../server/src/workspace/nodeFileSystem';
import { unobserved } from '../../../server/src/workspace/observedFiles';
import type { AnalysisSettings } from '../analysis';
import { BadUse } from '../source';
import type { Side, Sides } from './sides';

export type ResourcesOf = (pair: KernelPair) => { readonly before: Resources; readonly after: Resources } | undefined;

export const noResources: ResourcesOf = () => undefined;

export interface Compiled {
  readonly resourcesOf: ResourcesOf;
  /** Sentences on files that did not compile. */
  readonly failures: readonly string[];
}

const longestCompileMs = 5 * 60_000;

/**
 * Compiles the files of these kernels in both versions to machine code, with the include folders and macros of the
 * analysis. Throws BadUse without nvcc, or where a revision cannot be laid out on disk.
 */
export async function compileSides(
  sides: Sides,
  pairs: readonly KernelPair[],
  settings: AnalysisSettings,
  architecture: string,
): Promise<Compiled> {
  const nvcc = findNvcc();
  if (nvcc === undefined)
    throw new BadUse('Registers and spills require nvcc, which is not on the PATH. Set CUDA_HOME, or omit them.');
  const temporary = mkdtempSync(join(tmpdir(), 'warplens-diff-'));
  try {
    const failures: string[] = [];
    const configurations = createConfigurationFiles(nodeFileSystem, unobserved);
    const flags = settings.useCompileCommands ? createBuildFlags(nodeFileSystem, unobserved, () => {}) : undefined;
    const ofSide = async (side: Side, of: (pair: KernelPair) => KernelFigures): Promise<Map<string, Found>> => {
      const folder = side.folder ?? layOut(sides.top, side, join(temporary, side.commit!));
      const paths = [...new Set(pairs.map((pair) => of(pair).at.path))].filter((path) => extname(path) === '.cu');
      const found = new Map<string, Found>();
      await inParallel(paths, async (path) => {
        const whole = join(sides.top, path);
        const given = argumentsFor(flags?.of(whole), configurations.of(whole), settings, { top: sides.top, folder });
        const made = await compile(nvcc, join(folder, path), [`-arch=${architecture}`, ...given]);
        if (typeof made === 'string') failures.push(`${path} of ${side.label} does not compile: ${made}`);
        else found.set(path, byName(made));
      });
      return found;
    };
    const before = await ofSide(sides.before, (pair) => pair.before);
    const after = await ofSide(sides.after, (pair) => pair.after);
    return {
      failures,
      resourcesOf(pair) {
        const one = before.get(pair.before.at.path)?.get(pair.before.name);
        const other = after.get(pair.after.at.path)?.get(pair.after.name);
        return one && other && { before: one, after: other };
      },
    };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

type Found = ReadonlyMap<string, Resources>;

/** The maximum over overloads and template instances. */
function byName(kernels: readonly KernelResources[]): Found {
  const found = new Map<string, Resources>();
  for (const kernel of kernels) {
    const name = plainName(nameOfSymbol(kernel.symbol));
    const known = found.get(name) ?? {};
    const spills =
      kernel.spillStoreBytes === undefined ? undefined : kernel.spillStoreBytes + (kernel.spillLoadBytes ?? 0);
    const most = (one: number | undefined, other: number | undefined): number | undefined =>
      one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
    const all = {
      registers: most(known.registers, kernel.registers),
      spills: most(known.spills, spills),
      stack: most(known.stack, kernel.stackBytes),
      shared: most(known.shared, kernel.sharedBytes),
    };
    found.set(name, Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));
  }
  return found;
}

function findNvcc(): string | undefined {
  const name = process.platform === 'win32' ? 'nvcc.exe' : 'nvcc';
  const folders = [
    ...(process.env['PATH'] ?? '').split(process.platform === 'win32' ? ';' : ':'),
    ...['CUDA_HOME', 'CUDA_PATH'].flatMap((variable) => {
      const folder = process.env[variable];
      return folder === undefined ? [] : [join(folder, 'bin')];
    }),
    '/usr/local/cuda/bin',
  ];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** A commit's files below a new folder. */
function layOut(top: string, side: Side, folder: string): string {
  const archive = `${folder}.tar`;
  const made = spawnSync('git', [
    '-C',
    top,
    'archive',
    '--format=tar',
    '-o',
    archive,
    `--prefix=${side.commit}/`,
    side.commit!,
  ]);
  const unpacked = made.status === 0 ? spawnSync('tar', ['-xf', archive, '-C', dirname(folder)]) : made;
  if (unpacked.status !== 0)
    throw new BadUse(
      `The files of ${side.label} cannot be extracted for compilation (git archive and tar): ` +
        String(unpacked.stderr ?? unpacked.error).split('\n')[0],
    );
  return folder;
}

/** Include folders and macros for nvcc; folders of the program itself are those of the version at hand. */
function argumentsFor(
  flags: CompileFlags | undefined,
  configuration: Configuration | undefined,
  settings: AnalysisSettings,
  { top, folder }: { readonly top: string; readonly folder: string },
): readonly string[] {
  const here = (dir: string): string => (dir.startsWith(top) ? join(folder, relative(top, dir)) : dir);
  const folders = [
    ...(settings.includeDirs ?? []),
    ...(configuration?.includeDirs ?? []),
    ...(flags?.includeDirs ?? []),
  ];
  const defines = { ...flags?.defines, ...configuration?.defines, ...settings.defines };
  return [
    ...folders.map((dir) => `-I${here(dir)}`),
    ...Object.entries(defines).map(([name, value]) => `-D${name}=${value}`),
  ];
}

/** The kernels of a file, or the first line of the compiler's errors. */
async function compile(
  nvcc: string,
  path: string,
  given: readonly string[],
): Promise<readonly KernelResources[] | string> {
  const nowhere = process.platform === 'win32' ? 'NUL' : '/dev/null';
  const args = ['-cubin', '-Xptxas=-v', ...given, '-o', nowhere, path];
  return new Promise((resolve) => {
    execFile(
      nvcc,
      args,
      { cwd: dirname(path), timeout: longestCompileMs, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const said = `${stdout}\n${stderr}`;
        if (!error) resolve(readPtxasReport(said));
        else resolve(said.split('\n').find((line) => /error|fatal/i.test(line)) ?? error.message.split('\n')[0]!);
      },
    );
  });
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), items.length) }, one));
}
