// The workspace: what the build says of a file, where includes lead, and whose launches count.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { lint } from '../../server/src/lint/lint';
import { findCompileCommands, parseCompileCommands, splitCommand } from '../../server/src/workspace/compileCommands';
import { decodeText, encodeLike } from '../../server/src/workspace/fileSystem';
import { resolveInclude } from '../../server/src/workspace/includes';
import { defaultGpu, gpuByName, gpus } from '../../server/src/semantic/gpus';
import { memoryFileSystem, memoryUri, memoryWorkspace } from '../support/analyseText';

describe('compile_commands.json', () => {
  it('gives defines, include folders and the architecture', () => {
    const database = parseCompileCommands(
      '/p/build/compile_commands.json',
      JSON.stringify([
        {
          directory: '/p/build',
          file: '../src/a.cu',
          command:
            'nvcc -DBLOCK=256 -D NDEBUG -DNAME=\\"x\\" -UOLD -I../include -isystem /opt/x -gencode arch=compute_80,code=sm_80 --generate-code=arch=compute_90,code=[sm_90] -c ../src/a.cu',
        },
        { directory: '/p/build', file: '/p/src/b.cpp', arguments: ['clang++', '-DB', '-I', '/inc', '-c', 'b.cpp'] },
      ]),
    )!;
    deepStrictEqual(database.flagsOf('/p/src/a.cu'), {
      defines: { BLOCK: '256', NDEBUG: '1', NAME: '"x"' },
      undefines: ['OLD'],
      includeDirs: ['/p/include', '/opt/x'],
      computeCapability: 9,
    });
    deepStrictEqual(database.flagsOf('/p/src/b.cpp')!.includeDirs, ['/inc']);
    strictEqual(
      database.flagsOf('/p/src/kernels.cuh')!.defines['BLOCK'],
      '256',
      'a header takes the flags of its neighbour',
    );
  });
  it('is found in a build folder further up, and a broken one is reported', () => {
    const entry = JSON.stringify([{ directory: '.', file: 'src/deep/a.cu', arguments: ['nvcc', '-DX=1'] }]);
    strictEqual(
      findCompileCommands(memoryFileSystem(new Map([['/p/build/compile_commands.json', entry]])), '/p/src/deep/a.cu')!
        .path,
      '/p/build/compile_commands.json',
    );
    const complaints: string[] = [];
    strictEqual(
      findCompileCommands(
        memoryFileSystem(new Map([['/p/compile_commands.json', '{"no": "array"}']])),
        '/p/a.cu',
        (sentence) => complaints.push(sentence),
      ),
      undefined,
    );
    match(complaints[0]!, /was skipped: a compilation database is/);
  });
  it('says whose OpenACC a file is compiled with, and for which GPU', () => {
    const flags = (...words: string[]) => {
      const { accCompiler, computeCapability } = parseCompileCommands(
        '/p/compile_commands.json',
        JSON.stringify([{ file: 'a.c', arguments: words }]),
      )!.flagsOf('/p/a.c')!;
      return [accCompiler, computeCapability];
    };
    deepStrictEqual(
      flags('/usr/bin/x86_64-linux-gnu-gcc-12', '-fopenacc', '-foffload-options=nvptx-none=-march=sm_80', '-c', 'a.c'),
      ['gcc', 8],
    );
    deepStrictEqual(flags('ccache', 'gfortran', '-O2', '-fopenacc'), ['gcc', undefined]);
    deepStrictEqual(flags('/opt/nvidia/bin/nvc', '-acc=gpu', '-gpu=cc80,cc90,managed'), ['nvhpc', 9]);
    deepStrictEqual(flags('pgfortran', '-ta=tesla:cc70'), ['nvhpc', 7]);
    deepStrictEqual(flags('gcc', '-c', 'a.c'), [undefined, undefined]);
    deepStrictEqual(flags('clang', '-fopenacc'), [undefined, undefined]);
    deepStrictEqual(flags('nvc', '-accelerate'), [undefined, undefined]);
  });
  it('of GCC makes a missing reduction an error: it adds none', async () => {
    const text =
      'float f(int n, const float *a) {\n  float s = 0;\n  #pragma acc parallel loop copyin(a[0:n])\n  for (int i = 0; i < n; i++) s += a[i];\n  return s;\n}\n';
    for (const [command, severity] of [
      ['gcc -fopenacc', 'error'],
      ['nvc -acc', 'warning'],
      ['cc', 'warning'],
    ]) {
      const database = JSON.stringify([{ file: 'a.c', directory: '/memory', command: `${command} -c a.c` }]);
      const workspace = await memoryWorkspace(new Map([['/memory/compile_commands.json', database]]));
      const analysed = workspace.analyse(memoryUri('a.c'), { text, version: 1 })!;
      const found = lint(analysed.model, text, { gpu: analysed.gpu }).findings;
      deepStrictEqual(
        found.filter(({ rule }) => rule === 'acc/missing-reduction').map((one) => one.severity),
        [severity],
        command,
      );
    }
  });
  it('of GCC makes a vector of a warp what is assumed, and of nvc device types what compiles', async () => {
    const text =
      'void f(int n, int m, const float *restrict b, float *restrict a) {\n  #pragma acc parallel loop gang copyin(b[0:n*16]) copyout(a[0:n*16])\n  for (int i = 0; i < n; i++) {\n    #pragma acc loop vector\n    for (int j = 0; j < (m < 16 ? m : 16); j++) a[i * 16 + j] = b[i * 16 + j];\n  }\n}\n';
    const found: unknown[] = [];
    for (const command of ['gcc -fopenacc', 'nvc -acc', 'gcc -O2']) {
      const database = JSON.stringify([{ file: 'a.c', directory: '/memory', command: `${command} -c a.c` }]);
      const workspace = await memoryWorkspace(new Map([['/memory/compile_commands.json', database]]));
      const { model, gpu } = workspace.analyse(memoryUri('a.c'), { text, version: 1 })!;
      const { findings } = lint(model, text, { gpu });
      const fixes = findings.filter(({ rule }) => rule === 'acc/vector-length').flatMap((each) => each.fixes);
      found.push([model.facts['acc-vector-length'][0]?.length, ...fixes.map((fix) => [fix.applicability, fix.title])]);
    }
    const fix = 'Use vector_length(32)';
    deepStrictEqual(found, [
      [32],
      [128, ['safe', fix], ['safe', `${fix}, for NVIDIA devices only`]],
      [128, ['safe', fix], ['unsafe', `${fix}, for NVIDIA only (not GCC 12)`]],
    ]);
  });
  it('survives anything', () => {
    for (const text of [
      '',
      'null',
      '[]',
      '[1, null, {}]',
      '[{"file": 3}]',
      '[{"file": "a.cu", "command": "nvcc -D"}]',
      '[{"file": "a.cu", "arguments": ["nvcc", "-I", 7]}]',
      '[{"file":"a.cu","command":"nvcc \\"-D"}]',
    ]) {
      parseCompileCommands('/p/compile_commands.json', text)?.flagsOf('/p/a.cu');
    }
  });
  it('is split as a shell would, but for Windows paths', () => {
    deepStrictEqual(splitCommand(`nvcc "-DA=b c" -DQ=\\"s\\" 'x y' a\\ b C:\\Users\\me`), [
      'nvcc',
      '-DA=b c',
      '-DQ="s"',
      'x y',
      'a b',
      'C:\\Users\\me',
    ]);
  });
});

