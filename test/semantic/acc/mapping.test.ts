// The mapping of loops: bounds, lengths in force, levels, strides, and what a compiler's feedback changes.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { CompilerRemark } from '../../../server/src/semantic';
import { analyseDirectives, type AccFacts } from '../../../server/src/semantic/acc';
import { proceduresOf } from '../../../server/src/semantic/acc/fromC';
import { defaultGpu } from '../../../server/src/semantic/gpus';
import type { Syntax } from '../../../server/src/syntax';
import type { ProcedureFile } from '../../../server/src/syntax/procedures';
import { memoryUri, testSyntax } from '../../support/analyseText';

describe('mapping of OpenACC loops', () => {
  let syntax: Syntax;
  let version = 0;
  before(async function () {
    this.timeout(30_000);
    syntax = await testSyntax();
    await syntax.loadFortran();
  });

  function facts(name: string, text: string, feedback: readonly CompilerRemark[] = []): AccFacts {
    const uri = memoryUri(name);
    const file: ProcedureFile | undefined = name.endsWith('.f90')
      ? syntax.parseFortran(uri, text, ++version, { defines: {}, fixedForm: false })
      : proceduresOf(
          syntax.parse(uri, text, ++version, { defines: {}, computeCapability: 90 }, { resolve: () => undefined }),
          uri,
        );
    ok(file, 'the file has directives');
    const result = analyseDirectives(file, [], { gpu: defaultGpu, feedback });
    deepStrictEqual(result.notes, []);
    return result;
  }

  /** The bound of the only vector loop of a text. */
  function bound(name: string, text: string): string {
    const [length] = facts(name, text)['acc-vector-length'];
    const trips = length?.loops[0]?.trips;
    return trips ? `${trips.exact ? '' : '<= '}${trips.atMost}` : 'none';
  }

  describe('turns of a vector loop', () => {
    const loop = (head: string, body = 'a[i * 512 + j] += 1.0f;', before = ''): string =>
      `#define M 24\nstatic const int fixed = 40;\nenum { few = 12 };\nvoid f(int n, int m, const int *restrict r, float *restrict a) {\n  ${before}\n  #pragma acc parallel loop gang\n  for (int i = 0; i < n; i++) {\n    #pragma acc loop vector\n    for (${head}) ${body}\n  }\n}\n`;
    const cases: readonly (readonly [string, string, string])[] = [
      ['a constant', loop('int j = 0; j < 27; j++'), '27'],
      ['a macro, inclusive', loop('int j = 1; j <= M; ++j'), '24'],
      ['a constant with a name', loop('int j = 0; j < fixed; j += 3'), '14'],
      ['an enumerator', loop('int j = few; j > 0; j--'), '12'],
      ['a local that is set once', loop('int j = 0; j < local; j++', undefined, 'int local = 3 * few;'), '36'],
      [
        'a local that is set twice',
        loop('int j = 0; j < local; j++', undefined, 'int local = 9; if (n > 3) local = m;'),
        'none',
      ],
      ['a parameter', loop('int j = 0; j < m; j++'), 'none'],
      ['a difference', loop('int j = i; j < i + 16; j++'), '16'],
      ['min in a conditional', loop('int j = i; j < (i + 8 < n ? i + 8 : n); j++'), '<= 8'],
      ['max in a conditional is not a bound', loop('int j = i; j < (i + 8 > n ? i + 8 : n); j++'), 'none'],
      [
        'the extent of a local array',
        loop('int j = 0; j < m; j++', '{ a[i * 512 + j] += w[j]; }', 'float w[56];'),
        '<= 56',
      ],
      [
        'an array under a condition',
        loop('int j = 0; j < m; j++', '{ if (j < 9) a[i * 512 + j] += w[j]; }', 'float w[9];'),
        'none',
      ],
      [
        'a stride over an array',
        loop('int j = 0; j < m; j++', '{ a[i * 512 + j] += w[2 * j + 1]; }', 'float w[56];'),
        '<= 28',
      ],
      ['rows that are not filled', loop('int j = r[i]; j < r[i + 1]; j++'), 'none'],
      [
        'a macro as a length of another',
        loop('int j = 0; j < m; j++', '{ a[i * 512 + j] += w[j]; }', 'float w[2 * M];'),
        '<= 48',
      ],
      [
        'a comment above the loop',
        loop('int j = r[i]; j < r[i + 1]; j++').replace(
          '    for (int j',
          '    // warplens: trip <= 27\n    for (int j',
        ),
        '<= 27',
      ],
      [
        'a comment above the directive',
        loop('int j = r[i]; j < r[i + 1]; j++').replace(
          '    #pragma acc loop',
          '    // warplens: trip 21\n    #pragma acc loop',
        ),
        '21',
      ],
    ];
    for (const [title, text, expected] of cases)
      it(title, () => {
        strictEqual(bound('turns.c', text), expected);
      });
  });

  describe('rows of a compressed matrix', () => {
    const product = (parameters: string, head: string, before = ''): string =>
      `void f(${parameters}, int n, const double *restrict v, double *restrict y) {\n  ${before}\n  #pragma acc parallel loop gang\n  for (int i = 0; i < n; i++) {\n    double s = 0;\n    #pragma acc loop vector reduction(+:s)\n    for (${head}) s += v[k];\n    y[i] = s;\n  }\n}\n`;
    const members = 'typedef struct { int n; int *rows; int *cols; } Matrix;\n';
    const use = product('const Matrix *m', 'int k = m->rows[i]; k < m->rows[i + 1]; k++');
    const build = (body: string): string =>
      `${members}void build(Matrix *m, int n, const int *at) {\n  int count = 0;\n  ${body}\n}\n`;
    const inner = 'for (int d = -2; d <= 2; d++) if (r + d >= 0) { m->cols[count] = r + d; count++; }';
    const cases: readonly (readonly [string, string, string])[] = [
      [
        'a counter stored before the turn',
        build(`for (int r = 0; r < n; r++) { m->rows[r] = count; ${inner} } m->rows[n] = count;`) + use,
        '<= 5',
      ],
      [
        'a counter stored behind the turn',
        build(`m->rows[0] = 0; for (int r = 0; r < n; r++) { ${inner} m->rows[r + 1] = count; }`) + use,
        '<= 5',
      ],
      [
        'a counter that counts in a subscript',
        build(
          'for (int r = 0; r < n; r++) { m->rows[r] = count; for (int d = 0; d < 4; d++) m->cols[count++] = d; m->cols[count++] = r; }',
        ) + use,
        '<= 5',
      ],
      [
        'arms of a branch count once',
        build('for (int r = 0; r < n; r++) { m->rows[r] = count; if (at[r]) { count += 3; } else { count += 7; } }') +
          use,
        '<= 7',
      ],
      [
        'a separate row number',
        build(
          `int r = 0; for (int z = 0; z < n; z++) for (int x = 0; x < n; x++) { m->rows[r] = count; ${inner} r++; } m->rows[r] = count;`,
        ) + use,
        '<= 5',
      ],
      [
        'a linear row number',
        build(
          `for (int z = 0; z < n; z++) for (int x = 0; x < n; x++) { const int r = z * n + x; m->rows[r] = count; ${inner} }`,
        ) + use,
        '<= 5',
      ],
      [
        'the sum with what was before',
        build(
          'm->rows[0] = 0; for (int r = 0; r < n; r++) { int length = 0; for (int d = 0; d < 6; d++) if (at[r + d]) length++; m->rows[r + 1] = m->rows[r] + length; }',
        ) + use,
        '<= 6',
      ],
      ['a formula', build('for (int r = 0; r <= n; r++) m->rows[r] = 13 * r;') + use, '<= 13'],
      [
        'clamped neighbours',
        build(
          'for (int r = 0; r < n; r++) { m->rows[r] = count; for (int q = (r - 1 > 0 ? r - 1 : 0); q <= (r + 1 < n - 1 ? r + 1 : n - 1); q++) m->cols[count++] = q; }',
        ) + use,
        '<= 3',
      ],
      [
        'a counter that data move',
        build('for (int r = 0; r < n; r++) { m->rows[r] = count; count += at[r]; }') + use,
        'none',
      ],
      [
        'an inner loop that data bound',
        build('for (int r = 0; r < n; r++) { m->rows[r] = count; for (int d = 0; d < at[r]; d++) count++; }') + use,
        'none',
      ],
      [
        'a counter that grows between rows',
        build(
          `for (int z = 0; z < n; z++) { count += at[z]; for (int r = 0; r < n; r++) { m->rows[z * n + r] = count; ${inner} } }`,
        ) + use,
        'none',
      ],
      [
        'a counter that is set back outside',
        build(
          `for (int z = 0; z < n; z++) { count = at[z]; for (int r = 0; r < n; r++) { m->rows[z * n + r] = count; ${inner} } }`,
        ) + use,
        'none',
      ],
      [
        'a second writer',
        build(
          `for (int r = 0; r < n; r++) { m->rows[r] = count; ${inner} } for (int r = 0; r < n; r++) m->rows[r] *= 2;`,
        ) + use,
        'none',
      ],
      [
        'a writer in another function',
        `${build(`for (int r = 0; r < n; r++) { m->rows[r] = count; ${inner} }`)}void read(Matrix *m, const int *from) { for (int r = 0; r < m->n; r++) m->rows[r] = from[r]; }\n${use}`,
        'none',
      ],
      [
        'two writers that count',
        `${build(`for (int r = 0; r < n; r++) { m->rows[r] = count; ${inner} }`)}void other(Matrix *m) { int c = 0; for (int r = 0; r < m->n; r++) { m->rows[r] = c; for (int d = 0; d < 9; d++) c++; } }\n${use}`,
        '<= 9',
      ],
      [
        'a member of another type',
        `${build(`for (int r = 0; r < n; r++) { m->rows[r] = count; ${inner} }`)}typedef struct { int *rows; } Other;\n${product('const Other *m', 'int k = m->rows[i]; k < m->rows[i + 1]; k++')}`,
        'none',
      ],
      [
        'an alias and scalars',
        `${build(`int *rows = m->rows; for (int r = 0; r < n; r++) { rows[r] = count; ${inner} }`)}${product('const Matrix *m', 'int k = from; k < to; k++', 'const int *restrict rows = m->rows;').replace('double s = 0;', 'double s = 0; int from = rows[i]; int to = rows[i + 1];')}`,
        '<= 5',
      ],
      [
        'through parameters',
        `${members}void fill(int n, int *offsets) { int count = 0; for (int r = 0; r < n; r++) { offsets[r] = count; for (int d = 0; d < 11; d++) count++; } }\n${product('const int *restrict begin', 'int k = begin[i]; k < begin[i + 1]; k++')}void all(Matrix *m, const double *v, double *y) { fill(m->n, m->rows); f(m->rows, m->n, v, y); }\n`,
        '<= 11',
      ],
      [
        'passed to an unknown function',
        `void load(const char *, int *);\n${build(`for (int r = 0; r < n; r++) { m->rows[r] = count; ${inner} } load("rows", m->rows);`)}${use}`,
        'none',
      ],
      [
        'two rows at once',
        build(`for (int r = 0; r < n; r++) { m->rows[r] = count; ${inner} }`) +
          product('const Matrix *m', 'int k = m->rows[i]; k < m->rows[i + 2]; k++'),
        '<= 10',
      ],
      [
        'not neighbours',
        build(`for (int r = 0; r < n; r++) { m->rows[r] = count; ${inner} }`) +
          product('const Matrix *m', 'int k = m->rows[i]; k < m->rows[n]; k++'),
        'none',
      ],
    ];
    for (const [title, text, expected] of cases)
      it(title, () => {
        strictEqual(bound('rows.c', text), expected);
      });

    it('in Fortran, through pointers and members', () => {
      const text = (width: string): string =>
        `module m\n  type :: csr\n    integer :: n\n    integer, pointer :: rows(:)\n  end type\ncontains\n  subroutine build(a, w)\n    type(csr) :: a\n    integer :: i, j, idx, w\n    integer, pointer :: r(:)\n    r => a%rows\n    idx = 1\n    do i = 1, a%n\n      r(i) = idx\n      do j = 1, ${width}\n        if (mod(i, j) == 0) idx = idx + 1\n      end do\n    end do\n    r(a%n + 1) = idx\n  end subroutine\n  subroutine mul(a, v, y)\n    type(csr) :: a\n    real(8) :: v(:), y(:), s\n    integer :: i, k, from, to\n    integer, pointer :: rows(:)\n    rows => a%rows\n    !$acc parallel loop gang\n    do i = 1, a%n\n      s = 0\n      from = rows(i)\n      to = rows(i + 1) - 1\n      !$acc loop vector reduction(+:s)\n      do k = from, to\n        s = s + v(k)\n      end do\n      y(i) = s\n    end do\n  end subroutine\nend module\n`;
      strictEqual(bound('rows.f90', text('17')), '<= 17');
      strictEqual(bound('rows.f90', text('w')), 'none');
    });
  });

  it('a length may be a macro', () => {
    const text =
      '#define LANES (256)\n#define WORKERS 8\nvoid f(int n, float (*restrict a)[40]) {\n  #pragma acc parallel loop gang worker num_workers(WORKERS) vector_length(LANES)\n  for (int i = 0; i < n; i++) {\n    #pragma acc loop vector\n    for (int j = 0; j < 40; j++) a[i][j] += 1;\n  }\n}\n';
    const result = facts('macro.c', text);
    deepStrictEqual(
      [
        result['acc-vector-length'].map((fact) => [fact.length, fact.origin, fact.needed]),
        result['acc-block'].map((fact) => [fact.workers, fact.vectorLength]),
      ],
      [[[256, 'written', 64]], [[8, 256]]],
    );
  });

  describe('feedback', () => {
    const text =
      'void f(int n, const int *restrict r, const double *restrict v, double *restrict y) {\n  #pragma acc parallel loop\n  for (int i = 0; i < n; i++) {\n    double s = 0;\n    // warplens: trip <= 27\n    #pragma acc loop reduction(+:s)\n    for (int k = r[i]; k < r[i + 1]; k++) s += v[k];\n    y[i] = s;\n  }\n}\n';
    const remark = (
      line: number,
      schedule: CompilerRemark['schedule'],
      compiler: CompilerRemark['compiler'] = 'nvhpc',
    ): CompilerRemark => ({ compiler, line, text: '', kind: 'schedule', schedule });
    const lengths = (feedback: readonly CompilerRemark[]): readonly string[] =>
      facts('feedback.c', text, feedback)['acc-vector-length'].map(
        (fact) => `${fact.length} ${fact.origin}${fact.innerSequential ? ' around' : ''} needs ${fact.needed}`,
      );
    it('is assumed where there is none', () => {
      deepStrictEqual(lengths([]), ['128 assumed needs 32']);
    });
    it('says the length', () => {
      deepStrictEqual(lengths([remark(3, { gang: true }), remark(7, { vector: true, vectorLength: 64 })]), [
        '64 feedback needs 32',
      ]);
    });
    it('of GCC is 32 lanes', () => {
      deepStrictEqual(lengths([remark(2, { gang: true, worker: true }, 'gcc'), remark(6, { vector: true }, 'gcc')]), [
        '32 feedback needs 32',
      ]);
    });
    it('tells of an outer loop that took the lanes', () => {
      deepStrictEqual(
        lengths([
          remark(3, { gang: true, vector: true, vectorLength: 128 }),
          { compiler: 'nvhpc', line: 7, text: 'Loop is parallelizable', kind: 'parallelizable' },
        ]),
        ['128 feedback around needs 32'],
      );
    });
    it('of a loop without a directive gives it the clauses that the compiler had found', () => {
      const open = text.replace('    #pragma acc loop reduction(+:s)\n', '');
      const [fact] = facts('feedback.c', open, [
        remark(3, { gang: true }),
        remark(6, { vector: true, vectorLength: 128 }),
      ])['acc-vector-length'];
      deepStrictEqual(
        fact?.fixes.map((fix) => fix.edits.map((edit) => edit.newText.trim())),
        [
          ['vector_length(32)', '#pragma acc loop reduction(+:s) vector'],
          ['device_type(nvidia) vector_length(32)', '#pragma acc loop reduction(+:s) device_type(nvidia) vector'],
        ],
      );
    });
    it('that is older than a directive says nothing', () => {
      const mended = text
        .replace('parallel loop', 'parallel loop vector_length(64)')
        .replace('loop reduction', 'loop vector reduction');
      for (const feedback of [
        [remark(3, { gang: true }), remark(7, { vector: true, vectorLength: 128 })],
        [remark(3, { gang: true, vector: true, vectorLength: 128 })],
      ]) {
        deepStrictEqual(
          facts('feedback.c', mended, feedback)['acc-vector-length'].map((fact) => `${fact.length} ${fact.origin}`),
          ['64 written'],
        );
      }
    });
    it('of other lines changes nothing', () => {
      deepStrictEqual(lengths([remark(40, { gang: true, vector: true, vectorLength: 256 })]), ['128 assumed needs 32']);
    });
  });

  describe('levels of a kernels construct', () => {
    const nest = (
      directives: readonly [string, string],
      pointers = 'double *restrict a, const double *restrict b',
      body = 'a[i * m + j] = b[i * m + j];',
    ): string =>
      `void f(int n, int m, ${pointers}) {\n  #pragma acc kernels\n  {\n    ${directives[0]}\n    for (int i = 0; i < n; i++) {\n      a[i * m] = 0;\n      ${directives[1]}\n      // warplens: trip <= 20\n      for (int j = 1; j < m; j++) ${body}\n    }\n  }\n}\n`;
    const found = (text: string): number => facts('kernels.c', text)['acc-vector-length'].length;
    it('independent loops get lanes without a directive', () => {
      strictEqual(found(nest(['', ''])), 1);
    });
    it('loops over pointers that may overlap do not', () => {
      strictEqual(found(nest(['', ''], 'double *a, const double *b')), 0);
    });
    it('unless a directive says that they are independent', () => {
      strictEqual(
        found(nest(['#pragma acc loop independent', '#pragma acc loop independent'], 'double *a, const double *b')),
        1,
      );
    });
    it('a recurrence does not', () => {
      strictEqual(found(nest(['', ''], undefined, 'a[i * m + j] = a[i * m + j - 1] + b[j];')), 0);
    });
    it('a loop of three turns is unrolled', () => {
      strictEqual(
        facts(
          'few.c',
          'void f(int n, double (*restrict a)[4]) {\n  #pragma acc kernels\n  for (int i = 0; i < n; i++) {\n    a[i][0] = 0;\n    for (int c = 1; c < 4; c++) a[i][c] = c;\n  }\n}\n',
        )['acc-workers'].length,
        0,
      );
    });
    it('the sides of a tile are no vector lengths', () => {
      const tile =
        'void f(int n, double a[1000][1000]) {\n  #pragma acc kernels\n  {\n    #pragma acc loop independent gang vector(4)\n    for (int i = 0; i < 1000; i++) {\n      #pragma acc loop independent gang vector(32)\n      for (int j = 0; j < 1000; j++) a[i][j] += 1;\n    }\n  }\n}\n';
      const all = facts('tile.c', tile);
      deepStrictEqual(
        [all['acc-vector-length'].filter((fact) => fact.rounded), all['acc-stride'], all['acc-collapse']],
        [[], [], []],
      );
    });
  });

  describe('strides over the vector loop', () => {
    const nest = (body: string, declared = 'double a[][64], double *restrict p, const int *restrict at'): string =>
      `void f(int n, int m, ${declared}) {\n  #pragma acc parallel loop gang\n  for (int i = 0; i < n; i++) {\n    #pragma acc loop vector\n    for (int j = 0; j < m; j++) { ${body} }\n  }\n}\n`;
    const strides = (text: string): readonly string[] =>
      facts('strides.c', text)['acc-stride'].flatMap((fact) => fact.strided.map((one) => `${one.text}: ${one.stride}`));
    const cases: readonly (readonly [string, string, readonly string[]])[] = [
      ['the last subscript', nest('a[i][j] += 1;'), []],
      ['the first subscript', nest('a[j][i] += 1;'), ['a[j][i]: 64']],
      ['a linear form', nest('p[j * n + i] += 1;'), ['p[j * n + i]: n']],
      ['a linear form through a scalar', nest('int at2 = j * n; int q = at2 + i; p[q] += 1;'), ['p[q]: n']],
      ['a pointer with an offset', nest('*(p + j * n + i) += 1;'), ['*(p + j * n + i): n']],
      ['a gather', nest('p[at[j] + i] += 1;'), []],
      ['a scalar that changes in the turn', nest('int q = j; q = q * 3; p[q + i] += 1;'), []],
      ['one along and one across', nest('p[j * n + i] = a[i][j];'), []],
      ['a short stride', nest('p[2 * j] += 1;'), []],
    ];
    for (const [title, text, expected] of cases)
      it(title, () => {
        deepStrictEqual(strides(text), expected);
      });
  });
});
