// The guard that keeps threads within an array: found in the text, and tried by running the kernel with it.
import type { BinaryExpr, Expr, FunctionDecl, NameExpr, Node, NumberExpr, ParamDecl, Stmt } from '../../syntax/ast';
import { ancestorsOf, type Bindings, FunctionText, inBlock, isStatement, localsOf, type Program } from '../language';
import { onceWith, sameExpr, sizeOf, type TypeTable, writtenAround } from '../language';
import type { OverrunFact } from '../model';
import { mayMeet } from '../program';
import { laneAt, type LaunchConfiguration, type Locator, type MemoryBase } from '../run';
import type { RunResult, TracedAccess } from '../run';
import { bytesOf } from './touched';
import { findGlobalOverruns, type GivenRooms, isVariable, roomOf, scalarOf } from './overruns';

/** What a launch gives, and what its outermost blocks do when it starts a version of the kernel. */
export interface TriedLaunch {
  readonly launch: LaunchConfiguration;
  readonly bindings: Bindings;
  readonly rooms: readonly GivenRooms[];
  readonly trace: (kernel: FunctionDecl) => readonly RunResult[];
}
type Bound = Readonly<{ index: Expr; limit: NameExpr | NumberExpr }>;
/** Comparisons made strict or no longer strict, a `return` before a statement, or a condition of the statement. */
type Guard =
  | { readonly kind: 'compare'; readonly compared: readonly BinaryExpr[] }
  | { readonly kind: 'return' | 'wrap'; readonly stmt: Stmt; readonly bounds: readonly Bound[] };
export type GuardOrWhy = Readonly<{ guard?: Guard; why?: string }>;
type Candidate = readonly [Guard, FunctionDecl];
type Overrun = Readonly<{ key: string; global?: object; base: MemoryBase; place: Pick<TracedAccess, 'node' | 'fn'> }>;

const turned: Readonly<Record<string, string>> = { '<=': '<', '>=': '>', '<': '<=', '>': '>=' };

