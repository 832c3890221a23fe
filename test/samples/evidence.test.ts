// Every planted problem that a counter shows, compared with the report of its program on an H200.
import { deepStrictEqual, equal, ok } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstReason, type marksOf, marksOfAll } from '../../profiler/src/overlay/marks';
import { joinEvidence, type EvidenceSource } from '../../profiler/src/evidence/joinEvidence';
import { measuredSeverity } from '../../profiler/src/evidence/measuredSeverity';
import { carryLines } from '../../profiler/src/lines/carryOver';
import { registry } from '../../server/src/rules/registry';
import { findingsOf, readReport } from '../profiler/evidenceOf';
import { readSampleFiles, samplesFolder } from '../support/sampleFiles';
import recorded from './evidence.json';
import planted from './expected.json';
import plantedAcc from './openacc.json';

const table = recorded as Readonly<
  Record<string, { readonly sample: string; readonly evidence: Readonly<Record<string, string>> }>
>;
type Planted = Readonly<
  Record<string, readonly { readonly line: string; readonly rule: string; readonly message: string }[]>
>;
const problems: Planted = {
  ...planted,
  ...Object.fromEntries(Object.entries(plantedAcc).map(([sample, list]) => [`openacc/${sample}`, list])),
};

const files = readSampleFiles(/\.(?:cuh?|c|h|f90|inc)$/);

async function profileOf(name: string) {
  const path = join(samplesFolder, table[name]!.sample);
  const text = files.get(path)!;
  const { kernels, files: profiled } = await readReport(
    new Uint8Array(readFileSync(join(samplesFolder, 'profiles', `${name}.ncu-rep`))),
  );
  const [file, before] = [...profiled].find(([compiled]) => compiled.endsWith(`/${table[name]!.sample}`))!;
  const { lineNow, unchanged } = carryLines(text, before);
  const sources: EvidenceSource[] = [{ file, lineOf: lineNow }];
  return { path, lines: text.split('\n'), kernels, sources, unchanged, file };
}

describe('recorded profiles of the samples', function () {
  this.timeout(20_000);

  it('are all in the table', () => {
    deepStrictEqual(
      Object.keys(table),
      readdirSync(join(samplesFolder, 'profiles'))
        .filter((name) => name.endsWith('.ncu-rep'))
        .map((name) => name.slice(0, -'.ncu-rep'.length))
        .sort(),
    );
  });

  it('hold every planted problem that a counter can tell of', () => {
    const told = Object.values(table).flatMap(({ sample, evidence }) =>
      Object.keys(evidence).map((key) => ({
        sample,
        rule: key.split(' ', 1)[0]!,
        line: key.slice(key.indexOf(' ') + 1),
      })),
    );
    // Of OpenACC the table of problems has whole lines, of CUDA the patterns that this one has.
    const isTold = (of: string, by: string, text: string): boolean =>
      told.some(
        ({ sample, rule, line }) => sample === of && rule === by && (line === text || new RegExp(line).test(text)),
      );
    const missing = Object.entries(problems).flatMap(([sample, list]) =>
      list
        .filter(({ rule, message }) => {
          const evidence = registry.find(({ meta }) => meta.id === rule)?.meta.evidence;
          return evidence && (!evidence.messages || (evidence.messages as readonly string[]).includes(message));
        })
        .filter(({ rule, line }) => !isTold(sample, rule, line))
        .map(({ rule }) => `${sample} ${rule}`),
    );
    const solver = 'openacc/conjugate-gradient';
    deepStrictEqual(missing, [
      'tail/partial-warp.cu cuda/block-shape',
      // Not recorded in Fortran what was in C, nor what GCC does not build.
      `${solver}/1-naive.f90 acc/missing-mapping`,
      `${solver}/2-data-region.f90 acc/vector-length`,
      `${solver}/kernels-1-compiler-chooses.c acc/vector-length`,
      `${solver}/kernels-1-compiler-chooses.f90 acc/vector-length`,
      `${solver}/kernels-2-vector-32.c acc/missing-workers`,
      `${solver}/kernels-2-vector-32.f90 acc/missing-workers`,
      'openacc/stencil/1-naive.c acc/uncoalesced-vector',
      'openacc/stencil/1-naive.f90 acc/uncoalesced-vector',
    ]);
  });

  for (const [name, { sample, evidence }] of Object.entries(table)) {
    it(`${name}: ${Object.values(evidence).join(', ') || 'nothing to confirm'}`, async () => {
      const { path, lines, kernels, sources, unchanged } = await profileOf(name);
      ok(unchanged, `${sample} is not what was profiled: record it again`);
      const findings = await findingsOf(path, files);
      const joined = joinEvidence(findings, { report: `${name}.ncu-rep`, kernels, sources });
      const said = new Map<string, string>();
      findings.forEach(({ rule, range }, at) => {
        const verdict = joined[at];
        if (!verdict) return;
        const key =
          Object.keys(evidence).find(
            (one) =>
              one.startsWith(`${rule} `) && new RegExp(one.slice(rule.length + 1)).test(lines[range.start.line]!),
          ) ?? `${rule} in line ${range.start.line + 1}`;
        said.set(key, verdict.state);
        if (verdict.state === 'confirmed') ok(verdict.cost > 0, `${verdict.text} costs something`);
      });
      deepStrictEqual(Object.fromEntries(said), evidence);
    });
  }
});

