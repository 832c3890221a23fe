// What the judge of agents' answers counts, on answers and times of our own.
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { LineCounts } from '../severity/counters';
import { type Answer, judgementOf, measurementOf, namedBy, readAnswer, readRuns, type Run, tableOf } from './judge';
import { taskText } from './task';
import { isControl, type Spot, spotsIn, type Truth } from './truth';

const spot = (line: number, to = line): Spot => ({
  space: 'global',
  file: 'main.cu',
  line,
  from: line,
  to,
  ratio: 8,
  part: 0.9,
});
const truth: Truth = {
  id: '01',
  program: 'o/n:src/a',
  repo: 'o/n',
  commit: 'c',
  gpu: 'g',
  build: 'make',
  command: './main',
  control: false,
  worst: [spot(10, 11)],
  bad: [spot(10, 11), spot(20)],
};
const control: Truth = { ...truth, id: '02', control: true, worst: [], bad: [] };
const answer = (line: string | null, changed = true): Answer => ({ line, why: '', changed });
const runsOf = (form: Run['form'], ns: readonly number[], output = 'PASS\n', program = '01'): Run[] =>
  ns.map((each) => ({ program, form, status: 0, ns: each, launches: 3, output }));
const original = runsOf('original', [1000, 1001, 1002]);

describe('answers of agents', () => {
  it('name the worst line within its statement', () => {
    const cases: [string | null, string][] = [
      ['main.cu:10', 'worst'],
      ['./main.cu:11', 'worst'],
      ['main.cu:12', 'other'],
      ['main.cu:20', 'bad'],
      ['other.cu:10', 'other'],
      ['the loop', 'other'],
      [null, 'nothing'],
    ];
    for (const [line, named] of cases) strictEqual(namedBy(answer(line), truth), named, String(line));
    strictEqual(namedBy(undefined, truth), 'no answer');
  });

  const measured: [string, readonly Run[], string, boolean][] = [
    ['a faster form with the same output', runsOf('mcp', [500, 501, 502]), 'faster', true],
    ['other output', runsOf('mcp', [500, 501, 502], 'FAIL\n'), 'output-differs', false],
    ['a difference within the spread', runsOf('mcp', [998, 1001, 1000]), 'no-gain', false],
    ['a slower form', runsOf('mcp', [2000, 2001, 2002]), 'slower', false],
    ['a form that fails', runsOf('mcp', [500, 501, 502]).map((run) => ({ ...run, status: 139 })), 'fails', false],
    ['a form that does not build', [{ ...original[0]!, form: 'mcp', status: 'build' }], 'does-not-build', false],
    ['no runs', [], 'not run', false],
  ];
  for (const [name, after, kind, confirmed] of measured)
    it(`measures ${name}: ${kind}`, () => {
      const said = measurementOf(original, after);
      deepStrictEqual([said.kind, said.confirmed], [kind, confirmed]);
    });

  it('confirms nothing where the unchanged program fails as the changed one does', () => {
    const failing = (runs: readonly Run[]): Run[] => runs.map((run) => ({ ...run, status: 1 }));
    strictEqual(measurementOf(failing(original), failing(runsOf('mcp', [500, 501, 502]))).kind, 'not run');
  });

  it('lets a printed number differ by rounding, and no more', () => {
    const before = runsOf('original', [1000, 1001, 1002], 'checksum 1.00000\n');
    const after = (output: string): boolean => measurementOf(before, runsOf('mcp', [500, 501, 502], output)).confirmed;
    deepStrictEqual([after('checksum 1.00001\n'), after('checksum 1.01000\n')], [true, false]);
  });

  it('confirms nothing where a program prints nothing to compare', () => {
    const silent = (runs: readonly Run[]): Run[] => runs.map((run) => ({ ...run, output: 'time 3 ms\n' }));
    strictEqual(measurementOf(silent(original), silent(runsOf('mcp', [500, 501, 502]))).confirmed, false);
  });

  it('is right with the worst line and a confirmed fix, and with a control that is not made worse', () => {
    const faster = [...original, ...runsOf('text', [500, 501, 502])];
    const right = (...asked: Parameters<typeof judgementOf>): boolean => judgementOf(...asked).right;
    strictEqual(right(truth, 'text', answer('main.cu:10'), faster), true);
    strictEqual(right(truth, 'text', answer('main.cu:20'), faster), false);
    strictEqual(right(truth, 'text', answer('main.cu:10', false), original), false);
    const base = runsOf('original', [1000, 1001, 1002], 'PASS\n', '02');
    strictEqual(right(control, 'mcp', answer(null, false), base), true);
    strictEqual(right(control, 'mcp', undefined, base), false);
    const slower = runsOf('mcp', [2000, 2001, 2002], 'PASS\n', '02');
    strictEqual(right(control, 'mcp', answer(null), [...base, ...slower]), false);
    strictEqual(judgementOf(control, 'mcp', answer(null), base).kind, 'not run');
  });

  it('shows both arms, and says where the number of launches changed', () => {
    const fused = runsOf('mcp', [500, 501, 502]).map((run) => ({ ...run, launches: 1 }));
    const table = tableOf([
      judgementOf(truth, 'text', answer('main.cu:20', false), original),
      judgementOf(truth, 'mcp', answer('main.cu:10'), [...original, ...fused]),
    ]);
    match(table, /01 o\/n:src\/a \| mcp \| worst \| faster 2\.00× \(launches 3 → 1\) \| yes \| right \|/);
    match(table, /worst line named and fix confirmed \| 0 of 1 \| 1 of 1 \|/);
    match(table, /geometric mean of the confirmed gains, others 1 \| 1\.00× \| 2\.00× \|/);
  });
});

