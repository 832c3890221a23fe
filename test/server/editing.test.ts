// A server that has followed any edits says what a fresh one says of the same text, and does not grow.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Diagnostic } from 'vscode-languageserver-protocol/node';
import type { Measured } from './measuredEdits';
import { startEditor, uriOf, type Editor } from './support';
import { drawn, itDeep } from '../support/depth';

const samples = join(__dirname, '..', '..', 'samples');
const sample = (name: string): string => readFileSync(join(samples, name), 'utf8');
const base = [
  'transpose/unpadded-tile.cu',
  'vector-addition/chunk-per-thread.cu',
  'parity/parity-branch.cu',
  'axes/slow-axis.cu',
]
  .map(sample)
  .join('\n');

/** More runs where there is time: WARPLENS_PROPERTY_RUNS=500. */
const runs = Number(process.env['WARPLENS_PROPERTY_RUNS'] ?? drawn(5, 15));

interface Change {
  readonly at: number;
  readonly length: number;
  readonly text: string;
}

const pieces = [
  '',
  '\r\n',
  ...` \n{}();"'<`,
  '/*',
  '*/',
  '// x\n',
  '#define tileSize 16\n',
  '#undef tileSize\n',
  '#if 0\n',
  '#endif\n',
  '\\\n',
  'int q = 0;',
  ' * 2',
  'threadIdx.x',
  '__syncthreads();',
  'if (threadIdx.x & 1) ',
  '<<<1, 32>>>',
  'for (int j = 0; j < 4; j++) ',
  '__global__ void more(float *a) { a[threadIdx.x * 3] = 0; }\n',
  '// warplens-ignore-file\n',
  '// warplens-ignore-line cuda/bank-conflict: x',
  '\ud83d\ude00',
  '\ud83d',
  'R"(',
  'template <int N> ',
  '__device__ int lane() { return threadIdx.x * 4; }\n',
  'lane()',
  '__device__ float table[64];\n',
  'table[lane()] = 0;',
  'constexpr int wide() { return 3; }\n',
  'struct Two { float x, y; };\n',
  'int lane(int) { return 1; }\n',
];
const change: fc.Arbitrary<Change> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 6 }) },
    { weight: 1, arbitrary: fc.integer({ min: 7, max: 400 }) },
  ),
  text: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...pieces) },
    { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
  ),
});

function type(editor: Editor, uri: string, { at, length, text }: Change): void {
  const whole = editor.document(uri).getText();
  const start = Math.floor(at * whole.length);
  editor.replace(uri, start, Math.min(whole.length, start + length), text);
}

async function fresh(
  files: Readonly<Record<string, string>>,
  texts: Readonly<Record<string, string>>,
  settled: (editor: Editor) => Promise<void>,
): Promise<Record<string, Diagnostic[]>> {
  const editor = await startEditor({ files });
  try {
    for (const [uri, text] of Object.entries(texts)) editor.open(uri, text);
    for (const uri of Object.keys(texts)) await editor.diagnostics(uri);
    await settled(editor);
    const findings: Record<string, Diagnostic[]> = {};
    for (const uri of Object.keys(texts)) findings[uri] = await editor.diagnostics(uri);
    return findings;
  } finally {
    editor.stop();
  }
}

describe('after any edits', function () {
  this.timeout(300_000);

  it('the findings of one file equal those of a fresh server', async () => {
    const uri = uriOf('edited.cu');
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
        const editor = await startEditor();
        try {
          editor.open(uri, base);
          await editor.diagnostics(uri);
          for (const each of changes) {
            type(editor, uri, each);
            await editor.diagnostics(uri);
          }
          const text = editor.document(uri).getText();
          assert.deepEqual({ [uri]: await editor.diagnostics(uri) }, await fresh({}, { [uri]: text }, async () => {}));
        } finally {
          editor.stop();
        }
      }),
      { numRuns: runs },
    );
  });

  it('the findings of a file and its header equal those of a fresh server', async () => {
    const header =
      'constexpr int step = 8;\nstruct Pair { float a, b; };\n__global__ void wide(const Pair *in, float *out, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i].a;\n}\n';
    const main =
      '#include "wide.cuh"\n__global__ void more(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x * step]; }\nvoid run(const Pair *p, float *q, int n) { wide<<<n / 64, 64>>>(p, q, n); more<<<1, 96>>>(q, q); }\n';
    const files = { '/project/wide.cuh': header, '/project/main.cu': main };
    const [ofHeader, ofMain] = [uriOf('wide.cuh'), uriOf('main.cu')];
    // Other documents hear of a change when the typing stops.
    const rested = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 1300));
    };
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), change), { minLength: 1, maxLength: 8 }), async (changes) => {
        const editor = await startEditor({ files });
        try {
          editor.open(ofHeader, header);
          editor.open(ofMain, main);
          for (const [inHeader, each] of changes) {
            type(editor, inHeader ? ofHeader : ofMain, each);
            await editor.diagnostics(ofHeader);
            await editor.diagnostics(ofMain);
          }
          await rested();
          const texts = {
            [ofHeader]: editor.document(ofHeader).getText(),
            [ofMain]: editor.document(ofMain).getText(),
          };
          const followed = {
            [ofHeader]: await editor.diagnostics(ofHeader),
            [ofMain]: await editor.diagnostics(ofMain),
          };
          assert.deepEqual(followed, await fresh(files, texts, rested));
        } finally {
          editor.stop();
        }
      }),
      { numRuns: Math.ceil(runs / 3) },
    );
  });

  const many = drawn(120, 1008);
  it(`the memory is what it was after ${many} of them`, () => {
    assert.ok(grownBy('--lines', '60', '--edits', String(many)) < 8);
  });
  itDeep('versions of a long text do not stay because something was cut out of them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'warplens-long-'));
    try {
      const statements = Array.from({ length: 8 }, (_, at) => `  to[threadIdx.x * ${at + 2}] = from[threadIdx.x];\n`);
      const comment = `/* ${'about it, '.repeat(60_000)} */`;
      const text = `${comment}\n__global__ void k(float *to, float *from) {\n${statements.join('')}}\n`;
      const file = join(folder, 'long.cu');
      writeFileSync(file, text);
      // Each version is 0.6 MB.
      assert.ok(grownBy('--file', file, '--edits', '168') < 12);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** Megabytes that the server grows by, in a separate process: here the servers of other tests would be counted too. */
function grownBy(...args: string[]): number {
  const program = join(__dirname, 'measuredEdits.ts');
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', program, ...args], {
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  const { megabytesBefore, megabytesAfter, milliseconds } = JSON.parse(stdout) as Measured;
  assert.equal(milliseconds.length, Number(args.at(-1)));
  return megabytesAfter - megabytesBefore;
}
