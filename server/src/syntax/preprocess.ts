// The C preprocessor: conditions, macros, includes and pragmas of one file, on tokens that remember where they were
// written.
import type { IncludeDirective, MacroDef, Node, Pragma } from './ast';
import { lex, makeToken, TokenKind, type HiddenNames, type LexedText, type Token } from './tokens';

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

export interface Preprocessed {
  /** The active tokens after expansion, pragmas among them as tokens of kind `Pragma`. */
  readonly tokens: readonly Token[];
  /** Where each macro invocation was written, by number; `written` is the count of its first token. */
  readonly invocations: readonly { readonly start: number; end: number; readonly written: number }[];
  readonly macros: readonly MacroDef[];
  readonly inactive: readonly Node[];
  readonly pragmas: readonly Pragma[];
  readonly includes: readonly IncludeDirective[];
  readonly effects: readonly MacroEffect[];
  readonly once: boolean;
}

/**
 * What an `#include` does: the included file's macros are in the table when this returns; gives the file's uri when it
 * was found.
 */
export type IncludeHandler = (path: string, system: boolean, effects: MacroEffect[]) => string | undefined;

/** These are the compiler's words; compatibility headers that define them away are not listened to. */
const COMPILER_WORDS = new Set([
  '__global__',
  '__device__',
  '__host__',
  '__shared__',
  '__constant__',
  '__managed__',
  '__launch_bounds__',
  '__forceinline__',
  '__noinline__',
  '__restrict__',
  '__restrict',
  '__syncthreads',
  'defined',
  'threadIdx',
  'blockIdx',
  'blockDim',
  'gridDim',
]);

/**
 * So many tokens may come out of macros in one file before expansion stops: enough for generated code, too few for a
 * macro bomb.
 */
const EXPANSION_BUDGET = 600_000;
const EXPANSION_BUDGET_OF_ONE = 30_000;
const NESTING_LIMIT = 60;

interface Stream {
  /** Tokens to be read next, the last first. */
  readonly pending: Token[];
  readonly pull?: () => Token | undefined;
}

interface Condition {
  readonly start: number;
  taken: boolean;
  active: boolean;
  readonly outer: boolean;
}

