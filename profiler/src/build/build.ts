/** Turns sources into a program on the host: one nvcc command, or the user's own build. */

import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { posix } from 'node:path';

import type { HostFacts } from '../preflight/probe';
import { architectureOf, architectureStep } from '../preflight/checks';
import type { Host } from '../transport/host';
import { ProfileProblem, lastLines } from '../transport/problem';
import { kindOf, readTextIfThere } from '../transport/resultFile';
import { shellCommand } from '../transport/quoting';
import { errorLine, librariesFor, readCompilerOutput } from './diagnostics';
import type { CompilerMessage } from './diagnostics';
import { commonFolder, includeClosure } from './includes';
import { mapPath } from '../lines/sourceMapping';
import type { PathMap } from '../lines/sourceMapping';
import { readPtxasReport } from './ptxasReport';
import type { KernelResources } from './ptxasReport';

export interface BuildRequest {
  /** Source files, absolute. */
  readonly files: readonly string[];
  /** More arguments for nvcc (`-std=c++17`, `-lcublas`, `-Iinclude`); folders are of this machine. */
  readonly flags: readonly string[];
  /** The user's own build, a shell command; nvcc is then not called by us. */
  readonly command?: string | undefined;
  /** Folder here that the user's build wants to run in; copied to the host unless `inPlace`. */
  readonly folder: string;
  /** Run the user's build in this folder of the host and copy nothing; for this machine, `folder` itself. */
  readonly inPlace?: string | undefined;
  /** The program that the user's build makes, relative to the folder it runs in, or absolute on the host. */
  readonly program?: string | undefined;
  /**
   * The program is there and nothing is built. It runs in `folder`, of which another host gets a copy, the program with
   * it. A name without a slash is looked for where the host's shell looks; an absolute path outside the folder is of
   * the host.
   */
  readonly built?: boolean;
}

export interface BuildOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onText?: (text: string) => void;
}

export interface BuiltProgram {
  /** Absolute path on the host. */
  readonly program: string;
  /** Folder on the host in which the program is to run. */
  readonly directory: string;
  readonly command: string;
  readonly messages: readonly CompilerMessage[];
  readonly kernels: readonly KernelResources[];
  readonly folders: readonly PathMap[];
  /** Whether the machine code has a line table; undefined when nothing on the host can tell. */
  readonly hasLineTable: boolean | undefined;
}

/** A build that failed, with the compiler's messages on files of this machine. */
export class BuildFailure extends ProfileProblem {
  readonly messages: readonly CompilerMessage[];
  constructor(what: string, nextStep: string, messages: readonly CompilerMessage[], detail: string) {
    super('build', 'build-failed', what, nextStep, detail);
    this.messages = messages;
  }
}

const ownSources = /\.(cu|cpp|cc|cxx|c)$/i;

/** Copies what is needed (stage `send`) and builds. Rejects with a ProfileProblem, or with a BuildFailure. */
export async function build(
  host: Host,
  facts: HostFacts,
  request: BuildRequest,
  options: BuildOptions,
): Promise<BuiltProgram> {
  if (request.built) return takeAsBuilt(host, facts, request, options);
  return request.command === undefined
    ? buildWithNvcc(host, facts, request, options)
    : buildWithCommand(host, facts, request, request.command, options);
}

