// What is read of compilers' logs, on which file each remark lies, and where it stands after an edit.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { carryOver, readCompilerLog, remarksFor, type FeedbackFile } from '../../../server/src/semantic/acc/feedback';
import { functionName, names } from '../../../server/src/semantic/acc/feedback/placement';
import { readSentence, type Sentence } from '../../../server/src/semantic/acc/feedback/sentences';

/** A sentence, its kind, and the schedule in it. */
const sentences: readonly (readonly [string, Sentence['kind'], Sentence['schedule']?])[] = [
  ['Generating NVIDIA GPU code', 'kernel'],
  ['Generating Tesla code', 'kernel'],
  ['Generating Multicore code', 'kernel'],
  ['Accelerator kernel generated', 'kernel'],
  ['Accelerator serial kernel generated', 'kernel'],
  ['Local memory used for tmp,work', 'kernel'],
  ['Loop is parallelizable', 'parallelizable'],
  ['Loop carried dependence of q-> prevents parallelization', 'dependence'],
  ['Loop carried backward dependence of q-> prevents vectorization', 'dependence'],
  ['Complex loop carried dependence of q->,m->-> prevents parallelization', 'dependence'],
  ['Complex loop carried dependence of  prevents parallelization', 'dependence'],
  ['Loop carried dependence due to exposed use of w(:) prevents parallelization', 'dependence'],
  ['Loop carried scalar dependence for last at line 12,19', 'dependence'],
  ['Scalar last value needed after loop for last at line 30', 'dependence'],
  ['Parallelization would require privatization of array w(:)', 'dependence'],
  ['Reference argument passing prevents parallelization: step', 'dependence'],
  ['Conditional loop will be executed in scalar mode', 'dependence'],
  ['Accelerator restriction: size of the GPU copy of p,q is unknown', 'other'],
  ['Generating implicit copyin(p[:n],q[:n*m]) [if not already present]', 'data'],
  ['Generating copy(u(:n,1:m))', 'data'],
  ['Generating present(u[:])', 'data'],
  ['Generating enter data copyin(p[:?])', 'data'],
  ['Generating exit data delete(p[:n])', 'data'],
  ['Generating update self(p[:n])', 'data'],
  ['Generating implicit firstprivate(n,i)', 'data'],
  ['Generating copyin(readonly:b) [if not already present]', 'data'],
  ['!$acc loop sequential collapse(2)', 'schedule', { seq: true, collapse: 2 }],
  [
    '!$acc loop gang(8), vector(128) ! blockidx%x threadidx%x',
    'schedule',
    { gang: true, vector: true, vectorLength: 128, axis: 'x' },
  ],
  ['Generating reduction(max:worst)', 'reduction'],
  ['Generating implicit reduction(+:total)', 'reduction'],
  ['Sum reduction generated for total', 'reduction'],
  ['Generating implicit acc routine seq', 'routine'],
  ['#pragma acc loop gang /* blockIdx.x */', 'schedule', { gang: true, axis: 'x' }],
  [
    '#pragma acc loop gang, worker(4) /* blockIdx.x threadIdx.y */',
    'schedule',
    { gang: true, worker: true, workers: 4, axis: 'y' },
  ],
  ['#pragma acc loop vector(128) /* threadIdx.x */', 'schedule', { vector: true, vectorLength: 128, axis: 'x' }],
  [
    '#pragma acc loop gang, vector(4) /* blockIdx.z threadIdx.y */',
    'schedule',
    { gang: true, vector: true, vectorLength: 4, axis: 'y' },
  ],
  [
    '#pragma acc loop gang, vector(128) collapse(3) /* blockIdx.x threadIdx.x collapsed-innermost */',
    'schedule',
    { gang: true, vector: true, vectorLength: 128, collapse: 3, axis: 'x' },
  ],
  [
    '#pragma acc loop gang(blocks), vector(width+1) /* blockIdx.x threadIdx.x */',
    'schedule',
    { gang: true, vector: true, axis: 'x' },
  ],
  ['/* blockIdx.x threadIdx.x auto-collapsed */', 'schedule', { gang: true, vector: true, collapsed: true, axis: 'x' }],
  ['collapsed */', 'schedule', { collapsed: true }],
  ['#pragma acc loop seq collapse(2)', 'schedule', { seq: true, collapse: 2 }],
  [
    '!$acc loop gang, vector(128) ! blockidx%x threadidx%x',
    'schedule',
    { gang: true, vector: true, vectorLength: 128, axis: 'x' },
  ],
  ['! blockidx%x threadidx%x collapsed', 'schedule', { gang: true, vector: true, collapsed: true, axis: 'x' }],
  [
    'Loop parallelized across CUDA thread blocks, CUDA threads(256) collapse(2) ! blockidx%x threadidx%x',
    'schedule',
    { gang: true, vector: true, vectorLength: 256, collapse: 2, axis: 'x' },
  ],
  ['Loop not vectorized/parallelized: contains call', 'host'],
  ['Intensity = 2.50', 'host'],
  ['Memory zero idiom, loop replaced by call to __c_mzero8', 'host'],
  ['tick inlined, size=2 (inline) file clock.c (5)', 'host'],
  ['FMA (fused multiply-add) instruction(s) generated', 'host'],
  ['Loop unrolled 8 times', 'host'],
];

