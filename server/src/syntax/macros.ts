// Macros, the table of those that are defined at a point of a translation unit, and the hashes that tell two such
// tables apart.
import type { MacroDef } from './ast';
import { lex, type Token } from './tokens';

export interface Macro {
  readonly name: string;
  readonly params?: readonly string[];
  readonly variadic: boolean;
  readonly body: readonly Token[];
  readonly definition: MacroDef;
  readonly hash: number;
}

/**
 * The macros that are defined at a point of the translation unit, with a hash of them that does not depend on their
 * order.
 */
export class MacroTable {
  private readonly byName = new Map<string, Macro>();
  private sum = 0;

  get(name: string): Macro | undefined {
    return this.byName.get(name);
  }
  has(name: string): boolean {
    return this.byName.has(name);
  }
  /** A hash of the whole table, 52 bits. */
  get hash(): number {
    return this.sum;
  }

  define(macro: Macro): void {
    this.undefine(macro.name);
    this.byName.set(macro.name, macro);
    this.sum = (this.sum + macro.hash) % HASH_MODULUS;
  }

  undefine(name: string): void {
    const old = this.byName.get(name);
    if (!old) return;
    this.byName.delete(name);
    this.sum = (this.sum - old.hash + HASH_MODULUS) % HASH_MODULUS;
  }

  apply(effects: readonly MacroEffect[]): void {
    for (const effect of effects) {
      if (typeof effect === 'string') this.undefine(effect);
      else this.define(effect);
    }
  }
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
export function macroFromText(name: string, value: string): Macro {
  const tokens = lex(value).tokens;
  const definition: MacroDef = { name, body: value, uri: '', start: -1 };
  return { name, variadic: false, body: tokens, definition, hash: hashText(`${name} ${value}`) };
}

/** Tokens as one line of text, one space where white space stood. */
export function textOf(tokens: readonly Token[]): string {
  let text = '';
  for (let at = 0; at < tokens.length; at++)
    text += at > 0 && tokens[at]!.space ? ' ' + tokens[at]!.text : tokens[at]!.text;
  return text;
}
