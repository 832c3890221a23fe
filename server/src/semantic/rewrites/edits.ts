// What edits have to ask of code before they touch it: macros in it, comments in it, calls that only compute.
import type { CallExpr, Expr, Node, Stmt, TypeSyntax } from '../../syntax/ast';
import type { Edit } from '../model';
import { reachesMemory, rootName, walk, type AnySyntax } from '../language/statements';
import type { Type } from '../language/types';
import { spanOf, textOf, type FunctionContext } from '../language/functionContext';
import { isAggregate } from '../hostCalls/callees';
import { calleeName } from '../language/scope';
import { typingOf } from '../language/typing';

/**
 * Does any token of the node come out of a macro? A macro that stands for a number alone does no harm: its name is the
 * number's text.
 */
export function hasMacro(node: AnySyntax): boolean {
  let found = false;
  walk(node, (inner) => {
    if (inner.macro && inner.kind !== 'number') found = true;
  });
  return found;
}

export function hasComment(context: FunctionContext, node: Node): boolean {
  return context.fn.comments.some((comment) => comment.start < node.end && comment.end > node.start);
}

const pureNames = new RegExp(
  [
    '^(__)?(abs|fabs|labs|min|max|fmin|fmax|fma|fmaf|mad|sqrt|cbrt|rsqrt|rcbrt|exp|exp2|exp10|expm1|log',
    'log2|log10|log1p|pow|sin|cos|tan|sinh|cosh|tanh|asin|acos|atan|atan2|asinh|acosh|atanh|hypot|floor',
    'ceil|round|rint|trunc|fmod|remainder|erf|erfc|tgamma|lgamma|lround|lrint|nearbyint|copysign|fdividef',
    'saturatef|isnan|isinf|isfinite|signbit|fdim|popc|popcll|clz|clzll|ffs|ffsll|brev|brevll|mul24|umul24',
    'mulhi|umulhi|mul64hi|umul64hi|sad|usad|ldg|powi|sinpi|cospi|norm3d|rnorm3d)f?$',
  ].join('|'),
);
const pureIntrinsics = new RegExp(
  [
    '^__(float|double|int|uint|ll|ull|half|short|ushort)2|^__(float|int|uint|longlong|double)_as_|^__(f|d',
    String.raw`h)(add|sub|mul|div|ma|rcp|sqrt|max|min)(_r[nzud])?$|^__(longlong|double|hiloint|int|uint)\w*$`,
    String.raw`^make_\w+[1-4]$`,
  ].join('|'),
);
const typeNames = new RegExp(
  [
    String.raw`^(int|float|double|char|short|long|unsigned|bool|size_t|u?int\d+_t|float[1-4]|double[1-4]|int[1-4]`,
    'uint[1-4]|half|__half|dim3)$',
  ].join('|'),
);

/**
 * Does the call do nothing but compute a value from its arguments? Mathematical functions and conversions do; so do
 * known functions whose parameters are values and whose bodies touch nothing but their own variables.
 */
export function isPureCall(call: CallExpr, context: FunctionContext, depth = 0): boolean {
  const name = calleeName(call);
  if (!name) return false;
  const definitions = context.program.functions(name).filter((fn) => fn.body);
  if (definitions.length)
    return (
      depth < 4 &&
      definitions.every((fn) => fn.params.length !== call.args.length || isPureFunction(fn, context, depth))
    );
  if (context.program.functions(name).length) return false;
  if (isAggregate(call, context)) return true;
  if (pureNames.test(name) || pureIntrinsics.test(name) || typeNames.test(name)) return true;
  // `(Real)(x)` where a typedef makes `Real` a number.
  return call.args.length === 1 && context.types.resolve({ kind: 'named', name }).kind === 'scalar';
}

function isPureFunction(
  fn: {
    readonly params: readonly { readonly type: TypeSyntax; readonly name: string }[];
    readonly body?: Stmt;
  },
  context: FunctionContext,
  depth: number,
): boolean {
  if (!fn.body || !fn.params.every((param) => param.type.kind === 'named')) return false;
  const own = new Set(fn.params.map((param) => param.name));
  const types = new Map(fn.params.map(({ name, type }) => [name, context.types.resolve(type)]));
  let pure = true;
  walk(fn.body, (node) => {
    if (node.kind === 'var') {
      own.add(node.name);
      types.set(node.name, context.types.resolve(node.type));
      if (node.space !== 'none' || node.storage || node.type.kind === 'pointer' || node.type.kind === 'reference')
        pure = false;
    }
    if (
      node.kind === 'asm' ||
      node.kind === 'opaque' ||
      node.kind === 'lambda' ||
      node.kind === 'launch' ||
      node.kind === 'new' ||
      node.kind === 'delete'
    )
      pure = false;
    if (node.kind === 'unary' && (node.op === '*' || node.op === '&')) pure = false;
    // A structure by value may hold a pointer.
    if (reachesMemory(node) && !isElementOf(node, types)) pure = false;
    if (node.kind === 'call' && !isPureCall(node, context, depth + 1)) pure = false;
    if (
      node.kind === 'name' &&
      !own.has(node.name) &&
      (/^(threadIdx|blockIdx|clock)/.test(node.name) ||
        context.program.globals(node.name).some((global) => !global.constant && global.space !== 'constant'))
    )
      pure = false;
    return pure;
  });
  return pure;
}

