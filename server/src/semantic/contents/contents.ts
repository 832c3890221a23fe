// Memory that holds values, for a run that computes what the code computes: arrays begin with data drawn by seed, and
// whatever the run cannot compute exactly stops it.
import type { Expr, FunctionDecl, Stmt } from '../../syntax/ast';
import { hashText } from '../../syntax/macros';
import { sizeOf, type Type } from '../language';
import {
  baseNamed,
  blank,
  createSharedTrace,
  freshLanes,
  laneAt,
  Taint,
  type Contents,
  type MemoryPlace,
  type Path,
  type Recorder,
  type Value,
} from '../run';

/** Why a run on contents went no further: for these inputs, or for any. */
export class Stopped extends Error {
  constructor(
    readonly why: string,
    readonly byInput: boolean,
  ) {
    super(why);
  }
}

/** What a run starts from. Equal inputs give equal data to arrays and parameters of equal names. */
export interface Input {
  readonly seed: number;
  /** Floating-point data are small whole numbers, whose sums are exact in any order. */
  readonly isWhole: boolean;
  /** The value of an integer parameter, by its place among the integer parameters. */
  readonly integer: (at: number) => number;
  /** Threads that meet in one place take their turn in falling order. */
  readonly isReversed: boolean;
  /** An array of which every read gives what was there before the launch. */
  readonly readBefore?: string | undefined;
}

/** What a launch gives parameters by name: a number, or an array from some byte on. */
export type Given = ReadonlyMap<string, number | { readonly array: string; readonly offset: number }>;

interface Element {
  readonly value: number;
  /** The largest magnitude that it held: what a sum is rounded by. */
  readonly largest: number;
  readonly type: Type & { kind: 'scalar' };
}
type Elements = Map<number, Element>;

/** Arms of a condition that some thread came to: 1 for the first, 2 for the other, 3 for both. */
export interface Arms {
  readonly fn: FunctionDecl;
  readonly bits: number;
}

/** The arrays of a launch, and what its blocks did to them. */
export interface Memory {
  /** What was written to memory that outlives the launch, by array and byte. */
  readonly written: ReadonlyMap<string, Elements>;
  /** First and last byte that was reached, by array. */
  readonly reached: ReadonlyMap<string, readonly [number, number]>;
  readonly arms: ReadonlyMap<Stmt | Expr, Arms>;
  /** Barriers of the block that some of its threads missed. */
  readonly missed: number;
  /** Memory of a block or thread that was read before it was written: NaN, and what is computed with it. */
  readonly unset: number;
  /** What an array begins with at a byte. */
  initial(array: string, offset: number, type: Element['type']): number;
  /** The contents as one block of a launch sees them, which gives parameters a number or a place in an array. */
  ofBlock(block: Contents['block'], given: Given): Contents;
}

function scalarOf(type: Type): Element['type'] {
  if (type.kind !== 'scalar') throw new Stopped('memory holds what is no number', false);
  return type;
}

function requireKnown({ taint }: { readonly taint: number }): void {
  if (taint & ~(Taint.thread | Taint.block | Taint.float))
    throw new Stopped('it depends on values that the text does not settle', false);
}

