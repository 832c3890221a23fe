// Reads what nvdisasm and cuobjdump print of a cubin: the instructions of each section of code, with the live registers
// where they are reported.

/** Registers that hold a value at an instruction, by kind as nvdisasm names them: GPR, PRED, UGPR, UPRED. */
export type LiveRegisters = Readonly<Record<string, number>>;

export interface SassInstruction {
  /** Bytes from the beginning of the section. */
  readonly offset: number;
  /** As the tool prints it, without the semicolon: `@!P0 BRA `(.L_x_1)`. */
  readonly text: string;
  /** Labels in front of it, but for the names of the function and of its section. */
  readonly labels: readonly string[];
  /** Undefined where the tool did not tell. */
  readonly live?: LiveRegisters;
}

/** The instructions by name of their section (`.text.` and the function's symbol), ascending by offset. */
export type Disassembly = ReadonlyMap<string, readonly SassInstruction[]>;

const section = /^\s*\.section\s+(\.text\.[^,\s]+)/;
/** cuobjdump has no sections: each function is separate. */
const functionTitle = /^\s*Function : (\S+)/;
const instruction = /^\s+\/\*([0-9a-f]{4,})\*\/\s*(.*)$/;
const encoding = /\/\* 0x[0-9a-f]+ \*\//;
const label = /^([\w.$@]+):/;

/** Never throws: a line that says nothing known is passed over, so that a text of another version gives what it can. */
export function readDisassembly(text: string): Disassembly {
  const found = new Map<string, SassInstruction[]>();
  let into: SassInstruction[] | undefined;
  let name = '';
  let labels: string[] = [];
  let kinds: readonly string[] = [];
  const begin = (title: string): void => {
    name = title;
    found.set(name, (into = []));
    labels = [];
    kinds = [];
  };
  for (const whole of text.split('\n')) {
    const at = whole.indexOf('// |');
    const line = (at < 0 ? whole : whole.slice(0, at)).trimEnd();
    const table = at < 0 ? undefined : whole.slice(at + 4);
    const title = section.exec(line)?.[1] ?? prefixed(functionTitle.exec(line)?.[1]);
    if (title !== undefined) {
      begin(title);
      continue;
    }
    if (!into) continue;
    const named = table === undefined ? [] : kindsIn(table);
    if (named.length > 0) kinds = named;
    const match = instruction.exec(line);
    if (!match) {
      const before = label.exec(line)?.[1];
      if (before !== undefined && before !== name && `.text.${before}` !== name) labels.push(before);
      // With the encoding printed, an instruction takes two lines, and its registers are on the second.
      const last = into.at(-1);
      const live = table === undefined ? undefined : liveIn(table, kinds);
      if (last && live && encoding.test(line) && last.live === undefined) into[into.length - 1] = { ...last, live };
      continue;
    }
    const words = match[2]!
      .replace(encoding, '')
      .trim()
      .replace(/\s*;\s*$/, '');
    const live = table === undefined || encoding.test(match[2]!) ? undefined : liveIn(table, kinds);
    into.push({ offset: parseInt(match[1]!, 16), text: words, labels, ...(live && { live }) });
    labels = [];
  }
  return found;
}

function prefixed(symbol: string | undefined): string | undefined {
  return symbol === undefined ? undefined : `.text.${symbol}`;
}

/** `|     GPR      | PRED |  UGPR  |`, the head of the table of registers; empty for its other rows. */
function kindsIn(table: string): string[] {
  const cells = columnsOf(table).map((cell) => cell.trim());
  return cells.length > 0 && cells.every((cell) => /^[A-Z]*$/.test(cell)) && cells.some((cell) => cell !== '')
    ? cells
    : [];
}

/** The first number of each column counts; an empty column has none alive. Undefined for a row without numbers. */
function liveIn(table: string, kinds: readonly string[]): LiveRegisters | undefined {
  const cells = columnsOf(table);
  const counts = cells.map((cell) => /^\s*(\d+)(?:\s|$)/.exec(cell)?.[1]);
  if (kinds.length === 0 || cells.length !== kinds.length || counts.every((count) => count === undefined))
    return undefined;
  const live: Record<string, number> = {};
  kinds.forEach((kind, index) => {
    if (kind !== '') live[kind] = Number(counts[index] ?? 0);
  });
  return live;
}

function columnsOf(table: string): string[] {
  const end = table.lastIndexOf('|');
  return end < 0 ? [] : table.slice(0, end).split('|');
}
