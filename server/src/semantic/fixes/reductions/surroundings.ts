// What stands around a tree reduction in its kernel: its arrays and their element types, who reads partial sums, which
// threads are still there.
import {
  isConditionLoop,
  scopeAround,
  type AnySyntax,
  walk,
  type Type,
  type Fn,
  type Locals,
  argumentOf,
} from '../../language';
import type { Expr, Stmt } from '../../../syntax/ast';
import { asSpelled } from '../ownType';
import { conjuncts } from './barriers';
import { at, callerOf, evaluate, type Frame } from './frame';
import { placeOf, rootOf, type SweptArray } from './places';
import type { SweepRun } from './sweep';
import { expressionMayVary } from '../variance';

/** One complete sweep: statements `first`…`last` of a list, as they ran on one block shape. */
export interface CompleteSweep {
  readonly statements: readonly Stmt[];
  readonly first: number;
  readonly last: number;
  readonly swept: readonly Stmt[];
  /** Of the first and the last node in them. */
  readonly orders: readonly [begin: number, end: number];
  readonly frame: Frame;
  readonly run: SweepRun;
  /** What its results rest on that no launch tells. */
  readonly assumed: readonly string[];
  /** Position in the context's lists of the launch it ran under. */
  readonly launch: number;
}

export function arrayName(array: SweptArray): string {
  return (
    array.root.name +
    array.path
      .filter((part) => typeof part === 'string')
      .map((part) => `.${part as string}`)
      .join('')
  );
}

export function isSwept(node: AnySyntax, { orders: [begin, end] }: CompleteSweep, locals: Locals): boolean {
  const order = locals.order(node);
  return begin <= order && order <= end;
}

/** Does code that runs after the sweep read elements other than the total before they are written again? */
export function readsPartials(fn: Fn, { swept, orders, frame }: CompleteSweep, { root }: SweptArray): boolean {
  const { nodes } = fn.locals;
  const [begin, end] = orders;
  const scanned = (from: number, to?: number): string => scan(nodes.slice(from, to), root.key, frame);
  if (scanned(end + 1) === 'partial') return true;
  for (const loop of [...fn.around(swept[0]!)].filter(isConditionLoop)) {
    if (scanned(end + 1, lastOrder(loop, fn.locals) + 1) === 'written') break;
    if (scanned(fn.locals.order(loop), begin) === 'partial') return true;
  }
  const parameter = root.local?.parameter;
  const sites = parameter ? (fn.callSites ?? []) : [];
  return sites.some((site) => {
    const caller = callerOf(frame, site);
    const arg = argumentOf(parameter, fn.decl, site.args);
    const key = arg && rootOf(arg, caller)?.key;
    const { locals } = caller.context;
    return !!key && scan(locals.nodes.slice(lastOrder(locals.parent(arg)!, locals) + 1), key, caller) === 'partial';
  });
}

export function lastOrder(node: AnySyntax, locals: Locals): number {
  let last = locals.order(node);
  walk(node, (inner) => {
    last = Math.max(last, locals.order(inner));
  });
  return last;
}

/** Reads of one array over nodes in order, until it is written again. */
function scan(nodes: readonly AnySyntax[], key: object, frame: Frame): 'partial' | 'written' | 'clean' {
  const { locals, program } = frame.context;
  for (const node of nodes) {
    if (node.kind !== 'name' || (!locals.of(node) && !program.globals(node.name).length)) continue;
    const root = rootOf(node, frame);
    if (root?.key !== key) continue;
    // The place around the name: `a[i].x`, `*(a + i)`.
    let outer: AnySyntax = node;
    let place: Expr | undefined;
    let inner: AnySyntax = node;
    for (let up = locals.parent(inner); up; inner = up, up = locals.parent(inner)) {
      const isPart =
        (up.kind === 'index' && up.base === inner) ||
        (up.kind === 'member' && up.object === inner) ||
        (up.kind === 'binary' && up.op === '+' && up.left === inner) ||
        (up.kind === 'unary' && up.op === '*' && inner.kind === 'binary');
      if (!isPart) break;
      if (up.kind === 'binary') continue;
      outer = up;
      if (up.kind === 'unary' || placeOf(up as Expr, frame)) place = up as Expr;
    }
    const parent = locals.parent(outer);
    if (!place) {
      if (parent?.kind === 'unary' && parent.op === '*') continue; // `*a` is element 0
      if (parent?.kind === 'var' && parent.type.kind === 'pointer') continue; // an alias, followed by name
      if (parent?.kind === 'cast' && locals.parent(parent)?.kind === 'var') continue;
      return 'partial';
    }
    const subscripts = placeOf(place, frame)!.path.filter((part): part is Expr => typeof part !== 'string');
    const values = subscripts.map((part) => evaluate(part, frame));
    const store = parent?.kind === 'assign' && parent.target === outer && parent.op === '=';
    if (store) {
      if (values.some((value) => typeof value !== 'number')) return 'written';
      continue;
    }
    if (parent?.kind === 'unary' && parent.op === '&') {
      if (values.every((value) => value === 0)) continue;
      return 'partial';
    }
    const active = activeThreads(node, frame);
    for (const value of values) {
      if (value === undefined) return 'partial';
      for (let thread = 0; thread < frame.threads; thread++)
        if (active[thread] && at(value, thread) !== 0) return 'partial';
    }
  }
  return 'clean';
}