describe('severities by the recorded profiles', function () {
  this.timeout(20_000);
  for (const [name, wanted] of [
    ['indirect', ["cuda/uncoalesced-access hint → warning Warning, as measured: 94.0 % of the GPU's time."]],
    ['parity-branch', []],
    ['double-literal', ["cuda/double-in-float hint → warning Warning, as measured: 98.1 % of the GPU's time."]],
    ['unpadded-tile', []],
  ] as const)
    it(`${name}: ${wanted.join(', ') || 'as predicted'}`, async () => {
      const { path, kernels, sources } = await profileOf(name);
      const findings = await findingsOf(path, files);
      const joined = joinEvidence(findings, { report: name, kernels, sources });
      const changed = findings.flatMap((finding, at) => {
        const shown = joined[at] && measuredSeverity(finding, joined[at]);
        if (!shown || shown.severity === finding.severity) return [];
        return [[finding.rule, finding.severity, '→', shown.severity, shown.why].filter(Boolean).join(' ')];
      });
      deepStrictEqual(changed, wanted);
    });
});

describe('profiles of fixed operations', function () {
  this.timeout(20_000);
  // What would be reported if the finding were still there: the line is at its place, and does something else.
  for (const [sample, fixed, lineOf] of [
    ['operations/constants.cu', 'constants.fixed', (line: number) => line],
    ['operations/atomics.cu', 'atomics.fixed', (line: number) => ({ 7: 11, 9: 16 })[line] ?? line + 2],
  ] as const)
    it(`${fixed} refutes what ${sample} is said to do`, async () => {
      const findings = await findingsOf(join(samplesFolder, sample), files);
      const { kernels, file } = await profileOf(fixed);
      const [verdict] = joinEvidence(findings, { report: fixed, kernels, sources: [{ file, lineOf }] });
      equal(verdict!.state, 'refuted', verdict!.text);
    });
});

describe('walks over recorded profiles', function () {
  this.timeout(20_000);
  const hottest = async (name: string, metric: Parameters<typeof marksOf>[1] = 'samples') => {
    const { kernels, file, lines } = await profileOf(name);
    // The kernel of the walk is the one of the sample's own file: filling the arrays is not part of it.
    return marksOfAll(kernels, metric)
      .filter(({ line }) => line.file === file)
      .map(({ line, words, figure, level }) => ({
        line: line.line,
        text: lines[line.line - 1]!.trim(),
        reason: firstReason(line.values),
        words,
        figure,
        level,
      }));
  };

  it('analysis-driven optimisation: the strided load leads, then the sweep waits at its barrier, then the loads for memory', async () => {
    const first = await hottest('1-row-per-thread');
    const load = first[0]!;
    ok(load.text.startsWith('sum += input'));
    equal(load.level, 'flagged');
    equal(load.words[0], '8.0× sectors');
    deepStrictEqual(
      (await hottest('1-row-per-thread', 'sectors')).map(({ text }) => text),
      [load.text],
      'and the only line above its ideal',
    );

    const [sweep] = await hottest('2-coalesced');
    equal(sweep!.text, 'if (t < s) products[t] += products[t + s];');
    equal(sweep!.reason, 'barrier');
    ok(Number.parseFloat(sweep!.figure) > 40);
    deepStrictEqual(await hottest('2-coalesced', 'sectors'), [], 'the load is coalesced now');

    const loads = (await hottest('3-shuffle')).slice(0, 2);
    ok(loads[0]!.text.startsWith('sum += input'));
    deepStrictEqual(
      loads.map(({ text }) => text.split(' = ')[0]!.split('[')[0]).sort(),
      ['float product', 'sum += input'],
      'the two loads from global memory',
    );
    ok(loads.every(({ reason }) => reason === 'long scoreboard'));
  });

  it('bank conflicts: the float4 loads of one tile are lit with twice their wavefronts, and no more after the fix', async () => {
    const lit = await hottest('register-tiled', 'wavefronts');
    deepStrictEqual(
      lit.map(({ text, figure }) => `${figure} ${text.slice(0, 15)}`),
      ['2.0× const float4 b0', '2.0× const float4 b1'],
    );
    ok(lit.every(({ words }) => words.at(-1) === '33.6 M, ideal 16.8 M'));
    deepStrictEqual(await hottest('register-tiled.fixed', 'wavefronts'), []);
  });
});
