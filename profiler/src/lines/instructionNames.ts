// Which instructions the machine code of a line is made of: names and counts, as a disassembler would say them.
import { groupAt, type CubinFunction } from '../report/cubin';
import type { Launch, Report } from '../report/report';
import { readRange } from '../report/streamReader';

/**
 * Names by the low nine bits of an instruction of 16 bytes, the next three being the form of its operands. Learnt from
 * ncu 2025.3.1's own disassembly of sm_90 code in nine reports: 18,076 instructions, each number with one name.
 */
const names: Readonly<Record<number, string>> = {
  0x002: 'MOV',
  0x005: 'CS2R',
  0x007: 'SEL',
  0x008: 'FSEL',
  0x00b: 'FSETP',
  0x00c: 'ISETP',
  0x010: 'IADD3',
  0x011: 'LEA',
  0x012: 'LOP3',
  0x013: 'IABS',
  0x019: 'SHF',
  0x01c: 'PLOP3',
  0x020: 'FMUL',
  0x021: 'FADD',
  0x023: 'FFMA',
  0x024: 'IMAD',
  0x025: 'IMAD',
  0x027: 'IMAD',
  0x028: 'DMUL',
  0x029: 'DADD',
  0x02b: 'DFMA',
  0x035: 'HFMA2',
  0x036: 'VIADD',
  0x045: 'I2FP',
  0x046: 'VIADDMNMX',
  0x082: 'UMOV',
  0x086: 'VOTEU',
  0x090: 'UIADD3',
  0x091: 'ULEA',
  0x099: 'USHF',
  0x0a4: 'UIMAD',
  0x0b9: 'ULDC',
  0x0bd: 'UFLO',
  0x0ca: 'R2UR',
  0x102: 'FCHK',
  0x105: 'F2I',
  0x106: 'I2F',
  0x108: 'MUFU',
  0x109: 'POPC',
  0x110: 'F2F',
  0x112: 'I2F',
  0x118: 'NOP',
  0x119: 'S2R',
  0x11d: 'BAR',
  0x141: 'BSYNC',
  0x142: 'BREAK',
  0x143: 'CALL',
  0x144: 'CALL',
  0x145: 'BSSY',
  0x147: 'BRA',
  0x148: 'WARPSYNC',
  0x14d: 'EXIT',
  0x150: 'RET',
  0x155: 'BMOV',
  0x156: 'BMOV',
  0x15c: 'BPT',
  0x180: 'LD',
  0x181: 'LDG',
  0x182: 'LDC',
  0x183: 'LDL',
  0x184: 'LDS',
  0x185: 'ST',
  0x186: 'STG',
  0x187: 'STL',
  0x188: 'STS',
  0x189: 'SHFL',
  0x18e: 'REDG',
  0x192: 'MEMBAR',
  0x1a6: 'REDG',
  0x1a8: 'ATOMG',
  0x1ab: 'ERRBAR',
  0x1c3: 'S2UR',
};

/** Bytes of an instruction from Volta on. */
export const instructionBytes = 16;
/** More machine code than any kernel has. */
const mostCode = 32 * 1024 * 1024;

export interface LineInstructions {
  readonly file: string;
  readonly line: number;
  /** How often each name stands in the line's code, not how often it ran. What has no known name is `other`. */
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
  if (launch.kind !== 'kernel' || !isNamed(capability)) return [];
  for (const reference of launch.cubins) {
    const code = (await report.cubin(reference, launch.process))?.bySymbol.get(launch.mangledName);
    if (code?.lines && code.codeAt !== undefined && code.size <= mostCode)
      return namesByLine(await readRange(report.source, code.codeAt, code.size), code, code.lines);
  }
  return [];
}

/**
 * The name of one instruction of a function's code; undefined where the encoding of that GPU, or the instruction, is
 * not known.
 */
export function nameOfInstruction(bytes: Uint8Array, offset: number, capability: number): string | undefined {
  return isNamed(capability) && offset + instructionBytes <= bytes.length ? nameAt(bytes, offset) : undefined;
}

/** Volta to Hopper share the encoding. */
function isNamed(capability: number): boolean {
  return capability >= 7 && capability <= 9;
}

function nameAt(bytes: Uint8Array, offset: number): string | undefined {
  return names[(bytes[offset]! | (bytes[offset + 1]! << 8)) & 0x1ff];
}

function namesByLine(
  bytes: Uint8Array,
  { size }: CubinFunction,
  lines: NonNullable<CubinFunction['lines']>,
): LineInstructions[] {
  const found = new Map<string, { file: string; line: number; names: Record<string, number> }>();
  let group = 0;
  for (let offset = 0; offset + instructionBytes <= size; offset += instructionBytes) {
    group = groupAt(lines, offset, Math.max(0, group));
    if (group < 0) continue;
    const name = nameAt(bytes, offset) ?? 'other';
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
