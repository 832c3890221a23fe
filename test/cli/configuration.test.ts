// The commands go by warplens.json, flags win over it, and files that git or the user leaves out are not checked.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { checkAnswer, modelAnswer } from '../../cli/src/mcp/code';
import { run } from '../../cli/src/program';
import { cacheOfTests, runCommand, writeFiles } from '../support/commandLine';
import { testSyntax } from '../support/analyseText';

const strided = (step = '2'): string =>
  `__global__ void thin(const float *in, float *out) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = in[${step} * i];\n}\nvoid run(const float *in, float *out) { thin<<<1 << 16, 256>>>(in, out); }\n`;
const clean = strided('1');

describe('configuration and habits of the command line', function () {
  this.timeout(60_000);
  let folder: string;
  cacheOfTests((path) => {
    folder = path;
  });
  const write = (files: Parameters<typeof writeFiles>[1]): void => writeFiles(folder, files);
  const git = (...args: string[]): void => {
    const done = spawnSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
    strictEqual(done.status, 0, String(done.stderr));
  };
  interface Finding {
    readonly file: string;
    readonly severity: string;
    readonly rule: string;
  }
  const findings = async (...args: string[]): Promise<string[]> => {
    const { out } = await runCommand('check', folder, '--format', 'json', ...args);
    const found = (JSON.parse(out) as { findings: Finding[] }).findings;
    return found.map(({ file, severity }) => `${file.slice(folder.length + 1)} ${severity}`);
  };

  it('check takes severities, options, defines and quiet paths from it, also of a file read before', async () => {
    write({ 'a.cu': strided('STEP'), 'bench/b.cu': strided() });
    const config = (settings: object): void => write({ 'warplens.json': JSON.stringify(settings) });
    const defines = { STEP: '4' };
    config({ defines });
    deepStrictEqual(await findings(), ['a.cu warning', 'bench/b.cu warning']);
    config({ defines, quiet: ['bench/'] });
    deepStrictEqual(await findings(), ['a.cu warning', 'bench/b.cu hint']);
    deepStrictEqual(await findings('--quiet-path', 'nothing'), ['a.cu warning', 'bench/b.cu warning']);
    config({ defines, severities: { 'cuda/uncoalesced-access': 'error' } });
    deepStrictEqual(await findings(), ['a.cu error', 'bench/b.cu error']);
    config({ defines, options: { 'cuda/uncoalesced-access': { minimumRatio: 3 } } });
    deepStrictEqual(await findings(), ['a.cu warning']);
    deepStrictEqual(await findings('-D', 'STEP=2'), []);
    config({ defines, severities: { 'cuda/uncoalesced-access': 'off' } });
    deepStrictEqual(await findings(), []);
  });

  it('a nested file holds for its own folder, in one run and with many files', async () => {
    write({ 'warplens.json': '{ "severities": { "cuda/uncoalesced-access": "information" } }' });
    write({ 'inner/warplens.json': '{ "severities": { "cuda/uncoalesced-access": "error" } }' });
    for (let at = 0; at < 8; at++) write({ [`o${at}.cu`]: strided(), [`inner/i${at}.cu`]: strided() });
    const found = await findings('--jobs', '2');
    strictEqual(found.length, 16);
    for (const each of found) match(each, /^(inner\/i\d\.cu error|o\d\.cu information)$/);
  });

  it('says once what is wrong in it, and checks with the rest', async () => {
    write({ 'a.cu': strided(), 'b.cu': strided() });
    write({ 'warplens.json': '{\n  "gpus": "A100",\n  "severities": { "cuda/uncoalesced-access": "error" }\n}' });
    const { code, out, err } = await runCommand('check', folder);
    strictEqual(code, 1);
    match(out, /: error: /);
    strictEqual(err.split('warplens.json:2: There is no key "gpus" (did you mean "gpu"?)').length, 2, err);
  });

  it('model, diff and the answers for agents go by it too', async () => {
    write({
      'warplens.json':
        '{ "gpu": "A100", "defines": { "STEP": "2" }, "severities": { "cuda/uncoalesced-access": "error" } }',
      'a.cu': strided('1'),
    });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    write({ 'a.cu': strided('STEP') });
    const model = JSON.parse((await runCommand('model', join(folder, 'a.cu'), '--format', 'json')).out) as {
      gpu: string;
    };
    strictEqual(model.gpu, 'A100');
    strictEqual(
      (
        JSON.parse((await runCommand('model', join(folder, 'a.cu'), '--format', 'json', '--gpu', 'H100')).out) as {
          gpu: string;
        }
      ).gpu,
      'H100',
    );
    const question = { root: folder, analysis: {}, came: Date.now() + 60_000, parsers: testSyntax };
    match((await checkAnswer({ ...question, came: Date.now() - 60_000 }, ['.'], 'hint')).text, /^PARTIAL: 0 of /);
    match((await checkAnswer(question, ['.'], 'hint')).text, /a\.cu:3 error cuda\/uncoalesced-access/);
    match((await modelAnswer(question, 'a.cu')).text, /A100|thin/);
    const before = process.cwd();
    process.chdir(folder);
    try {
      const compared = await runCommand('diff', 'HEAD', '--gate', 'new-errors == 0');
      strictEqual(compared.code, 1, compared.out + compared.err);
      strictEqual((await runCommand('diff', 'HEAD', '--gate', 'new-errors == 0', '--exit-zero')).code, 0);
      strictEqual((await runCommand('diff', 'HEAD', '--gate', 'new-errors == 0', '--exclude', '*.cu')).code, 0);
      const file = join(folder, 'diff.json');
      strictEqual((await runCommand('diff', 'HEAD', '--format', 'json', '--output-file', file)).out, '');
      ok(JSON.parse(readFileSync(file, 'utf8')));
    } finally {
      process.chdir(before);
    }
  });

  it('leaves out what is excluded, also where it is named, and what git ignores', async () => {
    const names = ['a.cu', 'gen/b.cu', 'gen/keep.cu', 'deps/c.cu', 'sub/d.cu', 'sub/e.cu', 'local/f.cu'];
    write(Object.fromEntries(names.map((name) => [name, strided()])));
    write({
      '.gitignore': 'gen/*\n!gen/keep.cu\n/local/\n',
      'sub/.gitignore': '/e.cu\n',
      'warplens.json': '{ "exclude": ["deps/**"] }',
    });
    git('init', '-q');
    const files = async (...args: string[]): Promise<string[]> =>
      (await findings(...args)).map((each) => each.split(' ')[0]!);
    deepStrictEqual(await files(), ['a.cu', 'gen/keep.cu', 'sub/d.cu']);
    deepStrictEqual(await files('--exclude', '**/sub/**', '--exclude', 'a.cu'), ['gen/keep.cu']);
    const excluded = await runCommand('check', join(folder, 'deps/c.cu'));
    deepStrictEqual([excluded.code, excluded.out], [0, '']);
    match(excluded.err, /c\.cu is excluded by warplens\.json or --exclude/);
    // What is named is meant.
    strictEqual((await runCommand('check', join(folder, 'gen/b.cu'))).code, 1);
    strictEqual((await runCommand('check', join(folder, 'local'))).code, 1);
    const inner = await runCommand('check', join(folder, 'sub'), '--format', 'json');
    strictEqual((JSON.parse(inner.out) as { findings: object[] }).findings.length, 1);
  });

  it('exits 0 without warnings, 1 with them, 2 where something is not checked', async () => {
    const code = async (...args: string[]): Promise<number> => (await runCommand('check', ...args)).code;
    write({ 'a.cu': strided(), 'clean.cu': clean, 'empty/notes.txt': '', 'warplens.json': '{}' });
    const a = join(folder, 'a.cu');
    strictEqual(await code(a), 1);
    strictEqual(await code(a, '--exit-zero'), 0);
    strictEqual(await code(a, '--fail-on', 'error'), 0);
    write({ 'warplens.json': '{ "severities": { "cuda/uncoalesced-access": "hint" } }' });
    strictEqual(await code(a), 0);
    strictEqual(await code(a, '--fail-on', 'hint'), 1);
    strictEqual((await runCommand('check', a, '--quiet')).out, '');
    ok((await runCommand('check', a)).out.includes('hint: '));
    strictEqual(await code(join(folder, 'clean.cu')), 0);
    const none = await runCommand('check', join(folder, 'empty'));
    strictEqual(none.code, 2);
    match(none.err, /No CUDA or OpenACC sources in /);
    const gone = await runCommand('check', a, join(folder, 'gone.cu'));
    strictEqual(gone.code, 2);
    match(gone.err, /There is no file or folder ".*gone\.cu"/);
    match(gone.out, /a\.cu:3/);
    strictEqual(await code(a, join(folder, 'gone.cu'), '--exit-zero'), 2);
    strictEqual(await code(a, '--fail-on', 'loud'), 2);
  });

  it('writes the report to a file', async () => {
    write({ 'a.cu': strided() });
    const file = join(folder, 'report.sarif');
    const { code, out } = await runCommand('check', folder, '--format', 'sarif', '--output-file', file);
    deepStrictEqual([code, out], [1, '']);
    strictEqual((JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version, '2.1.0');
    const failed = await runCommand('check', folder, '--output-file', join(folder, 'no', 'report'));
    strictEqual(failed.code, 2);
    match(failed.err, /cannot be written \(its folder does not exist\)/);
  });

  it('reads standard input under a name', async () => {
    write({ 'warplens.json': '{ "severities": { "cuda/uncoalesced-access": "error" } }', 'a.cu': clean });
    const check = async (text: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> => {
      const out: string[] = [];
      const err: string[] = [];
      const code = await run(['check', '-', ...args], {
        print: (each) => out.push(each),
        note: (each) => err.push(each),
        input: () => text,
        colour: false,
        exitCode: 0,
      });
      return { code, out: out.join('\n'), err: err.join('\n') };
    };
    // The text counts, not the file of that name, and is not kept for it.
    const named = await check(strided(), '--stdin-filename', join(folder, 'a.cu'));
    strictEqual(named.code, 1);
    match(named.out, /a\.cu:3:12: error: /);
    strictEqual((await runCommand('check', join(folder, 'a.cu'))).code, 0);
    match((await check(strided())).out, /stdin\.cu:3:12: warning: /);
    strictEqual((await check(clean)).code, 0);
    match((await check(clean, '--fix')).err, /--fix and --diff cannot be combined with -/);
    match((await runCommand('check', folder, '--stdin-filename', 'x.cu')).err, /--stdin-filename requires the path -/);
  });

  it('does not follow links out of a folder', async () => {
    write({ 'in/a.cu': clean, 'out/b.cu': strided() });
    symlinkSync(join(folder, 'out'), join(folder, 'in', 'link'));
    strictEqual((await runCommand('check', join(folder, 'in'))).code, 0);
  });
});
