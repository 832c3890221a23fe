// Two reports beside each other: which lines are called changed, by how much, in which words, and how one walks from one to the next.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { changeMarks, differenceText, nextChange } from '../../profiler/src/overlay/changeMarks';
import { changesBetween, matchingKernels } from '../../profiler/src/overlay/changes';
import { changeRows } from '../../profiler/src/overlay/changesTable';
import { counters, gatherKernels, type ProfiledKernel } from '../../profiler/src/overlay/kernels';
import { movedLines } from '../../profiler/src/overlay/movedLines';
import { recordedSources } from '../../profiler/src/lines/sourceMapping';
import { bytesSource, openReport } from '../../profiler/src/report';

interface Read {
  readonly kernels: readonly ProfiledKernel[];
  readonly texts: ReadonlyMap<string, string>;
}

const read = async (name: string): Promise<Read> =>
  readBytes(new Uint8Array(readFileSync(join(__dirname, '..', '..', 'samples', 'profiles', `${name}.ncu-rep`))));
const readPacked = async (path: string): Promise<Read> =>
  readBytes(new Uint8Array(brotliDecompressSync(readFileSync(path))));

async function readBytes(bytes: Uint8Array): Promise<Read> {
  const report = await openReport(bytesSource(bytes));
  const sources = await recordedSources(report);
  return {
    kernels: (await gatherKernels(report, () => true))!,
    texts: new Map([...sources].flatMap(([path, { text }]) => (text === undefined ? [] : [[path, text] as const]))),
  };
}

const between = (before: Read, after: Read) =>
  changesBetween(before.kernels, after.kernels, movedLines(before.kernels, before.texts, after.kernels, after.texts));

const textOf =
  ({ texts }: Read) =>
  (file: string, line: number): string =>
    texts.get(file)?.split('\n')[line - 1] ?? '';

/** A kernel with one line, for what no recorded pair has. */
function kernelOf(values: Readonly<Record<string, number>>, more: Partial<ProfiledKernel> = {}): ProfiledKernel {
  return {
    name: 'k(int)',
    shortName: 'k',
    launches: 1,
    durationNs: 1e6,
    totals: { [counters.samples]: 10_000, [counters.sectors]: 1e6, [counters.instructions]: 1e6 },
    lines: [{ file: '/a.cu', line: 3, values }],
    blocks: [],
    advice: [],
    longest: {
      launch: 0,
      kind: 'kernel',
      name: 'k(int)',
      shortName: 'k',
      grid: [1, 1, 1],
      block: [32, 1, 1],
      process: 1,
      values: {},
    },
    ...more,
  };
}
const stays = (file: string, line: number) => ({ file, line });

