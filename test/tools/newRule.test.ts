// A rule on facts that there are touches its folder; all else that changes with it is printed.
import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');
/** What the two tools read and write. */
const parts = [
  ...['client/src/rulePages.json', 'docs', 'hardware', 'package.json', 'package.nls.json', 'profiler/src'],
  ...['protocol', 'schemas', 'server/src', 'test/fixes', 'tools', 'tsconfig.json'],
];

const tsc = join(root, 'node_modules/typescript/bin/tsc');

describe('a new rule', function () {
  this.timeout(60_000);
  let copy: string;
  before(() => {
    copy = mkdtempSync(join(tmpdir(), 'warplens-new-rule-'));
    const isCode = (path: string): boolean => !/\.(cuh?|c|cpp|f90|f|F90|wasm|gz)$/.test(path);
    for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true, filter: isCode });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  });
  after(() => rmSync(copy, { recursive: true, force: true }));

  const contents = (): Map<string, string> =>
    new Map(
      parts.flatMap((part) => {
        if (!statSync(join(copy, part)).isDirectory()) return [[part, readFileSync(join(copy, part), 'utf8')]] as const;
        const below = readdirSync(join(copy, part), { recursive: true, encoding: 'utf8' });
        return below
          .map((name) => `${part}/${name.split('\\').join('/')}`)
          .filter((path) => statSync(join(copy, path)).isFile())
          .map((path) => [path, readFileSync(join(copy, path), 'utf8')] as const);
      }),
    );
  const run = (tool: string, ...rest: string[]): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', `tools/${tool}.ts`, ...rest], {
      cwd: copy,
      encoding: 'utf8',
    });
    deepStrictEqual(status, 0, stderr);
    return stdout;
  };
  const failure = (tool: string, ...rest: string[]): string => {
    const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', `tools/${tool}.ts`, ...rest], {
      cwd: copy,
      encoding: 'utf8',
    });
    deepStrictEqual(status, 2);
    return stderr;
  };
  const changed = (from: Map<string, string>, to: Map<string, string>): string[] =>
    [...to].flatMap(([path, text]) => (from.get(path) === text ? [] : [path])).sort();

  it('touches its folder, and what tools/generate.ts prints', () => {
    const first = contents();
    run('new-rule', 'cuda/wasted-warps', 'kernel');
    const made = contents();
    const folder = 'server/src/rules/cuda/wasted-warps';
    deepStrictEqual(changed(first, made), [
      `${folder}/bad.cu`,
      `${folder}/docs.json`,
      `${folder}/good.cu`,
      `${folder}/rule.ts`,
    ]);
    const printed = run('generate')
      .split('\n')
      .flatMap((line) => /^wrote (.*)$/.exec(line)?.[1] ?? []);
    const last = contents();
    deepStrictEqual(changed(made, last), [...printed].sort());
    ok(printed.includes('server/src/rules/registry.ts') && printed.includes('docs/rules/cuda/wasted-warps.md'));
    match(last.get('package.json')!, /"cuda\/wasted-warps"/);
    run('generate', '--check');
  });

  it('is offered each kind of fact that the model has', () => {
    const stderr = failure('new-rule', 'cuda/x', 'no-such');
    for (const kind of ['access', 'runtime-call', 'fusion', 'replay', 'product', 'race', 'build', 'acc-update'])
      match(stderr, new RegExp(`\\b${kind}[,.]`));
  });

  it('makes a new kind of fact with it: a file and a line of the list', () => {
    const first = contents();
    run('new-rule', 'cuda/late-copies', '--fact', 'late-copy');
    const made = contents();
    const rule = 'server/src/rules/cuda/late-copies';
    const facts = 'server/src/semantic/facts';
    deepStrictEqual(changed(first, made), [
      ...[`${rule}/bad.cu`, `${rule}/docs.json`, `${rule}/good.cu`, `${rule}/rule.ts`],
      ...[`${facts}/lateCopy.ts`, `${facts}/list.ts`],
    ]);
    run('generate');
    const stderr = failure('new-rule', 'cuda/x', 'no-such');
    match(stderr, /\blate-copy[,.]/);
  });

  it('gets a family of fixes: a file and a line of each list, and all compiles', () => {
    const first = contents();
    run('new-rule', 'cuda/uncoalesced-access', '--fix', 'column-pairs');
    const made = contents();
    const semantic = 'server/src/semantic';
    deepStrictEqual(changed(first, made), [
      ...['server/src/lint/refusals.ts', 'server/src/rules/cuda/uncoalesced-access/bad-column-pairs.cu'],
      ...[`${semantic}/facts/families.ts`, `${semantic}/fixes/columnPairs.ts`, `${semantic}/fixes/index.ts`],
      ...['test/fixes/columnPairs.ts', 'test/fixes/families.ts'],
    ]);
    const files = changed(first, made).filter((path) => path.startsWith('server/') && path.endsWith('.ts'));
    const { stdout } = spawnSync(process.execPath, [tsc, '--noEmit', '-p', copy], { encoding: 'utf8' });
    deepStrictEqual(
      stdout.split('\n').filter((line) => files.some((path) => line.includes(path))),
      [],
    );
    for (const [rule, family, problem] of [
      ['cuda/uncoalesced-access', 'column-pairs', /The family "column-pairs" exists\./],
      ['cuda/no-such', 'row-pairs', /There is no rule cuda\/no-such: make it first\./],
    ] as const)
      match(failure('new-rule', rule, '--fix', family), problem);
  });
});
