// Runs the kernels of two texts on the same data and compares what they leave in memory.
import type { Expr, FunctionDecl, Node, Stmt } from '../../syntax/ast';
import { reachedFrom } from '../flow';
import { configurationsOf } from '../kernels';
import { calleeName, localsOf, once } from '../language';
import type { Extent, Model } from '../model';
import { run, type Contents } from '../run';
import { counted, withinSteps } from '../steps';
import { createMemory, Stopped, type Arms, type Input, type Memory } from '../contents';
import { launcherOf, launchersIn, type Launched, type Runnable } from './launched';

/** What running both texts tells: `rounded` where floating-point results differ by rounding. */
export type Verdict =
  | { readonly same: 'bits' | 'rounded' }
  /** For which sizes, where, and by what. */
  | { readonly differs: string }
  | { readonly undecided: string };

/** For all integers alike: below, at and above a warp, where loops and guards begin and end. */
const extents = [1, 33, 128, 0, 31, 32, 100, -1];
/** For different integers in turn: one that takes several blocks, beside short ones. */
const mixed = [7, 290, 33, 64, 1, 100];
/** For one input, and for all of them. */
const mostSteps = 400_000;
const mostOfAll = 3 * mostSteps;
/** A block that takes so many times what the other text took, and what a block takes to begin, may not end. */
const mostTimes = 16;
const mostThreads = 2 ** 15;
const stepsToBegin = 10_000;
const tooLong = 'it takes too many steps';
/** Launches that one text makes and those that the other makes in their place, for the integers of an input. */
interface Place {
  /** Names the place in its text. */
  readonly key: string;
  readonly kernel: FunctionDecl;
  /** Those that it launches, and whether they may be compared one by one. */
  readonly kernels: readonly string[];
  readonly isSplit: boolean;
  /** An array of which every read gives what was there before the launch. */
  readonly readBefore?: string | undefined;
  sides(input: Input): Sides | undefined;
}
type Sides = readonly [before: readonly Launched[], after: readonly Launched[]];

const runnables = new WeakMap<Model['facts'], Runnable>();
/** What the launches of a text left in memory, for all the texts that are compared with it. */
const executedBy = once((_: Runnable) => new Map<string, ReturnType<typeof counted<Memory | Stopped>>>());

/** Lets the text that a model is of be run. */
export function keepRunnable(model: Model, runnable: Runnable | undefined): Model {
  if (runnable) runnables.set(model.facts, runnable);
  return model;
}

/**
 * Compares what the kernels of two texts do, on data. Never throws on input. `isBuffered`: kernels of the second text
 * have a buffer to write to, and all reads of the array before it are of what was there before the launch.
 */
