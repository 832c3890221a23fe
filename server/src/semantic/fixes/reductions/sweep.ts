// Runs the statements of a sweep on random numbers: a tree reduction leaves the total of an array in its first element.
import type { Expr, Stmt } from '../../../syntax/ast';
import {
  ancestorsOf,
  type AnySyntax,
  calleeName,
  isStatement,
  type Local,
  some,
  type Type,
  walk,
} from '../../language';
import type { MemoryBase } from '../../run';
import {
  at,
  elementOf,
  evaluate,
  fieldOf,
  isData,
  type Frame,
  type Hooks,
  nameOf,
  probed,
  probeName,
  runApart,
  settled,
  type ThreadValue,
} from './frame';
import { isShared, placeOf, type SweepOperator, type SweptArray } from './places';

export type SweepRun = Exclude<ReturnType<typeof runSweep>, 'unfinished' | undefined>;

type Swept = Omit<SweptArray, 'operator'>;
/** What an element of an array begins with; arrays differ. */
type Initial = (element: number, array: number) => number;

const smallestSweep = 32;
const mostElements = 8192;
const operators: readonly (readonly [SweepOperator, (total: number, next: number) => number])[] = [
  ['+', (total, next) => total + next],
  ['^', (total, next) => total ^ next],
  ['|', (total, next) => total | next],
  ['&', (total, next) => total & next],
  ['max', Math.max],
  ['min', Math.min],
];
/** Elements of an array by their number: random, rising, and falling ones, whose sums of a block a float holds. */
const contents: readonly Initial[] = [
  random,
  (element, array) => (random(element, array) % 2) + 2 * element,
  (element, array) => mostElements - (random(element, array) % 2) - 2 * element,
];
function random(element: number, array: number): number {
  return (Math.imul(element + 1 + 8192 * array, 0x9e3779b1) >>> 12) & 4095;
}

/** Small types hold small numbers. */
function initialOf(initial: Initial, element: number, array: number, type: Type): number {
  const value = initial(element, array);
  if (type.kind !== 'scalar') return value;
  const { name, size } = type;
  return name === 'bool' ? value % 2 : size === 1 ? value % 128 : value;
}

/** What leaves the statements, or makes something else of memory than numbers in their places. */
const foreign = /^(return|break|continue|goto|label|switch|case|asm|opaque|try|launch|lambda)$/;

/** Runs statements as a whole; undefined where they are no sweep, `unfinished` where more of them may be. */
export function runSweep(statements: readonly Stmt[], frame: Frame) {
  const isForeign = (node: AnySyntax): boolean =>
    foreign.test(node.kind) || (node.kind === 'var' && node.space !== 'none');
  if (statements.some((stmt) => some(stmt, isForeign))) return undefined;
  const arrays = sweptIn(statements, frame);
  if (!arrays || arrays.length === 0) return arrays && 'unfinished';
  const ran: Ran[] = [];
  for (const initial of contents) {
    const one = runOn(statements, arrays, frame, initial);
    if (!one) return undefined;
    ran.push(one);
    if (arrays.some((_, position) => !totalIn(ran, position))) return 'unfinished';
  }
  const found = arrays.map((_, position) => totalIn(ran, position));
  const count = found[0]?.count;
  if (count === undefined || found.some((one) => one?.count !== count)) return 'unfinished';
  const [{ barriers, barrierFirst, combines }] = ran as [Ran];
  return {
    arrays: arrays.map((array, position): SweptArray => ({ ...array, operator: found[position]!.operator })),
    /** Elements that go into the total, from element 0 on. */
    count,
    /** Barriers that the whole block meets at. */
    blockBarriers: barriers,
    barrierFirst,
    combines,
    /** Does thread 0 have the total of the array in a variable at the end? */
    carries(local: Local, array: SweptArray): boolean {
      const position = arrays.findIndex(({ path }) => path === array.path);
      const total = ran[0]!.arrays[position]!.get(0);
      const last = runOn([...statements, probed(nameOf(local.name))], arrays, frame, random)?.probe;
      return last !== undefined && at(last, 0) === total;
    },
  };
}

/** What totals of arrays a loop leaves in their first elements, beside what else it stores: a value and its index. */
export function totalsOf(loop: Stmt, frame: Frame): readonly SweptArray[] {
  if (some(loop, ({ kind }) => foreign.test(kind))) return [];
  const arrays = sweptIn([loop], frame, true) ?? [];
  if (arrays.length === 0) return [];
  const ran = contents.map((initial) => runOn([loop], arrays, frame, initial, true));
  if (!ran.every((one) => one !== undefined && one.barriers > 0)) return [];
  return arrays.flatMap((array, position) => {
    const total = totalIn(ran as Ran[], position, true);
    // A sort leaves its least in the first element too, but stores to all of them.
    const isTree = ran.every((one) => 2 * one!.arrays[position]!.size <= (total?.count ?? 0));
    return total && isTree ? [{ ...array, operator: total.operator }] : [];
  });
}

