// Fortran in the editor: findings, fixes, comments that silence, modules of other documents, and the process's end.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  CodeActionRequest,
  CodeActionResolveRequest,
  CompletionRequest,
  DidOpenTextDocumentNotification,
  DocumentDiagnosticRequest,
  ExitNotification,
  HoverRequest,
  ShutdownRequest,
  type CodeAction,
} from 'vscode-languageserver-protocol/node';
import { connectedTo, rangeOf, startEditor, uriOf, type Editor } from './support';
import { inTime } from '../support/depth';
import { bundleOf } from '../support/bundles';

const misspelt =
  'subroutine scale(n, a)\n  integer, intent(in) :: n\n  real(8), intent(inout) :: a(n)\n  integer :: i\n  !$acc paralel loop copy(a)\n  do i = 1, n\n    a(i) = 2 * a(i)\n  end do\nend subroutine\n';
const right = misspelt.replace('paralel', 'parallel');
const fixed =
  '      subroutine scale(n, a)\n      real*8 a(n)\nC$ACC PARALEL LOOP\n      do 10 i = 1, n\n   10 a(i) = 2 * a(i)\n      end\n';

describe('Fortran documents', function () {
  this.timeout(30_000);
  let editor: Editor;
  beforeEach(async () => {
    editor = await startEditor();
  });
  afterEach(() => editor.stop());
  const unknown = async (uri: string): Promise<number[]> =>
    (await editor.diagnostics(uri))
      .filter((each) => each.code === 'acc/unknown-name')
      .map((each) => each.range.start.line + 1);

  it('are read whatever their editor calls them, and only with directives', async () => {
    for (const [name, language, lines] of [
      ['a.f90', 'FortranFreeForm', [5]],
      ['b.F90', 'fortran', [5]],
      ['c.f90', 'plaintext', [5]],
      ['d.txt', 'fortran-modern', [5]],
      ['e.txt', 'plaintext', []],
    ] as const) {
      editor.open(uriOf(name), misspelt, language);
      assert.deepEqual(await unknown(uriOf(name)), lines, `${name} as ${language}`);
    }
    editor.open(uriOf('plain.f90'), misspelt.replace('!$acc', '! acc'), 'FortranFreeForm');
    assert.deepEqual(await editor.diagnostics(uriOf('plain.f90')), []);
  });

  it('of fixed form too', async () => {
    editor.open(uriOf('a.f'), fixed, 'FortranFixedForm');
    assert.deepEqual(await unknown(uriOf('a.f')), [3]);
    editor.open(uriOf('b.f'), fixed, 'fortran');
    assert.deepEqual(await unknown(uriOf('b.f')), [3]);
  });

  it('follow what is typed', async () => {
    const uri = uriOf('a.f90');
    editor.open(uri, right, 'FortranFreeForm');
    assert.deepEqual(await unknown(uri), []);
    editor.replace(uri, right.indexOf('llel'), right.indexOf('llel') + 1, '');
    assert.deepEqual(await unknown(uri), [5]);
  });

  it('are fixed and suppressed in their own syntax', async () => {
    for (const [name, language, text, comment] of [
      ['a.f90', 'FortranFreeForm', misspelt, '  ! warplens-ignore-next-line acc/unknown-name: '],
      ['a.f', 'FortranFixedForm', fixed, '! warplens-ignore-next-line acc/unknown-name: '],
    ] as const) {
      const uri = uriOf(name);
      editor.open(uri, text, language);
      const diagnostics = (await editor.diagnostics(uri)).filter((each) => each.code === 'acc/unknown-name');
      const actions = (await editor.connection.sendRequest(CodeActionRequest.type, {
        textDocument: { uri },
        range: diagnostics[0]!.range,
        context: { diagnostics },
      })) as CodeAction[];
      const resolved = async (wanted: RegExp): Promise<string> => {
        const action = actions.find((each) => wanted.test(each.title));
        assert.ok(action, `${String(wanted)} is among ${actions.map((each) => each.title).join(', ')}`);
        return editor
          .apply((await editor.connection.sendRequest(CodeActionResolveRequest.type, action)).edit!)
          .get(uri)!;
      };
      assert.match(await resolved(/parallel/i), /\$acc parallel loop/i);
      const silenced = await resolved(/^Ignore /);
      assert.ok(silenced.includes(`\n${comment}`), silenced);
      editor.change(uri, { text: silenced });
      assert.deepEqual(await unknown(uri), []);
    }
  });

  it('a comment behind a directive silences it, and the unused one leaves the directive when it goes', async () => {
    const uri = uriOf('a.f90');
    editor.open(
      uri,
      misspelt.replace('copy(a)', 'copy(a) ! warplens-ignore-line acc/unknown-name: on purpose'),
      'FortranFreeForm',
    );
    assert.deepEqual(await unknown(uri), []);
    const idle = uriOf('b.f90');
    editor.open(
      idle,
      right.replace('copy(a)', 'copy(a) ! warplens-ignore-line acc/unknown-name: on purpose'),
      'FortranFreeForm',
    );
    const [unused] = (await editor.diagnostics(idle)).filter((each) => each.code === 'warplens/unused-suppression');
    assert.equal(editor.document(idle).getText(unused!.range), '! warplens-ignore-line acc/unknown-name: on purpose');
  });

  it('hover, hints, lenses and completion answer', async () => {
    const uri = uriOf('a.f90');
    editor.open(uri, `${misspelt}! warplens-ign\n`, 'FortranFreeForm');
    await editor.diagnostics(uri);
    const document = editor.document(uri);
    await editor.connection.sendRequest(HoverRequest.type, {
      textDocument: { uri },
      position: rangeOf(document, 'copy').start,
    });
    assert.deepEqual(
      await editor.connection.sendRequest('textDocument/inlayHint', {
        textDocument: { uri },
        range: { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } },
      }),
      [],
    );
    assert.deepEqual(await editor.connection.sendRequest('textDocument/codeLens', { textDocument: { uri } }), []);
    const items = await editor.connection.sendRequest(CompletionRequest.type, {
      textDocument: { uri },
      position: rangeOf(document, '! warplens-ign').end,
    });
    assert.ok(
      Array.isArray(items) && items.some((each) => each.label === 'warplens-ignore-line'),
      JSON.stringify(items),
    );
    const model = await editor.connection.sendRequest('warplens/model', { uri });
    assert.match((model as { text: string }).text, /^Figures for/);
  });

  it('a module in another document is seen in its current text', async () => {
    const user = uriOf('user.f90');
    const grid = uriOf('grid.f90');
    editor.stop();
    editor = await startEditor({
      files: {
        '/project/grid.f90':
          'module grid\n  integer, parameter :: n = 16\n  !$acc declare create(u)\n  real :: u(n)\nend module\n',
        '/project/user.f90': '',
      },
    });
    editor.open(
      user,
      'subroutine s\n  use grid\n  integer :: i\n  !$acc paralel loop\n  do i = 1, n\n    u(i) = 0\n  end do\nend subroutine\n',
      'FortranFreeForm',
    );
    assert.deepEqual(await unknown(user), [4]);
    editor.open(grid, 'module grid\n  integer, parameter :: n = 64\n  real :: u(n)\nend module\n', 'FortranFreeForm');
    assert.deepEqual(await unknown(user), [4]);
  });
});

describe('a server that has read Fortran', function () {
  this.timeout(60_000);

  it('ends within a second on request', async function () {
    // A time that a busy machine can miss once: the best of three counts.
    this.retries(2);
    const folder = mkdtempSync(join(tmpdir(), 'warplens-fortran-'));
    const server = spawn(process.execPath, [bundleOf('server'), '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = new Promise<number | null>((resolve) => server.on('exit', resolve));
    try {
      writeFileSync(join(folder, 'a.f90'), misspelt);
      const connection = await connectedTo(server, folder);
      const uri = pathToFileURL(join(folder, 'a.f90')).href;
      await connection.sendNotification(DidOpenTextDocumentNotification.type, {
        textDocument: { uri, languageId: 'fortran', version: 1, text: misspelt },
      });
      const report = await connection.sendRequest(DocumentDiagnosticRequest.type, { textDocument: { uri } });
      assert.ok(report.kind === 'full' && report.items.some((each) => each.code === 'acc/unknown-name'));
      await connection.sendRequest(ShutdownRequest.type);
      const told = performance.now();
      await connection.sendNotification(ExitNotification.type);
      assert.equal(await ended, 0);
      const took = performance.now() - told;
      inTime(took, 5000, 'the end of the process');
    } finally {
      server.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
