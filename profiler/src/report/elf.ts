// Sections and symbols of a cubin: the parts of a 64-bit little-endian ELF file that the line table needs, read from
// where they lie.
// Layouts as in the System V gABI (https://gabi.xinuos.com/) and <elf.h>.
import type { ByteSource } from './byteSource';
import { damagedReport, ReportError } from './reportError';
import { readRange } from './streamReader';

export interface ElfSection {
  readonly type: number;
  /** Byte of the file at which the section begins. */
  readonly offset: number;
  readonly size: number;
  /** For relocations: the section that they apply to. */
  readonly info: number;
}

export interface ElfSymbol {
  readonly name: () => string;
  readonly section: number;
  /** `st_other`: visibility, and what the machine adds. */
  readonly other: number;
  readonly value: number;
  readonly size: number;
}

export interface ElfFile {
  /** Whether a linker has yet to place its code and data. */
  readonly relocatable: boolean;
  section(name: string): ElfSection | undefined;
  /** A section by its index, as symbols name them. */
  sectionAt(index: number): ElfSection | undefined;
  /** The name of a section by its index; empty where there is none. */
  sectionName(index: number): string;
  bytes(section: ElfSection): Promise<Uint8Array>;
  /** How many symbols there are; 0 without a symbol table. */
  readonly symbolCount: number;
  /** A symbol by its index in .symtab. */
  symbol(index: number): ElfSymbol | undefined;
}

const noBits = 8;
const sectionHeaderBytes = 64;
const symbolBytes = 24;
const mostSections = 1_000_000;

/**
 * Reads the section headers and the symbol table of an ELF file that lies at `offset` in `source`.
 * Throws ReportError where a header leads beyond `length`. The version and ABI bytes differ between CUDA toolkits and
 * are not looked at.
 */
export async function readElf(source: ByteSource, offset: number, length: number): Promise<ElfFile> {
  const range = async (start: number, size: number): Promise<Uint8Array> => {
    if (!(start >= 0 && size >= 0 && start + size <= length))
      throw damagedReport('a cubin whose section extends past its end', offset);
    return readRange(source, offset + start, size);
  };
  if (length < 64) throw damagedReport('a cubin without a header', offset);
  const header = viewOf(await range(0, 64));
  if (header.getUint32(0, false) !== 0x7f454c46 || header.getUint8(4) !== 2 || header.getUint8(5) !== 1) {
    throw damagedReport('a cubin that is not a 64-bit ELF file', offset);
  }
  const tableOffset = wide(header, 0x28);
  const entrySize = header.getUint16(0x3a, true);
  let count = header.getUint16(0x3c, true);
  let nameSection = header.getUint16(0x3e, true);
  if (tableOffset === 0) return emptyElf;
  if (entrySize < sectionHeaderBytes) throw damagedReport('a cubin with short section headers', offset);
  if (count === 0 || nameSection === 0xffff) {
    // More sections than 16 bits can count: the first header holds the real numbers.
    const first = viewOf(await range(tableOffset, sectionHeaderBytes));
    if (count === 0) count = wide(first, 0x20);
    if (nameSection === 0xffff) nameSection = first.getUint32(0x28, true);
  }
  if (count > mostSections)
    throw new ReportError(`A cubin in the report lists ${count} sections; it is damaged.`, offset);
  const table = viewOf(await range(tableOffset, count * entrySize));
  const raw = Array.from({ length: count }, (_, index) => {
    const at = index * entrySize;
    return {
      nameOffset: table.getUint32(at, true),
      type: table.getUint32(at + 4, true),
      offset: wide(table, at + 0x18),
      size: wide(table, at + 0x20),
      info: table.getUint32(at + 0x2c, true),
      link: table.getUint32(at + 0x28, true),
    };
  });
  const read = (section: { type: number; offset: number; size: number }) =>
    section.type === noBits ? Promise.resolve(new Uint8Array(0)) : range(section.offset, section.size);
  const names = raw[nameSection] ? await read(raw[nameSection]!) : new Uint8Array(0);
  const symbolSection = raw.findIndex((section) => section.type === 2);
  const symbolTable = symbolSection < 0 ? new Uint8Array(0) : await read(raw[symbolSection]!);
  const symbolNames =
    symbolSection < 0 || !raw[raw[symbolSection]!.link]
      ? new Uint8Array(0)
      : await read(raw[raw[symbolSection]!.link]!);
  const symbols = viewOf(symbolTable);
  const symbolCount = Math.floor(symbolTable.length / symbolBytes);
  return {
    relocatable: header.getUint16(0x10, true) === 1,
    section: (name) => raw.find((section) => hasStringAt(names, section.nameOffset, name)),
    sectionAt: (index) => raw[index],
    sectionName: (index) => (raw[index] ? stringAt(names, raw[index].nameOffset) : ''),
    bytes: read,
    symbolCount,
    symbol(index) {
      if (!(index >= 0 && index < symbolCount)) return undefined;
      const at = index * symbolBytes;
      const nameOffset = symbols.getUint32(at, true);
      return {
        name: () => stringAt(symbolNames, nameOffset),
        other: symbols.getUint8(at + 5),
        section: symbols.getUint16(at + 6, true),
        value: wide(symbols, at + 8),
        size: wide(symbols, at + 16),
      };
    },
  };
}

/** Where a relocation writes and what: the entries of a .rela or .rel section as (offset → symbol, addend). */
export function readRelocationSection(
  bytes: Uint8Array,
  withAddend: boolean,
): Map<number, { symbol: number; addend: number }> {
  const view = viewOf(bytes);
  const size = withAddend ? 24 : 16;
  const entries = new Map<number, { symbol: number; addend: number }>();
  for (let at = 0; at + size <= bytes.length; at += size) {
    entries.set(wide(view, at), {
      symbol: view.getUint32(at + 12, true),
      addend: withAddend ? wide(view, at + 16) : 0,
    });
  }
  return entries;
}

const emptyElf: ElfFile = {
  relocatable: false,
  section: () => undefined,
  sectionAt: () => undefined,
  sectionName: () => '',
  bytes: async () => new Uint8Array(0),
  symbolCount: 0,
  symbol: () => undefined,
};

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A little-endian u64 as a number; sizes and addresses above 2^53 round, and then fail their bounds. */
export function wide(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}

const text = new TextDecoder('utf-8');

/** Longer than the names of templates get; where a string does not end, this does. */
const longestString = 16_384;

/** A zero-terminated string; empty where `at` is outside. */
export function stringAt(bytes: Uint8Array, at: number): string {
  if (!(at >= 0 && at < bytes.length)) return '';
  const part = bytes.subarray(at, at + longestString);
  const end = part.indexOf(0);
  return text.decode(end < 0 ? part : part.subarray(0, end));
}

/** Whether the zero-terminated ASCII string at `at` is `expected`, without making a string of it. */
function hasStringAt(bytes: Uint8Array, at: number, expected: string): boolean {
  if (at + expected.length >= bytes.length || bytes[at + expected.length] !== 0) return false;
  for (let index = 0; index < expected.length; index++)
    if (bytes[at + index] !== expected.charCodeAt(index)) return false;
  return true;
}
