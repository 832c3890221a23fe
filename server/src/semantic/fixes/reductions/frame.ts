// Parts of a function, run apart: statements or an expression, with the statements before them that compute what they
// read. Nothing of the function's data is known, so that what depends on it stays unknown.
import type { CallExpr, Expr, FunctionDecl, ParamDecl, Stmt, TypeSyntax } from '../../../syntax/ast';
import {
  namesIn,
  ancestorsOf,
  type AnySyntax,
  type BlockShape,
  type Fn,
  type Local,
  calleeName,
  once,
  some,
  statementsOf,
  type Type,
  walk,
  argumentOf,
} from '../../language';
import { defaultGpu } from '../../gpus';
import {
  baseNamed,
  blank,
  type Contents,
  createCompiler,
  createRecorder,
  type MemoryPlace,
  type Path,
  run,
  Taint,
  type Value,
} from '../../run';
import { withinSteps } from '../../steps';

/** One number for all threads of the block, or one for each, by linear thread number. */
export type ThreadValue = number | Float64Array;

/** A function as one block of a launch runs it. */
export interface Frame {
  readonly context: Fn;
  readonly shape: BlockShape;
  readonly threads: number;
  readonly block: number;
  readonly launchValues?: ReadonlyMap<string, number> | undefined;
  readonly launchTypes?: ReadonlyMap<string, string> | undefined;
  /** Its blocks along the first axis, where a launch tells. */
  readonly grid?: number | undefined;
  /** What parameters and the grid are taken for where no launch tells. */
  readonly assume?: number | undefined;
}

export function createFrame(context: Fn, shape: BlockShape, launch?: number, assume?: number, block = 0): Frame {
  const threads = shape[0] * shape[1] * shape[2];
  const [launchValues, launchTypes] =
    launch === undefined ? [] : [context.launchValues?.[launch], context.launchTypes?.[launch]];
  return { context, shape, threads, block, assume, launchValues, launchTypes };
}

/** The function that calls the frame's, in the same block. */
export function callerOf(
  { shape, threads, block, context }: Frame,
  { caller }: { readonly caller: FunctionDecl },
): Frame {
  return { context: context.of(caller), shape, threads, block };
}

export function at(value: ThreadValue, thread: number): number {
  return typeof value === 'number' ? value : value[thread]!;
}

/** What a run apart does to memory; a store to `probe` is one that the run was asked for. */
export interface Access {
  readonly place: MemoryPlace;
  readonly path: Path;
}
export interface Hooks {
  /** May threads take different arms, and data decide which? */
  readonly takesArms?: boolean;
  load?(access: Access): ThreadValue | undefined;
  store?(access: Access, value: Value): void;
  barrier?(scope: string): void;
}

const node = { start: 0, end: 0 };
export const probeName = 'probe of Warplens';
const number = (value: number): Expr => ({ ...node, kind: 'number', value, type: 'int', text: String(value) });
export const nameOf = (name: string): Expr => ({ ...node, kind: 'name', name });
export const elementOf = (base: Expr, index: Expr | number): Expr => ({
  ...node,
  kind: 'index',
  base,
  index: typeof index === 'number' ? number(index) : index,
});
export const fieldOf = (object: Expr, field: string): Expr => ({
  ...node,
  kind: 'member',
  object,
  field,
  fieldStart: 0,
  arrow: false,
});
export const assigned = (target: Expr, value: Expr): Stmt => ({
  ...node,
  kind: 'expr',
  expr: { ...node, kind: 'assign', op: '=', opStart: 0, target, value },
});
/** Asks a run for the value of an expression. */
export const probed = (value: Expr): Stmt => assigned(elementOf(nameOf(probeName), 0), value);
const probeParameter: ParamDecl = {
  ...node,
  name: probeName,
  nameStart: 0,
  type: { kind: 'pointer', to: { kind: 'named', name: 'double' } },
};

const floatType: Type = { kind: 'scalar', name: 'float', size: 4, float: true, signed: true };
const compilerOf = once(
  ({ program, types }: Fn) => createCompiler(program, types),
  ({ types }) => types,
);
export const settled = Taint.thread | Taint.block | Taint.float;
/** Marks what was loaded in a run on data. */
export const isData = Taint.variable;
const mostSteps = 30_000;

/** The value over the block; undefined where it depends on something unknown. */
export function evaluate(expr: Expr, frame: Frame): ThreadValue | undefined {
  if (expr.kind === 'number') return expr.value;
  let value: ThreadValue | undefined;
  const store: Hooks['store'] = (_, { lanes, taint }) => {
    if ((taint & ~settled) === 0) value = lanes;
  };
  runApart(frame, expr, [probed(expr)], { store });
  return value;
}

