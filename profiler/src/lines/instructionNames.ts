// What the machine code of a line is made of: names and counts, as a disassembler would say them, and live registers.
import type { LineMetrics } from '../../../protocol/src/lineMetrics';
import { knownFamilies, nameOfInstruction as nameOfBits } from './instructionTable';
import { groupAt, type CubinFunction } from '../report/cubin';
import type { Report } from '../report/report';
import { readRange } from '../report/streamReader';
import type { SassInstruction } from '../sass/disassembly';

/** Bytes of an instruction from Volta on. */
export const instructionBytes = 16;
/** More machine code than any kernel has. */
const mostCode = 32 * 1024 * 1024;

export interface LineCode {
  /** How often each name occurs in the line's code, not how often it ran. Unknown names are `other`. */
  readonly instructions: Record<string, number>;
  /** Registers of a thread that are live at one of its instructions, at most; only a disassembly has them. */
  registers?: number;
}

/**
 * The code of a function by line, as `lineKey` writes it; empty where it is not in the report, or is for a GPU whose
 * encoding is not known.
 * @param capability major number of the compute capability
 * @param texts what a disassembler printed of the function's section
 */
export async function codeByLine(
  report: Pick<Report, 'source'>,
  { codeAt, size, lines, sectionOffset = 0 }: CubinFunction,
  capability: number,
  texts: readonly SassInstruction[] = [],
): Promise<ReadonlyMap<string, LineCode>> {
  const found = new Map<string, LineCode>();
  if (!lines || codeAt === undefined || size > mostCode || !knownFamilies.has(capability)) return found;
  const bytes = await readRange(report.source, codeAt, size);
  const live = new Map(texts.map((text) => [text.offset - sectionOffset, text.live?.['GPR']]));
  let group = 0;
  for (let offset = 0; offset + instructionBytes <= size; offset += instructionBytes) {
    group = groupAt(lines, offset, Math.max(0, group));
    if (group < 0) continue;
    const name = nameOfInstruction(bytes, offset, capability) ?? 'other';
    const registers = live.get(offset);
    // A call site and the inlined line both have the instruction; one line has it once.
    for (const key of new Set(lines.groups[group]!.map((entry) => lineKey(lines.entries[entry]!)))) {
      let into = found.get(key);
      if (!into) found.set(key, (into = { instructions: {} }));
      addCode(into, { instructions: { [name]: 1 }, ...(registers === undefined ? {} : { registers }) });
    }
  }
  return found;
}

export function lineKey({ file, line }: { readonly file: { readonly path: string }; readonly line: number }): string {
  return `${line}:${file.path}`;
}

/** Adds the code of a line in another function. */
export function addCode(into: LineCode, { instructions, registers }: LineCode): void {
  for (const [name, count] of Object.entries(instructions))
    into.instructions[name] = (into.instructions[name] ?? 0) + count;
  if (registers !== undefined) into.registers = Math.max(into.registers ?? 0, registers);
}

type LineCodeOf = Pick<LineMetrics, 'instructions' | 'registers'>;

/**
 * Words on the code of a line: its local accesses, and its live registers where they are the most of its kernel.
 * @param most live registers of any line of the kernel
 */
export function codeWords({ instructions, registers }: LineCodeOf, most: number): string[] {
  const local = localAccesses(instructions);
  return [...(local ? [local] : []), ...(registers === most && most > 0 ? [`most live registers (${most})`] : [])];
}

export function mostRegisters(lines: readonly LineCodeOf[]): number {
  return lines.reduce((most, { registers = 0 }) => Math.max(most, registers), 0);
}

/** `3 local loads, 1 local store`, in the code and not as they ran; empty without any. */
export function localAccesses(instructions: LineMetrics['instructions'] = {}): string {
  return Object.entries({ load: instructions['LDL'] ?? 0, store: instructions['STL'] ?? 0 })
    .flatMap(([kind, count]) => (count > 0 ? [`${count} local ${kind}${count === 1 ? '' : 's'}`] : []))
    .join(', ');
}

/**
 * The name of one instruction of a function's code; undefined where the encoding of that GPU, or the instruction, is
 * not known.
 */
export function nameOfInstruction(bytes: Uint8Array, offset: number, capability: number): string | undefined {
  if (offset + instructionBytes > bytes.length) return undefined;
  return nameOfBits(bytes[offset]! | (bytes[offset + 1]! << 8), capability);
}
