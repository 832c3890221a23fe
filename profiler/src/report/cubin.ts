// The functions of one loaded cubin with their line tables: from an address on the GPU to file, line and call sites.
import type { SourceLine } from '../../../protocol/src/lineMetrics';
import type { ByteSource } from './byteSource';
import { readElf, readRelocationSection, stringAt, type ElfFile } from './elf';
import { readLineProgram, type FunctionRows, type LineTableFile } from './lineProgram';
import type { LoadedFunction } from './messages';
import { ReportError } from './reportError';

/** A function of the cubin in the address space of the GPU. */
export interface CubinFunction {
  readonly symbol: string;
  readonly address: number;
  /** Bytes of machine code. */
  readonly size: number;
  /** Byte of the report at which the machine code begins; undefined where it is not in the report. */
  readonly codeAt?: number;
  /** Name of the section that holds it, and where in it; absent where the cubin does not say. */
  readonly section?: string;
  readonly sectionOffset?: number;
  /** Its number in the cubin's table of symbols; absent where it is not there. */
  readonly symbolIndex?: number;
  /** Undefined where the compiler wrote no lines for it. */
  readonly lines?: FunctionLines | undefined;
}

/**
 * The line table of a function as groups of instructions. Group g covers the offsets from `starts[g]` to
 * `starts[g + 1]` (the last one to the function's end) and counts for every element of `groups[g]`, an index into
 * `entries`.
 */
export interface FunctionLines {
  readonly starts: Float64Array;
  readonly groups: readonly (readonly number[])[];
  readonly entries: readonly LineEntry[];
}

/** A line of source in a function, apart by the place it was inlined into. */
export interface LineEntry {
  readonly file: LineTableFile;
  readonly line: number;
  /** Mangled name of the inlined function, where this is inlined code. */
  readonly inlined?: (() => string) | undefined;
  /** Call sites from the innermost outwards; empty for code of the function itself. */
  readonly sites: () => readonly SourceLine[];
}

export interface Cubin {
  /** Ascending by address. */
  readonly functions: readonly CubinFunction[];
  readonly bySymbol: ReadonlyMap<string, CubinFunction>;
  readonly hasLineTable: boolean;
  /** Files of the line tables by path. */
  readonly files: ReadonlyMap<string, LineTableFile>;
}

/** Deeper inlining than any compiler does: ends a circle of call sites in a damaged table. */
const deepestInlining = 64;
const mostRowsOfAnAddress = 256;
/** Type of a section whose bytes are in the file. */
const programBits = 1;

/**
 * Reads symbols and line table of the cubin at `offset` of `source`. Only the functions in `loaded` are kept.
 * Reads sections one by one, so a large cubin without line table costs little.
 */
export async function readCubin(
  source: ByteSource,
  offset: number,
  length: number,
  loaded: readonly LoadedFunction[],
): Promise<Cubin> {
  const elf = await readElf(source, offset, length);
  const symbolIndexes = symbolIndexesOf(elf, loaded);
  const rows = await readRows(elf, symbolIndexes);
  const strings = await sectionBytes(elf, '.debug_str');
  const files = new Map<string, LineTableFile>();
  const functions = loaded.map(({ symbol, address }, index) => {
    const functionRows = rows?.get(index);
    const found = elf.symbol(symbolIndexes[index]!);
    const section = found && elf.sectionAt(found.section);
    const size = found?.size ?? 0;
    const within =
      found &&
      section?.type === programBits &&
      found.value + size <= section.size &&
      section.offset + section.size <= length;
    return {
      symbol,
      address,
      size,
      ...(within ? { codeAt: offset + section.offset + found.value } : {}),
      ...(section ? { section: elf.sectionName(found!.section), sectionOffset: found!.value } : {}),
      ...(found ? { symbolIndex: symbolIndexes[index]! } : {}),
      lines: functionRows && groupRows(functionRows, strings),
    };
  });
  for (const unit of new Set([...(rows?.values() ?? [])].map((functionRows) => functionRows.unit))) {
    for (const file of unit) files.set(file.path, file);
  }
  functions.sort((a, b) => a.address - b.address);
  return {
    functions,
    bySymbol: new Map(functions.map((code) => [code.symbol, code])),
    hasLineTable: rows !== undefined,
    files,
  };
}

/** Decoded names of a symbol table that is searched by name: more than any cubin has. */
const mostNameCharacters = 64 * 1024 * 1024;

/** The report gives each function's symbol index; where that names another symbol (or none), the name decides. */
function symbolIndexesOf(elf: ElfFile, loaded: readonly LoadedFunction[]): number[] {
  const indexes = loaded.map(({ symbol, symbolIndex }) =>
    elf.symbol(symbolIndex)?.name() === symbol ? symbolIndex : -1,
  );
  if (!indexes.includes(-1)) return indexes;
  const byName = new Map<string, number>();
  for (let index = 1, characters = 0; index < elf.symbolCount && characters < mostNameCharacters; index++) {
    const name = elf.symbol(index)!.name();
    characters += name.length + 1;
    if (!byName.has(name)) byName.set(name, index);
  }
  return indexes.map((index, at) => (index === -1 ? (byName.get(loaded[at]!.symbol) ?? -1) : index));
}

