// Measures Warplens beside clangd and cppcheck in one run:
//
// node lab/bench/bundled.mjs lab/bench/peers.ts --root FOLDER [--programs 150] [--runs 7] [--edits 48] [--cuda FOLDER]
//
// FOLDER holds programs, a folder each (the src of a HeCBench checkout). Prints processor seconds of whole processes, as
// means of runs in turns: absolute ones belong to a machine, ratios compare. Edits are milliseconds by the clock. A peer
// that is not installed is named and left out (Debian: apt-get install clangd-19 cppcheck).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { createChecker } from '../../cli/src/checking';
import { measureEdits } from '../../test/server/measuredEdits';
import { processorSeconds } from '../../tools/processorTime';
import { measureClangd } from './clangdEdits';

const cli = join(__dirname, '..', '..', 'dist', 'cli.js');
const kernel =
  '__global__ void thin(const float *in, float *out) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n' +
  '  out[i] = in[32 * i];\n}\nvoid run(const float *in, float *out) { thin<<<512, 256>>>(in, out); }\n';
const { values } = parseArgs({
  options: {
    root: { type: 'string' },
    programs: { type: 'string', default: '150' },
    runs: { type: 'string', default: '7' },
    edits: { type: 'string', default: '48' },
    cuda: { type: 'string', default: '/usr/local/cuda' },
  },
});

function installed(names: readonly string[]): string | undefined {
  const name = names.find((each) => spawnSync(each, ['--version']).status === 0);
  if (name === undefined) console.log(`${names[0]} is not installed: left out.`);
  return name;
}
function processorTime(command: string, args: readonly string[], environment: NodeJS.ProcessEnv = process.env): number {
  const before = processorSeconds();
  spawnSync(command, args, { stdio: 'ignore', env: environment });
  // Work of this process between the two looks is below the resolution.
  return processorSeconds() - before;
}
function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}
function cudaFilesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.cu'))
    .sort()
    .map((name) => join(folder, name));
}

/** Starts and headers: each run edits the file, so that compiled code is reused but no result. */
function measureStarts(folder: string, runs: number): void {
  const environment = { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') };
  const includes = [join(values.cuda, 'include'), join(values.cuda, 'include', 'cccl')];
  const places = readdirSync('/usr/include/c++').map((version) => join('/usr/include/c++', version));
  const headers = [...includes, ...places, '/usr/include/x86_64-linux-gnu', '/usr/include'].filter(existsSync);
  const flags = headers.flatMap((each) => ['-I', each]);
  const cases: readonly (readonly [string, string | undefined, readonly string[]])[] = [
    ['--version', undefined, []],
    ['an empty file', '', []],
    ['one kernel', kernel, []],
    ['one kernel, <vector> and <algorithm>', `#include <vector>\n#include <algorithm>\n${kernel}`, flags],
    ['one kernel, thrust/device_vector.h', `#include <thrust/device_vector.h>\n${kernel}`, flags],
  ];
  const measured: number[][] = cases.map(() => []);
  for (let run = 0; run <= runs; run++)
    for (const [at, [, text, more]] of cases.entries()) {
      // Headers take seconds, so that starts weigh little: once is enough.
      if (more.length > 0 && run !== 1) continue;
      const file = join(folder, 'start.cu');
      writeFileSync(file, `// ${run}\n${text}`);
      const args = text === undefined ? ['--version'] : ['check', ...more, file];
      const seconds = processorTime(process.execPath, [cli, ...args], environment);
      // The first run keeps compiled code.
      if (run > 0) measured[at]!.push(1000 * seconds);
    }
  const means = measured.map((each) => each.reduce((sum, one) => sum + one, 0) / each.length);
  for (const [at, [name, , more]] of cases.entries()) {
    const ratio = more.length > 0 ? `, ${(means[at]! / means[2]!).toFixed(1)} times that without` : '';
    console.log(`start, ${name}: ${means[at]!.toFixed(0)} ms${ratio}`);
  }
}

/** The same files by both, in one process each, and the slowest of them by line. */
async function measureChecks(root: string, programs: readonly string[], cppcheck: string | undefined): Promise<void> {
  const files = programs.flatMap((program) => cudaFilesOf(join(root, program)));
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
  const lines = (file: string): number => texts.get(file)!.split('\n').length;
  const total = files.reduce((sum, file) => sum + lines(file), 0);
  const ours = processorTime(process.execPath, [cli, 'check', '--no-cache', ...files]);
  console.log(`check, ${programs.length} programs, ${files.length} files, ${total} lines: ${ours.toFixed(1)} s`);
  if (cppcheck) {
    const peer = processorTime(cppcheck, ['--enable=performance', '--language=c++', '--quiet', ...files]);
    console.log(`check, ${cppcheck}: ${peer.toFixed(1)} s; warplens over it ${(ours / peer).toFixed(2)}`);
  }
  const checker = await createChecker({
    analysis: { defines: {}, includeDirs: [], gpu: 'auto', useCompileCommands: true },
    quiet: { paths: [], below: [] },
    feedback: [],
  });
  const rows: { readonly file: string; readonly milliseconds: number }[] = [];
  for (const file of files) {
    const { user, system } = process.cpuUsage();
    await checker.check({ path: file, text: texts.get(file)! });
    const after = process.cpuUsage();
    rows.push({ file, milliseconds: (after.user + after.system - user - system) / 1000 });
  }
  rows.sort((a, b) => b.milliseconds / lines(b.file) - a.milliseconds / lines(a.file));
  for (const { file, milliseconds } of rows.slice(0, 10))
    console.log(
      `slow: ${(milliseconds / lines(file)).toFixed(1)} ms a line, ${milliseconds.toFixed(0)} ms, ${relative(root, file)}`,
    );
}

/** The files at a quarter, half and three quarters of all by length. */
async function measureTyping(files: readonly string[], edits: number, clangd: string | undefined): Promise<void> {
  const texts = files.map((file) => readFileSync(file, 'utf8')).sort((a, b) => a.length - b.length);
  for (const share of [0.25, 0.5, 0.75]) {
    const text = texts[Math.floor(share * texts.length)]!;
    const ours = median((await measureEdits(text, edits)).milliseconds);
    let ratio = '';
    try {
      const peer = clangd ? median(await measureClangd(clangd, text, edits, 24)) : undefined;
      if (peer !== undefined) ratio = `, ${clangd} ${peer.toFixed(1)} ms, ratio ${(ours / peer).toFixed(2)}`;
    } catch (error) {
      // It publishes nothing for some versions of some texts.
      ratio = `, ${(error as Error).message}`;
    }
    console.log(`edit, ${text.split('\n').length} lines: ${ours.toFixed(1)} ms${ratio}`);
  }
}

async function main(): Promise<void> {
  const { root } = values;
  if (root === undefined || !existsSync(cli)) {
    console.error('Name the folder of the programs, --root FOLDER, and run "npm run build" first.');
    process.exitCode = 2;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'warplens-bench-'));
  try {
    measureStarts(folder, Number(values.runs));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const all = readdirSync(root)
    .filter((name) => name.endsWith('-cuda'))
    .sort();
  const step = Math.max(1, Math.floor(all.length / Number(values.programs)));
  const programs = all.filter((_, at) => at % step === 0).slice(0, Number(values.programs));
  const clangd = installed(['clangd-19', 'clangd']);
  await measureTyping(
    programs.flatMap((program) => cudaFilesOf(join(root, program))),
    Number(values.edits),
    clangd,
  );
  await measureChecks(root, programs, installed(['cppcheck']));
}

void main();
