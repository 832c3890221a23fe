// Has the profiling host take apart the cubins of a report, for a text that is kept beside it.
import { basename, posix } from 'node:path';
import type { HostFacts } from '../preflight/probe';
import { openReport, type Report } from '../report';
import { openFileSource } from '../transport/fileByteSource';
import type { Host } from '../transport/host';
import { ProfileProblem } from '../transport/problem';
import { cubinHash, writeKeptDisassembly, type CubinText } from './keptDisassembly';

/** Cubins that are larger are taken apart by their launched kernels alone: a library's holds thousands of functions. */
const wholeBytes = 4 * 1024 * 1024;
const mostBytes = 128 * 1024 * 1024;
const mostCubins = 64;
/** Characters of one disassembly; what is longer is not kept. */
const mostText = 256 * 1024 * 1024;

export type Disassembled = { readonly packed: Uint8Array } | { readonly why: string };

/**
 * Rejects only when the signal aborts or the connection is lost: a report without a disassembly is a report. `why`
 * says in a sentence why there is
 * none, with the next step.
 */
export async function disassemble(
  host: Host,
  facts: Pick<HostFacts, 'nvdisasm' | 'cuobjdump'>,
  report: string,
  signal?: AbortSignal,
): Promise<Disassembled> {
  const tool = facts.nvdisasm ?? facts.cuobjdump;
  if (tool === undefined)
    return {
      why:
        `nvdisasm was not found on ${host.name}, so this report has no disassembly. ` +
        'Install the CUDA toolkit there (cuda-nvdisasm).',
    };
  const source = await openFileSource(report);
  try {
    const parts = await cubinsOf(await openReport(source));
    const texts: CubinText[] = [];
    let trouble: string | undefined;
    for (const [index, { bytes, symbols }] of parts.entries()) {
      const cubin = posix.join(host.scratch, `code-${index}.cubin`);
      await sendBytes(host, bytes, cubin, signal);
      const said = await disassembleCubin(host, tool, cubin, bytes.length > wholeBytes ? symbols : [], signal);
      if ('text' in said) texts.push({ sha256: await cubinHash(bytes), text: said.text });
      else trouble = said.trouble;
    }
    if (texts.length === 0)
      return {
        why:
          trouble === undefined
            ? 'The report has no machine code, so it has no disassembly.'
            : `${basename(tool)} on ${host.name} could not disassemble the code: ${trouble}. ` +
              'Use a toolkit that supports this GPU.',
      };
    return { packed: await writeKeptDisassembly(await nameOf(host, tool, signal), texts) };
  } catch (error) {
    if (error instanceof ProfileProblem) {
      if (error.kind !== 'host-disk-full') throw error;
      return { why: `The disassembly was not kept: ${error.message}` };
    }
    throw error;
  } finally {
    await source.close();
  }
}

/** The cubins that launches of the report ran, each once, with the symbol numbers of the launched kernels. */
async function cubinsOf(report: Report): Promise<{ bytes: Uint8Array; symbols: readonly number[] }[]> {
  const symbols = new Map<number, Set<number>>();
  for (const launch of report.launches) {
    for (const reference of launch.cubins) {
      let into = symbols.get(reference);
      if (!into) {
        if (symbols.size >= mostCubins) continue;
        symbols.set(reference, (into = new Set()));
      }
      const cubin = await report.cubin(reference, launch.process);
      const own = cubin?.bySymbol.get(launch.mangledName)?.symbolIndex;
      if (own !== undefined) into.add(own);
    }
  }
  const parts: { bytes: Uint8Array; symbols: readonly number[] }[] = [];
  for (const [reference, launched] of symbols) {
    const bytes = await report.binary(reference, mostBytes);
    if (bytes && bytes.length > 0) parts.push({ bytes, symbols: [...launched] });
  }
  return parts;
}

/** A transport sends text and files; bytes go as text, and the host makes bytes of it. */
async function sendBytes(host: Host, bytes: Uint8Array, path: string, signal: AbortSignal | undefined): Promise<void> {
  await host.send({ text: Buffer.from(bytes).toString('base64') }, `${path}.base64`, 'store', signal);
  await host.run(['sh', '-c', 'base64 -d "$1.base64" >"$1" && rm -f "$1.base64"', 'unpack', path], {
    stage: 'store',
    signal,
    launched: false,
  });
}

/** Options from the newest tools down: with the count of live registers alone, with their table, without either. */
const ways = [
  ['-c', '-lrm', 'count'],
  ['-c', '-plr'],
  ['-c', '-ndf'],
] as const;

export async function disassembleCubin(
  host: Host,
  tool: string,
  cubin: string,
  symbols: readonly number[],
  signal: AbortSignal | undefined,
): Promise<{ readonly text: string } | { readonly trouble: string }> {
  const isNvdisasm = basename(tool).startsWith('nvdisasm');
  const only = symbols.length === 0 ? [] : isNvdisasm ? ['-fun', symbols.join(',')] : ['-findex', symbols.join(',')];
  let trouble = 'it printed nothing';
  for (const options of isNvdisasm ? ways : ([['-sass']] as const)) {
    const chunks: string[] = [];
    let length = 0;
    const { status, errors } = await host.run([tool, ...options, ...only, cubin], {
      stage: 'store',
      signal,
      onText: (stream, text) => {
        if (stream === 'output' && (length += text.length) <= mostText) chunks.push(text);
      },
    });
    if (status === 0 && length > 0 && length <= mostText) return { text: chunks.join('') };
    trouble =
      errors
        .trim()
        .split('\n')
        .find((line) => /error|fatal/i.test(line)) ?? (status === 0 ? trouble : `it ended with exit status ${status}`);
  }
  return { trouble: trouble.replace(/\.$/, '') };
}

async function nameOf(host: Host, tool: string, signal: AbortSignal | undefined): Promise<string> {
  const { output } = await host.run([tool, '--version'], { stage: 'store', signal });
  const version = /V(\d+\.\d+\.\d+)/.exec(output)?.[1] ?? /release (\d+\.\d+)/.exec(output)?.[1];
  return [basename(tool), version].filter(Boolean).join(' ');
}
