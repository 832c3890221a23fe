// Compiles texts with nvcc where there is one, at most two at once, and remembers what compiled by the hash of its text.
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface CompileJob {
  readonly name: string;
  readonly text: string;
}

const flags = ['-c', '-arch=sm_90', '-std=c++17', '-O1', '--extended-lambda'];
const cache = join(__dirname, '../../.cache/nvcc');

/** By clang, for texts that need the language alone and nothing of the toolkit; works where there is clang 19 or newer. */
export const nvccStandIn = join(__dirname, '../../tools/replay-nvcc/nvcc');

/** First line of the version of nvcc (or its replacement), or undefined if none works. */
export function nvccVersion(nvcc = 'nvcc'): string | undefined {
  try {
    return execFileSync(nvcc, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .find((line) => line.includes('release'))
      ?.trim();
  } catch {
    return undefined;
  }
}

const hasCublas =
  (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, '../include/cublas_v2.h'))) ||
  existsSync('/usr/local/cuda/include/cublas_v2.h');

/** What did not compile, with the compiler's words; texts that use cuBLAS are left out where the toolkit has none. */
export async function compileAll(
  given: readonly CompileJob[],
  version: string,
  nvcc = 'nvcc',
): Promise<readonly { readonly name: string; readonly error: string }[]> {
  mkdirSync(cache, { recursive: true });
  const jobs = given.filter(({ text }) => hasCublas || !text.includes('cublas_v2.h'));
  const folder = mkdtempSync(join(tmpdir(), 'warplens-nvcc-'));
  const failures: { name: string; error: string }[] = [];
  const waiting = new Map(
    jobs.map((job) => [
      createHash('sha256')
        .update([version, ...flags, job.text].join('\n'))
        .digest('hex'),
      job,
    ]),
  );
  for (const key of [...waiting.keys()]) if (existsSync(join(cache, key))) waiting.delete(key);
  const queue = [...waiting];
  async function work(): Promise<void> {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [key, job] = next;
      const source = join(folder, `${key}.cu`);
      writeFileSync(source, job.text);
      const words = [...flags, source, '-o', join(folder, `${key}.o`)];
      const error = await complaintOf(nvcc, words, { source, name: job.name });
      if (error === undefined) writeFileSync(join(cache, key), job.name);
      else failures.push({ name: job.name, error });
    }
  }
  try {
    await Promise.all([work(), work()]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return failures;
}

/** What a compiler says where it fails, with the name of the source in place of its path. */
export function complaintOf(
  command: string,
  words: readonly string[],
  { source, name, cwd }: { readonly source: string; readonly name: string; readonly cwd?: string },
): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, words, { timeout: 120_000, cwd }, (failure, stdout, stderr) =>
      resolve(failure ? `${stdout}${stderr}`.replaceAll(source, name) || failure.message : undefined),
    );
  });
}