describe('changes between two reports', () => {
  it('what removed lines saved is on the line above them, also where that line is the same', () => {
    const samples = (line: number, count: number) => ({ file: '/a.cu', line, values: { [counters.samples]: count } });
    const before = kernelOf({}, { lines: [samples(3, 5000), samples(4, 3000), samples(5, 1000), samples(9, 1000)] });
    const after = kernelOf(
      {},
      {
        durationNs: 6e5,
        totals: { ...before.totals, [counters.samples]: 6000 },
        lines: [samples(3, 5000), samples(5, 1000)],
      },
    );
    const now = (file: string, line: number) => (line === 4 ? undefined : { file, line: line > 4 ? line - 1 : line });
    const moved = { ...after, lines: [samples(3, 5000), samples(4, 1000), samples(8, 1000)] };
    const [mark, ...others] = changeMarks(changesBetween([before], [moved], now));
    assert.deepEqual([mark?.line.line, mark?.level, mark?.figure], [3, 'better', '']);
    assert.deepEqual(mark?.words, ['removed below: −300.0 µs']);
    assert.match(differenceText(mark!, 'step 1'), /^Since step 1, in k: removed below: −300\.0 µs\.$/);
    assert.ok(others.every(({ words }) => !words.some((word) => word.startsWith('removed'))));
  });

  it('a kernel that became faster has no line that is painted as a loss, and each line that is gone is listed', async () => {
    let costlier = 0;
    let gone = 0;
    const fixed = 'atomics bias-then-silu chunk-per-thread constants powers register-tiled sums unpadded-tile'
      .split(' ')
      .map((name) => [name, `${name}.fixed`] as const);
    for (const [earlier, later] of [
      ...fixed,
      ['1-row-per-thread', '2-coalesced'],
      ['2-coalesced', '3-shuffle'],
    ] as const) {
      const { kernels } = between(await read(earlier), await read(later));
      for (const kernel of kernels) {
        const rows = changeRows(
          kernel,
          () => 'before',
          () => 'after',
        );
        gone += rows.filter(({ line }) => line === undefined).length;
        if (!kernel.durationChanged || kernel.durationAfterNs! >= kernel.durationBeforeNs!) continue;
        costlier += kernel.lines.filter(({ verdict }) => verdict === 'worse').length;
        const marks = changeMarks({ kernels: [kernel], gone: [], come: [] });
        assert.deepEqual(
          [...marks.map(({ level }) => level), ...rows.map(({ verdict }) => verdict)].filter(
            (each) => each === 'worse',
          ),
          [],
          earlier,
        );
      }
    }
    assert.ok(costlier > 0, 'some line of a faster kernel costs more than before');
    assert.ok(gone > 0);
  });

  it('padding a tile: the read of the tile got better, by its wavefronts and what its warps wait for', async () => {
    const [before, after] = [await read('unpadded-tile'), await read('unpadded-tile.fixed')];
    const { kernels, gone, come } = between(before, after);
    assert.deepEqual([gone, come], [[], []]);
    const [kernel] = kernels;
    assert.equal(kernel!.durationChanged, true);
    assert.equal(kernel!.registersBefore, 28);
    const read_ = kernel!.lines.find(({ line }) => line === 18)!;
    assert.equal(read_.verdict, 'better');
    const wavefronts = read_.counts.find(({ metric }) => metric === 'wavefronts')!;
    assert.deepEqual([wavefronts.ratioBefore, wavefronts.ratioAfter, wavefronts.changed], [32, 1, true]);
    assert.ok(read_.costNs! < -20_000 && read_.costNs! > -25_000);
    assert.ok(read_.reasons.some(({ name, after: to, before: from }) => name === 'mio throttle' && to < from));
    // The line whose declaration was edited is compared with what is in its place, and says so.
    assert.ok(kernel!.lines.every(({ verdict }) => verdict !== 'worse'));
    // What it saved adds up to no more than the launch became shorter by.
    const saved = kernel!.lines.reduce((sum, { costNs }) => sum + (costNs ?? 0), 0);
    assert.ok(Math.abs(saved - (34_272 - 84_992)) < 0.05 * 84_992, String(saved));
    const mark = changeMarks({ kernels, gone, come })[0]!;
    assert.equal(mark.line.line, 18);
    assert.equal(mark.level, 'better');
    assert.match(mark.figure, /^−2\d\.\d µs$/);
    assert.match(mark.words.join('  '), /wavefronts 32\.0× → 1\.0×/);
    assert.match(differenceText(mark, 'step 1'), /^Since step 1, in transpose: −2\d\.\d µs a launch; /);
    assert.ok(mark.cell.length <= 3 && mark.cell.startsWith('−'));
  });

  it('a rewritten program: lines are followed, edited ones compared with their replacements, and none is lost', async () => {
    const [before, after] = [await read('1-row-per-thread'), await read('2-coalesced')];
    const changes = between(before, after);
    const [kernel] = changes.kernels;
    const rows = changeRows(kernel!, textOf(before), textOf(after));
    // What cost or saved most comes first, and the texts are those of the side that has the line.
    const costs = rows.map(({ sort }) => Math.abs(sort.cost as number));
    assert.deepEqual(
      costs,
      [...costs].sort((a, b) => b - a),
    );
    assert.ok(rows.every(({ source }) => source !== ''));
    const gone = rows.filter(({ line }) => line === undefined);
    for (const row of gone) assert.match(row.label, / before$/);
    // Every line of both reports is in the comparison once.
    const count = (side: Read) => side.kernels[0]!.lines.length;
    assert.equal(kernel!.lines.filter(({ before: line }) => line).length, count(before));
    assert.equal(kernel!.lines.filter(({ after: line }) => line).length, count(after));
  });

  it('a report against itself changes nothing', async () => {
    for (const name of ['register-tiled', 'parity-branch', 'sweep-2d']) {
      const one = await read(name);
      const { kernels } = between(one, one);
      assert.ok(
        kernels.every(
          ({ lines, durationChanged }) => !durationChanged && lines.every(({ verdict }) => verdict === 'same'),
        ),
      );
      assert.deepEqual(changeMarks(between(one, one)), []);
    }
  });

  it('of programs that ran twice, at most one line in a hundred is called changed', async () => {
    let [lines, changed] = [0, 0];
    for (const name of ['array-of-structs', 'parity-branch', 'shared-sweep', 'unpadded-tile']) {
      const [once, twice] = await Promise.all(
        [1, 2].map((run) => readPacked(join(__dirname, 'pairs', `${name}.${run}.ncu-rep.br`))),
      );
      // Counts of samples are never the same: what is not distinguished here is noise.
      assert.notDeepEqual(once!.kernels[0]!.lines, twice!.kernels[0]!.lines);
      for (const [before, after] of [
        [once!, twice!],
        [twice!, once!],
      ] as const)
        for (const kernel of between(before, after).kernels) {
          lines += kernel.lines.length;
          changed += kernel.lines.filter(({ verdict }) => verdict !== 'same').length;
          assert.equal(kernel.durationChanged, false);
        }
    }
    assert.ok(lines >= 70 && changed <= lines / 100, `${changed} of ${lines}`);
  });

  it('samples have to differ by more than counting them scatters, counters by more than programs that race do', () => {
    const verdict = (before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>) =>
      changesBetween([kernelOf(before)], [kernelOf(after)], stays).kernels[0]!.lines[0]!.verdict;
    const samples = (value: number) => ({ [counters.samples]: value });
    assert.equal(verdict(samples(500), samples(560)), 'same');
    assert.equal(verdict(samples(500), samples(900)), 'worse');
    assert.equal(verdict(samples(900), samples(500)), 'better');
    // Below one per cent of the kernel nothing is called a change of time.
    assert.equal(verdict(samples(2), samples(60)), 'same');
    const sectors = (value: number) => ({ [counters.samples]: 500, [counters.sectors]: value });
    assert.equal(verdict(sectors(100_000), sectors(100_500)), 'same');
    assert.equal(verdict(sectors(100_000), sectors(400_000)), 'worse');
    assert.equal(verdict(sectors(400_000), sectors(100_000)), 'better');
    // A counter that fell and another that rose, with the time as it was.
    assert.equal(
      verdict(
        { [counters.samples]: 500, [counters.sectors]: 400_000, [counters.instructions]: 100_000 },
        { [counters.samples]: 500, [counters.sectors]: 100_000, [counters.instructions]: 300_000 },
      ),
      'changed',
    );
  });

  it('time is what a line costs a launch: half of a kernel that became twice as fast saved, though its share is the same', () => {
    const values = { [counters.samples]: 5_000 };
    const [line] = changesBetween([kernelOf(values)], [kernelOf(values, { durationNs: 5e5 })], stays).kernels[0]!.lines;
    assert.equal(line!.verdict, 'better');
    assert.equal(line!.costNs, -250_000);
    // Twice as many launches of the same time are none.
    const [again] = changesBetween(
      [kernelOf(values)],
      [
        kernelOf(
          { [counters.samples]: 10_000 },
          { launches: 2, durationNs: 2e6, totals: { [counters.samples]: 20_000 } },
        ),
      ],
      stays,
    ).kernels[0]!.lines;
    assert.equal(again!.verdict, 'same');
    // Without times the shares decide, in points.
    const without = { durationNs: 0 };
    const changes = changesBetween(
      [kernelOf(values, without)],
      [kernelOf({ [counters.samples]: 8_000 }, without)],
      stays,
    );
    assert.equal(changeMarks(changes)[0]!.figure, '+30.0 points');
  });

  it('kernels are matched by name and symbol, then by name, then as the only two of a short name', () => {
    const one = kernelOf({}, { mangledName: 'a' });
    const other = kernelOf({}, { mangledName: 'b' });
    const [oneNow, otherNow] = [kernelOf({}, { mangledName: 'b' }), kernelOf({}, { mangledName: 'a' })];
    const found = matchingKernels([one, other], [oneNow, otherNow]);
    assert.equal(found.get(oneNow), other);
    assert.equal(found.get(otherNow), one);
    const renamed = kernelOf({}, { name: 'k(float)', mangledName: 'c' });
    assert.equal(matchingKernels([one], [renamed]).get(renamed), one);
    assert.equal(matchingKernels([one, kernelOf({}, { name: 'k(char)' })], [renamed]).size, 0);
  });

  it('next and previous change go through the text and on at its ends', async () => {
    const marks = changeMarks(between(await read('1-row-per-thread'), await read('2-coalesced')));
    const files = [...new Set(marks.map(({ line }) => line.file))];
    const inText = [...new Set(marks.filter(({ line }) => line.file === files[0]).map(({ line }) => line.line))].sort(
      (a, b) => a - b,
    );
    assert.ok(inText.length >= 3);
    const at = (line: number) => ({ file: files[0]!, line });
    assert.equal(nextChange(marks, files, undefined, 1)!.line.line, inText[0]);
    assert.equal(nextChange(marks, files, at(inText[0]!), 1)!.line.line, inText[1]);
    assert.equal(nextChange(marks, files, at(inText[1]!), -1)!.line.line, inText[0]);
    assert.equal(nextChange(marks, [files[0]!], at(9_999), 1)!.line.line, inText[0]);
    assert.equal(nextChange([], [], undefined, 1), undefined);
  });

  it('files that are not the same path are matched by name, and lines without texts keep their numbers in one path alone', () => {
    const kernel = (file: string) => kernelOf({}, { lines: [{ file, line: 3, values: {} }] });
    const now = movedLines(
      [kernel('/old/a.cu')],
      new Map([['/old/a.cu', 'x\ny\nint z;']]),
      [kernel('/new/a.cu')],
      new Map([['/new/a.cu', 'x\ny\n\nint z;']]),
    );
    assert.deepEqual(now('/old/a.cu', 3), { file: '/new/a.cu', line: 4, edited: false });
    const blind = movedLines([kernel('/a.cu')], new Map(), [kernel('/a.cu')], new Map());
    assert.deepEqual(blind('/a.cu', 3), { file: '/a.cu', line: 3 });
    const renamed = movedLines([kernel('/a.cu')], new Map(), [kernel('/b.cu')], new Map());
    assert.equal(renamed('/a.cu', 3), undefined);
  });
});
