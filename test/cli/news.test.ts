// What `check` leaves out on request: by --baseline, by --since, and all but the costliest by --top.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { byCost, heaviestOf } from '../../cli/src/order';
import { hunksOf } from '../../cli/src/since';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { runCommand, writeFiles, type Said } from '../support/commandLine';

interface JsonFinding {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly severity: string;
  readonly share?: number;
  readonly kernel?: string;
  readonly markOf?: { readonly line: number };
  readonly related: readonly { readonly line: number; readonly text: string }[];
}

const kernel = (name: string, ...statements: string[]): string =>
  [
    `__global__ void ${name}(float *a, const float *b, float *c) {`,
    // What reads nothing gives memory its first values, which is not a warning.
    '  int i = blockIdx.x * blockDim.x + threadIdx.x + (int)b[0];',
    ...statements.map((statement) => `  ${statement}`),
    '}',
    `void go_${name}(float *p) { ${name}<<<6400, 256>>>(p, p, p); }`,
    '',
  ].join('\n');

describe('check: what is new and what costs', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'warplens-news-')));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (files: Parameters<typeof writeFiles>[1]): void => writeFiles(folder, files);
  const warplens = (...args: string[]): Promise<Said> => runCommand(...args, '--no-cache');
  async function found(...args: string[]): Promise<readonly JsonFinding[]> {
    const { out } = await warplens('check', folder, '--format', 'json', ...args);
    return (JSON.parse(out) as { findings: readonly JsonFinding[] }).findings;
  }
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      encoding: 'utf8',
    });
  const baseline = (): string => join(folder, 'known.json');
  const isNew = async (): Promise<string[]> =>
    (await found('--baseline', baseline())).map(
      ({ line, severity, markOf }) => `${line} ${severity}${markOf ? ' mark' : ''}`,
    );

  describe('order', () => {
    it('prints the costliest first over all files, with shares; --top keeps so many', async () => {
      write({
        'a.cu': kernel('small', 'a[i] = b[i] + b[i + 1];', 'c[i * 8] = 0;').replace('6400', '640'),
        'b.cu': kernel('large', 'a[i * 16] = 1;', 'c[i * 4] = 0;'),
      });
      const all = await found();
      const shares = all.map(({ kernel: name, share }) => `${name} ${share!.toFixed(2)}`);
      deepStrictEqual(shares, ['large 0.65', 'large 0.33', 'small 0.70']);
      const { out, err } = await warplens('check', folder, '--top', '1');
      strictEqual(out.split('\n').filter((line) => line.includes('[cuda/')).length, 1);
      match(out, /b\.cu:3:3: warning: Uncoalesced write to `a`: 8\.0× sectors, 65 % of this kernel's traffic\./);
      match(err, /Showing the 1 most expensive; --top 3 shows all\./);
      strictEqual((await found('--top', '2')).length, 2);
      strictEqual((await warplens('check', folder, '--top', '0')).code, 2);
    });

    it('tells what a header does once: in the header, and at the call where the header is not checked', async () => {
      write({
        'scale.cuh': '#pragma once\n__device__ inline void scale(float *a, int i) { a[i * 8] = 2; }\n',
        'a.cu': `#include "scale.cuh"\n${kernel('one', 'scale(a, i);')}`,
        'b.cu': `#include "scale.cuh"\n${kernel('two', 'scale(a, i);')}`,
      });
      const places = (all: readonly JsonFinding[]): string[] =>
        all.map(({ file, line }) => `${file.split('/').pop()}:${line}`).sort();
      deepStrictEqual(places(await found()), ['scale.cuh:2']);
      const { out } = await warplens('check', join(folder, 'a.cu'), '--format', 'json');
      deepStrictEqual(places((JSON.parse(out) as { findings: readonly JsonFinding[] }).findings), ['a.cu:4']);
    });

    it('lists the other places of a finding with it, and marks them in JSON and not in text', async () => {
      write({ 'a.cu': kernel('k', 'a[i * 8] = 0;', 'a[i * 8 + 1] = 0;', 'a[i * 8 + 2] = 0;') });
      const { out, err } = await warplens('check', folder);
      strictEqual(out.split('\n').filter((line) => line.includes('[cuda/')).length, 1);
      match(out, /note: the same at lines 4, 5/);
      match(err, /^1 finding in 1 of 1 file/);
      const [head, ...marks] = await found();
      deepStrictEqual(
        head!.related.slice(0, 2).map(({ line }) => line),
        [4, 5],
      );
      deepStrictEqual(
        marks.map(({ line, severity, markOf }) => [line, severity, markOf!.line]),
        [
          [4, 'hint', 3],
          [5, 'hint', 3],
        ],
      );
    });

    it('gives SARIF results a rank from 0 to 100 and their places', async () => {
      write({ 'a.cu': kernel('k', 'a[i * 8] = 0;', 'a[i * 8 + 1] = 0;', 'c[i * 16] = b[i];') });
      const { out } = await warplens('check', folder, '--format', 'sarif');
      const { results } = (
        JSON.parse(out) as {
          runs: { results: { rank: number; relatedLocations?: unknown[] }[] }[];
        }
      ).runs[0]!;
      strictEqual(results.length, 2);
      ok(results.every(({ rank }) => rank > 20 && rank < 70));
      ok(results[0]!.rank > results[1]!.rank);
      ok(results[0]!.relatedLocations!.length > results[1]!.relatedLocations!.length);
    });
  });

  describe('quiet paths', () => {
    it('make hints of findings in tests and generated code, but not where such a folder is named', async () => {
      write({
        'tests/a.cu': kernel('k', 'a[i * 8] = 0;'),
        'src/b.cu': kernel('k', 'a[i * 8] = 0;'),
        'src/latest/c.cu': kernel('k', 'a[i * 8] = 0;'),
        'src/mine/d.cu': kernel('k', 'a[i * 8] = 0;'),
      });
      const severities = async (...args: string[]): Promise<string[]> => {
        const { out } = await warplens('check', '--format', 'json', ...args);
        const { findings } = JSON.parse(out) as { findings: readonly JsonFinding[] };
        return findings.map(({ file, severity }) => `${file.split('/').pop()} ${severity}`).sort();
      };
      deepStrictEqual(await severities(folder), ['a.cu hint', 'b.cu warning', 'c.cu warning', 'd.cu warning']);
      deepStrictEqual(await severities(join(folder, 'tests')), ['a.cu warning']);
      deepStrictEqual(await severities(folder, '--quiet-path', 'MIN?,la*st'), [
        'a.cu warning',
        'b.cu warning',
        'c.cu hint',
        'd.cu warning',
      ]);
      deepStrictEqual(await severities(folder, '--quiet-path', 'mine', '--quiet-path', 'b.*'), [
        'a.cu warning',
        'b.cu hint',
        'c.cu warning',
        'd.cu hint',
      ]);
    });
  });

  describe('--baseline', () => {
    it('is written, and leaves out what it holds however the code around moves', async () => {
      write({ 'a.cu': kernel('k', 'a[i * 8] = 0;', 'c[i] = 1;') });
      const made = await warplens('check', folder, '--baseline', baseline(), '--update-baseline');
      strictEqual(made.code, 0);
      match(made.err, /1 finding written/);
      strictEqual((await warplens('check', folder, '--baseline', baseline())).code, 0);
      // Lines above, other lines reformatted, a comment after the line itself, its blanks, the kernel elsewhere.
      for (const text of [
        `\n\n// moved\n${kernel('k', 'a[i * 8] = 0;', 'c[i] = 1;')}`,
        kernel('k', 'a[i*8]  =  0; // why not', 'c[ i ]', '  = 1;'),
        `${kernel('other')}${kernel('k', 'a[i * 8] = 0;', 'c[i] = 1;')}`,
      ]) {
        write({ 'a.cu': text });
        deepStrictEqual(await isNew(), []);
      }
      rmSync(join(folder, 'a.cu'));
      write({ 'sub/b.cu': kernel('k', 'a[i * 8] = 0;') });
      deepStrictEqual(await isNew(), []);
      write({ 'sub/b.cu': kernel('renamed', 'a[i * 8] = 0;') });
      ok((await isNew()).length === 1, 'another function in another file is new');
    });

    it('tells what is new: another line, the same line once more, and the next place of a known finding', async () => {
      write({ 'a.cu': kernel('k', 'a[i * 8] = 0;') });
      await warplens('check', folder, '--baseline', baseline(), '--update-baseline');
      write({ 'a.cu': kernel('k', 'a[i * 8] = 0;', 'c[i * 8] = 0;') });
      deepStrictEqual(await isNew(), ['4 warning']);
      write({ 'a.cu': kernel('k', 'a[i * 8] = 0;', 'c[i] = 0;', 'a[i * 8] = 0;') });
      deepStrictEqual(await isNew(), ['5 warning']);
      write({ 'a.cu': kernel('k', 'a[i * 8] = 0;', 'a[i * 8 + 1] = 0;', 'a[i * 8 + 2] = 0;') });
      deepStrictEqual(await isNew(), ['4 warning', '5 hint mark']);
    });

    it('keeps what it holds of files that were not checked, and forgets files that are gone', async () => {
      write({ 'a.cu': kernel('k', 'a[i * 8] = 0;'), 'b.cu': kernel('l', 'a[i * 8] = 0;') });
      await warplens('check', folder, '--baseline', baseline(), '--update-baseline');
      write({ 'a.cu': kernel('k', 'c[i * 8] = 0;') });
      await warplens('check', join(folder, 'a.cu'), '--baseline', baseline(), '--update-baseline');
      deepStrictEqual(await isNew(), []);
      const entries = (): { path: string }[] =>
        (JSON.parse(readFileSync(baseline(), 'utf8')) as { findings: { path: string }[] }).findings;
      deepStrictEqual(
        entries().map(({ path }) => path),
        ['a.cu', 'b.cu'],
      );
      rmSync(join(folder, 'b.cu'));
      await warplens('check', join(folder, 'a.cu'), '--baseline', baseline(), '--update-baseline');
      deepStrictEqual(
        entries().map(({ path }) => path),
        ['a.cu'],
      );
    });

    it('that is absent, damaged or no baseline gets one sentence, and is not written over', async () => {
      write({ 'a.cu': kernel('k', 'a[i * 8] = 0;') });
      const absent = await warplens('check', folder, '--baseline', baseline());
      strictEqual(absent.code, 2);
      match(absent.err, /There is no baseline .*known\.json\. Create it with --update-baseline\./);
      for (const text of ['{', '{"version": 9, "findings": []}', '[]', '{"version":1,"findings":[{"rule":3}]}']) {
        write({ 'known.json': text });
        for (const more of [[], ['--update-baseline']]) {
          const { code, err } = await warplens('check', folder, '--baseline', baseline(), ...more);
          strictEqual(code, 2);
          strictEqual(err.trim().split('\n').length, 1);
          match(err, /re-run with --update-baseline/);
        }
        strictEqual(readFileSync(baseline(), 'utf8'), text);
      }
      strictEqual((await warplens('check', folder, '--update-baseline')).code, 2);
      strictEqual((await warplens('check', folder, '--fix', '--baseline', baseline())).code, 2);
    });
  });

  describe('--since', () => {
    const lines = async (revision: string): Promise<string[]> =>
      (await found('--since', revision)).map(({ file, line }) => `${file.split('/').pop()}:${line}`);

    it('tells findings on changed lines and in changed kernels, of the working tree as of commits', async () => {
      write({ 'a.cu': kernel('k', 'a[i * 8] = 0;', 'c[i] = 1;') + kernel('l', 'a[i * 8] = 0;') });
      git('init', '-q');
      git('add', '.');
      git('commit', '-qm', 'one');
      deepStrictEqual(await lines('HEAD'), []);
      write({ 'a.cu': kernel('k', 'a[i * 8] = 0;', 'c[i] = 2;') + kernel('l', 'a[i * 8] = 0;') });
      deepStrictEqual(await lines('HEAD'), ['a.cu:3']);
      git('commit', '-qam', 'two');
      deepStrictEqual(await lines('HEAD'), []);
      deepStrictEqual(await lines('HEAD~1'), ['a.cu:3']);
      // A line that only went away touches its kernel too.
      write({ 'a.cu': kernel('k', 'a[i * 8] = 0;') + kernel('l', 'a[i * 8] = 0;') });
      deepStrictEqual(await lines('HEAD'), ['a.cu:3']);
      // Files that git does not know are new; one that was only renamed is not.
      git('commit', '-qam', 'three');
      git('mv', 'a.cu', 'b.cu');
      write({ 'new.cu': kernel('m', 'a[i * 8] = 0;') });
      deepStrictEqual(await lines('HEAD'), ['new.cu:3']);
    });

    it('says in one sentence that there is no repository, no such revision, no git', async () => {
      write({ 'a.cu': kernel('k', 'a[i * 8] = 0;') });
      const without = await warplens('check', folder, '--since', 'HEAD');
      deepStrictEqual([without.code, without.err.trim().split('\n').length], [2, 1]);
      match(without.err, /is not in a git repository, which --since requires\./);
      git('init', '-q');
      git('add', '.');
      git('commit', '-qm', 'one');
      for (const revision of ['nowhere', '--output=x', 'HEAD:a.cu', '']) {
        const { code, err } = await warplens('check', folder, `--since=${revision}`);
        strictEqual(code, 2);
        match(err, /git knows no revision "/);
      }
      const path = process.env['PATH'];
      process.env['PATH'] = folder;
      try {
        const { code, err } = await warplens('check', folder, '--since', 'HEAD');
        strictEqual(code, 2);
        match(err, /--since requires git, which is not installed or not on the PATH\./);
      } finally {
        process.env['PATH'] = path;
      }
    });

    it('reads the ranges of a diff', () => {
      deepStrictEqual(hunksOf('@@ -1 +1 @@\n-a\n+b\n@@ -9,2 +12,3 @@ f\n@@ -20,4 +25,0 @@\n'), [
        { first: 1, last: 1 },
        { first: 12, last: 14 },
        { first: 25, last: 26 },
      ]);
    });
  });
});

describe('the heaviest of many findings', () => {
  const at = (start: number): { uri: string; start: number; end: number } => ({
    uri: 'file:///a.cu',
    start,
    end: start + 1,
  });
  const finding = (start: number, cost: number, markOf?: number): ResolvedFinding => ({
    rule: 'cuda/uncoalesced-access',
    message: 'uncoalesced',
    text: '',
    severity: 'warning',
    at: at(start),
    related: [],
    confidence: 'proven',
    cost,
    ...(markOf === undefined ? {} : { markOf: at(markOf) }),
    fixes: [],
    docsUrl: '',
    data: {},
  });

  it('are kept with their marks, and what is left out is counted', () => {
    const files = [
      { path: '/a.cu', uri: 'file:///a.cu', text: '', findings: [finding(0, 1), finding(10, 9), finding(20, 9, 10)] },
    ];
    const { files: kept, remarks } = heaviestOf(files, byCost(files), 1);
    deepStrictEqual(
      kept[0]!.findings.map((one) => one.at.start),
      [10, 20],
    );
    match(remarks[0]!.text, /^Showing the 1 most expensive of 2 findings/);
    deepStrictEqual(heaviestOf(files, byCost(files), 2), { files, remarks: [] });
  });
});
