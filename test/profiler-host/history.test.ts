/** The history on disk and as tables: series, baselines, changes between sources, and files that are not what they should be. */

import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  changedFiles,
  changeSince,
  isKernelSource,
  unifiedDiff,
  type SourceText,
} from '../../profiler/src/history/change';
import { addOpenedReport } from '../../profiler/src/history/openedReport';
import {
  addStep,
  changeOf,
  commitOf,
  describeStep,
  foldersOfReport,
  readHistory,
  removeStep,
  reportPath,
  setBaseline,
  sourcesOf,
  textsOf,
} from '../../profiler/src/history/stepStore';
import { readSteps } from '../../profiler/src/history/steps';
import type { Step } from '../../profiler/src/history/steps';
import { recordedSources } from '../../profiler/src/lines/sourceMapping';
import { openReport } from '../../profiler/src/report';
import { openFileSource } from '../../profiler/src/transport/fileByteSource';
import { readReportFixture } from '../profiler/support/reportFixtures';
import { markdownSteps, seriesOf, showSteps } from '../../profiler/src/history/table';

type New = Parameters<typeof addStep>[1];
const made = (report: string, times: Record<string, number>, more: Partial<New> = {}): New => ({
  time: '2026-01-02T03:04:05.000Z',
  host: 'gpu',
  device: 'NVIDIA H200',
  report,
  program: '/tmp/warplens.1/bin/bench',
  buildCommand: 'nvcc',
  collectCommand: "'ncu' '--export' 'x'",
  folders: [{ from: '/tmp/warplens.1/src', to: '/home/me' }],
  notes: [],
  kernels: Object.entries(times).map(([shortName, durationNs]) => ({
    name: `${shortName}(float *)`,
    shortName,
    grid: [8, 1, 1],
    block: [64, 1, 1],
    launches: 1,
    durationNs,
    values: {},
  })),
  ...more,
});
const text = (body: string) => [{ path: '/home/me/src/k.cu', text: body }];