/** Preprocesses one file; `macros` is changed by its directives. Never throws. */
export function preprocess(
  uri: string,
  text: string,
  lexed: LexedText,
  macros: MacroTable,
  include: IncludeHandler,
): Preprocessed {
  const source = lexed.tokens;
  const out: Token[] = [];
  const invocations: { start: number; end: number; written: number }[] = [];
  const definitions: MacroDef[] = [];
  const inactive: Node[] = [];
  const pragmas: Pragma[] = [];
  const includes: IncludeDirective[] = [];
  const effects: MacroEffect[] = [];
  const conditions: Condition[] = [];
  let once = false;
  let next = 0;
  let written = 0;
  let budget = EXPANSION_BUDGET;
  let budgetOfOne = 0;
  let skippingSince = -1;

  const active = (): boolean => conditions.length === 0 || conditions[conditions.length - 1]!.active;

  /** Index of the first token after the directive that starts at `hash`. */
  function endOfDirective(hash: number): number {
    let end = hash + 1;
    while (end < source.length && !source[end]!.lineStart) end++;
    return end;
  }

  function pull(): Token | undefined {
    while (next < source.length) {
      const token = source[next]!;
      if (token.lineStart && token.text === '#') {
        const pragma = directive(next);
        if (pragma) return pragma;
        continue;
      }
      if (!active()) {
        skipInactive();
        continue;
      }
      next++;
      token.written = written++;
      token.invocation = -1;
      return token;
    }
    return undefined;
  }

  function skipInactive(): void {
    while (next < source.length && !(source[next]!.lineStart && source[next]!.text === '#')) next++;
  }

  /** Notes where skipped text starts and ends, in whole lines. */
  function setActivity(wasActive: boolean, hash: number, end: number): void {
    if (wasActive && !active()) skippingSince = lineEnd(end);
    else if (!wasActive && active() && skippingSince >= 0) {
      const stop = lineBegin(source[hash]!.start);
      if (stop > skippingSince) inactive.push({ start: skippingSince, end: stop });
      skippingSince = -1;
    } else if (!wasActive && !active() && skippingSince >= 0) {
      const stop = lineBegin(source[hash]!.start);
      if (stop > skippingSince) inactive.push({ start: skippingSince, end: stop });
      skippingSince = lineEnd(end);
    }
  }
  function lineEnd(endIndex: number): number {
    const last = source[endIndex - 1]!;
    const newline = text.indexOf('\n', last.end);
    return newline < 0 ? text.length : newline + 1;
  }
  function lineBegin(at: number): number {
    return text.lastIndexOf('\n', at - 1) + 1;
  }

  function directive(hash: number): Token | undefined {
    const end = endOfDirective(hash);
    next = end;
    const name = source[hash + 1]!;
    if (hash + 1 >= end) return undefined;
    const wasActive = active();
    switch (name.text) {
      case 'if':
      case 'ifdef':
      case 'ifndef': {
        let holds = false;
        if (wasActive) {
          if (name.text === 'if') holds = evaluate(source.slice(hash + 2, end)) !== 0n;
          else holds = (hash + 2 < end && isDefined(source[hash + 2]!.text)) === (name.text === 'ifdef');
        }
        conditions.push({ start: source[hash]!.start, taken: holds, active: wasActive && holds, outer: wasActive });
        if (wasActive) setActivity(true, hash, end);
        return undefined;
      }
      case 'elif':
      case 'elifdef':
      case 'elifndef':
      case 'else': {
        const condition = conditions[conditions.length - 1];
        if (!condition) return undefined;
        let holds = condition.outer && !condition.taken;
        if (holds && name.text === 'elif') holds = evaluate(source.slice(hash + 2, end)) !== 0n;
        else if (holds && name.text !== 'else')
          holds = (hash + 2 < end && isDefined(source[hash + 2]!.text)) === (name.text === 'elifdef');
        condition.active = holds;
        condition.taken ||= holds;
        if (condition.outer) setActivity(wasActive, hash, end);
        return undefined;
      }
      case 'endif': {
        const condition = conditions.pop();
        if (condition?.outer) {
          if (!wasActive) setActivity(false, hash, end);
        }
        return undefined;
      }
    }
    if (!wasActive) return undefined;
    switch (name.text) {
      case 'define':
        define(hash + 2, end);
        return undefined;
      case 'undef': {
        const undefined_ = source[hash + 2]!;
        if (hash + 2 < end) {
          macros.undefine(undefined_.text);
          effects.push(undefined_.text);
        }
        return undefined;
      }
      case 'include':
      case 'include_next':
      case 'import':
        includeFile(hash, end);
        return undefined;
      case 'pragma': {
        if (hash + 2 >= end) return undefined;
        const start = source[hash]!.start;
        const stop = source[end - 1]!.end;
        const pragmaText = textOf(source.slice(hash + 2, end));
        if (pragmaText === 'once') once = true;
        const pragma: Pragma = { start, end: stop, text: pragmaText };
        pragmas.push(pragma);
        return makeToken(TokenKind.Pragma, pragmaText, start, stop, true, true, hash, false);
      }
    }
    return undefined;
  }

  function define(at: number, end: number): void {
    const name = source[at]!;
    if (at >= end || name.kind !== TokenKind.Identifier || COMPILER_WORDS.has(name.text)) return;
    let params: string[] | undefined;
    let variadic = false;
    let bodyAt = at + 1;
    if (bodyAt < end && source[bodyAt]!.text === '(' && !source[bodyAt]!.space) {
      params = [];
      bodyAt++;
      for (; bodyAt < end && source[bodyAt]!.text !== ')'; bodyAt++) {
        const token = source[bodyAt]!;
        if (token.text === '...') {
          variadic = true;
          if (source[bodyAt - 1]!.kind !== TokenKind.Identifier) params.push('__VA_ARGS__');
        } else if (token.kind === TokenKind.Identifier) params.push(token.text);
      }
      bodyAt++;
    }
    const body = source.slice(bodyAt, end);
    const bodyText = textOf(body);
    const definition: MacroDef = {
      name: name.text,
      ...(params && { params }),
      ...(variadic && { variadic }),
      body: bodyText,
      uri,
      start: name.start,
    };
    const hash = hashText(`${name.text}(${params ? params.join(',') : '-'}${variadic ? '.' : ''}) ${bodyText}`);
    const macro: Macro = { name: name.text, ...(params && { params }), variadic, body, definition, hash };
    macros.define(macro);
    definitions.push(definition);
    effects.push(macro);
  }

  function includeFile(hash: number, end: number): void {
    let operand = source.slice(hash + 2, end);
    if (operand.length === 0) return;
    if (operand[0]!.kind === TokenKind.Identifier) operand = expandList(operand);
    const first = operand[0];
    if (!first) return;
    let path: string;
    let system = false;
    if (first.kind === TokenKind.String) path = first.text.slice(1, -1);
    else if (first.text.startsWith('<')) {
      system = true;
      path = first.body
        ? operand
            .map((token) => token.text)
            .join('')
            .replace(/^<|>.*$/g, '')
        : text.slice(first.start + 1, source[end - 1]!.end).replace(/>.*$/s, '');
    } else return;
    const resolved = include(path, system, effects);
    includes.push({
      start: source[hash]!.start,
      end: source[end - 1]!.end,
      path,
      system,
      ...(resolved !== undefined && { resolved }),
    });
  }

  function isDefined(name: string): boolean {
    return (
      macros.has(name) ||
      name === '__has_include' ||
      name === '__LINE__' ||
      name === '__FILE__' ||
      name === '__COUNTER__'
    );
  }

  // ---- conditions -------------------------------------------------------------------------------------------------

  function evaluate(tokens: readonly Token[]): bigint {
    const operands: Token[] = [];
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at]!;
      if (token.kind === TokenKind.Identifier && token.text === 'defined') {
        const parenthesis = tokens[at + 1]?.text === '(';
        const name = tokens[at + (parenthesis ? 2 : 1)];
        operands.push(numberToken(token, name && isDefined(name.text) ? '1' : '0'));
        at += parenthesis ? 3 : 1;
      } else if (token.kind === TokenKind.Identifier && /^__has_/.test(token.text)) {
        operands.push(numberToken(token, '0'));
        if (tokens[at + 1]?.text === '(') {
          let depth = 0;
          for (at++; at < tokens.length; at++) {
            if (tokens[at]!.text === '(') depth++;
            else if (tokens[at]!.text === ')' && --depth === 0) break;
          }
        }
      } else operands.push(token);
    }
    return evaluateCondition(expandList(operands));
  }

  function numberToken(at: Token, value: string): Token {
    return makeToken(TokenKind.Number, value, at.start, at.end, true, false, -1, true);
  }

  // ---- expansion --------------------------------------------------------------------------------------------------

  function expandList(tokens: readonly Token[]): Token[] {
    const result: Token[] = [];
    budgetOfOne = EXPANSION_BUDGET_OF_ONE;
    expand({ pending: tokens.slice().reverse() }, result, 1);
    return result;
  }

  function expand(stream: Stream, into: Token[], nesting: number): void {
    for (;;) {
      const token = stream.pending.length > 0 ? stream.pending.pop() : stream.pull?.();
      if (token === undefined) return;
      if (token.kind !== TokenKind.Identifier) {
        into.push(token);
        continue;
      }
      const macro = macros.get(token.text);
      if (macro === undefined) {
        if (token.text === '_Pragma' && pragmaOperator(token, stream, into)) continue;
        into.push(token);
        continue;
      }
      if (isHidden(token, macro.name) || nesting > NESTING_LIMIT) {
        into.push(token);
        continue;
      }
      if (nesting === 0 && !token.body && token.invocation < 0) budgetOfOne = EXPANSION_BUDGET_OF_ONE;
      if (budget <= 0 || budgetOfOne <= 0) {
        into.push(token);
        continue;
      }
      if (macro.params === undefined) {
        substitute(token, token.end, macro, undefined, stream, nesting);
        continue;
      }
      const open = stream.pending.length > 0 ? stream.pending.pop() : stream.pull?.();
      if (open === undefined || open.text !== '(' || open.kind !== TokenKind.Punctuator) {
        into.push(token);
        if (open) stream.pending.push(open);
        continue;
      }
      const collected: Token[] = [open];
      const groups: Token[][] = [[]];
      let depth = 1;
      let close: Token | undefined;
      for (;;) {
        const part = stream.pending.length > 0 ? stream.pending.pop() : stream.pull?.();
        if (part === undefined) break;
        collected.push(part);
        if (part.kind === TokenKind.Punctuator) {
          if (part.text === '(') depth++;
          else if (part.text === ')' && --depth === 0) {
            close = part;
            break;
          } else if (part.text === ',' && depth === 1 && !(macro.variadic && groups.length === macro.params.length)) {
            groups.push([]);
            continue;
          }
        }
        groups[groups.length - 1]!.push(part);
        if (collected.length > 200_000) break;
      }
      if (close === undefined) {
        // the call never ends: the words stay as they are
        into.push(token);
        for (let at = collected.length - 1; at >= 0; at--) stream.pending.push(hide(collected[at]!, macro.name));
        continue;
      }
      substitute(token, close.end, macro, groups, stream, nesting);
    }
  }

  function pragmaOperator(token: Token, stream: Stream, into: Token[]): boolean {
    const read: Token[] = [];
    for (let count = 0; count < 3; count++) {
      const part = stream.pending.length > 0 ? stream.pending.pop() : stream.pull?.();
      if (part) read.push(part);
    }
    if (read.length === 3 && read[0]!.text === '(' && read[1]!.kind === TokenKind.String && read[2]!.text === ')') {
      const pragmaText = read[1]!.text
        .slice(1, -1)
        .replace(/\\(["\\])/g, '$1')
        .trim();
      const end = Math.max(token.end, read[2]!.end);
      into.push(makeToken(TokenKind.Pragma, pragmaText, token.start, end, true, false, -1, token.body));
      if (stream.pull) pragmas.push({ start: token.start, end, text: pragmaText, ...(token.body && { macro: true }) });
      return true;
    }
    for (let at = read.length - 1; at >= 0; at--) stream.pending.push(read[at]!);
    return false;
  }

  /** Pushes the macro's expansion back onto the stream, to be scanned again. */
  function substitute(
    name: Token,
    end: number,
    macro: Macro,
    args: Token[][] | undefined,
    stream: Stream,
    nesting: number,
  ): void {
    const start = name.start;
    const stop = Math.max(name.end, end);
    let invocation = name.invocation;
    if (invocation < 0) {
      invocation = invocations.length;
      invocations.push({ start, end: stop, written: name.written });
    } else if (invocations[invocation]!.end < stop) invocations[invocation]!.end = stop;
    const hidden: HiddenNames = { name: macro.name, rest: name.hidden };
    const body = macro.body;
    const params = macro.params;
    const produced: Token[] = [];
    const expanded: (Token[] | undefined)[] = [];
    let lastWasEmpty = false;
    const fromBody = (token: Token, space = token.space): Token => {
      const copy = makeToken(token.kind, token.text, start, stop, space, false, -1, true);
      copy.invocation = invocation;
      copy.hidden = hidden;
      return copy;
    };
    const fromArgument = (token: Token): Token => {
      const copy = makeToken(
        token.kind,
        token.text,
        token.start,
        token.end,
        token.space,
        false,
        token.index,
        token.body,
      );
      copy.invocation = invocation;
      copy.written = token.written;
      copy.hidden = token.hidden;
      return copy;
    };
    const paramIndex = (token: Token | undefined): number =>
      token?.kind === TokenKind.Identifier && params ? params.indexOf(token.text) : -1;
    const rawArgument = (index: number): readonly Token[] => args?.[index] ?? [];
    const fullArgument = (index: number): readonly Token[] => {
      let list = expanded[index];
      if (list === undefined) {
        list = [];
        expand({ pending: rawArgument(index).slice().reverse() }, list, nesting + 1);
        expanded[index] = list;
      }
      return list;
    };
    for (let at = 0; at < body.length; at++) {
      const token = body[at]!;
      if (
        params !== undefined &&
        token.text === '#' &&
        token.kind === TokenKind.Punctuator &&
        paramIndex(body[at + 1]) >= 0
      ) {
        const content = textOf(rawArgument(paramIndex(body[at + 1])).filter((part) => part.kind !== TokenKind.Pragma));
        const literal = `"${content.replace(/\\/g, '\\\\').replace(/"/g, '\\"')}"`;
        produced.push(fromBody({ ...token, kind: TokenKind.String, text: literal }));
        at++;
        continue;
      }
      if (token.text === '##' && produced.length >= 0 && at + 1 < body.length) {
        at++;
        const right = body[at]!;
        const index = paramIndex(right);
        const rights = index >= 0 ? rawArgument(index).map(fromArgument) : [fromBody(right)];
        const left = produced[produced.length - 1];
        if (left?.text === ',' && index >= 0 && macro.variadic && index === params!.length - 1) {
          // GNU: `, ##__VA_ARGS__`
          if (rights.length === 0) produced.pop();
          else for (const part of fullArgument(index)) produced.push(fromArgument(part));
          continue;
        }
        if (left === undefined || lastWasEmpty) {
          for (const part of rights) produced.push(part);
          lastWasEmpty = rights.length === 0;
          continue;
        }
        if (rights.length === 0) continue;
        produced.pop();
        const pasted = left.text + rights[0]!.text;
        const relexed = lex(pasted).tokens;
        for (const part of relexed) produced.push(fromBody(part, part === relexed[0] ? left.space : false));
        for (let rest = 1; rest < rights.length; rest++) produced.push(rights[rest]!);
        continue;
      }
      const index = paramIndex(token);
      if (index >= 0) {
        const pasted = body[at + 1]?.text === '##';
        const list = pasted ? rawArgument(index) : fullArgument(index);
        lastWasEmpty = pasted && list.length === 0;
        for (let part = 0; part < list.length; part++) {
          const copy = fromArgument(list[part]!);
          produced.push(part === 0 && token.space && !copy.space ? { ...copy, space: true } : copy);
        }
        continue;
      }
      lastWasEmpty = false;
      if (params !== undefined && token.text === '__VA_OPT__' && body[at + 1]?.text === '(') {
        let depth = 0;
        let close = at + 1;
        for (; close < body.length; close++) {
          if (body[close]!.text === '(') depth++;
          else if (body[close]!.text === ')' && --depth === 0) break;
        }
        const present = macro.variadic && rawArgument(params.length - 1).length > 0;
        if (present)
          for (let inner = at + 2; inner < close; inner++) {
            const innerIndex = paramIndex(body[inner]);
            if (innerIndex >= 0) for (const part of fullArgument(innerIndex)) produced.push(fromArgument(part));
            else produced.push(fromBody(body[inner]!));
          }
        at = close;
        continue;
      }
      produced.push(fromBody(token));
      if (produced.length > EXPANSION_BUDGET_OF_ONE) break;
    }
    budget -= produced.length + 1;
    budgetOfOne -= produced.length + 1;
    for (let at = produced.length - 1; at >= 0; at--) stream.pending.push(produced[at]!);
  }
  expand({ pending: [], pull }, out, 0);
  if (skippingSince >= 0 && skippingSince < text.length) inactive.push({ start: skippingSince, end: text.length });
  return { tokens: out, invocations, macros: definitions, inactive, pragmas, includes, effects, once };
}

function isHidden(token: Token, name: string): boolean {
  for (let hidden = token.hidden; hidden; hidden = hidden.rest) if (hidden.name === name) return true;
  return false;
}

function hide(token: Token, name: string): Token {
  return { ...token, hidden: { name, rest: token.hidden } };
}

/** Tokens as one line of text, one space where white space stood. */
export function textOf(tokens: readonly Token[]): string {
  let text = '';
  for (let at = 0; at < tokens.length; at++)
    text += at > 0 && tokens[at]!.space ? ` ${tokens[at]!.text}` : tokens[at]!.text;
  return text;
}

// ---- the arithmetic of #if ------------------------------------------------------------------------------------------

const PRECEDENCE: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  '|': 3,
  '^': 4,
  '&': 5,
  '==': 6,
  '!=': 6,
  '<': 7,
  '>': 7,
  '<=': 7,
  '>=': 7,
  '<<': 8,
  '>>': 8,
  '+': 9,
  '-': 9,
  '*': 10,
  '/': 10,
  '%': 10,
  or: 1,
  and: 2,
};

/** The value of an expanded `#if` expression in 64-bit integers; names are 0, and so is what cannot be read. */
export function evaluateCondition(tokens: readonly Token[]): bigint {
  const words: string[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token.kind === TokenKind.Pragma) continue;
    const follows = (text: string): boolean => tokens[at + 1]?.text === text && !tokens[at + 1]!.space;
    if (token.text === '>' && follows('=')) {
      words.push('>=');
      at++;
    } else if (token.text === '>' && follows('>')) {
      words.push('>>');
      at++;
    } else words.push(token.text);
  }
  let at = 0;
  let failed = false;
  let depth = 0;
  const wrap = (value: bigint): bigint => BigInt.asIntN(64, value);
  function primary(): bigint {
    const word = words[at++];
    if (word === undefined || ++depth > 200) {
      failed = true;
      return 0n;
    }
    try {
      switch (word) {
        case '!':
        case 'not':
          return primary() === 0n ? 1n : 0n;
        case '-':
          return wrap(-primary());
        case '+':
          return primary();
        case '~':
          return wrap(~primary());
        case '(': {
          const value = conditional();
          if (words[at++] !== ')') failed = true;
          return value;
        }
        case 'true':
          return 1n;
      }
      if (/^[0-9]/.test(word)) {
        const digits = word.replace(/[uUlLzZ]+$/, '').replace(/'/g, '');
        if (/^0[0-7]+$/.test(digits)) return wrap(BigInt(`0o${digits.slice(1)}`));
        if (/^(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)$/.test(digits)) return wrap(BigInt(digits));
        const real = Number(digits.replace(/[fF]$/, ''));
        return Number.isFinite(real) ? BigInt(Math.trunc(real)) : 0n;
      }
      if (/^(?:u8|u|U|L)?'/.test(word)) return BigInt(word.charCodeAt(word.indexOf("'") + 1) || 0);
      if (/^[A-Za-z_$]/.test(word)) {
        if (words[at] === '(') {
          // an unknown function-like macro counts as 0
          let open = 0;
          for (; at < words.length; at++) {
            if (words[at] === '(') open++;
            else if (words[at] === ')' && --open === 0) {
              at++;
              break;
            }
          }
        }
        return 0n;
      }
      failed = true;
      return 0n;
    } finally {
      depth--;
    }
  }
  function binary(least: number): bigint {
    let left = primary();
    for (;;) {
      const operator = words[at];
      const precedence = operator === undefined ? undefined : PRECEDENCE[operator];
      if (precedence === undefined || precedence < least) return left;
      at++;
      const right = binary(precedence + 1);
      switch (operator) {
        case '||':
        case 'or':
          left = left !== 0n || right !== 0n ? 1n : 0n;
          break;
        case '&&':
        case 'and':
          left = left !== 0n && right !== 0n ? 1n : 0n;
          break;
        case '|':
          left = left | right;
          break;
        case '^':
          left = left ^ right;
          break;
        case '&':
          left = left & right;
          break;
        case '==':
          left = left === right ? 1n : 0n;
          break;
        case '!=':
          left = left !== right ? 1n : 0n;
          break;
        case '<':
          left = left < right ? 1n : 0n;
          break;
        case '>':
          left = left > right ? 1n : 0n;
          break;
        case '<=':
          left = left <= right ? 1n : 0n;
          break;
        case '>=':
          left = left >= right ? 1n : 0n;
          break;
        case '<<':
          left = wrap(left << (right & 63n));
          break;
        case '>>':
          left = left >> (right & 63n);
          break;
        case '+':
          left = wrap(left + right);
          break;
        case '-':
          left = wrap(left - right);
          break;
        case '*':
          left = wrap(left * right);
          break;
        case '/':
          left = right === 0n ? 0n : wrap(left / right);
          break;
        case '%':
          left = right === 0n ? 0n : left % right;
          break;
      }
    }
  }
  function conditional(): bigint {
    if (++depth > 200) {
      failed = true;
      return 0n;
    }
    const condition = binary(1);
    let value = condition;
    if (words[at] === '?') {
      at++;
      const then = conditional();
      if (words[at++] !== ':') failed = true;
      const otherwise = conditional();
      value = condition !== 0n ? then : otherwise;
    }
    depth--;
    return value;
  }
  if (words.length === 0) return 0n;
  const value = conditional();
  return failed ? 0n : value;
}
