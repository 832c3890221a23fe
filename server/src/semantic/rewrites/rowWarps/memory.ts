// What a kernel writes to memory, and which arrays may be one: where one lane has to write for its warp, and where the
// lanes have to meet before and after.
import type { CallExpr, Expr, ExprStmt, IndexExpr } from '../../../syntax/ast';
import { walk, type AnySyntax, reachesMemory } from '../../language/statements';
import type { FunctionContext } from '../../language/functionContext';
import type { LaunchSite } from '../../language/launchSites';
import { calleeName, definitionOf, isInside, type Local, type Locals, localsOf, sameExpr } from '../../language/scope';
import { isPure, isPureCall } from '../edits';
import type { WalkingLoop } from './loops';
import { separation } from '../chunkLoops/independence';
import { polynomialOf } from '../../language/indexPolynomials';

/** A statement that writes to memory, and the array as far as its name tells. */
export interface MemoryWrite {
  readonly statement: ExprStmt;
  readonly target: Expr;
  readonly root: Root;
  readonly atomic: boolean;
}

/** A parameter of the kernel or an array of the file, pointers of the kernel's own followed to what they point into. */
export type Root = Local | string;

/** What is printed goes nowhere that the kernel reads. */
export const printed = '(printed)';

/** Atomics whose order no one sees where the old value is dropped. */
const orderless = /^atomic(Add|Sub|Max|Min|And|Or|Xor|Inc|Dec)(_block|_system)?$/;

/** All writes of the kernel to memory; a sentence where one is hidden in what cannot be analysed. */
export function memoryWritesOf(context: FunctionContext, locals: Locals): readonly MemoryWrite[] | string {
  const writes: MemoryWrite[] = [];
  for (const node of locals.nodes) {
    switch (node.kind) {
      case 'asm':
      case 'opaque':
      case 'lambda':
      case 'launch':
      case 'new':
      case 'delete':
      case 'try':
      case 'goto':
      case 'label':
        return 'it contains code that cannot be analysed';
      case 'var':
        if (node.space !== 'none' || node.storage) return 'its threads use shared memory';
        if (node.type.kind === 'reference') return 'it contains a reference to unknown memory';
        break;
      case 'unary': {
        // An address may be written through later.
        if (node.op !== '&') break;
        const call = locals.parent(node);
        const target = node.operand;
        if (call?.kind === 'call' && /^(atomic\w+|__ldg)$/.test(calleeName(call) ?? '') && call.args[0] === node) break;
        const pointer = call?.kind === 'var' && call.type.kind === 'pointer';
        if (pointer && target.kind === 'index' && rootOf(target, locals) !== undefined) break;
        return 'it takes the address of a value';
      }
      case 'call': {
        const name = calleeName(node);
        if (name?.startsWith('atomic')) {
          const statement = locals.parent(node);
          const target = node.args[0];
          const root = target && rootOf(target, locals);
          if (statement?.kind !== 'expr' || root === undefined || !orderless.test(name))
            return `\`${name}\` gives a thread the value of another thread`;
          writes.push({ statement, target: target!, root, atomic: true });
          break;
        }
        const statement = locals.parent(node);
        const isPrint = name === 'printf' && statement?.kind === 'expr' && !node.macro;
        if (isPrint && node.args.every((arg) => isPrinted(arg, context))) {
          writes.push({ statement, target: node, root: printed, atomic: false });
          break;
        }
        if (!isHarmless(node, context)) return `\`${name ?? 'a call'}\` may have side effects`;
        break;
      }
      case 'assign':
      case 'update': {
        const target = node.kind === 'assign' ? node.target : node.operand;
        if (isOwn(target, locals)) break;
        const statement = locals.parent(node);
        const root = rootOf(target, locals);
        if (statement?.kind !== 'expr' || root === undefined || statement.macro)
          return 'it writes through an expression that cannot be analysed';
        writes.push({ statement, target, root, atomic: false });
        break;
      }
      default:
        break;
    }
  }
  return writes;
}

/** Only reads and computes; the text of what is printed is a constant. */
function isPrinted(arg: Expr, context: FunctionContext): boolean {
  return arg.kind === 'string' || isPure(arg, context);
}

