// The names that a top-level item declares, read from its tokens: a header's items are parsed when one is asked for.
import { classWords } from './tokenShapes';
import { TokenKind, type Token } from './tokens';

/** A top-level item of a file, parsed when its declarations are read: most of a library's are never asked for. */
export interface Piece<Declarations> {
  readonly declared: () => Declarations;
  /** What it may declare, as `pieces.ts` writes it. */
  readonly names: ReadonlySet<string>;
  /** The words and launches among its tokens, macros expanded. */
  readonly words: () => ReadonlySet<string>;
  /** A hash of what it depends on, and of that without the body where it defines a function. */
  readonly content: () => string;
  readonly interface: () => string;
}

const typeWords = new Set([...classWords, 'namespace', 'extern']);
/** What follows the name of an alias, a variable or an enumerator. */
const afterName = new Set([
  ...['{', '}', ';', '=', '[', ',', ':', 'alignas', 'asm', '__asm__', '__asm', '__attribute__'],
]);
/** Words that are followed by parentheses or braces and declare nothing. */
const noNames = new Set([
  ...['void', 'bool', 'char', 'short', 'int', 'long', 'float', 'double', 'signed', 'unsigned', 'auto', 'wchar_t'],
  ...['alignas', 'decltype', 'noexcept', 'explicit', 'throw', 'requires', 'asm', '__asm', '__asm__', '__declspec'],
  ...['__attribute__', '__attribute', '__align__', '__launch_bounds__', '_Pragma', 'static_assert', 'default', 'final'],
]);
const valueSigns = new Set(['.', '->', '+', '-', '/', '%', '!', '{']);
const opening: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']' };

/** Under which a piece that may declare a function of a name is found; conversions and allocations have one. */
export function functionKey(name: string): string {
  return `${/^operator(?: |new|delete|"|$)/.test(name) ? 'operator' : name.replace(/^~/, '')}(`;
}

/** Under which a piece that may declare a class or enumeration of a name is found. */
export function classKey(name: string): string {
  return `${name}{`;
}

/** Under which a piece that may define a member outside of the class is found. */
export function memberKey(className: string): string {
  return `${className}::`;
}

/**
 * The keys of at least all functions, classes and members that the tokens of an item declare, the names of aliases,
 * variables and enumerators, and `template` for an explicit instantiation. One too many costs a parse that was not
 * needed.
 */
