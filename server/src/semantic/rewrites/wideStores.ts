// Neighbouring narrow stores of one thread: one vector store takes their place where the address is aligned and all of
// them are made at run time; else they are made as before.
import type { Expr, Stmt, TypeSyntax } from '../../syntax/ast';
import type { Edit, Refusal, RewriteFact } from '../model';
import { indentAt, newlineOf, spanOf, textOf, type FunctionContext, unitOf } from '../language/functionContext';
import { add, numberOf } from '../language/algebra';
import { polynomialOf, type IndexPolynomial } from '../language/indexPolynomials';
import { definitionOf, localsOf, type Local, type Locals, isReference } from '../language/scope';
import { walk, type AnySyntax } from '../language/statements';
import { sizeOf } from '../language/types';
import { launchSitesNamed } from '../language/launchSites';
import { isStartedOtherwise } from './launchGrids';
import { templateBytes } from './tileLayouts/tile';
import { freshNamesOf } from './edits';
import { refuser } from './refusals';
import { isPure, mayOverlap, rootOf } from '../program';

/** Every precondition by its name; each has an example that fails it alone. */
export const wideStorePreconditions = ['neighbours', 'fallback', 'values', 'guards', 'macros', 'gain'] as const;
export const refused = refuser<(typeof wideStorePreconditions)[number]>('wide-stores');

/** One store, maybe under its own `if`. */
interface Store {
  readonly stmt: Stmt;
  readonly array: Local;
  /** The element that is stored to, without the cast to a wider type. */
  readonly element: Extract<Expr, { kind: 'index' }>;
  readonly index: IndexPolynomial;
  readonly value: Expr;
  readonly guard?: Expr;
  /** What is stored: its name, its bytes, and those of an element of the array. */
  readonly type: string;
  readonly bytes: number;
  readonly elementBytes: number;
}

export const vectors: readonly (readonly [number, string])[] = [
  [16, 'uint4'],
  [8, 'uint2'],
  [4, 'unsigned int'],
];
const sectorBytes = 32;

/** What a store costs: sectors of a warp, those that would do, and lanes that take part. */
export interface StoreCost {
  readonly sectors: number;
  readonly ideal: number;
  readonly lanes: number;
}

/**
 * The edits where `access` is the target of such a store. Undefined where no store to the same array is next to it.
 * An aligned piece of at most 16 bytes lies in one sector: the wide store asks for the sectors of each narrow one.
 */
export function wideStoresOf(
  context: FunctionContext,
  access: Expr,
  cost: StoreCost,
  elsewhere = false,
): RewriteFact | Refusal | undefined {
  const locals = localsOf(context.fn);
  const found = listAround(access, locals);
  if (!found) return undefined;
  const run = runOf(found.list, found.at, context, locals);
  if (!run || run.length < 2) return undefined;
  if (isFallback(run[0]!.stmt, locals))
    return refused('fallback', 'the stores are the fallback for unaligned addresses');
  const chunks = chunksOf(run);
  if (!chunks.some((chunk) => chunk.length > 1))
    return refused('neighbours', 'the neighbouring stores are not contiguous in memory');
  if (run.some(({ stmt, element, guard }) => stmt.macro || element.macro || guard?.macro))
    return refused('macros', 'the store comes from a macro');
  const value = run.map((each) => readsMemory(each, elsewhere, context, locals)).find((each) => each);
  if (value) return refused('values', value);
  if (run.some(({ guard }) => guard && !isOfNumbers(guard, context, locals)))
    return refused('guards', 'the condition of a store does more than compare numbers');
  const widest = Math.max(...chunks.map((chunk) => chunk.length * chunk[0]!.bytes));
  const ratio = cost.sectors / Math.max(1, cost.ideal);
  const after = Math.max(1, cost.sectors / Math.max(1, (cost.lanes * widest) / sectorBytes));
  if (after > ratio / 2 + 0.01) return refused('gain', 'each store would still request as many sectors');
  const fresh = freshNamesOf(context);
  const parts = fresh('parts');
  const edits = chunks.filter((chunk) => chunk.length > 1).map((chunk) => written(chunk, parts, context));
  const rounded = Math.round(after * 10) / 10;
  return {
    edits,
    title:
      `Store ${run.length} elements as ${widest} bytes if aligned: ` +
      `${ratio.toFixed(1)}× → ${rounded.toFixed(1)}× sectors`,
  };
}

