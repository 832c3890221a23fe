// Places in shared arrays that a reduction reads and writes: which array an expression means and which element each
// thread touches.
import type { Expr, NameExpr, Stmt, VarDecl, TypeSyntax } from '../../../syntax/ast';
import { type Local, evaluate, type Frame, type ThreadValue } from '../../language';

export type SweepOperator = '+' | 'max' | 'min' | '&' | '|' | '^';

/** The elements of one array that a value has taken in; null once an element went in twice or a race decides. */
export type Sources = bigint | null;

/** What is before a subscript: a variable of the kernel, seen through pointers and parameters. */
export interface ArrayRoot {
  readonly key: object;
  readonly name: string;
  readonly declaration: VarDecl | undefined;
  readonly local?: Local;
  readonly nameNode: NameExpr;
}

/** One array (or one field of an array of structures) that the statements combine. */
export interface SweptArray {
  readonly root: ArrayRoot;
  /** Subscripts and fields of the place; the swept subscript is `undefined`. */
  readonly path: readonly (Expr | string | undefined)[];
  /** The first place that was written, in the kernel's own text where `inKernel` holds. */
  readonly place: Expr;
  readonly elements: Map<number, Sources>;
  operator?: SweepOperator;
  /** Name of the function that combines (`max`, `fmaxf`), where one does. */
  callee?: string;
  readonly combine: Stmt;
}

export interface SweepRun {
  readonly arrays: ReadonlyMap<string, SweptArray>;
  /** Variables that carry the running value beside the array, and the array they go with. */
  readonly registers: ReadonlyMap<Local, (Sources | undefined)[]>;
  readonly steps: Set<'halving' | 'doubling'>;
  modulo: boolean;
  /** Barriers that the whole block meets at. */
  blockBarriers: number;
  barrierFirst: boolean;
  combines: number;
}

export interface Machine extends SweepRun {
  readonly arrays: Map<string, SweptArray>;
  readonly registers: Map<Local, (Sources | undefined)[]>;
  /** Own element number by thread, for variables that start out equal to the thread's element. */
  reads: { readonly array: SweptArray; readonly index: ThreadValue }[];
  readonly seed: (local: Local) => ((thread: number) => number) | undefined;
  fuel: number;
  depth: number;
}

export const aliases = new WeakMap<
  Frame,
  Map<Local, { readonly root: ArrayRoot; readonly path: readonly (Expr | string)[] }>
>();

/** The array that an expression's innermost name stands for, through pointers that only ever point to its start. */
export function rootOf(expr: Expr, frame: Frame, depth = 0): ArrayRoot | undefined {
  if (depth > 8) return undefined;
  if (expr.kind === 'cast') return rootOf(expr.operand, frame, depth + 1);
  if (
    expr.kind === 'unary' &&
    expr.op === '&' &&
    expr.operand.kind === 'index' &&
    expr.operand.index.kind === 'number' &&
    expr.operand.index.value === 0
  )
    return rootOf(expr.operand.base, frame, depth + 1);
  if (expr.kind !== 'name') return undefined;
  const local = frame.locals.of(expr);
  if (!local) {
    const global = frame.context.program.globals(expr.name)[0];
    return global ? { key: global, name: expr.name, declaration: global, nameNode: expr } : undefined;
  }
  const alias = aliases.get(frame)?.get(local);
  if (alias && !alias.path.length) return alias.root;
  const definition =
    local.variable && !local.writes.length && local.variable.type.kind === 'pointer' ? local.variable.init : undefined;
  if (definition) {
    const inner =
      definition.kind === 'initList' && definition.elements.length === 1 ? definition.elements[0]! : definition;
    const root = rootOf(inner, frame, depth + 1);
    // Through a pointer to another type the elements are others: `float *sums = (float *)bytes`.
    if (root && hasElementsOf(local.variable!.type, root)) {
      if (root.declaration?.type.kind === 'array') return root;
      if (root.local?.parameter) return root;
    }
  }
  return { key: local, name: local.name, declaration: local.variable, local, nameNode: expr };
}

/** Does a pointer go over the elements that the array has, as far as their types have names? */
function hasElementsOf(pointer: TypeSyntax, root: ArrayRoot): boolean {
  const whole = root.declaration?.type ?? root.local?.parameter?.type;
  const [of, to] = [whole && elementsOf(whole), elementsOf(pointer)];
  return of?.kind !== 'named' || to?.kind !== 'named' || of.name === to.name;
}
function elementsOf(type: TypeSyntax): TypeSyntax {
  return type.kind === 'array' ? elementsOf(type.of) : type.kind === 'pointer' ? elementsOf(type.to) : type;
}