/** Runs statements in the place of a node, `first` before data are moved; false where the run stopped. */
export function runApart(
  frame: Frame,
  place: AnySyntax,
  statements: readonly Stmt[],
  hooks: Hooks,
  first: readonly Stmt[] = [],
): boolean {
  const { context, shape } = frame;
  const { settings, seeds } = before(context, place, statements);
  // Structures that are added as a whole are added as if they were numbers.
  const isWhole = !statements.some((stmt) => some(stmt, isFieldOfElement));
  const whole = [...settings, ...first, ...seeds, ...statements];
  const { decl, program, types } = context;
  const body: Stmt = {
    ...node,
    kind: 'block',
    body: (isWhole ? whole.map((stmt) => withNumbers(stmt, context)) : whole).map((stmt) =>
      some(stmt, isIntrinsicSum) ? asSums(stmt) : stmt,
    ),
  };
  const fn: FunctionDecl = { ...decl, params: [...decl.params, probeParameter], body };
  const names = [...(frame.launchTypes ?? [])];
  const typesOf = new Map(names.map(([key, type]) => [key, types.resolve({ kind: 'named', name: type })]));
  for (const { kind, name: key } of decl.templateParams ?? [])
    if (kind === 'type' && !typesOf.has(key)) typesOf.set(key, types.resolve({ kind: 'named', name: 'float' }));
  const setup = {
    ...{ program, types, compiler: compilerOf(context), gpu: defaultGpu, fn, block: shape, args: [], host: false },
    bindings: { types: typesOf, values: frame.launchValues ?? new Map() },
    grid: [frame.grid ?? frame.assume, frame.assume, frame.assume] as const,
    budget: Infinity,
    contents: contentsOf(frame, hooks, isWhole),
  };
  return withinSteps(mostSteps, () => run(setup)).result?.complete ?? false;
}

const isFieldOfElement = (part: AnySyntax): boolean => part.kind === 'member' && part.object.kind === 'index';

/** Declares arrays of structures in shared memory as arrays of numbers. */
function withNumbers(stmt: Stmt, { types }: Fn): Stmt {
  if (stmt.kind !== 'decl') return stmt;
  const changed = (type: TypeSyntax): TypeSyntax => {
    if (type.kind === 'array') return { ...type, of: changed(type.of) };
    return types.resolve(type).kind === 'struct' ? { kind: 'named', name: 'float' } : type;
  };
  const vars = stmt.vars.map((each) => (each.space === 'shared' ? { ...each, type: changed(each.type) } : each));
  return { ...stmt, vars };
}

const isIntrinsicSum = (node: AnySyntax): node is CallExpr =>
  node.kind === 'call' && /^__(hadd2?|[fd]add_rn)$/.test(calleeName(node) ?? '');

/** With calls that add in their place as sums. */
function asSums<T>(part: T): T {
  if (Array.isArray(part)) return part.map(asSums) as T;
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, asSums<unknown>(value)]));
  const call = copy as unknown as AnySyntax;
  if (!isIntrinsicSum(call)) return copy as T;
  const [left, right] = call.args as [Expr, Expr];
  return { ...node, kind: 'binary', op: '+', left, right } as T;
}

function contentsOf(frame: Frame, hooks: Hooks, isWhole: boolean): Contents {
  const { context, block, launchValues, assume } = frame;
  const contents: Contents = {
    block: [block, 0, 0],
    parameter(state, key, type) {
      if (type.kind === 'pointer' || type.kind === 'array') {
        const of = type.kind === 'array' ? type.of : type.to;
        const to = isWhole && of.kind === 'struct' ? floatType : of;
        const space = context.decl.global || key === probeName ? 'global' : 'shared';
        const base = baseNamed(state, `parameter ${key}`, space, { name: key, type: to });
        return { ...blank, type: { kind: 'pointer', to }, lanes: 0, taint: 0, base };
      }
      const known = launchValues?.get(key) ?? passedTo(key, frame) ?? assume;
      return {
        ...blank,
        type,
        lanes: known ?? 1,
        taint: known === undefined ? (context.decl.global ? Taint.chosen : Taint.loaded) : 0,
      };
    },
    load(place, path) {
      const { type } = place;
      const lanes = hooks.load?.({ place, path });
      return { ...blank, type, lanes: lanes ?? 0, taint: lanes === undefined ? Taint.loaded : Taint.thread | isData };
    },
    store: (place, value, path) => hooks.store?.({ place, path }, value),
    atomic() {
      throw new Error('atomics are not followed');
    },
    recorder(state) {
      const recorder = createRecorder(state);
      recorder.barrier = (_node, _name, scope) => hooks.barrier?.(scope);
      recorder.branch = (_cond, statement, form, { taint, lanes }) => {
        const isKnown = (taint & ~settled) === 0;
        // `if (a[i] < a[i + s]) a[i] = a[i + s];`
        const isChoice =
          taint & isData &&
          statement.kind === 'if' &&
          (hooks.takesArms || (!statement.else && statementsOf(statement.then).length === 1));
        if (hooks.load && form !== 'conditional' && !isKnown && !isChoice) throw new Error('a condition is not known');
        const isApart = statement.kind === 'if' && statement.else && typeof lanes !== 'number';
        if (hooks.load && isApart && !hooks.takesArms) throw new Error('threads do different work');
      };
      return recorder;
    },
  };
  return contents;
}