describe('includes', () => {
  const files = memoryFileSystem(
    new Map([
      ['/p/src/near.cuh', ''],
      ['/p/include/far.cuh', ''],
      ['/opt/inc/lib/x.h', ''],
    ]),
  );
  it('are looked for beside the file, in the include folders, and where projects put them', () => {
    strictEqual(resolveInclude(files, 'near.cuh', false, '/p/src/a.cu', []), '/p/src/near.cuh');
    strictEqual(resolveInclude(files, 'far.cuh', false, '/p/src/a.cu', []), '/p/include/far.cuh');
    strictEqual(resolveInclude(files, 'lib/x.h', true, '/p/src/a.cu', ['/opt/inc']), '/opt/inc/lib/x.h');
    strictEqual(resolveInclude(files, 'far.cuh', true, '/p/src/a.cu', []), undefined, 'not with angle brackets');
    strictEqual(resolveInclude(files, 'gone.h', false, '/p/src/a.cu', []), undefined);
  });
});

describe('GPUs', () => {
  it('go by name, with the maker and blanks or without, and by architecture', () => {
    for (const name of [
      'H100',
      'h100',
      'NVIDIA H100',
      'sm_90',
      '9.0',
      'rtx4090',
      'NVIDIA GeForce RTX 4090',
      'sm_120',
      '10.0',
      'sm_100a',
    ])
      ok(gpuByName(name), name);
    for (const name of ['', 'GTX 9', 'sm_13', 'x'.repeat(1000)]) strictEqual(gpuByName(name), undefined);
    strictEqual(gpuByName('sm_90')!.multiprocessors, 132);
    ok(gpus.includes(defaultGpu));
  });
});