/** The list of statements that the access is a store of, and its place there. */
function listAround(access: Expr, locals: Locals): { readonly list: readonly Stmt[]; readonly at: number } | undefined {
  let at: AnySyntax = access;
  for (let up = locals.parent(at); up; up = locals.parent(up)) {
    if (up.kind === 'block' && up.body.length > 1) {
      const place = up.body.indexOf(at as Stmt);
      return place < 0 ? undefined : { list: up.body, at: place };
    }
    // A store's own `if` and its braces.
    if (up.kind === 'for' || up.kind === 'while' || up.kind === 'do' || up.kind === 'lambda') return undefined;
    at = up;
  }
  return undefined;
}

/** Are the stores in the other arm of a wide store to the same array? */
export function isFallback(first: Stmt, locals: Locals): boolean {
  let at: AnySyntax = first;
  for (let up = locals.parent(at); up; up = locals.parent(up)) {
    if (up.kind === 'if' && up.else === at) {
      let asks = false;
      walk(up.cond, (node) => {
        if (node.kind === 'cast' && node.style === 'reinterpret' && node.type.kind === 'named') asks = true;
      });
      if (asks) return true;
    }
    at = up;
  }
  return false;
}

/** Stores to one array in a row, the wanted one among them, whose places differ by constants. */
function runOf(
  list: readonly Stmt[],
  at: number,
  context: FunctionContext,
  locals: Locals,
): readonly Store[] | undefined {
  const wanted = storeOf(list[at]!, context, locals);
  if (!wanted) return undefined;
  const fits = (stmt: Stmt | undefined): Store | undefined => {
    const store = stmt && storeOf(stmt, context, locals);
    return store &&
      store.array === wanted.array &&
      store.type === wanted.type &&
      numberOf(add(store.index, wanted.index, -1)) !== undefined
      ? store
      : undefined;
  };
  const run = [wanted];
  for (let before = at - 1, store = fits(list[before]); store; store = fits(list[--before])) run.unshift(store);
  for (let behind = at + 1, store = fits(list[behind]); store; store = fits(list[++behind])) run.push(store);
  return run;
}

function storeOf(stmt: Stmt, context: FunctionContext, locals: Locals): Store | undefined {
  if (stmt.kind === 'if') {
    if (stmt.else || stmt.init || stmt.constexpr) return undefined;
    const then =
      stmt.then.kind === 'block' ? (stmt.then.body.length === 1 ? stmt.then.body[0]! : undefined) : stmt.then;
    if (then?.kind !== 'expr') return undefined;
    const inner = storeOf(then, context, locals);
    return inner && { ...inner, stmt, guard: stmt.cond };
  }
  if (stmt.kind !== 'expr' || stmt.expr.kind !== 'assign' || stmt.expr.op !== '=') return undefined;
  const { target, value } = stmt.expr;
  const { element, type: cast } = uncast(target, context);
  if (element?.kind !== 'index' || element.base.kind !== 'name') return undefined;
  const array = locals.of(element.base);
  const declared = array && elementTypeOf(array);
  const index = polynomialOf(element.index, context, locals);
  if (!array || !declared || !index) return undefined;
  const type = cast ?? declared;
  if (type.kind !== 'named' || type.args || type.volatile || type.const) return undefined;
  const [bytes, elementBytes] = [type, declared].map(
    (each) => sizeOf(context.types.resolve(each)) ?? templateBytes(each, context),
  );
  if (!bytes || !elementBytes) return undefined;
  return { stmt, array, element, index, value, type: type.name, bytes, elementBytes };
}