export function createMemory(input: Input): Memory {
  const arrays = new Map<string, Elements>();
  const reached = new Map<string, [number, number]>();
  const arms = new Map<Stmt | Expr, Arms>();
  const memory = { written: arrays, reached, arms, missed: 0, unset: 0, initial, ofBlock };
  return memory;

  function initial(array: string, offset: number, type: Element['type']): number {
    // By bits: a remainder of numbers this large takes longer than the rest of a load.
    const hash = hashText(array, input.seed + offset) >>> 0;
    if (type.name === 'bool') return hash & 1;
    if (!type.float) return (hash & (type.size === 1 ? 7 : 31)) - (type.signed && !input.isWhole ? 8 : 0);
    return input.isWhole ? (hash % 9) - 4 : rounded(hash / 2 ** 31 - 1, type);
  }

  function ofBlock(block: Contents['block'], given: Given): Contents {
    const shared = new Map<number, Elements>();
    let integers = 0;
    const overwritten = new Set<number>();

    /** What is held at the bytes of a place, for one thread or for all. */
    function cellsOf({ base, type: of }: MemoryPlace, { mask }: Path) {
      const type = scalarOf(of);
      const { space, id, name } = base;
      if (space === 'unknown') throw new Stopped('a pointer leads to memory that is not known', false);
      const isGlobal = space === 'global' || space === 'constant';
      const held = isGlobal ? arrays : shared;
      const isReadBefore = isGlobal && name === input.readBefore;
      const array = (isGlobal ? name : id) as never;
      const elements: Elements = held.get(array) ?? new Map<number, Element>();
      (held as Map<unknown, Elements>).set(array, elements);
      const threads = mask.bits.length;
      const keyOf = (offset: number, thread: number): number =>
        space === 'local' ? offset * threads + thread : offset;
      return {
        type,
        get(offset: number, thread: number): number {
          if (isReadBefore && overwritten.has(offset))
            throw new Stopped(`a block reads elements of \`${name}\` after writing them`, false);
          const element = isReadBefore ? undefined : elements.get(keyOf(offset, thread));
          if (element) return as(element, type);
          if (isGlobal) return initial(name, offset, type);
          // What the text gives a thread's array.
          const value = base.elements?.get(offset);
          if (!value) {
            memory.unset++;
            return NaN;
          }
          requireKnown(value);
          return laneAt(value.lanes, thread);
        },
        set(offset: number, thread: number, number: number): void {
          const key = keyOf(offset, thread);
          const value = rounded(number, type);
          if (isReadBefore) overwritten.add(offset);
          elements.set(key, { value, type, largest: Math.max(Math.abs(value), elements.get(key)?.largest ?? 0) });
        },
      };
    }

    /** Visits the bytes that the threads of a path reach, in the order in which they take their turn. */
    function each(place: MemoryPlace, { mask }: Path, visit: (offset: number, thread: number) => void): void {
      requireKnown(place);
      const { length } = mask.bits;
      const { type, space, name } = place.base;
      const isGlobal = space === 'global' || space === 'constant';
      const end = (!isGlobal && type && sizeOf(type)) || Infinity;
      let [least, most] = [Infinity, -Infinity];
      for (let step = 0; step < length; step++) {
        const thread = input.isReversed ? length - 1 - step : step;
        if (!mask.bits[thread]) continue;
        const offset = laneAt(place.offset, thread);
        if (Number.isNaN(offset)) throw new Stopped('an address depends on memory that nothing wrote', true);
        if (offset < least) least = offset;
        if (offset > most) most = offset;
        if (!isGlobal && (offset < 0 || offset >= end)) throw new Stopped(`it reaches beyond \`${name}\``, true);
        visit(offset, thread);
      }
      if (!isGlobal || most === -Infinity) return;
      const last = most + (sizeOf(place.type) ?? 1);
      const [from, to] = reached.get(name) ?? [least, last];
      reached.set(name, [Math.min(from, least), Math.max(to, last)]);
    }

    const contents: Contents = {
      block,
      parameter(run, name, type) {
        const known = given.get(name);
        switch (type.kind) {
          case 'scalar': {
            const isDrawn = type.float || type.name === 'bool';
            const drawn = isDrawn ? initial(name, 0, type) || 1 : input.integer(integers++);
            return { ...blank, type, lanes: rounded(typeof known === 'number' ? known : drawn, type), taint: 0 };
          }
          case 'array':
          case 'pointer': {
            const to = type.kind === 'array' ? type.of : type.to;
            const { array, offset } = typeof known === 'object' ? known : { array: name, offset: 0 };
            const base = baseNamed(run, `parameter ${name}`, 'global', { name: array, type: to });
            return { ...blank, type: { kind: 'pointer', to }, lanes: offset, taint: 0, base };
          }
          case 'struct':
            return structOf(type, (field, { type: of }) => contents.parameter(run, `${name}.${field}`, of));
          default:
            throw new Stopped(`the type of \`${name}\` is not known`, false);
        }
      },
      load(place, path) {
        const { type } = place;
        if (type.kind === 'struct')
          return structOf(type, (_, { offset, type: of }) =>
            contents.load({ ...place, offset: shifted(place.offset, offset), type: of }, path),
          );
        const lanes = freshLanes(path.mask.bits.length);
        const { get } = cellsOf(place, path);
        each(place, path, (offset, thread) => {
          lanes[thread] = get(offset, thread);
        });
        return { ...blank, type, lanes, taint: Taint.thread };
      },
      store(place, value, path) {
        const { type } = place;
        if (type.kind === 'struct') {
          for (const [field, { offset, type: of }] of type.fields) {
            const part = value.fields?.get(field);
            if (!part) throw new Stopped(`\`${field}\` is stored without a value`, true);
            contents.store({ ...place, offset: shifted(place.offset, offset), type: of }, part, path);
          }
          return;
        }
        requireKnown(value);
        if (value.base || value.target) throw new Stopped('pointers are stored', false);
        const { set } = cellsOf(place, path);
        each(place, path, (offset, thread) => set(offset, thread, laneAt(value.lanes, thread)));
      },
      atomic(name, place, operands, path) {
        operands.forEach(requireKnown);
        const apply = atomics.get(/^atomic([A-Z][a-z]+|CAS)/.exec(name)?.[1] ?? '');
        if (!apply) throw new Stopped(`\`${name}\` is not followed`, false);
        const { type, get, set } = cellsOf(place, path);
        const lanes = freshLanes(path.mask.bits.length);
        each(place, path, (offset, thread) => {
          lanes[thread] = get(offset, thread);
          set(offset, thread, apply(lanes[thread]!, ...operands.map((operand) => laneAt(operand.lanes, thread))));
        });
        return { ...blank, type, lanes, taint: Taint.thread };
      },
      recorder: () => recorder,
    };
    const ignore = (): void => undefined;
    const unfollowed = (): never => {
      throw new Stopped('a part of it is not followed', false);
    };
    const recorder: Recorder = {
      accesses: new Map(),
      branches: new Map(),
      barriers: new Map(),
      unread: new Map(),
      inArms: [],
      joinArms: ignore,
      earlyReturn: undefined,
      access: ignore,
      flush: ignore,
      flushIteration: ignore,
      sections: { frontEnd: 0, assembler: 0 },
      begin: ignore,
      commit: ignore,
      rollback: ignore,
      warpCall: ignore,
      lose: unfollowed,
      instruction: unfollowed,
      branch(_, statement, form, value, { mask }, fn) {
        requireKnown(value);
        let bits = 0;
        for (let thread = 0; thread < mask.bits.length; thread++)
          if (mask.bits[thread]) bits |= laneAt(value.lanes, thread) ? 1 : 2;
        if (form !== 'conditional') arms.set(statement, { fn, bits: bits | (arms.get(statement)?.bits ?? 0) });
      },
      barrier(_node, _name, scope, { mask }, frame) {
        let live = 0;
        for (let at: typeof frame | undefined = frame; at; at = at.caller?.frame) live += at.returned?.count ?? 0;
        if (scope === 'block' && mask.count + live < mask.bits.length) memory.missed++;
      },
      shared: Object.assign(createSharedTrace(false), {
        copy: unfollowed,
        exchange: unfollowed,
        tile: unfollowed,
        abandon: unfollowed,
      }),
    };
    return contents;
  }
}

