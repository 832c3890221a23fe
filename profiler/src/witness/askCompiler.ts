// Has nvcc compile a source on a host, and reads the code that it made: no program is linked, and nothing runs.
import { basename, dirname, posix, relative, sep } from 'node:path';
import type { Compilation } from '../../../protocol/src/compilation';
import { readCompilerOutput } from '../build/diagnostics';
import { commonFolder, includeClosure } from '../build/includes';
import { readPtxasReport, type KernelResources } from '../build/ptxasReport';
import { mapPath, type PathMap } from '../lines/sourceMapping';
import { architectureOf } from '../preflight/checks';
import type { HostFacts } from '../preflight/probe';
import { nameOfSymbol } from '../report/functionNames';
import { disassembleCubin } from '../sass/disassemble';
import { readRange } from '../report/streamReader';
import { openFileSource } from '../transport/fileByteSource';
import type { Host } from '../transport/host';
import { lastLines, ProfileProblem } from '../transport/problem';
import { readTextIfThere, withTemporaryFolder } from '../transport/resultFile';
import { codeByNames, codeOfCubin, codeOfPtx, type MachineCode } from './machineCode';

export interface CompiledSource {
  /** With paths of this machine. */
  readonly code: readonly MachineCode[];
  readonly kernels: readonly KernelResources[];
  /** Sentences on what the compiler said beside the code: spills, launch bounds. */
  readonly remarks: readonly string[];
  /** `nvcc 13.0.88` */
  readonly compiler: string;
}

/** Characters of PTX: more than a source with hundreds of kernels has. */
const mostText = 256 * 1024 * 1024;

