// Arrays of a thread that nvcc keeps in local memory, as an index in them is not known when it compiles.
import type { Expr, Stmt } from '../../syntax/ast';
import { type AnySyntax, type Fn, innermost, isConditionLoop, leaves, type Local, mentions } from '../language';
import { dependsOnThread, sizeOf, some } from '../language';
import { isOwn } from '../program';
import { tripsOf } from '../flow';
import type { Span } from '../model';
import type { FunctionKind } from './kinds';

export interface LocalArrayFact {
  readonly kind: 'local-array';
  readonly at: Span; // an access whose index is not known
  readonly array: string;
  readonly index: string;
  /** The loop that counts the index and is not unrolled; data or arguments decide the index where it is left out. */
  readonly loopAt?: Span;
  readonly declaredAt: Span;
  readonly bytes: number;
  readonly elementBytes: number;
  /** Lanes that are `apart` may be at different elements. */
  readonly accesses: readonly { readonly at: Span; readonly loads: boolean; readonly apart: boolean }[];
  readonly kernels: readonly string[];
}
declare module '../model' {
  interface Facts {
    'local-array': LocalArrayFact;
  }
}
/** What decides an index: a value of run time, or a loop that is not unrolled. */
type Cause = 'value' | Stmt;

/** Seen with nvcc 13.0 for sm_90: few elements of four bytes become registers that comparisons select. */
const [selected, fewest, word] = [64, 8, 4];
/** Loops between constants are unrolled up to here. */
const mostUnrolled = 400;

export const localArrays: FunctionKind<'local-array'> = { kind: 'local-array', from: 'function', find };

function* find(fn: Fn): Iterable<LocalArrayFact> {
  if (!fn.decl.body || fn.kernels.length === 0) return;
  for (const { variable, name: array, uses } of fn.locals.all) {
    if (variable?.type.kind !== 'array' || variable.space !== 'none' || variable.storage) continue;
    const type = fn.types.resolve(variable.type, undefined, fn.decl.qualifiedName);
    const [bytes, elementBytes] = [sizeOf(type), sizeOf(innermost(type))];
    if (!bytes || !elementBytes) continue;
    const all = uses.flatMap((use) => accessOf(use, fn) ?? []);
    const found = all.find(({ node, cause, loads }) => {
      if (!cause || elementBytes !== word) return cause;
      const inLoop = [...fn.around(node)].some((around) => staysLoop(around, fn));
      return bytes >= selected * word ? loads || inLoop : cause === 'value' && bytes >= fewest * word && inLoop;
    });
    if (!found) continue;
    const filled = variable.init?.kind === 'initList' ? variable.init.elements : [];
    const fills = filled.map((node) => ({ node, loads: false, apart: false }));
    yield {
      kind: 'local-array',
      at: fn.span(found.node),
      array,
      index: fn.text(found.index),
      ...(typeof found.cause === 'object' ? { loopAt: fn.span(found.cause) } : {}),
      declaredAt: fn.span(variable),
      ...{ bytes, elementBytes, kernels: fn.kernels },
      accesses: [...fills, ...all].map(({ node, loads, apart }) => ({ at: fn.span(node), loads, apart })),
    };
  }
}

/** The element that a name of the array is part of; undefined where all of the array, or a row, is meant. */
function accessOf(use: Expr, fn: Fn) {
  let node: AnySyntax = use;
  let parent = fn.parent(node);
  let [index, cause]: [Expr, Cause | undefined] = [use, undefined];
  for (; parent?.kind === 'index' && parent.base === node; parent = fn.parent(node)) {
    node = parent;
    if (!cause) [index, cause] = [parent.index, causeOf(parent.index, parent, fn)];
  }
  const loads = parent?.kind !== 'assign' || parent.target !== node || parent.op !== '=';
  const apart = cause === 'value' && dependsOnThread(index, fn.decl, fn.program);
  return node.kind === 'index' ? { node, index, cause, loads, apart } : undefined;
}

/** Why a value is not known where the kernel is compiled; undefined where it may be. */
function causeOf(index: Expr, at: AnySyntax, fn: Fn, left = 6): Cause | undefined {
  if (left === 0) return undefined;
  const inner = (one: Expr): Cause | undefined => causeOf(one, at, fn, left - 1);
  switch (index.kind) {
    case 'index':
      return isOwn(index, fn) ? undefined : 'value';
    case 'member':
      return index.arrow || /^(thread|block)Idx$/.test(fn.text(index.object)) ? 'value' : undefined;
    case 'cast':
    case 'update':
      return inner(index.operand);
    case 'unary':
      return index.op === '*' ? 'value' : /[-+~]/.test(index.op) ? inner(index.operand) : undefined;
    case 'binary':
      return /^([-+*/%&|^]|<<|>>)$/.test(index.op) ? (inner(index.left) ?? inner(index.right)) : undefined;
    case 'name': {
      const local = fn.local(index);
      if (!local || local.addressTaken) return undefined;
      if (local.parameter) return fn.decl.global && local.writes.length === 0 ? 'value' : undefined;
      const definition = fn.definition(local);
      return definition ? inner(definition) : causeOfChanges(local, at, fn, left - 1);
    }
    default:
      return undefined;
  }
}

/** Of a variable that changes: in the loop that counts with it, or where data decide whether it moves. */
function causeOfChanges(local: Local, at: AnySyntax, fn: Fn, left: number): Cause | undefined {
  const isOpen = (end: Expr | undefined): boolean => !!end && !!causeOf(end, end, fn, left);
  for (const around of fn.around(at)) {
    const head = isConditionLoop(around) ? fn.counted(around) : undefined;
    if (!head || head.local !== local) continue;
    const { loop, first, bound } = head;
    if (tripsOf(loop, fn) !== undefined) return staysLoop(loop, fn) ? loop : undefined;
    const isLeft = some(loop, (node) => node.kind === 'if' && mentions(node.cond, local.name) && leaves(node.then));
    // The compiler unrolls `i < n % 4` by its most iterations.
    const isBounded = bound && some(bound.end, (node) => node.kind === 'binary' && /^(%|&|>>)$/.test(node.op));
    if (isLeft || isBounded || local.writes.some(({ node }) => fn.isInside(node, loop.body))) return undefined;
    return isOpen(first) || isOpen(bound?.end) ? loop : undefined;
  }
  const isData = (part: AnySyntax): boolean => (part.kind === 'index' || part.kind === 'name') && isOpen(part);
  const ways = local.writes.flatMap(({ node, op }) => (op === '=' ? [] : [...fn.around(node)]));
  return ways.some((way) => way.kind === 'if' && some(way.cond, isData)) ? 'value' : undefined;
}

function staysLoop(loop: AnySyntax, fn: Fn): boolean {
  return isConditionLoop(loop) && (tripsOf(loop, fn) ?? Infinity) > mostUnrolled;
}
