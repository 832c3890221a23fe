// `warplens diff`: what a change does to kernels, between revisions, the working tree and folders, and its gate.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv';
import { digestOf } from '../../server/src/workspace/observedFiles';
import { cacheOfTests, runCommand, writeFiles, type Said } from '../support/commandLine';

interface JsonDiff {
  readonly comparedKernels: number;
  readonly changedKernels: readonly {
    readonly name: string;
    readonly line: number;
    readonly verdict: string;
    readonly unit: string;
    readonly before: Readonly<Record<string, unknown>>;
    readonly after: Readonly<Record<string, unknown>>;
    readonly edited: readonly { readonly path: string; readonly first: number }[];
    readonly accesses: readonly { readonly after?: { readonly line: number; readonly sectors: number } }[];
  }[];
  readonly newKernels: readonly { readonly name: string }[];
  readonly goneKernels: readonly { readonly name: string }[];
  readonly newFindings: readonly { readonly rule: string; readonly severity: string; readonly line: number }[];
  readonly goneFindings: readonly unknown[];
  readonly gate: { readonly passed: boolean };
}

const header = `#pragma once
__device__ inline int place(int row, int column, int pitch) { return row * pitch + column; }
#define WIDTH 32
`;
const kernels = `#include "place.cuh"
__global__ void copy(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

__global__ void turn(float *out, const float *in, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[place(y, x, n)];
  __syncthreads();
  out[place(blockIdx.x * 32 + threadIdx.y, blockIdx.y * 32 + threadIdx.x, n)] = tile[threadIdx.x][threadIdx.y];
}
`;
const launcher = `#include "place.cuh"
__global__ void copy(float *out, const float *in, int n);
__global__ void turn(float *out, const float *in, int n);
void go(float *a, float *b, int n) {
  dim3 block(WIDTH, 32);
  turn<<<dim3(n / 32, n / 32), block>>>(a, b, n);
  copy<<<n / 256, 256>>>(a, b, n);
}
`;

