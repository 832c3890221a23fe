/** Whether the lines of a change ran in the unchanged program, by counts per line: plain ones and recorded reports. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { recordedSources } from '../../profiler/src/lines/sourceMapping';
import { bytesSource, measureReport, openReport } from '../../profiler/src/report';
import { changedLines, touchedLines } from '../../profiler/src/trial/changedLines';
import type { ChangedLines, ExecutedLines } from '../../profiler/src/trial/changedLines';

const path = '/form/k.cu';
/** The branches on lines 4 to 6 and on line 11 are not taken. */
const text = `__global__ void k(float *x, int far) {
  int i = threadIdx.x;
  if (far > 0) {
    // The far part }
    float sum = 0;
    x[i] = sum + far;
  }
  float one = 1;
  x[i] += one;
  if (far > 9)
    x[0] = far;
}
void launch() { k<<<1, 32>>>(x, 0); }
const int width = 3;
`;
/** Executed instructions and samples by line. */
const counts: Readonly<Record<number, readonly [executions: number | undefined, samples: number]>> = {
  2: [32, 2],
  3: [32, 8],
  6: [0, 0],
  9: [64, 30],
  10: [32, 0],
  11: [0, 0],
  12: [0, 0],
};

type Counts = typeof counts;

function executed(by: Counts = counts, more: Readonly<Record<string, string>> = {}): ExecutedLines {
  const total = { smsp__pcsamp_sample_count: Object.values(by).reduce((sum, [, samples]) => sum + samples, 0) };
  return {
    kernels: [{ launch: 0, shortName: 'k', values: total }] as never,
    lines: Object.entries(by).map(([line, [executions, samples]]) => ({
      file: path,
      line: Number(line),
      kernel: 'k(float*, int)',
      launch: 0,
      values: executions === undefined ? {} : { inst_executed: executions },
      shares: { smsp__pcsamp_sample_count: samples / (total.smsp__pcsamp_sample_count || 1) },
    })),
    sources: new Map(
      Object.entries({ [path]: text, ...more }).map(([of, body]) => [
        of,
        { path: of, text: body, bytes: 0, modified: 0 },
      ]),
    ),
  };
}

const said = (changed: ChangedLines | undefined): string =>
  changed === undefined
    ? 'nothing'
    : `${changed.kernels.join()} ${changed.share === undefined ? 'did not run' : changed.share.toFixed(3)}`;

describe('changed lines', () => {
  const far = ['sum + far', 'sum - far'] as const;
  const nearer = text.replaceAll('sum', 'all');
  const cases: readonly (readonly [string, readonly (readonly [string, string])[], string, ExecutedLines?])[] = [
    ['in a branch that is not taken', [far], 'k did not run'],
    ['a declaration in a block that did not run', [['float sum = 0', 'float sum = 2']], 'k did not run'],
    ['new lines in a block that did not run', [['    float sum', '    far++;\n    float sum']], 'k did not run'],
    ['more lines in place of one that did not run', [['x[0] = far;', '{\n  x[0] = 2;\n}']], 'k did not run'],
    ['lines that run', [['x[i] += one', 'x[i] -= one']], 'k 0.750'],
    ['lines that run beside some that do not', [far, ['x[i] += one', 'x[i] -= one']], 'k 0.750'],
    ['a condition that is false', [['far > 0', 'far > 1']], 'k 0.200'],
    ['a declaration that matters to lines that run', [far, ['float one = 1', 'float one = 2']], 'k 0.000'],
    ['new lines among lines that run', [far, ['  float one', '  i++;\n  float one']], 'k 0.000'],
    ['a launch too', [far, ['<<<1, 32>>>', '<<<1, 64>>>']], 'k 0.000'],
    ['a constant of the file too', [far, ['width = 3', 'width = 4']], 'k 0.000'],
    ['a comment of lines that run too', [far, ['  float one', '  // One.\n  float one']], 'k did not run'],
    ['a comment that goes', [far, ['    // The far part }\n', '']], 'k did not run'],
    ['nothing but a comment', [['// The far part }', '// Far }']], 'nothing'],
    ['only a declaration that matters to lines that run', [['float one = 1', 'float one = 2']], 'nothing'],
    ['only a launch', [['<<<1, 32>>>', '<<<1, 64>>>']], 'nothing'],
    ['a brace alone, whose padding has counts', [['= far;\n}', '= far;\n};']], 'nothing'],
    ['no instruction was counted in the launch', [far], 'nothing', executed({ 3: [0, 0], 6: [0, 0], 9: [0, 0] })],
    ['instructions were not counted', [far], 'k 0.000', executed({ 6: [undefined, 0], 9: [64, 30] })],
    ['no sample', [['x[i] += one', 'x[i] -= one']], 'nothing', executed({ 9: [64, 0] })],
    ['another file of the name', [far], 'k did not run', executed(counts, { '/b/k.cu': 'int other;\nint more;\n' })],
    ['the one of two alike that is more so', [far], 'k did not run', executed(counts, { '/b/k.cu': nearer })],
    ['a file of another name', [far], 'k did not run', executed(counts, { '/b/other.cu': text })],
    ['a file that nothing alike was built of', [['{', 'Q']], 'nothing', executed(counts)],
    ['two files that are equally alike', [far], 'nothing', executed(counts, { '/b/k.cu': text })],
  ];
  for (const [name, edits, expected, counted = executed()] of cases)
    it(name, () => {
      const after = edits.reduce((now, [from, to]) => {
        assert.ok(now.includes(from), from);
        return from === '{' ? 'nothing\nof it\n' : now.replace(from, to);
      }, text);
      assert.equal(said(changedLines(counted, [{ path: '/home/me/k.cu', text: after }])), expected);
    });

  for (const [name, from, to, lines] of [
    ['a changed line', 'far > 9', 'far > 8', [10]],
    ['lines that go', '    float sum = 0;\n    x[i] = sum + far;\n', '', [5, 6]],
    ['a new line, by the line that it comes before', '  float one', '  i++;\n  float one', [8]],
    ['no line where a comment changes', 'The far', 'A far', []],
  ] as const)
    it(`touch ${name}`, () => assert.deepEqual(touchedLines(text, text.replace(from, to)), lines));

  it('a file outside of what was measured', () => {
    const changed = { path: '/home/me/k.cu', text: text.replace(...far) };
    assert.equal(said(changedLines(executed(), [changed, { path: '/home/me/main.cpp', text: '' }])), 'k 0.000');
  });

  const recorded: readonly (readonly [string, string, string, string, string])[] = [
    ['atomics.fixed', 'coalesced_reduce.h', 'unsigned int group_mask', 'unsigned group_mask', 'dotProduct did not run'],
    ['chunk-per-thread', 'chunk-per-thread.cu', 'a[i] + b[i]', 'b[i] + a[i]', 'addVectors 0.984'],
  ];
  for (const [report, file, from, to, expected] of recorded)
    it(`${file} of a recorded report`, async () => {
      const bytes = readFileSync(join(__dirname, '../../samples/profiles', `${report}.ncu-rep`));
      const opened = await openReport(bytesSource(bytes));
      const sources = await recordedSources(opened);
      const source = [...sources.values()].find((each) => each.path.endsWith(`/${file}`))!;
      assert.ok(source.text!.includes(from));
      const counted = { ...(await measureReport(opened)), sources };
      const changed = { path: `/home/me/${file}`, text: source.text!.replace(from, to) };
      assert.equal(said(changedLines(counted, [changed])), expected);
    });
});