/** An element of an array that lies in a variable of those types itself, or of something outside of the function. */
function isElementOf(place: Expr, types: ReadonlyMap<string, Type>): boolean {
  const typeOf = (expr: Expr): Type | undefined => {
    if (expr.kind === 'name') return types.get(expr.name);
    if (expr.kind === 'index') {
      const of = typeOf(expr.base);
      return of?.kind === 'array' ? of.of : undefined;
    }
    const object = expr.kind === 'member' && !expr.arrow ? typeOf(expr.object) : undefined;
    return object?.kind === 'struct' && expr.kind === 'member' ? object.fields.get(expr.field)?.type : undefined;
  };
  const name = rootName(place);
  return (name !== undefined && !types.has(name)) || typeOf(place) !== undefined;
}

/** Does evaluating the expression change nothing? Reads of memory are allowed. */
export function isPure(expr: Expr, context: FunctionContext): boolean {
  let pure = true;
  walk(expr, (node) => {
    if (
      node.kind === 'assign' ||
      node.kind === 'update' ||
      node.kind === 'lambda' ||
      node.kind === 'opaque' ||
      node.kind === 'launch' ||
      node.kind === 'new' ||
      node.kind === 'delete' ||
      node.kind === 'string'
    )
      pure = false;
    if (node.kind === 'call' && !isPureCall(node, context)) pure = false;
    return pure;
  });
  return pure;
}

/** Removes a statement, with its whole line if nothing else is on it. */
export function deletionOf(context: FunctionContext, statement: Node): Edit {
  const span = spanOf(context, statement);
  const text = context.file.text;
  let start = span.start;
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start--;
  let end = span.end;
  while (end < text.length && (text[end] === ' ' || text[end] === '\t')) end++;
  const opens = start === 0 || text[start - 1] === '\n';
  const closes = end >= text.length || text[end] === '\n' || text.startsWith('\r\n', end);
  if (opens && closes) {
    const next = text.startsWith('\r\n', end) ? end + 2 : Math.min(text.length, end + 1);
    return { at: { uri: span.uri, start, end: next }, newText: '' };
  }
  return { at: span, newText: '' };
}

/** Parentheses around a text that binds less tightly than what will be next to it. */
export function parenthesised(context: FunctionContext, expr: Expr): string {
  const text = textOf(context, expr).trim();
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
export function negated(cond: Expr, context: FunctionContext): string {
  const text = textOf(context, cond).trim();
  if (cond.kind === 'unary' && cond.op === '!') return textOf(context, cond.operand).trim();
  if (cond.kind === 'binary' && opposite[cond.op]) {
    const { left, op, right } = cond;
    const typing = typingOf(context);
    const isWhole = [left, right].every((side) => {
      const type = typing.typeOf(side);
      return type?.kind === 'scalar' && !type.float;
    });
    const between = textOf(context, { ...cond, start: left.end, end: right.start });
    if (isWhole && /^[\s)]*[<>=!]=?[\s(]*$/.test(between))
      return (
        textOf(context, { ...cond, end: left.end }) +
        between.replace(op, opposite[op]!) +
        textOf(context, { ...cond, start: right.start })
      ).trim();
  }
  return `!(${text})`;
}

/** Gives names that nothing in what stays of the function and no macro of the unit uses. */
export function freshNamesOf(
  context: FunctionContext,
  replaced: { readonly start: number; readonly end: number } = { start: 0, end: 0 },
): (name: string) => string {
  const { base, start, end } = context.fn;
  const text =
    `${context.file.text.slice(base + start, base + replaced.start)} ` +
    `${context.file.text.slice(base + replaced.end, base + end)}`;
  const used = new Set(text.match(/[A-Za-z_]\w*/g) ?? []);
  for (const unitFile of context.unit.files) for (const macro of unitFile.macros) used.add(macro.name);
  const given = new Map<string, string>();
  return (name) => {
    const known = given.get(name);
    if (known) return known;
    let free = name;
    for (let suffix = 2; used.has(free); suffix++) free = `${name}${suffix}`;
    used.add(free);
    given.set(name, free);
    return free;
  };
}