/** The threads that reach a node, as far as the conditions around it can be evaluated. */
export function activeThreads(node: AnySyntax, frame: Frame): boolean[] {
  let active = new Array<boolean>(frame.threads).fill(true);
  let inner: AnySyntax = node;
  for (const around of frame.context.around(node)) {
    if (around.kind === 'if' && inner !== around.cond) {
      for (const part of around.else === inner ? [around.cond] : conjuncts(around.cond)) {
        const value = evaluate(part, frame);
        if (value !== undefined)
          active = active.map((on, thread) => on && (around.else === inner ? !at(value, thread) : !!at(value, thread)));
      }
    }
    inner = around;
  }
  return active;
}

/** Does thread 0 alone reach a node, as far as the conditions around it can be evaluated? */
export function isOfFirstThread(node: AnySyntax, frame: Frame): boolean {
  return activeThreads(node, frame).every((on, thread) => thread === 0 || !on);
}

/** The element type of a swept array, template parameters replaced by what the launch gives. */
export function elementTypeOf(array: SweptArray, frame: Frame, launch: number): Type | undefined {
  const { context } = frame;
  const names = context.launchTypes?.[launch];
  const types = new Map<string, Type>();
  names?.forEach((name, parameter) => types.set(parameter, context.types.resolve({ kind: 'named', name })));
  const bindings = { types, values: new Map<string, number>() };
  const syntax = array.root.declaration?.type ?? array.root.local?.parameter?.type;
  if (!syntax) return undefined;
  let type: Type = context.types.resolve(syntax, bindings, scopeAround(context.decl));
  for (const part of array.path) {
    if (type.kind === 'reference') type = type.to;
    if (typeof part === 'string') {
      const field: Type | undefined = type.kind === 'struct' ? type.fields.get(part)?.type : undefined;
      if (!field) return undefined;
      type = field;
    } else if (type.kind === 'array') type = type.of;
    else if (type.kind === 'pointer') type = type.to;
    else return undefined;
  }
  return type.kind === 'unknown' && array.root.local?.parameter && array.path.length === 1
    ? (elementTypeAtCalls(array, frame) ?? type)
    : type;
}

/** What every known call passes for a template's pointer: the element type of its shared array. */
function elementTypeAtCalls(array: SweptArray, frame: Frame): Type | undefined {
  const { context } = frame;
  let found: Type | undefined;
  for (const site of context.callSites ?? []) {
    const caller = callerOf(frame, site);
    const arg = argumentOf(array.root.local!.parameter, context.decl, site.args);
    const root = arg && rootOf(arg, caller);
    const type = root?.declaration && context.types.resolve(root.declaration.type, undefined, site.caller.className);
    const element = type?.kind === 'array' ? type.of : type?.kind === 'pointer' ? type.to : undefined;
    if (element?.kind !== 'scalar') return undefined;
    if (!found || element.float) found = element;
  }
  return found;
}

/** The element type as the code writes it, where a name alone says it. */
export function elementTypeText(array: SweptArray, resolved: Type | undefined, fn: Fn): string {
  const { declaration, local } = array.root;
  const declared = declaration?.type ?? local?.parameter?.type;
  let syntax = declared && local ? asSpelled(declared, local, fn) : declared;
  for (const part of array.path) {
    if (typeof part === 'string') return resolved?.kind === 'scalar' ? resolved.name : '';
    if (syntax?.kind === 'array') syntax = syntax.of;
    else if (syntax?.kind === 'pointer') syntax = syntax.to;
  }
  if (syntax?.kind === 'named' && !syntax.args) return syntax.name;
  return resolved?.kind === 'scalar' ? resolved.name : '';
}

/** A return before the sweep that some threads of a block may take and others not. */
export function hasVaryingReturnBefore(node: AnySyntax, fn: Fn): boolean {
  const before = fn.locals.order(node);
  return fn.locals.nodes.some(
    (other) => other.kind === 'return' && fn.locals.order(other) <= before && isUnderVarying(other, fn),
  );
}

/** Is there a condition around it that threads of a block may answer differently? */
export function isUnderVarying(node: AnySyntax, fn: Fn): boolean {
  return [...fn.around(node)].some(
    (around) =>
      (around.kind === 'if' || around.kind === 'while' || around.kind === 'for') &&
      !!around.cond &&
      expressionMayVary(around.cond, fn),
  );
}
