// Atomics to an element that the same thread has updated before on the way there: the values could be combined first.
import type { Node } from '../../syntax/ast';
import { callAround, calleeName, localsOf, some, type AnySyntax } from '../language';
import { type AnyAccess, laneAt, sameForm, Taint, type TraceEvent } from '../run';

/** An atomic whose element the thread has updated at `first`. */
export interface RepeatedAtomic {
  readonly at: Node;
  readonly first: Node;
  /** What is left of its place's requests where both are combined. */
  readonly part: number;
  /** Updates of the element on the way, this one among them. */
  readonly times: number;
  /** A condition of one of them is not around the other. */
  readonly conditional: boolean;
  /** The places are calls in the kernel. */
  readonly ofKernel: boolean;
}

/** By place, where nothing between the two reads the array or lets another thread see it. */
export function repeatedAtomics(events: readonly TraceEvent[]): Map<Node, RepeatedAtomic> {
  const found = new Map<Node, RepeatedAtomic>();
  const counts = new Map<Node, { all: number; again: number }>();
  let before: { readonly update: AnyAccess; readonly at: number; readonly within: string; times: number }[] = [];
  const open: { readonly from: number; readonly end: number; readonly leaves: boolean }[] = [];
  for (const [at, event] of events.entries()) {
    const ended = open.filter(({ end }) => end <= at);
    for (const { from, leaves } of ended) if (leaves) before = before.filter((each) => each.at < from);
    for (let count = ended.length; count > 0; count--) open.pop();
    if (event.kind === 'loop') {
      before = [];
      open.push({ from: at, end: event.end, leaves: true });
    }
    if (event.kind === 'gap' && event.arm)
      open.push({ from: at, end: event.arm.end, leaves: some(event.arm.stmt, isJump) });
    else if (event.kind === 'meeting' || (event.kind === 'gap' && ended.length === 0)) before = [];
    else if (event.kind === 'signal' && event.by === 'fence') before = [];
    if (event.kind !== 'access' && event.kind !== 'scattered') continue;
    if (!isUnusedUpdate(event)) {
      before = before.filter(({ update }) => update.base !== event.base);
      continue;
    }
    const count = counts.get(event.node) ?? { all: 0, again: 0 };
    counts.set(event.node, count);
    count.all++;
    const within = open.map(({ from }) => from).join();
    const earlier = before.find(({ update }) => isSamePlace(update, event));
    const isOfCall = earlier?.update.fn !== event.fn || earlier?.update.via !== event.via;
    const [first, place] = [earlier?.update, event].map((one) => (isOfCall ? (one?.via ?? one?.node) : one?.node));
    if (earlier && first && place && first !== place) {
      count.again++;
      const conditional = earlier.within !== within;
      const rest = { part: 1 - count.again / count.all, times: ++earlier.times, conditional, ofKernel: isOfCall };
      found.set(event.node, { at: place, first, ...rest });
    } else before.push({ update: event, at, within, times: 1 });
  }
  return found;
}

function isJump({ kind }: AnySyntax): boolean {
  return /^(return|break|continue|goto)$/.test(kind);
}

/** An atomic that combines values and whose result nothing takes. */
function isUnusedUpdate({ mode, fn, node }: AnyAccess): boolean {
  const locals = localsOf(fn);
  const call = mode === 'atomic' ? callAround(node as AnySyntax, locals) : undefined;
  return (
    !!call && /^atomic(Add|Min|Max|And|Or|Xor)\b/.test(calleeName(call) ?? '') && locals.parent(call)?.kind === 'expr'
  );
}

/** One function on the same bytes in each thread that comes to both; a loaded number stands for itself. */
function isSamePlace(
  first: AnyAccess,
  { base, offset, form = [], bytes, taint, mask, kind, fn, node }: AnyAccess,
): boolean {
  const name = (one: Pick<AnyAccess, 'fn' | 'node'>) =>
    calleeName(callAround(one.node as AnySyntax, localsOf(one.fn))!);
  if (first.base !== base || first.bytes !== bytes || name(first) !== name({ fn, node })) return false;
  if ((first.taint | taint) & (Taint.maybe | Taint.assumed) || !sameForm(first.form ?? [], form)) return false;
  // One number loaded for all lanes may be the same by chance.
  if (kind === 'scattered' && (typeof offset === 'number' || offset.every((each) => each === offset[0]))) return false;
  const lanes = [...mask.bits.keys()].filter((lane) => mask.bits[lane] && first.mask.bits[lane]);
  return lanes.length > 0 && lanes.every((lane) => laneAt(first.offset, lane) === laneAt(offset, lane));
}
