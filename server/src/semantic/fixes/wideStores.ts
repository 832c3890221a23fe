// Neighbouring stores of one thread to an address that is proven to be aligned: one vector store takes their place.
import type { Expr, Stmt, TypeSyntax } from '../../syntax/ast';
import type { Edit, Refusal, RewriteFact } from '../model';
import {
  type Fn,
  type Index,
  localsOf,
  type Local,
  isReference,
  reachesMemory,
  some,
  type AnySyntax,
  vectors as vectorTypes,
} from '../language';
import { isAligned, launchesInView } from './alignedPlaces';
import { hasComment, longestLine } from './writing/edits';
import { refuser } from './writing/refusals';
import { holderOf, isPure, mayOverlap, rootOf } from '../program';

export const refused = refuser<
  'neighbours' | 'fallback' | 'type' | 'alignment' | 'values' | 'guards' | 'comments' | 'macros' | 'gain'
>('wide-stores');

/** One store, maybe under its own `if`. */
interface Store {
  readonly stmt: Stmt;
  readonly array: Local;
  readonly element: Extract<Expr, { kind: 'index' }>;
  readonly index: Index;
  readonly value: Expr;
  readonly guarded?: true;
}

/** A vector type of CUDA, and the function that makes one of so many elements. */
export interface VectorType {
  readonly name: string;
  readonly make: string;
  readonly count: number;
  readonly bytes: number;
}
/** What the vectors of a type are called. */
const prefixes: readonly (readonly [RegExp, string])[] = [
  [/^float(32_t)?$/, 'float'],
  [/^(double|float64_t)$/, 'double'],
  [/^((signed )?char|(std::)?int8_t)$/, 'char'],
  [/^(unsigned char|uchar|u_char|(std::)?uint8_t)$/, 'uchar'],
  [/^((signed )?short|short int|(std::)?int16_t)$/, 'short'],
  [/^(unsigned short( int)?|ushort|u_short|(std::)?uint16_t)$/, 'ushort'],
  [/^((signed )?int|signed|(std::)?int32_t)$/, 'int'],
  [/^(unsigned( int)?|uint|u_int|(std::)?uint32_t)$/, 'uint'],
  [/^(long long( int)?|(std::)?int64_t)$/, 'longlong'],
  [/^(unsigned long long( int)?|(std::)?uint64_t)$/, 'ulonglong'],
];
const widest = 16;
const sectorBytes = 32;

/** What a store costs: sectors of a warp, those that would do, and lanes that take part. */
export interface StoreCost {
  readonly sectors: number;
  readonly ideal: number;
  readonly lanes: number;
}

/** The vectors of the elements of an array that one instruction moves, the widest first. */
export function vectorsOf(array: Local, { types, decl }: Fn): readonly VectorType[] {
  const declared = elementTypeOf(array);
  const type = declared && types.resolve(declared);
  if (type?.kind !== 'scalar') return [];
  const prefix = prefixes.find(([names]) => names.test(type.name))?.[1];
  const vectors = /^(__)?half$/.test(type.name)
    ? [{ name: 'half2', make: '__halves2half2', count: 2, bytes: 4 }]
    : [4, 2].map((count) => ({
        name: `${prefix}${count}`,
        make: `make_${prefix}${count}`,
        count,
        bytes: count * type.size,
      }));
  const taken = new Set(localsOf(decl).all.map((local) => local.name));
  return vectors.filter(({ name, make, bytes }) => vectorTypes.has(name) && bytes <= widest && !taken.has(make));
}

/** Sectors against their ideal, now and with vectors; a refusal where that gains too little. */
export function gainOf(cost: StoreCost, bytes: number): { readonly after: number; readonly text: string } | Refusal {
  const ratio = cost.sectors / Math.max(1, cost.ideal);
  const after = Math.max(1, cost.sectors / Math.max(1, (cost.lanes * bytes) / sectorBytes));
  if (after > ratio / 2 + 0.01) return refused('gain', 'each store would still request as many sectors');
  return { after, text: `${ratio.toFixed(1)}× → ${(Math.round(after * 10) / 10).toFixed(1)}× sectors` };
}

/**
 * The edits where `access` is the target of such a store. Undefined where no store to the same array is next to it.
 * An aligned piece of at most 16 bytes lies in one sector: the wide store asks for the sectors of each narrow one.
 */
