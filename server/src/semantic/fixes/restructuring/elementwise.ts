// Which elements of its arrays each thread of a kernel touches, of kernels that do nothing but loads, arithmetic and
// stores: what has to be known before two of them can be one.
import type { Expr, ForStmt, FunctionDecl, IndexExpr, LaunchExpr, ParamDecl, Stmt } from '../../../syntax/ast';
import {
  atomsOf,
  keyOfProduct,
  Polynomial,
  type Fn,
  type Index,
  type Local,
  type AnySyntax,
  isParameterOfTemplate,
  isThreadAtom,
} from '../../language';
import { hidesEffects, isPureCall } from '../../program';

export interface ElementAccess {
  readonly parameter: ParamDecl;
  readonly node: IndexExpr;
  readonly loads: boolean;
  readonly stores: boolean;
  /** Which element, as a text that is equal for equal elements of two kernels; undefined where it is not known. */
  readonly place?: Place;
}
/** `factor * index + offset`: `index` is another for each thread of the launch. */
interface Place {
  readonly index: string;
  readonly factor: number;
  readonly offset: number;
}
interface Elementwise {
  readonly accesses: readonly ElementAccess[];
  readonly hasReturn: boolean;
}

/** A launch with the kernel that it starts and what that does. */
export interface LaunchedElementwise {
  readonly launch: LaunchExpr;
  readonly statement: Stmt;
  readonly kernel: FunctionDecl;
  /** Of what does the kernel's work, and what its parameters are given. */
  readonly fn: Fn;
  readonly args: readonly Expr[];
  readonly does: Elementwise;
}

/** What the launch passes for a parameter, as text; a name of the kernel's own stands for itself. */
type Arguments = ReadonlyMap<ParamDecl, string>;

const axes = ['x', 'y', 'z'] as const;

/**
 * The accesses of a kernel through its pointer parameters; undefined where it does anything that threads do together,
 * calls unknown code, or accesses memory in other ways.
 * @param dimensions how many axes the launch's block has, where it is known
 */
export function elementwiseOf(fn: Fn, args: Arguments, dimensions: number | undefined): Elementwise | undefined {
  const { decl, locals } = fn;
  if (!decl.body || decl.params.some(({ pack }) => pack)) return undefined;
  const accesses: ElementAccess[] = [];
  let hasReturn = false;
  // Calls that compute an index and do nothing else.
  const indices = new Map(
    locals.nodes.flatMap((node) => {
      const index = node.kind === 'call' ? fn.index(node) : undefined;
      return index ? [[node, index] as const] : [];
    }),
  );
  const used = axes.filter(
    (axis) =>
      locals.nodes.some((node) => isBuiltin(node, 'threadIdx', axis)) ||
      [...indices.values()].some(({ atoms }) => atoms.has(`threadIdx.${axis}`)),
  );
  const needed = dimensions === undefined ? used : axes.slice(0, dimensions);
  for (const node of locals.nodes) {
    if (hidesEffects(node)) return undefined;
    switch (node.kind) {
      case 'goto':
      case 'label':
        return undefined;
      case 'return':
        hasReturn = true;
        break;
      case 'for':
        // Beside work that repeats for one element its way through memory is little.
        if (!isGridLoop(node, fn, args)) return undefined;
        break;
      case 'while':
      case 'do':
      case 'rangeFor':
        return undefined;
      case 'var':
        if (node.space !== 'none' || node.storage || node.type.kind === 'pointer' || node.type.kind === 'reference')
          return undefined;
        break;
      case 'call':
        // `T(2)`, of a template's own type.
        if (node.args.length === 1 && isParameterOfTemplate(node.callee, fn, 'type')) break;
        if (!isPureCall(node, fn) && !indices.has(node)) return undefined;
        break;
      case 'unary':
        if (node.op === '*' || node.op === '&') return undefined;
        break;
      case 'name': {
        const local = locals.of(node);
        if (!local) {
          const globals = fn.program.globals(node.name);
          if (globals.some(({ space, constant }) => !constant && space !== 'constant')) return undefined;
        } else if (local.parameter && isPointer(local.parameter)) {
          const parent = locals.parent(node);
          // Passed on, moved or stored: the touched elements are unknown.
          if (parent?.kind !== 'index' || parent.base !== node) return undefined;
          const { loads, stores } = useOf(parent, fn);
          const place = placeOf(parent, fn, args, needed);
          accesses.push({ parameter: local.parameter, node: parent, loads, stores, ...(place ? { place } : {}) });
        }
        break;
      }
      case 'member':
        if (node.arrow) return undefined;
        break;
    }
  }
  return accesses.length > 0 ? { accesses, hasReturn } : undefined;
}