export function verified(before: Model, after: Model, isBuffered = false): Verdict {
  const [now, then] = [runnables.get(before.facts), runnables.get(after.facts)];
  if (!now || !then) return { undecided: 'the file has no kernels that can be run' };
  try {
    return verify(now, then, isBuffered);
  } catch (error) {
    return { undecided: `the run stopped: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Why a text may not take the place of another; with a `proof` by a run, also where the run does not tell. */
export function resultChange(before: Model, after: Model, proof?: 'run', isBuffered = false): string | undefined {
  const verdict = verified(before, after, isBuffered);
  if ('differs' in verdict) return `it changes results: ${verdict.differs}`;
  if (!proof || 'same' in verdict) return undefined;
  return `a run of both texts does not tell whether results change: ${verdict.undecided}`;
}

function verify(before: Runnable, after: Runnable, isBuffered: boolean): Verdict {
  if (before.declared !== after.declared) return { undecided: 'declarations change' };
  let verdict: Verdict = { undecided: 'no kernel changes' };
  const compared = new Set<string>();
  for (const place of placesOf(before, after, compared, isBuffered)) {
    if ('undecided' in place) return place;
    const next = verifyPlace(place, before, after);
    if ('undecided' in next && next.undecided === tooLong && place.isSplit) continue;
    if (!('same' in next)) return next;
    if (!('same' in verdict) || next.same === 'rounded') verdict = next;
    for (const name of place.kernels) compared.add(name);
  }
  return verdict;
}

/** The functions that launch what changed, then the kernels that were not compared by those. */
function* placesOf(
  before: Runnable,
  after: Runnable,
  compared: ReadonlySet<string>,
  isBuffered: boolean,
): Generator<Place | { readonly undecided: string }> {
  const isGone = ({ key }: FunctionDecl): boolean => after.program.withKey(key).length === 0;
  const isChanged = (kernel: FunctionDecl): boolean => reachedFrom(kernel, before.program).some(isGone);
  const moved = new Set<string | undefined>();
  for (const fn of isBuffered ? [] : launchersIn(before)) {
    if (isGone(fn)) moved.add(fn.qualifiedName);
    const then = counterpart(fn, after);
    const launch = launcherOf(fn, before);
    const launchNext = then && launcherOf(then, after);
    const first = launch(() => extents[0]!);
    if (!first || !then || !launchNext?.(() => extents[0]!)) continue;
    if (first.some(({ block, grid }) => threadsOf(block) * threadsOf(grid) > mostThreads)) continue;
    const kernels = first.map(({ kernel }) => kernel);
    const touched = kernels.find(isChanged) ?? (isGone(fn) ? kernels[0] : undefined);
    if (!touched && !isGone(fn)) continue;
    if (callsIn(fn, before) !== callsIn(then, after)) yield { undecided: `other calls are made in \`${fn.name}\`` };
    const sides: Place['sides'] = (input) => {
      const integer = (name: string): number => input.integer(name.length + (name.codePointAt(0) ?? 0));
      const [now, next] = [launch(integer), launchNext(integer)];
      return now && next && [now, next];
    };
    const names = kernels.map(({ qualifiedName }) => qualifiedName);
    if (touched) yield { key: fn.key, kernel: touched, kernels: names, isSplit: !isGone(fn), sides };
  }
  for (const kernel of before.file.functions) {
    if (!kernel.global || !kernel.body || compared.has(kernel.qualifiedName) || !isChanged(kernel)) continue;
    const then = counterpart(kernel, after, Number(isBuffered));
    if (before.launchesOf(kernel).some(({ within }) => moved.has(within))) yield { undecided: 'its launches change' };
    if (!then) return yield { undecided: `\`${kernel.name}\` has no counterpart` };
    const place = then.params.findIndex(({ name }, index) => name !== kernel.params[index]?.name);
    const [array, buffer] = isBuffered ? [then.params[place - 1]?.name, then.params[place]?.name] : [];
    const given: Launched['given'] = new Map(array && buffer ? [[buffer, { array, offset: 0 }]] : []);
    const configured = (fn: FunctionDecl, { program, types, launchesOf }: Runnable) =>
      configurationsOf(fn, [fn], program, launchesOf(fn), types);
    const [first, second] = [configured(kernel, before), configured(then, after)];
    if (first.length !== second.length) yield { undecided: 'its launches change' };
    for (const [at, now] of first.entries()) {
      const next = second[at]!;
      if (String(next.block) !== String(now.block)) yield { undecided: 'its launches change' };
      const of = (fn: FunctionDecl, { block, grid, bindings }: typeof now, input: Input): Launched => ({
        ...{ kernel: fn, block, bindings, grid: gridOf(block, grid, input), given },
      });
      const sides = (input: Input): Sides => [[of(kernel, now, input)], [of(then, next, input)]];
      yield { key: `${at} ${kernel.key} ${array}`, kernel, kernels: [], isSplit: false, readBefore: array, sides };
    }
  }
}

function textOf({ start, end }: Node, fn: FunctionDecl, program: Runnable['program']): string {
  const { base } = fn;
  return (
    program
      .fileOf(fn)
      ?.text.slice(base + start, base + end)
      .replace(/\s+/g, ' ') ?? ''
  );
}

/** What host code calls beside its functions, under which conditions, and where it launches, in their order. */
function callsIn(fn: FunctionDecl, { program, types }: Runnable): string {
  const locals = localsOf(fn);
  const calls = locals.nodes.flatMap((node) => {
    const name = node.kind === 'call' ? calleeName(node) : undefined;
    let text = '<<<>>>';
    if (node.kind !== 'launch') {
      if (name === undefined || types.resolve({ kind: 'named', name }).kind !== 'unknown') return [];
      if (program.functions(name).some(({ body }) => body)) return [];
      text = textOf(node, fn, program);
    }
    for (let at = locals.parent(node); at; at = locals.parent(at))
      if ('cond' in at && at.cond) text += ` in ${textOf(at.cond, fn, program)}`;
    return text;
  });
  // Launches in a row may be fewer or more: they are run.
  return calls.filter((text, at) => !text.startsWith('<<<>>>') || calls[at - 1] !== text).join();
}