function isHarmless(call: CallExpr, context: FunctionContext): boolean {
  return isPureCall(call, context) || calleeName(call) === '__builtin_assume';
}

/** A variable of the thread, its fields, or an element of its local array. */
function isOwn(target: Expr, locals: Locals): boolean {
  let at = target;
  for (;;) {
    if (at.kind === 'member' && !at.arrow) at = at.object;
    else if (at.kind === 'index') {
      at = at.base;
      if (at.kind === 'name') {
        const local = locals.of(at);
        return local?.variable?.type.kind === 'array' && local.variable.space === 'none';
      }
    } else return at.kind === 'name' && !!locals.of(at);
  }
}

/** What an address or element lies in; undefined where no one name tells. */
export function rootOf(expr: Expr, locals: Locals, depth = 0): Root | undefined {
  if (depth > 12) return undefined;
  const again = (inner: Expr): Root | undefined => rootOf(inner, locals, depth + 1);
  switch (expr.kind) {
    case 'index':
      return again(expr.base);
    case 'member':
      return again(expr.object);
    case 'unary':
      return expr.op === '*' || expr.op === '&' ? again(expr.operand) : undefined;
    case 'cast':
      return again(expr.operand);
    case 'binary': {
      if (expr.op !== '+' && expr.op !== '-') return undefined;
      const left = pointerIn(expr.left, locals) ? again(expr.left) : undefined;
      return left ?? (expr.op === '+' && pointerIn(expr.right, locals) ? again(expr.right) : undefined);
    }
    case 'name': {
      const local = locals.of(expr);
      if (!local) return expr.name;
      if (local.parameter) return local.writes.length === 0 && !local.addressTaken ? local : undefined;
      const definition = definitionOf(local, locals);
      return definition ? again(definition) : undefined;
    }
    default:
      return undefined;
  }
}

function pointerIn(expr: Expr, locals: Locals): boolean {
  let at = expr;
  while (at.kind === 'binary') at = at.left;
  while (at.kind === 'cast') at = at.operand;
  if (at.kind === 'unary' && at.op === '&') return true;
  const local = at.kind === 'name' ? locals.of(at) : undefined;
  const type = local?.variable?.type ?? local?.parameter?.type;
  return type?.kind === 'pointer' || type?.kind === 'auto' || type?.kind === 'array';
}

/** Whether two arrays may overlap, judged by what the launches pass: one name for both, or nothing that has a name. */
export function mayOverlap(one: Root, other: Root, sites: readonly LaunchSite[], context: FunctionContext): boolean {
  if (one === other) return true;
  if (typeof one === 'string' || typeof other === 'string') return typeof one !== typeof other;
  const restricted = (local: Local): boolean =>
    local.parameter?.type.kind === 'pointer' && local.parameter.type.restrict === true;
  if (restricted(one) || restricted(other)) return false;
  const positions = [one, other].map((local) => context.fn.params.findIndex((param) => param === local.parameter));
  return sites.some(({ launch, host }) => {
    const hostLocals = localsOf(host.fn);
    const [a, b] = positions.map((position) => argumentRoots(launch.args[position], hostLocals));
    return !a || !b || [...a].some((name) => b.has(name));
  });
}

/**
 * The names of what an argument reaches: that of a pointer, and those of what the fields of a structure are given in
 * undefined where something unknown may fill it.
 */
export function argumentRoots(arg: Expr | undefined, locals: Locals): ReadonlySet<string> | undefined {
  const local = arg?.kind === 'name' ? locals.of(arg) : undefined;
  if (local?.variable?.type.kind !== 'named') {
    const root = argumentRoot(arg, locals);
    return root === undefined ? undefined : new Set([root]);
  }
  const { init } = local.variable;
  const given: (Expr | undefined)[] = init?.kind === 'initList' ? [...init.elements] : init ? [undefined] : [];
  for (const use of local.uses) {
    const field = locals.parent(use);
    if (field?.kind !== 'member') {
      if (field?.kind !== 'launch') given.push(undefined);
      continue;
    }
    const around = locals.parent(field);
    if (around?.kind === 'assign' && around.target === field) given.push(around.value);
    // Memory that a field is given: `cudaMalloc(&view.p, bytes)`.
    else if (around?.kind === 'unary' && around.op === '&') given.push(field);
  }
  const roots = given.filter((value) => value?.kind !== 'number').map((value) => argumentRoot(value, locals));
  return roots.includes(undefined) ? undefined : new Set(roots as string[]);
}