export function wideStoresOf(
  fn: Fn,
  access: Expr,
  cost: StoreCost,
  elsewhere = false,
): RewriteFact | Refusal | undefined {
  const found = listAround(access, fn);
  if (!found) return undefined;
  const run = runOf(found.list, found.at, fn);
  if (!run || run.length < 2) return undefined;
  const { stmt, array } = run[0]!;
  if (isFallback(stmt, fn)) return refused('fallback', 'the stores are the fallback for unaligned addresses');
  if (!run.some((_, at) => follows(run, at, 1)))
    return refused('neighbours', 'the neighbouring stores are not contiguous in memory');
  const vectors = vectorsOf(array, fn);
  if (vectors.length === 0) return refused('type', `CUDA has no vector type for the elements of \`${array.name}\``);
  if (run.some(({ stmt: each, element }) => each.macro || element.macro))
    return refused('macros', 'the store comes from a macro');
  const value = run.map((each) => readsMemory(each, elsewhere, fn)).find((each) => each);
  if (value) return refused('values', value);
  if (run.some(({ guarded }) => guarded)) return refused('guards', 'each of the stores has a separate condition');
  const pieces = alignedPieces(run, vectors, elsewhere, fn);
  if (pieces.length === 0) return unaligned(array);
  if (pieces.some(({ parts }) => isBroken(parts, fn)))
    return refused('comments', 'comments or directives are between the stores');
  const wide = pieces[0]!.vector;
  const gain = gainOf(cost, wide.bytes);
  if ('why' in gain) return gain;
  const edits = pieces.map(({ parts, vector }): Edit => {
    const span = { start: parts[0]!.stmt.start, end: parts.at(-1)!.stmt.end };
    const values = parts.map((each) => fn.text(each.value).trim());
    return {
      at: fn.span(span),
      newText: vectorStore(fn.text(parts[0]!.element).trim(), vector, values, fn, span.start),
    };
  });
  const count = pieces.reduce((sum, { parts }) => sum + parts.length, 0);
  return { edits, title: `Store ${count} elements as ${wide.name}: ${gain.text}` };
}

export const unaligned = ({ name }: Local): Refusal => refused('alignment', `alignment of \`${name}\` is not proven`);

/** The statement that stores the values from an element on; each value on its own lines where two would not do. */
export function vectorStore(
  element: string,
  { name, make }: VectorType,
  values: readonly string[],
  fn: Fn,
  at: number,
): string {
  const [to, value] = [`*reinterpret_cast<${name} *>(&${element}) =`, `${make}(${values.join(', ')});`];
  const indent = fn.indent(at);
  const below = fn.newline + indent + fn.indentStep + fn.indentStep;
  if (value.includes('\n') || below.length + value.length > longestLine) {
    const lines = values.map((each) => each.replace(/\s*\n\s*/g, below + fn.indentStep));
    return `${to} ${make}(${below}${lines.join(`,${below}`)});`;
  }
  return to + (indent.length + to.length + 1 + value.length > longestLine ? below : ' ') + value;
}