const program = `#include "rows.h"
void scale(int n, double *restrict p) {
  #pragma acc parallel loop
  for (int i = 0; i < n; i++)
    p[i] *= 2.0;
}

double product(int n, int m, const double *p, double *q) {
  double worst = 0.0;
  #pragma acc kernels
  {
    for (int i = 0; i < n; i++) {
      double sum = 0.0;
      for (int j = 0; j < m; j++)
        sum += p[i * m + j];
      q[i] = sum;
    }
  }
  return worst;
}
`;

const minfo = `nvc -acc -gpu=cc90 -Minfo=accel -c src/rows.c -o rows.o
"src/rows.c", line 9: warning: variable "worst" was declared but never referenced [declared_but_not_referenced]
    double worst;
           ^

scale:
      3, Generating NVIDIA GPU code
          4, #pragma acc loop gang, vector(128) /* blockIdx.x threadIdx.x */
      3, Generating implicit copy(p[:n]) [if not already present]
product:
     10, Generating implicit copyin(p[:n*m]) [if not already present]
         Generating implicit copyout(q[:n]) [if not already present]
     12, Loop is parallelizable
     14, Loop is parallelizable
         Generating NVIDIA GPU code
         12, #pragma acc loop gang /* blockIdx.x */
         14, #pragma acc loop vector(128) /* threadIdx.x */
             Generating implicit reduction(+:sum)
     14, Loop unrolled 4 times
`;

const wanted = [
  '3 kernel Generating NVIDIA GPU code',
  '3 data Generating implicit copy(p[:n]) [if not already present]',
  '4 schedule #pragma acc loop gang, vector(128) /* blockIdx.x threadIdx.x */',
  '10 data Generating implicit copyin(p[:n*m]) [if not already present]',
  '10 data Generating implicit copyout(q[:n]) [if not already present]',
  '12 parallelizable Loop is parallelizable',
  '12 schedule #pragma acc loop gang /* blockIdx.x */',
  '14 parallelizable Loop is parallelizable',
  '14 kernel Generating NVIDIA GPU code',
  '14 schedule #pragma acc loop vector(128) /* threadIdx.x */',
  '14 reduction Generating implicit reduction(+:sum)',
];

function fileOf(path: string, text: string, ...functions: readonly string[]): FeedbackFile {
  return {
    path,
    text,
    functions: functions.map((name) => {
      const start = text.indexOf(`${name}(`);
      const end = text.indexOf('\n}', start);
      return { name, start, end: end < 0 ? text.length : end + 2 };
    }),
  };
}
const rows = fileOf('/home/someone/project/src/rows.c', program, 'scale', 'product');
const told = (log: string, file: FeedbackFile): string[] =>
  remarksFor(readCompilerLog(log), file).map(({ line, kind, text }) => `${line} ${kind} ${text}`);

describe('compiler feedback: sentences', () => {
  for (const [text, kind, schedule] of sentences)
    it(text, () =>
      deepStrictEqual(readSentence(text), { ...readSentence(text), kind, ...(schedule ? { schedule } : {}) }),
    );
  it('a schedule is reported only where there is one', () => {
    for (const [text, , schedule] of sentences)
      strictEqual(readSentence(text).schedule === undefined, schedule === undefined, text);
  });
});

