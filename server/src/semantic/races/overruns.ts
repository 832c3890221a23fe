// Accesses beyond the end of arrays, of a launch's dynamic shared memory and of what the host allocates, by lanes that
// come whatever the unknown values.
import type { Expr, FunctionDecl, Node } from '../../syntax/ast';
import { sizeOf, type Type } from '../language';
import { laneAt, type MemoryBase, type Room, type RunResult, type TracedAccess, type TraceEvent } from '../run';
import type { GridAxes } from './otherBlocks';
import { bytesOf, isDynamic } from './hazards';

/** The memory that a launch's pointers lead into, by the number of their parameter, and its number among launches. */
export interface GivenRooms {
  readonly rooms: readonly (Room | undefined)[];
  readonly launch: number;
}
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

function overrunOf(access: TracedAccess, dynamicBytes?: number, room?: Room): Overrun | undefined {
  const { base, form = [], mask } = access;
  const { type } = base;
  const bytes = room?.[1] ?? dynamicBytes ?? (type?.kind === 'array' ? sizeOf(type) : undefined);
  const element = type && sizeOf(scalarOf(type));
  if (bytes === undefined || !element) return undefined;
  const from = room?.[0] ?? 0;
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
      if (start >= from && end <= Math.max(bytes, most?.needed ?? 0)) continue;
      // What reaches across the end is named by its part beyond.
      const first = start < from ? start : end - 1;
      most = { access, lane, element: Math.floor((first - from) / element), elements: (bytes - from) / element };
      most = { ...most, elements: Math.floor(most.elements) };
      if (dynamicBytes === undefined || start < 0) return most;
      most = { ...most, needed: end };
    }
    if (lasts.size === 0) break;
  }
  return most;
}

/** The first thread beyond the memory that the host allocates, or beyond a variable of it, of each access. */
export function findGlobalOverruns(
  events: readonly TraceEvent[],
  roomOf: (base: MemoryBase) => Room | undefined,
): Overrun[] {
  const found = new Map<unknown, Overrun>();
  for (const event of events) {
    if (event.kind !== 'access' || !event.settled || event.isShadow || event.byData || found.has(event.node)) continue;
    const overrun = overrunOf(event, undefined, roomOf(event.base));
    if (overrun) found.set(event.node, overrun);
  }
  return [...found.values()];
}

/** Does a run reach memory of known size by an access whose place no data decide? */
export function reachesRoom({ global }: RunResult, { params }: FunctionDecl, given: readonly GivenRooms[]): boolean {
  const nodes = new Set<unknown>(params.filter((_, at) => given.some(({ rooms }) => rooms[at])));
  return global.some(
    (event) =>
      event.kind === 'access' && (event.base.type?.kind === 'array' || nodes.has(event.base.declaration?.node)),
  );
}

/** The first block of a grid and, where it is known, the last one. */
export function outermostBlocks(grid: GridAxes): readonly (readonly [number, number, number])[] {
  const last = grid.map((blocks) => (blocks ?? 1) - 1);
  const first = [0, 0, 0] as const;
  return last.every((block) => block <= 0) ? [first] : [first, [last[0]!, last[1]!, last[2]!]];
}

export function scalarOf(type: Type): Type {
  return type.kind === 'array' ? scalarOf(type.of) : type;
}