describe('texts', () => {
  it('are UTF-8 or UTF-16 with a mark; with a zero byte they are binary', () => {
    const utf8 = new TextEncoder();
    strictEqual(decodeText(utf8.encode('a\u00e9')), 'a\u00e9');
    strictEqual(decodeText(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])), '\ufeffa');
    strictEqual(decodeText(new Uint8Array([0xff, 0xfe, 0x61, 0x00])), 'a');
    strictEqual(decodeText(new Uint8Array([0xfe, 0xff, 0x00, 0x61])), 'a');
    strictEqual(decodeText(new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0])), undefined);
    strictEqual(decodeText(new Uint8Array([0x61, 0xc3])), 'a\u00c3', 'no UTF-8: Latin-1');
    strictEqual(decodeText(new Uint8Array()), '');
  });

  it('texts are written in the encoding that they were read in', () => {
    for (const bytes of [
      [0x61, 0xc3, 0xa9],
      [0xef, 0xbb, 0xbf, 0x61],
      [0xff, 0xfe, 0x61, 0x00],
      [0xfe, 0xff, 0x00, 0x61],
      [0x61, 0xe9, 0x0d, 0x0a],
      [],
    ]) {
      const original = new Uint8Array(bytes);
      deepStrictEqual([...encodeLike(original, decodeText(original)!)!], bytes);
    }
    strictEqual(encodeLike(new Uint8Array([0xe9]), '\u20ac'), undefined);
  });
});

describe('launches of neighbouring files', () => {
  const kernel = '__global__ void scale(float *v) { v[blockIdx.x * blockDim.x + threadIdx.x] *= 2.0f; }\n';
  const shapesOf = async (files: Readonly<Record<string, string>>, name: string): Promise<number[]> => {
    const workspace = await memoryWorkspace(
      new Map(Object.entries(files).map(([path, text]) => [`/memory/${path}`, text])),
    );
    const analysed = workspace.analyse(memoryUri(name))!;
    return analysed.model.facts.kernel.flatMap((fact) =>
      fact.shapes.filter((shape) => !shape.assumed).map((shape) => shape.block[0]),
    );
  };
  it('count for the kernels of a header that they include', async () => {
    deepStrictEqual(
      await shapesOf(
        {
          'p/kernels.cuh': kernel,
          'p/main.cu': '#include "kernels.cuh"\nvoid run(float *v) { scale<<<10, 192>>>(v); }\n',
        },
        'p/kernels.cuh',
      ),
      [192],
    );
  });
  it('count from the folder above when the file is included by name', async () => {
    deepStrictEqual(
      await shapesOf(
        {
          'p/kernels/scale.cuh': kernel,
          'p/main.cu': '#include "kernels/scale.cuh"\nvoid run(float *v) { scale<<<10, 96>>>(v); }\n',
        },
        'p/kernels/scale.cuh',
      ),
      [96],
    );
  });
  it('count for a kernel that the neighbour only declares', async () => {
    deepStrictEqual(
      await shapesOf(
        {
          'p/scale.cu': kernel,
          'p/main.cu': '__global__ void scale(float *v);\nvoid run(float *v) { scale<<<10, 160>>>(v); }\n',
        },
        'p/scale.cu',
      ),
      [160],
    );
  });
  it('do not count when the neighbour has a kernel of that name itself', async () => {
    deepStrictEqual(
      await shapesOf(
        { 'p/first.cu': kernel, 'p/second.cu': `${kernel}void run(float *v) { scale<<<10, 160>>>(v); }\n` },
        'p/first.cu',
      ),
      [],
    );
  });
  it('follow a changed file once it is notified', async () => {
    const files = new Map([
      ['/memory/p/k.cuh', kernel],
      ['/memory/p/main.cu', '#include "k.cuh"\nvoid run(float *v) { scale<<<10, 64>>>(v); }\n'],
    ]);
    const workspace = await memoryWorkspace(files);
    const block = (): number => workspace.analyse(memoryUri('p/k.cuh'))!.model.facts.kernel[0]!.shapes[0]!.block[0];
    strictEqual(block(), 64);
    files.set('/memory/p/main.cu', '#include "k.cuh"\nvoid run(float *v) { scale<<<10, 512>>>(v); }\n');
    workspace.filesChanged();
    strictEqual(block(), 512);
  });
  it('defines of the settings and of the build reach the analysis', async () => {
    const files = new Map([
      ['/memory/q/a.cu', `${kernel}void run(float *v) { scale<<<10, BLOCK>>>(v); }\n`],
      [
        '/memory/q/compile_commands.json',
        JSON.stringify([{ directory: '.', file: 'a.cu', arguments: ['nvcc', '-DBLOCK=224', '-arch=sm_80'] }]),
      ],
    ]);
    const built = await memoryWorkspace(files);
    strictEqual(built.analyse(memoryUri('q/a.cu'))!.model.facts.kernel[0]!.shapes[0]!.block[0], 224);
    strictEqual(built.gpuOf(memoryUri('q/a.cu')).name, 'A100');
    const set = await memoryWorkspace(files, { defines: { BLOCK: '288' } });
    strictEqual(set.analyse(memoryUri('q/a.cu'))!.model.facts.kernel[0]!.shapes[0]!.block[0], 288);
    match(built.configure({ gpu: 'Voodoo' })[0]!, /Unknown GPU "Voodoo"/);
  });
});