/** For each access of the kernel beyond global memory: the guard that fits all launches, or why there is none. */
export function guardsOf(
  kernel: FunctionDecl,
  overruns: readonly Overrun[],
  launches: readonly TriedLaunch[],
  { program, types, isAll, budget }: Readonly<{ program: Program; types: TypeTable; isAll: boolean; budget: number }>,
): ReadonlyMap<string, GuardOrWhy> {
  const ofKernel = overruns.filter(({ global, place }) => global && place.fn === kernel);
  const locals = localsOf(kernel);
  const before = ofKernel.length === 0 ? [] : launches.map((each) => each.trace(kernel));
  const traces = new Map<string, readonly (readonly RunResult[])[]>();
  let spent = 0;
  const statementOf = (node: Node): Stmt | undefined => [...ancestorsOf(node as Expr, locals)].find(isStatement);
  // A guard is tried for each access, on the same runs.
  const beyondIn = onceWith(({ global }: RunResult, given: GivenRooms): readonly Node[] =>
    findGlobalOverruns(global, given, kernel).map(({ access }) => access.node),
  );
  const reachesIn = onceWith((run: RunResult, given: GivenRooms) => reachesOf(run, given, kernel));
  const changeOf = onceWith((now: RunResult, then: RunResult, given: GivenRooms) => {
    const [all, kept] = [reachesIn(now, given), reachesIn(then, given)];
    const stores = [...kept.values()].filter(({ event }) => event.mode !== 'load');
    const busy = new Set(stores.flatMap(({ lanes }) => [...lanes.keys()]));
    return { more: lostIn(kept, all).length > 0, lost: lostIn(all, kept), busy };
  });
  return new Map(overruns.filter(({ global }) => global).map((overrun) => [overrun.key, guardOf(overrun)]));

  function guardOf(overrun: Overrun): GuardOrWhy {
    if (overrun.place.fn !== kernel) return { why: 'another function makes the access' };
    if (!isAll) return { why: 'not all launches are known with their blocks and memory' };
    const compared = comparisons().find((candidate) => fits(candidate, overrun));
    if (compared) return { guard: compared[0] };
    const bounds = boundsOf(overrun);
    if (typeof bounds === 'string') return { why: bounds };
    const all = boundedBy(bounds, overrun);
    const free = all.filter(([guard]) => guard.kind !== 'return' || !meetsBehind(guard.stmt));
    const fit = free.find((candidate) => fits(candidate, overrun));
    if (fit) return { guard: fit[0] };
    if (spent > budget) return { why: 'its trials take too long' };
    return { why: free.length < all.length ? 'threads meet after it' : 'it would stop threads that have other work' };
  }

  function fits([guard, changed]: Candidate, { place: { node } }: Overrun): boolean {
    const key = JSON.stringify(guard);
    if (!traces.has(key) && spent > budget) return false;
    const after = traces.get(key) ?? launches.map((each) => each.trace(changed));
    if (!traces.has(key)) for (const result of after.flat()) spent += result.spent;
    traces.set(key, after);
    return launches.every(({ rooms }, at) =>
      before[at]!.every((run, block) => rooms.every((given) => isMended(node, guard, run, after[at]![block]!, given))),
    );
  }

  /** Is the access within its memory, no other one beyond, and all else stored and read that was needed? */
  function isMended(node: Node, guard: Guard, now: RunResult, then: RunResult, given: GivenRooms): boolean {
    const isReached = ({ global }: RunResult): boolean =>
      global.some((event) => event.kind === 'access' && event.node === node && event.mask.count > 0);
    if (!now.complete || !then.complete || (isReached(now) && !isReached(then))) return false;
    const [beyond, left] = [beyondIn(now, given), beyondIn(then, given)];
    if (left.includes(node) || left.some((one) => !beyond.includes(one))) return false;
    const statements = new Set(beyond.map((one) => statementOf(one)));
    const { more, lost, busy } = changeOf(now, then, given);
    const isFree = ({ event: { mode, base, kind, node: place }, lane }: Lost): boolean => {
      const isBeside = base.space !== 'shared' && statements.has(statementOf(place));
      if (mode === 'load' || kind === 'scattered') return isBeside || !busy.has(lane);
      return isBeside && leavesRow(place, guard, kernel);
    };
    return !more && lost.every(isFree);
  }

  /** One comparison, or all of one condition. */
  function comparisons(): readonly Candidate[] {
    const all = locals.nodes.filter(
      (node): node is BinaryExpr => node.kind === 'binary' && node.op in turned && !node.macro,
    );
    const joined = locals.nodes.flatMap((node) => {
      if (node.kind !== 'binary' || !/^(&&|\|\|)$/.test(node.op) || locals.parent(node)?.kind === 'binary') return [];
      const length = node.op === '&&' ? 2 : 1;
      return [all.filter((one) => one.op.length === length && holds(node, one))];
    });
    return [...all.map((one) => [one]), ...joined].map((compared) => [
      { kind: 'compare', compared },
      replacedIn(kernel, new Map(compared.map((one) => [one, { ...one, op: turned[one.op]! }]))),
    ]);
  }

  /** Limits of the parts of the index that end with the array and its rows, by value; else why there are none. */
  function boundsOf({ place: { node }, base }: Overrun): readonly Bound[] | string {
    const parts = partsOf(node as Expr, kernel);
    if (!parts) return 'its index is not a variable of the thread, or a row and a column';
    const isKept = (name: string): boolean =>
      locals.all.every((one) => one.name !== name || (one.parameter && one.writes.length === 0 && !one.addressTaken));
    const valueAt = (expr: Expr, { launch, bindings }: TriedLaunch): number | undefined => {
      const name = expr.kind === 'name' ? expr.name : undefined;
      if (name !== undefined && !isKept(name)) return undefined;
      const at = kernel.params.findIndex((param) => param.name === name);
      return at >= 0 ? launch.args[at] : types.constant(expr, bindings, kernel.className);
    };
    const param = kernel.params.indexOf(base.declaration?.node as ParamDecl);
    const counts = launches.flatMap((each, at) => {
      const events = before[at]!.flatMap(({ global }) => global);
      const seen = events.find((event) => event.kind === 'access' && event.node === node) as TracedAccess | undefined;
      const type = seen?.base.type ?? base.type!;
      const row = parts.reduce((product, { size }) => product * (size ? (valueAt(size, each) ?? Number.NaN) : 1), 1);
      const sizes = param < 0 ? [sizeOf(type)] : each.rooms.map(({ rooms }) => rooms[param]?.[1]);
      return sizes.map((bytes = Number.NaN) => [each, bytes / (sizeOf(scalarOf(type)) ?? Number.NaN) / row] as const);
    });
    const count = counts[0]?.[1] ?? Number.NaN;
    if (counts.some(([, each]) => !Number.isInteger(each)) || Number.isNaN(count))
      return 'the size of the array, or of its rows, is not known at all launches';
    const at = { start: node.start, end: node.start };
    const number = (text: string): NumberExpr => ({ kind: 'number', value: count, type: 'int', text, ...at });
    const isWhole = (type: ParamDecl['type']): boolean => {
      const known = types.resolve(type);
      return known.kind === 'scalar' && !known.float;
    };
    const named = (all: readonly { readonly name: string; readonly type?: ParamDecl['type'] }[]): NameExpr[] =>
      all
        .filter(({ name, type }) => name !== '' && (!type || isWhole(type)))
        .map(({ name }): NameExpr => ({ kind: 'name', name, ...at }))
        .filter((one) => counts.every(([each, wanted]) => valueAt(one, each) === wanted));
    const ofRows = new Set(parts.map(({ size }) => size?.kind === 'name' && size.name));
    const given = named([...kernel.params, ...(kernel.templateParams ?? []).map(({ name }) => ({ name }))]);
    const { globals = [], macros = [] } = program.fileOf(kernel) ?? {};
    const ofFile = macros.filter(({ body }) => counts.every(([, each]) => body.trim() === String(each)));
    const constants = [...named(globals), ...ofFile.map(({ name }) => number(name))];
    const literals = param < 0 ? [number(String(count))] : [];
    const free = given.filter(({ name }) => !ofRows.has(name));
    const [limit, other] = [free, given, constants, literals].find(({ length }) => length > 0) ?? [];
    if (!limit) return 'no parameter and no constant of the file is its size at all launches';
    if (other) return `\`${textOf(limit)}\` and \`${textOf(other)}\` both are its size at all launches`;
    const all = parts.map(({ index, size }): Bound => ({ index, limit: size ?? limit }));
    return all.filter(({ index }) => isOfThread(index, kernel)).toReversed();
  }

  /** A `return` before the first such statement of the body, else a condition of the statement itself. */
  function boundedBy(bounds: readonly Bound[], { place: { node } }: Overrun): readonly Candidate[] {
    const at = { start: node.start, end: node.start, opStart: node.start };
    const condition = (op: '<' | '>='): Expr =>
      bounds
        .map(({ index, limit }): Expr => ({ kind: 'binary', op, left: index, right: limit, ...at }))
        .reduce((left, right) => ({ kind: 'binary', op: op === '<' ? '&&' : '||', left, right, ...at }));
    const changed = (kind: 'return' | 'wrap', stmt: Stmt, from: unknown, to: unknown): Candidate => [
      { kind, stmt, bounds },
      replacedIn(kernel, new Map([[from, to]])),
    ];
    const { body } = kernel.body!;
    const first = body.findIndex((stmt) => ofKernel.some(({ place }) => holds(stmt, place.node)));
    const known = body.slice(0, Math.max(0, first)).flatMap((one) => (one.kind === 'decl' ? one.vars : []));
    const canLeave = bounds.every(({ index }) => known.includes(locals.of(index)!.variable!));
    const leaves: Stmt = { kind: 'if', cond: condition('>='), then: { kind: 'return', ...at }, ...at };
    const stmt = statementOf(node);
    return [
      ...(canLeave && !body[first]!.macro
        ? [changed('return', body[first]!, body, body.toSpliced(first, 0, leaves))]
        : []),
      ...(stmt?.kind === 'expr' && !stmt.macro
        ? [changed('wrap', stmt, stmt, { kind: 'if', cond: condition('<'), then: stmt, ...at })]
        : []),
    ];
  }

  /** Would a thread that returns there leave others waiting for it, or without its value? */
  function meetsBehind({ start }: Stmt): boolean {
    const reached = new Set(before.flat().flatMap(({ functions }) => [...functions]));
    return [...reached].some((key) =>
      program.withKey(key).some((fn) => mayMeet(fn, program, key === kernel.key ? start : 0)),
    );
  }
}

