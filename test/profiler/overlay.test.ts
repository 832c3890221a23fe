// Marks, words and hovers of measured lines, from a recorded report and from made-up counters.
import assert from 'node:assert/strict';
import { counters, gatherKernels, type ProfiledKernel, type ProfiledLine } from '../../profiler/src/overlay/kernels';
import { amount, duration } from '../../profiler/src/lines/amounts';
import { gutterCell, laidOut, visualLength, wordColumn } from '../../profiler/src/overlay/drawing';
import { lineFigures } from '../../profiler/src/overlay/lineFigures';
import { hoverText } from '../../profiler/src/overlay/hoverText';
import {
  excessesOf,
  firstReason,
  isOverlayMetric,
  marksOf,
  marksOfAll,
  metricTitle,
  overlayMetrics,
  ratioText,
  stallReasonsOf,
  type Excess,
  type OverlayMetric,
} from '../../profiler/src/overlay/marks';
import { moveLines, placeLines } from '../../profiler/src/overlay/placement';
import { plainText } from '../../profiler/src/overlay/adviceText';
import { pageModel } from '../../profiler/src/overlay/reportPage';
import { pageHtml } from '../../client/src/profile/reportPageHtml';
import { bytesSource, openReport } from '../../profiler/src/report';
import { readReportFixture } from './support/reportFixtures';

const stalled = 'smsp__pcsamp_warps_issue_stalled_';

function kernel(lines: readonly Record<string, number>[], totals: Record<string, number>): ProfiledKernel {
  const longest = {
    launch: 0,
    kind: 'kernel' as const,
    name: 'f(int)',
    shortName: 'f',
    grid: [1, 1, 1] as const,
    block: [32, 1, 1] as const,
    process: 1,
    values: {},
  };
  const profiled: ProfiledLine[] = lines.map((values, index) => ({ file: '/k.cu', line: index + 1, values }));
  return {
    name: 'f(int)',
    shortName: 'f',
    launches: 1,
    longest,
    durationNs: 1000,
    totals,
    lines: profiled,
    blocks: [],
    advice: [],
  };
}

