// What is profiled and how, as settings, memory and arguments write it, and the profiler's request for it.
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { clockModes, replayModes, type ClockMode, type ReplayMode } from '../../../profiler/src/collect/ncuCommand';
import type { ProfileRequest } from '../../../profiler/src/session/profileSession';
import type { HostChoice } from '../../../profiler/src/transport/host';
import { ProfileProblem } from '../../../profiler/src/transport/problem';
import { quoteForShell, splitWords } from '../../../profiler/src/transport/quoting';

/** One thing to profile: `files` built by nvcc, or what `build` or `task` builds, or `program` alone, in `folder`. */
export interface RunConfiguration extends HostSettings, MeasureSettings {
  readonly name?: string;
  readonly files?: readonly string[];
  /** Additional arguments for nvcc. */
  readonly flags?: Words;
  readonly build?: string;
  readonly task?: string;
  readonly program?: string;
  readonly arguments?: Words;
  readonly environment?: Readonly<Record<string, string>>;
  /** Folder in which build and program run, relative to the workspace folder; another host gets a copy of it. */
  readonly folder?: string;
  /** Run in this folder of the host and copy nothing; true for `folder` itself. */
  readonly inPlace?: boolean | string;
}

/** Words as a list, or as a line in which quotes group. */
export type Words = string | readonly string[];

export interface HostSettings {
  /** What ssh calls a destination; `local` is this machine. */
  readonly host?: string | undefined;
  readonly launcher?: Words;
  readonly nvcc?: string;
  readonly ncu?: string;
  readonly scratch?: string;
  readonly sshConfig?: string;
}

export interface MeasureSettings {
  /** Only this kernel, or `regex:` and a part of a name. */
  readonly kernel?: string | undefined;
  readonly launches?: number;
  readonly mostKernels?: number;
  readonly timeLimit?: number;
  readonly sections?: readonly string[] | 'full';
  readonly replay?: ReplayMode;
  readonly clocks?: ClockMode;
}

/** The name by which settings and pickers call the machine that the editor's extensions run on. */
export const thisMachine = 'local';

