// Readable names of device functions: the part before the parameter list, from a demangled or a mangled name.
import operatorTable from './operators.json';

/**
 * Name without result, template arguments of the last part, and parameters: `void stage<float>(T1 *)` gives `stage`,
 * `a::b(int)` gives `a::b`.
 */
export function shortNameOf(demangled: string): string {
  let depth = 0;
  let end = demangled.length;
  for (let at = 0; at < demangled.length; at++) {
    const character = demangled[at]!;
    if (character === '<' || character === '[') depth++;
    else if (character === '>' || character === ']') depth--;
    else if (character === '(' && depth === 0) {
      // `(anonymous namespace)::` and `operator ()` are part of a name.
      if (demangled.startsWith('(anonymous namespace)', at)) at += '(anonymous namespace)'.length - 1;
      else if (demangled.startsWith('()', at) && /operator\s*$/.test(demangled.slice(0, at))) at += 1;
      else {
        end = at;
        break;
      }
    }
  }
  let name = demangled.slice(0, end).trim();
  if (name.endsWith('>') && !/operator\s*(->|>>|>)$/.test(name)) {
    depth = 0;
    for (let at = name.length - 1; at >= 0; at--) {
      if (name[at] === '>') depth++;
      else if (name[at] === '<' && --depth === 0) {
        name = name.slice(0, at);
        break;
      }
    }
  }
  depth = 0;
  for (let at = name.length - 1; at >= 0; at--) {
    if (name[at] === '>' || name[at] === ')') depth++;
    else if (name[at] === '<' || name[at] === '(') depth--;
    else if (name[at] === ' ' && depth === 0 && !/operator\s*$/.test(name.slice(0, at + 1))) return name.slice(at + 1);
  }
  return name || demangled;
}

/** Operators by their Itanium codes. */
const operators: Readonly<Record<string, string>> = operatorTable;

/**
 * Qualified name of a function from its Itanium-mangled symbol
 * (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling), without template arguments and parameters:
 * `_Z8unrolledIfLi2EET_PKS0_i` gives `unrolled`. What is not understood comes back as it is.
 */
export function nameOfSymbol(symbol: string): string {
  if (!symbol.startsWith('_Z')) return symbol;
  const parts = symbolParts(symbol, 2, 0);
  return parts && parts.names.length > 0 ? parts.names.join('::') : symbol;
}

function symbolParts(symbol: string, start: number, depth: number): { names: string[]; end: number } | undefined {
  if (depth > 16) return undefined;
  let at = start;
  const names: string[] = [];
  const nested = symbol[at] === 'N';
  if (symbol[at] === 'Z') {
    // A name local to a function: Z <function> E <name>.
    const outer = symbolParts(symbol, at + 1, depth + 1);
    if (!outer) return undefined;
    const close = symbol.indexOf('E', outer.end);
    if (close < 0) return undefined;
    const inner = symbolParts(symbol, close + 1, depth + 1);
    return inner && { names: [...outer.names, ...inner.names], end: inner.end };
  }
  if (nested) {
    at++;
    while (symbol[at] === 'r' || symbol[at] === 'V' || symbol[at] === 'K' || symbol[at] === 'R' || symbol[at] === 'O')
      at++;
  }
  if (symbol.startsWith('St', at)) {
    names.push('std');
    at += 2;
  }
  for (;;) {
    const digits = /^\d+/.exec(symbol.slice(at, at + 6))?.[0];
    if (digits) {
      const length = Number(digits);
      at += digits.length;
      if (at + length > symbol.length) return undefined;
      const name = symbol.slice(at, at + length);
      at += length;
      if (name.startsWith('_GLOBAL__N_')) names.push('(anonymous namespace)');
      else if (!name.startsWith('_INTERNAL_')) names.push(name);
    } else if (symbol[at] === 'L' && /\d/.test(symbol[at + 1] ?? '')) at++;
    else if (symbol.startsWith('Ul', at)) {
      const close = symbol.indexOf('E', at);
      const tail = close < 0 ? null : /^\d*_/.exec(symbol.slice(close + 1, close + 12));
      if (!tail) return undefined;
      names.push('[lambda]');
      at = close + 1 + tail[0].length;
    } else if (symbol[at] === 'I') {
      const close = endOfTemplateArguments(symbol, at);
      if (close === undefined) return undefined;
      at = close;
    } else if (/^[CD]\d/.test(symbol.slice(at, at + 2)) && names.length > 0) {
      names.push((symbol[at] === 'D' ? '~' : '') + names[names.length - 1]!);
      at += 2;
    } else if (operators[symbol.slice(at, at + 2)] !== undefined && (nested || names.length === 0)) {
      names.push(`operator${operators[symbol.slice(at, at + 2)]!}`);
      at += 2;
    } else break;
    if (!nested && symbol[at] !== 'I') break;
  }
  if (!nested && symbol[at] === 'I') at = endOfTemplateArguments(symbol, at) ?? at;
  if (nested && symbol[at] === 'E') at++;
  return { names, end: at };
}

/** Where template arguments that begin at `start` end, by counting what E closes; undefined where that is not clear. */
function endOfTemplateArguments(symbol: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < symbol.length; at++) {
    const character = symbol[at]!;
    const digits = /^\d+/.exec(symbol.slice(at, at + 6))?.[0];
    if (digits && symbol[at - 1] !== 'S' && symbol[at - 1] !== 'T' && symbol[at - 1] !== '_') {
      at += digits.length + Number(digits) - 1;
      continue;
    }
    if (character === 'I' || character === 'N' || character === 'J' || character === 'X' || character === 'F') depth++;
    else if (character === 'L') {
      // A literal: L <type> <value> E.
      const close = symbol.indexOf('E', at);
      if (close < 0) return undefined;
      at = close;
    } else if (character === 'E' && --depth === 0) return at + 1;
  }
  return undefined;
}