function counterpart(fn: FunctionDecl, { main, file }: Runnable, more = 0): FunctionDecl | undefined {
  const alike = [...new Set([...main.functions, ...file.functions])].filter(
    ({ qualifiedName, params, body }) =>
      body && qualifiedName === fn.qualifiedName && params.length === fn.params.length + more,
  );
  return alike.length === 1 ? alike[0] : undefined;
}

/** Blocks along each axis: no more than the launch gives, one or two, so that threads of several blocks meet. */
function gridOf(block: Launched['block'], { x, y, z }: Extent, { isReversed }: Input): Launched['grid'] {
  const few = (axis: number): number => (axis > 0 && block[axis] === 1 ? 1 : 1 + Number(isReversed));
  return [Math.min(x ?? Infinity, few(0)), Math.min(y ?? Infinity, few(1)), Math.min(z ?? Infinity, few(2))];
}

/** With one block more than host code starts, where both texts start as many: it comes to what ends a kernel. */
function withOneMore(sides: Sides): Sides {
  const more = ({ grid: [x, y, z], ...rest }: Launched): Launched => ({ ...rest, grid: [x + 1, y, z] });
  const keyOf = ({ block, grid, given }: Launched): string => JSON.stringify([block, grid, [...given]]);
  const [now, then] = sides.map((side) => side.map(keyOf).join());
  return now === then ? [sides[0].map(more), sides[1].map(more)] : sides;
}

/** How much of a launch is run: of many blocks the first, and what the other text has in its place. */
function partOf({ block, grid }: Launched): number {
  return threadsOf(block) * threadsOf(grid) > mostThreads ? 1 / threadsOf(grid) : 1;
}

const threadsOf = ([x, y, z]: Launched['block']): number => x * y * z;

function verifyPlace({ key, kernel, sides, readBefore }: Place, before: Runnable, after: Runnable): Verdict {
  const known = executedBy(before);
  const arms = new Map<Stmt | Expr, Arms>();
  let same: 'bits' | 'rounded' = 'bits';
  let valid = 0;
  let why = 'no inputs were found that it runs on';
  let left = mostOfAll;
  for (const [at, drawn] of [...inputs, ...inputsBeyond(sides)].entries()) {
    const input = { ...drawn, readBefore };
    if (left <= 0) break;
    const launches = sides(input);
    if (!launches) continue;
    const [now, then] = input.isReversed ? withOneMore(launches) : launches;
    const parts = launches[0].map(partOf);
    const keyOfRun = JSON.stringify([key, at, now.map(({ grid }) => grid)]);
    const run = known.get(keyOfRun) ?? counted(() => execute(before, now, input, parts));
    known.set(keyOfRun, run);
    const { value: first, steps } = run;
    left -= steps;
    if (first instanceof Stopped) {
      if (!first.byInput) return { undecided: first.why };
      ({ why } = first);
      continue;
    }
    const most = mostTimes * (steps + stepsToBegin);
    const { value: second, steps: taken } = counted(() => execute(after, then, input, parts, Infinity, most));
    left -= taken;
    if (second instanceof Stopped) return { undecided: second.why };
    if (first.unset > 0) why = 'memory is read before it is written';
    else {
      if (first.reached.size > 0 && [0, 1].some((place) => input.integer(place) > 1)) valid++;
      for (const [stmt, { fn, bits }] of [...first.arms, ...second.arms])
        arms.set(stmt, { fn, bits: bits | (arms.get(stmt)?.bits ?? 0) });
    }
    const verdict = compare(first, second);
    if ('differs' in verdict && Math.min(...parts) < 1) return { undecided: 'its first blocks do other work' };
    if ('differs' in verdict) return { differs: `${sizesText(launches[0], kernel)}${verdict.differs}` };
    if (verdict.same === 'rounded') ({ same } = verdict);
  }
  if (valid === 0) return { undecided: why };
  for (const [stmt, { fn, bits }] of arms)
    if ((bits & 1) === 0 || (stmt.kind === 'if' && stmt.else && (bits & 2) === 0))
      return { undecided: `a statement of \`${fn.name}\` was not reached` };
  return { same };
}

