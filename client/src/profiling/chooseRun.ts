// Asks what to run: what was run before comes first, then the configurations of the settings, then what could be run.
import { existsSync } from 'node:fs';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import {
  ConfigurationTarget,
  QuickPickItemKind,
  TaskGroup,
  ThemeIcon,
  Uri,
  workspace,
  type QuickInputButton,
  type QuickPickItem,
  type TextDocument,
} from 'vscode';
import { quoteForShell } from '../../../profiler/src/transport/quoting';
import type { Asking } from './asking';
import type { Memory, RememberedRun } from './memory';
import { commandLineOf, portable, readCommandLine, titleOf, wordsOf, type RunConfiguration } from './runConfiguration';
import { configurationsOf } from './settings';
import { commandOf, runnableTasks } from './taskCommands';

const edit: QuickInputButton = { iconPath: new ThemeIcon('edit'), tooltip: 'Change Arguments…' };
const save: QuickInputButton = { iconPath: new ThemeIcon('save'), tooltip: 'Keep in settings.json' };
const forget: QuickInputButton = { iconPath: new ThemeIcon('close'), tooltip: 'Forget' };

interface Row extends QuickPickItem {
  readonly run?: RememberedRun;
  readonly make?: () => Promise<RunConfiguration | undefined>;
}

/** Undefined when the user turned away. Throws a ProfileProblem on settings that do not fit. */
export async function chooseRun(
  asking: Asking,
  memory: Memory,
  root: string,
  document: TextDocument | undefined,
): Promise<RememberedRun | undefined> {
  for (;;) {
    const chosen = await asking.pick<Row>(rowsFor(asking, memory, root, document), {
      title: 'Profile This Program',
      placeholder: 'Program to build and run under Nsight Compute',
    });
    if (!chosen) return undefined;
    const {
      item: { run, make },
      button,
    } = chosen;
    if (!run) {
      const configuration = await make?.();
      return configuration && { root, configuration: portable(configuration, root) };
    }
    if (!button) return run;
    if (button === forget) await memory.forget(run);
    else if (button === save) await keepInSettings(asking, run);
    else {
      const changed = await changeArguments(asking, run.configuration);
      if (changed) return { root: run.root, configuration: changed };
    }
  }
}

function rowsFor(asking: Asking, memory: Memory, root: string, document: TextDocument | undefined): Row[] {
  const separator = (label: string): Row => ({ label, kind: QuickPickItemKind.Separator });
  const recent = memory.runs.filter((run) => run.root === root);
  const named = configurationsOf(root).filter(
    ({ name }) => !recent.some(({ configuration }) => name !== undefined && configuration.name === name),
  );
  const row = (run: RememberedRun, icon: string, buttons: readonly QuickInputButton[]): Row => ({
    label: `$(${icon}) ${titleOf(run.configuration)}`,
    description: aboutOf(run.configuration),
    run,
    buttons,
  });
  const rows: Row[] = [];
  if (recent.length > 0)
    rows.push(separator('run before'), ...recent.map((run) => row(run, 'history', [edit, save, forget])));
  if (named.length > 0)
    rows.push(
      separator('from the settings'),
      ...named.map((configuration) => row({ root, configuration }, 'gear', [edit])),
    );
  rows.push(separator('new'));
  const file = document?.uri.scheme === 'file' ? document.uri.fsPath : undefined;
  // nvcc passes over the directives of OpenACC, and nothing would run on the GPU.
  if (
    document &&
    file !== undefined &&
    /\.(cu|cpp|cc|cxx|c)$/i.test(file) &&
    !/^\s*#\s*pragma\s+acc\b/m.test(document.getText())
  ) {
    rows.push({
      label: '$(file-code) This file, built by nvcc',
      description: basename(file),
      make: () => thisFile(asking, document, file),
    });
  }
  rows.push(
    {
      label: '$(tools) Build a program, then run it…',
      description: suggestedBuild(root) ?? 'make, cmake, a script',
      make: () => buildAndProgram(asking, root),
    },
    {
      label: '$(terminal) Run an existing program…',
      description: 'an executable, a test, a command line',
      make: () => askCommandLine(asking, root, {}),
    },
    {
      label: '$(checklist) A task…',
      description: 'from tasks.json and extensions',
      make: () => fromTask(asking, root),
    },
  );
  return rows;
}

/** The command, where the title is a name; and where it runs, where that is not the usual place. */
function aboutOf(configuration: RunConfiguration): string {
  const { name: _name, ...rest } = configuration;
  const command = titleOf(rest);
  const environment = Object.entries(configuration.environment ?? {}).map(([name, value]) => `${name}=${value}`);
  const parts = [
    ...(command === titleOf(configuration) ? [] : [command]),
    ...(configuration.files ? [...environment, 'nvcc', ...wordsOf(configuration.flags)] : []),
    ...(configuration.folder ? [`in ${configuration.folder}`] : []),
    ...(configuration.host ? [`on ${configuration.host}`] : []),
  ];
  return parts.join(' ');
}

