// Fortran sources against the procedures they must give.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { createSyntax, type FortranFile, type FortranHost, type Syntax } from '../../../server/src/syntax';
import { readGrammarFiles } from '../../../server/src/syntax/grammarFiles';
import { isFixedFormFile } from '../../../server/src/syntax/fortran';
import { newSyntax } from '../support';
import { dumpFile } from './dump';

const folder = join(__dirname, 'fixtures');
const host: FortranHost = {
  include(path) {
    const found = join(folder, path);
    return existsSync(found) ? { uri: `file:///${path}`, text: readFileSync(found, 'utf8') } : undefined;
  },
};

describe('Fortran', () => {
  let syntax: Syntax;
  before(async () => {
    syntax = await newSyntax();
    await syntax.loadFortran();
  });
  const parse = (text: string, name = 'test.f90', defines: Readonly<Record<string, string>> = {}): FortranFile =>
    syntax.parseFortran(`file:///${name}`, text, 1, { defines, fixedForm: isFixedFormFile(name, text) }, host)!;

  for (const name of readdirSync(folder)
    .filter((each) => /\.f(90)?$/i.test(each))
    .sort()) {
    it(`${name} gives its procedures`, () => {
      const file = parse(readFileSync(join(folder, name), 'utf8'), name);
      const wantedPath = join(folder, `${name}.txt`);
      if (process.env['WRITE_FIXTURES']) writeFileSync(wantedPath, dumpFile(file));
      assert.equal(dumpFile(file), readFileSync(wantedPath, 'utf8'));
    });
  }

  it('a damaged grammar is reported by its name, with the next step', async () => {
    const files = readGrammarFiles();
    const told = (name: string): RegExp =>
      new RegExp(`^Error: Warplens cannot load ${name}, which is damaged \\(.*\\)\\. Run "npm ci`);
    await assert.rejects(
      createSyntax({ ...files, openacc: files.openacc.subarray(0, 9000) }),
      told('tree-sitter-openacc\\.wasm'),
    );
    const other = await createSyntax({ ...files, fortran: () => new Uint8Array(5) });
    await assert.rejects(other.loadFortran(), told('tree-sitter-fortran\\.wasm'));
    assert.equal(other.parseFortran('file:///a.f90', 'end\n', 1, { defines: {}, fixedForm: false }, host), undefined);
  });

  it('every place lies in the text and holds what it says', () => {
    for (const name of readdirSync(folder).filter((each) => /\.f(90)?$/i.test(each))) {
      const file = parse(readFileSync(join(folder, name), 'utf8'), name);
      for (const procedure of file.procedures) {
        if (procedure.nameAt.end > procedure.nameAt.start)
          assert.equal(file.text.slice(procedure.nameAt.start, procedure.nameAt.end).toLowerCase(), procedure.name);
        for (const variable of procedure.variables) {
          if (variable.uri === file.uri && !variable.name.includes('%') && variable.constant !== true)
            assert.equal(file.text.slice(variable.at.start, variable.at.end).toLowerCase(), variable.name);
        }
        const start = file.text.lastIndexOf('\n', procedure.routineInsertAt - 1) + 1;
        assert.equal(
          procedure.routineInsertAt,
          start,
          `${procedure.name}: a line begins where a routine directive goes`,
        );
      }
      const walk = (value: unknown): void => {
        if (Array.isArray(value)) {
          value.forEach(walk);
          return;
        }
        if (typeof value !== 'object' || value === null) return;
        const place = value as { kind?: string; name?: string; start?: number; end?: number };
        if (
          place.kind === 'name' &&
          file.directives.every((each) => place.start! < each.start || place.start! >= each.end)
        )
          assert.equal(file.text.slice(place.start, place.end).toLowerCase(), place.name);
        if (place.start !== undefined)
          assert.ok(
            place.start >= 0 && place.start <= place.end! && place.end! <= file.text.length,
            JSON.stringify(place),
          );
        Object.values(value).forEach(walk);
      };
      for (const procedure of file.procedures) walk(procedure.body);
    }
  });

  it('a branch of #if that is not chosen is as if it were not there', () => {
    const text =
      '#ifdef FAST\n!$acc kernels\n#else\n!$acc serial\n#endif\nx = 1\n#if defined(FAST) && FAST > 1\n!$acc end kernels\n#else\n!$acc end serial\n#endif\nend\n';
    assert.deepEqual(
      parse(text).directives.map((each) => each.name),
      ['serial', 'end serial'],
    );
    const fast = parse(text, 'test.f90', { FAST: '2' });
    assert.deepEqual(
      fast.directives.map((each) => each.name),
      ['kernels', 'end kernels'],
    );
    assert.deepEqual(
      fast.directives.flatMap((each) => each.problems),
      [],
    );
  });

  it('fixed form is recognised by the name, and by text that cannot be fixed form', () => {
    assert.equal(isFixedFormFile('a.f', '      x = 1\n'), true);
    assert.equal(isFixedFormFile('a.F', 'program p\nend\n'), false);
    assert.equal(isFixedFormFile('a.f', 'c     comment\n 100  continue\n\tx = 1\n'), true);
    assert.equal(isFixedFormFile('a.f90', '      x = 1\n'), false);
  });

  it('columns past 72 are no code, unless the file has long lines', () => {
    const narrow = `      subroutine s\n      x = 1${' '.repeat(61)}00001000\n      end\n`;
    assert.deepEqual(parse(narrow, 'a.f').errors, []);
    const long = `      subroutine s\n      x = ${'y + '.repeat(20)}z\n      end\n`;
    assert.deepEqual(parse(long, 'a.f').errors, []);
    assert.match(dumpFile(parse(long, 'a.f')), /\+ z\)/);
  });

  it('modules of other files come through the host', () => {
    const grid = parse(
      'module grid\n  integer, parameter :: n = 5\n  real(8) :: u(n)\n  type t\n    real :: v(3)\n  end type\nend module\n',
      'grid.f90',
    );
    const user = syntax.parseFortran(
      'file:///user.f90',
      'subroutine s(x)\n  use grid, only: n, w => u, t\n  type(t) :: x\n  w(n) = x%v(2)\nend subroutine\n',
      1,
      { defines: {}, fixedForm: false },
      { module: (name) => grid.modules.get(name) },
    )!;
    assert.deepEqual(user.uses, ['grid']);
    assert.match(dumpFile(user), /w\[n\] = x%v\[2\]/);
    assert.equal(user.procedures[0]!.variables.find((each) => each.name === 'w')?.elementBytes, 8);
    assert.equal(user.procedures[0]!.variables.find((each) => each.name === 'x%v')?.elementBytes, 4);
  });

  it('components of a variable are known where its type is not named', () => {
    const grid = parse(
      'module grid\n  type inner\n    real(8), allocatable :: w(:)\n  end type\n  type state\n    type(inner) :: part\n    integer, pointer :: rows(:)\n  end type\n  type(state) :: s\nend module\n',
      'grid.f90',
    );
    const user = syntax.parseFortran(
      'file:///user.f90',
      'subroutine f\n  use grid, only: s\n  s%part%w(1) = s%rows(2)\nend subroutine\nattributes(global) subroutine k(a)\n  real :: a(*)\nend subroutine\n',
      1,
      { defines: {}, fixedForm: false },
      { module: (name) => grid.modules.get(name) },
    )!;
    assert.match(dumpFile(user), /s%part%w\[1\] = s%rows\[2\]/);
    assert.deepEqual(
      user.procedures[0]!.variables.filter((each) => each.name.includes('%')).map(
        (each) => `${each.name} ${each.type}`,
      ),
      ['s%part struct inner', 's%part%w double', 's%rows int'],
    );
    assert.deepEqual(
      user.procedures.map((each) => each.device === true),
      [false, true],
    );
  });

  it('never throws', function () {
    this.timeout(120_000);
    const sources = readdirSync(folder)
      .filter((each) => /\.f(90)?$/i.test(each))
      .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
    const pieces = [
      '!$acc parallel loop &\n',
      '!$acc end',
      '!$acc',
      'do',
      'end do\n',
      '(',
      ')',
      "'",
      '"',
      '&\n',
      '&',
      '!',
      '#if 1\n',
      '#else\n',
      '#endif\n',
      '#define X (',
      '\n',
      '%',
      '::',
      'end\n',
      'module m\n',
      'contains\n',
      '10',
      ';',
      '\t',
      '\r\n',
      '\0',
      'é漢😀',
      '     &',
      'c$acc loop\n',
      'type(t) x\n',
      '=>',
      '/',
      'use m\n',
      'include "x"\n',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...sources),
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(40), fc.constantFrom(...pieces)), {
          maxLength: 6,
        }),
        fc.boolean(),
        ({ name, text }, edits, fixed) => {
          let broken = text;
          for (const [at, gone, piece] of edits) {
            const from = Math.floor(at * broken.length);
            broken = broken.slice(0, from) + piece + broken.slice(from + gone);
          }
          const file = syntax.parseFortran(`file:///${name}`, broken, 1, { defines: {}, fixedForm: fixed }, host)!;
          assert.equal(file.text, broken);
          // A dropped part is reported as one error over the whole.
          assert.ok(
            !(
              file.procedures.length === 0 &&
              file.errors.length === 1 &&
              file.errors[0]!.start === 0 &&
              file.errors[0]!.end === broken.length &&
              file.directives.length === 0 &&
              /\$acc/i.test(broken) &&
              broken.length > 200
            ),
            `the reading stopped on\n${broken}`,
          );
        },
      ),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), fc.boolean(), (parts, fixed) => {
        syntax.parseFortran('file:///x.f90', parts.join(''), 1, { defines: {}, fixedForm: fixed }, host);
      }),
      { numRuns: 300 },
    );
  });

  it('deep and long sources give what can be given', function () {
    this.timeout(60_000);
    parse(`x = ${'('.repeat(5000)}1${')'.repeat(5000)}\nend\n`);
    parse(`${'if (a) then\n'.repeat(2000)}x = 1\n${'end if\n'.repeat(2000)}end\n`);
    parse(`${'do i = 1, 2\n'.repeat(3000)}end\n`);
    const long = parse(`x = 1${' + 1'.repeat(20_000)}\nend\n`);
    assert.equal(long.text.length, long.text.length);
    assert.ok(parse('x'.repeat(5_000_000)).errors.length > 0);
  });
});