async function buildWithNvcc(
  host: Host,
  facts: HostFacts,
  request: BuildRequest,
  options: BuildOptions,
): Promise<BuiltProgram> {
  const { files } = request;
  if (files.length === 0)
    throw new ProfileProblem(
      'build',
      'bad-setting',
      'No source file to build.',
      'Give a .cu file, or a build command with --build.',
    );
  for (const file of files) {
    if (!ownSources.test(file))
      throw new ProfileProblem(
        'build',
        'bad-setting',
        `nvcc cannot build ${basename(file)}.`,
        'Give the build command with --build "make" and the program with --program.',
      );
    // nvcc puts file names into its own shell commands (13.0: a dollar is expanded).
    if (/[$`"\\\n]/.test(file))
      throw new ProfileProblem(
        'build',
        'bad-setting',
        `nvcc cannot build ${JSON.stringify(basename(file))}: its path contains one of $ \` " \\.`,
        'Rename the file or its folder.',
      );
    if ((await kindOf(file)) !== 'file')
      throw new ProfileProblem('send', 'source-missing', `File ${file} was not found.`, 'Check the path.');
  }
  const gpu = facts.gpus?.[0];
  if (!facts.nvcc || !gpu)
    throw new ProfileProblem(
      'build',
      'tool-missing',
      `No nvcc or no GPU was found on ${host.name}.`,
      'Run `warplens profile --check` to see what is missing.',
    );

  const { flags, folders: includeFolders } = splitIncludeFolders(request.flags, request.folder);
  let folders: PathMap[];
  let onHost: (path: string) => string;
  if (host.isLocal) {
    folders = [];
    onHost = (path) => path;
  } else {
    const needed = await includeClosure(files, includeFolders, readTextIfThere);
    const here = commonFolder(needed);
    const there = posix.join(host.scratch, 'src');
    folders = [{ from: there, to: here }];
    onHost = (path) => posix.join(there, relative(here, path).split(sep).join('/'));
    for (const file of needed) await host.send({ file }, onHost(file), 'send', options.signal);
  }

  const program = posix.join(host.scratch, 'bin', programName(files[0]!));
  const reachable = host.isLocal
    ? includeFolders
    : includeFolders.filter(
        (folder) =>
          mapPath(onHost(folder), folders) !== undefined && !relative(folders[0]!.to, folder).startsWith('..'),
      );
  const command = [
    facts.nvcc.path,
    '-O3',
    '-lineinfo',
    `-arch=${architectureOf(gpu.computeCapability)}`,
    '-Xptxas',
    '-v',
    ...reachable.map((folder) => `-I${onHost(folder)}`),
    ...flags,
    '-o',
    program,
    ...files.map(onHost),
  ];
  await host.run(['mkdir', '-p', posix.dirname(program)], { stage: 'build', signal: options.signal, launched: false });
  const directory = host.isLocal ? request.folder : posix.dirname(onHost(files[0]!));
  const result = await host.run(command, {
    stage: 'build',
    signal: options.signal,
    directory,
    environment: { LC_ALL: 'C' },
    // ptxas says what every kernel takes: more than programs print that anybody reads.
    keptCharacters: 1 << 20,
    onText: (_stream, text) => options.onText?.(text),
  });
  const printed = result.output + result.errors;
  const messages = await readMessages(printed, folders, directory);
  if (result.status !== 0) throw buildFailure(host, facts, result.status, messages, printed);
  const kernels = await demangled(host, facts, readPtxasReport(printed), options);
  const debug = flags.some((flag) => flag === '-G' || flag === '--device-debug');
  return {
    program,
    directory,
    command: shellCommand(command),
    messages,
    kernels,
    folders,
    hasLineTable: kernels.length > 0 || debug ? true : undefined,
  };
}

async function buildWithCommand(
  host: Host,
  facts: HostFacts,
  request: BuildRequest,
  command: string,
  options: BuildOptions,
): Promise<BuiltProgram> {
  const { directory, folders } = await folderOnHost(host, request, options);
  const path = [facts.nvcc?.path, facts.ncu?.path]
    .filter((tool) => tool !== undefined)
    .map((tool) => posix.dirname(tool));
  const stamp = posix.join(host.scratch, 'before-build');
  await host.run(['touch', stamp], { stage: 'build', signal: options.signal, launched: false });
  // nvcc adds these to whatever command line a build gives it; its other variables stay as the host has them.
  const script =
    'NVCC_APPEND_FLAGS="${NVCC_APPEND_FLAGS:+$NVCC_APPEND_FLAGS }-lineinfo -Xptxas -v"; export ' +
    'NVCC_APPEND_FLAGS; eval "$1"';
  const result = await host.run(['sh', '-c', script, 'build', command], {
    stage: 'build',
    signal: options.signal,
    directory,
    path,
    environment: { LC_ALL: 'C' },
    // ptxas says what every kernel takes: more than programs print that anybody reads.
    keptCharacters: 1 << 20,
    onText: (_stream, text) => options.onText?.(text),
  });
  const printed = result.output + result.errors;
  const messages = await readMessages(printed, folders, directory);
  if (result.status !== 0) {
    const makefile = (await readTextIfThere(join(request.folder, 'Makefile'))) ?? '';
    throw buildFailure(host, facts, result.status, messages, printed, { makefile });
  }
  const program =
    request.program === undefined
      ? await onlyNewProgram(host, directory, stamp, options)
      : await checkedProgram(host, directory, request.program, options);
  const kernels = await demangled(host, facts, readPtxasReport(printed), options);
  return {
    program,
    directory,
    command,
    messages,
    kernels,
    folders,
    hasLineTable: await lineTable(host, facts, program, options),
  };
}

async function takeAsBuilt(
  host: Host,
  facts: HostFacts,
  request: BuildRequest,
  options: BuildOptions,
): Promise<BuiltProgram> {
  const wanted = request.program;
  if (wanted === undefined || wanted === '')
    throw new ProfileProblem('build', 'bad-setting', 'No program to run.', 'Give it with --program.');
  const { directory, folders } = await folderOnHost(host, request, options);
  let program: string;
  if (!/[\\/]/.test(wanted)) {
    // `command -v` would name a shell's own `true` or `test` without a path.
    const look =
      'IFS=:; for folder in $PATH; do [ -f "$folder/$1" ] && [ -x "$folder/$1" ] && { printf ' +
      '"%s" "$folder/$1"; exit 0; }; done; exit 1';
    const found = await host.run(['sh', '-c', look, 'find', wanted], {
      stage: 'build',
      signal: options.signal,
      directory,
    });
    program = found.output;
    if (found.status !== 0 || !program.startsWith('/')) {
      throw new ProfileProblem(
        'build',
        'no-program',
        `Program ${wanted} was not found on ${host.name}.`,
        `It was searched in PATH; for a program in the folder use ./${wanted}.`,
      );
    }
  } else {
    const here = resolve(request.folder, wanted);
    const inside = relative(request.folder, here);
    const isOurs = !inside.startsWith('..') && !isAbsolute(inside);
    program = isOurs
      ? posix.join(directory, inside.split(sep).join('/'))
      : isAbsolute(wanted)
        ? wanted
        : posix.join(directory, wanted);
    if (isOurs && !host.isLocal && request.inPlace === undefined) {
      if ((await kindOf(here)) !== 'file')
        throw new ProfileProblem(
          'build',
          'no-program',
          `Program ${here} was not found.`,
          'Build it first, or give a build command with --build.',
        );
      // What git ignores stays here when a folder is copied, and programs usually are ignored.
      await host.send({ file: here }, program, 'send', options.signal);
      await host.run(['chmod', 'u+x', program], { stage: 'send', signal: options.signal, launched: false });
    }
    program = await checkedProgram(host, directory, program, options);
  }
  return {
    program,
    directory,
    command: '',
    messages: [],
    kernels: [],
    folders,
    hasLineTable: await lineTable(host, facts, program, options),
  };
}

/** The folder on the host in which a build or a program of the user runs: the user's own, or a copy of it. */
async function folderOnHost(
  host: Host,
  request: BuildRequest,
  options: BuildOptions,
): Promise<{ directory: string; folders: PathMap[] }> {
  if (request.inPlace !== undefined)
    return {
      directory: request.inPlace,
      folders: request.inPlace === request.folder ? [] : [{ from: request.inPlace, to: request.folder }],
    };
  if (host.isLocal) return { directory: request.folder, folders: [] };
  const directory = posix.join(host.scratch, 'src');
  await host.sendFolder(request.folder, directory, 'send', options.signal);
  return { directory, folders: [{ from: directory, to: request.folder }] };
}

/** `-Ifolder`, `-I folder`, `-isystem folder` name folders of this machine. */
export function splitIncludeFolders(flags: readonly string[], folder: string): { flags: string[]; folders: string[] } {
  const others: string[] = [];
  const folders: string[] = [];
  for (let at = 0; at < flags.length; at++) {
    const flag = flags[at]!;
    if ((flag === '-I' || flag === '-isystem' || flag === '--include-path') && at + 1 < flags.length)
      folders.push(resolve(folder, flags[++at]!));
    else if (flag.startsWith('-I') && flag.length > 2) folders.push(resolve(folder, flag.slice(2)));
    else others.push(flag);
  }
  return { flags: others, folders };
}

function programName(file: string): string {
  const name = basename(file)
    .replace(ownSources, '')
    .replace(/[^A-Za-z0-9._-]/g, '_')
    .replace(/^[-.]+/, '_');
  return name === '' ? 'program' : name;
}

async function readMessages(
  printed: string,
  folders: readonly PathMap[],
  directory: string,
): Promise<CompilerMessage[]> {
  const first = readCompilerOutput(printed);
  const here = (file: string) => {
    const absolute = isAbsolute(file) ? file : posix.join(directory, file);
    return mapPath(absolute, folders) ?? (folders.length === 0 ? absolute : undefined);
  };
  // Second reading with the sources at hand, for the columns.
  const texts = new Map<string, string[]>();
  for (const { file } of first) {
    const path = file !== undefined ? here(file) : undefined;
    if (file === undefined || path === undefined || texts.has(file)) continue;
    const text = await readTextIfThere(path);
    if (text !== undefined) texts.set(file, text.split(/\r?\n/));
  }
  return readCompilerOutput(printed, (file, line) => texts.get(file)?.[line - 1]).map((message) => {
    const path = message.file !== undefined ? here(message.file) : undefined;
    return path === undefined ? message : { ...message, file: path };
  });
}

/** What nvcc says of an architecture that it does not know, or no longer. */
const otherArchitecture = /unsupported gpu architecture|is not defined for option 'gpu-(?:architecture|code)'/i;

function buildFailure(
  host: Host,
  facts: HostFacts,
  status: number,
  messages: readonly CompilerMessage[],
  printed: string,
  ownBuild?: { readonly makefile: string },
): ProfileProblem {
  const errors = messages.filter((message) => message.severity === 'error');
  const first = errors[0];
  if (/No space left on device/.test(printed)) {
    return new ProfileProblem(
      'build',
      'host-disk-full',
      `The disk of ${host.name} is full.`,
      'Free some space there, or use another folder with --scratch.',
      lastLines(printed, 4),
    );
  }
  if (!first) {
    if (status === 127)
      return new BuildFailure(
        `The build command was not found on ${host.name}.`,
        'Check its name there; a non-interactive session has a shorter PATH than a terminal.',
        messages,
        lastLines(printed),
      );
    const what = `The build ended with status ${status}${errorLine(printed)}`;
    return new BuildFailure(what, 'See its output.', messages, lastLines(printed));
  }
  const place = first.file
    ? `${basename(first.file)}${first.line ? `:${first.line}${first.column ? `:${first.column}` : ''}` : ''}: `
    : '';
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const missing = librariesFor(errors);
  const noHeader = /No such file or directory|cannot open source file/i.test(first.message);
  return new BuildFailure(
    `The build failed: ${place}${first.message}${more}`,
    missing.length > 0
      ? `Add ${missing.join(' ')} to ${ownBuild === undefined ? '--flags' : 'the build'}: the functions are in ` +
          `${missing.length > 1 ? 'these libraries' : 'this library'}.`
      : noHeader && ownBuild === undefined
        ? 'Add the header folder with --flags "-Ifolder", or use your own build with --build.'
        : otherArchitecture.test(first.message)
          ? architectureStep(facts.gpus?.[0], ownBuild?.makefile)
          : 'Fix the error, then start again.',
    messages,
    lastLines(printed),
  );
}

async function demangled(
  host: Host,
  facts: HostFacts,
  kernels: KernelResources[],
  options: BuildOptions,
): Promise<KernelResources[]> {
  if (!facts.demangler || kernels.length === 0) return kernels;
  const result = await host.run([facts.demangler, ...kernels.map((kernel) => kernel.symbol)], {
    stage: 'build',
    signal: options.signal,
  });
  const names = result.output.split('\n').map((name) => name.trim());
  return result.status !== 0
    ? kernels
    : kernels.map((kernel, at) => (names[at] ? { ...kernel, name: names[at] } : kernel));
}

/** The one program that the build has made, by looking for new executables. */
async function onlyNewProgram(host: Host, directory: string, stamp: string, options: BuildOptions): Promise<string> {
  const script =
    `find . -type f -perm -100 -newer "$1" ! -name '*.so' ! -name '*.so.*' ! -name '*.o' ! ` +
    `-path '*/CMakeFiles/*' -exec sh -c 'for file; do case "$(head -c 4 "$file" | tr -d ` +
    `"\\177\\000")" in ELF) printf "%s\\n" "$file" ;; esac; done' sh {} +`;
  const result = await host.run(['sh', '-c', script, 'find', stamp], {
    stage: 'build',
    signal: options.signal,
    directory,
  });
  const programs = result.output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => posix.join(directory, line));
  if (programs.length === 1) return programs[0]!;
  if (programs.length === 0)
    throw new ProfileProblem(
      'build',
      'no-program',
      'The build produced no new program.',
      'Give the program with --program, relative to the build folder.',
    );
  throw new ProfileProblem(
    'build',
    'no-program',
    `The build produced ${programs.length} programs: ${programs
      .slice(0, 6)
      .map((one) => posix.relative(directory, one))
      .join(', ')}${programs.length > 6 ? ', …' : ''}.`,
    'Choose one with --program.',
  );
}

async function checkedProgram(host: Host, directory: string, program: string, options: BuildOptions): Promise<string> {
  const path = posix.isAbsolute(program) ? program : posix.join(directory, program);
  const result = await host.run(['test', '-x', path, '-a', '-f', path], { stage: 'build', signal: options.signal });
  if (result.status !== 0)
    throw new ProfileProblem(
      'build',
      'no-program',
      `The build did not produce ${program}.`,
      `It was searched in ${dirname(path)}; give its path with --program.`,
    );
  return path;
}

async function lineTable(
  host: Host,
  facts: HostFacts,
  program: string,
  options: BuildOptions,
): Promise<boolean | undefined> {
  if (!facts.cuobjdump) return undefined;
  const script = `"$1" -elf "$2" 2>/dev/null | { grep -m 1 -c -e '\\.debug_line' || true; }`;
  const result = await host.run(['sh', '-c', script, 'look', facts.cuobjdump, program], {
    stage: 'build',
    signal: options.signal,
  });
  const answer = result.output.trim();
  return answer === '1' ? true : answer === '0' ? false : undefined;
}
