// Runs the DWARF line program of a cubin (.debug_line) and keeps the rows of the functions that were loaded.
// The encoding is that of the DWARF standard, versions 2 to 5, section 6.2 (https://dwarfstd.org/), with NVIDIA's
// extended opcode 0x90, an inlined call, as named in the public headers of elfutils (libdw/dwarf.h) and binutils
// (include/dwarf2.h).
import { stringAt, viewOf } from './elf';
import { damagedReport, ReportError } from './reportError';

/** A file of the line table, with what the compiler noted of it (0 where it noted nothing). */
export interface LineTableFile {
  /** Directory and name joined, `.` and `..` folded. */
  readonly path: string;
  /** Seconds since 1970. */
  readonly modified: number;
  readonly bytes: number;
}

/**
 * The rows of one function in the order of the program; addresses are offsets from the function's first instruction.
 */
export interface FunctionRows {
  readonly unit: readonly LineTableFile[];
  readonly addresses: number[];
  /** Index into `unit`; -1 where a sequence ends: no code of the function from there on. */
  readonly files: number[];
  readonly lines: number[];
  /** 0, or from 1 the row of the same function that is the call site of this inlined code. */
  readonly contexts: number[];
  /** Offset of the inlined function's name in .debug_str. */
  readonly names: number[];
}

/**
 * Finds the function of an address that the program sets: the operand's position in .debug_line and its value in the
 * file.
 */
export type AddressResolver = (
  operandOffset: number,
  operand: number,
) => { functionIndex: number; offset: number } | undefined;

/** The strings that DWARF 5 file tables refer to. */
export interface LineStrings {
  readonly debugStr: Uint8Array;
  readonly debugLineStr: Uint8Array;
}

/**
 * More rows than the loaded functions of any cubin have: those of cuBLAS have none, a large kernel has some ten
 * thousand.
 */
const mostRows = 1_000_000;
const mostFiles = 100_000;

/**
 * Reads every unit of .debug_line. Returns the rows by function index; functions without rows are absent.
 * Throws ReportError on a program that extends past its section.
 */
export function readLineProgram(
  section: Uint8Array,
  resolve: AddressResolver,
  strings: LineStrings,
): Map<number, FunctionRows> {
  const functions = new Map<number, FunctionRows>();
  const budget = { rows: mostRows, files: mostFiles };
  let at = 0;
  while (at + 4 <= section.length) at = readUnit(section, at, resolve, strings, functions, budget);
  return functions;
}