const holds = (outer: Node, inner: Node): boolean => outer.start <= inner.start && inner.end <= outer.end;

/** A function with other nodes in places of its body; what is around them is made again, all else is shared. */
function replacedIn(fn: FunctionDecl, changes: ReadonlyMap<unknown, unknown>): FunctionDecl {
  const copy = (value: unknown): unknown => {
    if (changes.has(value)) return changes.get(value);
    if (typeof value !== 'object' || value === null) return value;
    const parts = Object.entries(value).map(([name, part]) => [name, copy(part), part] as const);
    if (parts.every(([, part, old]) => part === old)) return value;
    return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
  };
  return { ...fn, body: copy(fn.body) as NonNullable<FunctionDecl['body']> };
}

/** `size`: how many there are in a row; absent of the outermost. */
type IndexPart = Pick<Bound, 'index'> & { readonly size?: Bound['limit'] };

/** Of what an access's index is made: `y * width + x`, the outermost first. */
function partsOf(place: Expr, kernel: FunctionDecl): readonly IndexPart[] | undefined {
  return place.kind === 'index' ? indexParts(place.index, kernel) : undefined;
}

function indexParts(expr: Expr, kernel: FunctionDecl): readonly IndexPart[] | undefined {
  if (isOfThread(expr, kernel)) return [{ index: expr }];
  if (expr.kind !== 'binary' || expr.op !== '+') return undefined;
  const sides = ({ left, right }: BinaryExpr) => [
    { one: left, other: right },
    { one: right, other: left },
  ];
  for (const { one: product, other: index } of sides(expr)) {
    if (product.kind !== 'binary' || product.op !== '*' || !localsOf(kernel).of(index)?.variable) continue;
    for (const { one: rows, other: size } of sides(product)) {
      const outer = size.kind === 'name' || size.kind === 'number' ? indexParts(rows, kernel) : undefined;
      if (outer) return [...outer, { index, size: size as Bound['limit'] }];
    }
  }
  return undefined;
}