/** The arrays that the statements store to, each with the subscript that differs between threads or steps. */
function sweptIn(statements: readonly Stmt[], frame: Frame, takesAll = false): Swept[] | undefined {
  const { locals } = frame.context;
  const found = new Map<string, Swept & { isStored?: true }>();
  const roots = new Map<object, number>();
  const isForeign = (node: AnySyntax): boolean => {
    const place = node.kind === 'assign' ? placeOf(node.target, frame) : undefined;
    return (
      node.kind === 'assign' && !!place && (!isShared(place.root, frame) || (!takesAll && some(node.value, isLogical)))
    );
  };
  // Cheaper than which of the subscripts differ between threads.
  if (statements.some((stmt) => some(stmt, isForeign))) return undefined;
  const note = (expr: Expr, stored?: Expr): void => {
    const place = placeOf(expr, frame);
    if (!place || !isShared(place.root, frame)) return;
    const isOnly = place.path.filter((part) => typeof part !== 'string').length === 1;
    const varies = place.path.map(
      (part) => !isOnly && typeof part !== 'string' && typeof evaluate(part, frame) !== 'number',
    );
    const last = varies.lastIndexOf(true);
    const swept = last >= 0 ? last : place.path.findLastIndex((part) => typeof part !== 'string');
    const path = place.path.map((part, position) => (position === swept ? undefined : part));
    if (!roots.has(place.root.key)) roots.set(place.root.key, roots.size);
    const texts = path.map((part) => (part && typeof part !== 'string' ? frame.context.text(part) : part));
    const key = `${roots.get(place.root.key)} ${texts.join(' ')}`;
    const stmt = [...ancestorsOf(expr, locals)].find(isStatement);
    const combine = stmt?.kind === 'expr' || stmt?.kind === 'decl' ? stmt : undefined;
    const known = found.get(key);
    const callee = stored && combinerIn(stored);
    if (!combine && !known) return;
    found.set(key, {
      ...(known ?? { root: place.root, path, combine: combine! }),
      ...(callee !== undefined && known?.callee === undefined ? { callee } : {}),
      ...(stored ? { isStored: true } : {}),
    });
  };
  for (const stmt of statements)
    walk(stmt, (node) => {
      if (node.kind === 'assign') note(node.target, node.value);
      else if (node.kind === 'index' || node.kind === 'member' || node.kind === 'unary') note(node);
      return node.kind !== 'member';
    });
  return [...found.values()].filter(({ isStored }) => isStored);
}

const isLogical = (node: AnySyntax): boolean => node.kind === 'binary' && /^(&&|\|\|)$/.test(node.op);

/** The function of two values by which a new element is made, as the code calls it. */
function combinerIn(value: Expr): string | undefined {
  let found: string | undefined;
  walk(value, (node) => {
    if (node.kind !== 'call' || node.args.length !== 2 || node.callee.kind !== 'name') return;
    const { callee } = node;
    if (!callee.macro && !callee.templateArgs && /(max|min|add|add_rn)[fl]?$/.test(calleeName(node) ?? ''))
      found ??= callee.name;
  });
  return found;
}

type Ran = NonNullable<ReturnType<typeof runOn>>;

const known = settled | isData;

