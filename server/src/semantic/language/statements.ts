// Facts that hold of a piece of syntax alone, whatever the values: which names it assigns, what it contains.
import type { Expr, Stmt, VarDecl } from '../../syntax/ast';
import { step } from '../steps';
import { once } from './append';
import { isAtomicFunction, takesByValue } from './libraryFunctions';

export type AnySyntax = Expr | Stmt | VarDecl;

/**
 * Calls `visit` on `node` and everything below it, outermost first; `visit` returns false to stay out of a node.
 * Iterative: depth of nesting cannot overflow.
 */
export function walk(node: AnySyntax | undefined, visit: (node: AnySyntax) => boolean | void): void {
  if (!node) return;
  const stack: AnySyntax[] = [node];
  while (stack.length) {
    const next = stack.pop()!;
    step();
    if (visit(next) === false) continue;
    const children = childrenOf(next);
    for (let at = children.length - 1; at >= 0; at--) stack.push(children[at]!);
  }
}

/** Whether it holds of a node or of anything below it. */
export function some(node: AnySyntax | undefined, holds: (inner: AnySyntax) => boolean): boolean {
  let found = false;
  walk(node, (inner) => {
    found ||= holds(inner);
    return !found;
  });
  return found;
}

export function withoutCasts(expr: Expr): Expr {
  return expr.kind === 'cast' ? withoutCasts(expr.operand) : expr;
}

/** `a[i]`, `*p`, `p->x`. */
export function reachesMemory(node: AnySyntax): node is Expr {
  return (
    node.kind === 'index' ||
    (node.kind === 'unary' && node.op === '*') ||
    (node.kind === 'member' && node.arrow === true)
  );
}

/** A loop with a head that is asked again: no `for (x : list)`. */
export function isConditionLoop(node: AnySyntax): node is Extract<Stmt, { kind: 'for' | 'while' | 'do' }> {
  return node.kind === 'for' || node.kind === 'while' || node.kind === 'do';
}

/** The names that stand anywhere in an expression or a statement. */
export function namesIn(syntax: AnySyntax): ReadonlySet<string> {
  const names = new Set<string>();
  walk(syntax, (node) => {
    if (node.kind === 'name') names.add(node.name);
  });
  return names;
}

/** Whether a name stands anywhere in an expression. */
export function mentions(expr: Expr, name: string): boolean {
  return some(expr, (node) => node.kind === 'name' && node.name === name);
}

const statementKinds: ReadonlySet<AnySyntax['kind']> = new Set<Stmt['kind']>([
  'block',
  'decl',
  'expr',
  'if',
  'for',
  'rangeFor',
  'while',
  'do',
  'switch',
  'case',
  'break',
  'continue',
  'return',
  'goto',
  'label',
  'asm',
  'type',
  'try',
  'empty',
]);
/** Whether a part is a statement. What was not understood is one where pragmas can be before it. */
export function isStatement(node: AnySyntax): node is Stmt {
  return statementKinds.has(node.kind) || (node.kind === 'opaque' && 'pragmas' in node);
}

const none: readonly AnySyntax[] = [];
/** The direct parts of a node in the order of the text. */
export function childrenOf(node: AnySyntax): readonly AnySyntax[] {
  switch (node.kind) {
    case 'name':
    case 'number':
    case 'string':
    case 'break':
    case 'continue':
    case 'goto':
    case 'empty':
    case 'type':
      return none;
    case 'unary':
    case 'update':
    case 'delete':
    case 'cast':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'assign':
      return [node.target, node.value];
    case 'conditional':
      return [node.cond, node.then, node.else];
    case 'index':
      return [node.base, node.index];
    case 'member':
      return [node.object];
    case 'call':
      return [node.callee, ...node.args];
    case 'launch':
      return [node.callee, ...node.config, ...node.args];
    case 'sizeof':
      return none; // not evaluated
    case 'initList':
      return node.elements;
    case 'lambda':
      return [node.body];
    case 'new':
      return [...(node.size ? [node.size] : []), ...(node.args ?? [])];
    case 'opaque':
      return node.parts;
    case 'block':
      return node.body;
    case 'decl':
      return node.vars;
    case 'var':
      return node.init ? [node.init] : none;
    case 'expr':
      return [node.expr];
    case 'if':
      return [...(node.init ? [node.init] : []), node.cond, node.then, ...(node.else ? [node.else] : [])];
    case 'for':
      return [
        ...(node.init ? [node.init] : []),
        ...(node.cond ? [node.cond] : []),
        ...(node.step ? [node.step] : []),
        node.body,
      ];
    case 'rangeFor':
      return [node.variable, node.range, node.body];
    case 'while':
      return [node.cond, node.body];
    case 'do':
      return [node.body, node.cond];
    case 'switch':
      return [node.cond, node.body];
    case 'case':
      return [...(node.value ? [node.value] : []), ...node.body];
    case 'return':
      return node.value ? [node.value] : none;
    case 'label':
      return [node.body];
    case 'asm':
      return [...node.outputs, ...node.inputs];
    case 'try':
      return [node.body, ...node.handlers];
  }
}

