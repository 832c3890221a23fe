// Times `warplens check` against clangd and cppcheck on the same files, in turns, as whole processes.
//
// npx tsx lab/bench/peers.ts [--runs 5] [--tree FOLDER] [FILE…]
//
// Prints ratios, since absolute times belong to a machine and its load. A peer that is not installed is named and left
// out (Debian: apt-get install clangd cppcheck). cppcheck reads the files as C++ with its performance checks; clangd
// parses, indexes and diagnoses one file at a time with --check. With --tree the .cu files of a whole tree are checked,
// on as many threads as there are cores by either, and once more unchanged with what was kept of the first time.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(__dirname, '..', '..');

function sampleFiles(): string[] {
  return readdirSync(join(root, 'samples'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.cu'))
    .sort()
    .map((name) => join(root, 'samples', name));
}
function installed(names: readonly string[]): string | undefined {
  return names.find((name) => spawnSync(name, ['--version']).status === 0);
}
function time(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): number {
  const started = performance.now();
  spawnSync(command, args, { stdio: 'ignore', env });
  return performance.now() - started;
}
function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** Whole trees: their files go by name, since cppcheck takes no .cu from a folder. */
function overTree(cli: string, tree: string, runs: number, cppcheck: string | undefined): void {
  const files = readdirSync(tree, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.cu'))
    .sort()
    .map((name) => join(tree, name));
  const jobs = String(availableParallelism());
  const cache = mkdtempSync(join(tmpdir(), 'warplens-bench-'));
  const environment = { ...process.env, XDG_CACHE_HOME: cache };
  const timed = (command: string, args: readonly string[]): number => time(command, args, environment);
  try {
    const anew: number[] = [];
    const peer: number[] = [];
    const again: number[] = [];
    for (let run = 0; run < runs; run++) {
      anew.push(timed(process.execPath, [cli, 'check', '--no-cache', ...files]));
      if (cppcheck)
        peer.push(timed(cppcheck, ['--enable=performance', '--language=c++', '--quiet', '-j', jobs, ...files]));
    }
    timed(process.execPath, [cli, 'check', ...files]);
    for (let run = 0; run < runs; run++) again.push(timed(process.execPath, [cli, 'check', ...files]));
    const best = Math.min(...anew);
    console.log(
      `${files.length} files of ${tree}, ${jobs} threads, best of ${runs}: check ${(best / 1000).toFixed(1)} s, again unchanged ${(Math.min(...again) / 1000).toFixed(1)} s`,
    );
    if (peer.length > 0) console.log(`warplens check over cppcheck: ${(best / Math.min(...peer)).toFixed(2)}`);
    else console.log('cppcheck is not installed: left out.');
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

function main(): void {
  const { values, positionals } = parseArgs({
    options: { runs: { type: 'string', default: '5' }, tree: { type: 'string' } },
    allowPositionals: true,
  });
  const cli = join(root, 'dist', 'cli.js');
  if (!existsSync(cli)) {
    console.error('There is no dist/cli.js: run "npm run build" first.');
    process.exitCode = 2;
    return;
  }
  const files = positionals.length ? positionals : sampleFiles();
  const runs = Math.max(1, Number(values.runs) || 5);
  const own = (): number => time(process.execPath, [cli, 'check', '--no-cache', ...files]);
  if (values.tree !== undefined) {
    overTree(cli, values.tree, runs, installed(['cppcheck']));
    return;
  }
  const clangd = installed(['clangd', 'clangd-19', 'clangd-16', 'clangd-14']);
  const cppcheck = installed(['cppcheck']);
  const peers: { name: string; run: () => number }[] = [];
  if (clangd)
    peers.push({
      name: `${clangd} --check, file by file`,
      run: () => files.reduce((sum, file) => sum + time(clangd, [`--check=${file}`, '--log=error']), 0),
    });
  else console.log('clangd is not installed: left out.');
  if (cppcheck)
    peers.push({
      name: 'cppcheck --enable=performance',
      run: () => time(cppcheck, ['--enable=performance', '--language=c++', '--quiet', ...files]),
    });
  else console.log('cppcheck is not installed: left out.');
  own();
  for (const peer of peers) {
    const ratios: number[] = [];
    for (let turn = 0; turn < runs; turn++) ratios.push(own() / peer.run());
    console.log(
      `${files.length} files, warplens check over ${peer.name}: ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} ` +
        `to ${Math.max(...ratios).toFixed(2)}, ${runs} pairs)`,
    );
  }
}

main();
