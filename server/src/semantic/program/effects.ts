// What running a piece of a program does, asked once for kernels, host loops and fixes: whether it only computes, what
// it changes, whether it touches memory, how it may be left, where threads meet in it.
//
// Invariant: what is not seen may do anything. No answer here depends on a name that the program chose; the names of
// library functions and built-in variables are those of `language/libraryFunctions`, `language/threadNames` and below.
import type { CallExpr, Expr, FunctionDecl, NameExpr, Stmt } from '../../syntax/ast';
import {
  type Fn,
  categoryOf,
  isHarmless,
  keepsToArguments,
  isConstructor,
  calleeName,
  localsOf,
  oncePerFunction,
  throws,
  type AnySyntax,
  isConditionLoop,
  reachesMemory,
  takesByValue,
  some,
  walk,
  isThreadNumber,
} from '../language';
import { holderOf, isOwn } from './dependence';

// ---- callees

type Defined = FunctionDecl & { readonly body: Stmt };

/** What a call calls. Only `library` goes by a name, and a declaration in the program comes before the name. */
type Callee =
  | { readonly kind: 'bodies'; readonly functions: readonly Defined[] }
  | { readonly kind: 'library'; readonly name: string }
  | { readonly kind: 'unknown' };

const unknown: Callee = { kind: 'unknown' };

/** Whether the program itself declares or defines the function that a call names: no library's is meant then. */
export function isProgramFunction(call: CallExpr, fn: Fn): boolean {
  const name = calleeName(call) ?? (call.callee.kind === 'member' ? call.callee.field : undefined);
  if (name === undefined) return false;
  const isFree = call.callee.kind === 'name' && !call.callee.name.startsWith('std::');
  return fn.program
    .functions(name)
    .some((decl) => (decl.body ? !decl.global : isFree && !decl.className && fn.program.isOwn(decl)));
}

/** The bodies that a call may run, or the library function that it names; else it may do anything. */
export function calleeOf(call: CallExpr, fn: Fn): Callee {
  const name = calleeName(call);
  if (name === undefined) return unknown;
  const functions = fn.program.functions(name).filter((decl): decl is Defined => !!decl.body);
  if (functions.length > 0) return { kind: 'bodies', functions };
  const isKnown = categoryOf(name) !== undefined || keepsToArguments(name) || isHarmless(name, false);
  return isKnown && !isProgramFunction(call, fn) ? { kind: 'library', name } : unknown;
}

/** `T{a, b}` and `T(a)` of a class without a constructor: values in an object, and nothing else happens. */
export function isAggregate(call: CallExpr, { program }: Fn): boolean {
  const name = calleeName(call);
  if (name === undefined || program.functions(name).length > 0) return false;
  const classes = program.structs(name);
  return classes.length > 0 && classes.every(({ methods }) => methods.every((method) => method.name !== name));
}

// ---- what is not seen

/** Code whose effects the tree does not show: assembly, what was not understood, what runs elsewhere or later. */
export function hidesEffects(node: AnySyntax): boolean {
  switch (node.kind) {
    case 'asm':
    case 'opaque':
    case 'lambda':
    case 'launch':
    case 'new':
    case 'delete':
    case 'try':
      return true;
    default:
      return false;
  }
}

// ---- pure computation

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
export function isPureCall(call: CallExpr, fn: Fn): boolean {
  const name = calleeName(call);
  if (!name) return false;
  const callee = calleeOf(call, fn);
  if (callee.kind === 'bodies') {
    // Parameters beyond the arguments may have a default, which another declaration may give.
    const taking = callee.functions.filter(({ params }) => params.length >= call.args.length || params.at(-1)?.pack);
    return taking.length > 0 && taking.every((decl) => isPureFunction(decl, fn));
  }
  if (fn.program.functions(name).length) return false;
  if (isAggregate(call, fn)) return true;
  if (pureNames.test(name) || pureIntrinsics.test(name) || typeNames.test(name)) return true;
  // `(Real)(x)` where a typedef makes `Real` a number.
  return call.args.length === 1 && fn.types.resolve({ kind: 'named', name }).kind === 'scalar';
}

const isPureFunction = oncePerFunction((decl, fn: Fn): boolean => {
  if (!decl.params.every(({ type, init }) => type.kind === 'named' && (!init || init.kind === 'number'))) return false;
  const inside = fn.inside(decl);
  const locals = localsOf(decl);
  // What a constructor writes is the value that the call is.
  const constructs = isConstructor(decl);
  return !some(decl.body, (node) => {
    switch (node.kind) {
      case 'var':
        return (
          node.space !== 'none' || !!node.storage || node.type.kind === 'pointer' || node.type.kind === 'reference'
        );
      case 'assign':
      case 'update':
        return !constructs && !isOwn(node.kind === 'assign' ? node.target : node.operand, inside);
      case 'call':
        return !isPureCall(node, inside);
      case 'name':
        return !locals.of(node) && (isThreadNumber(node.name) || isVariableOfFile(node.name, fn));
      case 'unary':
        if (node.op === '&') return true;
        break;
      default:
        break;
    }
    // A structure by value may hold a pointer.
    return hidesEffects(node) || (reachesMemory(node) && !holderOf(node, inside));
  });
}, false);