describe('the history', () => {
  let store: string;
  beforeEach(() => {
    store = mkdtempSync(join(tmpdir(), 'wl-history-'));
  });
  afterEach(() => rmSync(store, { recursive: true, force: true }));

  it('a step knows what changed since the one before in its series, and keeps its sources once', async () => {
    await addStep(
      store,
      made('a-001.ncu-rep', { k: 4000 }),
      text('// one\n__global__ void k() {\n  a();\n}\n'),
      '/home/me',
    );
    await addStep(store, made('other-001.ncu-rep', { z: 1 }, { program: 'other' }), text('other\n'), '/home/me');
    const second = await addStep(
      store,
      made('a-002.ncu-rep', { k: 1000 }),
      text('// two\n__global__ void k() {\n  b();\n  c();\n}\n'),
      '/home/me',
    );
    assert.deepEqual(
      [second.label, second.number, second.change],
      ['step 1', 2, { since: 0, title: 'b();', files: [{ path: 'src/k.cu', added: 3, removed: 2 }] }],
    );
    const third = await addStep(
      store,
      made('a-003.ncu-rep', { k: 1000 }, { arguments: ['--size', '2'] }),
      await textsOf(store, second),
      '/home/me',
    );
    assert.equal(third.change?.title, 'same sources, arguments --size 2');
    assert.equal(readdirSync(join(store, 'sources')).length, 3);
    const { steps } = await readHistory(store);
    const change = await changeOf(store, steps[2]!, steps);
    assert.equal(change?.before.number, 0);
    assert.equal(
      unifiedDiff(change!.files, '/home/me').split('\n').slice(0, 3).join('\n'),
      '--- a/src/k.cu\n+++ b/src/k.cu\n@@ -1,4 +1,5 @@',
    );
    assert.equal(await changeOf(store, steps[0]!, steps), undefined);
    assert.deepEqual(await foldersOfReport(join(store, 'a-002.ncu-rep')), [
      { from: '/tmp/warplens.1/src', to: '/home/me' },
    ]);
    assert.deepEqual(await foldersOfReport(join(store, 'absent.ncu-rep')), []);
  });

  it('names, words, baseline and removing are kept; a label is not given twice', async () => {
    for (const report of ['a-001.ncu-rep', 'a-002.ncu-rep', 'a-003.ncu-rep']) {
      writeFileSync(join(store, report), 'report');
      await addStep(store, made(report, { k: 1 }), text(report), '/home/me');
    }
    await describeStep(store, 1, { label: ' padded ', remark: 'as the hint says' });
    await setBaseline(store, 1);
    await removeStep(store, 1);
    const after = await readHistory(store);
    assert.deepEqual([after.steps.map(({ label }) => label), after.baselines], [['baseline', 'step 2'], {}]);
    assert.deepEqual(readdirSync(store).sort(), ['a-001.ncu-rep', 'a-003.ncu-rep', 'sources', 'steps.json']);
    assert.equal((await addStep(store, made('a-004.ncu-rep', { k: 1 }), [], '/home/me')).label, 'step 3');
    await describeStep(store, 2, { remark: 'words' });
    await describeStep(store, 2, { remark: '' });
    assert.equal((await readHistory(store)).steps[1]!.remark, undefined);
  });

  it('a report that is not beside the table is neither opened nor deleted', async () => {
    for (const report of ['../a.ncu-rep', '/etc/passwd', 'a.txt', '.ncu-rep/..'])
      assert.equal(reportPath(store, { report }), undefined, report);
    assert.equal(reportPath(store, { report: 'a.ncu-rep' }), join(store, 'a.ncu-rep'));
    const outside = join(store, 'a.ncu-rep');
    const inner = join(store, 'inner');
    mkdirSync(inner);
    writeFileSync(outside, '');
    await addStep(inner, made('../a.ncu-rep', { k: 1 }), [], '/');
    await removeStep(inner, 0);
    assert.ok(readdirSync(store).includes('a.ncu-rep'));
  });

  it('steps that come at the same time all stay, each with its number', async () => {
    await Promise.all(
      [0, 1, 2, 3, 4, 5].map((at) =>
        addStep(store, made(`a-00${at}.ncu-rep`, { k: 4000 - at }), text(`${at}\n`), '/home/me'),
      ),
    );
    await Promise.all([describeStep(store, 2, { remark: 'two' }), setBaseline(store, 3), removeStep(store, 4)]);
    const { steps, baselines } = await readHistory(store);
    assert.deepEqual(
      steps.map(({ number }) => number),
      [0, 1, 2, 3, 5],
    );
    assert.equal(new Set(steps.map(({ label }) => label)).size, 5);
    assert.deepEqual([steps[2]!.remark, Object.values(baselines)], ['two', [3]]);
    assert.deepEqual(readdirSync(store).sort(), ['sources', 'steps.json']);
  });

  it('a lock left by a dead process does not block others', async () => {
    const lock = join(store, 'steps.json.lock');
    writeFileSync(lock, '');
    utimesSync(lock, new Date(0), new Date(0));
    await addStep(store, made('a-001.ncu-rep', { k: 1 }), text('one\n'), '/home/me');
    assert.equal((await readHistory(store)).steps.length, 1);
    assert.deepEqual(readdirSync(store).sort(), ['sources', 'steps.json']);
  });

  it('times and commands that are none are left out: the tables are made, and a step follows', async () => {
    const kernel = (durationNs: unknown) => ({
      name: 'k',
      shortName: 'k',
      grid: [1, 1, 1],
      block: [1, 1, 1],
      launches: 1,
      durationNs,
    });
    const steps = ['5', null, -4, Number.POSITIVE_INFINITY].map((durationNs, number) => ({
      number,
      label: 'a | b\n# c',
      time: 'never',
      report: 'a.ncu-rep',
      host: { no: 'text' },
      device: 7,
      buildCommand: 7,
      program: 'bench',
      kernels: [kernel(durationNs)],
    }));
    writeFileSync(join(store, 'steps.json'), JSON.stringify({ version: 1, steps }));
    await addStep(store, made('a-001.ncu-rep', { k: 4000 }), text('one\n'), '/home/me');
    const read = await readHistory(store);
    assert.equal(read.broken, false);
    assert.match(showSteps(read.steps), /4 µs/);
    const table = markdownSteps(read.steps, read.baselines)
      .split('\n')
      .filter((line) => line.startsWith('|'));
    assert.equal(table.length, 7);
    assert.doesNotMatch(table.join('\n'), /NaN|Infinity|undefined|-4|\[object/);
  });

  it('fields that are not as they should be are left out, the row stays', () => {
    const step = {
      ...made('a.ncu-rep', { k: 1 }),
      number: 0,
      label: 'baseline',
      change: { since: 'x' },
      commit: 7,
      arguments: [1],
      sources: [{ path: 'k.cu', sha256: '../../x' }],
      folders: 'none',
      notes: undefined,
      program: null,
    };
    const { steps, broken, baselines } = readSteps(
      JSON.stringify({ version: 1, steps: [step], baselines: { bench: 'first' } }),
    );
    assert.deepEqual([broken, baselines], [false, undefined]);
    const [read] = steps;
    assert.deepEqual(
      [read!.change, read!.commit, read!.arguments, read!.sources, read!.folders, read!.notes, read!.program],
      [undefined, undefined, undefined, [], [], [], ''],
    );
  });

  it('sources of a program: files with their includes; in a folder of a build what looks like a source', async () => {
    mkdirSync(join(store, 'include'));
    mkdirSync(join(store, '.hidden'));
    for (const [name, body] of [
      ['k.cu', '#include "k.cuh"\n#include <deep.h>\n'],
      ['k.cuh', ''],
      ['include/deep.h', ''],
      ['notes.txt', ''],
      ['.hidden/x.cu', ''],
      ['binary.cu', 'a\0b'],
    ])
      writeFileSync(join(store, name!), body!);
    const names = async (build: Parameters<typeof sourcesOf>[0]) =>
      (await sourcesOf(build)).map(({ path }) => path.slice(store.length + 1)).sort();
    assert.deepEqual(await names({ files: [join(store, 'k.cu')], flags: ['-Iinclude'], folder: store }), [
      'include/deep.h',
      'k.cu',
      'k.cuh',
    ]);
    assert.deepEqual(await names({ files: [], flags: [], folder: store, command: 'make' }), [
      'include/deep.h',
      'k.cu',
      'k.cuh',
    ]);
    assert.equal(await commitOf(store, []), undefined, 'no repository, no commit');
  });

  it('opened reports of one program are a series, whatever their files are called', async () => {
    const opened = async (name: string) => {
      const path = join(__dirname, '..', '..', 'samples', 'profiles', `${name}.ncu-rep`);
      const file = await openFileSource(path);
      const sources = await openReport(file).then(recordedSources);
      await file.close();
      const texts = [...sources.values()].flatMap(({ path: of, text: body }) =>
        body === undefined ? [] : [{ path: of, text: body }],
      );
      const step = await addOpenedReport(store, path, texts.sort(byKernels), '/home/user');
      return step && `${step.series}: ${step.label}`;
    };
    const byKernels = (a: SourceText, b: SourceText) => Number(isKernelSource(b)) - Number(isKernelSource(a));
    for (const [names, series] of [
      [['double-literal'], 'double-literal.cu'],
      [['parity-branch'], 'parity-branch.cu'],
      [['bias-then-silu', 'bias-then-silu.fixed'], 'bias-then-silu.cu'],
      [['constants', 'constants.fixed'], 'constants.cu'],
      [['indirect'], 'indirect.cu'],
      [['2-coalesced', '3-shuffle', '1-row-per-thread'], 'problem.cuh'],
      [['atomics.fixed', 'atomics'], 'atomics.fixed.cu'],
    ] as const)
      for (const [at, name] of names.entries())
        assert.equal(await opened(name), `${series}: ${at === 0 ? 'baseline' : `step ${at}`}`);
    assert.equal(await opened('indirect'), undefined);
    const { steps } = await readHistory(store);
    assert.ok(steps.every((step) => existsSync(reportPath(store, step)!)));
    const sources = [{ path: '/elsewhere/indirect.cu', text: '__global__ void gather() {}\n' }];
    const report = join(store, '..', 'opened.ncu-rep');
    writeFileSync(report, readReportFixture('patterns-full'));
    const other = await addOpenedReport(store, report, sources, '/elsewhere').finally(() => rmSync(report));
    assert.equal(other!.series, 'indirect.cu (2)');
  });
});

describe('the change between sources', () => {
  it('files are paired by path, a moved project by names; kernels come first', () => {
    const before = [
      { path: '/a/host.cpp', text: 'x' },
      { path: '/a/k.cu', text: '__global__ void k() {}' },
      { path: '/a/gone.h', text: 'old\n' },
    ];
    const after = [
      { path: '/b/host.cpp', text: 'y' },
      { path: '/b/k.cu', text: '__global__ void k() { }' },
      { path: '/b/new.h', text: 'new\n' },
    ];
    assert.deepEqual(
      changedFiles(before, after).map(({ path, before: old, after: now, added, removed }) => [
        path,
        old?.path,
        now?.path,
        added,
        removed,
      ]),
      [
        ['/b/k.cu', '/a/k.cu', '/b/k.cu', 1, 1],
        ['/a/gone.h', '/a/gone.h', undefined, 0, 1],
        ['/b/host.cpp', '/a/host.cpp', '/b/host.cpp', 1, 1],
        ['/b/new.h', undefined, '/b/new.h', 1, 0],
      ],
    );
    assert.deepEqual(changedFiles(text('a\r\nb\r\n'), text('a\nb\n')), []);
  });
  it('is described by a commit, a telling line, or other differences', () => {
    const step = made('r', {});
    const old = { ...step, number: 3 };
    const title = (before: string, after: string, now: Partial<New> = {}) =>
      changeSince(
        { ...old, commit: now.commit && { id: 'a', subject: '', clean: true } },
        { ...step, ...now },
        changedFiles(text(before), text(after)),
        '/home/me',
      ).title;
    assert.equal(title('x\n', '// y\n\n  {\n  int z;\nx\n'), 'int z;');
    assert.equal(title('int z;\nx\n', 'x\n'), 'without int z;');
    assert.equal(title('// a\nx\n', '// b\nx\n'), 'comments and white space only');
    assert.equal(title('a\n', 'b\n', { commit: { id: 'b', subject: 'Pad the tile', clean: true } }), 'Pad the tile');
    assert.equal(title('a\n', 'b\n', { commit: { id: 'b', subject: 'Pad the tile', clean: false } }), 'b');
    assert.equal(title('a', 'a', { device: 'NVIDIA A100' }), 'same sources, on NVIDIA A100');
    assert.equal(
      title('a', 'a', { buildCommand: "'nvcc' '-o' '/tmp/warplens.77/bin/x'" }),
      'same sources, another build command',
    );
    assert.equal(title('a', 'a'), 'same sources');
  });
});

describe('the tables of steps', () => {
  const step = (number: number, times: Record<string, number>, more: Partial<Step> = {}): Step => ({
    ...made(`a-${number}.ncu-rep`, times),
    number,
    label: number === 0 ? 'baseline' : `step ${number}`,
    sources: [],
    ...more,
  });

  it('programs stand apart, and only sums of the same choice of kernels are compared', () => {
    const [bench, other] = seriesOf([
      step(0, { k: 4000, l: 1000 }),
      step(1, { k: 2000 }, { collectCommand: "'ncu' '--kernel-name' 'k'" }),
      step(2, { m: 500 }),
      step(3, { z: 7 }, { program: 'other' }),
    ]);
    assert.deepEqual([bench!.name, bench!.kernels, other!.name], ['bench', ['k', 'l', 'm'], 'other']);
    assert.deepEqual(
      bench!.rows.map(({ total, times }) => [total, times.get('k')]),
      [
        [{ durationNs: 5000 }, { durationNs: 4000 }],
        [{ durationNs: 2000 }, { durationNs: 2000, gain: 2 }],
        [{ durationNs: 500, gain: 10 }, undefined],
      ],
    );
    assert.match(
      showSteps([step(0, { k: 1 }), step(1, { k: 2 }, { series: 'named' })]),
      /^bench\nstep .*\nbaseline .*\n\nnamed\nstep /,
    );
  });

  it('another baseline turns the gains round', () => {
    const rows = seriesOf([step(0, { k: 4000 }), step(1, { k: 2000 })], { bench: 1 })[0]!.rows;
    assert.deepEqual(
      rows.map(({ isBaseline, times }) => [isBaseline, times.get('k')!.gain]),
      [
        [false, 0.5],
        [true, undefined],
      ],
    );
    assert.deepEqual(
      seriesOf([step(0, { k: 1 })], { bench: 99 })[0]!.rows.map(({ isBaseline }) => isBaseline),
      [true],
      'a baseline that is gone',
    );
  });

  it('Markdown holds what came from files as text', () => {
    const markdown = markdownSteps(
      [
        step(0, { 'k<a|b>': 2e6 }),
        step(1, { 'k<a|b>': 1e6 }, { label: 'a | b', remark: '<img src=x> [x](http://x) ', device: 'GPU *1*' }),
        step(2, { 'k<a|b>': 2.02e6 }, { change: { since: 1, title: 'x[`i`] = `y|z`;', files: [] } }),
      ],
      {},
      (one) => (one.number === 2 ? '+```\n+x' : ''),
    );
    assert.equal(markdown.replaceAll('\u00a0', ' '), readFileSync(join(__dirname, 'markdownSteps.md'), 'utf8'));
    assert.equal(markdownSteps([]), 'No steps yet.\n');
  });
});