/** What every known call passes for a parameter, where all pass the same. */
function passedTo(key: string, frame: Frame): ThreadValue | undefined {
  const { context } = frame;
  let found: ThreadValue | undefined;
  for (const site of context.callSites ?? []) {
    const arg = argumentOf(key, context.decl, site.args);
    const value = arg && evaluate(arg, callerOf(frame, site));
    if (value === undefined || (found !== undefined && !equalValues(found, value, frame.threads))) return undefined;
    found = value;
  }
  return found;
}

export function equalValues(left: ThreadValue, right: ThreadValue, threads: number): boolean {
  for (let thread = 0; thread < threads; thread++) if (at(left, thread) !== at(right, thread)) return false;
  return true;
}

/** The statements around and before a node that compute the variables which statements in its place read. */
export function before({ locals }: Fn, place: AnySyntax, statements: readonly Stmt[]) {
  const values = new Set<Local>();
  const declared = new Set<Local>();
  const need = (part: AnySyntax): void =>
    walk(part, (inner) => {
      const found = inner.kind === 'name' ? locals.of(inner) : undefined;
      if (!found?.variable) return;
      values.add(found);
      declared.add(found);
    });
  statements.forEach(need);
  const kept: Stmt[] = [];
  const seeds: Stmt[] = [];
  const assign = (stmt: Stmt, target: Expr): Local | undefined => {
    const found = target.kind === 'name' ? locals.of(target) : undefined;
    return stmt.kind === 'expr' && found && values.has(found) ? found : undefined;
  };
  const unknown = (found: Local): void => {
    kept.unshift(assigned(nameOf(found.name), elementOf(nameOf(probeName), 0)));
    values.delete(found);
  };
  const visit = (stmt: Stmt): void => {
    if (stmt.kind === 'decl') {
      const mine = stmt.vars.filter((each) => [...declared].some(({ variable }) => variable === each));
      if (mine.length === 0) return;
      const vars = mine.map((each): typeof each => {
        const isNeeded = each.space !== 'none' || [...values].some(({ variable }) => variable === each);
        const { init, ...rest } = each;
        if (isNeeded && init) need(init);
        if (each.type.kind === 'array' && each.type.size) need(each.type.size);
        return isNeeded ? each : rest;
      });
      kept.unshift({ ...stmt, vars });
      return;
    }
    const expr = stmt.kind === 'expr' && stmt.expr.kind === 'assign' ? stmt.expr : undefined;
    const stored = expr?.op === '=' && expr.target.kind !== 'name' ? assign(stmt, expr.value) : undefined;
    if (expr && stored && !namesIn(expr.target).has(stored.name)) {
      // What was stored to the thread's own element is that element.
      seeds.unshift(assigned(expr.value, expr.target));
      values.delete(stored);
      need(expr.target);
      return;
    }
    const target = expr && assign(stmt, expr.target);
    if (expr && target) {
      kept.unshift(stmt);
      if (expr.op === '=') values.delete(target);
      need(expr.value);
      return;
    }
    for (const found of [...values])
      if (found.writes.some(({ node: write }) => locals.order(write) >= 0 && isWithin(write, stmt))) unknown(found);
  };
  const isWithin = (inner: AnySyntax, stmt: Stmt): boolean => inner.start >= stmt.start && inner.end <= stmt.end;
  let inner: AnySyntax = place;
  for (const around of ancestorsOf(place, locals)) {
    if (around.kind === 'block' || around.kind === 'case')
      for (const stmt of around.body.slice(0, around.body.indexOf(inner as Stmt)).reverse()) visit(stmt);
    else if (around.kind === 'for' && around.init && inner !== around.init) {
      const { init } = around;
      for (const found of [...values]) {
        const counts = found.writes.some(
          ({ node: write }) => isWithin(write, around) && !isWithin(write, inner as Stmt),
        );
        if (counts) unknown(found);
      }
      visit(init);
    }
    inner = around;
  }
  return { settings: kept, seeds };
}
