// A compiler's words in the editor: read from a file, from a log that a setting watches, and from a task with a problem matcher.
import * as assert from 'node:assert/strict';
import {
  commands,
  ConfigurationTarget,
  CustomExecution,
  EventEmitter,
  languages,
  Range,
  Task,
  tasks,
  workspace,
  type InlayHint,
  type Pseudoterminal,
  type TextDocument,
} from 'vscode';
import { activateExtension, closeAll, hoverAt, inWorkspace, rangeOf, show, until } from './support';

const sample = 'samples/openacc/conjugate-gradient/2-data-region.c';
const log = (length: number): string => `nvc -fast -acc -Minfo=accel -c 2-data-region.c
multiply:
      5, Generating present(rowStart[:],columns[:],values[:],x[:],y[:])
         Generating NVIDIA GPU code
          6, #pragma acc loop gang /* blockIdx.x */
         10, #pragma acc loop vector(${length}) /* threadIdx.x */
             Generating reduction(+:sum)
     10, Loop is parallelizable
`;

describe('compiler feedback', () => {
  before(activateExtension);
  afterEach(async () => {
    await commands.executeCommand('warplens.clearCompilerFeedback');
    await closeAll();
  });

  it('a log that is chosen shows at its loops, in hints and hovers', async () => {
    const { document } = await show(sample);
    const file = inWorkspace('chosen.log');
    await workspace.fs.writeFile(file, Buffer.from(log(128)));
    await commands.executeCommand('warplens.readCompilerFeedback', file);
    await until('hints', async () => (await hints(document)).join() === '6 nvc: gang,10 nvc: vector(128)');
    const loop = rangeOf(document, '#pragma acc loop vector').start.translate(0, 3);
    assert.match(await hoverAt(document, loop), /nvc[\s\S]*vector\(128\)/);
    await commands.executeCommand('warplens.clearCompilerFeedback');
    await until('no hints', async () => (await hints(document)).length === 0);
  });

  it('a watched log is re-read when it changes', async () => {
    const { document } = await show(sample);
    const folder = workspace.workspaceFolders![0]!;
    const settings = workspace.getConfiguration('warplens', folder.uri);
    const file = inWorkspace('logs/build.log');
    await workspace.fs.writeFile(file, Buffer.from(log(128)));
    try {
      await settings.update('compilerFeedback.files', ['logs/*.log'], ConfigurationTarget.WorkspaceFolder);
      await until('hints', async () => (await hints(document)).includes('10 nvc: vector(128)'));
      await workspace.fs.writeFile(file, Buffer.from(log(32)));
      await until("the next build's hints", async () => (await hints(document)).includes('10 nvc: vector(32)'));
      await workspace.fs.delete(file);
      await until('none any more', async () => (await hints(document)).length === 0);
    } finally {
      await settings.update('compilerFeedback.files', undefined, ConfigurationTarget.WorkspaceFolder);
    }
  });

  it('a task of Warplens runs a build, and shows what its compiler says', async () => {
    const { document } = await show(sample);
    const file = inWorkspace('said.txt');
    await workspace.fs.writeFile(file, Buffer.from(log(64).replace('2-data-region.c', sample)));
    const configured = workspace.getConfiguration('tasks', workspace.workspaceFolders![0]!.uri);
    await configured.update('version', '2.0.0', ConfigurationTarget.WorkspaceFolder);
    await configured.update(
      'tasks',
      [{ label: 'said', type: 'warplens', command: `cat "${file.fsPath}"`, problemMatcher: [] }],
      ConfigurationTarget.WorkspaceFolder,
    );
    const task = await until('the task', async () =>
      (await tasks.fetchTasks({ type: 'warplens' })).find(({ name }) => name === 'said'),
    );
    await tasks.executeTask(task);
    await until('hints', async () => (await hints(document)).join() === '6 nvc: gang,10 nvc: vector(64)');
  });

  for (const [matcher, line, wanted] of [
    ['$warplens-openacc-gcc', `${sample}:5:11: optimized: assigned OpenACC gang loop parallelism`, '5 GCC: gang'],
    ['$warplens-minfo', `${sample}:10: nvc: #pragma acc loop vector(128) /* threadIdx.x */`, '10 nvc: vector(128)'],
  ] as const) {
    it(`${matcher}: what a task's problem matcher finds is taken too`, async function () {
      // The editor may attach a matcher to a terminal after its only line.
      this.retries(1);
      const { document } = await show(sample);
      const task = new Task(
        { type: 'warplens', command: matcher },
        workspace.workspaceFolders![0]!,
        'say',
        'test',
        new CustomExecution(() => Promise.resolve(saying(`${line}\r\n`))),
        [matcher],
      );
      const problems = (): string[] => languages.getDiagnostics(document.uri).map(({ source }) => source ?? 'none');
      const [, wantedSource] = /^\d+ (nvc|GCC)/.exec(wanted)!;
      await tasks.executeTask(task);
      await until(
        () => `a problem of the task; problems are of ${problems().join(', ')}`,
        () => problems().some((source) => source.startsWith(wantedSource!)),
      );
      await until(
        () => `hints; problems are of ${problems().join(', ')}`,
        async () => (await hints(document)).includes(wanted),
      );
    });
  }
});

async function hints(document: TextDocument): Promise<string[]> {
  const there =
    (await commands.executeCommand<InlayHint[]>(
      'vscode.executeInlayHintProvider',
      document.uri,
      new Range(0, 0, document.lineCount, 0),
    )) ?? [];
  return there
    .map(
      ({ label, position }) =>
        `${position.line + 1} ${typeof label === 'string' ? label : label.map((part) => part.value).join('')}`,
    )
    .filter((hint) => /nvc|GCC/.test(hint))
    .sort((a, b) => parseInt(a, 10) - parseInt(b, 10));
}

/** A terminal that prints one text and ends. */
function saying(text: string): Pseudoterminal {
  const written = new EventEmitter<string>();
  const closed = new EventEmitter<number>();
  return {
    onDidWrite: written.event,
    onDidClose: closed.event,
    open() {
      written.fire(text);
      setTimeout(() => closed.fire(0), 1000);
    },
    close() {
      /* nothing runs */
    },
  };
}