type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === 'string';
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isWords: Check = (value) => isText(value) || isTexts(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const isEnvironment: Check = (value) =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([name, text]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && isText(text));
const keys: Readonly<Record<keyof RunConfiguration, readonly [Check, string]>> = {
  name: [isText, 'a string'],
  files: [isTexts, 'a list of paths'],
  flags: [isWords, 'a string or a list of strings'],
  build: [isText, 'a shell command'],
  task: [isText, 'the name of a task'],
  program: [isText, 'a path'],
  arguments: [isWords, 'a string or a list of strings'],
  environment: [isEnvironment, 'an object with variable names and string values'],
  folder: [isText, 'a path'],
  inPlace: [(value) => typeof value === 'boolean' || isText(value), 'true, false or a folder on the host'],
  host: [isText, 'an ssh destination, or "local"'],
  launcher: [isWords, 'a string or a list of strings'],
  nvcc: [isText, 'a path'],
  ncu: [isText, 'a path'],
  scratch: [isText, 'a folder on the host'],
  sshConfig: [isText, 'a path'],
  kernel: [isText, 'the name of a kernel'],
  launches: [isCount, 'a whole number above 0'],
  mostKernels: [isCount, 'a whole number above 0'],
  timeLimit: [isCount, 'a number of seconds'],
  sections: [(value) => value === 'full' || isTexts(value), '"full" or a list of names'],
  replay: [(value) => replayModes.some((mode) => mode === value), '"kernel", "application" or "single-pass"'],
  clocks: [(value) => clockModes.some((mode) => mode === value), '"none", "base" or "boost"'],
};

/** A value as a configuration. Throws a ProfileProblem on an entry that does not fit; ignores unknown keys. */
export function readConfiguration(value: unknown, from: string): RunConfiguration {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badSetting(
      `${from} is not an object.`,
      'Write it as { "files": ["kernel.cu"] } or { "build": "make", "program": "bench" }.',
    );
  const read: Record<string, unknown> = {};
  for (const [key, [fits, what]] of Object.entries(keys)) {
    const given = (value as Readonly<Record<string, unknown>>)[key];
    if (given === undefined || given === null) continue;
    if (!fits(given)) throw badSetting(`Invalid "${key}" in ${from}: use ${what}.`, 'Fix it in the settings.');
    read[key] = given;
  }
  return read;
}

/** Whether it says what is to be run. */
export function isRunnable({ files, build, task, program }: RunConfiguration): boolean {
  return (files?.length ?? 0) > 0 || build !== undefined || task !== undefined || program !== undefined;
}

/** What a list calls it: its name, its command, or its files. */
export function titleOf(configuration: RunConfiguration): string {
  const { name, files, build, task, program } = configuration;
  if (name !== undefined && name !== '') return name;
  const run = program === undefined ? '' : commandLineOf(configuration);
  const made = build ?? (task === undefined ? undefined : program === undefined ? `task ${task}` : task);
  if (made !== undefined) return run === '' ? made : `${made} && ${run}`;
  if (run !== '') return run;
  const words = wordsOf(configuration.arguments);
  return [(files ?? []).map((file) => basename(file)).join(' + '), ...words.map(shown)].join(' ').trim() || 'nothing';
}

/** Environment, program and arguments as a user would type them. */
export function commandLineOf({
  environment,
  program,
  arguments: words,
}: Pick<RunConfiguration, 'environment' | 'program' | 'arguments'>): string {
  // What was given as a shell line is shown as one.
  const list = wordsOf(words);
  const line =
    program === 'sh' && list[0] === '-c' && list.length === 2
      ? list[1]!
      : [...(program === undefined ? [] : [program]), ...list].map(shown).join(' ');
  return [...Object.entries(environment ?? {}).map(([name, value]) => `${name}=${shown(value)}`), line].join(' ');
}

/** `NAME=value ./program arguments` in parts. A line that wants a shell (`cd x && ./y > z`) is given to `sh`. */
export function readCommandLine(text: string): Pick<RunConfiguration, 'program' | 'arguments' | 'environment'> {
  const words = splitOrProblem(text);
  const environment: Record<string, string> = {};
  let at = 0;
  for (; at < words.length; at++) {
    const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(words[at]!);
    if (!match) break;
    environment[match[1]!] = match[2]!;
  }
  const some = Object.keys(environment).length > 0 ? { environment } : {};
  if (wantsShell(text)) return { program: 'sh', arguments: ['-c', text.trim()] };
  if (at === words.length) return some;
  return { program: words[at]!, ...(at + 1 < words.length && { arguments: words.slice(at + 1) }), ...some };
}

/** Whether a line holds what only a shell understands, outside of quotes. */
function wantsShell(text: string): boolean {
  return /[|&;<>()$`*?]|(^|\s)~/.test(text.replace(/'[^']*'|\\./g, '').replace(/"[^"$`]*"/g, ''));
}

function shown(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoteForShell(word);
}

export function wordsOf(words: Words | undefined): readonly string[] {
  return words === undefined ? [] : typeof words === 'string' ? splitOrProblem(words) : words;
}

function splitOrProblem(text: string): string[] {
  try {
    return splitWords(text);
  } catch (error) {
    throw badSetting((error as Error).message, 'Close the quote.');
  }
}

/** Where a configuration is at home. */
export interface Place {
  /** The workspace folder, or that of the file where there is none. */
  readonly root: string;
  /** The file on screen. */
  readonly file?: string | undefined;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What a task is, as far as a profile needs it. */
export interface TaskCommand {
  /** As a shell reads it. */
  readonly command: string;
  readonly folder?: string | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** The profiler's request, with the task that it names. Throws a ProfileProblem where it cannot be run. */
export function requestOf(
  configuration: RunConfiguration,
  place: Place,
  store: string,
  task?: TaskCommand,
): ProfileRequest {
  const replace = (text: string): string => replaceVariables(text, place);
  const folder = resolve(place.root, replace(configuration.folder ?? task?.folder ?? '.'));
  const isCopied =
    configuration.inPlace === undefined || configuration.inPlace === false
      ? hostOf(configuration) !== undefined
      : false;
  // In a copy on another host, the workspace folder is somewhere else: there, commands name it from where they run.
  const inCommand = (text: string): string =>
    replaceVariables(text, place, isCopied ? (path) => relative(folder, path).split(sep).join('/') || '.' : undefined);
  let { build } = configuration;
  let run: Pick<RunConfiguration, 'program' | 'arguments' | 'environment'> = configuration;
  if (task && configuration.program !== undefined) build = task.command;
  else if (task)
    run = { ...readCommandLine(task.command), environment: { ...task.environment, ...configuration.environment } };
  const program = run.program === undefined || run.program === '' ? undefined : inCommand(run.program);
  const files = (configuration.files ?? []).map((file) => resolve(folder, replace(file)));
  if (build === undefined && program === undefined && files.length === 0)
    throw badSetting(
      `"${titleOf(configuration)}" has neither files to build nor a program to run.`,
      'Add "files", or "build" and "program".',
    );
  const isNvcc = build === undefined && files.length > 0;
  const series = configuration.name ?? (program === 'sh' ? titleOf(configuration) : undefined);
  return {
    host: hostChoiceOf(configuration),
    build: {
      files,
      flags: wordsOf(configuration.flags).map(replace),
      folder,
      ...(build !== undefined && { command: inCommand(build) }),
      ...(!isNvcc && program !== undefined && { program }),
      ...(build === undefined && !isNvcc && { built: true }),
      ...(configuration.inPlace !== undefined &&
        configuration.inPlace !== false && {
          inPlace: configuration.inPlace === true ? folder : configuration.inPlace,
        }),
    },
    collect: {
      kernel: configuration.kernel,
      launchesPerShape: configuration.launches ?? 1,
      mostKernels: configuration.mostKernels ?? 100,
      timeLimitSeconds: configuration.timeLimit ?? 600,
      replay: configuration.replay,
      clocks: configuration.clocks ?? 'none',
      sections:
        configuration.sections !== undefined && configuration.sections.length > 0 ? configuration.sections : undefined,
      arguments: wordsOf(run.arguments).map(inCommand),
      environment: Object.fromEntries(
        Object.entries(run.environment ?? {}).map(([name, value]) => [name, inCommand(value)]),
      ),
    },
    store,
    ...(series !== undefined && { series }),
    ...(configuration.nvcc ? { nvcc: configuration.nvcc } : {}),
    ...(configuration.ncu ? { ncu: configuration.ncu } : {}),
  };
}

export function hostChoiceOf(settings: HostSettings): HostChoice {
  const launcher = wordsOf(settings.launcher);
  return {
    destination: hostOf(settings),
    ...(launcher.length > 0 && { launcher }),
    ...(settings.sshConfig ? { sshConfig: settings.sshConfig } : {}),
    ...(settings.scratch ? { scratchIn: settings.scratch } : {}),
  };
}

function hostOf({ host }: HostSettings): string | undefined {
  return host === undefined || host === '' || host === thisMachine ? undefined : host;
}

/** A configuration as it is to be kept: paths in the workspace folder are relative to it. */
export function portable(configuration: RunConfiguration, root: string): RunConfiguration {
  const short = (path: string): string => {
    const inside = isAbsolute(path) ? relative(root, path) : path;
    return inside.startsWith('..') || isAbsolute(inside) ? path : inside.split(sep).join('/');
  };
  return {
    ...configuration,
    ...(configuration.files && { files: configuration.files.map(short) }),
    ...(configuration.folder !== undefined && { folder: short(configuration.folder) }),
  };
}

/**
 * `${workspaceFolder}` and the like, as tasks and launch configurations write them; `there` says how a path is called
 * where the text is read. Throws a ProfileProblem on one that only VS Code can ask for.
 */
export function replaceVariables(
  text: string,
  { root, file, home, environment }: Place,
  there: (path: string) => string = (path) => path,
): string {
  return text.replace(/\$\{([^}]*)\}/g, (whole, name: string) => {
    const of = (value: string | undefined): string => {
      if (value === undefined) throw badSetting(`${whole} needs an open file.`, 'Open a file first.');
      return value;
    };
    switch (name) {
      case 'workspaceFolder':
      case 'workspaceRoot':
        return there(root);
      case 'workspaceFolderBasename':
        return basename(root);
      case 'file':
        return there(of(file));
      case 'fileBasename':
        return of(file && basename(file));
      case 'fileBasenameNoExtension':
        return of(file && basename(file).replace(/\.[^.]*$/, ''));
      case 'fileDirname':
        return there(dirname(of(file)));
      case 'relativeFile':
        return of(file && relative(root, file));
      case 'relativeFileDirname':
        return of(file && (relative(root, dirname(file)) || '.'));
      case 'fileExtname':
        return of(file && (/\.[^.\\/]*$/.exec(file)?.[0] ?? ''));
      case 'userHome':
        return home;
      case 'pathSeparator':
      case '/':
        return sep;
      default: {
        const variable = /^env:(.+)$/.exec(name)?.[1];
        if (variable !== undefined) return environment[variable] ?? '';
        throw badSetting(`Unknown variable ${whole}.`, 'Write its value instead.');
      }
    }
  });
}

/** Where reports and the table of steps are kept. */
export function storeFolder(root: string, setting: string): string {
  return isAbsolute(setting) ? setting : join(root, setting === '' ? '.warplens/profiles' : setting);
}

function badSetting(what: string, nextStep: string): ProfileProblem {
  return new ProfileProblem('preflight', 'bad-setting', what, nextStep);
}
