// Times `warplens check` against clangd and cppcheck on the same files, in turns, as whole processes: npx tsx
// tools/bench/peers.ts [--runs 5] [FILE…]
//
// Prints ratios, since absolute times belong to a machine and its load. A peer that is not installed is named and left
// out (Debian: apt-get install clangd cppcheck). cppcheck reads the files as C++ with its performance checks; clangd
// parses, indexes and diagnoses one file at a time with --check.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
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
function time(command: string, args: readonly string[]): number {
  const started = performance.now();
  spawnSync(command, args, { stdio: 'ignore' });
  return performance.now() - started;
}
function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function main(): void {
  const { values, positionals } = parseArgs({
    options: { runs: { type: 'string', default: '5' } },
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
  const own = (): number => time(process.execPath, [cli, 'check', ...files]);
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
