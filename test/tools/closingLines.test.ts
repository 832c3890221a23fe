// Tests that were skipped are counted and named with their reason, and CI finds its line.
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { added, closingLines, failuresIn, type Sum, timesIn } from '../../tools/closingLines';

const root = join(__dirname, '..', '..');

describe('the closing lines of npm test', () => {
  it('name what was skipped, reason by reason, and count it', () => {
    const nvcc = 'there is no nvcc on this machine';
    const sum = added([
      { passed: 1, failed: 0 },
      { passed: 20, failed: 2, skipped: [{ title: 'a', reason: nvcc }] },
      {
        passed: 3,
        failed: 0,
        skipped: [
          { title: 'b', reason: 'no zsh' },
          { title: 'c', reason: nvcc },
        ],
      },
    ]);
    deepStrictEqual(closingLines(sum), [
      '',
      'Skipped:',
      `  ${nvcc}`,
      '    - a',
      '    - c',
      '  no zsh',
      '    - b',
      '',
      '24 passed, 2 failed, 3 skipped',
    ]);
    deepStrictEqual(closingLines(added([{ passed: 4, failed: 0 }])), ['', '4 passed, 0 failed']);
  });

  it('a skipped test, a skipped suite and a test without a body keep their reasons on the way', function () {
    this.timeout(30_000);
    const folder = mkdtempSync(join(tmpdir(), 'warplens-skip-'));
    try {
      const suite = join(folder, 'some.test.ts');
      const sums = join(folder, 'sums.json');
      writeFileSync(
        suite,
        `import { skipBecause } from ${JSON.stringify(join(root, 'test/support/skipBecause'))};
        it('runs', () => {});
        it('one', function () { skipBecause(this, 'no moon'); });
        describe('all', () => {
          before(function () { skipBecause(this, 'no sun'); });
          it('two', () => {});
          describe('below', () => { it('three', () => {}); });
        });
        it('four');
        it('five', function () { this.skip(); });
        it('six', () => { throw new Error('no star'); });`,
      );
      const done = spawnSync(
        process.execPath,
        [
          ...['--import', 'tsx', 'node_modules/mocha/bin/mocha.js', '--reporter', 'test/support/countingReporter.cjs'],
          ...['--reporter-option', `file=${sums}`, suite],
        ],
        { cwd: root, encoding: 'utf8' },
      );
      strictEqual(done.status, 1, done.stderr);
      const { passed, failed, skipped, failures, times, files } = JSON.parse(
        readFileSync(sums, 'utf8'),
      ) as Required<Sum>;
      deepStrictEqual([passed, failed], [1, 1]);
      deepStrictEqual(
        times.filter(({ title }) => /^(runs|six)$/.test(title)).map(({ title }) => title),
        ['runs', 'six'],
      );
      deepStrictEqual(Object.keys(files).length, 1);
      deepStrictEqual(failures, ['six: no star']);
      deepStrictEqual(Object.fromEntries(skipped.map(({ title, reason }) => [title, reason])), {
        one: 'no moon',
        'all › two': 'no sun',
        'all › below › three': 'no sun',
        four: 'It gave no reason.',
        five: 'It gave no reason.',
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('repeat what failed, with the first line of the reason', () => {
    const lines = [
      'a suite',
      '  ✔ stands (3 ms)',
      '    ✘ a suite falls\nError: 1 == 2\n    at somewhere',
      '✘ The editor ended.',
    ];
    const failures = failuresIn(lines);
    deepStrictEqual(failures, ['a suite falls: Error: 1 == 2', 'The editor ended.']);
    const sum = added([
      { passed: 1, failed: 2, failures },
      { passed: 1, failed: 0 },
    ]);
    deepStrictEqual(closingLines(sum), [
      '',
      'Failed:',
      '  ✘ a suite falls: Error: 1 == 2',
      '  ✘ The editor ended.',
      '',
      '2 passed, 2 failed',
    ]);
  });

  it('name the ten slowest tests, those of the editor as well', () => {
    const times = timesIn(['a suite', '  ✔ stands (3000 ms)', '  ✔ waits (12500 ms)', '  ✘ falls (9 ms)']);
    deepStrictEqual(times, [
      { title: 'stands', seconds: 3 },
      { title: 'waits', seconds: 12.5 },
    ]);
    const many = Array.from({ length: 20 }, (_, at) => ({ title: `t${at}`, seconds: at / 10 }));
    const lines = closingLines(
      added([
        { passed: 2, failed: 0, times },
        { passed: 20, failed: 0, times: many },
      ]),
    );
    deepStrictEqual(lines.slice(0, 5), ['', 'Slowest:', '    12.5 s  waits', '     3.0 s  stands', '     1.9 s  t19']);
    deepStrictEqual(lines.length, 2 + 10 + 2);
  });

  it('have the form that CI reads', () => {
    for (const skipped of [[], [{ title: 'a', reason: 'b' }]])
      match(closingLines({ passed: 5, failed: 1, skipped }).at(-1)!, /^\d+ passed, \d+ failed(, \d+ skipped)?$/);
  });
});
