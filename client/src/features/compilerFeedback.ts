// Brings what compilers said of a build to the server: from files, from a build run here, from problem matchers.
import { spawn } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import {
  commands,
  CustomExecution,
  EventEmitter,
  languages,
  RelativePattern,
  Task,
  TaskRevealKind,
  tasks,
  Uri,
  window,
  workspace,
  type Disposable,
  type Pseudoterminal,
  type TaskDefinition,
  type WorkspaceFolder,
} from 'vscode';
import {
  compilerFeedbackRequest,
  type CompilerFeedbackAnswer,
  type CompilerFeedbackParameters,
} from '../../../protocol/src/compilerFeedback';
import { resourcesOfBuild } from '../../../profiler/src/build/kernelResources';
import type { FeatureContext } from '../featureContext';
import { chooseWorkspaceFolder, findWorkspaceFiles } from '../workspaceFiles';
import { errorText } from '../errorText';

export const feedbackCommands = {
  read: 'warplens.readCompilerFeedback',
  build: 'warplens.buildForCompilerFeedback',
  clear: 'warplens.clearCompilerFeedback',
} as const;
const taskType = 'warplens';
/** The `source` that the problem matchers of the manifest put on what they find. */
const matcherSources: ReadonlySet<string> = new Set(['nvc -Minfo', 'GCC OpenACC']);
const mostWatched = 64;
const largestLog = 32 * 1024 * 1024;
/** Milliseconds after which a log that is being written is taken to be whole. */
const settled = 600;

export interface CompilerFeedbackApi {
  /** What the provider of `warplens` tasks makes of a task of `tasks.json`. */
  resolveTask(task: Task): Task | undefined;
}

