// Where the number of a block size is in the text, and whether everything that has to follow it does.
import type { Expr } from '../../../syntax/ast';
import type { Span } from '../../model';
import {
  type Fn,
  type LaunchSite,
  launchSitesOf,
  calleeName,
  isFloating,
  localsOf,
  sameExpr,
  some,
} from '../../language';
import { isArithmetic } from '../../program';
import { dim3Elements, isDim3 } from './launchGrids';

// ---- where the number stands
// -----------------------------------------------------------------------------------------------

/** The place of a literal, and the names through which it is reached. */
export interface Literal {
  readonly at: Span;
  readonly value: number;
  readonly names: readonly string[];
  readonly scope: 'here' | 'function' | 'file';
}

export function literalOf(expr: Expr, fn: Fn, depth = 0): Literal | undefined {
  if (depth > 10) return undefined;
  const locals = fn.locals;
  const elements = dim3Elements(expr);
  if (elements) return dim3Part(elements, fn, depth);
  switch (expr.kind) {
    case 'number': {
      if (!Number.isInteger(expr.value) || expr.value < 1) return undefined;
      return expr.macro ? macroLiteral(expr, fn) : { at: fn.span(expr), value: expr.value, names: [], scope: 'here' };
    }
    case 'cast':
      return literalOf(expr.operand, fn, depth + 1);
    case 'member':
      return expr.field === 'x' && isDim3(expr.object, fn) ? literalOf(expr.object, fn, depth + 1) : undefined;
    case 'name': {
      const local = locals.of(expr);
      if (local) {
        const definition =
          local.variable?.init && !local.writes.length && !local.addressTaken ? local.variable.init : undefined;
        const inner =
          definition && (local.variable!.type.kind === 'named' || local.variable!.type.kind === 'auto')
            ? literalOf(definition, fn, depth + 1)
            : undefined;
        return (
          inner && {
            ...inner,
            names: [...inner.names, local.name],
            scope: inner.scope === 'here' ? 'function' : inner.scope,
          }
        );
      }
      const globals = fn.program.globals(expr.name);
      const global = globals.length === 1 ? globals[0]! : undefined;
      if (
        !global?.constant ||
        !global.init ||
        global.init.kind !== 'number' ||
        global.init.macro ||
        !Number.isInteger(global.init.value)
      )
        return undefined;
      const main = fn.unit.main;
      if (!main.globals.includes(global)) return undefined; // a header's constant has unknown users
      return {
        at: { uri: main.uri, start: global.init.start, end: global.init.end },
        value: global.init.value,
        names: [global.name],
        scope: 'file',
      };
    }
    default:
      return undefined;
  }
}

/** The x of a `dim3` whose other parts are 1. */
function dim3Part(parts: readonly Expr[], fn: Fn, depth: number): Literal | undefined {
  const [first, ...others] = parts;
  const literal = first && literalOf(first, fn, depth + 1);
  return literal && others.every((part) => fn.types.constant(part) === 1 && !sameLiteral(part, literal, fn))
    ? literal
    : undefined;
}
function macroLiteral(expr: Expr, fn: Fn): Literal | undefined {
  const name = fn.text(expr);
  const definitions = fn.unit.files.flatMap((file) => file.macros.filter((macro) => macro.name === name));
  const definition = definitions.length === 1 ? definitions[0]! : undefined;
  const main = fn.unit.main;
  const body = definition?.body.trim() ?? '';
  if (!definition || definition.params || definition.uri !== main.uri || !/^\d+$/.test(body)) return undefined;
  const start = main.text.indexOf(body, definition.start + name.length);
  if (start < 0 || main.text.slice(definition.start + name.length, start).trim() !== '') return undefined;
  return { at: { uri: main.uri, start, end: start + body.length }, value: Number(body), names: [name], scope: 'file' };
}

export function sameLiteral(expr: Expr, literal: Literal, fn: Fn): boolean {
  const other = literalOf(expr, fn);
  return !!other && other.at.uri === literal.at.uri && other.at.start === literal.at.start;
}

/** A block's extent: its value, and the expressions that stand for it. */
export interface Size {
  readonly value: number;
  is(expr: Expr): boolean;
}
/** A place in a quotient where the divisor stands, less so much. */
interface Met {
  readonly expr: Expr;
  readonly less: 0 | 1;
}

/** What is divided, and the places of the divisor. */
interface Quotient {
  readonly number: Expr;
  readonly met: readonly Met[];
}

/** `(n + b - 1) / b`, `n / b + 1` and their equivalents, `b` being the literal through whatever names. */
export function isCeilDivision(expr: Expr, literal: Literal, fn: Fn): boolean {
  const is = (inner: Expr): boolean => sameLiteral(inner, literal, fn);
  return ceilDivisor(expr, { value: literal.value, is }, fn) !== undefined;
}