describe('truth and tasks for agents', () => {
  const row: LineCounts = { program: 'p', file: 'src/a/main.cu', line: 2, kernels: [0], samples: 90 };
  const programOf = (...lines: LineCounts[]): Parameters<typeof isControl>[0] => ({
    id: 'p',
    repo: 'o/n',
    path: 'src/a',
    set: 'open',
    lines,
    kernels: [],
  });
  const wasteful = { ...row, l2Sectors: 800, l2SectorsIdeal: 100 };
  it('takes as controls only programs with accesses and without excess', () => {
    strictEqual(isControl(programOf({ ...row, l2Sectors: 104, l2SectorsIdeal: 100 })), true);
    strictEqual(isControl(programOf({ ...row, l2Sectors: 110, l2SectorsIdeal: 100 })), false);
    strictEqual(isControl(programOf({ ...row, wfShared: 200, wfSharedIdeal: 100 })), false);
    strictEqual(isControl(programOf(row)), false);
  });
  it('finds the statement of the worst lines, equal ones together, in the folder of the program', () => {
    const root = mkdtempSync(join(tmpdir(), 'agents-'));
    try {
      mkdirSync(join(root, 'src/a'), { recursive: true });
      writeFileSync(join(root, 'src/a/main.cu'), 'int a;\nb =\n  c;\nd = e;\nf = g;\n');
      const { worst, bad } = spotsIn(
        programOf(wasteful, { ...wasteful, line: 4, l2Sectors: 801 }, { ...wasteful, line: 5, l2Sectors: 400 }),
        root,
      )!;
      deepStrictEqual(
        worst.map(({ file, from, to }) => [file, from, to]),
        [
          ['main.cu', 2, 3],
          ['main.cu', 4, 4],
        ],
      );
      strictEqual(bad.length, 3);
      strictEqual(spotsIn(programOf({ ...wasteful, file: 'src/b.h' }), root), undefined);
      strictEqual(spotsIn(programOf({ ...wasteful, line: 6 }), root), undefined);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
  it('differs between the arms by the paragraph on the server alone', () => {
    const [text, mcp] = [taskText('01', truth, 'text'), taskText('01', truth, 'mcp')];
    const others = mcp.replace(/\nThe folder `server`[\s\S]*?\n(?=\n1\.)/, '');
    strictEqual(others, text);
    match(mcp, /server/);
  });
});

describe('lab/agents/run.sh', () => {
  it('builds the forms, lays changed files over the original, and writes what the judge reads', function () {
    this.timeout(60_000);
    const kits = mkdtempSync(join(tmpdir(), 'agents-'));
    const write = (path: string, text: string): string => {
      const whole = join(kits, path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, text);
      return whole;
    };
    try {
      write('plan.tsv', '01\tsh make.sh\t./main 7\n');
      write('original/01/make.sh', 'cp main.txt main && chmod +x main\n');
      write('original/01/main.txt', '#!/bin/sh\necho PASS $1\n');
      write('mcp/answer/01/main.txt', '#!/bin/sh\necho changed $1\n');
      write('mcp/answer/01/answer.json', JSON.stringify(answer('main.txt:2')));
      write('text/answer/01/answer.json', '{"line": 3}');
      // A profiler of two launches; no compiler for the injected one.
      const ncu = String.raw`while [ "$1" != sh ]; do [ "$1" = --log-file ] && log=$2; shift; done
printf '"0","k","gpu__time_duration.sum","ns","1,500"\n"1","k","gpu__time_duration.sum","ns","500"\n' >"$log"
exec "$@"`;
      for (const [name, text] of [
        ['ncu', ncu],
        ['g++', 'exit 1'],
      ] as const)
        chmodSync(write(`bin/${name}`, `#!/bin/bash\n${text}\n`), 0o755);
      const OUT = join(kits, 'results');
      execFileSync(join(__dirname, 'run.sh'), [kits], {
        env: { ...process.env, OUT, PATH: `${kits}/bin:${process.env.PATH}`, RUNS: '2' },
      });
      const run = { program: '01', status: 0, ns: 2000, launches: 2 };
      const [before, after] = [
        { ...run, form: 'original' as const, output: 'PASS 7\n' },
        { ...run, form: 'mcp' as const, output: 'changed 7\n' },
      ];
      deepStrictEqual(readRuns(OUT), [before, after, before, after]);
      deepStrictEqual(readAnswer(join(kits, 'mcp/answer/01/answer.json')), answer('main.txt:2'));
      strictEqual(readAnswer(join(kits, 'text/answer/01/answer.json')), undefined);
    } finally {
      rmSync(kits, { recursive: true });
    }
  });
});
