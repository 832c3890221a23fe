// Whether the iterations of a chunk may be dealt to other threads: what one writes that another reads, and what must
// meet at a barrier.
import type { CallExpr, Expr, IndexExpr } from '../../../syntax/ast';
import {
  type AnySyntax,
  some,
  walk,
  reachesMemory,
  type Fn,
  calleeName,
  endedBy,
  type Local,
  isReference,
  isStable,
  localsIn,
  type Index,
  isOrderlessAtomic,
  isThreadAtom,
  meetsThreads,
} from '../../language';
import type { Chunk, Header } from './shape';
import { type Counted, isPastEnd } from './shape';
import { type ChunkLaunch, isVacuousGuard } from './edits';
import { isPureCall, leavings, separation } from '../../program';

// ---- independence
// ----------------------------------------------------------------------------------------------------------

/** Why an iteration of the loop may need another iteration or its own thread; undefined when none does. */
export function dependence(
  header: Pick<Header, 'loop' | 'variable' | 'step'>,
  chunk: Pick<Chunk, 'thread'>,
  fn: Fn,
  counted?: Counted,
): string | undefined {
  const { loop, variable } = header;
  const inLoop = (node: AnySyntax): boolean => fn.isInside(node, loop);
  const isStep = (node: AnySyntax): boolean => fn.isInside(node, header.step);
  const written = new Map<string, { local?: Local; places: IndexExpr[] }>();
  let why: string | undefined;
  const refuse = (text: string): void => {
    why ??= text;
  };

  walk(loop.body, (node) => {
    if (why) return false;
    switch (node.kind) {
      case 'break':
        if (endedBy(node, fn.locals) === loop && (!counted || !isPastEnd(node, counted, fn)))
          refuse('an iteration can end the loop');
        break;
      case 'return':
      case 'goto':
      case 'label':
        refuse('an iteration can leave the loop');
        break;
      case 'asm':
        refuse('it contains inline assembly');
        break;
      case 'opaque':
      case 'lambda':
      case 'launch':
      case 'new':
      case 'delete':
      case 'try':
        refuse('it contains code that cannot be analysed');
        break;
      case 'call': {
        const name = calleeName(node);
        if (name && meetsThreads(name)) {
          refuse(`the threads synchronise in \`${name}\``);
          break;
        }
        if (name && /^atomic\w+$/.test(name)) {
          const problem = atomicProblem(node, fn);
          if (problem) refuse(problem);
          break;
        }
        if (!isPureCall(node, fn)) refuse(`\`${fn.text(node.callee)}\` may have side effects`);
        break;
      }
      case 'name': {
        const local = fn.local(node);
        if (!local && counted?.places.some((place) => fn.isInside(node, place))) break;
        if (!local) {
          if (node.name === 'threadIdx' || (node.name === 'blockIdx' && chunk.thread === 'grid'))
            refuse('an iteration uses its thread index');
          break;
        }
        if (isReference(local)) refuse(`an iteration uses \`${local.name}\`, a reference to unknown memory`);
        if (local === variable || (local.variable && inLoop(local.variable))) break;
        if (isStep(node) || counted?.places.some((place) => fn.isInside(node, place))) break;
        const parent = fn.parent(node);
        if (
          (parent?.kind === 'assign' && parent.target === node) ||
          (parent?.kind === 'update' && parent.operand === node)
        )
          break; // looked at as a write
        if (local.addressTaken && !isArray(local, fn)) {
          refuse(`\`${local.name}\` is changed through its address`);
          break;
        }
        if (threadDependent(local, fn, chunk.thread))
          refuse(`an iteration uses \`${local.name}\`, which belongs to the thread`);
        break;
      }
      case 'assign':
      case 'update': {
        if (isStep(node)) break;
        const target = node.kind === 'assign' ? node.target : node.operand;
        const place = placeOf(target, fn);
        if (!place) {
          refuse('it writes through an expression that is not an array element');
          break;
        }
        if (place.kind === 'local') {
          if (place.local === variable) {
            refuse('an iteration changes the loop variable');
            break;
          }
          if (place.local.variable && inLoop(place.local.variable)) break;
          if (counted || !isReduction(place.local, node, header as Header, fn))
            refuse(`\`${place.local.name}\` carries a value between iterations`);
        } else {
          if (place.local?.variable && inLoop(place.local.variable)) break; // an array of the turn's own
          if (place.local?.variable?.type.kind === 'array') {
            refuse(`\`${place.name}\` is an array of the block or thread`);
            break;
          }
          if (place.local?.variable) {
            refuse(`\`${place.name}\` is a pointer that the kernel computes`);
            break;
          }
          const entry = written.get(place.name) ?? { places: [], ...(place.local ? { local: place.local } : {}) };
          entry.places.push(place.index);
          written.set(place.name, entry);
        }
        break;
      }
      default:
        break;
    }
    return undefined;
  });
  if (why) return why;

  for (const [name, entry] of written) {
    // All of the kernel's uses of a written array must be inside the loop, each at the turn's own element.
    const indices: Index[] = [];
    for (const node of fn.locals.nodes) {
      if (node.kind !== 'name' || node.name !== name || (entry.local ? fn.local(node) !== entry.local : fn.local(node)))
        continue;
      const parent = fn.parent(node);
      if (!inLoop(node)) return `\`${name}\` is also used outside the loop`;
      if (parent?.kind !== 'index' || parent.base !== node) return `\`${name}\` is not only used by subscript`;
      const index = fn.index(parent.index);
      if (!index) return `the index of \`${name}\` cannot be analysed`;
      indices.push(index);
    }
    const problem = separation(indices, variable, fn.locals, counted?.start);
    if (problem) return `\`${name}\` ${problem}`;
  }
  return undefined;
}