export function isPointer({ type }: ParamDecl): boolean {
  return type.kind === 'pointer' || type.kind === 'array';
}

function useOf(access: IndexExpr, fn: Fn): { readonly loads: boolean; readonly stores: boolean } {
  let inner: AnySyntax = access;
  for (const around of fn.around(access)) {
    // `out[i].x = …` stores to `out[i]`.
    if (around.kind === 'member' && around.object === inner) {
      inner = around;
      continue;
    }
    if (around.kind === 'assign' && around.target === inner) return { loads: around.op !== '=', stores: true };
    if (around.kind === 'update') return { loads: true, stores: true };
    break;
  }
  return { loads: true, stores: false };
}

function placeOf(access: IndexExpr, fn: Fn, args: Arguments, needed: readonly string[]): Place | undefined {
  const polynomial = fn.index(access.index);
  if (!polynomial) return undefined;
  const spelt = inTermsOfLaunch(polynomial, access, fn, args, 0);
  if (!spelt) return undefined;
  // Terms without a thread's number are an offset where they are a number, and one shift for all where they are not.
  const factor = spelt.terms.get('threadIdx.x') ?? strideFactor(spelt);
  if (factor === undefined || !Number.isInteger(factor) || factor < 1) return undefined;
  const isStride = !spelt.terms.has('threadIdx.x');
  if (!isStride) {
    const keys = [...spelt.terms.keys()].flatMap(atomsOf);
    // Another element for each thread: every axis of the block takes part, and the block's own number does.
    if (!needed.every((axis) => keys.includes(`threadIdx.${axis}`))) return undefined;
    if (!keys.includes('blockIdx.x')) return undefined;
    // `threadIdx` within a quotient or a mask is no longer a number of the thread.
    if (keys.some((key) => key.startsWith('(') && isThreadAtom(key))) return undefined;
  } else if (needed.length > 1) return undefined;
  const offset = (((spelt.terms.get('') ?? 0) % factor) + factor) % factor;
  const terms = new Map<string, number>();
  for (const [key, coefficient] of spelt.terms) {
    const rest = key === '' ? coefficient - offset : coefficient;
    if (rest % factor !== 0) return undefined;
    if (rest !== 0) terms.set(key, rest / factor);
  }
  return { index: new Polynomial(terms, spelt.atoms).canonical, factor, offset };
}

/** The factor of the counter of a grid-stride loop, where the index is made of one. */
function strideFactor({ terms }: Polynomial<unknown>): number | undefined {
  for (const [key, coefficient] of terms) if (key.startsWith('each ')) return coefficient;
  return undefined;
}

/**
 * The polynomial over what the launch passes, the thread's numbers, and counters of loops over the grid;
 * undefined where it depends on other variables of the kernel.
 */
function inTermsOfLaunch(
  polynomial: Index,
  at: AnySyntax,
  fn: Fn,
  args: Arguments,
  depth: number,
): Polynomial<unknown> | undefined {
  const renamed = new Map<string, string>();
  for (const [key, { locals: of }] of polynomial.atoms) {
    let text = key;
    for (const local of of) {
      const name = local.parameter
        ? isSteady(local) && !isPointer(local.parameter)
          ? args.get(local.parameter)
          : undefined
        : counterText(local, at, fn, args, depth);
      if (name === undefined) return undefined;
      text = text.replace(new RegExp(`(?<![\\w.])${local.name}(?![\\w])`, 'g'), () => name);
    }
    renamed.set(key, text);
  }
  const terms = new Map<string, number>();
  for (const [key, coefficient] of polynomial.terms) {
    const spelt = keyOfProduct(
      atomsOf(key)
        .map((atom) => renamed.get(atom) ?? atom)
        .sort(),
    );
    terms.set(spelt, (terms.get(spelt) ?? 0) + coefficient);
  }
  return new Polynomial(terms);
}

