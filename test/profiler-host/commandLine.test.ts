/** `warplens profile` as a process on this machine: nvcc or its stand-in, the recorded ncu, signals, exit codes, the table of steps. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { buildsCuda, makeReplayHost, whyNoCudaBuild } from './replayFolder';
import type { ReplayHost } from './replayFolder';
import { bundleOf, runCli, type Ended } from '../support/bundles';
import { skipBecause } from '../support/skipBecause';

describe('warplens profile', function () {
  this.timeout(90_000);
  let host: ReplayHost;
  before(function () {
    if (process.platform !== 'linux') skipBecause(this, 'a host runs Linux');
    host = makeReplayHost();
    bundleOf('cli');
  });
  after(() => host?.remove());
  beforeEach(() => host.play('corners'));
  afterEach(async () => assert.deepEqual(await host.leftBehind(), [], 'left behind'));

  function warplens(
    words: readonly string[],
    onError?: (text: string, kill: (signal: NodeJS.Signals) => void) => void,
  ): Promise<Ended> {
    const env = {
      ...process.env,
      PATH: `${host.tools}:${process.env['PATH']}`,
      WARPLENS_TEST: host.mark,
      TMPDIR: host.scratchIn,
      NODE_OPTIONS: '',
    };
    return runCli(['profile', ...words], { cwd: host.project, env }, onError);
  }
  const local = (...words: string[]) => ['--store', host.store, '--scratch', host.scratchIn, ...words];
  const makeProgram = (body: string) => `printf '%s\\n' '#!/bin/sh' '${body}' >prog && chmod +x prog`;

  it('a source file in, line metrics out', async function () {
    if (!buildsCuda) skipBecause(this, whyNoCudaBuild);
    const ended = await warplens(local('kernel.cu', '--format', 'json', '--', '-n', '5'));
    assert.equal(ended.code, 0, ended.errors);
    const result = JSON.parse(ended.output) as {
      report: string;
      step: { label: string; collectCommand: string; sources: { path: string }[] };
      resources: { name: string; registers: number; sharedBytes: number }[];
      lines: { values: Record<string, number> }[];
      kernels: unknown[];
    };
    assert.equal(result.resources[0]!.name, 'scale(float*, int)');
    assert.equal(result.resources[0]!.sharedBytes, 256);
    assert.ok(result.resources[0]!.registers > 5);
    assert.match(result.step.collectCommand, /'kernel' '-n' '5'$|\/kernel' '-n' '5'$/);
    assert.deepEqual(
      result.step.sources.map((source) => source.path),
      [join(host.project, 'kernel.cu')],
    );
    assert.equal(result.kernels.length, 8);
    assert.ok(result.lines.some((line) => line.values['smsp__pcsamp_sample_count']! > 0));
    assert.deepEqual(
      readFileSync(result.report),
      readFileSync(join(host.tools, 'report.ncu-rep')),
      'the report as ncu wrote it',
    );
    assert.match(ended.errors, /ncu \(replay\)/);
  });

  it('a step after a step, each with its own report, and their table', async () => {
    const before = readdirSync(host.store).filter((name) => name.endsWith('.ncu-rep')).length;
    for (const label of ['naive', 'tiled']) {
      const ended = await warplens(local('--build', makeProgram('exit 0'), '--program', 'prog', '--label', label));
      assert.equal(ended.code, 0, ended.errors);
      assert.match(ended.output, /nested\(float \*/);
    }
    assert.equal(readdirSync(host.store).filter((name) => name.endsWith('.ncu-rep')).length, before + 2);
    const table = await warplens(local('--steps'));
    assert.match(table.output, /naive .*5\.15 µs/);
    assert.match(table.output, /tiled /);
    const steps = (
      JSON.parse((await warplens(local('--steps', '--format', 'json'))).output) as { steps: { number: number }[] }
    ).steps;
    assert.deepEqual(
      steps.map((step) => step.number),
      steps.map((_step, at) => at),
    );
  });

  it('a program that is built already, and its steps as Markdown', async () => {
    writeFileSync(join(host.project, 'ready'), '#!/bin/sh\n', { mode: 0o755 });
    const ended = await warplens(local('--program', './ready', '--format', 'json', '--', '--size', '3'));
    assert.equal(ended.code, 0, ended.errors);
    const { step } = JSON.parse(ended.output) as {
      step: { program: string; buildCommand: string; arguments: string[] };
    };
    assert.deepEqual(
      [step.program, step.buildCommand, step.arguments],
      [join(host.project, 'ready'), '', ['--size', '3']],
    );
    assert.equal((await warplens(local('--program', './none'))).code, 1);
    const table = await warplens(['--store', host.store, '--steps', '--format', 'markdown']);
    assert.match(table.output, /^## ready\n\n.*\n\n\| Step \|.*\n\| :-- \|.*\n\| baseline \|/m);
  });

  it('times alone, where the counters are refused: a timeline of nsys, else what the program prints', async () => {
    host.play('refused');
    const build = ['--build', makeProgram('echo "reduce took 1.5 ms"'), '--program', 'prog'];
    const refused = await warplens(local(...build));
    assert.match(refused.errors, /ERR_NVGPUCTRPERM.*Times need no counters: --times\./s);
    const timed = await warplens(local('--times', ...build));
    assert.equal(timed.code, 0, timed.errors);
    assert.match(timed.errors, /times measured, without counters: .*prog-times-001\.sqlite/);
    assert.match(timed.output, /launches/);
    rmSync(join(host.tools, 'nsys'));
    const printed = await warplens(local('--times', ...build));
    assert.equal(printed.code, 0, printed.errors);
    assert.match(printed.output, /^reduce took: 1\.5 ms$/m);
    const silent = await warplens(local('--times', '--build', makeProgram('exit 0'), '--program', 'prog'));
    assert.equal(silent.code, 1);
    assert.match(silent.errors, /nsys was not found .*, and the program prints no times\./);
  });

  it('a table of steps that cannot be read is put aside, not lost', async () => {
    const path = join(host.store, 'steps.json');
    writeFileSync(path, '{"version": 7, "mine": true}');
    assert.equal((await warplens(local('--steps'))).code, 2);
    const ended = await warplens(local('--build', makeProgram('exit 0'), '--program', 'prog'));
    assert.equal(ended.code, 0, ended.errors);
    const aside = readdirSync(host.store).find((name) => name.startsWith('steps-unreadable'));
    assert.equal(readFileSync(join(host.store, aside!), 'utf8'), '{"version": 7, "mine": true}');
  });

  it('compiler errors on their lines', async function () {
    if (!buildsCuda) skipBecause(this, whyNoCudaBuild);
    writeFileSync(join(host.project, 'broken.cu'), '__global__ void k(float* x) {\n  x[0] = y;\n}\nint main() {}\n');
    const ended = await warplens(local('broken.cu'));
    assert.equal(ended.code, 1);
    assert.match(ended.errors, /broken\.cu:2:10: error: identifier "y" is undefined/);
    assert.match(ended.errors, /warplens: The build failed: broken\.cu:2:10/);
  });

  it('says what the checks found', async () => {
    const ended = await warplens(['--check', '--scratch', host.scratchIn]);
    assert.match(ended.output, /ok +ncu +ncu \(replay\) 2025\.3\.1/);
    assert.match(ended.output, /NVIDIA H200 \(replay\), compute capability 9\.0/);
    assert.equal(ended.code, buildsCuda ? 0 : 1);
  });

  it('Ctrl-C stops everything', async () => {
    host.play('run-program');
    let sent = false;
    const ended = await warplens(
      local('--build', makeProgram('echo started; sleep 300 & setsid sleep 301; sleep 302'), '--program', 'prog'),
      (errors, kill) => {
        if (!sent && errors.includes('started')) {
          sent = true;
          kill('SIGINT');
        }
      },
    );
    assert.equal(ended.code, 130, ended.errors);
    assert.match(ended.errors, /Cancelled during the run under ncu/);
  });

  it('kill -9 of warplens leaves nothing running either', async () => {
    host.play('run-program');
    const ended = await warplens(
      local('--build', makeProgram('echo started; sleep 300 & setsid sleep 301; sleep 302'), '--program', 'prog'),
      (errors, kill) => {
        if (errors.includes('started')) kill('SIGKILL');
      },
    );
    assert.equal(ended.signal, 'SIGKILL');
  });

  it('reports what compute-sanitizer sees, and which findings it confirms', async () => {
    const race = '  s[threadIdx.x] = in[0];\n  out[threadIdx.x] = s[255 - threadIdx.x];\n';
    const kernel = `__global__ void k(float *in, float *out) {\n  __shared__ float s[256];\n${race}  __syncthreads();\n${race}}\n`;
    writeFileSync(join(host.project, 'race.cu'), `${kernel}void run(float *a) { k<<<1, 256>>>(a, a + 256); }\n`);
    writeFileSync(join(host.project, 'ready'), '#!/bin/sh\necho "runs with $1"\n', { mode: 0o755 });
    const report = readFileSync(join(__dirname, '..', 'profiler', 'sanitizer', 'race.log'), 'utf8');
    writeFileSync(join(host.tools, 'sanitizer-racecheck.log'), report);
    const run = (...words: string[]) => warplens([...words, '--scratch', host.scratchIn]);
    const ended = await run('race.cu', '--program', './ready', '--sanitize', '--', '-n');
    assert.equal(ended.code, 1, ended.errors);
    assert.match(ended.errors, /\| runs with -n\n/);
    assert.match(ended.output, /^race\.cu:3: error: Race .* in k\(\), 248 times \[racecheck\]$/m);
    assert.match(ended.output, /race\.cu:4:\d+: cuda\/shared-race: confirmed at line 4 \(racecheck\)\n/);
    assert.match(ended.output, /race\.cu:7:\d+: cuda\/shared-race: not found in this run \(racecheck\)\n/);
    const other = await run('--sanitize', 'racecheck,memcheck', '--format', 'json', '--', './ready', '-n');
    const { runs, findings } = JSON.parse(other.output) as {
      runs: { tool: string }[];
      findings: { verdict: { state: string } }[];
    };
    assert.deepEqual(
      runs.map(({ tool }) => tool),
      ['memcheck', 'racecheck'],
    );
    assert.ok(findings.some(({ verdict }) => verdict.state === 'confirmed'));
    rmSync(join(host.tools, 'compute-sanitizer'));
    assert.match(
      (await run('--sanitize', '--', './ready')).errors,
      /compute-sanitizer was not found .*\n {2}→ Install/,
    );
  });

  const uses: [string, string[], RegExp][] = [
    ['nothing to do', [], /Name the sources to profile/],
    ['a file that is not there', ['nowhere.cu'], /File .*nowhere\.cu was not found/],
    ['a file name that nvcc would expand', ['a$b.cu'], /cannot build "a\$b\.cu"/],
    ['a file that nvcc does not build', ['kernel.f90'], /nvcc cannot build kernel\.f90/],
    ['no such tool', ['--sanitize', 'kernel.cu'], /Invalid --sanitize "kernel\.cu": use memcheck, /],
    ['no such format', ['kernel.cu', '--format', 'yaml'], /Unknown format "yaml"\./],
    ['no number', ['kernel.cu', '--time-limit', 'soon'], /whole number above 0/],
    ['an open quote', ['kernel.cu', '--launcher', 'srun "x'], /is not closed/],
    ['a host that is none', ['kernel.cu', '--host', 'a b'], /Invalid host "a b"/],
  ];
  for (const [name, words, message] of uses) {
    it(`bad use: ${name}`, async function () {
      if (!buildsCuda && /file/.test(name)) skipBecause(this, whyNoCudaBuild);
      const ended = await warplens([...words, '--store', host.store, '--scratch', host.scratchIn]);
      assert.ok(ended.code === 1 || ended.code === 2, `exit code ${ended.code}`);
      assert.match(ended.errors, message);
      assert.doesNotMatch(ended.errors, /\n\s+at /);
    });
  }
});