describe('heat of measured lines', () => {
  it("marks lines from one per cent of their kernel on, by the kernel's own total", () => {
    const made = kernel(
      [{ smsp__pcsamp_sample_count: 9 }, { smsp__pcsamp_sample_count: 10 }, { smsp__pcsamp_sample_count: 600 }],
      { smsp__pcsamp_sample_count: 1000 },
    );
    assert.deepEqual(
      marksOf(made, 'samples').map(({ line, figure, cell, level }) => [line.line, figure, cell, level]),
      [
        [3, '60.0 %', '60', 'hot'],
        [2, '1.0 %', '1', 'quiet'],
      ],
    );
  });

  it('names the first reason among warps that could not issue', () => {
    assert.equal(
      firstReason({
        [`${stalled}selected`]: 50,
        [`${stalled}not_selected`]: 40,
        [`${stalled}long_scoreboard`]: 3,
        [`${stalled}barrier`]: 2,
        [`${stalled}long_scoreboard_not_issued`]: 99,
      }),
      'long scoreboard',
    );
    assert.equal(firstReason({ [`${stalled}selected`]: 50 }), undefined);
  });

  it('says first what exceeds its ideal, where the kernel feels it', () => {
    const line = {
      smsp__pcsamp_sample_count: 225,
      memory_l2_theoretical_sectors_global: 800,
      memory_l2_theoretical_sectors_global_ideal: 100,
      [`${stalled}barrier`]: 1,
    };
    const [mark] = marksOf(
      kernel([line], { smsp__pcsamp_sample_count: 1000, memory_l2_theoretical_sectors_global: 1000 }),
      'samples',
    );
    assert.deepEqual([mark!.words, mark!.level], [['8.0× sectors', 'barrier'], 'flagged']);
    const [small] = marksOf(
      kernel([line], { smsp__pcsamp_sample_count: 1000, memory_l2_theoretical_sectors_global: 100_000 }),
      'samples',
    );
    assert.deepEqual([small!.words, small!.level], [['barrier'], 'hot']);
    assert.deepEqual(
      marksOf(kernel([line], { memory_l2_theoretical_sectors_global: 1000 }), 'sectors').map(
        ({ cell, figure, words }) => [cell, figure, words],
      ),
      [['8', '8.0×', ['sectors', '800, ideal 100']]],
    );
  });

  it('shows the samples of one stall reason', () => {
    const line = {
      smsp__pcsamp_sample_count: 200,
      smsp__pcsamp_warps_issue_stalled_long_scoreboard: 150,
      smsp__pcsamp_warps_issue_stalled_wait: 50,
    };
    const made = kernel([line, { smsp__pcsamp_sample_count: 300, smsp__pcsamp_warps_issue_stalled_wait: 300 }], {
      smsp__pcsamp_sample_count: 1000,
    });
    assert.deepEqual(
      marksOf(made, 'stall long scoreboard').map(({ cell, figure, words, heat }) => [cell, figure, words, heat]),
      [['15', '15.0 %', ['long scoreboard', "75 % of the line's samples"], 1]],
    );
    assert.equal(metricTitle('stall long scoreboard'), 'long scoreboard stalls');
    assert.ok(
      isOverlayMetric('stall mio throttle') &&
        isOverlayMetric('samples') &&
        !isOverlayMetric('constructor') &&
        !isOverlayMetric('stall <b>'),
    );
    assert.deepEqual(
      stallReasonsOf([made]).map(({ name, samples, share }) => [name, samples, share]),
      [
        ['wait', 350, 0.7],
        ['long scoreboard', 150, 0.3],
      ],
    );
  });

  it('marks divergent branches where they are more than one warp that parts once', () => {
    const made = kernel(
      [
        { smsp__branch_targets_threads_divergent: 30, inst_executed: 1000, thread_inst_executed: 24_000 },
        { smsp__branch_targets_threads_divergent: 1, inst_executed: 2000, thread_inst_executed: 64_000 },
      ],
      { smsp__branch_targets_threads_divergent: 31 },
    );
    assert.deepEqual(
      marksOf(made, 'divergence').map(({ line: { line }, cell, figure, words }) => [line, cell, figure, words]),
      [[1, '24', '30', ['divergent branches', '24 of 32 threads active']]],
    );
  });

  it('marks nothing without counters', () => {
    for (const metric of Object.keys(overlayMetrics) as OverlayMetric[])
      assert.deepEqual(marksOf(kernel([{}, { smsp__pcsamp_sample_count: 5 }], {}), metric), []);
  });

  it('writes amounts and times short', () => {
    assert.deepEqual([0, 42, 470_500, 2_100_000, 134_200_000, 1_073_741_824].map(amount), [
      '0',
      '42',
      '470.5 k',
      '2.10 M',
      '134.2 M',
      '1.07 G',
    ]);
    assert.deepEqual([5248, 6_820_000, 1.5e9].map(duration), ['5.2 µs', '6.82 ms', '1.50 s']);
  });

  it('aligns words behind the longest marked line that is not very long', () => {
    assert.equal(wordColumn([10, 40, 60, 150]), 43);
    assert.equal(wordColumn([150]), 3);
    assert.equal(visualLength('\ta\tb', 4), 9);
  });

  it('sets words one after the other and lets no edge of a wide window cut one', () => {
    const pieces = ['55.2 %', '8.0× sectors', '2.0× wavefronts', 'long scoreboard'];
    assert.deepEqual(laidOut(pieces, 30, 51), { gap: 21, text: pieces.slice(0, 3).join('  ') });
    assert.deepEqual(laidOut(pieces, 80, 51), { gap: 3, text: '55.2 %' });
    assert.deepEqual(laidOut(pieces, 150, 51), { gap: 3, text: '55.2 %' });
    assert.deepEqual(laidOut(['26.9 %', 'long scoreboard'], 65, 51), { gap: 3, text: '26.9 %  long scoreboard' });
    for (let length = 0; length < 200; length++) {
      const { gap, text } = laidOut(pieces, length, 51);
      assert.ok(text === pieces[0] || length + gap + text.length <= 100, `${length}`);
    }
  });

  it('keeps the number of a cell inside its square', () => {
    const widthOf = (label: string): string | undefined =>
      / textLength='(\d+)'/.exec(gutterCell(label, 1, 'dark', false))?.[1];
    assert.deepEqual(['5', '55', '−33'].map(widthOf), [undefined, '13', '14']);
  });

  it('draws the number of a cell in an ink that is read on any heat, in any theme', () => {
    const channels = (color: string): number[] =>
      [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
    const luminance = (color: readonly number[]): number =>
      color
        .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
        .reduce((sum, each, at) => sum + each * [0.2126, 0.7152, 0.0722][at]!, 0);
    for (const tone of ['heat', 'stale', 'better', 'worse', 'changed'] as const)
      for (const theme of ['dark', 'light'] as const)
        for (const contrast of [false, true])
          for (let heat = 0; heat <= 1; heat += 1 / 6) {
            const cell = gutterCell('−33', heat, theme, contrast, tone);
            const [, hue, fill] = /<rect [^>]*fill='(#\w+)' fill-opacity='([\d.]+)'/.exec(cell)!;
            const ink = /<text [^>]*fill='(#\w+)'/.exec(cell)![1]!;
            const ground = channels(theme === 'light' ? '#ffffff' : contrast ? '#000000' : '#1f1f1f');
            const behind = channels(hue!).map((each, at) => each * Number(fill) + ground[at]! * (1 - Number(fill)));
            const [low, high] = [luminance(channels(ink)), luminance(behind)].sort((a, b) => a - b);
            const ratio = (high! + 0.05) / (low! + 0.05);
            assert.ok(ratio >= 4.45, `${tone} ${theme} ${contrast} ${heat.toFixed(2)}: ${ink} at ${ratio.toFixed(2)}`);
          }
  });

  it('draws cells that need no theme variable, since icons get none', () => {
    for (const theme of ['dark', 'light'] as const)
      assert.doesNotMatch(gutterCell('55', 1, theme, true), /var\(|currentColor/);
    assert.match(gutterCell('55', 1, 'dark', true), /stroke=/);
    assert.doesNotMatch(gutterCell('55', 1, 'dark', false), /stroke=/);
  });
});

describe('a recorded report as the editor shows it', () => {
  let kernels: readonly ProfiledKernel[];
  before(async () => {
    kernels = (await gatherKernels(await openReport(bytesSource(readReportFixture('patterns-full'))), () => true))!;
  });
  const named = (name: string): ProfiledKernel => kernels.find(({ shortName }) => shortName === name)!;

  it('flags the conflicting transpose and not the padded one', () => {
    assert.deepEqual(marksOf(named('transpose_padded'), 'wavefronts'), []);
    const conflict = marksOf(named('transpose_conflict'), 'wavefronts');
    assert.deepEqual([conflict.length, conflict[0]!.line.line, conflict[0]!.figure], [1, 110, '32.0×']);
    assert.match(conflict[0]!.words.join('  '), /^wavefronts {2}\S+ M, ideal/);
    const sampled = marksOf(named('transpose_conflict'), 'samples').find(({ line }) => line.line === 110);
    assert.equal(sampled!.level, 'flagged');
  });

  it('puts the most expensive line of all kernels first', () => {
    const [first] = marksOfAll(kernels, 'samples');
    assert.equal(first!.kernel.shortName, 'atomic_all');
    const sweeps = marksOfAll(kernels, 'samples', named('reduce_sweep').name);
    assert.ok(sweeps.every((mark) => mark.kernel.shortName === 'reduce_sweep'));
  });

  it('names in the hover of a line what is confirmed once, and no ratio that a message beside it has', () => {
    const conflict = named('transpose_conflict');
    const line = marksOf(conflict, 'samples')
      .map((mark) => mark.line)
      .find((one) => excessesOf(conflict, one).length > 0)!;
    const [{ ratio }] = excessesOf(conflict, line) as [Excess];
    const verdict = {
      state: 'confirmed',
      text: `Confirmed: ${ratioText(ratio)} wavefronts`,
      rule: 'cuda/bank-conflict',
    };
    const count = (text: string, part: string) => text.split(part).length - 1;
    const text = hoverText([{ kernel: conflict, line }], 'r', { verdicts: [verdict, verdict] });
    assert.deepEqual([count(text, 'Confirmed'), count(text, ratioText(ratio))], [1, 1]);
    const beside = hoverText([{ kernel: conflict, line }], 'r', { shown: [verdict.text] });
    assert.deepEqual([count(beside, 'Confirmed'), count(beside, ratioText(ratio))], [0, 0]);
  });

  it('a report that means ill says nothing but text in a hover', () => {
    const [line] = kernel([{ [counters.samples]: 5, [counters.instructions]: 5 }], {}).lines;
    const ill = {
      ...kernel([], { [counters.samples]: 10 }),
      shortName: 'a`\n\n<img src="https://evil/x.png">\n\n![x](https://evil/y.png)',
    };
    const measured = [{ kernel: ill, line: { ...line!, kinds: { memory_type: { '<IMG SRC=//EVIL>': 3 } } } }];
    const verdicts = ['confirmed', 'weak'].map((state) => ({
      state,
      rule: 'a/![x](http://evil)',
      text: 'Less: ![x](http://evil)\n\n# b',
    }));
    const text = hoverText(measured, 'a\n\n# b<i>', { verdicts });
    assert.match(text, /`a <img [^`]*`'s stall samples/);
    for (const said of [text, lineFigures(measured, 'a\n# b', '<i>')])
      assert.doesNotMatch(said.replace(/`[^`]*`/g, '').replace(/^#+ /gm, ''), /(?<!\\)<|(?<!\\)!\[|^#/m);
  });

  it('stops on request', async () => {
    const report = await openReport(bytesSource(readReportFixture('patterns-full')));
    assert.equal(await gatherKernels(report, (done) => done < 2), undefined);
  });

  it("makes a page with launch shapes, reasons, lines and NVIDIA's advice", () => {
    const page = pageModel({ name: 'patterns.ncu-rep', kernels }, [], (file, line) => `${file} ${line}`);
    assert.equal(page.kernels.length, kernels.length);
    const sweep = page.kernels.find(({ shortName }) => shortName === 'reduce_sweep')!;
    assert.equal(sweep.shape, '528 blocks of 1024');
    assert.equal(sweep.lines[0]!.label, 'patterns.cu:78');
    assert.ok(sweep.reasons.some(({ name, meaning }) => name === 'barrier' && meaning !== ''));
    assert.ok(page.kernels.some(({ advice }) => advice.some(({ gain }) => /^\d+ % /.test(gain))));
    assert.doesNotMatch(JSON.stringify(page), /@(section|url|source|metric)/);
    assert.equal(
      plainText('See @url:Guide:https://docs.nvidia.com/x#y@ and @section:A:The Table@.'),
      'See Guide and The Table.',
    );
  });
});

describe('the report page', () => {
  it('lets in nothing but its own script and style', () => {
    const html = pageHtml('abc');
    assert.match(html, /default-src 'none'; style-src 'nonce-abc'; script-src 'nonce-abc'/);
    assert.doesNotMatch(html, /unsafe|https?:(?!\/\/www\.w3\.org)|innerHTML| style=| onclick=/);
    // The script is text to the compiler: at least it must be one to the machine.
    assert.doesNotThrow(() => new Function(/<script[^>]*>([\s\S]*)<\/script>/.exec(html)![1]!));
  });
});

describe('placed lines', () => {
  const text = ['a', 'b', 'c', 'd'].join('\n');
  const at = (lines: readonly { readonly profiled: number; readonly at: number; readonly stale: boolean }[]): string =>
    lines
      .map((line) => `${line.profiled}@${line.at}${line.stale ? '!' : ''}`)
      .sort()
      .join(' ');

  it('move with edits above, and grey where they changed', () => {
    const start = placeLines(text, text, [2, 4]);
    assert.equal(at(start), '2@2 4@4');
    const moved = moveLines(start, { startLine: 0, startCharacter: 0, endLine: 0, text: 'x\ny\n' });
    assert.equal(at(moved), '2@4 4@6');
    assert.equal(at(placeLines(text, 'x\ny\na\nb + 1\nc\nd', [2, 4], moved)), '2@4! 4@6');
    assert.equal(at(placeLines(text, text, [2, 4], moved)), '2@2 4@4');
  });

  it('that had changed before are grey on their replacements', () => {
    assert.equal(at(placeLines(text, 'x\na\nb + 1\nc\nd', [2, 4])), '2@3! 4@5');
    assert.equal(at(placeLines(text, 'a\nc\nd', [2, 4])), '4@3');
  });

  it('do not stay where a fix has written another line', () => {
    const before = 'for (int i = start; i < end; i++) {\n  sum += input[i];\n}\nout[t] = sum;';
    const after = 'int t = threadIdx.x;\n__shared__ float tile[32];\n}\nout[t] = sum;';
    const start = placeLines(before, before, [1, 2, 4]);
    assert.equal(at(placeLines(before, after, [1, 2, 4], start)), '4@4');
    const changed = 'for (int i = t; i < n; i += blockDim.x) {\n  sum += input[i] * weight;\n}\nout[t] = sum;';
    assert.equal(at(placeLines(before, changed, [1, 2, 4], start)), '1@1! 2@2! 4@4');
    const below = `int first = 0;\n${changed}`;
    assert.equal(at(placeLines(before, below, [1, 2, 4])), '1@2! 2@3! 4@5', 'the line that is like it, not the first');
  });

  it('go with removed lines', () => {
    const start = placeLines(text, text, [1, 2, 3, 4]);
    assert.equal(at(moveLines(start, { startLine: 0, startCharacter: 1, endLine: 2, text: '' })), '1@1 3@1 4@2');
    assert.equal(
      at(
        placeLines(
          text,
          'a\nd',
          [1, 2, 3, 4],
          moveLines(start, { startLine: 0, startCharacter: 1, endLine: 2, text: '' }),
        ),
      ),
      '1@1 4@2',
    );
  });
});
