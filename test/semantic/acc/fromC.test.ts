// C and C++ as procedures: each source beside this file against the text of what was read of it.
import { deepStrictEqual, fail, ok, strictEqual } from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { proceduresOf } from '../../../server/src/semantic/acc/fromC';
import type { TranslationUnit } from '../../../server/src/syntax';
import { memoryUri, testSyntax } from '../../support/analyseText';
import { dumpProcedures } from '../../support/dumpProcedures';

const folder = join(__dirname, 'fromC');

async function unitOf(
  name: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TranslationUnit> {
  const syntax = await testSyntax();
  return syntax.parse(
    memoryUri(name),
    text,
    1,
    { defines: {}, computeCapability: 90 },
    {
      resolve: (path) => {
        const header = headers[path];
        return header === undefined ? undefined : { uri: memoryUri(path), text: header, version: 1 };
      },
    },
  );
}

describe('procedures of C and C++', () => {
  for (const name of readdirSync(folder).filter((each) => !each.endsWith('.txt'))) {
    it(name, async () => {
      const text = readFileSync(join(folder, name), 'utf8');
      const unit = await unitOf(`golden-${name}`, text);
      deepStrictEqual(unit.main.errors, []);
      const dump = dumpProcedures(proceduresOf(unit, unit.main.uri)!);
      const golden = join(folder, `${name}.txt`);
      // A new source writes its text, to be reviewed when it is added.
      if (!existsSync(golden)) {
        writeFileSync(golden, dump);
        fail(`${golden} is new: read it, and run again`);
      }
      strictEqual(dump, readFileSync(golden, 'utf8'));
    });
  }

  it('places are those of the file', async () => {
    const text =
      'int first;\n\nvoid f(int n, double *a) {\n  for (int i = 1; i < n; i++) a[i - 1] = 2.5 * n;\n}\n#pragma acc routine(f) seq\n';
    const file = proceduresOf(await unitOf('places.c', text), memoryUri('places.c'))!;
    const [procedure] = file.procedures;
    const [loop] = procedure!.body;
    ok(loop?.kind === 'loop' && loop.body[0]?.kind === 'assign');
    const slice = ({ start, end }: { readonly start: number; readonly end: number }): string => text.slice(start, end);
    deepStrictEqual(
      [
        slice(procedure!.nameAt),
        slice(loop.header),
        slice(loop.upper!),
        slice(loop.body[0].target),
        slice(loop.body[0].value),
        loop.indent,
        slice(procedure!.variables.find(({ name }) => name === 'a')!.at),
      ],
      ['f', 'for (int i = 1; i < n; i++)', 'n', 'a[i - 1]', '2.5 * n', '  ', 'a'],
    );
    strictEqual(procedure!.routineInsertAt, text.indexOf('void'));
  });

  it('headers are read with their includers, and only if they see a directive', async () => {
    const headers = {
      'vector.h':
        'struct vector { int n; double *v; };\nvoid fill(vector &x) {\n  #pragma acc parallel loop\n  for (int i = 0; i < x.n; i++) x.v[i] = 0;\n}\n',
    };
    const unit = await unitOf('includes.cpp', '#include "vector.h"\nint main() { vector x; fill(x); }\n', headers);
    deepStrictEqual(
      unit.files.map((file) => proceduresOf(unit, file.uri)?.procedures.map((each) => each.name)),
      [['main'], ['fill']],
    );
    strictEqual(
      proceduresOf(unit, memoryUri('vector.h')),
      proceduresOf(unit, memoryUri('vector.h')),
      'kept while nothing changes',
    );
    const without = await unitOf('without.cpp', 'void f(double *a) { a[0] = 1; }\n#pragma omp parallel\n');
    strictEqual(proceduresOf(without, without.main.uri), undefined);
  });

  it('hostile texts give less, and no error', async () => {
    for (const text of [
      '#pragma acc parallel loop\n',
      'void f( {\n#pragma acc parallel\n#pragma acc data\n}',
      'void f() {\n#pragma acc loop\n#pragma acc loop\nx;\n#pragma acc atomic\n}',
      `void f(int a) {\n#pragma acc kernels\na = ${'('.repeat(3000)}1${')'.repeat(3000)};\n}`,
      `void f(int a) {\n#pragma acc kernels\na = ${'1 + '.repeat(5000)}1;\n}`,
      '#pragma acc routine(',
      'int f(int f) {\n#pragma acc parallel loop\nfor (f = f; f < f; f += f) f[f][f] = *f++ = &*&f;\n}',
    ]) {
      const unit = await unitOf('hostile.c', text);
      ok(proceduresOf(unit, unit.main.uri) !== undefined);
    }
  });
});
