// Which instructions the machine code of a line is made of: names and counts, as a disassembler would say them.
import { knownFamilies, nameOfInstruction as nameOfBits } from './instructionTable';
import { groupAt, type CubinFunction } from '../report/cubin';
import type { Launch, Report } from '../report/report';
import { readRange } from '../report/streamReader';

/** Bytes of an instruction from Volta on. */
export const instructionBytes = 16;
/** More machine code than any kernel has. */
const mostCode = 32 * 1024 * 1024;

export interface LineInstructions {
  readonly file: string;
  readonly line: number;
  /** How often each name occurs in the line's code, not how often it ran. Unknown names are `other`. */
  readonly names: Readonly<Record<string, number>>;
}

/**
 * The instructions of a kernel by line; empty where its code is not in the report, or is for a GPU whose encoding is
 * not known.
 * @param capability major number of the compute capability
 */
export async function readInstructionNames(
  report: Report,
  launch: Launch,
  capability: number,
): Promise<LineInstructions[]> {
  if (launch.kind !== 'kernel' || !knownFamilies.has(capability)) return [];
  for (const reference of launch.cubins) {
    const code = (await report.cubin(reference, launch.process))?.bySymbol.get(launch.mangledName);
    if (code?.lines && code.codeAt !== undefined && code.size <= mostCode)
      return namesByLine(await readRange(report.source, code.codeAt, code.size), code, code.lines, capability);
  }
  return [];
}

/**
 * The name of one instruction of a function's code; undefined where the encoding of that GPU, or the instruction, is
 * not known.
 */
export function nameOfInstruction(bytes: Uint8Array, offset: number, capability: number): string | undefined {
  if (offset + instructionBytes > bytes.length) return undefined;
  return nameOfBits(bytes[offset]! | (bytes[offset + 1]! << 8), capability);
}

function namesByLine(
  bytes: Uint8Array,
  { size }: CubinFunction,
  lines: NonNullable<CubinFunction['lines']>,
  capability: number,
): LineInstructions[] {
  const found = new Map<string, { file: string; line: number; names: Record<string, number> }>();
  let group = 0;
  for (let offset = 0; offset + instructionBytes <= size; offset += instructionBytes) {
    group = groupAt(lines, offset, Math.max(0, group));
    if (group < 0) continue;
    const name = nameOfInstruction(bytes, offset, capability) ?? 'other';
    // A call site and the inlined line both have the instruction; one line has it once.
    const places = new Map(
      lines.groups[group]!.map((entry) => {
        const { file, line } = lines.entries[entry]!;
        return [`${line}\n${file.path}`, { file: file.path, line }];
      }),
    );
    for (const [key, place] of places) {
      let into = found.get(key);
      if (!into) found.set(key, (into = { ...place, names: {} }));
      into.names[name] = (into.names[name] ?? 0) + 1;
    }
  }
  return [...found.values()];
}
