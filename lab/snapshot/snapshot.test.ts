// Snapshots of a small tree: what they hold, and each kind of difference that the comparison reports.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { baselineOf, differing } from './baseline';
import { differences } from './compare';
import type { FindingRow, FixRow, Row } from './row';
import { readRows } from './snapshot';
import { familyTable, ruleTable } from './tables';

const finding: FindingRow = { rule: 'cuda/a', line: 3, message: 'm', severity: 'warning', text: '8 sectors' };
const fix: FixRow = { rule: 'cuda/a', line: 3, family: 'row-warps', title: 'One warp', safe: false, edits: 'e1' };
const row: Row = {
  tree: 'tree',
  path: 'a.cu',
  facts: { access: [2, 'h1'], launch: [1, 'h2'] },
  findings: [finding],
  fixes: [fix],
};

describe('snapshots', () => {
  const kinds: [string, Row, string, string][] = [
    ['facts', { ...row, facts: { access: [2, 'x'], launch: [1, 'h2'] } }, 'facts: access', 'tree/a.cu: 2'],
    ['lost facts', { ...row, facts: { access: [2, 'h1'] } }, 'facts: launch', 'tree/a.cu: 1, then 0'],
    ['lost findings', { ...row, findings: [] }, 'findings lost', 'tree/a.cu:3: cuda/a m: 8 sectors'],
    [
      'new findings',
      { ...row, findings: [finding, { ...finding, line: 5 }] },
      'findings new',
      'tree/a.cu:5: cuda/a m: 8 sectors',
    ],
    [
      'severities',
      { ...row, findings: [{ ...finding, severity: 'hint' }] },
      'severities',
      'tree/a.cu:3: cuda/a m: warning, then hint',
    ],
    [
      'texts',
      { ...row, findings: [{ ...finding, text: '4 sectors' }] },
      'findings: text',
      'tree/a.cu:3: cuda/a m: "8 sectors", then "4 sectors"',
    ],
    [
      'refusals',
      { ...row, findings: [{ ...finding, refusals: ['row-warps rows'] }] },
      'refusals',
      'tree/a.cu:3: cuda/a m: none, then row-warps rows',
    ],
    ['lost fixes', { ...row, fixes: [] }, 'fixes lost', 'tree/a.cu:3: cuda/a row-warps: One warp'],
    [
      'new fixes',
      { ...row, fixes: [fix, { ...fix, title: 'Two', edits: 'e2' }] },
      'fixes new',
      'tree/a.cu:3: cuda/a row-warps: Two',
    ],
    ['edits', { ...row, fixes: [{ ...fix, edits: 'e2' }] }, 'fixes: edits', 'tree/a.cu:3: cuda/a row-warps: One warp'],
    [
      'safety',
      { ...row, fixes: [{ ...fix, safe: true }] },
      'fixes: safety',
      'tree/a.cu:3: cuda/a row-warps: One warp: safe now',
    ],
    [
      'titles',
      { ...row, fixes: [{ ...fix, title: 'A warp' }] },
      'fixes: names',
      'tree/a.cu:3: cuda/a row-warps: One warp, then :3: cuda/a row-warps: A warp',
    ],
    ['files', { ...row, path: 'b.cu' }, 'files', 'tree/a.cu: lost,tree/b.cu: new'],
    [
      'files that exceed the time',
      { tree: 'tree', path: 'a.cu', problem: 'longer than 1 s' },
      'files',
      'tree/a.cu: read, then longer than 1 s',
    ],
  ];
  for (const [what, after, kind, line] of kinds)
    it(`compare ${what}`, () => {
      const found = differences([row], [after]);
      deepStrictEqual(
        [...found].map(([key, lines]) => [key, lines.join()]),
        [[kind, line]],
      );
      ok(differing(baselineOf([row]), baselineOf([after])).length > 0, 'the baseline sees it too');
    });

  it('count an offer once for each text that it writes, and a warning with a fix by its line', () => {
    const rows = [{ ...row, fixes: [fix, { ...fix, line: 4 }], findings: [finding, { ...finding, line: 9 }] }];
    match(familyTable(rows), /^\| row-warps \| cuda\/a \| 1 \| 0 \| 1 \| 0 \| {2}\|$/m);
    match(ruleTable(rows), /^\| cuda\/a \| 0 \| 2 \| 0 \| 0 \| 1 \| 0 \| 2 \|$/m);
  });

  it('are equal wherever the tree lies, name families, and record files that exceed the time', function () {
    this.timeout(120_000);
    const folder = mkdtempSync(join(tmpdir(), 'warplens-snapshot-'));
    const text = (name: string): string => `__global__ void ${name}(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 512; k++) sum += in[i * 512 + k];
  if (i < n) out[i] = sum;
}
void run(float *a, float *b, int n) { ${name}<<<n / 256, 256>>>(a, b, n); }
`;
    const snapshot = (root: string, out: string, ...more: string[]): Row[] => {
      const to = join(folder, out);
      const tool = ['--import', 'tsx', join(__dirname, 'snapshot.ts'), '--root', join(folder, root), '--out', to];
      strictEqual(spawnSync(process.execPath, [...tool, ...more]).status, 0);
      return readRows(to);
    };
    try {
      for (const root of ['here/tree', 'there/tree'])
        for (const [path, content] of [
          ['one/a.cu', text('rows')],
          ['two/b.cu', text('others')],
          ['two/plain.cuh', 'struct A {};\n'],
        ] as const) {
          mkdirSync(join(folder, root, path, '..'), { recursive: true });
          writeFileSync(join(folder, root, path), content);
        }
      const rows = snapshot('here/tree', 'a.gz');
      deepStrictEqual(
        rows.map(({ path }) => path),
        ['one/a.cu', 'two/b.cu'],
        'headers without kernels are left out',
      );
      ok(rows[0]!.fixes!.some(({ family }) => family === 'row-warps'));
      deepStrictEqual(snapshot('there/tree', 'b.gz', '--processes', '1'), rows);
      const late = snapshot('here/tree', 'c.gz', '--seconds', '0.0001');
      deepStrictEqual(
        late.map(({ path, problem }) => [path, problem]),
        [
          ['one/a.cu', 'longer than 0.0001 s'],
          ['two/b.cu', 'longer than 0.0001 s'],
        ],
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