/** The name that an argument is or begins with: `buffer`, `buffer + n`, `thrust::raw_pointer_cast(x)`. */
export function argumentRoot(arg: Expr | undefined, locals: Locals): string | undefined {
  if (!arg) return undefined;
  switch (arg.kind) {
    case 'name': {
      const local = locals.of(arg);
      if (local?.variable?.type.kind === 'pointer' && local.writes.length > 0) return undefined;
      const definition = local?.variable?.type.kind === 'pointer' ? definitionOf(local, locals) : undefined;
      // A pointer into something else is that something; one that is given memory later is itself.
      return definition && definition.kind !== 'number' ? (argumentRoot(definition, locals) ?? arg.name) : arg.name;
    }
    case 'member': {
      const object = argumentRoot(arg.object, locals);
      return object === undefined ? undefined : `${object}.${arg.field}`;
    }
    case 'unary':
      return arg.op === '&' ? argumentRoot(arg.operand, locals) : undefined;
    case 'cast':
      return argumentRoot(arg.operand, locals);
    case 'index':
      return arg.index.kind === 'number' ? `${argumentRoot(arg.base, locals)}[${arg.index.value}]` : undefined;
    case 'binary':
      return argumentRoot(arg.left, locals);
    default:
      return undefined;
  }
}

/** Places outside of `except` that reach into the array, or through a moving pointer into unknown memory. */
export function readsOf(root: Root, except: AnySyntax, locals: Locals): readonly AnySyntax[] {
  return locals.nodes.filter(
    (node) =>
      reachesMemory(node) &&
      !isInside(node, except, locals) &&
      !isOwn(node, locals) &&
      (rootOf(node, locals) ?? root) === root,
  );
}

/** Why the iterations of a loop may not be dealt to lanes for what they write to memory; undefined where they may. */
export function hinderedByMemory(
  { loop, variable }: WalkingLoop,
  writes: readonly MemoryWrite[],
  sites: readonly LaunchSite[],
  context: FunctionContext,
  locals: Locals,
): string | undefined {
  for (const write of writes) {
    if (!isInside(write.statement, loop, locals)) continue;
    const name = typeof write.root === 'string' ? write.root : write.root.name;
    const others = reachesIn(loop).filter((node) => {
      const root = rootOf(node as Expr, locals);
      return !isOwn(node as Expr, locals) && (root === undefined || mayOverlap(root, write.root, sites, context));
    });
    if (write.atomic) {
      if (others.some((node) => !isInsideAtomic(node, locals))) return `\`${name}\` is also used without an atomic`;
      continue;
    }
    if (write.target.kind !== 'index') return `\`${name}\` is not only written by subscript`;
    const indices = [];
    for (const node of others) {
      // Through another pointer to the same memory it is unknown which elements meet.
      if (node.kind !== 'index' || !sameExpr(node.base, write.target.base))
        return `\`${name}\` may be both read and written`;
      const index = polynomialOf((node as IndexExpr).index, context, locals);
      if (!index) return `the index of \`${name}\` cannot be analysed`;
      indices.push(index);
    }
    const problem = separation(indices, variable, locals);
    if (problem) return `\`${name}\` ${problem}`;
  }
  return undefined;
}

function reachesIn(loop: AnySyntax): readonly AnySyntax[] {
  const found: AnySyntax[] = [];
  walk(loop, (node) => {
    if (reachesMemory(node)) {
      found.push(node);
      // `a[i][j]` is one reach; what is in the index is another.
      if (node.kind === 'index')
        walk(node.index, (inner) => {
          if (reachesMemory(inner)) found.push(inner);
        });
      return false;
    }
    return undefined;
  });
  return [...new Set(found)];
}

function isInsideAtomic(node: AnySyntax, locals: Locals): boolean {
  for (let at: AnySyntax | undefined = node; at; at = locals.parent(at))
    if (at.kind === 'call' && /^atomic/.test(calleeName(at) ?? '')) return true;
  return false;
}
