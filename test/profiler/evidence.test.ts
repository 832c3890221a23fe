// Evidence: the conditions of rules, and what each kind of measurement says of a finding.
import { deepStrictEqual, equal, match, ok, throws } from 'node:assert/strict';
import { counters } from '../../profiler/src/overlay/kernels';
import { readCondition } from '../../profiler/src/evidence/condition';
import { orderByCost, type JoinedFinding } from '../../profiler/src/evidence/costOrder';
import {
  joinEvidence,
  type EvidenceKernel,
  type EvidenceSource,
  type Measurement,
} from '../../profiler/src/evidence/joinEvidence';
import { isKernelFigure } from '../../profiler/src/lines/kernelFigures';
import { carryLines, codeChanges } from '../../profiler/src/lines/carryOver';
import { stallReason } from '../../profiler/src/lines/sourceMetrics';
import type { FindingEvidence } from '../../protocol/src/evidence';
import type { FoundFinding, RuleEvidence } from '../../protocol/src/requests';
import { registry } from '../../server/src/rules/registry';
import { inTime } from '../support/depth';

describe('conditions of evidence', () => {
  const names = ['metric', 'against', 'threads', 'block'];
  const decide = (text: string, values: Record<string, number | undefined>) => readCondition(text, names)(values);

  for (const [text, values, wanted] of [
    ['metric / against >= 1.5', { metric: 3, against: 2 }, true],
    ['metric / against >= 1.5', { metric: 2.9, against: 2 }, false],
    ['metric / against >= 1.5', { metric: 2, against: 0 }, undefined],
    ['metric / against >= 1.5', { metric: 2 }, undefined],
    ['metric < 28', { metric: 28 }, false],
    ['metric <= 28', { metric: 28 }, true],
    ['metric > 1 + 2 * 3', { metric: 8 }, true],
    ['metric > (1 + 2) * 3', { metric: 8 }, false],
    ['metric - 1 - 1 < 2', { metric: 3.5 }, true],
    ['metric / 2 / 2 < 2', { metric: 7 }, true],
    ['metric < 1 or metric < 2 and against > 5', { metric: 1.5, against: 6 }, true],
    ['metric < 1 or metric < 2 and against > 5', { metric: 0.5, against: 0 }, true],
    ['metric < 1 and threads >= 30', { metric: 2 }, false],
    ['metric < 1 and threads >= 30', { metric: 0 }, undefined],
    ['metric > 1 or threads >= 30', { metric: 2 }, true],
  ] as const)
    it(`${text} with ${JSON.stringify(values)} is ${wanted}`, () => equal(decide(text, values), wanted));

  for (const text of [
    '',
    'metric',
    'metric >',
    'metric > 1 2',
    'metric > 1)',
    '(metric > 1',
    'metric = 1',
    'metric > 1 && against > 1',
    'other > 1',
    'metric.x > 1',
    'constructor > 1',
    'metric > 1; metric',
    'metric > 1 and',
    '1.5.2 > metric',
    'process.exit() > 1',
  ]) {
    it(`refuses "${text}"`, () => throws(() => readCondition(text, names), /".*"/));
  }

  it('knows every condition and counter of the rules', () => {
    const kept = new Set<string>(Object.values(counters));
    let read = 0;
    for (const { meta } of registry) {
      if (!meta.evidence) continue;
      const { metric, against, badWhen, noneWhen, of } = meta.evidence;
      for (const text of noneWhen ? [badWhen, noneWhen] : [badWhen]) readCondition(text, names);
      for (const name of [metric, against].flatMap((sum) => sum?.split(' + ') ?? []))
        ok(
          of === 'occupancy' ? isKernelFigure(name) : kept.has(name) || stallReason(name) !== undefined,
          `${meta.id}: the editor does not keep ${name}`,
        );
      read++;
    }
    ok(read >= 6);
  });
});