const isSteady = (local: Local): boolean => local.writes.length === 0 && !local.addressTaken;

function isGridLoop(loop: ForStmt, fn: Fn, args: Arguments): boolean {
  const head = fn.counted(loop);
  return !!head?.declared && counterText(head.local, loop.body, fn, args, 0) !== undefined;
}

/** `for (int i = <thread of the grid>; i < n; i += <threads of the grid>)`: what elements `i` is in a thread. */
function counterText(local: Local, at: AnySyntax, fn: Fn, args: Arguments, depth: number): string | undefined {
  if (depth > 0 || local.addressTaken || local.writes.length !== 1 || !local.variable?.init) return undefined;
  const loop = fn.parent(fn.parent(local.variable) ?? local.variable);
  const write = local.writes[0]!;
  const head = loop?.kind === 'for' ? fn.counted(loop) : undefined;
  if (head?.local !== local || head.loop.step !== write.node || !fn.isInside(at, head.loop.body)) return undefined;
  if (head.step?.sign !== 1 || !head.step.by || !head.bound) return undefined;
  const spelt = (expr: Expr): Polynomial<unknown> | undefined => {
    const polynomial = fn.index(expr);
    return polynomial && inTermsOfLaunch(polynomial, at, fn, args, depth + 1);
  };
  const [from, by, to] = [spelt(head.first), spelt(head.step.by), spelt(head.bound.end)];
  if (!from || !by || !to) return undefined;
  const thread = new Map([
    ['threadIdx.x', 1],
    [keyOfProduct(['blockDim.x', 'blockIdx.x']), 1],
  ]);
  const threads = new Map([[keyOfProduct(['blockDim.x', 'gridDim.x']), 1]]);
  const isGrid = from.equals(new Polynomial(thread)) && by.equals(new Polynomial(threads));
  return isGrid ? `each ${head.bound.op} ${to.canonical}` : undefined;
}

function isBuiltin(node: AnySyntax, name: string, field: string): boolean {
  return node.kind === 'member' && node.field === field && node.object.kind === 'name' && node.object.name === name;
}

/** How many axes of the block have more than one thread; undefined where the configuration's argument does not tell. */
export function dimensionsOf(config: Expr, fn: Fn, depth = 0): number | undefined {
  if (config.kind === 'number') return 1;
  if (depth > 3) return undefined;
  if (config.kind === 'call' && config.callee.kind === 'name' && config.callee.name === 'dim3')
    return argumentsThatCount(config.args);
  if (config.kind === 'initList') return argumentsThatCount(config.elements);
  if (config.kind !== 'name') return undefined;
  const local = fn.local(config);
  const type = local?.variable?.type ?? local?.parameter?.type;
  if (type?.kind === 'named' && type.name !== 'dim3' && type.name !== 'auto') return 1;
  if (!local?.variable?.init || local.writes.length > 0 || local.addressTaken) return undefined;
  return dimensionsOf(local.variable.init, fn, depth + 1);
}

function argumentsThatCount(args: readonly Expr[]): number {
  let count = args.length;
  while (count > 1 && args[count - 1]!.kind === 'number' && (args[count - 1] as { value: number }).value === 1) count--;
  return Math.max(1, count);
}

/** A kernel's own name among others of a unit: that it is defined once. */
export function isOnlyDefinition(kernel: FunctionDecl, fn: Fn): boolean {
  return fn.program.functions(kernel.name).filter((decl) => decl.body).length === 1;
}
