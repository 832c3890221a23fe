// Macros, and the table of those that are defined at a point of a translation unit, which knows what it was asked for.
import { lex, type Token } from './tokens';

export interface Macro {
  readonly name: string;
  readonly params?: readonly string[];
  readonly variadic: boolean;
  readonly body: readonly Token[];
  readonly hash: number;
}

/** The names that a piece of text asked a table for, each as it stood where the piece begins. */
export interface Asked {
  /** Numbers of names: of all that are kept there are millions. */
  readonly names: Uint32Array;
  /** A hash of what they stood for, 52 bits. */
  readonly hash: number;
}

/** A piece of text that is being read. */
interface Reader {
  /** Changes of the table before it. */
  readonly since: number;
  readonly names: number[];
  hash: number;
}

/** Names that tables were asked for within included files, numbered for all tables. */
const numbers = new Map<string, number>();

/**
 * The macros that are defined at a point of the translation unit. What is read between `startReading` and `endReading`
 * is the same again wherever what it asked for is as it was, whatever else is defined.
 */
export class MacroTable {
  /** By the number of a name: what it stands for, the change that made it so, the innermost reader that knows it. */
  private readonly macros = new Array<Macro | undefined>(numbers.size);
  private changed = new Int32Array(numbers.size + 1024);
  private known = new Int32Array(numbers.size + 1024);
  private changes = 0;
  /** Outermost first. */
  private readonly readers: Reader[] = [];

  get(name: string): Macro | undefined {
    const number = this.readers.length > 0 ? this.numberOf(name) : numbers.get(name);
    if (number === undefined) return undefined;
    this.ask(number);
    return this.macros[number];
  }
  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  define(macro: Macro): void {
    this.change(macro.name, macro);
  }

  undefine(name: string): void {
    this.change(name, undefined);
  }

  apply(effects: readonly MacroEffect[]): void {
    for (const effect of effects) {
      if (typeof effect === 'string') this.undefine(effect);
      else this.define(effect);
    }
  }

  startReading(): void {
    this.readers.push({ since: this.changes, names: [], hash: 0 });
  }

  endReading(): Asked {
    const { names, hash } = this.readers.pop()!;
    const outer = this.readers.at(-1);
    for (const name of names) this.known[name] = outer && this.changed[name]! <= outer.since ? this.readers.length : 0;
    return { names: Uint32Array.from(names), hash };
  }

  /** Whether all that was asked for is as it was then. */
  isAsAsked({ names, hash }: Asked): boolean {
    let sum = 0;
    for (const name of names) sum = (sum + (this.macros[name]?.hash ?? 0)) % HASH_MODULUS;
    return sum === hash;
  }

  /** Counts what was asked for then as asked for now. */
  askAgain({ names }: Asked): void {
    if (this.readers.length > 0) for (const name of names) this.ask(this.roomFor(name));
  }

  private numberOf(name: string): number {
    let number = numbers.get(name);
    if (number === undefined) numbers.set(name, (number = numbers.size));
    return this.roomFor(number);
  }

  private roomFor(number: number): number {
    if (number >= this.changed.length) {
      this.changed = longer(this.changed, 2 * number);
      this.known = longer(this.known, 2 * number);
    }
    return number;
  }

  private change(name: string, macro: Macro | undefined): void {
    const number = this.numberOf(name);
    this.macros[number] = macro;
    this.changed[number] = ++this.changes;
  }

  /** Each reader asks for the names that the ones within it ask for, unless it gave them their meaning itself. */
  private ask(name: number): void {
    const depth = this.readers.length;
    const known = this.known[name]!;
    if (known >= depth) return;
    const changed = this.changed[name]!;
    const value = this.macros[name]?.hash ?? 0;
    let level = depth;
    for (; level > known; level--) {
      const reader = this.readers[level - 1]!;
      if (changed > reader.since) break;
      reader.names.push(name);
      reader.hash = (reader.hash + value) % HASH_MODULUS;
    }
    if (level < depth) this.known[name] = depth;
  }
}

function longer(numbers: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(length);
  copy.set(numbers);
  return copy;
}

/** A definition, or the name of a macro that was undefined. */
export type MacroEffect = Macro | string;

const HASH_MODULUS = 2 ** 52;

/** A 52-bit hash of a text. */
export function hashText(text: string, seed = 0): number {
  let low = 0x811c9dc5 ^ seed;
  let high = 0x1b873593 ^ seed;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b);
    high ^= high >>> 13;
  }
  low ^= low >>> 15;
  return (high >>> 12) * 2 ** 32 + (low >>> 0);
}

/** Makes a macro from the text after `#define`, for predefined and configured ones. */
export function macroFromText(name: string, value: string, params?: readonly string[]): Macro {
  const tokens = lex(value).tokens;
  const variadic = params?.at(-1) === '__VA_ARGS__';
  const shape = { ...(params && { params }), ...(variadic && { variadic }) };
  return { name, ...shape, variadic, body: tokens, hash: hashText(`${name} ${value}`) };
}

/** Tokens as one line of text, one space where white space stood. */
export function textOf(tokens: readonly Token[]): string {
  let text = '';
  for (let at = 0; at < tokens.length; at++)
    text += at > 0 && tokens[at]!.space ? ` ${tokens[at]!.text}` : tokens[at]!.text;
  return text;
}