describe('compiler feedback: a log of nvc', () => {
  const shapes: Readonly<Record<string, string>> = {
    'as it is printed': minfo,
    'with Windows line ends': minfo.replaceAll('\n', '\r\n'),
    'indented as in a book': minfo.replace(/^(?=.)/gm, '    '),
    'without its indentation': minfo.replace(/^ +/gm, ''),
    'with the times of a build service': minfo.replace(/^/gm, '2026-11-20T10:00:00.1234567Z '),
    'with lists wrapped': minfo
      .replace('copyin(p[:n*m]) [if', 'copyin(p[:\nn*m]) [if')
      .replace(
        '[if not already present]\n         Generating implicit copyout',
        '[if not already\n present]\n         Generating implicit copyout',
      ),
    'reported for two architectures': minfo.replace(
      '         12, #pragma',
      '         Generating NVIDIA GPU code\n         12, #pragma',
    ),
    'with a heading for the file': minfo.replace(/^nvc.*\n/, '').replace('scale:', 'rows.c:\nscale:'),
    'without its command': minfo.replace(/^nvc.*\n/, ''),
    'between the words of make': `make -C src all\nmake[1]: Entering directory '/home/someone/project/src'\n${minfo.replace('src/rows.c -o', 'rows.c -o')}nvc -o prog rows.o\nmake[1]: Leaving directory '/home/someone/project/src'\n`,
    'of CMake': minfo.replace(/^nvc.*/, '[ 50%] Building C object CMakeFiles/prog.dir/src/rows.c.o'),
  };
  for (const [name, log] of Object.entries(shapes))
    it(name, () =>
      deepStrictEqual(
        told(log, rows).map((line) => line.replace(/:\s+n\*m/, ':n*m')),
        wanted,
      ),
    );

  it('says nothing about a file of another name, or whose functions or lines differ', () => {
    deepStrictEqual(told(minfo.replace('scale:', 'other.c:\nscale:'), rows), []);
    const bare = minfo.replace(/^nvc.*\n/, '');
    deepStrictEqual(
      told(bare, fileOf('/p/other.c', program.replace('scale(', 'shift('), 'shift', 'product')).filter((line) =>
        /^[34] /.test(line),
      ),
      [],
      'no function of that name',
    );
    deepStrictEqual(
      told(bare, fileOf('/p/other.c', `\n\n\n${program}`, 'scale', 'product')),
      [],
      'remarks on lines without a loop',
    );
  });

  it('speaks of what was compiled last, and of nothing when two headings could be meant', () => {
    const again = `${minfo}\n${minfo.replaceAll('vector(128)', 'vector(32)')}`;
    ok(
      told(again, rows).some((line) => line.includes('vector(32)')) &&
        !told(again, rows).some((line) => line.includes('vector(128)')),
    );
    const bare = minfo.replace(/^nvc.*\n/, '');
    deepStrictEqual(told(`${bare}\n${bare.replaceAll('vector(128)', 'vector(32)')}`, rows), []);
  });

  it('blocks of included files belong to those', () => {
    const header =
      'static inline void clear(int n, double *p) {\n  #pragma acc parallel loop\n  for (int i = 0; i < n; i++) p[i] = 0;\n}\n';
    const log = `rows.c:\nmain:\n     30, include "rows.h"\n           2, Generating NVIDIA GPU code\n               3, #pragma acc loop gang, vector(128) /* blockIdx.x threadIdx.x */\n     31, Generating update self(p[:n])\n`;
    deepStrictEqual(told(log, fileOf('/p/rows.h', header, 'clear')), [
      '2 kernel Generating NVIDIA GPU code',
      '3 schedule #pragma acc loop gang, vector(128) /* blockIdx.x threadIdx.x */',
    ]);
    deepStrictEqual(
      readCompilerLog(log).remarks.map(({ file, remark }) => `${file} ${remark.line}`),
      ['rows.h 2', 'rows.h 3', 'rows.c 31'],
    );
  });

  it('headings of C++ are signatures', () => {
    const heads: Readonly<Record<string, string>> = {
      'spmv(const sparse &, const vec<double> &, vec<double> &)': 'spmv',
      'void axpy<(unsigned long)4, double>(std::array<T2, T1> &)': 'axpy',
      'solver::grid<double>::relax(int) const': 'relax',
      'main::[lambda(int) (instance 1)]::operator ()(int) const': 'main',
      'table::operator[](int)': 'operator[]',
      main: 'main',
    };
    for (const [heading, name] of Object.entries(heads)) strictEqual(functionName(heading), name, heading);
    const text = program.replace('double product(', 'double math::product(');
    const log = minfo
      .replace('scale:', 'scale(int, double *):')
      .replace('product:', 'math::product(int, int, const double *, double *):')
      .replaceAll('rows.c', 'rows.cpp');
    deepStrictEqual(told(log, { ...fileOf('/p/src/rows.cpp', text, 'scale', 'product') }), wanted);
  });

  it('Fortran, free and with its names in capitals', () => {
    const text =
      'subroutine Smooth(f, n)\n  real(8) :: f(n)\n  !$acc kernels\n  do i = 1, n\n    f(i) = 0.5 * f(i)\n  end do\n  !$acc end kernels\nend subroutine\n';
    const log =
      'nvfortran -acc -Minfo=accel -c smooth.F90\nsmooth:\n      3, Generating implicit copy(f(:n)) [if not already present]\n      4, Loop is parallelizable\n         Generating NVIDIA GPU code\n          4, !$acc loop gang, vector(128) ! blockidx%x threadidx%x\n';
    const found = remarksFor(readCompilerLog(log), {
      path: '/p/smooth.F90',
      text,
      functions: [{ name: 'Smooth', start: 0, end: text.length }],
    });
    deepStrictEqual(
      found.map(({ line, schedule }) => [line, schedule?.vectorLength]),
      [
        [3, undefined],
        [4, undefined],
        [4, undefined],
        [4, 128],
      ],
    );
  });

  it('loops for the cores of the host have no schedule', () => {
    const log =
      'scale:\n      3, Generating Multicore code\n          4, #pragma acc loop gang\n      3, Generating NVIDIA GPU code\n          4, #pragma acc loop gang, vector(64) /* blockIdx.x threadIdx.x */\n';
    deepStrictEqual(
      remarksFor(readCompilerLog(log), rows)
        .filter(({ kind }) => kind === 'schedule')
        .map(({ schedule }) => schedule?.vectorLength ?? schedule),
      [undefined, 64],
    );
  });

  it('flang names the file and has the sentences of nvc', () => {
    const remark = 'remark: [Passed] openacc | Category:acc-emit-remarks-loop | Function=f | Remark=';
    const log = `src/rows.c:10:5: ${remark}"!$acc loop gang(8) ! blockidx.x"\nsrc/rows.c:10:5: remark: loop unrolled`;
    deepStrictEqual(told(log, rows), ['10 schedule !$acc loop gang(8) ! blockidx.x']);
  });

  it('a region that could not be translated is reported on its line', () => {
    deepStrictEqual(
      told(
        'NVC++-W-0155-Compiler failed to translate accelerator region (see -Minfo messages): Missing branch target block (src/rows.c: 10)\n',
        rows,
      ),
      ['10 other Compiler failed to translate accelerator region (see -Minfo messages): Missing branch target block'],
    );
  });

  it('nonsense is not a log', () => {
    for (const text of [
      '',
      '\n\n',
      'main:',
      '  12, ',
      'a: b: c:\n 1, x',
      '\u0000\u0001',
      `${'('.repeat(1000)}:\n    1, Generating copy(`,
      'main:\n      1, Generating copy(a\n'.repeat(50),
    ])
      ok(Array.isArray(readCompilerLog(text).remarks));
    strictEqual(
      told('Dear all:\n 3, 4 and 5 are the lines I mean:\n 4, yes\n', rows).filter((line) => line.includes('schedule'))
        .length,
      0,
    );
  });
});