type Place =
  | { readonly kind: 'local'; readonly local: Local }
  | { readonly kind: 'element'; readonly name: string; readonly local?: Local; readonly index: IndexExpr };
function placeOf(target: Expr, fn: Fn): Place | undefined {
  if (target.kind === 'name') {
    const local = fn.local(target);
    return local && { kind: 'local', local };
  }
  if (target.kind === 'member' && !target.arrow) {
    const inner = placeOf(target.object, fn);
    return inner;
  }
  if (target.kind !== 'index') return undefined;
  let base: Expr = target.base;
  if (base.kind === 'index') {
    while (base.kind === 'index') base = base.base;
    if (base.kind !== 'name' || fn.local(base)?.variable?.type.kind !== 'array') return undefined;
  }
  if (base.kind !== 'name') return undefined;
  const local = fn.local(base);
  return { kind: 'element', name: base.name, index: target, ...(local ? { local } : {}) };
}
function isArray(local: Local, fn: Fn): boolean {
  const type = fn.types.resolve((local.variable ?? local.parameter)!.type);
  return type.kind === 'array' || type.kind === 'pointer';
}

/** Can the variable's value differ between the threads that share an iteration's work? */
function threadDependent(local: Local, fn: Fn, thread: 'grid' | 'block', depth = 0): boolean {
  if (local.parameter) return local.writes.length > 0;
  // the loop does not meet a barrier, yet its neighbours' turns would read it at other times
  if (local.variable?.space === 'shared') return true;
  if (depth > 8 || !local.variable) return true;
  const sources = [local.variable.init, ...local.writes.map((write) => write.value)].filter(
    (expr): expr is Expr => !!expr,
  );
  if (!local.variable.init && local.writes.length === 0 && local.variable.type.kind !== 'array') return true;
  let depends = local.writes.length > 0;
  sources.forEach((source) =>
    walk(source, (node) => {
      if (node.kind === 'name') {
        const inner = fn.local(node);
        if (!inner) {
          if (node.name === 'threadIdx' || (node.name === 'blockIdx' && thread === 'grid')) depends = true;
        } else if (threadDependent(inner, fn, thread, depth + 1)) depends = true;
      }
      if (reachesMemory(node)) depends = true;
      if (node.kind === 'call' && !isPureCall(node, fn)) depends = true;
    }),
  );
  return depends;
}
function isReductionTarget(local: Local): boolean {
  return local.writes.length > 0 && local.writes.every((write) => /^(\+=|\|=|&=|\^=|\+\+)$/.test(write.op));
}

/**
 * An integer that every iteration only adds to, and that leaves the thread only through an atomic addition: the sum
 * over all threads stays.
 */
function isReduction(local: Local, write: AnySyntax, header: Header, fn: Fn): boolean {
  const type = local.variable && fn.types.resolve(local.variable.type);
  if (type?.kind !== 'scalar' || type.float || local.addressTaken || !isReductionTarget(local)) return false;
  const init = local.variable!.init;
  const ops = new Set(local.writes.map((each) => (each.op === '++' ? '+=' : each.op)));
  if (ops.size !== 1 || ops.has('&=') || !init || init.kind !== 'number' || init.value !== 0) return false;
  const atomic = ops.has('+=') ? 'atomicAdd' : ops.has('|=') ? 'atomicOr' : 'atomicXor';
  if (write.kind === 'assign' && (write.value.kind === 'name' ? fn.local(write.value) === local : false)) return false;
  return local.uses.every((use) => {
    const parent = fn.parent(use);
    if (parent && (parent.kind === 'assign' || parent.kind === 'update')) {
      if ((parent.kind === 'assign' ? parent.target : parent.operand) !== use) return false;
      return fn.parent(parent)?.kind === 'expr' || (parent === write && fn.parent(parent)?.kind === 'expr');
    }
    if (fn.isInside(use, header.loop)) return false;
    return (
      parent?.kind === 'call' &&
      calleeName(parent) === atomic &&
      parent.args[1] === use &&
      fn.parent(parent)?.kind === 'expr'
    );
  });
}

