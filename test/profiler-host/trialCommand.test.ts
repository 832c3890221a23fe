/** `warplens measure` and `warplens sweep` as processes, by a stand-in nvcc and recorded reports: tables, JSON, exit codes, Ctrl-C. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli, type Ended } from '../support/bundles';

import type { TrialResult } from '../../profiler/src/trial/trial';
import { makeReplayHost } from './replayFolder';
import type { ReplayHost } from './replayFolder';
import { skipBecause } from '../support/skipBecause';

const root = join(__dirname, '..', '..');
const recorded = join(root, 'samples', 'profiles');

/** Builds a program that says which recorded report it is: the padded tile, or a block of 64, is the fast one. */
const standInNvcc = `#!/bin/sh
case $1 in
  --version) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit 0 ;;
  --list-gpu-code) echo sm_90; exit 0 ;;
esac
while [ $# -gt 0 ]; do case $1 in -o) out=$2; shift ;; *.cu) source=$1 ;; esac; shift; done
grep -q 'threads = 96' "$source" && { echo "$source(3): error: no such size"; exit 2; }
[ -n "$SLOW" ] && touch "$SLOW.$$" && sleep 60
report=unpadded-tile
grep -q 'tileSize + 1\\|threads = 64' "$source" && report=unpadded-tile.fixed
printf '#!/bin/sh\\n# replays %s\\necho "result $1"\\necho time 0.5 ms\\n' $report >"$out"
chmod +x "$out"
`;

