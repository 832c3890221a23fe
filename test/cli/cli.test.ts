// The command line: exit codes, formats, fixes, and one clear sentence for bad use.
import { thresholds } from '../../server/src/cost/grade';
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Ajv from 'ajv';
import type { Log } from 'sarif';
import { registry } from '../../server/src/rules/registry';
import { sarifSchema } from '../support/sarifSchema';
import { cacheOfTests, runCommand, writeFiles } from '../support/commandLine';

const strided =
  '// Every other element.\n__global__ void thin(const float *in, float *out) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = in[2 * i];\n}\nvoid run(const float *in, float *out) { thin<<<1 << 16, 256>>>(in, out); }\n';
const tile =
  '__global__ void flip(const float *in, float *out) {\n  __shared__ float tile[32][32]; // staged\n  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];\n  __syncthreads();\n  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];\n}\nvoid run(const float *in, float *out) { flip<<<256, dim3(32, 32)>>>(in, out); }\n';
const clean =
  '__global__ void copy(const float *in, float *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = in[i]; }\nvoid run(const float *in, float *out) { copy<<<512, 256>>>(in, out); }\n';

describe('command line', () => {
  let folder: string;
  cacheOfTests((path) => {
    folder = path;
  });

  const write = (files: Parameters<typeof writeFiles>[1]): void => writeFiles(folder, files);
  const warplens = runCommand;

  it('says nothing and exits 0 on clean code', async () => {
    write({ 'a.cu': clean });
    const { code, out, err } = await warplens('check', folder);
    strictEqual(code, 0);
    strictEqual(out, '');
    strictEqual(err, 'Nothing found in 1 file.');
  });

  it('prints findings as a compiler does and exits 1', async () => {
    write({ 'a.cu': strided });
    const { code, out } = await warplens('check', join(folder, 'a.cu'));
    strictEqual(code, 1);
    match(
      out,
      /a\.cu:4:12: warning: Uncoalesced read of `in`: 2\.0× sectors, 67 % of this kernel's traffic\..*8 bytes apart.* \[cuda\/uncoalesced-access\]\n +4 \| {3}out\[i\] = in\[2 \* i\];\n +\| {12}\^~~~~~~~~\n?/,
    );
  });

  it('walks folders but not what is generated, and takes C++ files with device code', async () => {
    write({
      'src/a.cu': strided,
      'src/b.hpp': strided,
      'src/host.cpp': 'int main() { return 0; }\n',
      'node_modules/x/c.cu': strided,
      'build/d.cu': strided,
      '.git/e.cu': strided,
      'notes.txt': strided,
    });
    const { out } = await warplens('check', folder, '--format', 'json');
    deepStrictEqual(
      [
        ...new Set(
          (JSON.parse(out) as { findings: { file: string }[] }).findings.map((finding) =>
            finding.file.slice(folder.length + 1),
          ),
        ),
      ],
      ['src/a.cu', 'src/b.hpp'],
    );
  });

  it('gives the predicted gain of a finding in JSON, which its severity follows from', async () => {
    write({ 'a.cu': strided });
    const { out } = await warplens('check', folder, '--format', 'json');
    const [{ gain, severity }] = (
      JSON.parse(out) as {
        findings: [{ gain: { least: number; most: number; expected: number }; severity: string }];
      }
    ).findings;
    strictEqual(severity, 'warning');
    ok(gain.least >= 1 && gain.least <= gain.expected && gain.expected <= gain.most, JSON.stringify(gain));
    ok(gain.expected >= thresholds.warning, JSON.stringify(gain));
  });

  it('counts the functions that comments mark', async () => {
    const cold = strided.replace('__global__', '// warplens: cold\n__global__');
    write({ 'a.cu': cold, 'b.cu': clean.replace('void run', '// warplens: hot\nvoid run') });
    for (const more of [[], ['--no-cache'], ['--fix']]) {
      const { code, err } = await warplens('check', folder, ...more);
      strictEqual(code, 0);
      match(err, /\(hint 1\)\.( 0 fixes applied\.)? Functions that comments mark: 1 hot, 1 cold\.$/);
    }
    const { out } = await warplens('check', folder, '--format', 'json');
    deepStrictEqual((JSON.parse(out) as { marked: object }).marked, { hot: 1, cold: 1 });
    write({ 'a.cu': clean, 'b.cu': clean });
    strictEqual((await warplens('check', folder)).err, 'Nothing found in 2 files.');
  });

  it('says what was left out of the analysis in every format', async () => {
    write({ 'a.cu': `#include "gone.h"\n${strided}` });
    const said = '"gone.h" was not found; macros and types from it are unknown.';
    const { err } = await warplens('check', folder);
    ok(err.includes(`a.cu:1:1: note: ${said}`), err);
    const json = JSON.parse((await warplens('check', folder, '--format', 'json')).out) as { notes: object[] };
    deepStrictEqual(json.notes, [{ file: join(folder, 'a.cu'), line: 1, column: 1, text: said }]);
    const sarif = JSON.parse((await warplens('check', folder, '--format', 'sarif')).out) as Log;
    const [told] = sarif.runs[0]!.invocations![0]!.toolExecutionNotifications!;
    strictEqual(told!.message.text, said);
    deepStrictEqual(told!.locations![0]!.physicalLocation!.region, { startLine: 1, startColumn: 1 });
    write({ 'a.cu': new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0]), 'b.cu': clean });
    const { code, out } = await warplens('check', folder, '--format', 'sarif');
    const { executionSuccessful, toolExecutionNotifications } = (JSON.parse(out) as Log).runs[0]!.invocations![0]!;
    deepStrictEqual([code, executionSuccessful, toolExecutionNotifications![0]!.level], [2, false, 'error']);
  });

  describe('code that cannot be read', () => {
    const source = `${clean}__device__ float load(const float *p);
__global__ void far(float *a) { a[threadIdx.x] = load(a + threadIdx.x); }
void go(float *a) { far<<<1, 256>>>(a); absent<<<1, 256>>>(a); }
`;
    const file = (): string => join(folder, 'a.cu');
    beforeEach(() => write({ 'a.cu': source }));

    it('is counted for each file, and listed with --unread', async () => {
      const { code, out, err } = await warplens('check', folder);
      strictEqual(code, 0);
      strictEqual(out, '');
      ok(err.includes(`${file()}: 1 launch and 1 access could not be read: see warplens model ${file()}`), err);
      const whole = await warplens('check', folder, '--unread');
      match(whole.err, /a\.cu:4:50: not read: `load\(a \+ threadIdx\.x\)` calls a function without a known definition/);
      match(whole.err, /a\.cu:5:41: not read: The kernel `absent` is not defined or declared here\./);
    });

    it('is in JSON and SARIF with its reason', async () => {
      interface Json {
        readonly unread: readonly { readonly line: number; readonly what: string; readonly reason: string }[];
      }
      const expected = [
        [4, 'access', 'unknown-call', ['far']],
        [5, 'launch', 'kernel-not-found', []],
      ];
      for (const command of [
        ['check', folder],
        ['model', file()],
      ]) {
        const { unread } = JSON.parse((await warplens(...command, '--format', 'json')).out) as Json;
        deepStrictEqual(
          unread.map((one) => [one.line, one.what, one.reason, (one as { kernels?: string[] }).kernels]),
          expected,
        );
      }
      const sarif = JSON.parse((await warplens('check', folder, '--format', 'sarif')).out) as Log;
      const told = sarif.runs[0]!.invocations![0]!.toolExecutionNotifications!;
      deepStrictEqual(
        told.map(({ properties, locations }) => [
          locations![0]!.physicalLocation!.region!.startLine,
          properties!['unread'],
          properties!['reason'],
          properties!['kernels'],
        ]),
        expected,
      );
      const valid = new Ajv({ strict: false, validateFormats: false }).compile(sarifSchema);
      ok(valid(sarif), JSON.stringify(valid.errors));
    });

    it('fails where the flag or the project says so', async () => {
      strictEqual((await warplens('check', folder, '--fail-on', 'unread')).code, 1);
      strictEqual((await warplens('check', folder, '--fail-on', 'unread', '--exit-zero')).code, 0);
      strictEqual((await warplens('check', folder, '--fail-on', 'hint,unread')).code, 1);
      write({ 'b/warplens.json': '{ "failOnUnread": true }', 'b/a.cu': source, 'b/c.cu': clean });
      strictEqual((await warplens('check', join(folder, 'b', 'a.cu'))).code, 1);
      strictEqual((await warplens('check', join(folder, 'b', 'a.cu'))).code, 1, 'from the kept result');
      strictEqual((await warplens('check', join(folder, 'b', 'c.cu'), '--fail-on', 'unread')).code, 0);
      match((await warplens('check', folder, '--fail-on', 'hint,error')).err, /--fail-on takes one severity/);
    });

    it('stands below its kernel in the text of the model', async () => {
      const { out } = await warplens('model', file());
      match(out, /kernel far.*\n.*\n {2}4:50 +not read: `load/);
      match(out, /\n5:41 +not read: The kernel `absent`/);
    });
  });

  it('leaves out what is less grave than asked, and runs only the rules asked for', async () => {
    write({ 'a.cu': strided });
    strictEqual((await warplens('check', folder, '--min-severity', 'error')).code, 0);
    strictEqual((await warplens('check', folder, '--rule', 'cuda/bank-conflict')).code, 0);
    strictEqual((await warplens('check', folder, '--rule', 'cuda/bank-conflict,cuda/uncoalesced-access')).code, 1);
  });

  it('applies safe fixes, keeps comments, and is clean afterwards', async () => {
    write({ 'a.cu': tile });
    const { code, err } = await warplens('check', '--fix', '--rule', 'cuda/bank-conflict', folder);
    strictEqual(code, 0);
    match(err, /1 fix applied/);
    strictEqual(readFileSync(join(folder, 'a.cu'), 'utf8'), tile.replace('tile[32][32]', 'tile[32][33]'));
    strictEqual((await warplens('check', '--rule', 'cuda/bank-conflict', folder)).code, 0);
  });

  it('keeps line ends and the byte order mark when it fixes', async () => {
    write({ 'a.cu': `\ufeff${tile.replaceAll('\n', '\r\n')}` });
    await warplens('check', '--fix', '--rule', 'cuda/bank-conflict', folder);
    strictEqual(
      readFileSync(join(folder, 'a.cu'), 'utf8'),
      `\ufeff${tile.replaceAll('\n', '\r\n').replace('tile[32][32]', 'tile[32][33]')}`,
    );
  });

  it('prints SARIF that validates, with rules, fingerprints that survive moves, and fixes', async () => {
    write({ 'a.cu': strided, 'b.cu': tile });
    const { code, out } = await warplens('check', folder, '--format', 'sarif');
    strictEqual(code, 1);
    // GH2012 of code scanning.
    for (const rule of (JSON.parse(out) as Log).runs[0]!.tool.driver.rules!)
      ok(rule.fullDescription?.text && rule.help?.text && rule.helpUri, rule.id);
    const serious = JSON.parse((await warplens('check', folder, '--quiet', '--format', 'sarif')).out) as Log;
    deepStrictEqual([...new Set(serious.runs[0]!.results!.map(({ level }) => level))], ['warning']);
    const log = JSON.parse(out) as Log;
    const ajv = new Ajv({
      strict: false,
      formats: {
        uri: (text: string) => URL.canParse(text),
        'uri-reference': (text: string) => URL.canParse(text, 'file:///') && !/[\s\\]/.test(text),
      },
    });
    const valid = ajv.compile(sarifSchema);
    ok(valid(log), JSON.stringify(valid.errors));
    const [first] = log.runs;
    for (const result of first!.results!) strictEqual(first!.tool.driver.rules![result.ruleIndex!]!.id, result.ruleId);
    strictEqual(
      first!.tool.driver.rules!.filter((rule) => rule.id.startsWith('cuda/')).length,
      registry.filter((rule) => rule.meta.family === 'cuda').length,
    );
    const padded = first!.results!.find((result) => result.ruleId === 'cuda/bank-conflict')!;
    deepStrictEqual(padded.fixes![0]!.artifactChanges[0]!.replacements[0]!.deletedRegion, {
      startLine: 2,
      startColumn: 29,
      endLine: 2,
      endColumn: 31,
    });
    const prints = (text: string): unknown =>
      (JSON.parse(text) as Log).runs[0]!.results!.map((result) => result.partialFingerprints);
    write({ 'a.cu': `\n\n// moved\n${strided}` });
    deepStrictEqual(prints((await warplens('check', folder, '--format', 'sarif')).out), prints(out));
  });

  it('tells kernels, launches and accesses of a file, unknown members absent', async () => {
    write({ 'a.cu': strided });
    const { code, out } = await warplens('model', join(folder, 'a.cu'), '--format', 'json');
    strictEqual(code, 0);
    const model = JSON.parse(out) as {
      kernels: { name: string; shapes: { block: number[] }[] }[];
      launches: { kernel: string; block: unknown }[];
      accesses: Record<string, unknown>[];
    };
    deepStrictEqual(
      model.kernels.map((kernel) => [kernel.name, kernel.shapes.map((shape) => shape.block)]),
      [['thin', [[256, 1, 1]]]],
    );
    deepStrictEqual(
      model.launches.map((launch) => [launch.kernel, launch.block]),
      [['thin', { x: 256, y: 1, z: 1 }]],
    );
    const load = model.accesses.find((access) => access['mode'] === 'load')!;
    const { line, column, space, mode, elementBytes, sectors, sectorsIdeal, assumed } = load;
    deepStrictEqual(
      { line, column, space, mode, elementBytes, sectors, sectorsIdeal, assumed },
      {
        line: 4,
        column: 12,
        space: 'global',
        mode: 'load',
        elementBytes: 4,
        sectors: 8,
        sectorsIdeal: 4,
        assumed: false,
      },
    );
    ok(!('wavefronts' in load) && !('gather' in load));
    deepStrictEqual([load['ratio'], load['offIdeal']], [{ least: 2, most: 2 }, '2.0× sectors']);
    match((await warplens('model', join(folder, 'a.cu'))).out, /kernel thin, block 256×1×1\n +4:3/);
    write({
      'b.cu':
        '__global__ void take(const float *a, const int *at, float *b) { b[threadIdx.x] = a[at[threadIdx.x]]; }\n',
    });
    match((await warplens('model', join(folder, 'b.cu'))).out, /a\[at\[threadIdx\.x\]\] {2}\(1–8× sectors, gather by/);
  });

  it('says a shape once, however many launches have it', async () => {
    const text = `__global__ void piece(float *v, int from) { v[from + threadIdx.x] = 0; }
void run(float *v) { for (int i = 0; i < 4; i++) piece<<<1, 128>>>(v, 100 * i); piece<<<1, 64>>>(v, 7); }
`;
    writeFileSync(join(folder, 'shapes.cu'), text);
    match((await warplens('model', join(folder, 'shapes.cu'))).out, /kernel piece, block 128×1×1 or 64×1×1\n/);
  });

  it('takes defines, include folders and the GPU', async () => {
    write({
      'a.cu':
        '#include "sizes.h"\n__global__ void k(float *v) { v[SCALE * threadIdx.x] = 0; }\nvoid run(float *v) { k<<<1000, BLOCK>>>(v); }\n',
      'inc/deep/sizes.h': '#define SCALE 4\n',
    });
    const { out } = await warplens(
      'model',
      join(folder, 'a.cu'),
      '-f',
      'json',
      '-D',
      'BLOCK=64',
      '-I',
      join(folder, 'inc/deep'),
      '--gpu',
      'sm_80',
    );
    const model = JSON.parse(out) as {
      gpu: string;
      launches: { block: { x: number } }[];
      accesses: { sectors: number }[];
    };
    strictEqual(model.gpu, 'A100');
    strictEqual(model.launches[0]!.block.x, 64);
    strictEqual(model.accesses[0]!.sectors, 16);
  });

  it('says which compile_commands.json it could not read, and goes on', async () => {
    write({ 'a.cu': clean, 'compile_commands.json': '{}' });
    const { code, err } = await warplens('check', folder);
    strictEqual(code, 0);
    match(err, /compile_commands\.json was skipped: a compilation database is/);
  });

  it('lists the rules and prints a page', async () => {
    const { out } = await warplens('rules');
    strictEqual(out.split('\n').length, registry.length);
    match(
      (await warplens('explain', 'cuda/bank-conflict')).out,
      /^# cuda\/bank-conflict\n[\s\S]*## Measured[\s\S]*2\.2×/,
    );
    strictEqual((await warplens('explain', 'bank-conflict')).code, 0);
  });

  it('takes what compilers said, packed or not, and says when a log holds nothing', async () => {
    write({
      'a.c':
        'void f(int n, double *p) {\n  #pragma acc parallel loop copy(p[0:n])\n  for (int i = 0; i < n; i++) p[i] *= 2.0;\n}\n',
      'build.log': 'a.c:2:11: optimized: assigned OpenACC gang vector loop parallelism\n',
      'other.log': 'cc -c a.c\n',
      'broken.gz': new Uint8Array([0x1f, 0x8b, 8, 0]),
    });
    writeFileSync(
      join(folder, 'a.c.opt-record.json.gz'),
      gzipSync(
        JSON.stringify([
          { format: '1' },
          [],
          [
            {
              kind: 'success',
              location: { file: 'a.c', line: 2, column: 11 },
              message: ['assigned OpenACC gang vector loop parallelism\n'],
            },
          ],
        ]),
      ),
    );
    const check = (log: string): ReturnType<typeof warplens> =>
      warplens('check', join(folder, 'a.c'), '--feedback', join(folder, log));
    for (const log of ['build.log', 'a.c.opt-record.json.gz'])
      ok(!(await check(log)).err.includes('says nothing'), log);
    match((await check('other.log')).err, /other\.log has no remarks on accelerator loops.* -Minfo=accel/);
    const told = await warplens('feedback', join(folder, 'build.log'), folder);
    strictEqual(told.code, 0);
    match(told.out, /a\.c:2: GCC: assigned OpenACC gang vector loop parallelism$/);
    strictEqual(told.err, '1 of 1remarks belong to these files.');
    strictEqual((await warplens('feedback', join(folder, 'other.log'), folder)).code, 2);
    for (const [log, why] of [
      ['none.log', /cannot be read \(ENOENT\)/],
      ['broken.gz', /gzip file is truncated/],
    ] as const) {
      const { code, err } = await check(log);
      strictEqual(code, 2);
      match(err, why);
    }
  });

  it('goes by what a compiler said of a loop', async () => {
    const sample = join(__dirname, '../../samples/openacc/conjugate-gradient/2-data-region.c');
    const nvc = (length: number): string =>
      `nvc -acc -Minfo=accel -c 2-data-region.c\nmultiply:\n      5, Generating NVIDIA GPU code\n          6, #pragma acc loop gang /* blockIdx.x */\n         10, #pragma acc loop vector(${length}) /* threadIdx.x */\n`;
    write({
      '128.log': nvc(128),
      '32.log': nvc(32),
      'gcc.log':
        'conjugate-gradient/2-data-region.c:5:11: optimized: assigned OpenACC gang loop parallelism\nconjugate-gradient/2-data-region.c:9:13: optimized: assigned OpenACC vector loop parallelism\n',
    });
    const rules = async (...args: string[]): Promise<string[]> =>
      (
        JSON.parse((await warplens('check', sample, '--format', 'json', ...args)).out) as {
          findings: { rule: string; text: string }[];
        }
      ).findings.map(({ rule, text }) => `${rule} ${/as the compiler says/.test(text)}`);
    deepStrictEqual(await rules(), ['acc/vector-length false']);
    deepStrictEqual(await rules('--feedback', join(folder, '128.log')), ['acc/vector-length true']);
    deepStrictEqual(await rules('--feedback', join(folder, '32.log')), ['acc/missing-workers false']);
    deepStrictEqual(await rules('--feedback', join(folder, 'gcc.log')), ['acc/missing-workers false']);
  });

  it('checks the rest of a folder where a file cannot be read, and exits 2', async () => {
    write({ 'a.cu': clean, 'secret.cu': strided });
    chmodSync(join(folder, 'secret.cu'), 0);
    chmodSync(join(folder, '..'), 0o755);
    // Root may read everything, so the process drops its rights meanwhile; modules are loaded before.
    const isRoot = process.geteuid?.() === 0;
    await warplens('check', join(folder, 'a.cu'));
    if (isRoot) process.seteuid!(65534);
    try {
      const { code, err } = await warplens('check', folder);
      strictEqual(code, 2);
      match(err, /secret\.cu cannot be read \(permission denied\)/);
      match(err, /Nothing found in 1 file\./);
    } finally {
      if (isRoot) process.seteuid!(0);
    }
  });

  it('answers for anything that a file may hold', async () => {
    write({
      'empty.cu': '',
      'half.cu': new Uint8Array([0x2f, 0x2f, 0xc3]),
      'deep.cu': `__global__ void k(int *a) { a[0] = ${'('.repeat(1000)}1${')'.repeat(1000)}; }`,
      'blocks.cu': `__global__ void k() ${'{'.repeat(1000)}${'}'.repeat(1000)}`,
      'broken.cu': '__global__ void k(float *a { a[[[ <<< }}} #if',
    });
    for (const name of ['empty.cu', 'half.cu', 'deep.cu', 'blocks.cu', 'broken.cu'])
      ok((await warplens('check', join(folder, name))).code < 2, name);
  });
});