function atomicProblem(call: CallExpr, fn: Fn): string | undefined {
  const name = calleeName(call)!;
  if (!isOrderlessAtomic(name) || fn.parent(call)?.kind !== 'expr')
    return `\`${name}\` gives an iteration the value of another`;
  if (/Inc|Dec/.test(name)) return undefined;
  const target = call.args[0];
  let base: Expr | undefined = target;
  while (base && (base.kind === 'unary' || base.kind === 'index' || base.kind === 'binary'))
    base = base.kind === 'unary' ? base.operand : base.kind === 'index' ? base.base : base.left;
  const local = base?.kind === 'name' ? fn.local(base) : undefined;
  const type = local && fn.types.resolve((local.variable ?? local.parameter)!.type);
  const element = type?.kind === 'pointer' ? type.to : type?.kind === 'array' ? type.of : undefined;
  if (element?.kind !== 'scalar') return `the effects of \`${name}\` are not known`;
  if (element.float) return `\`${name}\` adds floating-point numbers in another order`;
  if (local!.uses.some((use) => !fn.isInside(use, call) && !insideAtomic(use, fn)))
    return `\`${local!.name}\` is also used without an atomic`;
  return undefined;
}
function insideAtomic(use: AnySyntax, fn: Fn): boolean {
  for (const outer of fn.around(use)) {
    if (outer.kind === 'call') return /^atomic/.test(calleeName(outer) ?? '') && fn.parent(outer)?.kind === 'expr';
    if (outer.kind === 'expr' || outer.kind === 'decl') return false;
  }
  return false;
}

/** Why not every thread of the launch comes to the loop; undefined when each does. */
export function reach(header: Pick<Header, 'loop'>, fn: Fn, launches: readonly ChunkLaunch[]): string | undefined {
  const { loop } = header;
  let inner: AnySyntax = loop;
  for (const outer of fn.around(loop)) {
    if (outer.kind === 'block') {
      for (const stmt of outer.body) {
        if (stmt === inner) break;
        const leaving = leavings(stmt).size > 0 && !(stmt.kind === 'if' && !varies(stmt.cond, fn));
        if (leaving && !isVacuousGuard(stmt, fn, launches)) return 'some threads may exit before it';
      }
    } else if (outer.kind === 'if') {
      if (varies(outer.cond, fn)) return 'some threads may skip it';
    } else if (outer.kind === 'for' || outer.kind === 'while' || outer.kind === 'do') {
      if (outer.kind === 'do' || !outer.cond || varies(outer.cond, fn))
        return 'the enclosing loop may differ between threads';
    } else if (outer.kind !== 'lambda') return 'it is in code that cannot be analysed';
    else return 'it is in a lambda';
    inner = outer;
  }
  return undefined;
}

function varies(cond: Expr, fn: Fn): boolean {
  return some(cond, (node) => {
    if (node.kind === 'name') {
      const local = fn.local(node);
      if (!local) {
        if (node.name === 'threadIdx' || node.name === 'blockIdx') return true;
      } else if (local.variable && !isLoopCounter(local, fn) && threadDependent(local, fn, 'grid')) return true;
    }
    return node.kind === 'call' || reachesMemory(node);
  });
}
/** A counter whose start and steps are the same in every thread. */
function isLoopCounter(local: Local, fn: Fn): boolean {
  if (local.addressTaken || !local.variable?.init) return false;
  const parts = [local.variable.init, ...local.writes.map((write) => write.value)].filter(
    (expr): expr is Expr => !!expr,
  );
  return (
    parts.every((part) => {
      const value = fn.index(part);
      return (
        !!value && !value.has(isThreadAtom) && [...localsIn(value)].every((inner) => inner === local || isStable(inner))
      );
    }) &&
    local.writes.every((write) =>
      [...fn.around(write.node)].some(
        (outer) => outer.kind === 'for' && outer.step && fn.isInside(write.node, outer.step),
      ),
    )
  );
}