/** The parts of such a quotient; undefined where it is none. */
export function ceilDivisor(expr: Expr, size: Size, fn: Fn, depth = 0): Quotient | undefined {
  if (depth > 10) return undefined;
  const again = (inner: Expr): Quotient | undefined => ceilDivisor(inner, size, fn, depth + 1);
  const ofFirst = ([first, ...others]: readonly Expr[]): Quotient | undefined =>
    first && others.every((part) => !mentionsSize(part, size)) ? again(first) : undefined;
  const met = (number: Expr, ...exprs: readonly Expr[]): Quotient => ({
    number,
    met: exprs.map((one) => ({ expr: one, less: 0 })),
  });
  const elements = dim3Elements(expr);
  if (elements) return ofFirst(elements);
  switch (expr.kind) {
    case 'cast':
      return again(expr.operand);
    case 'name': {
      const local = fn.local(expr);
      const init = local && !local.writes.length && !local.addressTaken ? local.variable?.init : undefined;
      return init && again(init);
    }
    case 'binary': {
      if (expr.op === '/') {
        const up = roundedUp(expr, size);
        return up && !mentionsSize(up.number, size) ? up : undefined;
      }
      if (expr.op !== '+') return undefined;
      const parts: readonly (readonly [Expr, Expr])[] = [
        [expr.left, expr.right],
        [expr.right, expr.left],
      ];
      for (const [quotient, more] of parts) {
        if (quotient.kind !== 'binary' || quotient.op !== '/' || !size.is(quotient.right)) continue;
        if (isOne(more)) {
          if (!mentionsSize(quotient.left, size)) return met(quotient.left, quotient.right);
          continue;
        }
        const compared = remainderOf(more);
        const isRest = compared?.kind === 'binary' && compared.op === '%' && sameExpr(compared.left, quotient.left);
        if (isRest && size.is(compared.right)) return met(quotient.left, quotient.right, compared.right);
      }
      return undefined;
    }
    case 'call': {
      const name = calleeName(expr);
      if ((name === 'min' || name === 'max') && expr.args.length === 2)
        for (const [at, arg] of expr.args.entries()) {
          const found = mentionsSize(expr.args[1 - at]!, size) ? undefined : again(arg);
          if (found) return found;
        }
      if (/^ceilf?$/.test(name ?? '') && expr.args.length === 1) {
        const division = expr.args[0]!;
        return division.kind === 'binary' &&
          division.op === '/' &&
          size.is(division.right) &&
          isFloating(division) &&
          !mentionsSize(division.left, size)
          ? met(division.left, division.right)
          : undefined;
      }
      return expr.args.length === 2 && size.is(expr.args[1]!) && name && isCeilFunction(name, fn)
        ? met(expr.args[0]!, expr.args[1]!)
        : undefined;
    }
    default:
      return undefined;
  }
}
/** The `r` of what is 1 where `r` is not 0, and else 0: `r != 0`, `r ? 1 : 0`, `!(r == 0)`. */
function remainderOf(more: Expr, isTruth = false, rest = true): Expr | undefined {
  if (more.kind === 'unary' && more.op === '!') return remainderOf(more.operand, true, !rest);
  if (more.kind === 'conditional') {
    const isSame = isOne(more.then) && isValue(more.else, 0);
    return isSame || (isOne(more.else) && isValue(more.then, 0))
      ? remainderOf(more.cond, true, rest === isSame)
      : undefined;
  }
  if (more.kind === 'binary' && /^(!=|>|==)$/.test(more.op) && isValue(more.right, 0))
    return remainderOf(more.left, true, rest === (more.op !== '=='));
  return isTruth && rest ? more : undefined;
}
function isOne(expr: Expr): boolean {
  return isValue(expr, 1);
}
function isValue(expr: Expr, value: number): boolean {
  return expr.kind === 'number' && expr.value === value;
}
/** The `n` of `(n + b - 1) / b`, its terms in any order, or of `(n + 47) / 48`. */
function roundedUp(expr: Expr, { value, is }: Size): Quotient | undefined {
  if (expr.kind !== 'binary' || expr.op !== '/' || !is(expr.right)) return undefined;
  const terms = sumOf(expr.left);
  const divisor: Met = { expr: expr.right, less: 0 };
  const rest = terms.find((term) => term.sign > 0 && isNumber(term.expr, value - 1));
  if (terms.length === 2 && rest && isNumber(expr.right, value)) {
    const number = terms.find((term) => term !== rest)!;
    return number.sign > 0 ? { number: number.expr, met: [divisor, { expr: rest.expr, less: 1 }] } : undefined;
  }
  const size = terms.find((term) => term.sign > 0 && is(term.expr));
  const one = terms.find((term) => term.sign < 0 && isOne(term.expr));
  const number = terms.find((term) => term !== size && term !== one);
  return size && one && terms.length === 3 && number!.sign > 0
    ? { number: number!.expr, met: [divisor, { expr: size.expr, less: 0 }] }
    : undefined;
}
function isNumber(expr: Expr, value: number): boolean {
  return expr.kind === 'number' && !expr.macro && expr.value === value;
}
function sumOf(expr: Expr, sign = 1): { sign: number; expr: Expr }[] {
  if (expr.kind === 'binary' && (expr.op === '+' || expr.op === '-'))
    return [...sumOf(expr.left, sign), ...sumOf(expr.right, expr.op === '+' ? sign : -sign)];
  return [{ sign, expr }];
}
function mentionsSize(expr: Expr, size: Size): boolean {
  return some(expr, (node) => /^(name|number|member)$/.test(node.kind) && size.is(node as Expr));
}
/** A known function of two parameters whose one statement returns their ceil-division. */
function isCeilFunction(name: string, fn: Fn): boolean {
  const functions = fn.program.functions(name).filter((decl) => decl.body && decl.params.length === 2);
  return (
    functions.length > 0 &&
    functions.every((decl) => {
      const only = decl.body!.body.length === 1 ? decl.body!.body[0]! : undefined;
      const isParameter = (position: number, expr: Expr | undefined): boolean =>
        expr?.kind === 'name' && expr.name === decl.params[position]!.name;
      const value = only?.kind === 'return' ? only.value : undefined;
      const up = value && roundedUp(value, { value: NaN, is: (expr) => isParameter(1, expr) });
      return isParameter(0, up?.number);
    })
  );
}