/** A variable that keeps what it is declared with. */
function isOfThread(expr: Expr, kernel: FunctionDecl): boolean {
  const local = localsOf(kernel).of(expr);
  return !!local?.variable?.init && local.writes.length === 0 && !local.addressTaken;
}

/** An access, and the first and the last byte within its memory that each lane comes to. */
interface Reach {
  readonly event: Omit<TracedAccess, 'kind'> & { readonly kind: string };
  readonly lanes: Map<number, readonly [number, number]>;
}

type Lost = Pick<Reach, 'event'> & { readonly lane: number };
type Reaches = ReadonlyMap<Node, Reach>;

function lostIn(before: Reaches, after: Reaches): readonly Lost[] {
  return [...before].flatMap(([node, { event, lanes }]) => {
    const lost = [...lanes].filter(([lane, [from, to]]) => {
      const left = after.get(node)?.lanes.get(lane);
      return !left || from < left[0] || left[1] < to;
    });
    return lost.map(([lane]) => ({ event, lane }));
  });
}

function reachesOf({ global, shared }: RunResult, given: GivenRooms, kernel: FunctionDecl): Reaches {
  const found = new Map<Node, Reach>();
  for (const event of [...global, ...shared]) {
    if (event.kind !== 'access' && event.kind !== 'scattered') continue;
    const { node, mask, base, form = [] } = event;
    const isScattered = event.kind === 'scattered';
    const { lanes } = found.get(node) ?? { lanes: new Map() };
    found.set(node, { event, lanes });
    const room = roomOf(base, given, kernel) ?? (isVariable(base) ? [0, sizeOf(base.type!) ?? Infinity] : undefined);
    const [low, high] = (!isScattered && room) || [-Infinity, Infinity];
    const counts = new Map(form.flatMap(({ of: { factors } }) => factors.map(({ id, count = 1 }) => [id, count])));
    // The last iteration may be the one too many.
    const iterations = [() => 0, ...[1, 2].map((less) => (id: number) => Math.max(0, (counts.get(id) ?? 1) - less))];
    for (const offset of isScattered ? [0] : iterations.map((each) => bytesOf(event as TracedAccess, each)))
      for (let lane = 0; lane < mask.bits.length; lane++) {
        const [from, to] = [Math.max(low, laneAt(offset, lane)), Math.min(high, laneAt(offset, lane) + event.bytes)];
        const [first, last] = lanes.get(lane) ?? [from, to];
        if (mask.bits[lane] && from < to) lanes.set(lane, [Math.min(first, from), Math.max(last, to)]);
      }
  }
  return found;
}

