/** `warplens profile` with several runs, a gate and a disassembly, as a process: nvcc or its stand-in, the recorded ncu, a recorded nvdisasm. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { readHistory, removeStep } from '../../profiler/src/history/stepStore';
import { readKeptDisassembly } from '../../profiler/src/sass/keptDisassembly';
import { readReportFixture } from '../profiler/support/reportFixtures';
import { bundleOf } from '../support/bundles';
import { skipBecause } from '../support/skipBecause';
import { buildsCuda, makeReplayHost, whyNoCudaBuild } from './replayFolder';
import type { ReplayHost } from './replayFolder';

const root = join(__dirname, '..', '..');

describe('warplens profile with a gate and a disassembly', function () {
  this.timeout(120_000);
  let host: ReplayHost;
  before(function () {
    if (process.platform !== 'linux') skipBecause(this, 'a host runs Linux');
    if (!buildsCuda) skipBecause(this, whyNoCudaBuild);
    host = makeReplayHost(readReportFixture('corners-rdc'));
  });
  after(() => host?.remove());
  afterEach(async () => assert.deepEqual(await host.leftBehind(), [], 'left behind'));

  function warplens(...words: string[]): { code: number | null; output: string; errors: string } {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [bundleOf('cli'), 'profile', '--store', host.store, ...words],
      {
        cwd: host.project,
        encoding: 'utf8',
        maxBuffer: 1 << 28,
        env: {
          ...process.env,
          PATH: `${host.tools}:${process.env['PATH']}`,
          WARPLENS_TEST: host.mark,
          TMPDIR: host.scratchIn,
          NODE_OPTIONS: '',
        },
      },
    );
    return { code: status, output: stdout, errors: stderr };
  }

  /** An nvdisasm that prints what the real one printed of the report's cubin, or what `script` does. */
  function playDisassembler(script?: string): void {
    const text = join(host.tools, 'disassembly.txt');
    writeFileSync(
      text,
      gunzipSync(readFileSync(join(root, 'test', 'profiler', 'sass', 'corners-rdc.encoding.txt.gz'))),
    );
    const tool = join(host.tools, 'nvdisasm');
    writeFileSync(
      tool,
      `#!/bin/sh\ncase "$1" in --version) echo 'Cuda compilation tools, release 13.0, V13.0.85'; exit 0;; esac\n${
        script ?? `for file; do :; done; head -c 4 "$file" | grep -q ELF || exit 3\ncat '${text}'\n`
      }`,
    );
    chmodSync(tool, 0o755);
  }

  it('a gate needs a step to be held against, and says so before anything runs', () => {
    const { code, errors } = warplens('kernel.cu', '--gate', 'duration <= +5 %');
    assert.equal(code, 2);
    assert.match(errors, /There is no stored step to compare with\. Measure the version before first, with --runs 5\./);
    const misspelt = warplens('kernel.cu', '--gate', 'sectros <= +5 %');
    assert.deepEqual([misspelt.code, /Unknown gate figure "sectros"/.test(misspelt.errors)], [2, true]);
  });

  it('keeps the runs of a step, and what nvdisasm on the host makes of the cubin beside the report', async () => {
    playDisassembler();
    const { code, errors } = warplens('kernel.cu', '--runs', '3');
    assert.equal(code, 0, errors);
    const { steps } = await readHistory(host.store);
    assert.ok(steps[0]!.kernels.every(({ runs }) => runs!.durationNs.length === 3));
    assert.ok(steps[0]!.notes.every((note) => !/disassembl/.test(note)));
    const kept = await readKeptDisassembly(readFileSync(join(host.store, `${steps[0]!.report}.sass.gz`)));
    assert.equal(kept.tool, 'nvdisasm 13.0.85');
    assert.equal([...kept.cubins.values()][0]!.get('.text._Z9outoflinePfPKfi')![0]!.text, 'LDC R1, c[0x0][0x28]');
  });

  it('passes where nothing changed, and fails where a condition does not hold', () => {
    const passes = warplens('kernel.cu', '--runs', '3', '--gate', 'duration <= +5 %, sectors <= +0 %');
    assert.equal(passes.code, 0, passes.errors + passes.output);
    assert.match(passes.output, /Against baseline \(kernel-001\.ncu-rep\):\n( {2}ok .*\n)+The gate passes\./);
    const fails = warplens(
      'kernel.cu',
      '--runs',
      '3',
      '--format',
      'json',
      '--gate',
      'registers <= -1',
      '--against',
      'step 1',
    );
    assert.equal(fails.code, 1, fails.errors);
    const { gate } = JSON.parse(fails.output) as {
      gate: { passes: boolean; against: { name: string }; conditions: { verdict: string; sentence: string }[] };
    };
    assert.deepEqual([gate.passes, gate.against.name], [false, 'step 1']);
    assert.ok(
      gate.conditions.every(
        ({ verdict, sentence }) => verdict === 'breaks' && /^registers <= -1: registers of /.test(sentence),
      ),
    );
  });

  it('a time of a single run is not decided: exit code 2, and the next step', () => {
    const { code, output } = warplens('kernel.cu', '--runs', '1', '--gate', 'duration <= +5 %');
    assert.equal(code, 2);
    assert.match(
      output,
      /UNDECIDED duration <= \+5 %: \S+.* was measured once now, and times are compared over at least 3 runs\./,
    );
    assert.match(output, /The gate is undecided: 6 of 6/);
  });

  it('a report without a disassembly is a report, and says why in a sentence', async () => {
    playDisassembler("echo 'nvdisasm fatal   : Unknown architecture sm_999' >&2; exit 255\n");
    const { code, output } = warplens('kernel.cu', '--format', 'json');
    assert.equal(code, 0);
    const { report, notes } = JSON.parse(output) as { report: string; notes: string[] };
    assert.equal(existsSync(`${report}.sass.gz`), false);
    assert.ok(
      notes.some((note) =>
        /^nvdisasm on this machine could not disassemble the code: nvdisasm fatal {3}: Unknown architecture sm_999\./.test(
          note,
        ),
      ),
      notes.join('\n'),
    );
  });

  it('a removed step takes its disassembly along', async () => {
    const { steps } = await readHistory(host.store);
    const file = join(host.store, `${steps[0]!.report}.sass.gz`);
    assert.ok(existsSync(file));
    await removeStep(host.store, steps[0]!.number);
    assert.equal(existsSync(file), false);
  });
});