describe('warplens diff', () => {
  let folder: string;
  let home: string;
  let cache: string;
  afterEach(() => process.chdir(home));
  cacheOfTests((path, results) => {
    [folder, cache] = [path, results];
    home = process.cwd();
    process.chdir(folder);
    git('init', '-q');
    writeFiles(folder, { 'src/place.cuh': header, 'src/kernels.cu': kernels, 'src/go.cu': launcher });
    commit('one');
  });

  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  const commit = (message: string): void => {
    git('add', '-A');
    git('commit', '-q', '-m', message);
  };
  const edit = (path: string, ...changes: readonly (readonly [string, string])[]): void => {
    let text = readFileSync(join(folder, path), 'utf8');
    for (const [from, to] of changes) {
      ok(text.includes(from), from);
      text = text.replaceAll(from, to);
    }
    writeFiles(folder, { [path]: text });
  };
  const diff = (...args: string[]): Promise<Said> => runCommand('diff', ...args);
  const json = async (...args: string[]): Promise<JsonDiff> =>
    JSON.parse((await diff(...args, '--format', 'json')).out) as JsonDiff;
  const changed = async (...args: string[]): Promise<string[]> =>
    (await json(...args)).changedKernels.map(({ name, verdict }) => `${name} ${verdict}`);

  for (const name of ['take', '__take'])
    it(`takes a kernel of which less is read for no improvement: ${name}`, async () => {
      edit('src/kernels.cu', ['out[i] = in[i];', `${name}(out + i, in + i);`]);
      const { out, err } = await runCommand('diff', 'HEAD');
      match(out, /copy\(float \*, float \*, int\) can no longer be compared: less of it is read/);
      match(out, /accesses and calls whose traffic is unknown +0 → 1/);
      ok(!out.includes('less traffic'), out);
      match(err, /Of 1 kernel less could be read than before\./);
      const gate = await runCommand('diff', 'HEAD', '--gate', 'unknown <= +0');
      strictEqual(gate.code, 1);
    });

  it('compares launches, or as many threads, where blocks have another size', async () => {
    const launched = (config: string): void =>
      writeFiles(folder, { 'src/go.cu': `${launcher.replace('<<<n / 256, 256>>>', `<<<${config}>>>`)}` });
    for (const [before, after, unit, verdict, gate] of [
      ['4096, 256', '2048, 512', 'launch', 'differs', 0],
      ['4096, 256', '2048, 1024', 'launch', 'slower: more traffic', 1],
      ['n / 512, 512', 'n / 32, 32', 'warp', 'slower: has fewer threads at a time', 0],
      ['n / 256, 256', 'n / 512, 512', 'warp', 'differs', 0],
    ] as const) {
      launched(before);
      git('commit', '-q', '--allow-empty', '-am', before);
      launched(after);
      const [copy] = (await json('HEAD')).changedKernels;
      deepStrictEqual([copy?.unit, copy?.verdict], [unit, verdict], after);
      strictEqual((await diff('HEAD', '--gate', 'sectors <= +5 %')).code, gate, after);
    }
    match((await diff('HEAD')).out, /a grid is unknown: equal numbers of threads are compared/);
  });

  it('names kernels under a condition, as check does', async () => {
    edit('src/kernels.cu', [
      '__global__ void copy',
      '#ifdef FAST\n__global__ void fast(float *a) {}\n#endif\n__global__ void copy',
    ]);
    match((await diff('HEAD')).err, /src\/kernels\.cu:2: note: A kernel is under FAST, which is not defined/);
  });

  it('names launches that are not read any more', async () => {
    edit('src/go.cu', ['turn<<<dim3', 'turned<<<dim3']);
    const { err } = await runCommand('diff', 'HEAD');
    match(err, /src\/go\.cu:\d+: not read: The kernel `turned` is not defined or declared here\./);
    const json = JSON.parse((await runCommand('diff', 'HEAD', '--format', 'json')).out) as {
      unread: readonly { what: string; reason: string; file: string }[];
    };
    deepStrictEqual(
      json.unread.map(({ what, reason, file }) => [what, reason, file]),
      [['launch', 'kernel-not-found', 'src/go.cu']],
    );
  });

  it('finds nothing in an edit that changes nothing', async () => {
    edit(
      'src/kernels.cu',
      ['int i =', '  int  index ='],
      ['out[i] = in[i]', 'out[ index ] = in[index] /* copy */'],
      ['(i < n)', '( index<n )'],
    );
    const found = await json('HEAD');
    strictEqual(found.comparedKernels, 2);
    deepStrictEqual([...found.changedKernels, ...found.newFindings, ...found.goneFindings], []);
    // The same kernels in another order, and one of them in a separate file.
    const [copy, turn] = kernels.replace('#include "place.cuh"\n', '').split('\n\n');
    writeFiles(folder, { 'src/kernels.cu': `#include "place.cuh"\n${turn!}`, 'src/copy.cu': `${copy!}\n` });
    const moved = await json('HEAD');
    deepStrictEqual([...moved.changedKernels, ...moved.newKernels, ...moved.goneKernels, ...moved.newFindings], []);
  });

  it('finds nothing in lines that are broken elsewhere and kernels that moved to an included header', async () => {
    edit('src/kernels.cu', ['[32][33]', '[32][32]']);
    commit('a conflict');
    const conflict = kernels.replace('[32][33]', '[32][32]');
    const [include, ...code] = conflict.split('\n');
    writeFiles(folder, { 'src/kernels.cu': `${include!}\n${code.join('\n').replaceAll(' = ', '\n    =\n    ')}` });
    const broken = await json('HEAD');
    strictEqual(broken.comparedKernels, 2);
    deepStrictEqual([...broken.changedKernels, ...broken.newFindings, ...broken.goneFindings], []);
    writeFiles(folder, { 'src/turn.cuh': `#pragma once\n${conflict}`, 'src/kernels.cu': '#include "turn.cuh"\n' });
    const moved = await json('HEAD');
    strictEqual(moved.comparedKernels, 2);
    deepStrictEqual([moved.changedKernels, moved.newKernels, moved.goneKernels], [[], [], []]);
    deepStrictEqual([moved.newFindings, moved.goneFindings], [[], []]);
  });

  it('reports a stride in accessors of tensors, functors and lambdas, and small blocks of theirs', async () => {
    const accessor = 'torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits>';
    const packed = 'packed_accessor32<float, 2, torch::RestrictPtrTraits>()';
    const each = `template <class F> __global__ void each(F f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}
`;
    const program: Readonly<Record<string, string>> = {
      'src/tensor.cu': `#include <torch/extension.h>
__global__ void crop(${accessor} in, ${accessor} out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[blockIdx.y][i] = in[blockIdx.y][i];
}
void go(torch::Tensor a, torch::Tensor b, int n) { crop<<<dim3(n / 256, n), 256>>>(a.${packed}, b.${packed}); }
`,
      'src/functor.cu': `struct Copy {
  float *out;
  const float *in;
  __device__ void operator()(int i) const { out[i] = in[i]; }
};
${each}void go(float *a, const float *b, int n) { each<<<n / 256, 256>>>(Copy{a, b}, n); }
`,
      'src/lambda.cu': `${each}void go(float *out, const float *in, int n) {
  each<<<n / 256, 256>>>([=] __device__(int i) { out[i] = in[i]; }, n);
}
`,
    };
    writeFiles(folder, program);
    commit('generic');
    for (const path of Object.keys(program)) {
      const read = path === 'src/tensor.cu' ? 'in[blockIdx.y][i' : 'in[i';
      edit(path, [`${read}]`, `${read} * 8]`]);
      deepStrictEqual(
        (await json('HEAD')).changedKernels.map(({ verdict }) => verdict),
        ['slower: more traffic'],
        path,
      );
      git('checkout', '-q', '.');
      edit(path, ['n / 256', 'n / 32'], [', 256>>>', ', 32>>>']);
      const verdicts = (await json('HEAD')).changedKernels.map(({ verdict }) => verdict);
      deepStrictEqual([...new Set(verdicts)], ['slower: has fewer threads at a time'], path);
      git('checkout', '-q', '.');
    }
  });

  it('keeps figures while nothing that they rest on has changed, and only then', async () => {
    edit('src/kernels.cu', ['[32][33]', '[32][32]']);
    const first = await diff('HEAD');
    deepStrictEqual(await diff('HEAD'), first);
    // The kept result is changed without breaking it: the report then shows that it was used.
    for (const name of readdirSync(join(cache, 'warplens'), { recursive: true, encoding: 'utf8' })) {
      const path = join(cache, 'warplens', name);
      if (!statSync(path).isFile()) continue;
      const body = readFileSync(path, 'utf8').split('\n')[1]!.replaceAll('"text":"', '"text":"FORGED ');
      writeFileSync(path, `${digestOf(body)}\n${body}`);
    }
    match((await diff('HEAD')).out, /FORGED/, 'kept figures are used');
    ok(!(await diff('HEAD', '--no-cache')).out.includes('FORGED'));
    // A header, and a launch in another file: the text of the kernel's own file is as it was.
    edit('src/place.cuh', ['row * pitch', 'row * 2 * pitch']);
    deepStrictEqual(await changed('HEAD'), ['turn slower: more traffic']);
    edit('src/go.cu', ['<<<n / 256, 256>>>', '<<<n / 96, 96>>>']);
    match(JSON.stringify((await json('HEAD')).changedKernels.map(({ after }) => after['blocks'])), /96/);
  });

  it('tells a removed pad with its figures, its places and the finding that it makes', async () => {
    edit('src/kernels.cu', ['[32][33]', '[32][32]']);
    const found = await json('HEAD');
    const [turn] = found.changedKernels;
    deepStrictEqual([turn?.name, turn?.verdict, turn?.line], ['turn', 'slower: more traffic', 7]);
    strictEqual(turn?.before['wavefronts'], 64);
    strictEqual(turn.after['wavefronts'], 32 + 32 * 32);
    deepStrictEqual(turn.edited, [{ path: 'src/kernels.cu', first: 8, last: 8 }]);
    deepStrictEqual(
      found.newFindings.map(({ rule, severity, line }) => `${line} ${severity} ${rule}`),
      ['13 warning cuda/bank-conflict'],
    );
    const { code, out } = await diff('HEAD', '--gate', 'wavefronts <= +5 %, new-warnings == 0');
    strictEqual(code, 1);
    match(out, /shared memory wavefronts per block +64 → 1,056 +\(16\.5×\)/);
    match(out, /gate: wavefronts <= \+5 %: wavefronts of turn was 64, is 1056\./);
    match(out, /fix \(safe\): /);
    strictEqual((await diff('HEAD', '--gate', 'sectors <= +5 %')).code, 0);
    strictEqual((await diff('HEAD')).code, 0);
  });

  it('follows what a kernel includes, calls and is launched with in other files', async () => {
    edit('src/place.cuh', ['row * pitch + column', 'column * pitch + row']);
    deepStrictEqual(await changed('HEAD'), ['turn slower: more traffic']);
    git('checkout', '-q', '.');
    edit('src/go.cu', ['block(WIDTH, 32)', 'block(8, 128)']);
    const found = await json('HEAD');
    const [turn] = found.changedKernels;
    deepStrictEqual([turn?.name, turn?.before['blocks'], turn?.after['blocks']], ['turn', ['32×32'], ['8×128']]);
    deepStrictEqual(turn?.edited, [{ path: 'src/go.cu', first: 5, last: 5 }]);
    git('checkout', '-q', '.');
    edit('src/place.cuh', ['WIDTH 32', 'WIDTH 16']);
    deepStrictEqual((await json('HEAD')).changedKernels[0]?.edited, [{ path: 'src/place.cuh', first: 3, last: 3 }]);
  });

  it('compares commits, what a branch changed, and files that were renamed', async () => {
    git('branch', 'base');
    edit('src/kernels.cu', ['out[i] = in[i]', 'out[i * 4] = in[i]']);
    mkdirSync(join(folder, 'lib'));
    renameSync(join(folder, 'src/kernels.cu'), join(folder, 'lib/copy.cu'));
    edit('lib/copy.cu', ['"place.cuh"', '"../src/place.cuh"']);
    commit('two');
    git('branch', 'feature');
    deepStrictEqual(await changed('HEAD~1', 'HEAD'), ['copy slower: more traffic']);
    deepStrictEqual(await changed('HEAD', 'HEAD~1'), ['copy faster: less traffic']);
    deepStrictEqual(await changed('HEAD~1..HEAD'), ['copy slower: more traffic']);
    // Later commits of the base are not changes of the branch.
    git('checkout', '-q', 'base');
    edit('src/kernels.cu', ['[32][33]', '[32][32]']);
    commit('meanwhile');
    deepStrictEqual(await changed('base...feature'), ['copy slower: more traffic']);
    // An edit that was not committed yet is of the working tree alone.
    edit('src/kernels.cu', ['[32][32]', '[32][34]']);
    deepStrictEqual(await changed('HEAD~1', 'HEAD'), ['turn slower: more traffic']);
  });

  it('compares folders, and counts new kernels and those that are gone', async () => {
    writeFiles(folder, { 'other/place.cuh': header, 'other/go.cu': launcher });
    writeFiles(folder, {
      'other/kernels.cu': `${kernels.split('\n\n')[0]!}\n__global__ void fill(float *a) { a[threadIdx.x] = 0; }\n`,
    });
    const found = await json('src', 'other');
    deepStrictEqual(
      [found.newKernels.map(({ name }) => name), found.goneKernels.map(({ name }) => name)],
      [['fill'], ['turn']],
    );
    deepStrictEqual(found.changedKernels, []);
    strictEqual(found.comparedKernels, 1);
  });

  it('omits files beside the folders', async () => {
    // Neighbours count where launches are looked for; they are of neither version.
    writeFiles(folder, { 'fill.cu': '__global__ void fill(float *a) { a[threadIdx.x] = 0; }\n' });
    const program = (block: number): string =>
      `#include "CMakeLists.txt"\n__global__ void fill(float *a);\nvoid go(float *a) { fill<<<1, ${block}>>>(a); }\n`;
    writeFiles(folder, { 'old/go.cu': program(256), 'new/go.cu': program(128) });
    strictEqual((await json('old', 'new')).comparedKernels, 0);
  });

  it('tells a barrier that moved into a loop, and a kernel that was rewritten under another name', async () => {
    const loop = 'for (int k = 0; k < 64; k++) tile[threadIdx.y][threadIdx.x] += k;';
    edit('src/kernels.cu', ['  __syncthreads();', `  ${loop}\n  __syncthreads();`]);
    commit('loop');
    edit('src/kernels.cu', [
      `${loop}\n  __syncthreads();`,
      loop.replace(') tile', ') { __syncthreads(); tile') + '\n  }',
    ]);
    const [turn] = (await json('HEAD')).changedKernels;
    deepStrictEqual(
      [turn?.verdict, turn?.before['barriers'], turn?.after['barriers']],
      ['slower: more barriers', 1, 64],
    );
    edit('src/kernels.cu', ['void turn(float *out', 'void rotate(int unused, float *out']);
    edit(
      'src/go.cu',
      ['void turn(float *out', 'void rotate(int unused, float *out'],
      ['turn<<<', 'rotate<<<'],
      ['(a, b, n);', '(0, a, b, n);'],
    );
    const found = await json('HEAD');
    strictEqual([found.newKernels, found.goneKernels].map(([one]) => one?.name).join(), 'rotate,turn');
  });

  it('reads no dependent of a header whose comments and layout changed', async () => {
    edit('src/place.cuh', ['return row', '\n  // the row\n  return row']);
    match((await diff('HEAD')).err, /^(0|1) files? read\. No figure/m);
    edit('src/place.cuh', ['#define WIDTH 32', '#define WIDTH 16']);
    match((await diff('HEAD')).err, /^3 files read\./m);
  });

  it('writes Markdown, SARIF and Code Quality', async () => {
    edit('src/kernels.cu', ['out[i] = in[i]', 'out[i * 2] = in[i]'], ['[32][33]', '[32][32]']);
    const markdown = (await diff('HEAD', '--format', 'markdown', '--gate', 'sectors <= +5 %')).out;
    match(markdown, /^### Warplens: HEAD → the working tree/);
    match(markdown, /\*\*The gate fails\.\*\*/);
    match(markdown, /\| `copy` src\/kernels\.cu:2 \| global memory sectors per block \| 64 \| 96 \| 1\.5× \|/);
    const sarif = JSON.parse((await diff('HEAD', '--format', 'sarif')).out) as {
      runs: [{ results: { ruleId: string; locations: { physicalLocation: { region: { startLine: number } } }[] }[] }];
    };
    const lines = sarif.runs[0].results.map(
      ({ ruleId, locations }) => `${locations[0]!.physicalLocation.region.startLine} ${ruleId}`,
    );
    ok(lines.includes('13 cuda/bank-conflict'), lines.join(', '));
    ok(
      lines.some((line) => /^4 /.test(line)),
      lines.join(', '),
    );
    const issues = JSON.parse((await diff('HEAD', '--format', 'codequality')).out) as object[];
    const validate = new Ajv({ strict: false }).compile(codeQualitySchema);
    ok(validate(issues), JSON.stringify(validate.errors));
    ok(issues.length >= 2);
  });

  it('says in one sentence what cannot be compared', async () => {
    for (const [args, sentence] of [
      [['nowhere'], /git knows no revision "nowhere"/],
      [['src'], /is a folder: name a second folder/],
      [['src', 'nowhere'], /no folder "nowhere"/],
      [['HEAD', '--format', 'xml'], /Unknown format "xml"/],
      [['HEAD', '--gate', 'speed == 1'], /Unknown gate figure "speed"/],
    ] as const) {
      const { code, err } = await diff(...args);
      strictEqual(code, 2, args.join(' '));
      match(err, sentence);
      strictEqual(err.trim().split('\n').length, 1);
    }
    process.chdir(tmpdir());
    match((await diff('HEAD')).err, /is not in a git repository/);
  });
});

/** What GitLab's documentation asks of each issue. */
const codeQualitySchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['description', 'check_name', 'fingerprint', 'severity', 'location'],
    properties: {
      description: { type: 'string', minLength: 1 },
      check_name: { type: 'string', minLength: 1 },
      fingerprint: { type: 'string', minLength: 1 },
      severity: { enum: ['info', 'minor', 'major', 'critical', 'blocker'] },
      location: {
        type: 'object',
        required: ['path', 'lines'],
        properties: {
          path: { type: 'string', pattern: '^[^/]' },
          lines: { type: 'object', required: ['begin'], properties: { begin: { type: 'integer', minimum: 1 } } },
        },
      },
    },
  },
};
