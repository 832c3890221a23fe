// Which line fills the queue that another waits for, on recorded reports and on made-up kernels.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { orderByCost, type HotLine } from '../../profiler/src/evidence/costOrder';
import { joinEvidence } from '../../profiler/src/evidence/joinEvidence';
import { hoverText } from '../../profiler/src/overlay/hoverText';
import { counters, type ProfiledKernel } from '../../profiler/src/overlay/kernels';
import { marksOf } from '../../profiler/src/overlay/marks';
import { fillerOf } from '../../profiler/src/overlay/queues';
import { findingsOf, readReport } from './evidenceOf';

const samples = join(__dirname, '..', '..', 'samples', 'profiles');
const stall = (reason: string): string => `smsp__pcsamp_warps_issue_stalled_${reason}`;

describe('a full queue', () => {
  const kernel = (lines: readonly Readonly<Record<string, number>>[]): ProfiledKernel =>
    ({
      name: 'k()',
      shortName: 'k',
      totals: {},
      lines: lines.map((values, at) => ({ file: 'k.cu', line: at + 1, values })),
    }) as unknown as ProfiledKernel;
  const waits = (reason: string, more: Readonly<Record<string, number>> = {}) => ({ [stall(reason)]: 10, ...more });
  const fills = (wavefronts: number) => ({ [counters.wavefronts]: wavefronts, [counters.idealWavefronts]: 1 });
  const cases: readonly (readonly [string, readonly Readonly<Record<string, number>>[], number | undefined])[] = [
    ['is filled by the line with the traffic', [waits('mio_throttle'), fills(32), fills(1)], 2],
    ['of another kind is not', [waits('lg_throttle'), fills(32)], undefined],
    ['of global memory', [waits('lg_throttle'), { [counters.sectors]: 8, [counters.idealSectors]: 1 }], 2],
    [
      'is filled by no kernel where many share the traffic',
      [waits('mio_throttle'), ...Array(6).fill(fills(4))],
      undefined,
    ],
    ['is filled by the line itself', [waits('mio_throttle', fills(32)), fills(3)], undefined],
    ['is no matter where the line waits for data', [waits('long_scoreboard'), fills(32)], undefined],
    ['is no matter of a line that was ready', [{ [stall('selected')]: 10 }, fills(32)], undefined],
    ['without counters is not known', [waits('mio_throttle'), {}], undefined],
  ];
  for (const [name, lines, expected] of cases)
    it(name, () => {
      const made = kernel(lines);
      assert.equal(fillerOf(made, made.lines[0]!)?.line.line, expected);
    });

  it('is explained by the conflict that fills it: the index lines of a transpose wait for its tile', async () => {
    const { kernels, files } = await readReport(new Uint8Array(readFileSync(join(samples, 'unpadded-tile.ncu-rep'))));
    const [path] = [...files.keys()].filter((name) => name.endsWith('unpadded-tile.cu'));
    const findings = await findingsOf(path!, files);
    const sources = [{ file: path!, lineOf: (line: number) => line }];
    const evidence = joinEvidence(findings, { report: 'r', kernels, sources });
    const joined = findings.map((finding, at) => ({ finding, ...(evidence[at] ? { evidence: evidence[at] } : {}) }));
    const hot = marksOf(kernels[0]!, 'samples').map(({ line }): HotLine => {
      const filler = fillerOf(kernels[0]!, line);
      return { file: line.file, line: line.line, ...(filler ? { filledBy: filler.line } : {}) };
    });
    const order = orderByCost([{ place: 'here', joined, sources }], hot);
    assert.deepEqual(
      order.costly.map(({ finding, waiting }) => [finding.rule, waiting.map(({ line }) => line)]),
      [['cuda/bank-conflict', [9, 10]]],
    );
    assert.deepEqual(
      order.unexplained.map(({ line }) => line),
      [12, 20],
    );
    const index = kernels[0]!.lines.find(({ line }) => line === 9)!;
    const text = hoverText([{ kernel: kernels[0]!, line: index }], 'r');
    assert.match(text, /The queue is filled mainly by line 18: 9\d\\\.\d % of the wavefronts, 32\\\.0× ideal/);
  });
});