function readUnit(
  section: Uint8Array,
  start: number,
  resolve: AddressResolver,
  strings: LineStrings,
  functions: Map<number, FunctionRows>,
  budget: { rows: number; files: number },
): number {
  const cursor = new SectionCursor(section, start, section.length);
  let unitLength = cursor.u32();
  const offsetBytes = unitLength === 0xffffffff ? 8 : 4;
  if (offsetBytes === 8) unitLength = cursor.u64();
  const end = cursor.at + unitLength;
  if (end > section.length) throw damagedReport('a line table that extends past its section', start);
  cursor.end = end;
  const version = cursor.u16();
  // A version that is not known is passed over: its code has no lines.
  if (version < 2 || version > 5) return end;
  if (version >= 5) cursor.skip(2);
  const headerLength = offsetBytes === 8 ? cursor.u64() : cursor.u32();
  // The header can hold more than is known; the program starts at its announced end.
  const programStart = cursor.at + headerLength;
  if (programStart > end) throw damagedReport('a line table header that extends past its unit', start);
  const minimumInstruction = cursor.u8();
  if (version >= 4) cursor.skip(1);
  cursor.skip(1);
  const lineBase = cursor.i8();
  const lineRange = cursor.u8();
  const opcodeBase = cursor.u8();
  const operandCounts: number[] = [0];
  for (let opcode = 1; opcode < opcodeBase; opcode++) operandCounts.push(cursor.u8());
  const header = new SectionCursor(section, cursor.at, programStart);
  const files = version >= 5 ? readFileTable5(header, offsetBytes, strings, budget) : readFileTable(header, budget);
  cursor.at = programStart;

  let rows: FunctionRows | undefined;
  /** Rows that the function had before this sequence: contexts count from here. */
  let sequenceStart = 0;
  let inSequence = false;
  let address = 0;
  let file = 1;
  let line = 1;
  let context = 0;
  let name = 0;
  const fileIndex = version >= 5 ? 0 : 1;
  const emit = (fileOfRow: number) => {
    if (!rows) return;
    if (--budget.rows < 0)
      throw new ReportError(`A cubin in the report has more than ${mostRows} line table rows, the limit of Warplens.`);
    rows.addresses.push(address);
    rows.files.push(fileOfRow);
    rows.lines.push(line);
    rows.contexts.push(context === 0 ? 0 : sequenceStart + context);
    rows.names.push(name);
  };
  while (cursor.at < end) {
    const opcode = cursor.u8();
    if (opcode >= opcodeBase) {
      if (lineRange === 0) throw damagedReport('a line table with a line range of 0', start);
      const adjusted = opcode - opcodeBase;
      address += Math.floor(adjusted / lineRange) * minimumInstruction;
      line += lineBase + (adjusted % lineRange);
      emit(file - fileIndex);
      continue;
    }
    switch (opcode) {
      case 0: {
        const length = cursor.leb();
        const next = cursor.at + length;
        if (length === 0) break;
        if (next > end) throw damagedReport('a line table instruction that extends past its unit', start);
        const extended = cursor.u8();
        if (extended === 1) {
          emit(-1);
          rows = undefined;
          inSequence = false;
          address = 0;
          file = 1;
          line = 1;
          context = 0;
          name = 0;
        } else if (extended === 2) {
          const operandOffset = cursor.at;
          const operand = length - 1 >= 8 ? cursor.u64() : length - 1 >= 4 ? cursor.u32() : 0;
          const target = resolve(operandOffset, operand);
          rows = undefined;
          if (target) {
            rows = functions.get(target.functionIndex);
            if (!rows || rows.unit !== files) {
              rows = { unit: files, addresses: [], files: [], lines: [], contexts: [], names: [] };
              functions.set(target.functionIndex, rows);
              inSequence = false;
            }
            if (!inSequence) sequenceStart = rows.addresses.length;
            inSequence = true;
            address = target.offset;
          }
        } else if (extended === 0x90) {
          context = cursor.leb();
          name = cursor.leb();
        }
        cursor.at = next;
        break;
      }
      case 1:
        emit(file - fileIndex);
        break;
      case 2:
        address += cursor.leb() * minimumInstruction;
        break;
      case 3:
        line += cursor.signedLeb();
        break;
      case 4:
        file = cursor.leb();
        break;
      case 8:
        if (lineRange === 0) throw damagedReport('a line table with a line range of 0', start);
        address += Math.floor((255 - opcodeBase) / lineRange) * minimumInstruction;
        break;
      case 9:
        address += cursor.u16();
        break;
      default:
        // The rest does not bear on file and line: column, statement marks, and opcodes of later versions.
        for (let operand = operandCounts[opcode]!; operand > 0; operand--) cursor.leb();
    }
  }
  return end;
}

function readFileTable(header: SectionCursor, budget: { files: number }): LineTableFile[] {
  const directories: string[] = [''];
  for (;;) {
    const directory = header.string();
    if (directory === '') break;
    countFile(budget);
    directories.push(directory);
  }
  const files: LineTableFile[] = [];
  for (;;) {
    const name = header.string();
    if (name === '') break;
    countFile(budget);
    const directory = directories[header.leb()] ?? '';
    files.push({ path: joinPath(directory, name), modified: header.leb(), bytes: header.leb() });
  }
  return files;
}

/** Tables of DWARF 5: each entry has the fields that a format before it lists (content type and form). */
function readFileTable5(
  header: SectionCursor,
  offsetBytes: 4 | 8,
  strings: LineStrings,
  budget: { files: number },
): LineTableFile[] {
  const readEntries = () => {
    const format: [type: number, form: number][] = [];
    for (let count = header.u8(); count > 0; count--) format.push([header.leb(), header.leb()]);
    const entries: { path: string; directory: number; modified: number; bytes: number }[] = [];
    for (let count = header.leb(); count > 0; count--) {
      countFile(budget);
      const entry = { path: '', directory: 0, modified: 0, bytes: 0 };
      for (const [type, form] of format) {
        const value = readForm(header, form, offsetBytes, strings);
        if (type === 1 && typeof value === 'string') entry.path = value;
        else if (type === 2 && typeof value === 'number') entry.directory = value;
        else if (type === 3 && typeof value === 'number') entry.modified = value;
        else if (type === 4 && typeof value === 'number') entry.bytes = value;
      }
      entries.push(entry);
    }
    return entries;
  };
  const directories = readEntries();
  return readEntries().map(({ path, directory, modified, bytes }) => {
    const directoryPath = directories[directory]?.path ?? '';
    return { path: joinPath(joinPath(directories[0]?.path ?? '', directoryPath), path), modified, bytes };
  });
}