/** The element behind `*reinterpret_cast<U *>(&a[i])` and its kind, with `U`. */
function uncast(target: Expr, context: FunctionContext): { readonly element?: Expr; readonly type?: TypeSyntax } {
  const pointer =
    target.kind === 'unary' && target.op === '*'
      ? target.operand
      : target.kind === 'index' && target.base.kind === 'cast' && context.types.constant(target.index) === 0
        ? target.base
        : undefined;
  if (!pointer) return { element: target };
  if (pointer.kind !== 'cast' || pointer.type.kind !== 'pointer') return {};
  const { operand } = pointer;
  return operand.kind === 'unary' && operand.op === '&' ? { element: operand.operand, type: pointer.type.to } : {};
}

/** Of a pointer that the function does not move. */
export function elementTypeOf({ parameter, variable, writes, addressTaken }: Local): TypeSyntax | undefined {
  const type = parameter?.type ?? variable?.type;
  if (type?.kind !== 'pointer' || addressTaken || writes.length > 0) return undefined;
  return type.to.kind === 'named' && !type.to.volatile ? type.to : undefined;
}

/** Pieces of 16, 8 or 4 bytes; what is left over stands alone. */
function chunksOf(run: readonly Store[]): readonly (readonly Store[])[] {
  const chunks: Store[][] = [];
  let at = 0;
  while (at < run.length) {
    const { bytes, elementBytes, index } = run[at]!;
    const follows = (by: number): boolean => {
      const store = run[at + by];
      const difference = store && numberOf(add(store.index, index, -1));
      return difference !== undefined && difference * elementBytes === by * bytes;
    };
    let count = 1;
    for (const [wide] of vectors) {
      const wanted = wide / bytes;
      if (!Number.isInteger(wanted) || wanted < 2) continue;
      if (Array.from({ length: wanted }, (_, by) => follows(by)).every((each) => each)) {
        count = wanted;
        break;
      }
    }
    chunks.push(run.slice(at, at + count));
    at += count;
  }
  return chunks;
}

/** Why the value of a store may depend on what the stores before it wrote. */
function readsMemory(
  { value, array }: Store,
  elsewhere: boolean,
  context: FunctionContext,
  locals: Locals,
): string | undefined {
  if (!isPure(value, context)) return 'the stored expression has side effects';
  let why: string | undefined;
  walk(value, (node) => {
    if (node.kind === 'call' && node.args.some((arg) => arg.kind === 'unary' && arg.op === '&'))
      why ??= 'the stored value is read through an address';
    const through =
      node.kind === 'index' ? node.base : node.kind === 'unary' && node.op === '*' ? node.operand : undefined;
    const isUnknown = (node.kind === 'member' && node.arrow) || (node.kind === 'name' && isReference(locals.of(node)));
    if (isUnknown) why ??= 'the stored value may be read from memory that the stores overwrite';
    if (!through) return;
    if (!isOwn(through, array, context, locals) && !isApart(node as Expr, array, elsewhere, context, locals))
      why ??= 'the stored value may be read from memory that the stores overwrite';
  });
  return why;
}

/** Is what is read another array than the one that is stored to, as `__restrict__` or all launches say? */
export function isApart(
  read: Expr,
  stored: Local,
  elsewhere: boolean,
  context: FunctionContext,
  locals: Locals,
): boolean {
  const { fn } = context;
  const [from, to] = [rootOf(read, locals), rootOfLocal(stored, locals)];
  if (!from || !to || typeof from === 'string' || typeof to === 'string') return false;
  if (!from.parameter || !to.parameter || from === to) return false;
  if ([from, to].some(({ parameter }) => parameter!.type.kind === 'pointer' && parameter!.type.restrict)) return true;
  const sites = launchSitesNamed(context, fn.name).filter(({ kernel }) => !kernel || kernel === fn);
  const isSeen = fn.global && !elsewhere && sites.length > 0 && sites.every(({ kernel }) => kernel === fn);
  return isSeen && !isStartedOtherwise(context) && !mayOverlap(from, to, sites, context);
}

function rootOfLocal(local: Local, locals: Locals): ReturnType<typeof rootOf> {
  if (local.parameter) return local;
  const definition = definitionOf(local, locals);
  return definition && rootOf(definition, locals);
}