describe('problems in order of cost', () => {
  const joined = (
    line: number,
    state: FindingEvidence['state'] | undefined,
    cost = 0,
    rule = 'cuda/a',
  ): JoinedFinding => ({
    finding: {
      rule,
      message: 'm',
      text: '',
      severity: 'warning',
      confidence: 'proven',
      data: {},
      fixes: [],
      range: { start: { line: line - 1, character: 0 }, end: { line: line - 1, character: 1 } },
    },
    ...(state ? { evidence: { state, text: `${state} ${cost}`, cost } } : {}),
  });
  const order = (list: readonly JoinedFinding[]) =>
    orderByCost(
      [{ place: 'a.cu', joined: list, sources: [{ file: '/a.cu', lineOf: (line: number) => line + 100 }] }],
      [101, 102, 103, 104].map((line) => ({ file: '/a.cu', line })),
    );
  const lines = (problems: readonly { readonly finding: FoundFinding; readonly alike: number }[]) =>
    problems.map(({ finding, alike }) => `${finding.range.start.line + 1}${alike > 1 ? `×${alike}` : ''}`);

  it('confirmed first, the costliest first; less than expected behind them', () =>
    deepStrictEqual(
      lines(order([joined(1, 'confirmed', 5), joined(2, 'weak', 90), joined(3, 'confirmed', 50)]).costly),
      ['3', '1', '2'],
    ));
  it('findings of a rule on a line are one', () =>
    deepStrictEqual(
      lines(order([joined(1, 'confirmed', 5), joined(1, 'confirmed', 5), joined(1, 'confirmed', 5, 'cuda/b')]).costly),
      ['1×2', '1'],
    ));
  it('the rest in groups', () => {
    const { refuted, unmeasured, untold } = order([
      joined(1, undefined),
      joined(2, 'unmeasured'),
      joined(3, 'refuted', 4),
      joined(4, 'not-executed'),
      joined(5, 'refuted', 9),
    ]);
    deepStrictEqual([lines(refuted), lines(unmeasured), lines(untold)], [['5', '3'], ['4', '2'], ['1']]);
  });
  it('a hot line that a finding explains is not listed twice; a refuted one explains nothing', () => {
    deepStrictEqual(
      order([joined(1, 'confirmed', 5), joined(2, 'refuted'), joined(3, 'weak')]).unexplained.map(({ line }) => line),
      [102, 104],
    );
  });
});