function isVariableOfFile(name: string, { program }: Fn): boolean {
  return program.globals(name).some((global) => !global.constant && global.space !== 'constant');
}

/** Does evaluating the expression change nothing? Reads of memory are allowed. */
export function isPure(expr: Expr, fn: Fn): boolean {
  return !some(expr, (node) => {
    if (node.kind === 'call') return !isPureCall(node, fn);
    return node.kind === 'assign' || node.kind === 'update' || node.kind === 'string' || hidesEffects(node);
  });
}

/** Does the expression only compute from variables, without touching memory? */
export function isArithmetic(expr: Expr, fn: Fn): boolean {
  return isPure(expr, fn) && !touchesMemory(expr, fn);
}

// ---- memory and variables

/** Whether running a node may read or write memory; without a context every call may. */
export function touchesMemory(node: AnySyntax, fn?: Fn): boolean {
  return some(node, (inner) => {
    if (inner.kind === 'unary' && inner.op === '&') return true;
    if (inner.kind === 'call') return !fn || calleeName(inner) === '__ldg' || !isPureCall(inner, fn);
    if (inner.kind === 'name' && fn) return isMemory(inner, fn);
    return reachesMemory(inner) || hidesEffects(inner);
  });
}

/** A name that stands for memory which others may write. */
function isMemory(name: NameExpr, fn: Fn): boolean {
  return fn.local(name) ? !isOwn(name, fn) : isVariableOfFile(name.name, fn);
}

/**
 * Whether running a node may give one of the names another value, or another meaning. In C a call takes values; in C++
 * it may take a reference, unless `takesValues` says that it does not.
 */
export function mayChange(
  node: AnySyntax,
  names: ReadonlySet<string>,
  callsTake: 'references' | 'values',
  takesValues: (call: CallExpr) => boolean = (call) => takesByValue(calleeName(call) ?? ''),
): boolean {
  const named = (expr: Expr): boolean => {
    if (expr.kind === 'cast') return named(expr.operand);
    if (expr.kind === 'member') return !expr.arrow && named(expr.object);
    return expr.kind === 'name' && names.has(expr.name);
  };
  return some(node, (inner) => {
    switch (inner.kind) {
      case 'assign':
        return named(inner.target);
      case 'update':
        return named(inner.operand);
      case 'unary':
        return inner.op === '&' && named(inner.operand);
      case 'call':
        return callsTake === 'references' && !takesValues(inner) && (named(inner.callee) || inner.args.some(named));
      case 'var':
        return (
          callsTake === 'references' &&
          (names.has(inner.name) || (inner.type.kind === 'reference' && !!inner.init && named(inner.init)))
        );
      case 'asm':
        return callsTake === 'references' || inner.outputs.some(named);
      case 'label':
      case 'opaque':
        return callsTake === 'references';
      default:
        return false;
    }
  });
}

// ---- control

type Leaving = 'return' | 'break' | 'continue' | 'goto' | 'throw';

/** The ways in which running a statement may leave it before its end; jumps that stay inside of it are none. */
export function leavings(stmt: AnySyntax): ReadonlySet<Leaving> {
  const found = new Set<Leaving>();
  walk(stmt, (node) => {
    if (node.kind === 'lambda') return false;
    if (node !== stmt && (isConditionLoop(node) || node.kind === 'rangeFor' || node.kind === 'switch')) {
      for (const way of leavings(node)) found.add(way);
      return false;
    }
    if (node.kind === 'return' || node.kind === 'goto' || node.kind === 'break' || node.kind === 'continue')
      found.add(node.kind);
    else if (throws(node)) found.add('throw');
    return true;
  });
  if (isConditionLoop(stmt) || stmt.kind === 'rangeFor') {
    found.delete('break');
    found.delete('continue');
  } else if (stmt.kind === 'switch') found.delete('break');
  return found;
}

/** `return;`, or a block of nothing else. */
export function isReturn(stmt: Stmt): boolean {
  return stmt.kind === 'return' || (stmt.kind === 'block' && stmt.body.length === 1 && stmt.body[0]!.kind === 'return');
}

// ---- threads that meet

/** `__syncthreads()`, as a call or as the statement that is nothing else. */
export function isBlockBarrier(node: AnySyntax): boolean {
  return calleeName(node.kind === 'expr' ? node.expr : node) === '__syncthreads';
}

/** Is there a barrier of the block in it: `__syncthreads()`, or the `sync` of a group? */
export function holdsBarrier(node: AnySyntax): boolean {
  return some(
    node,
    (inner) =>
      isBlockBarrier(inner) ||
      (inner.kind === 'call' &&
        (inner.callee.kind === 'member' ? inner.callee.field === 'sync' : calleeName(inner) === 'sync')),
  );
}

// ---- macros

/**
 * Does any token of the node come out of a macro? A macro that stands for a number alone does no harm: its name is the
 * number's text.
 */
export function hasMacro(node: AnySyntax): boolean {
  return some(node, (inner) => !!inner.macro && inner.kind !== 'number');
}