/** Those that tell the most first: an input takes what the others leave of the steps. */
const inputs = [0, 3, 6, 1, 4, 2, 5, 7].flatMap((at): Input[] => {
  const of = (list: readonly number[], each: number, isWhole: boolean): Input => ({
    seed: 7919 * (3 * at + (at % 3)),
    isWhole,
    isReversed: at % 2 === 1,
    integer: (place) => list[(at + each * place) % list.length]!,
  });
  return [of(extents, 0, true), of(mixed, 1, true), of(mixed, 1, false)].slice(0, at < 3 ? 3 : 2);
});

/** Where the launches change: sizes beyond their threads, for loops in which a thread has several iterations. */
function inputsBeyond(sides: Place['sides']): readonly Input[] {
  const [input] = inputs;
  const all = sides(input!)?.map((side) => side.map(({ block, grid }) => threadsOf(block) * threadsOf(grid)));
  if (!all || String(all[0]) === String(all[1])) return [];
  const size = 2 * Math.max(...all.flat()) + 1;
  return [{ ...input!, integer: () => size }];
}

function* blocksOf([x, y, z]: Launched['grid']): Generator<Contents['block']> {
  for (let k = 0; k < z; k++) for (let j = 0; j < y; j++) for (let i = 0; i < x; i++) yield [i, j, k];
}

/** Block after block, launch after launch. */
function execute(
  text: Runnable,
  launches: readonly Launched[],
  input: Input,
  parts: readonly number[],
  most = mostSteps,
  mostOfBlock = most,
): Memory | Stopped {
  const memory = createMemory(input);
  let left = most;
  for (const [at, { kernel, bindings, block, grid, given }] of launches.entries()) {
    let blocks = Math.ceil((parts[at] ?? 1) * threadsOf(grid));
    // A launch of no threads fails.
    for (const place of threadsOf(block) > 0 ? blocksOf(grid) : []) {
      if (blocks-- <= 0) break;
      const contents = memory.ofBlock(place, given);
      const setup = { ...text, fn: kernel, bindings, block, grid, args: [], host: false, budget: Infinity, contents };
      const { result, steps, isWhole } = withinSteps(Math.min(left, mostOfBlock), () => run(setup));
      left -= steps;
      const failure = result?.failure;
      if (failure instanceof Stopped) return failure;
      if (failure !== undefined) throw failure;
      if (!isWhole || !result?.complete) return new Stopped(tooLong, true);
    }
  }
  return memory;
}

/** What the blocks left in memory, and whether the second text reached for more than the first. */
function compare(first: Memory, second: Memory): Extract<Verdict, { same: unknown } | { differs: unknown }> {
  if (second.missed > first.missed) return { differs: 'some threads miss a barrier' };
  for (const [array, [from, to]] of second.reached) {
    const span = first.reached.get(array);
    const beyond = !span || from < span[0] ? from : to > span[1] ? to - 1 : undefined;
    if (beyond !== undefined) return { differs: `byte ${beyond} of \`${array}\` is accessed, as it was not before` };
  }
  let same: 'bits' | 'rounded' = 'bits';
  for (const array of new Set([...first.written.keys(), ...second.written.keys()])) {
    const [now, then] = [first.written.get(array), second.written.get(array)];
    for (const offset of new Set([...(now?.keys() ?? []), ...(then?.keys() ?? [])])) {
      const { type } = (now?.get(offset) ?? then?.get(offset))!;
      const start = first.initial(array, offset, type);
      const [old, next] = [now?.get(offset), then?.get(offset)];
      const [a, b] = [old?.value ?? start, next?.value ?? start];
      if (Object.is(a, b) || a === b) continue;
      const scale = Math.max(1, Math.abs(a), Math.abs(b), old?.largest ?? 0, next?.largest ?? 0);
      // Half of the bits of a number: sums as long as a run makes them lose less.
      const bits = type.size === 8 ? 26 : type.size === 4 ? 12 : 5;
      if (!type.float || !(Math.abs(a - b) <= scale * 2 ** -bits))
        return { differs: `\`${array}[${offset / type.size}]\` is ${shown(a)} before and ${shown(b)} after` };
      same = 'rounded';
    }
  }
  return { same };
}

function shown(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function sizesText(launches: readonly Launched[], kernel: FunctionDecl): string {
  const given = launches.find((each) => each.kernel === kernel)?.given ?? [];
  const sizes = [...given].flatMap(([name, value]) => (typeof value === 'number' ? [`${name} = ${shown(value)}`] : []));
  return sizes.length > 0 ? `with ${sizes.join(', ')}, ` : '';
}