export function activateCompilerFeedback({ extension, server }: FeatureContext): CompilerFeedbackApi {
  /** What the server was given, to send again after a restart. */
  const given = new Map<string, CompilerFeedbackParameters>();
  const key = ({ source, folder }: CompilerFeedbackParameters): string => `${folder ?? ''} ${source}`;

  async function give(log: CompilerFeedbackParameters): Promise<CompilerFeedbackAnswer | undefined> {
    const resources = typeof log.text === 'string' ? resourcesOfBuild(log.text) : [];
    const parameters = resources.length > 0 ? { ...log, resources } : log;
    if (parameters.text === null) given.delete(key(parameters));
    else given.set(key(parameters), parameters);
    return (await server.request<CompilerFeedbackAnswer | null>(compilerFeedbackRequest, parameters)) ?? undefined;
  }
  function tell(name: string, answer: CompilerFeedbackAnswer | undefined): void {
    if (answer?.problem) void window.showWarningMessage(`${name}: ${answer.problem}`);
    else if (answer)
      void window.showInformationMessage(
        `${name}: ${answer.remarks} compiler remarks, ${answer.shown} of them in open files. They ` +
          'are shown at the loops and in the hovers of their directives.',
      );
  }

  async function readFile(uri: Uri): Promise<string> {
    const { size } = await workspace.fs.stat(uri);
    if (size > largestLog)
      throw new Error(`the file is larger than ${largestLog / 1024 / 1024} MB. Keep only the compiler output.`);
    const bytes = await workspace.fs.readFile(uri);
    const plain =
      bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes, { maxOutputLength: 4 * largestLog }) : bytes;
    return new TextDecoder().decode(plain);
  }
  async function readNamed(uris: readonly Uri[]): Promise<void> {
    for (const uri of uris) {
      const name = uri.path.slice(uri.path.lastIndexOf('/') + 1);
      try {
        tell(
          name,
          await give({
            source: uri.toString(),
            text: await readFile(uri),
            folder: workspace.getWorkspaceFolder(uri)?.uri.toString(),
          }),
        );
      } catch (error) {
        void window.showErrorMessage(`${name} could not be read: ${errorText(error)}`);
      }
    }
  }

  async function read(wanted?: unknown): Promise<void> {
    if (wanted instanceof Uri) return readNamed([wanted]);
    const chosen = await window.showOpenDialog({
      title: 'Read compiler feedback from a build log',
      openLabel: 'Read',
      canSelectMany: true,
      ...(workspace.workspaceFolders?.[0] ? { defaultUri: workspace.workspaceFolders[0].uri } : {}),
      filters: { 'Build logs and optimisation records': ['log', 'txt', 'out', 'gz', 'json'], 'All files': ['*'] },
    });
    if (chosen) await readNamed(chosen);
  }

  async function build(): Promise<void> {
    if (!workspace.isTrusted) {
      const manage = 'Manage Workspace Trust';
      const chosen = await window.showWarningMessage(
        'Warplens does not run builds in an untrusted workspace. Trust it, or read a build log ' +
          'with "Read Compiler Feedback…".',
        manage,
      );
      if (chosen === manage) await commands.executeCommand('workbench.trust.manage');
      return;
    }
    const folder = await chooseWorkspaceFolder('The folder to build in');
    if (!folder) return;
    const last = `compilerFeedback.build ${folder.uri.toString()}`;
    const command = await window.showInputBox({
      title: 'Build and read compiler feedback',
      prompt: `Runs in ${folder.name}. It must rebuild with -Minfo=accel (nvc, nvfortran) or -fopt-info-omp (GCC).`,
      value: extension.workspaceState.get(last, 'make -B CFLAGS="-fast -acc -Minfo=accel"'),
      ignoreFocusOut: true,
    });
    if (!command?.trim()) return;
    await extension.workspaceState.update(last, command);
    const task = taskOf(command, folder, 'build for compiler feedback', { type: taskType, command });
    task.presentationOptions = { reveal: TaskRevealKind.Always };
    await tasks.executeTask(task);
  }

  /** Of two builds of a folder the later one counts. */
  function taskOf(command: string, folder: WorkspaceFolder, name: string, definition: TaskDefinition): Task {
    return new Task(
      definition,
      folder,
      name,
      'Warplens',
      new CustomExecution(() =>
        Promise.resolve(
          runBuild(command, folder.uri.fsPath, (text) => {
            give({ source: 'the build', text, folder: folder.uri.toString() }).then(
              (answer) => tell('The build', answer),
              (error: unknown) => server.log.error(String(error)),
            );
          }),
        ),
      ),
    );
  }
  /** A task of `tasks.json`: a compiler's output is read whole only of a task that runs here. */
  function resolveTask({ definition, name, scope }: Task): Task | undefined {
    // An untrusted folder may contain the task.
    if (!workspace.isTrusted) return undefined;
    const command: unknown = definition['command'];
    const folder = typeof scope === 'object' ? scope : workspace.workspaceFolders?.[0];
    return typeof command === 'string' && command.trim() !== '' && folder
      ? taskOf(command, folder, name, definition)
      : undefined;
  }

  async function clear(): Promise<void> {
    for (const parameters of [...given.values()]) await give({ ...parameters, text: null });
  }

  // ---- watched files
  let watched: Disposable[] = [];
  const pauses = new Map<string, NodeJS.Timeout>();
  function quietlyRead(uri: Uri, folder: WorkspaceFolder): void {
    const id = uri.toString();
    clearTimeout(pauses.get(id));
    pauses.set(
      id,
      setTimeout(() => {
        pauses.delete(id);
        readFile(uri)
          .then((text) => give({ source: id, text, folder: folder.uri.toString() }))
          .then((answer) => {
            if (answer)
              server.log.info(`${uri.fsPath}: ${answer.remarks} compiler remarks, ${answer.shown} in open files`);
          })
          .catch((error: unknown) => server.log.warn(`${uri.fsPath} could not be read: ${errorText(error)}`));
      }, settled),
    );
  }
  function watch(): void {
    for (const each of watched) each.dispose();
    watched = [];
    for (const folder of workspace.workspaceFolders ?? []) {
      const patterns = workspace.getConfiguration('warplens', folder.uri).get<unknown>('compilerFeedback.files', []);
      for (const pattern of Array.isArray(patterns) ? patterns : []) {
        if (typeof pattern !== 'string' || pattern.trim() === '') continue;
        const relative = new RelativePattern(folder, pattern);
        const watcher = workspace.createFileSystemWatcher(relative);
        watched.push(
          watcher,
          watcher.onDidCreate((uri) => quietlyRead(uri, folder)),
          watcher.onDidChange((uri) => quietlyRead(uri, folder)),
          watcher.onDidDelete((uri) => {
            give({ source: uri.toString(), text: null, folder: folder.uri.toString() }).catch(() => {
              /* a server that is down holds nothing */
            });
          }),
        );
        // Build folders are often left out of searches; here they are meant.
        void findWorkspaceFiles(pattern, { most: mostWatched, folder }).then((uris) => {
          for (const uri of uris) quietlyRead(uri, folder);
        });
      }
    }
  }

  // ---- problem matchers
  const matched = new Set<string>();
  function takeMatched(uris: readonly Uri[]): void {
    for (const uri of uris) {
      const said = languages
        .getDiagnostics(uri)
        .filter(({ source }) => source !== undefined && matcherSources.has(source));
      const id = uri.toString();
      if (said.length === 0 && !matched.delete(id)) continue;
      if (said.length > 0) matched.add(id);
      const text = said
        .map(({ source, message, range }) =>
          source === 'GCC OpenACC'
            ? `${uri.fsPath}:${range.start.line + 1}:${range.start.character + 1}: optimized: ${message}`
            : `${uri.fsPath}:\n${String(range.start.line + 1).padStart(7)}, ${message}`,
        )
        .join('\n');
      give({
        source: `task ${id}`,
        text: said.length > 0 ? `${text}\n` : null,
        folder: workspace.getWorkspaceFolder(uri)?.uri.toString(),
      }).catch(() => {
        /* given again when the server runs */
      });
    }
  }

  extension.subscriptions.push(
    commands.registerCommand(feedbackCommands.read, read),
    commands.registerCommand(feedbackCommands.build, build),
    commands.registerCommand(feedbackCommands.clear, clear),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('warplens.compilerFeedback.files')) watch();
    }),
    workspace.onDidChangeWorkspaceFolders(watch),
    tasks.registerTaskProvider(taskType, { provideTasks: () => [], resolveTask }),
    languages.onDidChangeDiagnostics(({ uris }) => takeMatched(uris)),
    server.onDidChangeState((state) => {
      if (state === 'running')
        for (const parameters of given.values())
          server.request(compilerFeedbackRequest, parameters).catch((error: unknown) => server.log.warn(String(error)));
    }),
    {
      dispose: () => {
        for (const each of watched) each.dispose();
        for (const pause of pauses.values()) clearTimeout(pause);
      },
    },
  );
  watch();
  return { resolveTask };
}

