// Which lines of an edited text still say what they said when they were measured: a line is old as well where what
// surrounds it or what its addresses are computed from was changed. It reads text, of C, C++ and Fortran, by its
// indentation and its names; what it cannot see stays as it was measured.
import { carryLines } from './carryOver';

interface Statement {
  /** Indices of its lines. */
  readonly from: number;
  to: number;
  readonly indent: number;
  text: string;
  /** The statements within it: up to, not including, this index. */
  end: number;
  /** Index of the outermost statement around it that has parentheses, a function; undefined at the top. */
  scope: number | undefined;
  /** Name of the innermost structure that it is a member of. */
  type: string | undefined;
}

/** Lines (from 1) of the current text whose code is there unchanged, but depends on code that changed. */
export function dependentLines(profiled: string, current: string): ReadonlySet<number> {
  const carry = carryLines(profiled, current);
  if (carry.unchanged) return new Set();
  const back = new Map<number, number>();
  const then = statementsOf(profiled);
  profiled.split('\n').forEach((_, index) => {
    const now = carry.lineNow(index + 1);
    if (now !== undefined) back.set(now - 1, index);
  });
  const now = statementsOf(current);
  const statementAt = new Map<number, number>();
  now.forEach(({ from, to }, index) => {
    for (let line = from; line <= to; line++) statementAt.set(line, index);
  });
  const spread = spreading(now);
  const code = current.split('\n');
  now.forEach(({ from, to }, index) => {
    for (let line = from; line <= to; line++)
      if (!back.has(line) && isCode(code[line] ?? '')) return spread.change(index, definedBy(now[index]!));
  });
  // What is gone defined names, and was around lines that may still be there.
  const before = profiled.split('\n');
  then.forEach((gone, index) => {
    const isGone = (line: number): boolean => carry.lineNow(line + 1) === undefined && isCode(before[line] ?? '');
    if (!Array.from({ length: gone.to - gone.from + 1 }, (_, at) => gone.from + at).some(isGone)) return;
    const nowOf = (inner: number): number | undefined =>
      statementAt.get((carry.lineNow(then[inner]!.from + 1) ?? 0) - 1);
    for (let inner = index + 1; inner < gone.end; inner++) {
      const at = nowOf(inner);
      if (at !== undefined) spread.change(at, definedBy(now[at]!));
    }
    const scope = gone.scope === undefined ? undefined : then[gone.scope]!;
    let place: number | undefined;
    for (let inner = gone.scope ?? 0; scope && inner < scope.end && place === undefined; inner++) {
      const at = nowOf(inner);
      if (at !== undefined) place = now[at]!.scope ?? at;
    }
    if (scope && place === undefined) return;
    spread.names(definedBy(gone), place);
    spread.launches(gone.text);
  });
  const lines = new Set<number>();
  for (const index of spread.done()) {
    const { from, to } = now[index]!;
    for (let line = from; line <= to; line++) if (back.has(line)) lines.add(line + 1);
  }
  return lines;
}

