// Accesses beyond the end of shared arrays and of a launch's dynamic shared memory, by lanes that come whatever the
// unknown values.
import type { Expr, Node } from '../../syntax/ast';
import { sizeOf, type Type } from '../language';
import { laneAt, type TracedAccess, type TraceEvent } from '../run';
import { bytesOf, isDynamic } from './hazards';

interface Overrun {
  readonly access: TracedAccess;
  readonly lane: number;
  /** The element that the lane is at, counted from the start of the array, and how many there are. */
  readonly element: number;
  readonly elements: number;
  /** Bytes of dynamic shared memory that the access needs. */
  readonly needed?: number;
}

/**
 * The first lane beyond the array of each access that has one, and of dynamic shared memory, which has `dynamicBytes`,
 * the access and the lane that need most.
 */
export function findOverruns(events: readonly TraceEvent[], dynamicBytes?: number): Overrun[] {
  const found = new Map<unknown, Overrun>();
  let most: Overrun | undefined;
  for (const event of events) {
    if (event.kind !== 'access' || !event.settled || found.has(event.node)) continue;
    if (isDynamic(event.base)) {
      const overrun = dynamicBytes === undefined || isField(event.node) ? undefined : overrunOf(event, dynamicBytes);
      if (overrun && overrun.needed! > (most?.needed ?? 0)) most = overrun;
      continue;
    }
    const overrun = overrunOf(event);
    if (overrun) found.set(event.node, overrun);
  }
  return most ? [...found.values(), most] : [...found.values()];
}

/** Is it a field of a structure laid over the memory? The launch gives its size, which templates may leave open. */
function isField(node: Node): boolean {
  let at = node as Expr;
  while (at.kind === 'index') at = at.base;
  return at.kind === 'member';
}

function overrunOf(access: TracedAccess, dynamicBytes?: number): Overrun | undefined {
  const { base, form = [], mask } = access;
  const { type } = base;
  const bytes = dynamicBytes ?? (type?.kind === 'array' ? sizeOf(type) : undefined);
  const element = type && sizeOf(scalarOf(type));
  if (bytes === undefined || !element) return undefined;
  const lasts = new Map<number, number>();
  for (const { of } of form) {
    const [only] = of.factors;
    if (of.factors.length !== 1 || (only!.kind !== 'loop' && only!.kind !== 'iteration')) return undefined;
    if (only!.kind === 'loop') lasts.set(only!.id, Math.max(0, (only!.count ?? 1) - 1));
  }
  let most: Overrun | undefined;
  for (const iterationOf of [() => 0, (id: number) => lasts.get(id)!]) {
    const at = bytesOf(access, iterationOf);
    for (let lane = 0; lane < mask.bits.length; lane++) {
      if (!mask.bits[lane]) continue;
      const start = laneAt(at, lane);
      const end = start + access.bytes;
      if (start >= 0 && end <= Math.max(bytes, most?.needed ?? 0)) continue;
      most = { access, lane, element: Math.floor(start / element), elements: Math.floor(bytes / element) };
      if (dynamicBytes === undefined || start < 0) return most;
      most = { ...most, needed: end };
    }
    if (lasts.size === 0) break;
  }
  return most;
}

function scalarOf(type: Type): Type {
  return type.kind === 'array' ? scalarOf(type.of) : type;
}
