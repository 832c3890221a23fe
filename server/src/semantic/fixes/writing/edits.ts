// What edits have to ask of code before they touch it: macros in it, comments in it, calls that only compute.
import type { Expr, Node, TranslationUnit } from '../../../syntax/ast';
import type { Edit } from '../../model';
import { wholeLines } from '../../../syntax/lines';
import { type Fn, once } from '../../language';

/** Columns; what is written beyond them continues on the next line. */
export const longestLine = 120;

export function hasComment(fn: Fn, node: Node): boolean {
  return fn.decl.comments.some((comment) => comment.start < node.end && comment.end > node.start);
}

/** Removes a statement, with its whole line if nothing else is on it. */
export function deletionOf(fn: Fn, statement: Node): Edit {
  const span = fn.span(statement);
  return { at: { ...span, ...wholeLines(fn.file.text, span) }, newText: '' };
}

/** Parentheses around a text that binds less tightly than what will be next to it. */
export function parenthesised(fn: Fn, expr: Expr): string {
  const text = fn.text(expr).trim();
  return expr.kind === 'binary' || expr.kind === 'conditional' || expr.kind === 'assign' ? `(${text})` : text;
}

const opposite: Readonly<Record<string, string>> = {
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
  '==': '!=',
  '!=': '==',
};

/** What holds where a condition does not; of numbers with a fraction, `<` may not hold where `>=` does not. */
export function negated(cond: Expr, fn: Fn): string {
  const text = fn.text(cond).trim();
  if (cond.kind === 'unary' && cond.op === '!') return fn.text(cond.operand).trim();
  if (cond.kind === 'binary' && opposite[cond.op]) {
    const { left, op, right } = cond;
    const isWhole = [left, right].every((side) => {
      const type = fn.typing.typeOf(side);
      return type?.kind === 'scalar' && !type.float;
    });
    const between = fn.text({ ...cond, start: left.end, end: right.start });
    if (isWhole && /^[\s)]*[<>=!]=?[\s(]*$/.test(between))
      return (
        fn.text({ ...cond, end: left.end }) +
        between.replace(op, opposite[op]!) +
        fn.text({ ...cond, start: right.start })
      ).trim();
  }
  return `!(${text})`;
}

/** Gives names that nothing in what stays of the function, and no macro of the unit uses. */
export function freshNamesOf(
  fn: Fn,
  replaced?: { readonly start: number; readonly end: number },
): (name: string) => string {
  const words = replaced ? wordsAround(fn, replaced) : wordsOfFunction(fn);
  const chosen = new Map<string, string>();
  const isUsed = (name: string): boolean =>
    words.has(name) || macroNamesOf(fn.unit).has(name) || [...chosen.values()].includes(name);
  return (name) => {
    const known = chosen.get(name);
    if (known) return known;
    let free = name;
    for (let suffix = 2; isUsed(free); suffix++) free = `${name}${suffix}`;
    chosen.set(name, free);
    return free;
  };
}

function wordsIn(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

const wordsOfFunction = once((fn: Fn) => wordsAround(fn, { start: 0, end: 0 }));
function wordsAround({ file: { text }, decl }: Fn, replaced: { start: number; end: number }): ReadonlySet<string> {
  const { base, start, end } = decl;
  const before = text.slice(base + start, base + replaced.start);
  return new Set(wordsIn(`${before} ${text.slice(base + replaced.end, base + end)}`));
}
const macroNamesOf = once(
  ({ files }: TranslationUnit) => new Set(files.flatMap(({ macros }) => macros.map(({ name }) => name))),
);

/** `(…)`, the first parenthesis of which is closed by the last character. */
export function isBracketed(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')') depth--;
    if (depth === 0) return at > 0 && at === text.length - 1;
  }
  return false;
}
