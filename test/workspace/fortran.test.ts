// Fortran files of a workspace: modules of neighbours, read once for each version, and names that tell the form.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Syntax } from '../../server/src/syntax';
import { isFortran } from '../../server/src/workspace/fortran';
import { createWorkspace, type Workspace } from '../../server/src/workspace/workspace';
import { memoryFileSystem, memoryUri, testSyntax } from '../support/analyseText';

const files = new Map<string, string>();
const grid = 'module grid\n  integer, parameter :: n = 27\n  real :: u(n)\nend module\n';
const tools = 'module tools\n  use grid\ncontains\n  subroutine fill\n    u(:) = 0\n  end subroutine\nend module\n';
const main =
  'program p\n  use tools\n  integer :: i\n  !$acc parallel loop\n  do i = 1, n\n    u(i) = 1\n  end do\nend program\n';

describe('Fortran files of a workspace', () => {
  let workspace: Workspace;
  const parsed: string[] = [];
  before(async () => {
    const syntax = await testSyntax();
    const counting: Syntax = {
      ...syntax,
      parseFortran(uri, ...rest) {
        parsed.push(uri.slice(uri.lastIndexOf('/') + 1));
        return syntax.parseFortran(uri, ...rest);
      },
    };
    workspace = createWorkspace({ fileSystem: memoryFileSystem(files), syntax: counting });
    await workspace.ready(memoryUri('main.f90'));
  });
  beforeEach(() => {
    files.clear();
    for (const [name, text] of [
      ['grid.f90', grid],
      ['tools.F90', tools],
      ['main.f90', main],
    ] as const)
      files.set(`/memory/${name}`, text);
    workspace.filesChanged();
    parsed.length = 0;
  });
  const seenBy = (name: string, text: string): string[] =>
    workspace
      .analyse(memoryUri(name), { text, version: parsed.length })!
      .files.map(({ uri }) => uri.slice(uri.lastIndexOf('/') + 1))
      .sort();

  it('see the modules they use, and those that these use', () => {
    deepStrictEqual(seenBy('main.f90', main), ['grid.f90', 'main.f90', 'tools.F90']);
  });

  it('say nothing of procedures whose module several files of a folder hold', () => {
    const weights = (directive: string): string =>
      `module weights\ncontains\n  real function weight(i)\n    integer, value :: i\n${directive}    weight = i\n  end function\nend module\n`;
    const user =
      'program p\n  use weights\n  real :: a(9)\n  integer :: i\n  !$acc parallel loop\n  do i = 1, 9\n    a(i) = weight(i)\n  end do\nend program\n';
    const missing = (): number => {
      workspace.filesChanged();
      return workspace.analyse(memoryUri('user.f90'), { text: user, version: parsed.length })!.model.facts[
        'acc-routine'
      ].length;
    };
    files.set('/memory/weights.f90', weights(''));
    strictEqual(missing(), 1);
    files.set('/memory/weights_solution.f90', weights('    !$acc routine seq\n'));
    strictEqual(missing(), 0);
  });

  it('see the procedures of a module in a file that they include', () => {
    const weights = (directive: string): string =>
      `module weights\ncontains\n  real function weight(i)\n    integer, value :: i\n${directive}    weight = i\n  end function\nend module\n`;
    const user =
      'include "weights.inc"\nprogram p\n  use weights\n  real :: a(9)\n  integer :: i\n  !$acc parallel loop\n  do i = 1, 9\n    a(i) = weight(i)\n  end do\nend program\n';
    const missing = (directive: string): number => {
      files.set('/memory/weights.inc', weights(directive));
      workspace.filesChanged();
      const analysed = workspace.analyse(memoryUri('user.f90'), { text: user, version: parsed.length })!;
      deepStrictEqual(
        analysed.files.map(({ uri }) => uri),
        [memoryUri('user.f90'), memoryUri('weights.inc')],
      );
      return analysed.model.facts['acc-routine'].length;
    };
    strictEqual(missing(''), 1);
    strictEqual(missing('    !$acc routine seq\n'), 0);
  });

  it('are read alone when one of them is typed in', () => {
    seenBy('main.f90', main);
    parsed.length = 0;
    seenBy('main.f90', `${main}! typed\n`);
    deepStrictEqual(parsed, ['main.f90']);
    files.set('/memory/grid.f90', grid.replace('27', '5'));
    parsed.length = 0;
    seenBy('main.f90', main);
    deepStrictEqual(parsed.sort(), ['grid.f90', 'main.f90', 'tools.F90']);
  });

  it('a module that is written later is found once files are said to have changed', () => {
    files.delete('/memory/grid.f90');
    workspace.filesChanged();
    deepStrictEqual(seenBy('main.f90', main), ['main.f90', 'tools.F90']);
    files.set('/memory/mesh.f90', grid);
    workspace.filesChanged();
    deepStrictEqual(seenBy('main.f90', main), ['main.f90', 'mesh.f90', 'tools.F90']);
  });

  it('modules that use each other in a ring end', () => {
    files.set('/memory/grid.f90', grid.replace('module grid', 'module grid\n  use tools'));
    workspace.filesChanged();
    ok(seenBy('main.f90', main).includes('tools.F90'));
  });

  it('go by their names, or by what their editor calls them', () => {
    for (const name of ['a.f', 'b.F90', 'c.for', 'd.f08', 'e.cuf']) ok(isFortran(name), name);
    for (const name of ['a.cu', 'f90', 'b.inc', 'c.h']) ok(!isFortran(name), name);
    ok(
      isFortran('any', 'FortranFreeForm') &&
        isFortran('any', 'fortran') &&
        isFortran('a.f90', 'plaintext') &&
        !isFortran('a.f90', 'cpp') &&
        !isFortran('a.txt', 'plaintext'),
    );
  });

  it('the grammar that is loaded is the one that the lock names', () => {
    const lock = JSON.parse(readFileSync(join(__dirname, '../../grammars/lock.json'), 'utf8')) as {
      files: { file: string; package?: string; version?: string }[];
    };
    const entry = lock.files.find(({ file }) => file === 'tree-sitter-fortran.wasm');
    const manifest = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    strictEqual(entry?.version, manifest.devDependencies[entry!.package!]);
  });
});