async function readRows(
  elf: ElfFile,
  symbolIndexes: readonly number[],
): Promise<Map<number, FunctionRows> | undefined> {
  const lineSection = elf.section('.debug_line');
  if (!lineSection) return undefined;
  const bytes = await elf.bytes(lineSection);
  const withAddend = elf.section('.rela.debug_line');
  const relocations = readRelocationSection(
    await sectionBytes(elf, withAddend ? '.rela.debug_line' : '.rel.debug_line'),
    withAddend !== undefined,
  );
  const bySymbol = new Map(symbolIndexes.map((symbolIndex, index) => [symbolIndex, index]));
  const bySection = new Map<number, { start: number; end: number; index: number }[]>();
  symbolIndexes.forEach((symbolIndex, index) => {
    const symbol = elf.symbol(symbolIndex);
    if (!symbol) return;
    const inSection = bySection.get(symbol.section) ?? [];
    inSection.push({ start: symbol.value, end: symbol.value + symbol.size, index });
    bySection.set(symbol.section, inSection);
  });
  for (const inSection of bySection.values()) inSection.sort((a, b) => a.start - b.start);
  // The operand of every set_address is 0 in the file; its relocation names the function, by its own symbol or by that
  // of its section.
  const resolve = (operandOffset: number, operand: number) => {
    const relocation = relocations.get(operandOffset);
    if (!relocation) return undefined;
    const direct = bySymbol.get(relocation.symbol);
    if (direct !== undefined) return { functionIndex: direct, offset: operand + relocation.addend };
    const symbol = elf.symbol(relocation.symbol);
    if (!symbol) return undefined;
    const at = symbol.value + operand + relocation.addend;
    const found = lastStartingAtOrBefore(bySection.get(symbol.section) ?? [], at);
    return found && at < found.end ? { functionIndex: found.index, offset: at - found.start } : undefined;
  };
  return readLineProgram(bytes, resolve, {
    debugStr: await sectionBytes(elf, '.debug_str'),
    debugLineStr: await sectionBytes(elf, '.debug_line_str'),
  });
}

function lastStartingAtOrBefore<T extends { start: number }>(sorted: readonly T[], at: number): T | undefined {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]!.start <= at) low = middle + 1;
    else high = middle;
  }
  return sorted[low - 1];
}

async function sectionBytes(elf: ElfFile, name: string): Promise<Uint8Array> {
  const section = elf.section(name);
  return section ? elf.bytes(section) : new Uint8Array(0);
}

/**
 * Groups rows of equal address: each of them owns the instructions up to the next address. This is how ncu's source
 * page counts: a call site is credited where its row and the inlined row share an address, and a line that has two rows
 * at one address counts twice.
 */
function groupRows(rows: FunctionRows, strings: Uint8Array): FunctionLines {
  const { unit, addresses, files, lines, contexts, names } = rows;
  const order = Array.from(addresses.keys());
  if (addresses.some((address, row) => row > 0 && address < addresses[row - 1]!))
    order.sort((a, b) => addresses[a]! - addresses[b]! || a - b);
  const starts: number[] = [];
  const groups: number[][] = [];
  const entries: LineEntry[] = [];
  const entryByKey = new Map<string, number>();
  const placeOf = (row: number): SourceLine | undefined => {
    const file = unit[files[row] ?? -1];
    return file && lines[row]! > 0 ? { file: file.path, line: lines[row]! } : undefined;
  };
  const sitesOf = (row: number): SourceLine[] => {
    const sites: SourceLine[] = [];
    for (
      let context = contexts[row]!;
      context > 0 && sites.length < deepestInlining;
      context = contexts[context - 1] ?? 0
    ) {
      const site = placeOf(context - 1);
      if (!site) break;
      sites.push(site);
    }
    return sites;
  };
  const entryOf = (row: number): number | undefined => {
    const place = placeOf(row);
    if (!place) return undefined;
    const key = `${files[row]}:${place.line}:${contexts[row]}:${names[row]}`;
    const known = entryByKey.get(key);
    if (known !== undefined) return known;
    entries.push({
      file: unit[files[row]!]!,
      line: place.line,
      inlined: contexts[row]! > 0 ? () => stringAt(strings, names[row]!) : undefined,
      sites: () => sitesOf(row),
    });
    entryByKey.set(key, entries.length - 1);
    return entries.length - 1;
  };
  for (const row of order) {
    if (starts.length === 0 || addresses[row] !== starts[starts.length - 1]) {
      starts.push(addresses[row]!);
      groups.push([]);
    }
    const group = groups[groups.length - 1]!;
    const entry = entryOf(row);
    if (entry !== undefined && group.push(entry) > mostRowsOfAnAddress)
      throw new ReportError(
        `A line table in the report has more than ${mostRowsOfAnAddress} lines for one instruction; it is damaged.`,
      );
  }
  return { starts: Float64Array.from(starts), groups, entries };
}

/**
 * Index of the group that holds an offset; -1 before the first. Looks near `near` first: instructions come in order.
 */
export function groupAt(lines: FunctionLines, offset: number, near = 0): number {
  const { starts } = lines;
  if (starts.length === 0 || offset < starts[0]!) return -1;
  if (near >= 0 && near < starts.length && starts[near]! <= offset) {
    let group = near;
    for (let step = 0; step < 8; step++) {
      if (group + 1 >= starts.length || starts[group + 1]! > offset) return group;
      group++;
    }
  }
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The function that holds an address; undefined outside of all. */
export function functionAt(cubin: Cubin, address: number): CubinFunction | undefined {
  const { functions } = cubin;
  let low = 0;
  let high = functions.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const candidate = functions[middle]!;
    if (address < candidate.address) high = middle - 1;
    else if (address >= candidate.address + candidate.size) low = middle + 1;
    else return candidate;
  }
  return undefined;
}

/** Lines of the instruction at an address; the innermost last. */
export function linesAt(cubin: Cubin, address: number): readonly LineEntry[] {
  const found = functionAt(cubin, address);
  if (!found?.lines) return [];
  const group = groupAt(found.lines, address - found.address);
  return group < 0 ? [] : found.lines.groups[group]!.map((entry) => found.lines!.entries[entry]!);
}
