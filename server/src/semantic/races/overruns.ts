// Accesses beyond the end of arrays, of a launch's dynamic shared memory and of what the host allocates, by lanes that
// come whatever the unknown values.
import type { Expr, FunctionDecl, Node } from '../../syntax/ast';
import { sizeOf, type Type } from '../language';
import { laneAt, type MemoryBase, type Room, type RunResult, type TracedAccess, type TraceEvent } from '../run';
import type { GridAxes } from './otherBlocks';
import { bytesOf, isDynamic } from './touched';

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
      const numberOf = (byte: number): number => Math.floor((byte - from) / element);
      most = { access, lane, element: numberOf(first), elements: numberOf(bytes) };
      if (dynamicBytes === undefined || start < 0) return most;
      most = { ...most, needed: end };
    }
    if (lasts.size === 0) break;
  }
  return most;
}

/** The first thread beyond the memory that the host allocates, or beyond a variable of it, of each access. */
export function findGlobalOverruns(events: readonly TraceEvent[], given: GivenRooms, kernel: FunctionDecl): Overrun[] {
  const found = new Map<unknown, Overrun>();
  for (const event of events) {
    if (event.kind !== 'access' || !event.settled || event.isShadow || event.byData || found.has(event.node)) continue;
    const room = roomOf(event.base, given, kernel);
    if (!room && !isVariable(event.base)) continue;
    const overrun = overrunOf(event, undefined, room);
    if (overrun) found.set(event.node, overrun);
  }
  return [...found.values()];
}

/**
 * May a thread of the first or the last block leave memory of known size, whatever guards it? What depends on other
 * unknowns than the block and iterations is not compared.
 */
export function mayLeaveRoom(
  { global }: RunResult,
  kernel: FunctionDecl,
  given: readonly GivenRooms[],
  grid: GridAxes,
): boolean {
  return global.some((event) => {
    if (event.kind !== 'access') return false;
    const { base } = event;
    const ofLaunches = given.map((each) => roomOf(base, each, kernel));
    const rooms = isVariable(base) ? [[0, sizeOf(base.type!)] as const] : ofLaunches;
    const reach = reachOf(event, grid);
    return (
      reach !== undefined && rooms.some((room) => room?.[1] !== undefined && (reach[0] < room[0] || reach[1] > room[1]))
    );
  });
}

/** The first and the last byte that the threads of the outermost blocks may come to. */
function reachOf(access: TracedAccess, grid: GridAxes): readonly [number, number] | undefined {
  let [low, high] = [Infinity, -Infinity];
  const at = bytesOf(access, () => 0);
  for (let lane = 0; lane < access.mask.bits.length; lane++) {
    low = Math.min(low, laneAt(at, lane));
    high = Math.max(high, laneAt(at, lane) + access.bytes);
  }
  for (const { of, by } of access.form ?? []) {
    const [{ kind, name, along, count = 1 }] = of.factors as [Factor];
    if (of.factors.length > 1 || !/^(block|loop|iteration)$/.test(kind)) return undefined;
    const blocks = kind === 'block' && name !== undefined ? grid['xyz'.indexOf(along!.axis)] : count;
    const most = kind === 'iteration' ? 0 : Math.max(0, (blocks ?? 1) - 1);
    const steps = typeof by === 'number' ? [by] : [...by];
    low += most * Math.min(0, ...steps);
    high += most * Math.max(0, ...steps);
  }
  return [low, high];
}
type Factor = NonNullable<TracedAccess['form']>[number]['of']['factors'][number];

/** The memory that a launch gives a parameter of the kernel. */
export function roomOf({ declaration }: MemoryBase, { rooms }: GivenRooms, { params }: FunctionDecl): Room | undefined {
  return rooms[params.indexOf(declaration?.node as FunctionDecl['params'][number])];
}

/** An array that is declared with its size, and not one that a pointer leads to (`float (*rows)[1024]`). */
export function isVariable({ type, declaration }: MemoryBase): boolean {
  return type?.kind === 'array' && declaration !== undefined && declaration.fn === undefined;
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
