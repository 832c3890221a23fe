// The control word of an instruction, by which the compiler fixes when it issues: bits 105 to 121 of the 128 that an
// instruction has from Volta on. Reuse flags follow, which disassemblers print beside their operands.
import { instructionBytes } from '../lines/instructionNames';

export interface ControlWord {
  /** Cycles until the warp may issue its next instruction. */
  readonly stall: number;
  /** Whether the scheduler is to prefer another warp next. */
  readonly yields: boolean;
  /** The dependency barrier that is released once the result is written, of 0 to 5. */
  readonly writeBarrier?: number;
  /** The one that is released once the operands are read. */
  readonly readBarrier?: number;
  /** Barriers that have to be released before it issues. */
  readonly waits: readonly number[];
}

/** The value that names no barrier. */
const noBarrier = 7;

/**
 * Undefined before Volta, whose control words are instructions between others, and at the end of the code.
 * @param capability major number of the compute capability
 */
export function readControl(bytes: Uint8Array, offset: number, capability: number): ControlWord | undefined {
  if (!(capability >= 7) || offset + instructionBytes > bytes.length) return undefined;
  const bits = new DataView(bytes.buffer, bytes.byteOffset + offset + 12, 4).getUint32(0, true) >>> 9;
  const [writeBarrier, readBarrier] = [(bits >> 5) & 7, (bits >> 8) & 7];
  return {
    stall: bits & 15,
    yields: (bits & 16) === 0,
    ...(writeBarrier === noBarrier ? {} : { writeBarrier }),
    ...(readBarrier === noBarrier ? {} : { readBarrier }),
    waits: [0, 1, 2, 3, 4, 5].filter((barrier) => (bits >> (11 + barrier)) & 1),
  };
}

/** `B01---- R2 W3 Y S04` */
export function controlText({ stall, yields, writeBarrier, readBarrier, waits }: ControlWord): string {
  const mask = [0, 1, 2, 3, 4, 5].map((barrier) => (waits.includes(barrier) ? barrier : '-')).join('');
  const [read, write] = [readBarrier ?? '-', writeBarrier ?? '-'];
  return `B${mask} R${read} W${write} ${yields ? 'Y' : '-'} S${String(stall).padStart(2, '0')}`;
}

export const controlLegend =
  'control: B waits for barriers; R, W release one (operands read, result written); Y yields; S cycles to the next';