/** Follows what depends on changed statements. */
function spreading(statements: readonly Statement[]) {
  const marked = new Set<number>();
  const leaves = new Set<number>();
  const known = new Set<string>();
  const users = new Map<string, number[]>();
  statements.forEach(({ text }, index) => {
    for (const word of new Set(text.match(/[A-Za-z_]\w*/g) ?? [])) {
      const list = users.get(word);
      if (list) list.push(index);
      else users.set(word, [index]);
    }
  });
  /** The statements of a block come with its head. */
  function change(index: number, defined: readonly string[]): void {
    const { end, scope, text: head } = statements[index]!;
    for (let inner = index; inner < end; inner++) {
      if (marked.has(inner)) continue;
      marked.add(inner);
      const statement = statements[inner]!;
      if (inner !== index) names(definedBy(statement), statement.scope);
      launches(statement.text);
    }
    names(defined, scope ?? (end > index + 1 && /\(/.test(head) ? index : undefined));
    // Who calls or launches the function has another cost, but no other code.
    const around = scope ?? (end > index + 1 ? index : undefined);
    const name = around === undefined ? undefined : /([A-Za-z_]\w*)\s*\(/.exec(statements[around]!.text)?.[1];
    for (const user of name === undefined ? [] : (users.get(name) ?? []))
      if (user !== around && new RegExp(`\\b${name}\\s*(?:<|\\()`).test(statements[user]!.text)) leaves.add(user);
  }
  function names(defined: readonly string[], scope: number | undefined): void {
    for (const name of defined) {
      const key = `${scope ?? ''} ${name}`;
      if (known.has(key)) continue;
      known.add(key);
      for (const user of users.get(name) ?? []) {
        const one = statements[user]!;
        if (marked.has(user) || (scope !== undefined && (user < scope || user >= statements[scope]!.end))) continue;
        if (usesInPlace(name, one)) change(user, definedBy(one));
      }
    }
  }
  /** Another launch is another run of the whole kernel. */
  function launches(text: string): void {
    for (const [, name] of text.matchAll(/([A-Za-z_]\w*)\s*(?:<[^<>]*>)?\s*<<</g))
      for (const user of users.get(name!) ?? []) {
        const { text: head, end } = statements[user]!;
        if (end > user + 1 && !marked.has(user) && new RegExp(`\\b${name}\\s*\\(`).test(head)) change(user, []);
      }
  }
  return { change, names, launches, done: () => new Set([...marked, ...leaves]) };
}

/** Whether a name decides where a statement goes or how often it runs, and not only what it stores. */
function usesInPlace(name: string, statement: Statement): boolean {
  const { text } = statement;
  if (/^\s*(?:for|while|if|switch|else|do\b|#|!\$)/.test(text) || /<<</.test(text)) return true;
  if (definedBy(statement).some((defined) => defined !== name)) return true;
  return new RegExp(
    `\\b${name}\\b\\s*\\[|\\[[^;]*\\b${name}\\b[^;]*\\]|\\*\\s*\\(?\\s*${name}\\b|\\w\\s*\\([^;]*\\b${name}\\b`,
  ).test(text);
}

const typeWords = String.raw`(?:[A-Za-z_][\w:]*(?:<[\w\s,:*]*>|\([^()]*\))?[\s*&]+)+`;
/** A declaration of arrays: a type and its qualifiers, then the declarators. */
const arrays = new RegExp(`^\\s*(?!(?:return|else|case|goto|delete|throw)\\b)${typeWords}(?=\\w+\\s*\\[)(.*)$`);

/** Names that get a value (variables, not elements), arrays that are declared, and the type around a member. */
function definedBy({ text, type }: Statement): string[] {
  const found = [
    ...text.matchAll(/(?<![\w\].>])([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)/g),
    ...text.matchAll(/(?:\+\+|--)\s*([A-Za-z_]\w*)|(?<!\[)\b([A-Za-z_]\w*)\s*(?:\+\+|--)/g),
    ...text.matchAll(/^\s*#\s*define\s+(\w+)/g),
    ...text.matchAll(/^\s*(?:const\s+|static\s+)*[A-Za-z_][\w:]*\s+([A-Za-z_]\w*)\s*\([^;{]*\)\s*;/g),
    ...text.matchAll(/^\s*do\s+([A-Za-z_]\w*)\s*=/gi),
    // An array's declaration decides where its elements are.
    ...(arrays.exec(text)?.[1] ?? '').matchAll(/(?:^|,)[\s*]*([A-Za-z_]\w*)\s*\[/g),
  ];
  const names = found.map((match) => match[1] ?? match[2]!);
  return [...new Set([...names, ...(type === undefined ? [] : [type])])];
}

function isCode(line: string): boolean {
  return /^(?!\s*(?:\/\/|\*|\/\*|!(?!\$)|[{}();]*\s*$))/.test(line);
}

/** Cuts a text into statements, with the blocks that stand below them by their indentation. */
function statementsOf(text: string): Statement[] {
  const statements: Statement[] = [];
  let depth = 0;
  let isOpen = false;
  text.split('\n').forEach((line, index) => {
    if (!isCode(line)) {
      const last = statements.at(-1);
      if (last && /^\s*[{}();]+\s*$/.test(line)) depth = 0;
      return;
    }
    const plain = line.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])'/g, '""').replace(/\/\/.*|\/\*.*?\*\//g, '');
    const last = statements.at(-1);
    if (last && (depth > 0 || isOpen)) {
      last.to = index;
      last.text += ` ${plain}`;
    } else
      statements.push({
        from: index,
        to: index,
        indent: /^\s*/.exec(line)![0].replaceAll('\t', '    ').length,
        text: plain,
        end: 0,
        scope: undefined,
        type: undefined,
      });
    depth = Math.max(0, depth + (plain.match(/\(/g) ?? []).length - (plain.match(/\)/g) ?? []).length);
    // A directive and the loop below it are one: what it says is said of the loop.
    isOpen = /[-=+*/%&|<?,(\\]\s*$/.test(plain) || /^\s*(?:#\s*pragma|!\$acc)\b/i.test(plain);
    if (/[;{}]\s*$/.test(plain) && !/\bfor\s*\([^)]*$/.test(plain)) depth = /\)\s*;?\s*\{?\s*$/.test(plain) ? depth : 0;
  });
  statements.forEach((one, index) => {
    let end = index + 1;
    while (end < statements.length && (statements[end]!.indent > one.indent || isPreprocessor(statements[end]!.text)))
      end++;
    one.end = isPreprocessor(one.text) ? index + 1 : end;
  });
  const around: number[] = [];
  statements.forEach((one, index) => {
    while (around.length > 0 && statements[around.at(-1)!]!.end <= index) around.pop();
    one.scope = around.find((each) => /\(/.test(statements[each]!.text));
    one.type = around.map((each) => structure.exec(statements[each]!.text)?.[1]).findLast((name) => name !== undefined);
    if (one.end > index + 1) around.push(index);
  });
  return statements;
}

const structure = /^\s*(?:typedef\s+)?(?:struct|class|union)\s+(?:\w+\([^()]*\)\s*)?([A-Za-z_]\w*)[^;]*$/;

function isPreprocessor(text: string): boolean {
  return /^\s*#\s*(?!pragma)/.test(text);
}