/** Rejects with a ProfileProblem when there is no compiler, the source does not compile, or the signal aborts. */
export async function askCompiler(
  host: Host,
  facts: Pick<HostFacts, 'nvcc' | 'nvdisasm' | 'cuobjdump'>,
  file: string,
  { defines, undefines, includeDirs, flags, computeCapability }: Compilation,
  signal?: AbortSignal,
): Promise<CompiledSource> {
  const { nvcc } = facts;
  if (!nvcc)
    throw new ProfileProblem(
      'build',
      'tool-missing',
      `No nvcc was found on ${host.name}.`,
      'Install the CUDA toolkit, add its folder to PATH, or choose a host that has it.',
    );
  const architecture = architectureOf(computeCapability);
  if (nvcc.architectures.length > 0 && !nvcc.architectures.includes(architecture))
    throw new ProfileProblem(
      'build',
      'gpu-not-supported',
      `nvcc ${nvcc.version ?? ''} on ${host.name} cannot compile for ${architecture}.`.replace('  ', ' '),
      'Choose a GPU that it supports, or another toolkit.',
    );
  if (/[$`"\\\n]/.test(file))
    throw new ProfileProblem(
      'build',
      'bad-setting',
      `nvcc cannot compile ${JSON.stringify(basename(file))}: its path contains one of $ \` " \\.`,
      'Rename the file or its folder.',
    );
  const { onHost, folders } = await sourcesOnHost(host, file, includeDirs, signal);
  const folder = posix.join(host.scratch, 'witness');
  const cubin = posix.join(folder, 'code.cubin');
  await host.run(['sh', '-c', 'rm -rf "$1" && mkdir -p "$1"', 'make', folder], {
    stage: 'build',
    signal,
    launched: false,
  });
  const { status, output, errors } = await host.run(
    [
      nvcc.path,
      `-arch=${architecture}`,
      '-lineinfo',
      '-Xptxas',
      '-v',
      '-cubin',
      '--keep',
      '--keep-dir',
      folder,
      ...flags,
      ...Object.entries(defines).map(([name, value]) => `-D${name}=${value}`),
      ...undefines.map((name) => `-U${name}`),
      ...includeDirs.map((include) => `-I${onHost(include)}`),
      '-o',
      cubin,
      onHost(file),
    ],
    {
      stage: 'build',
      signal,
      directory: host.isLocal ? dirname(file) : posix.dirname(onHost(file)),
      environment: { LC_ALL: 'C' },
      keptCharacters: 1 << 20,
    },
  );
  const printed = output + errors;
  if (status !== 0) throw notCompiled(file, status, printed);
  const kernels = readPtxasReport(printed);
  return {
    code: (await codeIn(host, facts, folder, cubin, architecture, signal)).map((code) => withPaths(code, folders)),
    kernels,
    remarks: remarksOf(kernels, printed),
    compiler: `nvcc ${nvcc.version ?? ''}`.trim(),
  };
}

async function sourcesOnHost(
  host: Host,
  file: string,
  includeDirs: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ readonly onHost: (path: string) => string; readonly folders: readonly PathMap[] }> {
  if (host.isLocal) return { onHost: (path) => path, folders: [] };
  const needed = await includeClosure([file], includeDirs, readTextIfThere);
  const here = commonFolder(needed);
  const there = posix.join(host.scratch, 'src');
  const onHost = (path: string): string => posix.join(there, relative(here, path).split(sep).join('/'));
  for (const one of needed) await host.send({ file: one }, onHost(one), 'send', signal);
  return { onHost, folders: [{ from: there, to: here }] };
}

function notCompiled(file: string, status: number, printed: string): ProfileProblem {
  const first = readCompilerOutput(printed).find(({ severity }) => severity === 'error');
  const place =
    first?.file === undefined ? '' : `${basename(first.file)}${first.line === undefined ? '' : `:${first.line}`}: `;
  const reason = first ? `${place}${first.message}` : `it ended with exit status ${status}`;
  return new ProfileProblem(
    'build',
    'build-failed',
    `nvcc could not compile ${basename(file)}: ${reason}`,
    'Check the include folders and defines; the build may give others.',
    lastLines(printed),
  );
}

/** The machine code where a disassembler is at hand that reads it, else the PTX, and the names of its instructions. */
async function codeIn(
  host: Host,
  facts: Pick<HostFacts, 'nvdisasm' | 'cuobjdump'>,
  folder: string,
  cubin: string,
  architecture: string,
  signal: AbortSignal | undefined,
): Promise<MachineCode[]> {
  const tool = facts.nvdisasm ?? facts.cuobjdump;
  if (tool !== undefined) {
    const said = await disassembleCubin(host, tool, cubin, [], signal);
    if ('text' in said) return [await codeOfCubin(await bytesOf(host, cubin, signal), said.text, architecture)];
  }
  const chunks: string[] = [];
  let length = 0;
  await host.run(['sh', '-c', 'cat "$1"/*.ptx', 'read', folder], {
    stage: 'build',
    signal,
    launched: false,
    onText: (stream, text) => {
      if (stream === 'output' && (length += text.length) <= mostText) chunks.push(text);
    },
  });
  const code = codeOfPtx(chunks.join(''));
  if (!code)
    throw new ProfileProblem(
      'build',
      'build-failed',
      `nvcc on ${host.name} wrote no PTX.`,
      'Use a toolkit that has nvdisasm, or a newer one.',
    );
  const symbols = code.functions.map(({ symbol }) => symbol);
  const decoded = await codeByNames(await bytesOf(host, cubin, signal), symbols, architecture);
  return [code, ...(decoded ? [decoded] : [])];
}

async function bytesOf(host: Host, path: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
  if (host.isLocal) return bytesOfFile(path);
  return withTemporaryFolder(async (folder) => {
    const copy = `${folder}/code.cubin`;
    await host.fetch(path, copy, 'fetch', signal);
    return bytesOfFile(copy);
  });
}

async function bytesOfFile(path: string): Promise<Uint8Array> {
  const source = await openFileSource(path);
  try {
    return await readRange(source, 0, source.size);
  } finally {
    await source.close();
  }
}

function withPaths(code: MachineCode, folders: readonly PathMap[]): MachineCode {
  if (folders.length === 0) return code;
  return {
    ...code,
    functions: code.functions.map((one) => ({
      ...one,
      instructions: one.instructions.map((instruction) => ({
        ...instruction,
        lines: instruction.lines.map(({ file, line }) => ({ file: mapPath(file, folders) ?? file, line })),
      })),
    })),
  };
}

/** What ptxas says beside the code that costs time: spills, and bounds or register limits that do not hold. */
export function remarksOf(kernels: readonly KernelResources[], printed: string): string[] {
  const spilled = kernels.flatMap(({ symbol, registers, spillStoreBytes = 0, spillLoadBytes = 0 }) =>
    spillStoreBytes + spillLoadBytes > 0
      ? [
          `Compiler: \`${nameOfSymbol(symbol)}\` spills registers: ${spillStoreBytes} bytes stored and ` +
            `${spillLoadBytes} bytes loaded by each thread` +
            `${registers === undefined ? '' : `, with ${registers} registers`}.`,
        ]
      : [],
  );
  const said = printed
    .split(/\r?\n/)
    .map(
      (line) =>
        /^ptxas (?:info|warning)\s*:\s*(.*(?:\(C75\d\d\)|maxntid|minnctapersm|launch.?bounds|setmaxnreg).*)$/i.exec(
          line,
        )?.[1],
    )
    .filter((line) => line !== undefined);
  return [...spilled, ...[...new Set(said)].map((line) => `Compiler: ${line.replace(/\.?$/, '.')}`)];
}