/** Are the threads that the guard stops beyond the end of a row, whose next elements are those of other threads? */
function leavesRow(place: Node, guard: Guard, kernel: FunctionDecl): boolean {
  const pairs =
    guard.kind === 'compare' ? guard.compared : guard.bounds.map(({ index: left, limit: right }) => ({ left, right }));
  const isPair = (a: Expr, b: Expr): boolean =>
    pairs.some(({ left, right }) => sameExpr(left, a) && sameExpr(right, b));
  const rows = partsOf(place as Expr, kernel)?.filter(({ index, size }) => size && isOfThread(index, kernel)) ?? [];
  return rows.length > 0 && rows.every(({ index, size }) => isPair(index, size!) || isPair(size!, index));
}

const textOf = (limit: Bound['limit']): string => (limit.kind === 'name' ? limit.name : limit.text);

type Guarded = Pick<OverrunFact, 'fix' | 'refusal'>;
/** What is offered of a guard. */
export function guardFix({ guard, why }: GuardOrWhy, kernel: FunctionDecl, locate: Locator): Guarded {
  const file = locate.file(kernel);
  if (why !== undefined) return { refusal: { family: 'guards', precondition: 'tried', why } };
  if (!file || !guard) return {};
  const fn = new FunctionText(file, locate.current(kernel));
  if (guard.kind === 'compare') {
    const edits = guard.compared.map(({ op, opStart }) => ({
      at: fn.span({ start: opStart, end: opStart + op.length }),
      newText: turned[op]!,
    }));
    const { left, op, right } = guard.compared[0]!;
    return { fix: { title: `Compare \`${fn.text(left)} ${turned[op]!} ${fn.text(right)}\``, edits } };
  }
  const [op, joint] = guard.kind === 'return' ? ['>=', ' || '] : ['<', ' && '];
  const cond = guard.bounds.map(({ index, limit }) => `${fn.text(index)} ${op} ${textOf(limit)}`).join(joint);
  const leaves = [`if (${cond})`, `${fn.indentStep}return;`];
  return guard.kind === 'return'
    ? { fix: { title: `Return where \`${cond}\``, edits: writtenAround(fn, guard.stmt, { before: leaves }) } }
    : { fix: { title: `Guard with \`${cond}\``, edits: inBlock(fn, guard.stmt, `if (${cond})`, { before: [] }) } };
}
