// Each snippet compiles as it is inserted, inside the surroundings that its description asks for, and raises no finding.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../cli/src/program';
import { expand, type Snippet } from './expand';
import { skipBecause } from '../support/skipBecause';

const root = join(__dirname, '..', '..');
const cuda = read('cuda.json');
const openacc = read('openacc.json');
const fortran = read('openacc-fortran.json');

const INCLUDES = '#include <cstdio>\n#include <cstdlib>\n#include <cuda_runtime.h>\n';
const KERNEL = '__global__ void kernel(int count) {}\n';

/** What must stand around a snippet; absent where it stands alone. */
const surroundings: Record<string, { readonly before: string; readonly after: string }> = {
  culaunch: { before: `${KERNEL}void f(int count) { int arguments = count;\n`, after: '\n}\n' },
  cugraph: { before: `${KERNEL}void f(int grid, int block, int arguments, int iterations) {\n`, after: '\n}\n' },
  accloop: { before: 'void f(const double *in, double *out, int n) {\n', after: '\n}\n' },
  accnest: { before: 'void f(const double *in, double *out, int rows, int columns) {\n', after: '\n}\n' },
  accreduce: { before: 'double f(const double *in, int n) {\n', after: '\nreturn sum;\n}\n' },
  accdata: { before: 'void f(const double *in, double *out, int n) {\n', after: '\n}\n' },
  acccollapse: { before: 'void f(double *out, int rows, int columns) {\n', after: '\n}\n' },
  accasync: { before: 'void f(double *out, int n) {\n', after: '\n}\n' },
};

const declarations =
  'implicit none\ninteger, intent(in) :: n, rows, columns\nreal(8), intent(in) :: x(n), a(rows, columns)\nreal(8), intent(out) :: y(n), total\ninteger :: i, j\n';
const fortranSurroundings = {
  before: `subroutine f(x, y, a, total, n, rows, columns)\n${declarations}`,
  after: '\nend subroutine\n',
};

describe('snippets', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'warplens-snippets-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('have distinct prefixes', () => {
    const prefixes = [...Object.values(cuda), ...Object.values(openacc)].map((snippet) => snippet.prefix);
    assert.equal(new Set(prefixes).size, prefixes.length);
    assert.equal(new Set(Object.values(fortran).map((snippet) => snippet.prefix)).size, Object.keys(fortran).length);
    assert.ok(
      [cuda, openacc, fortran]
        .flatMap((each) => Object.values(each))
        .every((snippet) => snippet.description.length > 0),
    );
  });

  for (const [name, snippet] of Object.entries(cuda)) {
    it(`"${name}" raises no finding`, async () => {
      const file = join(folder, `${snippet.prefix}.cu`);
      writeFileSync(
        file,
        `${INCLUDES}${snippet.prefix === 'cucheck' ? '' : `${expand(cuda['Error check']!)}\n`}${wrap(snippet)}`,
      );
      await checked(file);
    });
  }

  it('of CUDA compile together with nvcc', function () {
    if (!runs('nvcc', ['--version'])) skipBecause(this, 'there is no nvcc on this machine');
    this.timeout(120_000);
    // One file for all of them: nvcc takes seconds for each file that it is given. Macros know no namespace and are written once.
    const errorCheck = expand(cuda['Error check']!);
    const others = Object.values(cuda).filter((snippet) => snippet !== cuda['Error check']);
    const file = join(folder, 'snippets.cu');
    writeFileSync(
      file,
      `${INCLUDES}${errorCheck}\n\n${others.map((snippet, at) => `namespace n${at} {\n${wrap(snippet)}}\n`).join('\n')}`,
    );
    compiles('nvcc', ['-c', '-Werror', 'all-warnings', '-arch', 'sm_80', file, '-o', join(folder, 'snippets.o')]);
  });

  for (const [name, snippet] of Object.entries(openacc)) {
    it(`"${name}" compiles with gcc -fopenacc, as C and as C++`, function () {
      if (!runs('gcc', ['--version'])) skipBecause(this, 'there is no gcc on this machine');
      this.timeout(60_000);
      for (const extension of ['c', 'cpp']) {
        const file = join(folder, `${snippet.prefix}.${extension}`);
        writeFileSync(file, wrap(snippet));
        compiles('gcc', [
          '-fopenacc',
          '-Wall',
          '-Werror',
          '-fsyntax-only',
          ...(extension === 'cpp' ? ['-x', 'c++'] : []),
          file,
        ]);
      }
    });
  }

  for (const [name, snippet] of Object.entries(fortran)) {
    it(`"${name}" compiles with gfortran -fopenacc and flang, in Fortran`, function () {
      const compilers = (
        [
          ['gfortran', ['-fopenacc', '-Wall', '-fsyntax-only']],
          ['flang-new-19', ['-fopenacc', '-fsyntax-only']],
        ] as const
      ).filter(([command]) => runs(command, ['--version']));
      if (compilers.length === 0) skipBecause(this, 'there is neither gfortran nor flang-19 on this machine');
      this.timeout(60_000);
      const file = join(folder, `${snippet.prefix}.f90`);
      writeFileSync(file, inFortran(snippet));
      for (const [command, options] of compilers) compiles(command, [...options, file]);
    });
  }

  for (const [language, snippets] of [
    ['c', openacc],
    ['f90', fortran],
  ] as const) {
    for (const [name, snippet] of Object.entries(snippets)) {
      it(`"${name}" raises no finding, in ${language === 'c' ? 'C' : 'Fortran'}`, async () => {
        const file = join(folder, `${snippet.prefix}.${language}`);
        writeFileSync(file, language === 'c' ? wrap(snippet) : inFortran(snippet));
        const said = await checked(file);
        assert.doesNotMatch(said, /acc\//);
      });
    }
  }
});

function inFortran(snippet: Snippet): string {
  const text = expand(snippet);
  // A snippet that writes into the matrix gets one that may be written.
  const { before, after } = fortranSurroundings;
  return `${snippet.prefix === 'acccollapse' ? before.replace('intent(in) :: x(n), a(', 'intent(in) :: x(n)\nreal(8), intent(out) :: a(') : before}${text}${after}`;
}

function wrap(snippet: Snippet): string {
  const around = surroundings[snippet.prefix] ?? { before: '', after: '\n' };
  return around.before + expand(snippet) + around.after;
}

function read(file: string): Record<string, Snippet> {
  return JSON.parse(readFileSync(join(root, 'snippets', file), 'utf8')) as Record<string, Snippet>;
}

function runs(command: string, commandLine: readonly string[]): boolean {
  return spawnSync(command, commandLine).status === 0;
}

function compiles(command: string, commandLine: readonly string[]): void {
  const done = spawnSync(command, commandLine, { encoding: 'utf8' });
  assert.equal(done.status, 0, `${done.stdout}${done.stderr}`);
}

/** What the command line says of a file without an error. */
async function checked(file: string): Promise<string> {
  const said: string[] = [];
  const hear = (text: string): unknown => said.push(text);
  const output = { print: hear, note: hear, colour: false, exitCode: 0 };
  assert.equal(await run(['check', file, '--no-compile-commands'], output), 0, said.join('\n'));
  return said.join('\n');
}