async function thisFile(asking: Asking, document: TextDocument, file: string): Promise<RunConfiguration | undefined> {
  // A program that takes no arguments is not asked for any.
  if (!/\bmain\s*\(\s*(?:const\s+)?int\b/.test(document.getText())) return { files: [file] };
  const line = await asking.input({
    title: basename(file),
    prompt: 'Arguments of the program (Enter for none)',
    value: '',
    validateInput: openQuote,
  });
  return line === undefined ? undefined : { files: [file], ...(line.trim() !== '' && { arguments: wordsOf(line) }) };
}

async function buildAndProgram(asking: Asking, root: string): Promise<RunConfiguration | undefined> {
  const build = await asking.input({
    title: 'Build',
    prompt: 'Command that builds the program; -lineinfo is added for nvcc',
    value: suggestedBuild(root) ?? '',
    placeHolder: 'make -j bench',
  });
  if (build === undefined || build.trim() === '') return undefined;
  return askCommandLine(asking, root, { build: build.trim() }, true);
}

async function fromTask(asking: Asking, root: string): Promise<RunConfiguration | undefined> {
  const tasks = await runnableTasks();
  if (tasks.length === 0) {
    await asking.say(
      'information',
      'Warplens: no task runs a command here. Add one to .vscode/tasks.json ("Tasks: ' + 'Configure Task").',
    );
    return undefined;
  }
  const chosen = await asking.pick(
    tasks.map((task) => ({ label: task.name, description: task.source, detail: commandOf(task)!.command, task })),
    { title: 'A Task', placeholder: 'Task that builds or runs the program' },
  );
  if (!chosen) return undefined;
  const { task } = chosen.item;
  return task.group === TaskGroup.Build ? askCommandLine(asking, root, { task: task.name }) : { task: task.name };
}

async function askCommandLine(
  asking: Asking,
  root: string,
  configuration: RunConfiguration,
  mayBeEmpty = false,
): Promise<RunConfiguration | undefined> {
  const browse = async (): Promise<string | undefined> => {
    const file = await asking.file({ title: 'Program', defaultUri: Uri.file(root), openLabel: 'Choose' });
    if (!file) return undefined;
    const inside = relative(root, file.fsPath);
    const path = inside.startsWith('..') || isAbsolute(inside) ? file.fsPath : `./${inside.split(sep).join('/')}`;
    return /[^\w@%+=:,./-]/.test(path) ? quoteForShell(path) : path;
  };
  const line = await asking.input({
    title: 'Program',
    value: commandLineOf(configuration),
    placeHolder: 'NAME=value ./build/bench --size 1024',
    validateInput: openQuote,
    browse,
    prompt:
      'Program and its arguments, relative to ' +
      `${configuration.folder ?? basename(root)}${mayBeEmpty ? ' (empty: the only program of the build)' : ''}`,
  });
  if (line === undefined || (line.trim() === '' && !mayBeEmpty)) return undefined;
  const { program: _program, arguments: _arguments, environment: _environment, ...rest } = configuration;
  return { ...rest, ...readCommandLine(line) };
}

async function changeArguments(asking: Asking, configuration: RunConfiguration): Promise<RunConfiguration | undefined> {
  const line = await asking.input({
    title: titleOf(configuration),
    value: commandLineOf(configuration),
    validateInput: openQuote,
    prompt:
      configuration.program === undefined
        ? 'Arguments of the program; NAME=value before it sets the environment'
        : 'Program and its arguments; NAME=value before it sets the environment',
  });
  if (line === undefined) return undefined;
  const { program, arguments: _arguments, environment: _environment, name: _name, ...rest } = configuration;
  if (program !== undefined) return { ...rest, ...readCommandLine(line) };
  // Without a program the line begins with the arguments.
  const { program: first, arguments: others, environment } = readCommandLine(line);
  const words = [...(first === undefined ? [] : [first]), ...wordsOf(others)];
  return { ...rest, ...(words.length > 0 && { arguments: words }), ...(environment && { environment }) };
}

async function keepInSettings(asking: Asking, { root, configuration }: RememberedRun): Promise<void> {
  const name = await asking.input({
    title: 'Keep in settings.json',
    prompt: 'Name of the configuration',
    value: configuration.name ?? titleOf(configuration),
  });
  if (name === undefined || name.trim() === '') return;
  const { kernel: _kernel, ...rest } = configuration;
  const section = workspace.getConfiguration('warplens.profile', Uri.file(root));
  const inFolder = (workspace.workspaceFolders?.length ?? 0) > 1;
  const known = section.inspect<unknown[]>('configurations');
  const list = (inFolder ? known?.workspaceFolderValue : known?.workspaceValue) ?? [];
  const others = list.filter((value) => (value as { name?: unknown } | null)?.name !== name.trim());
  await section.update(
    'configurations',
    [...others, { ...rest, name: name.trim() }],
    inFolder ? ConfigurationTarget.WorkspaceFolder : ConfigurationTarget.Workspace,
  );
}

function openQuote(line: string): string | undefined {
  try {
    wordsOf(line);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function suggestedBuild(root: string): string | undefined {
  if (['Makefile', 'makefile', 'GNUmakefile'].some((name) => existsSync(join(root, name)))) return 'make';
  if (existsSync(join(root, 'CMakeLists.txt')))
    return 'cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build -j';
  return undefined;
}
