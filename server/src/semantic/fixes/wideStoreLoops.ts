// Loops that store all elements of one vector: a local array takes the values through the loop, and leaves by one store
// where its address is proven to be aligned.
import type { Expr } from '../../syntax/ast';
import type { Edit, Refusal, RewriteFact } from '../model';
import {
  constantPolynomial,
  type Fn,
  atomName,
  isStable,
  localsIn,
  some,
  type AnySyntax,
  walk,
  writtenAround,
  startWithPragmas,
  countsUp,
  tripsBetween,
} from '../language';
import { isAligned } from './alignedPlaces';
import { freshNamesOf } from './writing/edits';
import { hasMacro, hidesEffects, isPure, isPureCall } from '../program';
import {
  elementTypeOf,
  gainOf,
  isFallback,
  mayMeet,
  refused,
  type StoreCost,
  unaligned,
  vectorsOf,
  vectorStore,
  type VectorType,
} from './wideStores';

type StoreLoop = NonNullable<ReturnType<typeof storeLoopAround>>;

/** The edits where `access` is such a store; undefined where it does not come near. `elsewhere`: see `wideStoresOf`. */
export function wideStoreLoopOf(
  fn: Fn,
  access: Expr,
  cost: StoreCost,
  elsewhere = false,
): RewriteFact | Refusal | undefined {
  const found = storeLoopAround(access, fn);
  if (!found) return undefined;
  if (isFallback(found.loop, fn)) return refused('fallback', 'the stores are the fallback for unaligned addresses');
  const { loop, array, element, sum, trips, rest, from } = found;
  const vector = vectorsOf(array, fn).find(({ count }) => count === trips);
  if (!vector) return undefined;
  if (loop.macro || hasMacro(element) || hasMacro(sum.target)) return refused('macros', 'the store comes from a macro');
  const problem = hindered(found, elsewhere, fn);
  if (problem) return refused('values', problem);
  if (!isAligned(element.base, rest.plus(constantPolynomial(from)), vector.bytes, fn, elsewhere))
    return unaligned(array);
  const gain = gainOf(cost, vector.bytes);
  if ('why' in gain) return gain;
  // Of pieces that cannot be wider a gap of this size stays, which is found again.
  if (vector.bytes < 16 && gain.after >= 1.5) return refused('gain', 'the wider stores would still be short');
  const first = firstText(element.index, found, fn);
  if (first === undefined) return undefined;
  return {
    edits: written(found, first, vector, fn),
    title: `Store ${trips} elements as ${vector.name}: ${gain.text}`,
  };
}

/**
 * A `for` from number to number, by one, each of whose iterations stores to the next element; `rest` is the index
 * without the variable of the loop.
 */
function storeLoopAround(access: Expr, fn: Fn) {
  const sum = fn.parent(access);
  const statement = sum && fn.parent(sum);
  if (sum?.kind !== 'assign' || sum.op !== '=' || sum.target !== access || statement?.kind !== 'expr') return undefined;
  const up = fn.parent(statement);
  const loop = up?.kind === 'block' ? fn.parent(up) : up;
  if (loop?.kind !== 'for' || (up !== loop && loop.body !== up)) return undefined;
  const head = fn.counted(loop);
  if (!head?.declared || !countsUp(head) || !/^<=?$/.test(head.bound?.op ?? '')) return undefined;
  const { local: variable } = head;
  const [from, count] = [fn.types.constant(head.first), tripsBetween(head, (expr) => fn.types.constant(expr))];
  if (variable.writes.length !== 1 || variable.addressTaken || from === undefined || count === undefined)
    return undefined;
  if (access.kind !== 'index' || access.base.kind !== 'name') return undefined;
  const array = fn.local(access.base);
  const index = fn.index(access.index);
  const split = index?.split(atomName(variable, fn.locals));
  if (!array || !elementTypeOf(array) || !split || split.factor.number !== 1) return undefined;
  if (![...localsIn(split.rest)].every((local) => local === variable || isStable(local))) return undefined;
  return count >= 2 ? { loop, variable, array, sum, element: access, rest: split.rest, from, trips: count } : undefined;
}

/** Why the stores may not wait for the end of the loop, beyond what a run of both texts sees. */
function hindered({ loop, array }: StoreLoop, elsewhere: boolean, fn: Fn): string | undefined {
  const isUnknown = (node: AnySyntax): boolean => hidesEffects(node) || (node.kind === 'call' && !isPureCall(node, fn));
  if (some(loop.body, isUnknown)) return 'an iteration may do more than compute and store';
  return mayMeet(loop.body, array, elsewhere, fn) ? 'another access of the loop may overlap the stores' : undefined;
}

/** An index as it is in the first iteration, in names that are known after the loop. */
function firstText(expr: Expr, loop: StoreLoop, fn: Fn, depth = 0): string | undefined {
  if (depth > 6 || !isPure(expr, fn) || hasMacro(expr)) return undefined;
  const replaced: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  let isKnown = true;
  walk(expr, (node) => {
    const local = node.kind === 'name' ? fn.local(node) : undefined;
    if (!local) return;
    if (local === loop.variable) replaced.push({ start: node.start, end: node.end, text: String(loop.from) });
    else if (local.variable && fn.isInside(local.variable, loop.loop)) {
      const definition = fn.definition(local);
      const text = definition && firstText(definition, loop, fn, depth + 1);
      if (text === undefined) isKnown = false;
      else replaced.push({ start: node.start, end: node.end, text: `(${text})` });
    }
  });
  if (!isKnown) return undefined;
  let text = fn.text(expr);
  for (const { start, end, text: by } of replaced.sort((a, b) => b.start - a.start))
    text = text.slice(0, start - expr.start) + by + text.slice(end - expr.start);
  return text.trim();
}

function written(
  { loop, variable, array, element, from, trips }: StoreLoop,
  index: string,
  vector: VectorType,
  fn: Fn,
): Edit[] {
  const parts = freshNamesOf(fn)('parts');
  const type = elementTypeOf(array)!.name;
  const values = Array.from({ length: trips }, (_, part) => `${parts}[${part}]`);
  const store = vectorStore(`${array.name}[${index}]`, vector, values, fn, startWithPragmas(loop));
  return [
    { at: fn.span(element), newText: `${parts}[${variable.name}${from === 0 ? '' : ` - ${from}`}]` },
    ...writtenAround(fn, loop, { before: [`${type} ${parts}[${trips}];`], after: [store] }),
  ];
}