function readForm(header: SectionCursor, form: number, offsetBytes: 4 | 8, strings: LineStrings): string | number {
  switch (form) {
    case 0x08:
      return header.string();
    case 0x0e:
      return stringAt(strings.debugStr, offsetBytes === 8 ? header.u64() : header.u32());
    case 0x1f:
      return stringAt(strings.debugLineStr, offsetBytes === 8 ? header.u64() : header.u32());
    case 0x0b:
      return header.u8();
    case 0x05:
      return header.u16();
    case 0x06:
      return header.u32();
    case 0x07:
      return header.u64();
    case 0x0f:
      return header.leb();
    case 0x1e:
      header.skip(16);
      return 0;
    case 0x09:
      header.skip(header.leb());
      return 0;
    default:
      throw damagedReport(`a line table with an unknown form ${form}`, header.at);
  }
}

function countFile(budget: { files: number }): void {
  if (--budget.files < 0)
    throw new ReportError(`A cubin in the report lists more than ${mostFiles} source files; it is damaged.`);
}

const windowsRoot = /^[A-Za-z]:[\\/]/;

/** The assembler writes the bytes of names beyond ASCII in octal. */
const unescaped = (path: string): string =>
  path.replace(/(\\[23][0-7]{2})+/g, (bytes) =>
    new TextDecoder().decode(Uint8Array.from(bytes.slice(1).split('\\'), (byte) => parseInt(byte, 8))),
  );

/** Joins and folds `.` and `..` by spelling alone, as ncu does; a path of Windows keeps its separators. */
export function joinPath(directory: string, written: string): string {
  const [parent, name] = [unescaped(directory), unescaped(written)];
  const separator = windowsRoot.test(parent) && !parent.includes('/') ? '\\' : '/';
  return foldPath(parent === '' || /^[\\/]/.test(name) || windowsRoot.test(name) ? name : parent + separator + name);
}

/** Folds `.`, `..` and doubled separators. */
export function foldPath(path: string): string {
  if (!/(^|[\\/])\.{1,2}([\\/]|$)|\/\//.test(path)) return path;
  const separator = windowsRoot.test(path) && path.includes('\\') ? '\\' : '/';
  const parts: string[] = [];
  for (const part of path.split(windowsRoot.test(path) ? /[\\/]/ : '/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts[parts.length - 1] !== '..') parts.pop();
    else if (part !== '..' || !path.startsWith('/')) parts.push(part);
  }
  return (path.startsWith('/') ? '/' : '') + parts.join(separator);
}

/** A position in .debug_line with checked reads. */
class SectionCursor {
  private readonly view: DataView;

  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
    public end: number,
  ) {
    this.view = viewOf(bytes);
  }

  u8(): number {
    return this.bytes[this.take(1)]!;
  }

  i8(): number {
    return (this.u8() << 24) >> 24;
  }

  u16(): number {
    return this.view.getUint16(this.take(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }

  u64(): number {
    const low = this.u32();
    return low + this.u32() * 2 ** 32;
  }

  skip(count: number): void {
    this.take(count);
  }

  leb(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.u8();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      if (scale > 2 ** 63) throw this.damaged();
    }
  }

  signedLeb(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.u8();
      value += (byte & 127) * scale;
      if (byte < 128) return byte & 64 ? value - scale * 128 : value;
      if (scale > 2 ** 63) throw this.damaged();
    }
  }

  string(): string {
    const end = this.bytes.indexOf(0, this.at);
    if (end < 0 || end >= this.end) throw this.damaged();
    const value = stringAt(this.bytes, this.at);
    this.at = end + 1;
    return value;
  }

  /** Where the next bytes begin, behind which it then stands. */
  private take(count: number): number {
    if (!(count >= 0) || this.end - this.at < count) throw this.damaged();
    this.at += count;
    return this.at - count;
  }

  private damaged(): Error {
    return damagedReport('a line table that ends early', this.at);
  }
}