describe('warplens measure and sweep', function () {
  this.timeout(90_000);
  let host: ReplayHost;
  before(function () {
    if (process.platform !== 'linux') skipBecause(this, 'a host runs Linux');
    host = makeReplayHost();
    host.play('named');
    for (const name of ['unpadded-tile', 'unpadded-tile.fixed'])
      host.keepReport(name, readFileSync(join(recorded, `${name}.ncu-rep`)));
    writeFileSync(join(host.tools, 'nvcc'), standInNvcc, { mode: 0o755 });
  });
  after(() => host?.remove());
  afterEach(async () => assert.deepEqual(await host.leftBehind(), [], 'left behind'));

  function warplens(
    words: readonly string[],
    more: Readonly<Record<string, string>> = {},
    onError?: (text: string, kill: (signal: NodeJS.Signals) => void) => void,
  ): Promise<Ended> {
    const at = words.indexOf('--');
    const [own, behind] = at < 0 ? [words, []] : [words.slice(0, at), words.slice(at)];
    const env = {
      ...process.env,
      PATH: `${host.tools}:${process.env['PATH']}`,
      WARPLENS_TEST: host.mark,
      NODE_OPTIONS: '',
      ...more,
    };
    return runCli([...own, '--scratch', host.scratchIn, ...behind], { cwd: root, env }, onError);
  }

  it('a fix: the table, the verdict, and the sources as they were', async () => {
    const before = readFileSync(join(root, 'samples/transpose/unpadded-tile.cu'), 'utf8');
    const ended = await warplens('measure samples/transpose/unpadded-tile.cu:18 -- 42'.split(' '));
    assert.equal(ended.code, 0, ended.errors);
    assert.match(
      ended.output,
      /^samples\/transpose\/unpadded-tile\.cu:18 {2}cuda\/bank-conflict\nNVIDIA H200 \(replay\), this machine\n/,
    );
    assert.match(ended.output, /unchanged +85 µs/);
    assert.match(
      ended.output,
      /Pad rows of `tile`.*: 2\.48× faster: the kernel transpose took 85 µs and takes 34\.3 µs\. The output is the same\./,
    );
    assert.match(ended.errors, /\| result 42\n/);
    assert.equal(readFileSync(join(root, 'samples/transpose/unpadded-tile.cu'), 'utf8'), before);
    assert.ok(!readdirSync(join(root, 'samples/transpose')).includes('unpadded-tile'));
  });

  it('a sweep as JSON: every value, the best of them, one that does not build', async () => {
    // The line of the constant, wherever it stands by now.
    const line =
      readFileSync(join(root, 'samples/block-shape/forty-eight.cu'), 'utf8')
        .split('\n')
        .findIndex((text) => text.includes('threads = 48')) + 1;
    const result = JSON.parse(
      (await warplens(['sweep', `samples/block-shape/forty-eight.cu:${line}`, '--values', '32,64,96', '--json']))
        .output,
    ) as TrialResult & { best: string; equals: string[] };
    assert.deepEqual(
      result.variants.map(({ name, verdict }) => [name, verdict?.kind]),
      [
        ['48 (as it is)', undefined],
        ['32', 'no-gain'],
        ['64', 'faster'],
        ['96', 'does-not-build'],
      ],
    );
    assert.deepEqual([result.best, result.equals], ['64', []]);
  });

  it('another form of a file, and Ctrl-C in the build', async () => {
    const ended = await warplens([
      'measure',
      'samples/transpose/unpadded-tile.cu',
      '--against',
      'samples/transpose/unpadded-tile.fixed.cu',
      '--repetitions',
      '2',
      '--json',
    ]);
    const { kernel, variants } = JSON.parse(ended.output) as TrialResult & { kernel?: string };
    assert.match(variants[1]!.verdict!.words, /2\.48× faster/);
    // The one that all changed lines are in.
    assert.equal(kernel, 'transpose');
    let waiting: NodeJS.Timeout | undefined;
    const stopped = await warplens(
      ['measure', 'samples/transpose/unpadded-tile.cu:18'],
      { SLOW: join(host.tools, 'building') },
      (_, kill) => {
        // How long the way to the build takes depends on the machine: the compilers of both forms say when they have begun.
        waiting ??= setInterval(() => {
          if (readdirSync(host.tools).filter((name) => name.startsWith('building.')).length < 2) return;
          clearInterval(waiting);
          kill('SIGINT');
        }, 50);
      },
    );
    clearInterval(waiting);
    assert.equal(stopped.code, 130, stopped.errors);
    assert.match(stopped.errors, /Cancelled during the build/);
  });

  const uses: readonly (readonly [string, readonly string[], RegExp])[] = [
    [
      'a line without a fix',
      ['measure', 'samples/transpose/unpadded-tile.cu:3'],
      /No finding on line 3 of .* has a fix\. Lines with fixes: 18 \(cuda\/bank-conflict\)\./,
    ],
    [
      'a fix that is not there',
      ['measure', 'samples/transpose/unpadded-tile.cu:18', '--fix', '4'],
      /There is one fix on that line; --fix 4 is none of them/,
    ],
    [
      'a rule that found nothing',
      ['measure', 'samples/transpose/unpadded-tile.cu', '--rule', 'cuda/sync-in-loop'],
      /No finding of cuda\/sync-in-loop in .* has a fix\./,
    ],
    ['a file without main', ['sweep', 'samples/ado/problem.cuh:6'], /has no (main|number to sweep)/],
    ['a line without a number', ['sweep', 'samples/transpose/unpadded-tile.cu:1'], /no number to sweep/],
    ['a sweep without a line', ['sweep', 'samples/transpose/unpadded-tile.cu'], /Name the line/],
    [
      'values that are none',
      ['sweep', 'samples/transpose/unpadded-tile.cu:4', '--values', '8,many'],
      /whole numbers above 0/,
    ],
    ['no such file', ['measure', 'nowhere.cu:1'], /nowhere\.cu does not exist/],
    ['two places', ['measure', 'samples/transpose/unpadded-tile.cu', 'samples/tail/partial-warp.cu'], /Name one place/],
    [
      'a tolerance that is none',
      ['measure', 'samples/transpose/unpadded-tile.cu', '--tolerance', '2'],
      /from 0 to below 1/,
    ],
    [
      'a host that is none',
      ['measure', 'samples/transpose/unpadded-tile.cu:18', '--host', 'a b'],
      /Invalid host "a b"/,
    ],
  ];
  for (const [name, words, message] of uses) {
    it(`bad use: ${name}`, async () => {
      const ended = await warplens(words);
      assert.equal(ended.code, 2, ended.errors);
      assert.match(ended.errors, message);
      assert.doesNotMatch(ended.errors, /\n\s+at /);
    });
  }
});
