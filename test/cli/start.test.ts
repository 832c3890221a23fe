// What a process of the command line loads, and the compiled code that it keeps.
import { strictEqual, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundleOf } from '../support/bundles';

describe('a process of the command line', function () {
  this.timeout(120_000);
  let folder: string;
  let kernel: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'warplens-start-'));
    kernel = join(folder, 'a.cu');
    writeFileSync(
      kernel,
      '__global__ void k(float *a) { a[threadIdx.x * 32] = 1; }\nvoid f(float *a) { k<<<1, 64>>>(a); }\n',
    );
  });
  afterEach(() => {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Output, and for each part that was loaded whether its kept code was accepted; null without kept code. */
  function run(...args: readonly string[]) {
    const probe =
      "const vm = require('node:vm'); const parts = {}; const { Script } = vm; vm.Script = class extends Script {" +
      ' constructor(code, options) { super(code, options); parts[options.filename] = options.cachedData ?' +
      ' !this.cachedDataRejected : null; } }; process.on("exit", () =>' +
      ' require("node:fs").writeSync(3, JSON.stringify({ parts, files: Object.keys(require.cache) })));';
    writeFileSync(join(folder, 'probe.cjs'), probe);
    const { stdout, stderr, status, output } = spawnSync(
      process.execPath,
      ['--require', join(folder, 'probe.cjs'), bundleOf('cli'), ...args],
      {
        encoding: 'utf8',
        env: { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') },
        stdio: [null, 'pipe', 'pipe', 'pipe'],
      },
    );
    const { parts, files } = JSON.parse(output[3]!) as { parts: Record<string, boolean | null>; files: string[] };
    return { text: stdout, stderr, status, accepted: Object.values(parts), files };
  }
  const kept = (): string[] =>
    readdirSync(join(folder, 'cache', 'warplens', 'check', 'code')).map((name) =>
      join(folder, 'cache', 'warplens', 'check', 'code', name),
    );
  const largest = (files: readonly string[]): string =>
    files
      .filter((file) => dirname(file) === dirname(bundleOf('cli')))
      .sort((a, b) => statSync(b).size - statSync(a).size)[0]!;

  it('loads the analysis for check alone, not for help, rules, profiles and reports', () => {
    const analysis = largest(run('check', '--no-cache', kernel).files);
    ok(readFileSync(analysis, 'utf8').includes('__shfl_xor_sync'));
    for (const args of [
      ['--version'],
      ['--help'],
      ['explain', 'bank-conflict'],
      ['rules'],
      ['profile', '--help'],
      ['report', '--help'],
    ]) {
      const { status, stderr, files } = run(...args);
      strictEqual(stderr + status, '0', args.join(' '));
      ok(!files.includes(analysis), args.join(' '));
    }
  });

  it('reuses the code that the first one kept, and replaces what is damaged', () => {
    const first = run('check', kernel);
    ok(first.accepted.length > 0 && first.accepted.every((each) => each === null));
    const reused = run('check', kernel);
    ok(reused.accepted.every((each) => each === true));
    for (const file of kept()) {
      const bytes = readFileSync(file);
      bytes[bytes.length >> 1]! ^= 0xff;
      writeFileSync(file, bytes);
    }
    const damaged = run('check', kernel);
    strictEqual(damaged.text, first.text);
    ok(damaged.accepted.every((each) => each === null));
    ok(run('check', kernel).accepted.every((each) => each === true));
  });

  it('keeps nothing with --no-cache, and works where nothing can be written', () => {
    const { text } = run('check', '--no-cache', kernel);
    ok(!readdirSync(folder).includes('cache'));
    writeFileSync(join(folder, 'cache'), 'no folder');
    strictEqual(run('check', kernel).text, text);
  });

  it('fails where its output or report cannot be written whole', () => {
    const named = join(folder, 'a:1.cu');
    copyFileSync(kernel, named);
    const sarif = ['check', '--format', 'sarif', 'a:1.cu'];
    const { stdout } = spawnSync(process.execPath, [bundleOf('cli'), ...sarif], { encoding: 'utf8', cwd: folder });
    ok(stdout.includes('"uri": "a%3A1.cu"'), 'a colon ends a scheme');
    const full = openSync('/dev/full', 'w');
    for (const args of [['check', kernel], ['explain', 'bank-conflict'], ['rules']]) {
      const { status, stderr } = spawnSync(process.execPath, [bundleOf('cli'), ...args], {
        encoding: 'utf8',
        stdio: ['ignore', full, 'pipe'],
      });
      strictEqual(status, 2, args.join(' '));
      ok(stderr.includes('the output cannot be written (the disk is full)'), stderr);
    }
  });
});