/** Does the pointer lead to a variable of the thread, or to shared memory while the stores go to an argument? */
export function isOwn(pointer: Expr, stored: Local, context: FunctionContext, locals: Locals, depth = 0): boolean {
  if (depth > 4) return false;
  switch (pointer.kind) {
    case 'cast':
      return isOwn(pointer.operand, stored, context, locals, depth + 1);
    case 'unary':
      return pointer.op === '&' && isOwnPlace(pointer.operand, stored, context, locals, depth);
    case 'index':
    case 'name':
      return isOwnPlace(pointer, stored, context, locals, depth);
    default:
      return false;
  }
}

function isOwnPlace(place: Expr, stored: Local, context: FunctionContext, locals: Locals, depth: number): boolean {
  let at = place;
  while (at.kind === 'index' || (at.kind === 'member' && !at.arrow)) at = at.kind === 'index' ? at.base : at.object;
  const local = at.kind === 'name' ? locals.of(at) : undefined;
  const { variable } = local ?? {};
  if (!local || !variable) return false;
  // An array of pointers leads elsewhere.
  let inner = variable.type;
  while (inner.kind === 'array') inner = inner.of;
  const isPlace = inner.kind === 'named' && context.types.resolve(inner).kind !== 'pointer';
  if (variable.space === 'shared') return isPlace && context.fn.global && !!stored.parameter;
  if (variable.space !== 'none') return false;
  if (variable.type.kind === 'pointer' || variable.type.kind === 'reference') {
    const definition = definitionOf(local, locals);
    return !!definition && definition.kind === 'name' && isOwn(definition, stored, context, locals, depth + 1);
  }
  return isPlace;
}

/** A condition over variables of the thread and arguments alone. */
function isOfNumbers(cond: Expr, context: FunctionContext, locals: Locals): boolean {
  if (!isPure(cond, context)) return false;
  let numbers = true;
  walk(cond, (node) => {
    if (node.kind === 'index' || (node.kind === 'unary' && (node.op === '*' || node.op === '&'))) numbers = false;
    if (node.kind === 'member' && node.arrow) numbers = false;
    if (node.kind === 'name') {
      const type = locals.of(node)?.variable?.type ?? locals.of(node)?.parameter?.type;
      if (type?.kind === 'reference') numbers = false;
      if (!locals.of(node) && context.program.globals(node.name).some((global) => !global.constant)) numbers = false;
    }
    return numbers;
  });
  return numbers;
}

function written(chunk: readonly Store[], parts: string, context: FunctionContext): Edit {
  const { file, fn } = context;
  const newline = newlineOf(context);
  const [first, last] = [chunk[0]!, chunk.at(-1)!];
  const indent = indentAt(context, first.stmt.start);
  const unit = unitOf(context);
  const bytes = chunk.length * first.bytes;
  const vector = vectors.find(([wide]) => wide === bytes)![1];
  const element = `&${textOf(context, first.element).trim()}`;
  const guards = chunk.flatMap(({ guard }) => (guard ? [conjunct(guard, context)] : []));
  const before = file.text.slice(fn.base + first.stmt.start, fn.base + last.stmt.end);
  const lines = [
    `if (${[`reinterpret_cast<size_t>(${element}) % ${bytes} == 0`, ...new Set(guards)].join(' && ')}) {`,
    `${unit}alignas(${bytes}) ${first.type} ${parts}[${chunk.length}];`,
    ...chunk.map(({ value }, at) => `${unit}${parts}[${at}] = ${textOf(context, value).trim()};`),
    `${unit}*reinterpret_cast<${vector} *>(${element}) = *reinterpret_cast<const ${vector} *>(${parts});`,
    '} else {',
    unit +
      before
        .split(/\r?\n/)
        .map((line, at) => (at > 0 && line.startsWith(indent) ? unit + line.slice(indent.length) : line))
        .join(newline + indent)
        .replace(new RegExp(`(${newline})${indent}(?=#)`, 'g'), '$1'),
    '}',
  ];
  return {
    at: spanOf(context, { start: first.stmt.start, end: last.stmt.end }),
    newText: lines.join(newline + indent),
  };
}

function conjunct(guard: Expr, context: FunctionContext): string {
  const text = textOf(context, guard).trim();
  return guard.kind === 'conditional' || (guard.kind === 'binary' && guard.op === '||') ? `(${text})` : text;
}