/** A terminal that runs a command, shows its output, and hands it over at the end, whatever the exit status. */
function runBuild(command: string, folder: string, done: (text: string) => void): Pseudoterminal {
  const written = new EventEmitter<string>();
  const closed = new EventEmitter<number>();
  let text = '';
  let child: ReturnType<typeof spawn> | undefined;
  return {
    onDidWrite: written.event,
    onDidClose: closed.event,
    open() {
      written.fire(`${command}\r\n`);
      child = spawn(command, {
        cwd: folder,
        shell: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: process.platform !== 'win32',
      });
      const take = (chunk: Buffer): void => {
        const piece = chunk.toString();
        if (text.length < largestLog) text += piece;
        written.fire(piece.replace(/\r?\n/g, '\r\n'));
      };
      child.stdout?.on('data', take);
      child.stderr?.on('data', take);
      child.once('error', (error) => {
        written.fire(`The build could not be started: ${error.message}\r\n`);
        closed.fire(1);
      });
      child.once('close', (code) => {
        done(text);
        closed.fire(code ?? 1);
      });
    },
    close() {
      if (child?.pid === undefined || child.exitCode !== null) return;
      try {
        if (process.platform === 'win32') child.kill();
        else process.kill(-child.pid);
      } catch {
        /* it has ended meanwhile */
      }
    },
  };
}