/** What one run left: the elements of each array by their number, `last` the one that was read or written. */
function runOn(
  statements: readonly Stmt[],
  arrays: readonly Swept[],
  frame: Frame,
  initial: Initial,
  takesArms = false,
) {
  // Where the first two elements of each array are: loads of them come first.
  const marks = arrays.flatMap((array) => [0, 1].map((element) => markOf(array, element)));
  const elements: { readonly base: object; readonly offset: number; readonly type: Type }[] = [];
  let loaded: (typeof elements)[number] | undefined;
  const cells = new Map<object, Map<number, number>>();
  const last = arrays.map(() => -1);
  let [barriers, combines, barrierFirst] = [0, 0, false];
  let result: ThreadValue | undefined;
  let read: { readonly base: object; readonly offset: ThreadValue; readonly bits: Uint8Array }[] = [];
  const cellsOf = (base: object): Map<number, number> => {
    const found = cells.get(base) ?? new Map<number, number>();
    cells.set(base, found);
    return found;
  };
  const elementAt = (array: number, base: object, offset: number): number | undefined => {
    const [first, second] = elements.slice(2 * array);
    if (!first || !second || first.base !== base) return undefined;
    const element = (offset - first.offset) / (second.offset - first.offset);
    return Number.isInteger(element) && element >= 0 && element < mostElements ? element : undefined;
  };
  // Several arrays may lie in one, each up to where the next begins.
  const arrayAt = (base: object, offset: number): number => {
    let found = -1;
    for (const array of arrays.keys())
      if (elementAt(array, base, offset) !== undefined && !(startOf(array) < startOf(found))) found = array;
    return found;
  };
  const startOf = (array: number): number => elements[2 * array]?.offset ?? -Infinity;
  const heldAt = (base: object, offset: number, type: Type): number => {
    const array = arrayAt(base, offset);
    const element = array < 0 ? undefined : elementAt(array, base, offset)!;
    if (element !== undefined) last[array] = Math.max(last[array]!, element);
    return cellsOf(base).get(offset) ?? initialOf(initial, element ?? offset, array, type);
  };
  const hooks: Hooks = {
    takesArms,
    load({ place: { base, offset, taint, type }, path: { mask } }) {
      if (isOfLaunch(base, frame) || taint & ~known) return undefined;
      if (elements.length < marks.length) {
        if (typeof offset === 'number') loaded ??= { base, offset, type };
        return 0;
      }
      read.push({ base, offset, bits: mask.bits });
      return Float64Array.from(mask.bits, (on, thread) => (on ? heldAt(base, at(offset, thread), type) : 0));
    },
    store({ place: { base, offset, taint, type }, path: { mask } }, { lanes, taint: of, fields }) {
      if (elements.length < marks.length) {
        if (!loaded) throw new Error('an array is not found');
        elements.push(loaded);
        loaded = undefined;
        return;
      }
      if (base.name === probeName) {
        result = of & ~known ? undefined : lanes;
        return;
      }
      if (fields || isOfLaunch(base, frame) || (taint | of) & ~known) throw new Error('a store is not followed');
      combines++;
      const written = new Map<number, number>();
      for (const [thread, on] of mask.bits.entries()) {
        const byte = at(offset, thread);
        if (on) written.set(byte, written.has(byte) ? NaN : at(lanes, thread));
      }
      // Beyond one warp, an element that one thread reads while another writes it holds either value.
      if (mask.count > 32)
        for (const one of read)
          for (const [thread, on] of one.base === base ? mask.bits.entries() : []) {
            const byte = at(one.offset, thread);
            if (on && one.bits[thread] && byte !== at(offset, thread) && written.has(byte))
              written.set(at(offset, thread), NaN);
          }
      for (const [byte, value] of written) {
        heldAt(base, byte, type);
        cellsOf(base).set(byte, value);
      }
      read = [];
    },
    barrier(scope) {
      read = [];
      if (combines === 0) barrierFirst = true;
      if (scope === 'block') barriers++;
    },
  };
  if (!runApart(frame, statements[0]!, statements, hooks, marks)) return undefined;
  const values = arrays.map((_, array) => {
    const { base } = elements[2 * array]!;
    const its = [...cellsOf(base)].filter(([byte]) => arrayAt(base, byte) === array);
    return new Map(its.map(([byte, value]) => [elementAt(array, base, byte)!, value]));
  });
  return {
    arrays: values,
    initial,
    types: elements.filter((_, at) => at % 2 === 0).map(({ type }) => type),
    last,
    barriers,
    barrierFirst,
    combines,
    probe: result,
  };
}

/** Memory that outlives the block. */
function isOfLaunch({ space }: MemoryBase, { context }: Frame): boolean {
  return space === 'constant' || (space === 'global' && context.decl.global);
}

/** A load of an element. */
function markOf({ root, path }: Swept, element: number): Stmt {
  const place = path.reduce<Expr>(
    (base, part) => (typeof part === 'string' ? fieldOf(base, part) : elementOf(base, part ?? element)),
    nameOf(root.name),
  );
  return probed(place);
}

/** The operator that makes element 0 of an array of its first elements, or `ofAll` that were touched, in all runs. */
function totalIn(
  ran: readonly Ran[],
  array: number,
  ofAll = false,
): (Pick<SweptArray, 'operator'> & { count: number }) | undefined {
  const type = ran[0]!.types[array]!;
  const initialIn = ran.map(
    ({ initial }) =>
      (element: number) =>
        initialOf(initial, element, array, type),
  );
  const totals = ran.map(({ arrays }, at) => arrays[array]!.get(0) ?? initialIn[at]!(0));
  const most = Math.max(...ran.map(({ last }) => last[array]!)) + 1;
  for (const [operator, combine] of operators) {
    const now = initialIn.map((initial) => initial(0));
    for (let count = 1; count <= most; count++) {
      const isWhole = count === most || (!ofAll && !/[|&]/.test(operator));
      if (count >= smallestSweep && isWhole && now.every((each, at) => each === totals[at])) return { operator, count };
      initialIn.forEach((initial, at) => (now[at] = combine(now[at]!, initial(count))));
    }
  }
  return undefined;
}