export function declaredNames(tokens: readonly Token[]): Set<string> {
  const names = new Set<string>();
  const scopes: boolean[] = [];
  /** Since the last declaration began: the braces are those of a class or namespace, of a class, after `typedef`. */
  let opens = false;
  let typed = false;
  let aliased = false;
  const textAt = (at: number): string => tokens[at]?.text ?? ';';
  const partners = partnersOf(tokens);
  const endOfAngles = (at: number): number => (partners[at]! < 0 ? at : partners[at]!);
  const skip = (at: number): number =>
    !(textAt(at) in opening) ? at : partners[at]! < 0 ? tokens.length : partners[at]!;
  const lastClass = tokens.findLastIndex(({ text }) => classWords.has(text));
  for (let at = 0; at < tokens.length; at++) {
    const { text, kind } = tokens[at]!;
    if (kind === TokenKind.Identifier) {
      if (text === 'template' && textAt(at + 1) === '<') at = endOfAngles(at + 1);
      else if (text === 'template' && at <= 1) names.add(text);
      else if (typeWords.has(text)) {
        opens = true;
        if (classWords.has(text)) typed = true;
      } else if (text === 'operator') at = addOperator(at);
      else if (text === 'typedef') aliased = true;
      else if (!noNames.has(text)) {
        const end = textAt(at + 1) === '<' ? endOfAngles(at + 1) : at;
        const next = textAt(end + 1);
        if (next === '(') names.add(functionKey(text));
        if (afterName.has(next) || (next === '(' && (aliased || isInitialised(end + 1)))) names.add(text);
        if (next === '::') names.add(memberKey(text));
        if (typed) names.add(classKey(text));
        at = end;
      }
      continue;
    }
    if (kind !== TokenKind.Punctuator) continue;
    switch (text) {
      case '(':
      case '[': {
        const end = skip(at);
        // `(*name)(int)`, `(name)[3]`; what is not closed may be anything.
        if (end >= tokens.length || /^[([]$/.test(textAt(end + 1)) || /^[*&^]/.test(textAt(at + 1)))
          for (let inner = at; inner < end; inner++) addBoth(inner);
        at = end;
        break;
      }
      case '{':
        // The methods of a class in a function are functions, too.
        if (opens || at < lastClass) {
          scopes.push(typed);
          opens = typed = false;
        } else at = skip(at);
        break;
      case '}':
        opens = typed = scopes.pop() ?? false;
        break;
      case ';':
        opens = typed = aliased = false;
        break;
      case ':':
        // The bases of a class, or a constructor's initialisers.
        if (typed) while (!/^[{;]$/.test(textAt(at + 1))) at = skip(at + 1);
        else if (textAt(at - 1) === ')') at = endOfInitialisers(at);
        break;
      case '=':
        while (!/^[;,}]$/.test(textAt(at + 1))) at = skip(at + 1);
        break;
    }
  }
  return names;

  function addBoth(at: number): void {
    const { kind, text } = tokens[at]!;
    if (kind === TokenKind.Identifier) names.add(text).add(functionKey(text));
  }

  /** `T name(1, x.y)`: what is in the parentheses may not be parameters alone. */
  function isInitialised(open: number): boolean {
    const isValue = ({ kind, text }: Token): boolean =>
      kind === TokenKind.Number || kind === TokenKind.String || valueSigns.has(text);
    return tokens.slice(open + 1, skip(open)).some(isValue);
  }

  /** Before the body of a constructor. */
  function endOfInitialisers(colon: number): number {
    let at = colon + 1;
    for (; at < tokens.length && !/^[;}]$/.test(textAt(at)); at++) {
      if (!(textAt(at) in opening)) continue;
      at = skip(at);
      if (textAt(at + 1) === '...') at++;
      if (textAt(at + 1) !== ',') return at;
    }
    return at - 1;
  }

  function addOperator(from: number): number {
    let at = from + 1;
    let name = 'operator';
    if (textAt(at) === '(') name += textAt(at++) + textAt(at++);
    for (; at < tokens.length && !/^[({;]$/.test(textAt(at)); at++) {
      if (textAt(at) === '<' && name !== 'operator') break;
      if (tokens[at]!.kind === TokenKind.Punctuator) name += textAt(at);
      else names.add(functionKey('operator')).add(functionKey(textAt(at)));
    }
    names.add(functionKey(name));
    return at - 1;
  }
}

export function wordsOf(tokens: readonly Token[]): Set<string> {
  const words = new Set<string>();
  tokens.forEach(({ kind, text }, at) => {
    if (kind === TokenKind.Identifier) words.add(text);
    // Some write `<< <`.
    else if (
      text.startsWith('<') &&
      tokens
        .slice(at, at + 3)
        .map((each) => each.text)
        .join('')
        .startsWith('<<<')
    )
      words.add('<<<');
  });
  return words;
}

/** All tokens but those of the body that ends the definition of a function which no constant can be computed by. */
export function interfaceOf(tokens: readonly Token[]): string {
  const partners = partnersOf(tokens);
  let end = tokens.length;
  for (let at = 0; at < end; at++) {
    const { text } = tokens[at]!;
    if (text === 'template' && tokens[at + 1]?.text === '<') at = Math.max(at, partners[at + 1]!);
    else if (text === 'constexpr' || text === '=' || typeWords.has(text)) break;
    else if (text === '{' && partners[at] === tokens.length - 1) end = at;
    else if (text in opening && partners[at]! > at) at = partners[at]!;
  }
  return tokens
    .slice(0, end)
    .map(({ text }) => text)
    .join(' ');
}

/** For each opening token the closing one, -1 where there is none; `<` without a `>` in its item is a comparison. */
function partnersOf(tokens: readonly Token[]): Int32Array {
  const partners = new Int32Array(tokens.length).fill(-1);
  const open: number[] = [];
  const dropAngles = (): void => {
    while (open.length > 0 && tokens[open.at(-1)!]!.text === '<') open.pop();
  };
  tokens.forEach(({ text }, at) => {
    if (text === '<' || text in opening) open.push(at);
    else if (text === ';') dropAngles();
    else if (text === '>') {
      if (open.length > 0 && tokens[open.at(-1)!]!.text === '<') partners[open.pop()!] = at;
    } else if (text === ')' || text === '}' || text === ']') {
      dropAngles();
      if (open.length > 0 && opening[tokens[open.at(-1)!]!.text] === text) partners[open.pop()!] = at;
    }
  });
  return partners;
}
