// The C preprocessor: conditions, macros, includes and pragmas of one file, on tokens that remember where they were
// written.
import type { IncludeDirective, MacroDef, Node, Pragma } from './ast';
import { endOfParentheses } from './brackets';
import type { ReadingBudget } from './budget';
import { evaluateCondition } from './conditions';
import { makeExpander, type Invocation } from './expansion';
import { hashText, textOf, type Macro, type MacroEffect, type MacroTable } from './macros';
import { makeToken, TokenKind, type LexedText, type Token } from './tokens';

export interface Preprocessed {
  /** The active tokens after expansion, pragmas among them as tokens of kind `Pragma`. */
  readonly tokens: readonly Token[];
  /** Where each macro invocation was written, by number. */
  readonly invocations: readonly Invocation[];
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
const COMPILER_WORDS = new Set(
  (
    '__global__ __device__ __host__ __shared__ __constant__ __managed__ __launch_bounds__ __forceinline__ ' +
    '__noinline__ __restrict__ __restrict __syncthreads defined threadIdx blockIdx blockDim gridDim'
  ).split(' '),
);

interface Condition {
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
  budget: ReadingBudget,
): Preprocessed {
  const source = lexed.tokens;
  const out: Token[] = [];
  const definitions: MacroDef[] = [];
  const inactive: Node[] = [];
  const pragmas: Pragma[] = [];
  const includes: IncludeDirective[] = [];
  const effects: MacroEffect[] = [];
  const conditions: Condition[] = [];
  const { expand, expandList, invocations } = makeExpander(macros, budget, pragmas);
  let once = false;
  let next = 0;
  let written = 0;
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
    else if (!wasActive && skippingSince >= 0) {
      const stop = lineBegin(source[hash]!.start);
      if (stop > skippingSince) inactive.push({ start: skippingSince, end: stop });
      skippingSince = active() ? -1 : lineEnd(end);
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
        const holds = wasActive && conditionHolds(name.text, hash, end);
        conditions.push({ taken: holds, active: wasActive && holds, outer: wasActive });
        if (wasActive) setActivity(true, hash, end);
        return undefined;
      }
      case 'elif':
      case 'elifdef':
      case 'elifndef':
      case 'else': {
        const condition = conditions[conditions.length - 1];
        if (!condition) return undefined;
        const mayHold = condition.outer && !condition.taken;
        const holds = mayHold && (name.text === 'else' || conditionHolds(name.text.slice('el'.length), hash, end));
        condition.active = holds;
        condition.taken ||= holds;
        if (condition.outer) setActivity(wasActive, hash, end);
        return undefined;
      }
      case 'endif': {
        const condition = conditions.pop();
        if (condition?.outer && !wasActive) setActivity(false, hash, end);
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
    definitions.push({
      name: name.text,
      ...(params && { params }),
      ...(variadic && { variadic }),
      body: bodyText,
      uri,
      start: name.start,
    });
    const hash = hashText(`${name.text}(${params ? params.join(',') : '-'}${variadic ? '.' : ''}) ${bodyText}`);
    const macro: Macro = { name: name.text, ...(params && { params }), variadic, body, hash };
    macros.define(macro);
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
    return macros.has(name) || /^__(?:has_include|LINE__|FILE__|COUNTER__)$/.test(name);
  }

  // ---- conditions -------------------------------------------------------------------------------------------------

  /** Of `if`, `ifdef` or `ifndef`. */
  function conditionHolds(kind: string, hash: number, end: number): boolean {
    if (kind === 'if') return evaluate(source.slice(hash + 2, end)) !== 0n;
    return (hash + 2 < end && isDefined(source[hash + 2]!.text)) === (kind === 'ifdef');
  }

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
        if (tokens[at + 1]?.text === '(') at = endOfParentheses(tokens, at + 1);
      } else operands.push(token);
    }
    return evaluateCondition(expandList(operands));
  }

  function numberToken(at: Token, value: string): Token {
    return makeToken(TokenKind.Number, value, at.start, at.end, true, false, -1, true);
  }

  expand({ pending: [], pull }, out);
  if (skippingSince >= 0 && skippingSince < text.length) inactive.push({ start: skippingSince, end: text.length });
  return { tokens: out, invocations, macros: definitions, inactive, pragmas, includes, effects, once };
}
