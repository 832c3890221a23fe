// What the data flow of directives says where fixtures of one file do not reach: headers, builds, hostile texts.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { FactKind, Model } from '../../../server/src/semantic/model';
import { memoryUri, memoryWorkspace } from '../../support/analyseText';

const kinds = [
  'acc-repeated-transfer',
  'acc-data-clause',
  'acc-update',
  'acc-reduction',
  'acc-alias',
  'acc-routine',
  'acc-wait',
] as const satisfies readonly FactKind[];

async function modelOf(name: string, text: string, files: Readonly<Record<string, string>> = {}): Promise<Model> {
  const workspace = await memoryWorkspace(
    new Map(Object.entries(files).map(([file, content]) => [`/memory/${file}`, content])),
  );
  await workspace.ready(memoryUri(name));
  return workspace.analyse(memoryUri(name), { text, version: 1 })!.model;
}

const counts = (model: Model): Partial<Record<FactKind, number>> =>
  Object.fromEntries(kinds.flatMap((kind) => (model.facts[kind].length ? [[kind, model.facts[kind].length]] : [])));

const step =
  'void step(int n, double *restrict a) {\n  #pragma acc parallel loop copy(a[0:n])\n  for (int i = 0; i < n; i++) a[i] += 1.0;\n}\n';
const solver =
  '#include "step.h"\nint main(void) {\n  static double a[1000];\n  for (int t = 0; t < 100; t++) step(1000, a);\n  return a[0] > 3.0;\n}\n';

