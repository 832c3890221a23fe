// Expands macros: calls and their arguments, `#`, `##`, `__VA_OPT__` and `_Pragma`, within a budget that no nesting
// passes by.
import type { Pragma } from './ast';
import { endOfParentheses } from './brackets';
import type { ReadingBudget } from './budget';
import { textOf, type Macro, type MacroTable } from './macros';
import { lex, makeToken, TokenKind, type HiddenNames, type Token } from './tokens';

/** The part of the budget for one call and all that comes of it: enough for generated code, not a macro bomb. */
const BUDGET_OF_ONE = 60_000;
/** Arguments within arguments. */
const NESTING_LIMIT = 60;
/** Macros that came of each other: deeper ones stay as they are. */
const HIDDEN_LIMIT = 400;

export interface Stream {
  /** Tokens to be read next, the last first. */
  readonly pending: Token[];
  readonly pull?: () => Token | undefined;
}

export interface Invocation {
  readonly start: number;
  end: number;
}

/** Thrown inside one outermost call whose budget is spent, and caught there: the call stays as it was written. */
const SPENT = Symbol('spent');

export function makeExpander(macros: MacroTable, budget: ReadingBudget, pragmas: Pragma[]) {
  const invocations: Invocation[] = [];
  let leftOfOne = 0;

  /** Takes sixteenths of a token from what the outermost call may cost: whole numbers need no memory. */
  function charge(amount: number): void {
    leftOfOne -= amount;
    if (leftOfOne < 0) budget.exceed('expansion');
    if (leftOfOne < 0 || !budget.take('expansion', amount / 16)) {
      leftOfOne = -1;
      throw SPENT;
    }
  }

  /** Expands the operand of a directive. */
  function expandList(tokens: readonly Token[]): Token[] {
    const result: Token[] = [];
    leftOfOne = 16 * BUDGET_OF_ONE;
    try {
      expand({ pending: tokens.slice().reverse() }, result, 1);
    } catch (error) {
      if (error !== SPENT) throw error;
    }
    return result;
  }

  /** `nesting` 0 is the file itself, where nothing is thrown: what cannot be expanded passes as it is. */
  function expand(stream: Stream, into: Token[], nesting: number): void {
    for (;;) {
      const token = stream.pending.length > 0 ? stream.pending.pop() : stream.pull?.();
      if (token === undefined) return;
      if (nesting > 0) charge(16);
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
      if (nesting > NESTING_LIMIT || isHidden(token, macro.name)) {
        into.push(token);
        continue;
      }
      if (nesting === 0 && !token.body && token.invocation < 0) leftOfOne = 16 * BUDGET_OF_ONE;
      if (leftOfOne < 0) {
        into.push(token);
        continue;
      }
      const taken: Token[] = [token];
      try {
        if (!call(token, macro, stream, taken, nesting)) into.push(token);
      } catch (error) {
        if (error !== SPENT || nesting > 0) throw error;
        for (const each of taken) into.push(each);
      }
    }
  }

  /**
   * Reads the call's arguments, noting in `taken` what it took from the stream, and pushes its expansion back, to be
   * scanned again. False when it is not a call: then the name is left, and the stream is as it was.
   */
  function call(name: Token, macro: Macro, stream: Stream, taken: Token[], nesting: number): boolean {
    if (macro.params === undefined) {
      substitute(name, name.end, macro, undefined, stream, nesting);
      return true;
    }
    const open = stream.pending.length > 0 ? stream.pending.pop() : stream.pull?.();
    if (open !== undefined) taken.push(open);
    if (open === undefined || open.text !== '(' || open.kind !== TokenKind.Punctuator) {
      if (open) stream.pending.push(open);
      return false;
    }
    const groups: Token[][] = [[]];
    let depth = 1;
    let close: Token | undefined;
    for (;;) {
      const part = stream.pending.length > 0 ? stream.pending.pop() : stream.pull?.();
      if (part === undefined) break;
      taken.push(part);
      charge(4);
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
    }
    if (close === undefined) {
      // the call never ends: the words stay as they are
      charge(8 * taken.length);
      for (let at = taken.length - 1; at > 0; at--) stream.pending.push(hide(taken[at]!, macro.name));
      return false;
    }
    substitute(name, close.end, macro, groups, stream, nesting);
    return true;
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
      invocations.push({ start, end: stop });
    } else if (invocations[invocation]!.end < stop) invocations[invocation]!.end = stop;
    const hidden: HiddenNames = { name: macro.name, rest: name.hidden, depth: (name.hidden?.depth ?? 0) + 1 };
    const { body, params } = macro;
    const produced: Token[] = [];
    const produce = (token: Token): void => {
      charge(Math.max(16, token.text.length));
      produced.push(token);
    };
    const expanded: (Token[] | undefined)[] = [];
    let lastWasEmpty = false;
    const fromBody = (token: Token, space = token.space): Token => {
      const copy = makeToken(token.kind, token.text, start, stop, space, false, -1, true);
      copy.invocation = invocation;
      copy.hidden = hidden;
      return copy;
    };
    const fromArgument = (token: Token): Token => {
      // An argument's argument was copied already.
      if (token.invocation === invocation && !token.lineStart) return token;
      return { ...token, lineStart: false, invocation };
    };
    const paramIndex = (token: Token | undefined): number =>
      token?.kind === TokenKind.Identifier && params ? indexOfParam(macro, token.text) : -1;
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
        const quoted = rawArgument(paramIndex(body[at + 1])).filter((part) => part.kind !== TokenKind.Pragma);
        for (const part of quoted) charge(2 * part.text.length);
        const content = textOf(quoted);
        const literal = `"${content.replace(/\\/g, '\\\\').replace(/"/g, '\\"')}"`;
        produce(fromBody({ ...token, kind: TokenKind.String, text: literal }));
        at++;
        continue;
      }
      if (token.text === '##' && produced.length >= 0 && at + 1 < body.length) {
        at++;
        const right = body[at]!;
        const index = paramIndex(right);
        charge(16 * (index >= 0 ? rawArgument(index).length : 1));
        const rights = index >= 0 ? rawArgument(index).map(fromArgument) : [fromBody(right)];
        const left = produced[produced.length - 1];
        if (left?.text === ',' && index >= 0 && macro.variadic && index === params!.length - 1) {
          // GNU: `, ##__VA_ARGS__`
          if (rights.length === 0) produced.pop();
          else for (const part of fullArgument(index)) produce(fromArgument(part));
          continue;
        }
        if (left === undefined || lastWasEmpty) {
          for (const part of rights) produce(part);
          lastWasEmpty = rights.length === 0;
          continue;
        }
        if (rights.length === 0) continue;
        produced.pop();
        const pasted = left.text + rights[0]!.text;
        charge(2 * pasted.length);
        const relexed = lex(pasted).tokens;
        for (const part of relexed) produce(fromBody(part, part === relexed[0] ? left.space : false));
        for (let rest = 1; rest < rights.length; rest++) produce(rights[rest]!);
        continue;
      }
      const index = paramIndex(token);
      if (index >= 0) {
        const pasted = body[at + 1]?.text === '##';
        const list = pasted ? rawArgument(index) : fullArgument(index);
        lastWasEmpty = pasted && list.length === 0;
        for (let part = 0; part < list.length; part++) {
          const copy = fromArgument(list[part]!);
          produce(part === 0 && token.space && !copy.space ? { ...copy, space: true } : copy);
        }
        continue;
      }
      lastWasEmpty = false;
      if (params !== undefined && token.text === '__VA_OPT__' && body[at + 1]?.text === '(') {
        const close = endOfParentheses(body, at + 1);
        const present = macro.variadic && rawArgument(params.length - 1).length > 0;
        if (present)
          for (let inner = at + 2; inner < close; inner++) {
            const innerIndex = paramIndex(body[inner]);
            if (innerIndex >= 0) for (const part of fullArgument(innerIndex)) produce(fromArgument(part));
            else produce(fromBody(body[inner]!));
          }
        at = close;
        continue;
      }
      produce(fromBody(token));
    }
    charge(16);
    for (let at = produced.length - 1; at >= 0; at--) stream.pending.push(produced[at]!);
  }
  return {
    /** Expands what the stream yields, to its end. */
    expand: (stream: Stream, into: Token[]): void => expand(stream, into, 0),
    expandList,
    invocations: invocations as readonly Invocation[],
  };
}

function isHidden(token: Token, name: string): boolean {
  if (token.hidden === undefined) return false;
  if (token.hidden.depth > HIDDEN_LIMIT) return true;
  for (let hidden: HiddenNames | undefined = token.hidden; hidden; hidden = hidden.rest)
    if (hidden.name === name) return true;
  return false;
}

function hide(token: Token, name: string): Token {
  return { ...token, hidden: { name, rest: token.hidden, depth: (token.hidden?.depth ?? 0) + 1 } };
}

const paramNumbers = new WeakMap<Macro, ReadonlyMap<string, number>>();

/** Number of a parameter, or -1. Macros of thousands of parameters exist, if only to be nasty. */
function indexOfParam(macro: Macro, name: string): number {
  const params = macro.params!;
  if (params.length < 16) return params.indexOf(name);
  let numbers = paramNumbers.get(macro);
  numbers ??= new Map([...params].reverse().map((each, at) => [each, params.length - 1 - at]));
  paramNumbers.set(macro, numbers);
  return numbers.get(name) ?? -1;
}
