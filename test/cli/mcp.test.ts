// `warplens mcp` over the built bundle: by the SDK's own client, and by what another client was recorded to send.
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { answerOf, longestAnswer } from '../../cli/src/mcp/answer';
import { readReportFixture } from '../profiler/support/reportFixtures';
import { runCommand, writeFiles } from '../support/commandLine';
import { bundleOf } from '../support/bundles';

const kernels = `__global__ void transposeDiagonal(float *out, const float *in, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void scale(float *a, const float *b) { a[blockIdx.x * 256 + threadIdx.x] = b[threadIdx.x * 4]; }
int main() {
  float *a, *b;
  cudaMalloc(&a, 1 << 22);
  cudaMalloc(&b, 1 << 22);
  transposeDiagonal<<<dim3(32, 32), dim3(32, 32)>>>(a, b, 1024);
  scale<<<64, 256>>>(a, b);
}
`;

interface ModelJson {
  readonly accesses: readonly { readonly line: number; readonly mode: string; readonly wavefronts?: number }[];
}

describe('warplens mcp', function () {
  this.timeout(60_000);
  let folder: string;
  let bundle: string;
  before(() => {
    bundle = bundleOf('cli');
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'warplens-mcp-')));
    const sample = (name: string): Buffer =>
      readFileSync(join(__dirname, '..', '..', 'samples', 'profiles', `${name}.ncu-rep`));
    writeFiles(folder, {
      'matrixT-cuda/main.cu': kernels,
      'report.ncu-rep': readReportFixture('patterns-full'),
      'padless.ncu-rep': sample('unpadded-tile'),
      'padded.ncu-rep': sample('unpadded-tile.fixed'),
    });
    writeFiles(folder, { 'library.cu': '__global__ void k(float *a) { a[threadIdx.x] *= 1.5; }\n' });
    writeFiles(folder, { 'notes.md': '# Notes\n' });
    symlinkSync(tmpdir(), join(folder, 'elsewhere'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function withClient<T>(
    work: (
      ask: (name: string, args: object) => Promise<{ text: string; isError: boolean }>,
      client: Client,
    ) => Promise<T>,
    flags: readonly string[] = [],
    run?: boolean,
  ): Promise<T> {
    const capabilities = run === undefined ? {} : { elicitation: { form: {} } };
    const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities });
    if (run !== undefined)
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        match(params.message, /wants to build and run/);
        return { action: 'accept', content: { run } };
      });
    const env = process.env as Record<string, string>;
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [bundle, 'mcp', folder, ...flags],
        env,
        stderr: 'pipe',
      }),
    );
    try {
      return await work(async (name, args) => {
        // The client holds the data against the tool's schema.
        await client.listTools();
        const { content, isError, structuredContent } = await client.callTool({ name, arguments: { ...args } });
        const [{ text }] = content as unknown as [{ text: string }];
        ok(text.length <= longestAnswer, `${text.length} characters`);
        const { items = [] } = (structuredContent ?? {}) as { items?: { text: string }[] };
        ok(items.every((item) => text.includes(item.text)));
        return { text, isError: isError === true };
      }, client);
    } finally {
      await client.close();
    }
  }

  it('offers its tools, those that only read marked so', async () => {
    await withClient(async (ask, client) => {
      const { tools } = await client.listTools();
      deepStrictEqual(
        tools.map(({ name, annotations }) => `${name} ${annotations?.readOnlyHint}`),
        ['check', 'model', 'fix', 'rules', 'explain', 'report', 'compare'].map((name) => `${name} true`),
      );
      ok(tools.every(({ description }) => description!.length > 30));
      match((await ask('rules', {})).text, /^cuda\/bank-conflict: /m);
    });
    await withClient(
      async (_, client) => {
        strictEqual((await client.listTools()).tools.at(-1)?.name, 'measure');
      },
      ['--allow-measure'],
    );
  });

  it('answers with the figures of the model, the findings and the pages', async () => {
    const file = join(folder, 'matrixT-cuda', 'main.cu');
    const model = JSON.parse((await runCommand('model', file, '--format', 'json')).out) as ModelJson;
    const read = model.accesses.find(({ line, wavefronts }) => line === 6 && wavefronts !== undefined);
    strictEqual(read?.wavefronts, 32);
    await withClient(async (ask) => {
      const kernel = await ask('model', { file: 'matrixT-cuda/main.cu', kernel: 'transposeDiagonal' });
      match(kernel.text, /blocks of 32×32×1: one block requests 256 sectors .* 1,056 wavefronts/);
      match(
        kernel.text,
        /line 6: shared load of 4 bytes, tile\[threadIdx\.x\]\[threadIdx\.y\]: 32 wavefronts instead of 1 \(32\.0×\)/,
      );
      // The heaviest access of its kernel is reported first.
      ok(kernel.text.indexOf('line 6: shared') < kernel.text.indexOf('line 4: shared'));
      const whole = await ask('model', { file: 'matrixT-cuda/main.cu' });
      match(whole.text, /kernel transposeDiagonal, line 1[\s\S]*kernel scale, line 8/);
      const found = await ask('check', {});
      match(
        found.text,
        /matrixT-cuda\/main\.cu:6 warning cuda\/bank-conflict: 32-way bank conflict[^\n]*\. Fix \(safe\): [^\n]*× faster/,
      );
      match((await ask('explain', { rule: 'cuda/bank-conflict' })).text, /^# cuda\/bank-conflict/);
    });
  });

  it('lists the OpenACC loops of a file with their levels, and says where a file has no figures', async () => {
    writeFiles(folder, {
      'acc/s.f90':
        'subroutine s(a, n)\n  real(4) :: a(n)\n  integer :: i, n\n  !$acc parallel loop gang vector\n' +
        '  do i = 1, n\n    a(i) = 0\n  end do\nend subroutine\n',
      'acc/only.cuh': '__device__ int next(int i) { return i + 1; }\n',
    });
    await withClient(async (ask) => {
      const loops = (await ask('model', { file: 'acc/s.f90' })).text;
      match(loops, /^acc\/s\.f90, figures for \w+\.\n4: parallel in s\n +5:3 +do i = 1, n: gang, vector\(128\)/);
      match((await ask('model', { file: 'acc/only.cuh' })).text, /\nIt has no kernels, launches, accesses or OpenACC/);
    });
    match((await runCommand('model', join(folder, 'acc/only.cuh'))).out, /\nIt has no kernels, launches, accesses/);
    rmSync(join(folder, 'acc'), { recursive: true });
  });

  it('orders by predicted time, and gives the edits of a fix as a diff that git applies', async () => {
    const source = `__global__ void few(float *a) { a[threadIdx.x] = a[threadIdx.x] * 1.5; }
__global__ void many(float *o, const float *a) { o[blockIdx.x * 256 + threadIdx.x] = a[(blockIdx.x * 256 + threadIdx.x) * 8]; }
__global__ void heavy(float *a) { float x = a[threadIdx.x]; for (int i = 0; i < 1000; i++) x = x * 1.5 + 0.5; a[threadIdx.x] = x; }
template <class T> __global__ void unread(T a) { a.at(threadIdx.x) = 1; }
int main() { float *a, *b; few<<<1, 32>>>(a); many<<<4096, 256>>>(a, b); heavy<<<1, 32>>>(a); }
`;
    writeFiles(folder, { 'order/a.cu': source });
    await withClient(async (ask) => {
      const { text } = await ask('check', { paths: ['order'] });
      match(text, /^.*\nWorth a change by prediction: 1 of 3; .*\n(?:Not read.*\n)?order\/a\.cu:2 /);
      match((await ask('model', { file: 'order/a.cu' })).text, /kernel unread, line 4: its traffic could not be read/);
      const { text: fix } = await ask('fix', { file: 'order/a.cu', line: 1 });
      match(fix, /\nedit order\/a\.cu 1:67-1:70 "1\.5f"\n/);
      writeFiles(folder, { 'fix.patch': `${fix.slice(fix.indexOf('--- a/'))}\n` });
      execFileSync('git', ['-C', folder, 'apply', 'fix.patch']);
      strictEqual(readFileSync(join(folder, 'order/a.cu'), 'utf8'), source.replace('1.5', '1.5f'));
      for (const short of ['__global__ void k(float *a) { a[threadIdx.x] *= 1.5; }', `${source.split('\n')[0]}\r\n`]) {
        writeFiles(folder, { 'order/b.cu': short });
        const shorter = (await ask('fix', { file: 'order/b.cu', line: 1 })).text;
        writeFiles(folder, { 'fix.patch': `${shorter.slice(shorter.indexOf('--- a/'))}\n` });
        execFileSync('git', ['-C', folder, 'apply', 'fix.patch']);
        strictEqual(readFileSync(join(folder, 'order/b.cu'), 'utf8'), short.replace('1.5', '1.5f'));
      }
      const page = (await ask('explain', { rule: 'cuda/uncoalesced-access' })).text;
      match(page, /\n## Fixes\n\nA loop/);
    });
    rmSync(join(folder, 'order'), { recursive: true });
  });

  it('answers pings during a check, reports progress, gives a part in time, and stops when cancelled', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [`large/p${at}/k.cu`, kernels.replaceAll('1024', String(1024 + at))]),
    );
    writeFiles(folder, files);
    await withClient(async (_, client) => {
      const heard: number[] = [];
      const began = Date.now();
      let running = true;
      const check = client
        .callTool(
          { name: 'check', arguments: { paths: ['large'] } },
          { onprogress: ({ progress }) => heard.push(progress) },
        )
        .finally(() => {
          running = false;
        });
      const pings: number[] = [];
      while (running) {
        const at = Date.now();
        await client.ping();
        pings.push(Date.now() - at);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const text = JSON.stringify((await check).content);
      // A machine under load is slow with everything: only what the check takes can be compared with.
      const took = Date.now() - began;
      ok(/of 400 files/.test(text) || (took < 10_000 && /in 400 files/.test(text)), `${took} ms: ${text}`);
      pings.sort((a, b) => a - b);
      ok(pings[Math.floor(pings.length * 0.9)]! <= took / 4, `pings of ${pings.slice(-5).join(', ')} ms of ${took}`);
      strictEqual(heard[0], 0);
      const { pid } = client.transport as StdioClientTransport;
      const threads = (): number => readdirSync(`/proc/${pid}/task`).length;
      const hasThreads = existsSync('/proc/self/task');
      let before = 0;
      const stop = new AbortController();
      const cancel = (): void => {
        if (hasThreads) before = threads();
        stop.abort();
      };
      const asked = { name: 'check', arguments: { paths: ['large'], rule: 'cuda/bank-conflict' } };
      await rejects(client.callTool(asked, { signal: stop.signal, onprogress: cancel }));
      // The client forgets the request by itself: the server has to end the thread that works on it.
      for (let tries = 0; hasThreads && threads() >= before; tries++) {
        ok(tries < 100, `${threads()} threads after the request was cancelled, ${before} before`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      match(
        JSON.stringify((await client.callTool({ name: 'model', arguments: { file: 'library.cu' } })).content),
        /kernel k/,
      );
    }).finally(() => rmSync(join(folder, 'large'), { recursive: true }));
  });

  it('names what it could not read', async () => {
    const gaps = `__device__ float load(const float *p);
__global__ void far(float *a) { a[threadIdx.x] = load(a + threadIdx.x); }
void run(float *a) { far<<<1, 256>>>(a); absent<<<1, 256>>>(a); }
`;
    writeFiles(folder, { 'gaps/far.cu': gaps });
    await withClient(async (ask) => {
      match((await ask('check', { paths: ['gaps'] })).text, /Not read of gaps\/far\.cu: 1 launch and 1 access\./);
      const whole = await ask('model', { file: 'gaps/far.cu' });
      match(whole.text, /line 3: not read: The kernel `absent` is not defined or declared here/);
      match(whole.text, /kernel far, line 2.*; 1 of 2 accesses not read/);
      const kernel = await ask('model', { file: 'gaps/far.cu', kernel: 'far' });
      match(kernel.text, /line 2: not read: `load\(a \+ threadIdx\.x\)` calls a function/);
    });
    rmSync(join(folder, 'gaps'), { recursive: true });
  });

  it('tells the kernels and the lines of a report, and two reports side by side', async () => {
    await withClient(async (ask) => {
      const all = await ask('report', { report: 'report.ncu-rep' });
      const name = /^(\w+): \d+ launches/m.exec(all.text)?.[1];
      ok(name !== undefined, all.text);
      match((await ask('report', { report: 'report.ncu-rep', kernel: name })).text, /:\d+: [\d.]+ % of the samples/);
      const same = await ask('compare', { base: 'report.ncu-rep', head: 'report.ncu-rep' });
      match(same.text, new RegExp(`${name}.*→.*\\(1×, within run-to-run variation\\)`));
      match(same.text, /No line differs beyond run-to-run variation\./);
      ok(!/samples/.test(same.text), same.text);
      const padded = await ask('compare', { base: 'padless.ncu-rep', head: 'padded.ncu-rep' });
      match(padded.text, /transpose: 84\.99 µs → 34\.27 µs a launch \(2\.\d+×\)/);
      match(
        padded.text,
        /unpadded-tile\.fixed\.cu:18 transpose: −21\.9 µs; samples [^;]*; .*wavefronts 32\.0× → 1\.0×/,
      );
    });
  });

  it('compares the working tree with a commit', async () => {
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
        encoding: 'utf8',
      });
    git('init', '-q');
    git('add', 'matrixT-cuda');
    git('commit', '-q', '-m', 'one');
    writeFiles(folder, { 'matrixT-cuda/main.cu': kernels.replace('[32][32]', '[32][33]') });
    try {
      const { text } = await withClient((ask) => ask('compare', {}));
      match(text, /^2 files read\. Figures of 1 of 2 kernels in both versions changed/);
      match(text, /shared memory wavefronts per block: 1,056 → 64/);
    } finally {
      writeFiles(folder, { 'matrixT-cuda/main.cu': kernels });
      rmSync(join(folder, '.git'), { recursive: true });
    }
  });

  it('refuses paths outside of its folder, and says what it cannot answer', async () => {
    await withClient(async (ask) => {
      for (const [name, args, sentence] of [
        ['check', { paths: ['/'] }, /is outside /],
        ['check', { paths: ['elsewhere'] }, /is outside /],
        ['model', { file: '../x.cu' }, /no file or folder|is outside /],
        ['report', { report: '/etc/passwd' }, /is outside /],
        ['compare', { base: '/', head: '/' }, /is outside /],
        ['model', { file: 'matrixT-cuda/main.cu', kernel: 'none' }, /Its kernels: transposeDiagonal, scale\./],
        ['check', { rule: 'cuda/none' }, /no rule "cuda\/none"/],
        ['compare', { before: 'a.ncu-rep' }, /[Uu]nrecognized key/],
        ['compare', { base: 'report.ncu-rep' }, /needs two reports/],
        ['report', { report: 'matrixT-cuda/main.cu' }, /main\.cu: /],
        ['model', { file: 'notes.md' }, /holds no CUDA or OpenACC code/],
        ['fix', { file: 'matrixT-cuda/main.cu', line: 1 }, /no finding on .* Lines of this file with fixes: .*6/],
      ] as const) {
        const { text, isError } = await ask(name, args);
        ok(isError, `${name} ${JSON.stringify(args)}: ${text}`);
        match(text, sentence);
        ok(!text.includes('    at '), text);
      }
    });
  });

  it('runs programs only where it was allowed to and the user agrees', async () => {
    const asked = { file: 'matrixT-cuda/main.cu', line: 6 };
    const declined = await withClient((ask) => ask('measure', asked), ['--allow-measure'], false);
    match(declined.text, /^Nothing was run: the user did not agree\.$/);
    // An invalid program is not run: the run itself is tested on a GPU.
    const library = { file: 'library.cu', line: 1 };
    const agreed = await withClient((ask) => ask('measure', library), ['--allow-measure'], true);
    match(agreed.text, /^The measurement failed: .*has no main/);
    ok(agreed.isError);
  });

  it('serves another client as it was recorded (the Python SDK, 2.3.0)', async () => {
    const lines = readFileSync(join(__dirname, 'mcp', 'python-client.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    const server = spawn(process.execPath, [bundle, 'mcp', folder], { stdio: ['pipe', 'pipe', 'inherit'] });
    const answers = new Map<number, { result?: Record<string, unknown> }>();
    let rest = '';
    const all = new Promise<void>((resolve, reject) => {
      server.on('error', reject).on('exit', () => reject(new Error('the server ended')));
      server.stdout.setEncoding('utf8').on('data', (text: string) => {
        const parts = (rest + text).split('\n');
        rest = parts.pop()!;
        for (const part of parts) {
          const message = JSON.parse(part) as { id: number; result?: Record<string, unknown> };
          answers.set(message.id, message);
        }
        if (answers.size === 4) resolve();
      });
    });
    for (const line of lines) server.stdin.write(`${line}\n`);
    await all;
    server.removeAllListeners('exit');
    strictEqual(answers.get(1)?.result?.['protocolVersion'], '2025-11-25');
    strictEqual((answers.get(2)!.result!['tools'] as unknown[]).length, 7);
    match(JSON.stringify(answers.get(3)?.result), /32 wavefronts instead of 1/);
    strictEqual(answers.get(4)?.result?.['isError'], true);
    // It goes when its client does.
    const ended = new Promise<number | null>((resolve) => server.on('exit', resolve));
    server.stdin.end();
    strictEqual(await ended, 0);
  });
});

describe('an answer', () => {
  it('keeps to its length, the heaviest first, and says what is missing', () => {
    const lines = Array.from({ length: 500 }, (_, at) => `line ${at} ${'x'.repeat(40)}`);
    const { text, data } = answerOf({ head: ['head'], lines, narrower: 'Ask for less.' });
    ok(text.length <= longestAnswer);
    match(text, /^head\nline 0 /);
    strictEqual(data.items.length, text.split('\n').filter((line) => line.startsWith('line ')).length);
    match(
      text,
      new RegExp(`Incomplete: ${data.omitted} of 500 did not fit \\(the least expensive\\)\\. Ask for less\\.$`),
    );
    ok(!answerOf({ head: [], lines: ['a'], narrower: '' }).text.includes('Incomplete'));
  });

  it('shows control characters instead of sending them', () => {
    const { text } = answerOf({ head: [`a\u001b[31m${'y'.repeat(2000)}`], lines: [], narrower: '' });
    ok(!text.includes('\u001b'));
    ok(text.length < 1000);
  });
});
