// The disassembly that lies beside a report: what a tool on the profiling host made of each cubin, as one compressed
// text.
import type { CubinFunction } from '../report/cubin';
import type { Report } from '../report/report';
import { readDisassembly, type Disassembly, type SassInstruction } from './disassembly';

/** What one tool said of one cubin. */
export interface CubinText {
  /** SHA-256 of the cubin's bytes, in hexadecimal: a text of another build is none of the report's. */
  readonly sha256: string;
  readonly text: string;
}

export interface KeptDisassembly {
  /** `nvdisasm 13.0.85` */
  readonly tool: string;
  /** By SHA-256 of the cubin. */
  readonly cubins: ReadonlyMap<string, Disassembly>;
}

/** Where the disassembly of a report lies. */
export function disassemblyPath(report: string): string {
  return `${report}.sass.gz`;
}

const firstLine = 'warplens disassembly 1';
const cubinLine = '@@ cubin ';

/** The bytes of the file. */
export async function writeKeptDisassembly(tool: string, cubins: readonly CubinText[]): Promise<Uint8Array> {
  const text = [
    `${firstLine}\n${tool}\n`,
    ...cubins.map((cubin) => `${cubinLine}${cubin.sha256}\n${cubin.text.trimEnd()}\n`),
  ].join('');
  return piped(new TextEncoder().encode(text), new CompressionStream('gzip'));
}

/** More text than the largest library has; a file that unfolds to more is not ours. */
const mostBytes = 512 * 1024 * 1024;

/** Throws an Error with a sentence where the bytes are no such file. */
export async function readKeptDisassembly(bytes: Uint8Array): Promise<KeptDisassembly> {
  let text: string;
  try {
    text = new TextDecoder('utf-8').decode(await piped(bytes, new DecompressionStream('gzip')));
  } catch {
    throw new Error('The disassembly beside the report is damaged. Profile again to recreate it.');
  }
  if (!text.startsWith(`${firstLine}\n`))
    throw new Error('The kept disassembly is from another version of Warplens. Profile again to recreate it.');
  const [head, ...parts] = text.split(`\n${cubinLine}`);
  return {
    tool: head!.split('\n')[1] ?? '',
    cubins: new Map(
      parts.map((part) => {
        const end = part.indexOf('\n');
        return [part.slice(0, end < 0 ? undefined : end), readDisassembly(end < 0 ? '' : part.slice(end + 1))];
      }),
    ),
  };
}

/** What the tool printed of the section of a function; undefined where the disassembly is of another build. */
export type KeptTexts = (reference: number, code: CubinFunction) => Promise<readonly SassInstruction[] | undefined>;

const mostCubin = 256 * 1024 * 1024;

export function keptTexts(report: Report, kept: KeptDisassembly): KeptTexts {
  const hashes = new Map<number, string>();
  return async (reference, { section = '' }) => {
    if (!hashes.has(reference)) {
      const binary = await report.binary(reference, mostCubin);
      hashes.set(reference, binary ? await cubinHash(binary) : '');
    }
    return kept.cubins.get(hashes.get(reference)!)?.get(section);
  };
}

/** SHA-256 of a cubin, in hexadecimal. */
export async function cubinHash(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function piped(bytes: Uint8Array, through: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  let size = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if ((size += chunk.length) > mostBytes) throw new Error('too large');
      controller.enqueue(chunk);
    },
  });
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(through).pipeThrough(limit);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
