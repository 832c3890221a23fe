// What the comparison of severity with counters counts, on counters of our own.
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { badLines, countsOf, type Shown, summaryOf, verdictOn } from './compare';
import type { Program } from './programs';

const row = { program: 'p', file: 'a.cu', kernels: [0] };
const program: Program = {
  id: 'p',
  repo: 'o/n',
  path: 'a.cu',
  set: 'open',
  lines: [
    { ...row, line: 10, samples: 90, l2Sectors: 800, l2SectorsIdeal: 100 },
    // A line that only inlines the one above.
    {
      ...row,
      line: 40,
      samples: 90,
      l2Sectors: 800,
      l2SectorsIdeal: 100,
      inlined: { samples: 90, l2Sectors: 800, l2SectorsIdeal: 100 },
    },
    { ...row, line: 20, samples: 6, l2Sectors: 140, l2SectorsIdeal: 100 },
    // Enough excess, in a place without samples.
    { ...row, line: 30, samples: 1, l2Sectors: 200, l2SectorsIdeal: 100 },
  ],
  kernels: [
    {
      program: 'p',
      kernel: 'k',
      grid: [1, 1, 1],
      block: [32, 1, 1],
      ns: 1000,
      share: 1,
      samples: 97,
      rules: [{ rule: 'UncoalescedGlobalAccess', kind: 'global', percent: 4 }],
    },
  ],
};
const finding = (line: number, severity: Shown['severity']): Shown => ({
  rule: 'cuda/uncoalesced-access',
  severity,
  at: ['a.cu', line - 2, line + 2],
  places: [],
});

describe('severity against counters', () => {
  it('takes lines with ratio, excess and samples, and inlined code once', () => {
    deepStrictEqual(
      badLines(program).map(({ line, ratio }) => [line.line, ratio]),
      [[10, 8]],
    );
  });
  it('finds a line at the gravest finding within two lines', () => {
    strictEqual(countsOf(program, [finding(12, 'hint'), finding(9, 'warning')]).shown.warning, 1);
    strictEqual(countsOf(program, [finding(13, 'warning')]).shown.silent, 1);
  });
  it('holds findings against the counters and the estimate of the kernel', () => {
    deepStrictEqual(verdictOn(finding(10, 'warning'), program), { excess: true, estimate: 4 });
    deepStrictEqual(verdictOn(finding(20, 'warning'), program), { excess: false, estimate: 4 });
    strictEqual(verdictOn(finding(70, 'warning'), program), undefined);
    const { findings } = summaryOf([countsOf(program, [finding(10, 'warning'), finding(70, 'warning')])]);
    deepStrictEqual(findings.warning, { measured: 1, excess: 1, estimated: 1, worth: 0, unmeasured: 1 });
  });
  it('names the missing checkouts', async function () {
    this.timeout(60_000);
    const { status, err } = await new Promise<{ status: number; err: string }>((resolve) => {
      const tool = join(__dirname, './compare.ts');
      execFile(process.execPath, ['--import', 'tsx', tool, '--corpora', join(tmpdir(), 'none')], (error, _out, err) =>
        resolve({ status: error ? Number(error.code) : 0, err }),
      );
    });
    strictEqual(status, 2);
    match(err, /left out: .*NVIDIA\+cuda-samples|left out: .*zjin-lcf\+HeCBench/);
    match(err, /No program is left to check/);
  });
});