/** The list of statements that the access is a store of, and its place there. */
function listAround(access: Expr, fn: Fn): { readonly list: readonly Stmt[]; readonly at: number } | undefined {
  let at: AnySyntax = access;
  for (let up = fn.parent(at); up; up = fn.parent(up)) {
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
export function isFallback(first: Stmt, fn: Fn): boolean {
  const isVector = (node: AnySyntax): boolean =>
    node.kind === 'cast' && node.style === 'reinterpret' && node.type.kind === 'named';
  const isIn = (arm: Stmt | undefined): boolean => !!arm && fn.isInside(first, arm);
  return [...fn.around(first)].some((up) => up.kind === 'if' && isIn(up.else) && some(up.cond, isVector));
}

/** Stores to one array in a row, the wanted one among them, whose places differ by constants. */
function runOf(list: readonly Stmt[], at: number, fn: Fn): readonly Store[] | undefined {
  const wanted = storeOf(list[at]!, fn);
  if (!wanted) return undefined;
  const fits = (stmt: Stmt | undefined): Store | undefined => {
    const store = stmt && storeOf(stmt, fn);
    return store && store.array === wanted.array && store.index.plus(wanted.index, -1).number !== undefined
      ? store
      : undefined;
  };
  const run = [wanted];
  for (let before = at - 1, store = fits(list[before]); store; store = fits(list[--before])) run.unshift(store);
  for (let behind = at + 1, store = fits(list[behind]); store; store = fits(list[++behind])) run.push(store);
  return run;
}

function storeOf(stmt: Stmt, fn: Fn): Store | undefined {
  if (stmt.kind === 'if') {
    if (stmt.else || stmt.init || stmt.constexpr) return undefined;
    const then =
      stmt.then.kind === 'block' ? (stmt.then.body.length === 1 ? stmt.then.body[0]! : undefined) : stmt.then;
    const inner = then?.kind === 'expr' ? storeOf(then, fn) : undefined;
    return inner && { ...inner, stmt, guarded: true };
  }
  if (stmt.kind !== 'expr' || stmt.expr.kind !== 'assign' || stmt.expr.op !== '=') return undefined;
  const { target: element, value } = stmt.expr;
  if (element.kind !== 'index' || element.base.kind !== 'name') return undefined;
  const array = fn.local(element.base);
  const index = fn.index(element.index);
  return array && elementTypeOf(array) && index ? { stmt, array, element, index, value } : undefined;
}

type NamedType = Extract<TypeSyntax, { kind: 'named' }>;

/** Of a pointer that the function does not move. */
export function elementTypeOf({ parameter, variable, writes, addressTaken }: Local): NamedType | undefined {
  const type = parameter?.type ?? variable?.type;
  if (type?.kind !== 'pointer' || addressTaken || writes.length > 0) return undefined;
  const { to } = type;
  return to.kind === 'named' && !to.volatile && !to.const ? to : undefined;
}

/** The vectors that aligned neighbours make up, the widest first; what is left over stays as it is. */
function alignedPieces(
  run: readonly Store[],
  vectors: readonly VectorType[],
  elsewhere: boolean,
  fn: Fn,
): readonly { readonly vector: VectorType; readonly parts: readonly Store[] }[] {
  const taken = new Set<Store>();
  return vectors.flatMap((vector) =>
    run.flatMap(({ element, index }, start) => {
      const parts = Array.from({ length: vector.count }, (_, by) => follows(run, start, by));
      const isFree = (part: Store | undefined): part is Store => part !== undefined && !taken.has(part);
      if (!parts.every(isFree) || !isAligned(element.base, index, vector.bytes, fn, elsewhere)) return [];
      for (const part of parts) taken.add(part);
      return [{ vector, parts }];
    }),
  );
}

/** The store `by` places after another one, where it is to the element that is as far behind its own. */
function follows(run: readonly Store[], at: number, by: number): Store | undefined {
  const store = run[at + by];
  return store && store.index.plus(run[at]!.index, -1).number === by ? store : undefined;
}

/** Is there more than white space between the stores, or a comment in one of them? */
function isBroken(stores: readonly Store[], fn: Fn): boolean {
  return stores.some(({ stmt }, at) => {
    const next = stores[at + 1]?.stmt;
    return hasComment(fn, stmt) || (!!next && fn.text({ ...stmt, start: stmt.end, end: next.start }).trim() !== '');
  });
}

/** Why the value of a store may depend on what the stores before it wrote, beyond what a run of both texts sees. */
function readsMemory({ value, array }: Store, elsewhere: boolean, fn: Fn): string | undefined {
  if (!isPure(value, fn)) return 'the stored expression has side effects';
  return mayMeet(value, array, elsewhere, fn)
    ? 'the stored value may be read from memory that the stores overwrite'
    : undefined;
}

/** May code reach an array through a pointer that neither names, `__restrict__` nor all launches keep apart from it? */
export function mayMeet(code: AnySyntax, array: Local, elsewhere: boolean, fn: Fn): boolean {
  return some(
    code,
    (node) =>
      ((node.kind === 'name' && isReference(fn.local(node))) || reachesMemory(node)) &&
      relationOf(node, array, elsewhere, fn) === undefined,
  );
}

/** Is a place in the array, or in another one? Undefined where neither is known. */
function relationOf(place: Expr, array: Local, elsewhere: boolean, fn: Fn): 'within' | 'apart' | undefined {
  const holder = holderOf(place, fn);
  const local = holder && fn.local(holder);
  if (local && !local.field && !isReference(local)) return 'apart';
  const [from, to] = [rootOf(place, fn.locals), rootOfLocal(array, fn)];
  if (typeof from !== 'object' || typeof to !== 'object') return undefined;
  if (from === to) return 'within';
  const sites = launchesInView(fn, elsewhere);
  const isRestricted = [from, to].some(
    ({ parameter }) => parameter?.type.kind === 'pointer' && parameter.type.restrict,
  );
  return isRestricted || (sites && !mayOverlap(from, to, sites, fn)) ? 'apart' : undefined;
}

function rootOfLocal(local: Local, fn: Fn): ReturnType<typeof rootOf> {
  if (local.parameter) return local;
  const definition = fn.definition(local);
  return definition && rootOf(definition, fn.locals);
}