describe('compiler feedback: GCC', () => {
  const log = `rows.c: In function ‘product._omp_fn.0’:
src/rows.c:3:11: optimized: assigned OpenACC gang vector loop parallelism
src/rows.c:3:11: optimized: assigned OpenACC gang vector loop parallelism
src/rows.c:10:11: optimized: assigned OpenACC seq loop parallelism
src/rows.c:10:11: warning: using ‘vector_length (32)’, ignoring 128
src/rows.c:10:11: warning: region is worker partitioned but does not contain worker partitioned code [-Wopenacc-parallelism]
src/rows.c:10:11: note: variable ‘i’ in ‘private’ clause isn’t candidate for adjusting OpenACC privatization level: not addressable
src/rows.c:12: warning: unused variable
`;
  it('sentences of a build log', () => {
    const remarks = remarksFor(readCompilerLog(log), rows);
    deepStrictEqual(
      remarks.map(({ compiler, line, kind, text, schedule }) => [compiler, line, kind, text, schedule]),
      [
        ['gcc', 3, 'schedule', 'assigned OpenACC gang vector loop parallelism', { gang: true, vector: true }],
        ['gcc', 10, 'schedule', 'assigned OpenACC seq loop parallelism', { seq: true }],
        ['gcc', 10, 'kernel', 'using ‘vector_length (32)’, ignoring 128', { vectorLength: 32 }],
        ['gcc', 10, 'other', 'region is worker partitioned but does not contain worker partitioned code', undefined],
      ],
    );
    strictEqual(told(log.replaceAll('‘', "'").replaceAll('’', "'"), rows).length, 4, 'in the C locale');
    strictEqual(
      told(
        log
          .replaceAll('src/rows.c:', '\u001b[01m\u001b[Ksrc/rows.c:')
          .replaceAll(': optimized', ':\u001b[m\u001b[K optimized'),
        rows,
      ).length,
      4,
      'in colours',
    );
    deepStrictEqual(told(log, { ...rows, path: '/home/someone/project/lib/rows.c' }), [], 'another folder');
  });

  it('a record of -fsave-optimization-record', () => {
    const record = JSON.stringify([
      { format: '1', generator: { version: '12.2.0' } },
      [],
      [
        {
          kind: 'success',
          location: { file: 'src/rows.c', line: 3, column: 11 },
          message: ['assigned OpenACC gang vector loop parallelism\n'],
          function: 'scale._omp_fn.0',
        },
        {
          kind: 'note',
          location: { file: 'src/rows.c', line: 3, column: 11 },
          message: [
            'variable ‘',
            { expr: 'i' },
            '’ ',
            'isn’t candidate for adjusting OpenACC privatization level: not addressable\n',
          ],
        },
        {
          kind: 'scope',
          location: { file: 'src/rows.c', line: 3 },
          message: ['=== f ===\n'],
          children: [
            {
              kind: 'success',
              location: { file: 'src/rows.c', line: 10 },
              message: ['assigned OpenACC seq loop parallelism\n'],
            },
          ],
        },
      ],
    ]);
    deepStrictEqual(told(record, rows), [
      '3 schedule assigned OpenACC gang vector loop parallelism',
      '10 schedule assigned OpenACC seq loop parallelism',
    ]);
    for (const broken of [
      record.slice(0, 200),
      '[{"format": "1"}]',
      '[{"format": 1}, 2, 3]',
      '[{"format": "1"}, [], [null, 5, {"message": [1]}]]',
    ])
      deepStrictEqual(readCompilerLog(broken).remarks, []);
  });

  it('names of files', () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ['rows.c', '/p/rows.c', true],
      ['./src/../src/rows.c', '/p/src/rows.c', false],
      ['../src/rows.c', '/p/src/rows.c', true],
      ['/build/project/src/rows.c', '/home/u/code/src/rows.c', true],
      ['/build/project/lib/rows.c', '/home/u/code/src/rows.c', false],
      ['C:\\p\\rows.c', 'c:/p/rows.c', true],
      ['ows.c', '/p/rows.c', false],
      ['', '/p/rows.c', false],
    ];
    for (const [written, path, same] of cases) strictEqual(names(written, path), same, `${written} ${path}`);
  });
});