/** Does the number decide nothing but grids and blocks of launches that take any size? */
export function flowsOnlyIntoShapes(literal: Literal, fn: Fn, takesAnySize: (site: LaunchSite) => boolean): boolean {
  if (literal.scope === 'here') return false; // the grid follows a separate literal
  const allowed: Span[] = [];
  for (const site of launchSitesOf(fn)) {
    const [grid, block] = site.launch.config;
    if (!sameLiteral(block!, literal, site.host) || !isCeilDivision(grid!, literal, site.host)) continue;
    if (!takesAnySize(site)) continue;
    allowed.push(site.host.span(grid!), site.host.span(block!));
  }
  if (!allowed.length) return false;
  return literal.names.every((name) => everyUseIn(name, allowed, literal, fn, 0));
}

/** Are all mentions of a name in the spans, or in the initialisers of variables of which that is true again? */
export function everyUseIn(name: string, allowed: readonly Span[], literal: Literal, fn: Fn, depth: number): boolean {
  if (depth > 4) return false;
  const fileWide = literal.scope === 'file' && literal.names[0] === name;
  const files = fileWide ? fn.unit.files : [fn.file];
  for (const file of files) {
    const from = fileWide ? 0 : fn.decl.base + fn.decl.start;
    const to = fileWide ? file.text.length : fn.decl.base + fn.decl.end;
    for (const match of file.text.slice(from, to).matchAll(new RegExp(`(?<![\\w.])${name}(?!\\w)`, 'g'))) {
      const at = from + match.index;
      if (allowed.some((span) => span.uri === file.uri && span.start <= at && at < span.end) || isComment(file, at))
        continue;
      const decl = file.functions.find(
        (each) => each.body && each.base + each.start <= at && at < each.base + each.end,
      );
      if (!decl) {
        if (isDeclaration(file.text, at, literal)) continue;
        return false;
      }
      const host = decl === fn.decl ? fn : fn.of(decl);
      const locals = localsOf(decl);
      const variable = locals.all.find(
        (local) => local.variable && decl.base + local.variable.start <= at && at < decl.base + local.variable.end,
      );
      if (!variable?.variable || (variable.variable.type.kind !== 'named' && variable.variable.type.kind !== 'auto'))
        return false;
      if (variable.name === name && decl.base + variable.variable.nameStart === at) continue;
      if (
        !variable.variable.init ||
        decl.base + variable.variable.init.start > at ||
        variable.writes.length ||
        variable.name === name ||
        !(isArithmetic(variable.variable.init, host) || dim3Elements(variable.variable.init))
      )
        return false;
      if (!everyUseIn(variable.name, allowed, { ...literal, scope: 'function' }, host, depth + 1)) return false;
    }
  }
  return true;
}
function isDeclaration(text: string, at: number, literal: Literal): boolean {
  const between = text.slice(at, literal.at.start);
  return at < literal.at.start && !between.includes(';') && !between.includes('\n');
}
function isComment(file: Fn['file'], at: number): boolean {
  return (
    file.comments.some((comment) => comment.start <= at && at < comment.end) ||
    file.functions.some((fn) =>
      fn.comments.some((comment) => fn.base + comment.start <= at && at < fn.base + comment.end),
    )
  );
}