/** The variable that a place or an address begins with, whatever pointers lead on from it. */
export function rootOfAddress(expr: Expr): string | undefined {
  let at = expr;
  for (;;) {
    if (at.kind === 'name') return at.name;
    if (at.kind === 'index') at = at.base;
    else if (at.kind === 'member') at = at.object;
    else if (at.kind === 'unary' || at.kind === 'cast') at = at.operand;
    else if (at.kind === 'binary') at = at.left;
    else return undefined;
  }
}

/** The variable that an assignment to `expr` changes in the end; undefined behind a pointer. */
export function rootName(expr: Expr): string | undefined {
  for (let at: Expr = expr; ; ) {
    switch (at.kind) {
      case 'name':
        return at.name;
      case 'member':
        if (at.arrow && at.object.kind === 'name') return at.object.name;
        at = at.object;
        break;
      case 'index':
        at = at.base;
        break;
      case 'cast':
        at = at.operand;
        break;
      case 'unary':
        if (at.op === '*' || at.op === '&') {
          at = at.operand;
          break;
        }
        return undefined;
      default:
        return undefined;
    }
  }
}

interface Assigned {
  readonly names: ReadonlySet<string>;
  /** Those of which it changes more than elements that they hold or lead to. */
  readonly whole: ReadonlySet<string>;
}
/**
 * Names of variables that running `node` may change: assigned, stepped, or handed out by address or as an argument that
 * a reference parameter could take.
 */
export function assignedNames(node: AnySyntax): ReadonlySet<string> {
  return assignedIn(node).names;
}
/** Names of arrays, and of what points to memory, of which running `node` changes nothing but elements. */
export function elementNames(node: AnySyntax): readonly string[] {
  const { names, whole } = assignedIn(node);
  return [...names].filter((name) => !whole.has(name));
}

const assignedIn = once((node: AnySyntax): Assigned => {
  const names = new Set<string>();
  const whole = new Set<string>();
  const add = (expr: Expr, handedOut = false): void => {
    const name = rootName(expr);
    if (!name) return;
    names.add(name);
    if (handedOut || !isElement(expr)) whole.add(name);
  };
  walk(node, (inner) => {
    if (inner.kind === 'assign') add(inner.target);
    else if (inner.kind === 'update') add(inner.operand);
    else if (inner.kind === 'unary' && inner.op === '&') add(inner.operand);
    else if (inner.kind === 'call') {
      const name = inner.callee.kind === 'name' ? inner.callee.name : '';
      const keepsArguments = takesByValue(name) || isAtomicFunction(name);
      inner.args.forEach((arg) => {
        if (keepsArguments) return;
        if (arg.kind === 'name' || arg.kind === 'member' || arg.kind === 'index') add(arg);
      });
      if (inner.callee.kind === 'member') add(inner.callee.object, true);
    } else if (inner.kind === 'asm') for (const output of inner.outputs) add(output);
  });
  return { names, whole };
});

/** Is it an element of an array, or what a pointer leads to? */
export function isElement(expr: Expr): boolean {
  switch (expr.kind) {
    case 'index':
      return true;
    case 'member':
      return expr.arrow || isElement(expr.object);
    case 'unary':
      return expr.op === '*';
    case 'cast':
      return isElement(expr.operand);
    default:
      return false;
  }
}

export const launchingCall = /^(cudaLaunchKernel|cudaLaunchCooperativeKernel|cuLaunchKernel|hipLaunchKernel)/;

/** Does running `node` launch a kernel, as far as its own text says? Calls are reported to `onCall`. */
export function containsLaunch(node: AnySyntax, onCall?: (name: string, isHanded?: true) => void): boolean {
  let found = false;
  walk(node, (inner) => {
    if (inner.kind === 'launch') found = true;
    if (inner.kind === 'call' && inner.callee.kind === 'name') {
      if (launchingCall.test(inner.callee.name)) found = true;
      onCall?.(inner.callee.name);
    }
    if (inner.kind === 'call' && inner.callee.kind === 'member') onCall?.(inner.callee.field);
    // What is handed to a call may be called there.
    if (inner.kind === 'call') for (const arg of inner.args) if (arg.kind === 'name') onCall?.(arg.name, true);
  });
  return found;
}

/** Does the statement always leave (return, break, continue, goto) at its end? */
export function leaves(stmt: Stmt): boolean {
  switch (stmt.kind) {
    case 'return':
    case 'break':
    case 'continue':
    case 'goto':
      return true;
    case 'block':
      return stmt.body.some(leaves);
    case 'if':
      return !!stmt.else && leaves(stmt.then) && leaves(stmt.else);
    default:
      return false;
  }
}