describe('evidence', () => {
  const sectors: RuleEvidence = {
    metric: counters.sectors,
    against: counters.idealSectors,
    badWhen: 'metric / against >= 1.5',
    noneWhen: 'metric / against < 1.05',
  };
  const finding = (parts: Partial<FoundFinding> = {}): FoundFinding => ({
    rule: 'cuda/uncoalesced-access',
    message: 'stride',
    text: '',
    severity: 'warning',
    confidence: 'proven',
    data: {},
    fixes: [],
    evidence: sectors,
    range: { start: { line: 9, character: 2 }, end: { line: 9, character: 8 } },
    function: { name: 'stage1', kernel: true },
    ...parts,
  });
  const counted = (parts: Record<string, number> = {}) => ({
    [counters.samples]: 230,
    [counters.instructions]: 1000,
    [counters.threadsExecuted]: 32_000,
    [counters.sectors]: 1_073_741_824,
    [counters.idealSectors]: 134_217_728,
    ...parts,
  });
  const kernel = (lines: EvidenceKernel['lines'], parts: Partial<EvidenceKernel> = {}): EvidenceKernel => ({
    name: 'stage1(float *)',
    shortName: 'stage1',
    durationNs: 2000,
    longest: {},
    blocks: [],
    lines,
    totals: {
      [counters.samples]: 1000,
      [counters.instructions]: 5000,
      [counters.threadsExecuted]: 160_000,
      [counters.sectors]: 2e9,
      [counters.idealSectors]: 1e9,
    },
    ...parts,
  });
  const same: EvidenceSource = { file: '/a/ado.cu', lineOf: (line) => line };
  const row = (values: Record<string, number>, line = 10) => ({ file: '/a/ado.cu', line, values });
  const join = (one: FoundFinding, kernels: readonly EvidenceKernel[], parts: Partial<Measurement> = {}) =>
    joinEvidence([one], { report: 'ado.ncu-rep', kernels, sources: [same], ...parts })[0];

  it('holds warps on a multiprocessor, and the size of a block, against those that fit', () => {
    const { evidence } = registry.find(({ meta }) => meta.id === 'acc/missing-workers')!.meta;
    const told = (threads: readonly number[], achieved?: number) =>
      join(finding({ evidence: evidence as RuleEvidence }), [
        kernel([row({ [counters.samples]: 500, [counters.instructions]: 50 })], {
          blocks: threads.map((one) => ({ threads: one, durationNs: 1, totals: {} })),
          ...(achieved === undefined ? {} : { figures: { occupancy: { achieved, most: 64 } } }),
        }),
      ])!;
    match(
      told([32], 31).text,
      /^Confirmed: 31\.0 of 64 warps on a multiprocessor, in blocks of 32 threads, 50\.0 % of/,
    );
    equal(told([128], 46).state, 'refuted');
    equal(told([32], 40).state, 'weak');
    equal(told([32, 128], 31).state, 'unmeasured', 'launches of two shapes');
    equal(told([32]).state, 'unmeasured', 'a report without occupancy');
  });

  it('confirms with figure, ideal and share', () => {
    deepStrictEqual(join(finding(), [kernel([row(counted())])]), {
      state: 'confirmed',
      text: "Confirmed: 8.0× sectors (1.07 G, ideal 134.2 M), 23.0 % of stage1's stall samples (ado.ncu-rep).",
      kernel: 'stage1',
      share: 0.23,
      cost: 460,
      gpuShares: { lines: 0.23, kernel: 1 },
      value: 1_073_741_824,
      against: 134_217_728,
    });
  });

  it('refutes where the hardware shows none, and says less where it shows some', () => {
    const refuted = join(finding(), [
      kernel([row(counted({ [counters.sectors]: 134_217_728, [counters.samples]: 5 }))]),
    ])!;
    equal(refuted.text, "Not a problem here: 1.0× sectors, 0.5 % of stage1's stall samples (ado.ncu-rep).");
    equal(refuted.state, 'refuted');
    const weak = join(finding(), [kernel([row(counted({ [counters.sectors]: 160_000_000 }))])])!;
    equal(weak.state, 'weak');
    match(weak.text, /^Less than expected: 1\.2× sectors \(160\.0 M, ideal 134\.2 M\)/);
  });

  it('tells a line that did not run from one that has no instructions and from one without accesses', () => {
    equal(
      join(finding(), [
        kernel([row(counted({ [counters.instructions]: 0, [counters.sectors]: 0, [counters.idealSectors]: 0 }))]),
      ])!.state,
      'not-executed',
    );
    const gone = join(finding(), [kernel([row(counted(), 11)])])!;
    equal(gone.state, 'not-executed');
    equal(gone.text, 'Not executed: stage1 has no instruction on this line (ado.ncu-rep).');
    const elsewhere = join(finding(), [kernel([row(counted({ [counters.sectors]: 0, [counters.idealSectors]: 0 }))])])!;
    equal(elsewhere.state, 'unmeasured');
    equal(elsewhere.text, 'Not measured: stage1 has no sectors on this line (ado.ncu-rep).');
  });

  it('says why nothing was measured', () => {
    const text = (...given: Parameters<typeof join>) => {
      const evidence = join(...given)!;
      equal(evidence.state, 'unmeasured');
      equal(evidence.cost, 0);
      return evidence.text;
    };
    equal(
      text(finding({ function: { name: 'stage0', kernel: true } }), [kernel([row(counted(), 11)])]),
      'Not measured: stage0 is not in ado.ncu-rep.',
    );
    equal(
      text(finding(), [kernel([], { longest: { withoutLines: 'no line table' } })]),
      'Not measured: stage1 was compiled without -lineinfo.',
    );
    equal(
      text(finding(), [kernel([], { longest: { withoutLines: 'no per-instruction metrics' } })]),
      'Not measured: ado.ncu-rep has no per-line counters for stage1; profile with --set full.',
    );
    equal(
      text(finding(), [kernel([row(counted())])], { sources: [] }),
      'Not measured: this file is not in ado.ncu-rep.',
    );
    equal(
      text(finding(), [kernel([row(counted())])], { unsure: true }),
      'Not measured: the file has changed since it was profiled, and the report does not contain its source.',
    );
    equal(
      text(finding(), [kernel([row(counted())])], { sources: [{ file: '/a/ado.cu', lineOf: () => undefined }] }),
      'Not measured: the line, or what the figure depends on, changed.',
    );
    const { [counters.sectors]: _, [counters.idealSectors]: __, ...less } = counted();
    equal(
      text(finding(), [
        kernel([row(less)], { totals: { [counters.samples]: 1000, [counters.instructions]: 10 } }),
      ]).replace(/^(.*profile with --set full).*/, '$1'),
      'Not measured: the report has no sectors; profile with --set full',
    );
    equal(
      text(finding({ function: { name: 'helper', kernel: false } }), [kernel([])]),
      'Not measured: no kernel in ado.ncu-rep has an instruction on this line.',
    );
  });

  it('follows a line to where it was profiled', () => {
    const moved: EvidenceSource = { file: '/a/ado.cu', lineOf: (line) => (line === 10 ? 7 : undefined) };
    equal(join(finding(), [kernel([row(counted(), 7)])], { sources: [moved] })!.state, 'confirmed');
  });

  it('refutes nothing in a function whose code has changed: the padding of a tile that was taken away again', () => {
    const then = [
      '__global__ void stage1() {',
      '  __shared__ float tile[32][33];',
      '  // one',
      '  use(tile);',
      '}',
    ].join('\n');
    const good = kernel([row(counted({ [counters.sectors]: 134_217_728 }), 4)]);
    const state = (now: string, line: number) => {
      const { lineNow } = carryLines(now, then);
      const range = {
        start: { line: now.split('\n').findIndex((text) => text.startsWith('__global__')), character: 0 },
        end: { line: now.split('\n').indexOf('}'), character: 1 },
      };
      const at = { start: { line: line - 1, character: 0 }, end: { line: line - 1, character: 1 } };
      return join(finding({ range: at, function: { name: 'stage1', kernel: true, range } }), [good], {
        sources: [{ file: '/a/ado.cu', lineOf: lineNow, changedWithin: codeChanges(now, then, lineNow) }],
      })!;
    };
    equal(state(then, 4).state, 'refuted');
    equal(state(then.replace('// one', '// two\n\n'), 6).state, 'refuted');
    equal(state(`int before;\n${then}\nint behind;`, 5).state, 'refuted');
    equal(
      state(then.replace('33', '32'), 4).text,
      'Not measured: stage1 has changed since it was profiled; ado.ncu-rep has no figures for it.',
    );
    equal(state(then.replace('  __shared__ float tile[32][33];\n', ''), 3).state, 'unmeasured');
    equal(state(then.replace('  use', '  more();\n  use'), 5).state, 'unmeasured');
  });

  it('takes the verdict over all kernels, or that of the one that is shown', () => {
    const good = kernel([row(counted({ [counters.sectors]: 134_217_728 }))], {
      name: 'stage2()',
      shortName: 'stage2',
      durationNs: 9000,
    });
    const bad = kernel([row(counted())]);
    const both = join(finding(), [good, bad])!;
    equal(both.state, 'confirmed');
    equal(
      both.text,
      "Confirmed: 8.0× sectors (1.07 G, ideal 134.2 M), 23.0 % of stage1's stall samples, in 1 of 2 kernels (ado.ncu-rep).",
    );
    equal(join(finding(), [good, bad], { shown: 'stage2()' })!.state, 'refuted');
    equal(join(finding(), [good, bad], { shown: 'stage3()' })!.state, 'confirmed');
    const twice = join(finding(), [
      bad,
      kernel([row(counted())], { name: 'other()', shortName: 'other', durationNs: 4000 }),
    ])!;
    match(twice.text, /of other's stall samples, the same in 2 kernels/);
    equal(twice.cost, 0.23 * 6000);
  });

  it('says what part of the time of all kernels lines and kernels take, whichever kernel is shown', () => {
    const bad = kernel([row(counted())]);
    const other = kernel([row(counted())], { name: 'stage2()', shortName: 'stage2', durationNs: 1000 });
    const elsewhere = kernel([], { name: 'stage3()', shortName: 'stage3', durationNs: 7000 });
    const all = [bad, other, elsewhere];
    deepStrictEqual(join(finding(), all)!.gpuShares, { lines: 0.069, kernel: 0.3 });
    deepStrictEqual(join(finding(), all, { shown: 'stage2()' })!.gpuShares, { lines: 0.023, kernel: 0.3 });
    const range = { start: { line: 0, character: 0 }, end: { line: 20, character: 1 } };
    deepStrictEqual(
      join(finding({ function: { name: 'stage1', kernel: true, range } }), all, {
        sources: [{ ...same, changedWithin: () => true }],
      })!.gpuShares,
      { lines: 0.069 },
      'another kernel now',
    );
    deepStrictEqual(join(finding({ function: { name: 'gone', kernel: true } }), [elsewhere])!.gpuShares, undefined);
  });

  it('adds up lines of evidence, and takes the cost from the lines at stake', () => {
    const lines = (from: number, to: number) => [
      { start: { line: from - 1, character: 0 }, end: { line: to - 1, character: 1 } },
    ];
    const spread = finding({ measuredAt: lines(10, 11), atStake: lines(10, 12) });
    const evidence = join(spread, [
      kernel([
        row(counted({ [counters.samples]: 10, [counters.sectors]: 200, [counters.idealSectors]: 100 })),
        row(counted({ [counters.samples]: 20, [counters.sectors]: 400, [counters.idealSectors]: 100 }), 11),
        row(counted({ [counters.samples]: 500 }), 12),
      ]),
    ])!;
    equal(evidence.value, 600);
    equal(evidence.share, 0.53);
  });

  it('divergence: a branch that splits is confirmed, a predicated one refuted, one placed elsewhere neither', () => {
    const { evidence } = registry.find(({ meta }) => meta.id === 'cuda/divergent-branch')!.meta;
    const branch = finding({ rule: 'cuda/divergent-branch', evidence: evidence as RuleEvidence });
    const over = (divergent: number | undefined, threads: number) =>
      join(branch, [
        kernel(
          [
            row({
              [counters.samples]: 100,
              [counters.instructions]: 1000,
              [counters.threadsExecuted]: 1000 * threads,
              ...(divergent === undefined ? {} : { [counters.divergent]: divergent }),
            }),
          ],
          {
            totals: {
              [counters.samples]: 1000,
              [counters.instructions]: 1,
              [counters.threadsExecuted]: 1,
              [counters.divergent]: 0,
            },
          },
        ),
      ])!;
    equal(over(200, 25.6).state, 'confirmed');
    equal(over(0, 32).state, 'refuted');
    // A kernel without any branch has the total alone.
    equal(
      over(undefined, 32).text,
      "Not a problem here: no divergence measured, 32.0 of 32 threads active, 10.0 % of stage1's stall samples (ado.ncu-rep).",
    );
    equal(over(0, 17).state, 'weak');
  });

  it('few samples neither confirm nor refute a sweep', () => {
    const { evidence } = registry.find(({ meta }) => meta.id === 'cuda/shared-sweep-reduction')!.meta;
    const barrier = 'smsp__pcsamp_warps_issue_stalled_barrier';
    const stalls = {
      [barrier]: 0,
      smsp__pcsamp_warps_issue_stalled_short_scoreboard: 0,
      smsp__pcsamp_warps_issue_stalled_mio_throttle: 0,
    };
    const over = (samples: number, waiting: number) =>
      join(finding({ evidence: evidence as RuleEvidence }), [
        kernel([row({ [counters.samples]: samples, [counters.instructions]: 10, ...stalls, [barrier]: waiting })]),
      ])!;
    equal(over(100, 80).state, 'confirmed');
    equal(over(100, 5).state, 'refuted');
    equal(over(8, 8).state, 'weak');
  });

  it('launch shapes are held against the launches with such blocks', () => {
    const { evidence } = registry.find(({ meta }) => meta.id === 'cuda/block-shape')!.meta;
    const shape = finding({
      rule: 'cuda/block-shape',
      evidence: evidence as RuleEvidence,
      data: { kernel: 'saxpy', threads: 48 },
    });
    const saxpy = kernel([], {
      shortName: 'saxpy',
      name: 'saxpy(int)',
      blocks: [
        {
          threads: 48,
          durationNs: 700,
          totals: { [counters.instructions]: 10, [counters.threadsExecuted]: 240, [counters.samples]: 50 },
        },
        { threads: 256, durationNs: 900, totals: { [counters.instructions]: 10, [counters.threadsExecuted]: 320 } },
      ],
    });
    equal(
      join(shape, [saxpy])!.text,
      'Confirmed: 24.0 of 32 threads active in an instruction, in saxpy (ado.ncu-rep).',
    );
    equal(join(shape, [saxpy])!.cost, 700);
    equal(
      join({ ...shape, data: { kernel: 'saxpy', threads: 40 } }, [saxpy])!.text,
      'Not measured: ado.ncu-rep has no launch of saxpy with 40 threads a block.',
    );
    equal(
      join({ ...shape, data: { kernel: 'daxpy', threads: 48 } }, [saxpy])!.text,
      'Not measured: daxpy is not in ado.ncu-rep.',
    );
  });

  it('numbers that cannot be say nothing', () => {
    const text = (change: Record<string, number>) => join(finding(), [kernel([row(counted(change))])])!.text;
    match(text({ [counters.sectors]: NaN }), /^Not measured/);
    match(text({ [counters.sectors]: Infinity }), /^Not measured/);
    for (const samples of [NaN, -5, 1e300])
      match(
        text({ [counters.samples]: samples }),
        /^Confirmed: 8\.0× sectors .*(in stage1|, 0\.0 % of stage1's stall samples|, 100\.0 % of stage1's stall samples) \(ado\.ncu-rep\)\.$/,
      );
    match(text({ [counters.sectors]: 2 ** 63, [counters.idealSectors]: 1 }), /^Confirmed: 9\.223e\+6 T× sectors/);
  });

  it('the time goes with the findings and their own lines, not with the kernels of the report', () => {
    const many = (kernels: number, each: number) =>
      Array.from({ length: kernels }, (_none, at) =>
        kernel(
          Array.from({ length: each }, (_row, line) => row(counted(), at * each + line + 1)),
          { name: `k${at}()`, shortName: `k${at}` },
        ),
      );
    const at = (line: number) => finding({ range: { start: { line, character: 0 }, end: { line, character: 1 } } });
    const findings = Array.from({ length: 2000 }, (_none, index) => at(index * 25));
    const time = (kernels: readonly EvidenceKernel[]): number => {
      const measurement: Measurement = {
        report: 'r',
        kernels,
        sources: [{ file: '/a/ado.cu', lineOf: (line) => line }],
      };
      let least = Infinity;
      for (let turn = 0; turn < 4; turn++) {
        const begun = performance.now();
        equal(joinEvidence(findings, measurement).filter((evidence) => evidence?.state === 'confirmed').length, 2000);
        least = Math.min(least, performance.now() - begun);
      }
      return least;
    };
    const [one, hundreds] = [time(many(1, 50_000)), time(many(500, 100))];
    inTime(hundreds, 8 * one + 50, 'with 500 kernels');
  });

  it('is silent on findings that no counter can tell of', () =>
    equal(join(finding({ evidence: undefined }), [kernel([row(counted())])]), undefined));
});