describe('data flow of directives', () => {
  it('a loop calls what a header defines', async () => {
    const model = await modelOf('solver.c', solver, { 'step.h': step });
    deepStrictEqual(
      model.facts['acc-repeated-transfer'].map(({ arrays, through, advice, stated, fix }) => ({
        arrays,
        through,
        advice,
        stated,
        edits: fix?.edits.map((edit) => edit.newText),
      })),
      [
        {
          arrays: ['a'],
          through: 'calls',
          advice: 'data copy(a[0:1000])',
          stated: true,
          edits: ['  #pragma acc data copy(a[0:1000])\n'],
        },
      ],
    );
    strictEqual(model.facts['acc-repeated-transfer'][0]!.at.uri, memoryUri('solver.c'));
  });

  it('a header opened alone says nothing of who calls it', async () =>
    deepStrictEqual(counts(await modelOf('step.h', step)), {}));

  it('in managed memory nothing is said of transfers', async () => {
    const makefile = 'CC = nvc\nCFLAGS = -acc -gpu=cc90,mem:managed\n';
    deepStrictEqual(counts(await modelOf('solver.c', solver, { 'step.h': step, Makefile: makefile })), {});
    deepStrictEqual(
      counts(await modelOf('solver.c', solver, { 'step.h': step, Makefile: makefile.replace('managed', 'separate') })),
      { 'acc-repeated-transfer': 1 },
    );
    deepStrictEqual(
      counts(
        await modelOf('solver.c', solver, {
          'step.h': step,
          'compile_commands.json':
            '[{"file":"solver.c","directory":"/memory","command":"nvc -acc -ta=tesla:managed -c solver.c"}]',
        }),
      ),
      {},
    );
  });

  it('managed memory in one branch of a CMakeLists.txt: the transfers are unknown', async () => {
    const lists = (flags: string): Record<string, string> => ({
      'step.h': step,
      'CMakeLists.txt': `project(solver C)\n# -gpu=managed would do\ntarget_compile_options(solver PRIVATE\n  ${flags})\n`,
    });
    const loud = { 'acc-repeated-transfer': 1 };
    const branches = '$<$<BOOL:${CLOSE}>:-gpu=cc${ARCH},mem:unified:nomanagedalloc>\n  $<$<BOOL:${FAR}>:-gpu=managed>';
    deepStrictEqual(counts(await modelOf('solver.c', solver, lists(branches))), {});
    deepStrictEqual(counts(await modelOf('solver.c', solver, lists('-acc -gpu=cc${ARCH},fastmath'))), loud);
    const part = { ...lists(branches), 'src/step.h': step, 'src/CMakeLists.txt': 'add_executable(solver solver.c)\n' };
    deepStrictEqual(counts(await modelOf('src/solver.c', solver, part)), {});
    deepStrictEqual(
      counts(await modelOf('solver.c', solver, { ...lists(branches), Makefile: 'CFLAGS = -acc -gpu=cc90\n' })),
      loud,
    );
  });

  it('a solution is built as the exercise in the folder above, unless it has its own Makefile', async () => {
    const Makefile = 'CC = nvc\nCFLAGS = -acc -ta=tesla:managed -DSTEP=1 -Iabove\n';
    const files = { 'solution/step.h': step, Makefile };
    deepStrictEqual(counts(await modelOf('solution/solver.c', solver, files)), {});
    const loud = { 'acc-repeated-transfer': 1 };
    deepStrictEqual(
      counts(await modelOf('solution/c/solver.c', solver, { 'solution/c/step.h': step, Makefile })),
      loud,
    );
    const own = { ...files, 'solution/Makefile': 'CFLAGS = -acc\n' };
    deepStrictEqual(counts(await modelOf('solution/solver.c', solver, own)), loud);
    // What else it says is meant for its own sources.
    const defined = solver.replace('step(1000, a);', '\n#ifndef STEP\nstep(1000, a);\n#endif\n');
    const plain = { ...files, Makefile: Makefile.replace(':managed', '') };
    deepStrictEqual(counts(await modelOf('solution/solver.c', defined, plain)), loud);
  });

  it('flags of the project above, of included files and of scripts say that memory is managed', async () => {
    const source = { 'a/b/step.h': step };
    const asks = 'set(CMAKE_C_FLAGS "-acc -gpu=cc80,managed")\n';
    const included = (line: string): Record<string, string> => ({
      ...source,
      'CMakeLists.txt': `project(x)\n${line}\n`,
      'cmake/flags.cmake': asks,
    });
    const makefile = (value: string): string =>
      `ifeq (${value}, CYGWIN)\nCFLAGS = -ta=tesla\nelse\nCFLAGS = -ta=tesla,managed\nendif\n`;
    const builds: [Record<string, string>, boolean][] = [
      [{ ...source, 'CMakeLists.txt': `project(x)\n${asks}` }, true],
      [{ ...source, 'CMakeLists.txt': asks, 'a/CMakeLists.txt': 'project(y)\n' }, false],
      [included('include(cmake/flags.cmake)'), true],
      [included('list(APPEND CMAKE_MODULE_PATH "${CMAKE_SOURCE_DIR}/cmake")\ninclude(flags)'), true],
      [included('# include(cmake/flags.cmake)'), false],
      [{ ...source, 'a/b/build.sh': 'nvc -acc -gpu=mem:managed solver.c\n' }, true],
      [{ ...source, 'a/b/build.sh': 'nvc -acc -gpu=cc80 solver.c\n' }, false],
      [{ ...source, 'a/b/Makefile': 'include ../make.inc\n', 'a/make.inc': 'CFLAGS = -ta=tesla:managed\n' }, true],
      [{ ...source, 'a/b/Makefile': 'include ../make.inc\n', 'a/make.inc': 'CFLAGS = -ta=tesla\n' }, false],
      [{ ...source, 'a/b/Makefile': makefile('$(findstring CYGWIN, $(OS))') }, true],
      [{ ...source, 'a/b/Makefile': `OS = CYGWIN\n${makefile('$(OS)')}` }, false],
    ];
    for (const [files, managed] of builds)
      deepStrictEqual(
        counts(await modelOf('a/b/solver.c', solver, files)),
        managed ? {} : { 'acc-repeated-transfer': 1 },
        JSON.stringify(files),
      );
  });

  it('built for the cores of the host nothing is said of transfers and lanes', async () => {
    const column =
      'void add(int n, double a[n][1000]) {\n  #pragma acc parallel loop gang vector\n  for (int i = 0; i < n; i++) {\n    #pragma acc loop seq\n    for (int j = 0; j < 1000; j++) a[i][j] += 1;\n  }\n}\n';
    const both = async (flags: string): Promise<[object, number]> => {
      const Makefile = `CC = nvc\nCFLAGS = -fast ${flags}\n`;
      const { facts } = await modelOf('column.c', column, { Makefile });
      return [
        counts(await modelOf('solver.c', solver, { 'step.h': step, Makefile })),
        facts['acc-stride'].length + facts['acc-collapse'].length,
      ];
    };
    const [transfers, lanes] = await both('-acc=gpu');
    deepStrictEqual(transfers, { 'acc-repeated-transfer': 1 });
    ok(lanes > 0);
    for (const flags of ['-acc=multicore', '-acc -ta=multicore', '-acc=host'])
      deepStrictEqual(await both(flags), [{}, 0], flags);
    for (const flags of ['-acc=gpu,multicore', '-acc -ta=host,tesla:cc80', '-acc=multicore -gpu=cc90'])
      deepStrictEqual(await both(flags), [transfers, lanes], flags);
  });

  it('another file that enters data keeps the rule silent', async () => {
    deepStrictEqual(
      counts(
        await modelOf(
          'solver.c',
          solver.replace('int main', 'void keep(double *a) {\n  #pragma acc enter data copyin(a[0:1000])\n}\nint main'),
          { 'step.h': step },
        ),
      ),
      {},
    );
  });

  it('a module of another file is followed', async () => {
    const module =
      'module work\ncontains\nsubroutine step(a)\n  real(8), intent(inout) :: a(:)\n  integer :: i\n  !$acc kernels copy(a)\n  do i = 1, size(a)\n    a(i) = a(i) + 1.0d0\n  end do\n  !$acc end kernels\nend subroutine\nend module\n';
    const model = await modelOf(
      'solver.f90',
      'program solver\n  use work\n  real(8) :: a(1000)\n  integer :: t\n  a = 0\n  do t = 1, 100\n    call step(a)\n  end do\n  print *, a(1)\n!$acc wait\nend program\n',
      { 'work.f90': module },
    );
    deepStrictEqual(
      model.facts['acc-repeated-transfer'].map(({ arrays, advice }) => ({ arrays, advice })),
      [{ arrays: ['a'], advice: 'data copy(a)' }],
    );
  });

  it('hostile texts give no note of a fall', async () => {
    for (const [name, text] of [
      [
        'a.c',
        'void f(void) {\n  #pragma acc data copy(\n  for (;;) { f();\n    #pragma acc kernels copy(x[0:n], *p, (a), 3)\n    for (int i = 0; i < n; i = i) x[f(x)] += *x++;\n  }\n}\n',
      ],
      [
        'a.c',
        'int f(int *a) { return g(a); }\nint g(int *a) { return f(a); }\nvoid h(int *a) {\n  for (int t = 0; t < 9; t++) {\n    #pragma acc parallel loop copy(a[0:9])\n    for (int i = 0; i < 9; i++) a[i] = f(a) + g(a);\n    #pragma acc update self(a, b.c[0:1], (d))\n    #pragma acc wait\n  }\n}\n',
      ],
      [
        'a.f90',
        'subroutine f(a)\n  do while (.true.)\n  !$acc parallel loop copy(a, , b%c(1)) reduction(+\n  do i = 1\n    a = a + f(a)\n  !$acc update host(a(:)\n',
      ],
      ['a.f90', '!$acc end data\n!$acc kernels\nend\n'],
    ] as const)
      deepStrictEqual(
        (await modelOf(name, text)).notes.filter((note) => /OpenACC|stopped/.test(note.text)),
        [],
      );
  });
});