function structOf(
  type: Type & { kind: 'struct' },
  of: (name: string, field: { readonly offset: number; readonly type: Type }) => Value,
): Value {
  const fields = new Map([...type.fields].map(([name, field]) => [name, of(name, field)]));
  return { ...blank, type, lanes: 0, taint: 0, fields };
}

function shifted(lanes: MemoryPlace['offset'], by: number): MemoryPlace['offset'] {
  return by === 0 ? lanes : typeof lanes === 'number' ? lanes + by : lanes.map((lane) => lane + by);
}

/** What memory that holds an element gives as another type. */
function as({ value, type }: Element, wanted: Element['type']): number {
  if (type === wanted) return value;
  if (type.size !== wanted.size || type.float !== wanted.float)
    throw new Stopped('memory is read as another type', false);
  return rounded(value, wanted);
}

/** The number that a type holds of another. */
function rounded(value: number, { float, size, signed }: Element['type']): number {
  if (float) return size === 4 ? Math.fround(value) : value;
  if (size === 8) return Math.trunc(value);
  if (!Number.isFinite(value)) return NaN;
  const rest = 32 - 8 * size;
  return signed ? (value << rest) >> rest : (value << rest) >>> rest;
}

/** CUDA C++ Programming Guide, "Atomic Functions". */
const atomics = new Map<string, (old: number, first?: number, second?: number) => number>([
  ['Add', (old, by = 0) => old + by],
  ['Sub', (old, by = 0) => old - by],
  ['Exch', (_, by = 0) => by],
  ['Min', (old, by = 0) => Math.min(old, by)],
  ['Max', (old, by = 0) => Math.max(old, by)],
  ['Inc', (old, by = 0) => (old >= by ? 0 : old + 1)],
  ['Dec', (old, by = 0) => (old === 0 || old > by ? by : old - 1)],
  ['CAS', (old, expected, by = 0) => (old === expected ? by : old)],
  ['And', (old, by = 0) => old & by],
  ['Or', (old, by = 0) => old | by],
  ['Xor', (old, by = 0) => old ^ by],
]);