interface Place {
  readonly root: ArrayRoot;
  readonly path: readonly (Expr | string)[];
}

/** `a[i]`, `a[k][i].x`, `*(a + i)` as an array and its subscripts. */
export function placeOf(expr: Expr, frame: Frame): Place | undefined {
  const path: (Expr | string)[] = [];
  let inner = expr;
  for (let depth = 0; depth < 12; depth++) {
    if (inner.kind === 'index') {
      path.unshift(inner.index);
      inner = inner.base;
    } else if (inner.kind === 'member') {
      if (inner.arrow) return undefined;
      path.unshift(inner.field);
      inner = inner.object;
    } else if (inner.kind === 'unary' && inner.op === '*') {
      const sum = inner.operand;
      if (sum.kind !== 'binary' || sum.op !== '+') return undefined;
      let index = sum.right;
      let base = sum.left;
      while (base.kind === 'binary' && base.op === '+') {
        index = { ...base, left: base.right, right: index };
        base = base.left;
      }
      path.unshift(index);
      inner = base;
    } else break;
  }
  if (!path.some((part) => typeof part !== 'string')) return undefined;
  const root = rootOf(inner, frame);
  return root ? { root, path } : undefined;
}

function sketch(expr: Expr): string {
  switch (expr.kind) {
    case 'name':
      return expr.name;
    case 'number':
      return expr.text;
    case 'binary':
      return `(${sketch(expr.left)}${expr.op}${sketch(expr.right)})`;
    case 'member':
      return `${sketch(expr.object)}.${expr.field}`;
    case 'index':
      return `${sketch(expr.base)}[${sketch(expr.index)}]`;
    default:
      return `${expr.kind}@${expr.start}`;
  }
}

const keys = new WeakMap<object, number>();
let nextKey = 1;
function identity(object: object): number {
  let key = keys.get(object);
  if (!key) keys.set(object, (key = nextKey++));
  return key;
}

/**
 * Which swept array a place belongs to and which element each thread means; undefined when a second subscript differs
 * between threads.
 */
export function locate(
  place: Place,
  expr: Expr,
  frame: Frame,
  run: Machine,
  statement: Stmt,
  write: boolean,
): { readonly array: SweptArray; readonly index: ThreadValue } | undefined {
  // The swept subscript is the last one that differs between threads or steps; others have to be uniform.
  let swept = -1;
  const values = place.path.map((part) => (typeof part === 'string' ? undefined : evaluate(part, frame)));
  place.path.forEach((part, position) => {
    if (typeof part !== 'string' && typeof values[position] !== 'number') swept = position;
  });
  if (swept < 0)
    place.path.forEach((part, position) => {
      if (typeof part !== 'string') swept = position;
    });
  const index = values[swept];
  if (index === undefined) return undefined;
  const pieces: string[] = [];
  for (let position = 0; position < place.path.length; position++) {
    const part = place.path[position]!;
    if (position === swept) {
      pieces.push('[*]');
      continue;
    }
    if (typeof part === 'string') {
      pieces.push(`.${part}`);
      continue;
    }
    const value = values[position];
    if (value !== undefined && typeof value !== 'number') return undefined;
    pieces.push(`[${value ?? sketch(part)}]`);
  }
  const key = `${identity(place.root.key)}${pieces.join('')}`;
  let array = run.arrays.get(key);
  if (!array) {
    if (!write && run.combines === 0 && run.arrays.size > 8) return undefined;
    array = {
      root: place.root,
      path: place.path.map((part, position) => (position === swept ? undefined : part)),
      place: expr,
      elements: new Map(),
      combine: statement,
    };
    run.arrays.set(key, array);
  }
  return { array, index };
}

export const maximumElement = 8192;
export function sourcesAt(array: SweptArray, element: number): Sources | undefined {
  if (!Number.isInteger(element) || element < 0 || element >= maximumElement) return undefined;
  const known = array.elements.get(element);
  return known === undefined ? 1n << BigInt(element) : known;
}

export const registerArrays = new WeakMap<SweepRun, Map<Local, SweptArray>>();
export function arrayOfRegister(local: Local, run: Machine): { array?: SweptArray } {
  const array = registerArrays.get(run)?.get(local);
  return array ? { array } : {};
}

/** How many elements, from the first on, element 0 has taken in once each; 0 when it is not such a total. */
export function totalOf(array: SweptArray): number {
  const sets = array.elements.get(0);
  if (!sets) return 0;
  const next = sets + 1n;
  return (next & sets) === 0n ? next.toString(2).length - 1 : 0;
}