describe('compiler feedback: after an edit', () => {
  const remarks = remarksFor(readCompilerLog(minfo), rows);
  const lines = (text: string): number[] => carryOver(remarks, program, text).map(({ line }) => line);
  it('remarks move with their lines', () =>
    deepStrictEqual(
      lines(program.replace('double product', '// one\n// two\ndouble product')),
      [3, 3, 4, 12, 12, 14, 14, 16, 16, 16, 16],
    ));
  it('those of a changed line go', () =>
    deepStrictEqual(
      lines(program.replace('for (int j = 0; j < m; j++)', 'for (int j = 1; j < m; j++)')),
      [3, 3, 4, 10, 10, 12, 12],
    ));
  it('another indentation is not a change', () =>
    strictEqual(lines(program.replaceAll('  ', '\t')).length, wanted.length));
  it('of an emptied file nothing is left', () => deepStrictEqual(lines(''), []));
});

describe('compiler feedback: what GCC 12 said of the samples', () => {
  const log = readCompilerLog(readFileSync(join(__dirname, 'logs/gcc-12-samples.log'), 'utf8'));
  const folder = join(__dirname, '../../../samples/openacc');
  it('names each that it compiled', () => strictEqual(log.sources.length, 14));
  for (const source of log.sources) {
    it(`${source}: a directive is where each loop is reported`, () => {
      const text = readFileSync(join(folder, source), 'utf8');
      const remarks = remarksFor(log, { path: join(folder, source), text, functions: [] });
      ok(remarks.length > 0);
      for (const { line, schedule } of remarks) {
        const directive = text.split('\n')[line - 1]!;
        ok(/(?:#pragma |!\$)acc (?:parallel )?loop/.test(directive), directive);
        for (const level of ['gang', 'worker', 'vector'] as const)
          if (new RegExp(`\\b${level}\\b`).test(directive)) ok(schedule?.[level], directive);
      }
    });
  }
});
