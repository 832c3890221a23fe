// The names of SASS instructions by their numbers, from Volta to Blackwell.
import instructionNumbers from './instructionNumbers.json';

/**
 * By the low nine bits of an instruction of 16 bytes, the next three being the form of its operands. Learnt from
 * nvdisasm 13.0's disassembly of 81 programs, compiled for sm_75, 80, 86, 89, 90, 100, 103, 120 and 121 and for the
 * variants `a` of the newer ones: 633,304 instructions, each number with one name but for those below.
 */
const names = new Map(Object.entries(instructionNumbers).map(([number, name]) => [Number(number), name]));

/** The form distinguishes two instructions with one number. */
const namesByForm: Readonly<Record<number, string>> = {
  0x5ab: 'CGAERRBAR',
  0x9ab: 'ERRBAR',
  0x9c7: 'UCGABAR_ARV',
  0xdc7: 'UCGABAR_WAIT',
};

/** Numbers that changed their name, by the major number of the compute capability. */
const namesByFamily: Readonly<Record<number, Readonly<Record<number, string>>>> = {
  7: { 0x18e: 'RED' },
  8: { 0x035: 'HFMA2', 0x18e: 'RED' },
  9: { 0x035: 'HFMA2', 0x18e: 'REDG' },
  10: { 0x18e: 'REDG' },
  12: { 0x035: 'IADD', 0x18e: 'REDG' },
};

/** Major numbers of the compute capabilities whose encoding this is. */
export const knownFamilies: ReadonlySet<number> = new Set(Object.keys(namesByFamily).map(Number));

/**
 * The name of an instruction without its modifiers; undefined where it is not known for sure.
 * @param bits its low 16
 * @param family major number of the compute capability
 */
export function nameOfInstruction(bits: number, family: number): string | undefined {
  const number = bits & 0x1ff;
  return names.get(number) ?? namesByFamily[family]?.[number] ?? namesByForm[bits & 0xfff];
}
