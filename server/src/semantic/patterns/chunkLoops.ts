// Loops in which each thread walks a chunk of neighbouring elements, and the edits that make them grid-stride loops.
import type { CallExpr, Expr, ForStmt, IndexExpr, Stmt, WhileStmt } from '../../syntax/ast';
import { applyConstant } from '../constants';
import type { ChunkLoopFact, Edit } from '../model';
import { lastPart } from '../program';
import { walk, type AnySyntax } from '../syntaxFacts';
import { spanOf, textOf, type PatternContext } from './context';
import {
  ancestorsOf,
  calleeName,
  definitionOf,
  isInside,
  localsOf,
  statementsOf,
  type Local,
  type Locals,
} from './locals';
import {
  add,
  atomPolynomial,
  atomName,
  canonical,
  constantPolynomial,
  equal,
  isStable,
  isZero,
  mentions,
  multiply,
  numberOf,
  polynomialOf,
  splitBy,
  type Polynomial,
} from './polynomials';
import { launchSitesOf } from './launchSites';
import { deletionOf, hasMacro, isPureCall } from './rewriting';

/** Numbers that one launch fixes: its grid, where known, beside `blockShapes` and `launchValues` of the context. */
export interface ChunkLaunch {
  readonly gridX?: number;
  readonly blockX?: number;
  readonly values?: ReadonlyMap<string, number>;
}

interface Header {
  readonly loop: ForStmt | WhileStmt;
  readonly variable: Local;
  readonly start: Expr;
  readonly cond: Expr;
  /** What steps the variable: the `for`'s step, or the last statement of a `while`. */
  readonly step: Expr;
}
interface Chunk {
  readonly start: Expr;
  /** The limit is where the chunks end by construction: the last thread takes what the division leaves. */
  readonly whole?: boolean;
  readonly thread: 'grid' | 'block';
  readonly size: Polynomial;
  readonly sizeExpr: string;
  readonly limits: readonly Expr[];
}

/**
 * Recognises `for (i = t * c; i < (t + 1) * c; i++)`, with `t` the thread's number in the grid or in its block, the bounds written out or held in locals, the end
 * cut at `n` or not; undefined where the loop is something else. The fact's `independent` says whether the edits keep the meaning of the
 * program: every element is still handled once, by another thread, and no turn needs another one. `launches` are all launches of the
 * kernel, or empty; with them the end of the new loop can be proven to be `n`, else it is cut where the chunks ended.
 */
export function chunkLoopOf(
  context: PatternContext,
  loop: ForStmt | WhileStmt,
  launches: readonly ChunkLaunch[] = [],
): ChunkLoopFact | undefined {
  const locals = localsOf(context.fn);
  // A proof by the numbers of the launches needs all of them.
  const sites = launchSitesOf(context)
    .filter((site) => !site.kernel || site.kernel === context.fn)
    .filter((site) => site.launch.callee.kind !== 'name' || lastPart(site.launch.callee.name) === context.fn.name);
  const all = launches.length >= sites.length && launches.length < 6 ? launches : [];
  const header = headerOf(loop, locals);
  const chunk = header && chunkOf(header, context, locals);
  if (!header || !chunk) return loop.kind === 'for' ? countedChunkOf(context, loop, locals, all) : undefined;
  const headerEnd = loop.kind === 'for' ? loop.headerEnd : loop.body.start;
  const headerText = textOf(context, { start: loop.start, end: headerEnd });
  const shown = {
    loopAt: spanOf(context, loop),
    headerAt: spanOf(context, { start: loop.start, end: loop.start + headerText.trimEnd().length }),
    variable: header.variable.name,
  };
  const refused = (why: string): ChunkLoopFact => ({
    ...shown,
    newHeader: headerText.trimEnd(),
    independent: false,
    why,
  });

  const why = dependence(header, chunk, context, locals) ?? reach(header, context, locals, all);
  if (why) return refused(why);
  return rewrite(header, chunk, context, locals, all, shown) ?? refused('its bounds cannot be written anew');
}

// ---- recognition -----------------------------------------------------------------------------------------------------------

function headerOf(loop: ForStmt | WhileStmt, locals: Locals): Header | undefined {
  if (loop.kind === 'for') {
    if (!loop.cond || !loop.step || !loop.init) return undefined;
    const declared = loop.init.kind === 'decl' && loop.init.vars.length === 1 ? loop.init.vars[0]! : undefined;
    if (!declared?.init || declared.init.kind === 'initList') return undefined; // a variable that lives on after the loop keeps its last value for someone
    const variable = locals.all.find((local) => local.variable === declared);
    if (!variable || variable.addressTaken || variable.writes.length !== 1) return undefined;
    return stepsByOne(loop.step, variable, locals)
      ? { loop, variable, start: declared.init, cond: loop.cond, step: loop.step }
      : undefined;
  }
  const body = statementsOf(loop.body);
  const last = body.at(-1);
  if (last?.kind !== 'expr') return undefined;
  const target =
    last.expr.kind === 'update' ? last.expr.operand : last.expr.kind === 'assign' ? last.expr.target : undefined;
  const variable = target?.kind === 'name' ? locals.of(target) : undefined;
  if (
    !variable?.variable?.init ||
    variable.variable.init.kind === 'initList' ||
    variable.addressTaken ||
    variable.writes.length !== 1
  )
    return undefined;
  // Nothing but the loop may read the variable: after it, its value is another one.
  if (variable.uses.some((use) => !isInside(use, loop, locals))) return undefined;
  let jumps = false;
  walk(loop.body, (node) => {
    if (node.kind === 'continue') jumps = true;
  });
  return !jumps && stepsByOne(last.expr, variable, locals)
    ? { loop, variable, start: variable.variable.init, cond: loop.cond, step: last.expr }
    : undefined;
}

function stepsByOne(step: Expr, variable: Local, locals: Locals): boolean {
  const is = (expr: Expr): boolean => expr.kind === 'name' && locals.of(expr) === variable;
  if (step.kind === 'update') return step.op === '++' && is(step.operand);
  if (step.kind !== 'assign' || !is(step.target)) return false;
  if (step.op === '+=') return step.value.kind === 'number' && step.value.value === 1;
  return (
    step.op === '=' &&
    step.value.kind === 'binary' &&
    step.value.op === '+' &&
    is(step.value.left) &&
    step.value.right.kind === 'number' &&
    step.value.right.value === 1
  );
}

const gridThread = add(
  multiply(atomPolynomial('blockIdx.x'), atomPolynomial('blockDim.x')),
  atomPolynomial('threadIdx.x'),
);
const isThreadAtom = (atom: string): boolean => /threadIdx|blockIdx/.test(atom);

function chunkOf(header: Header, context: PatternContext, locals: Locals): Chunk | undefined {
  const start = polynomialOf(header.start, context, locals);
  if (!start || ![...start.locals].every(isStable)) return undefined;
  const split = splitBy(start, 'threadIdx.x');
  if (!split || isZero(split.factor) || mentions(split.factor, isThreadAtom)) return undefined;
  const size = split.factor;
  const thread = equal(start, multiply(gridThread, size))
    ? 'grid'
    : equal(start, multiply(atomPolynomial('threadIdx.x'), size))
      ? 'block'
      : undefined;
  if (!thread || numberOf(size) === 1) return undefined;
  const ends = endsOf(header.cond, header.variable, context, locals);
  if (!ends) return undefined;
  const end = add(start, size);
  const limits: Expr[] = [];
  let found = false;
  let whole = false;
  for (const expr of ends) {
    const rest = restOf(expr, end, size, thread, context, locals);
    if (rest) {
      found = true;
      whole = true;
      limits.push(rest);
      continue;
    }
    const value = polynomialOf(expr, context, locals);
    if (value && [...value.locals].every(isStable) && equal(value, end)) {
      found = true;
      continue;
    }
    if (!value || mentions(value, isThreadAtom) || ![...value.locals].every(isStable)) return undefined;
    limits.push(expr);
  }
  if (!found || (whole && limits.length > 1)) return undefined;
  const sizeExpr = chunkSizeText(header.start, size, context, locals);
  return sizeExpr ? { start: header.start, ...(whole ? { whole } : {}), thread, size, sizeExpr, limits } : undefined;
}

/** `t == threads - 1 ? n : start + c` with `c = n / threads`: n, where the last chunk ends. */
function restOf(
  expr: Expr,
  end: Polynomial,
  size: Polynomial,
  thread: 'grid' | 'block',
  context: PatternContext,
  locals: Locals,
): Expr | undefined {
  const held = expr.kind === 'name' && locals.of(expr) ? definitionOf(locals.of(expr)!, locals) : expr;
  if (held?.kind !== 'conditional' || held.cond.kind !== 'binary' || !/^[=!]=$/.test(held.cond.op)) return undefined;
  const [last, others] = held.cond.op === '==' ? [held.then, held.else] : [held.else, held.then];
  const [left, right, limit, usual] = [held.cond.left, held.cond.right, last, others].map((part) =>
    polynomialOf(part, context, locals),
  );
  const total = totalOf(thread);
  const number = thread === 'grid' ? gridThread : atomPolynomial('threadIdx.x');
  if (
    !left ||
    !right ||
    !limit ||
    !usual ||
    !equal(usual, end) ||
    mentions(limit, isThreadAtom) ||
    ![...limit.locals].every(isStable)
  )
    return undefined;
  const isLast =
    equal(add(add(left, right, -1), add(number, total, -1), -1), constantPolynomial(1)) ||
    equal(add(add(right, left, -1), add(number, total, -1), -1), constantPolynomial(1));
  return isLast && size.terms.size === 1 && size.terms.get(quotient(limit, total)) === 1 ? last : undefined;
}
function totalOf(thread: 'grid' | 'block'): Polynomial {
  return thread === 'grid'
    ? multiply(atomPolynomial('gridDim.x'), atomPolynomial('blockDim.x'))
    : atomPolynomial('blockDim.x');
}
/** The atom of an integer division, as `polynomialOf` writes it. */
function quotient(numerator: Polynomial, denominator: Polynomial): string {
  return `(${canonical(numerator).replaceAll('*', '·')})/(${canonical(denominator).replaceAll('*', '·')})`;
}

/** The values that the variable stays below: the operands of `&&` and `min` taken apart, locals followed. */
function endsOf(cond: Expr, variable: Local, context: PatternContext, locals: Locals): Expr[] | undefined {
  if (cond.kind !== 'binary') return undefined;
  if (cond.op === '&&') {
    const left = endsOf(cond.left, variable, context, locals);
    const right = left && endsOf(cond.right, variable, context, locals);
    return left && right && [...left, ...right];
  }
  const below = cond.op === '<' ? [cond.left, cond.right] : cond.op === '>' ? [cond.right, cond.left] : undefined;
  if (!below || below[0]!.kind !== 'name' || locals.of(below[0]!) !== variable) return undefined;
  return leastOf(below[1]!, locals);
}

/** `min(a, b)`, `a < b ? a : b` and locals that hold them, as the list of their parts. */
function leastOf(expr: Expr, locals: Locals, depth = 0): Expr[] {
  if (depth > 8) return [expr];
  if (expr.kind === 'name') {
    const local = locals.of(expr);
    const definition = local && definitionOf(local, locals);
    if (definition && (isLeast(definition) || definition.kind === 'name'))
      return isLeast(definition) ? leastOf(definition, locals, depth + 1) : [expr];
    return [expr];
  }
  if (expr.kind === 'call' && /^(min|fmin)$/.test(calleeName(expr) ?? '') && expr.args.length === 2)
    return expr.args.flatMap((arg) => leastOf(arg, locals, depth + 1));
  if (isLeast(expr) && expr.kind === 'conditional')
    return [...leastOf(expr.then, locals, depth + 1), ...leastOf(expr.else, locals, depth + 1)];
  return [expr];
}
function isLeast(expr: Expr): boolean {
  if (expr.kind === 'call') return calleeName(expr) === 'min' && expr.args.length === 2;
  if (expr.kind !== 'conditional' || expr.cond.kind !== 'binary') return false;
  const { op, left, right } = expr.cond;
  const text = (part: Expr): string =>
    JSON.stringify(part, (key, value: unknown) =>
      key === 'start' || key === 'end' || key === 'opStart' ? undefined : value,
    );
  const [a, b, then, otherwise] = [left, right, expr.then, expr.else].map(text);
  return op === '<' || op === '<='
    ? a === then && b === otherwise
    : op === '>' || op === '>='
      ? a === otherwise && b === then
      : false;
}

/** How the chunk's size is written in the start `t * c`: the factor that is not the thread. */
function chunkSizeText(start: Expr, size: Polynomial, context: PatternContext, locals: Locals): string | undefined {
  let at = start;
  for (let depth = 0; depth < 8; depth++) {
    if (at.kind === 'cast') {
      at = at.operand;
      continue;
    }
    if (at.kind !== 'name') break;
    const local = locals.of(at);
    const definition = local && definitionOf(local, locals);
    if (!definition) return undefined;
    at = definition;
  }
  if (at.kind !== 'binary' || (at.op !== '*' && at.op !== '<<')) return undefined;
  for (const part of at.op === '*' ? [at.left, at.right] : []) {
    const value = polynomialOf(part, context, locals);
    if (value && equal(value, size) && !hasMacroParts(part)) {
      const text = textOf(context, part).trim();
      return part.kind === 'binary' || part.kind === 'conditional' ? `(${stripped(text)})` : text;
    }
  }
  const number = numberOf(size);
  return number === undefined ? undefined : String(number);
}
function stripped(text: string): string {
  return text.startsWith('(') && text.endsWith(')') && closes(text) ? text.slice(1, -1) : text;
}
function closes(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return at === text.length - 1;
  }
  return false;
}
/** Macro parts below the node itself: the node's own text is then not what it means. */
function hasMacroParts(expr: Expr): boolean {
  return !!expr.macro && expr.kind !== 'number';
}

// ---- independence ----------------------------------------------------------------------------------------------------------

/** Why a turn of the loop may need another turn or its own thread; undefined when none does. */
function dependence(
  header: Pick<Header, 'loop' | 'variable' | 'step'>,
  chunk: Pick<Chunk, 'thread'>,
  context: PatternContext,
  locals: Locals,
  counted?: Counted,
): string | undefined {
  const { loop, variable } = header;
  const inLoop = (node: AnySyntax): boolean => isInside(node, loop, locals);
  const isStep = (node: AnySyntax): boolean => isInside(node, header.step, locals);
  const written = new Map<string, { local?: Local; places: IndexExpr[] }>();
  let why: string | undefined;
  const refuse = (text: string): void => {
    why ??= text;
  };

  walk(loop.body, (node) => {
    if (why) return false;
    switch (node.kind) {
      case 'break': {
        for (const outer of ancestorsOf(node, locals)) {
          if (outer === loop) {
            if (!counted || !isPastEnd(node, counted, context, locals)) refuse('an iteration can end the loop');
            break;
          }
          if (
            outer.kind === 'for' ||
            outer.kind === 'while' ||
            outer.kind === 'do' ||
            outer.kind === 'switch' ||
            outer.kind === 'rangeFor'
          )
            break;
        }
        break;
      }
      case 'return':
      case 'goto':
      case 'label':
        refuse('an iteration can leave the loop');
        break;
      case 'asm':
        refuse('it holds inline assembly');
        break;
      case 'opaque':
      case 'lambda':
      case 'launch':
      case 'new':
      case 'delete':
      case 'try':
        refuse('it holds code that is not understood');
        break;
      case 'call': {
        const name = calleeName(node);
        if (name && /^__sync|^__shfl|^__ballot|^__any|^__all|^__activemask|^__match|^__reduce/.test(name)) {
          refuse(`the threads meet in \`${name}\``);
          break;
        }
        if (name && /^atomic\w+$/.test(name)) {
          const problem = atomicProblem(node, context, locals);
          if (problem) refuse(problem);
          break;
        }
        if (!isPureCall(node, context)) refuse(`\`${textOf(context, node.callee)}\` may do more than compute`);
        break;
      }
      case 'name': {
        const local = locals.of(node);
        if (!local && counted?.places.some((place) => isInside(node, place, locals))) break;
        if (!local) {
          if (node.name === 'threadIdx' || (node.name === 'blockIdx' && chunk.thread === 'grid'))
            refuse('an iteration uses the number of its thread');
          break;
        }
        if (local === variable || (local.variable && inLoop(local.variable))) break;
        if (isStep(node) || counted?.places.some((place) => isInside(node, place, locals))) break;
        const parent = locals.parent(node);
        if (
          (parent?.kind === 'assign' && parent.target === node) ||
          (parent?.kind === 'update' && parent.operand === node)
        )
          break; // looked at as a write
        if (local.addressTaken && !isArray(local, context)) {
          refuse(`\`${local.name}\` is changed through its address`);
          break;
        }
        if (threadDependent(local, context, locals, chunk.thread))
          refuse(`an iteration uses \`${local.name}\`, which belongs to the thread`);
        break;
      }
      case 'assign':
      case 'update': {
        if (isStep(node)) break;
        const target = node.kind === 'assign' ? node.target : node.operand;
        const place = placeOf(target, locals);
        if (!place) {
          refuse('it writes through an expression that is not an array element');
          break;
        }
        if (place.kind === 'local') {
          if (place.local === variable) {
            refuse('an iteration moves the loop variable');
            break;
          }
          if (place.local.variable && inLoop(place.local.variable)) break;
          if (counted || !isReduction(place.local, node, header as Header, context, locals))
            refuse(`\`${place.local.name}\` is carried from iteration to iteration`);
        } else {
          if (place.local?.variable && inLoop(place.local.variable)) break; // an array of the turn's own
          if (place.local?.variable?.type.kind === 'array') {
            refuse(`\`${place.name}\` is an array of the block or thread`);
            break;
          }
          if (place.local?.variable) {
            refuse(`\`${place.name}\` is a pointer of the kernel's own`);
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
    const indices: Polynomial[] = [];
    for (const node of locals.nodes) {
      if (
        node.kind !== 'name' ||
        node.name !== name ||
        (entry.local ? locals.of(node) !== entry.local : locals.of(node))
      )
        continue;
      const parent = locals.parent(node);
      if (!inLoop(node)) return `\`${name}\` is also used outside the loop`;
      if (parent?.kind !== 'index' || parent.base !== node) return `\`${name}\` is used other than by subscript`;
      const index = polynomialOf(parent.index, context, locals);
      if (!index) return `the index of \`${name}\` is not understood`;
      indices.push(index);
    }
    const problem = separation(indices, variable, locals, counted?.start);
    if (problem) return `\`${name}\` ${problem}`;
  }
  return undefined;
}

/** Whether two turns can meet in one element of an array that is used at `indices`. */
function separation(
  indices: readonly Polynomial[],
  variable: Local,
  locals: Locals,
  start?: Polynomial,
): string | undefined {
  const atom = atomName(variable, locals);
  const first = indices[0] && splitBy(indices[0], atom);
  if (!first) return 'is indexed by more than the loop variable';
  const factor = numberOf(first.factor);
  if (factor === undefined || factor === 0) return 'is not indexed by the loop variable';
  for (const index of indices) {
    const split = splitBy(index, atom);
    if (!split || numberOf(split.factor) !== factor) return 'is indexed in two ways';
    const distance = numberOf(add(split.rest, first.rest, -1));
    if (distance === undefined || Math.abs(distance) >= Math.abs(factor))
      return 'is used at elements of other iterations';
    // Beside the element's own number nothing may tell threads apart.
    if (start && mentions(add(split.rest, multiply(constantPolynomial(factor), start), -1), isThreadAtom))
      return 'is indexed by more than the element';
    if ([...split.rest.locals].some((local) => local !== variable && !isStable(local)))
      return 'is indexed by a variable that changes';
    if (
      mentions(split.rest, (other) => other.startsWith('(') && new RegExp(`(?<![\\w.])${atom}(?![\\w.])`).test(other))
    )
      return 'is indexed by more than the loop variable';
  }
  return undefined;
}

type Place =
  | { readonly kind: 'local'; readonly local: Local }
  | { readonly kind: 'element'; readonly name: string; readonly local?: Local; readonly index: IndexExpr };
function placeOf(target: Expr, locals: Locals): Place | undefined {
  if (target.kind === 'name') {
    const local = locals.of(target);
    return local && { kind: 'local', local };
  }
  if (target.kind === 'member' && !target.arrow) {
    const inner = placeOf(target.object, locals);
    return inner;
  }
  if (target.kind !== 'index') return undefined;
  let base: Expr = target.base;
  if (base.kind === 'index') {
    while (base.kind === 'index') base = base.base;
    if (base.kind !== 'name' || locals.of(base)?.variable?.type.kind !== 'array') return undefined;
  }
  if (base.kind !== 'name') return undefined;
  const local = locals.of(base);
  return { kind: 'element', name: base.name, index: target, ...(local ? { local } : {}) };
}
function isArray(local: Local, context: PatternContext): boolean {
  const type = context.types.resolve((local.variable ?? local.parameter)!.type);
  return type.kind === 'array' || type.kind === 'pointer';
}

/** Can the variable's value differ between the threads that share a turn's work? */
function threadDependent(
  local: Local,
  context: PatternContext,
  locals: Locals,
  thread: 'grid' | 'block',
  depth = 0,
): boolean {
  if (local.parameter) return local.writes.length > 0;
  if (local.variable?.space === 'shared') return true; // the loop does not meet a barrier, yet its neighbours' turns would read it at other times
  if (depth > 8 || !local.variable) return true;
  const sources = [local.variable.init, ...local.writes.map((write) => write.value)].filter(
    (expr): expr is Expr => !!expr,
  );
  if (!local.variable.init && local.writes.length === 0 && local.variable.type.kind !== 'array') return true;
  let depends = local.writes.length > 0;
  sources.forEach((source) =>
    walk(source, (node) => {
      if (node.kind === 'name') {
        const inner = locals.of(node);
        if (!inner) {
          if (node.name === 'threadIdx' || (node.name === 'blockIdx' && thread === 'grid')) depends = true;
        } else if (threadDependent(inner, context, locals, thread, depth + 1)) depends = true;
      }
      if (node.kind === 'index' || (node.kind === 'unary' && node.op === '*')) depends = true;
      if (node.kind === 'call' && !isPureCall(node, context)) depends = true;
    }),
  );
  return depends;
}
function isReductionTarget(local: Local): boolean {
  return local.writes.length > 0 && local.writes.every((write) => /^(\+=|\|=|&=|\^=|\+\+)$/.test(write.op));
}

/** An integer that every turn only adds to, and that leaves the thread only through an atomic addition: the sum over all threads stays. */
function isReduction(local: Local, write: AnySyntax, header: Header, context: PatternContext, locals: Locals): boolean {
  const type = local.variable && context.types.resolve(local.variable.type);
  if (type?.kind !== 'scalar' || type.float || local.addressTaken || !isReductionTarget(local)) return false;
  const init = local.variable!.init;
  const ops = new Set(local.writes.map((each) => (each.op === '++' ? '+=' : each.op)));
  if (ops.size !== 1 || ops.has('&=') || !init || init.kind !== 'number' || init.value !== 0) return false;
  const atomic = ops.has('+=') ? 'atomicAdd' : ops.has('|=') ? 'atomicOr' : 'atomicXor';
  if (write.kind === 'assign' && (write.value.kind === 'name' ? locals.of(write.value) === local : false)) return false;
  return local.uses.every((use) => {
    const parent = locals.parent(use);
    if (parent && (parent.kind === 'assign' || parent.kind === 'update')) {
      if ((parent.kind === 'assign' ? parent.target : parent.operand) !== use) return false;
      return locals.parent(parent)?.kind === 'expr' || (parent === write && locals.parent(parent)?.kind === 'expr');
    }
    if (isInside(use, header.loop, locals)) return false;
    return (
      parent?.kind === 'call' &&
      calleeName(parent) === atomic &&
      parent.args[1] === use &&
      locals.parent(parent)?.kind === 'expr'
    );
  });
}

function atomicProblem(call: CallExpr, context: PatternContext, locals: Locals): string | undefined {
  const name = calleeName(call)!;
  if (
    !/^atomic(Add|Sub|Max|Min|And|Or|Xor|Inc|Dec)(_block|_system)?$/.test(name) ||
    locals.parent(call)?.kind !== 'expr'
  )
    return `\`${name}\` gives a turn the value of another`;
  if (/Inc|Dec/.test(name)) return undefined;
  const target = call.args[0];
  let base: Expr | undefined = target;
  while (base && (base.kind === 'unary' || base.kind === 'index' || base.kind === 'binary'))
    base = base.kind === 'unary' ? base.operand : base.kind === 'index' ? base.base : base.left;
  const local = base?.kind === 'name' ? locals.of(base) : undefined;
  const type = local && context.types.resolve((local.variable ?? local.parameter)!.type);
  const element = type?.kind === 'pointer' ? type.to : type?.kind === 'array' ? type.of : undefined;
  if (element?.kind !== 'scalar') return `what \`${name}\` changes is not known`;
  if (element.float) return `\`${name}\` adds floating-point numbers in another order`;
  if (local!.uses.some((use) => !isInside(use, call, locals) && !insideAtomic(use, locals)))
    return `\`${local!.name}\` is also used without an atomic`;
  return undefined;
}
function insideAtomic(use: AnySyntax, locals: Locals): boolean {
  for (const outer of ancestorsOf(use, locals)) {
    if (outer.kind === 'call') return /^atomic/.test(calleeName(outer) ?? '') && locals.parent(outer)?.kind === 'expr';
    if (outer.kind === 'expr' || outer.kind === 'decl') return false;
  }
  return false;
}

/** Why not every thread of the launch comes to the loop; undefined when each does. */
function reach(
  header: Pick<Header, 'loop'>,
  context: PatternContext,
  locals: Locals,
  launches: readonly ChunkLaunch[],
): string | undefined {
  const { loop } = header;
  let inner: AnySyntax = loop;
  for (const outer of ancestorsOf(loop, locals)) {
    if (outer.kind === 'block') {
      for (const stmt of outer.body) {
        if (stmt === inner) break;
        let leaving = false;
        walk(stmt, (node) => {
          if (node.kind === 'return' || node.kind === 'goto' || node.kind === 'break' || node.kind === 'continue')
            leaving = true;
        });
        if (leaving && !uniformLoop(stmt, context, locals) && !isVacuousGuard(stmt, context, locals, launches))
          return 'some threads may leave before it';
      }
    } else if (outer.kind === 'if') {
      if (varies(outer.cond, context, locals)) return 'some threads may pass it by';
    } else if (outer.kind === 'for' || outer.kind === 'while' || outer.kind === 'do') {
      if (outer.kind === 'do' || !outer.cond || varies(outer.cond, context, locals))
        return 'the loop around it may run differently in each thread';
    } else if (outer.kind !== 'lambda') return 'it stands in code that is not understood';
    else return 'it stands in a lambda';
    inner = outer;
  }
  return undefined;
}

/** A statement whose jumps stay inside it. */
function uniformLoop(stmt: Stmt, context: PatternContext, locals: Locals): boolean {
  let leaving = false;
  walk(stmt, (node) => {
    if (node.kind === 'return' || node.kind === 'goto') leaving = true;
    if (node.kind === 'break' || node.kind === 'continue') {
      let inside = false;
      for (const outer of ancestorsOf(node, locals)) {
        if (
          outer.kind === 'for' ||
          outer.kind === 'while' ||
          outer.kind === 'do' ||
          outer.kind === 'rangeFor' ||
          (outer.kind === 'switch' && node.kind === 'break')
        )
          inside = true;
        if (outer === stmt) break;
        if (inside) break;
      }
      if (!inside) leaving = true;
    }
  });
  return !leaving || (stmt.kind === 'if' && !varies(stmt.cond, context, locals));
}

function varies(cond: Expr, context: PatternContext, locals: Locals): boolean {
  let found = false;
  walk(cond, (node) => {
    if (node.kind === 'name') {
      const local = locals.of(node);
      if (!local) {
        if (node.name === 'threadIdx' || node.name === 'blockIdx') found = true;
      } else if (
        local.variable &&
        !isLoopCounter(local, context, locals) &&
        threadDependent(local, context, locals, 'grid')
      )
        found = true;
    }
    if (node.kind === 'index' || node.kind === 'call' || (node.kind === 'unary' && node.op === '*')) found = true;
  });
  return found;
}
/** A counter whose start and steps are the same in every thread. */
function isLoopCounter(local: Local, context: PatternContext, locals: Locals): boolean {
  if (local.addressTaken || !local.variable?.init) return false;
  const parts = [local.variable.init, ...local.writes.map((write) => write.value)].filter(
    (expr): expr is Expr => !!expr,
  );
  return (
    parts.every((part) => {
      const value = polynomialOf(part, context, locals);
      return (
        !!value &&
        !mentions(value, isThreadAtom) &&
        [...value.locals].every((inner) => inner === local || isStable(inner))
      );
    }) &&
    local.writes.every((write) =>
      [...ancestorsOf(write.node, locals)].some(
        (outer) => outer.kind === 'for' && outer.step && isInside(write.node, outer.step, locals),
      ),
    )
  );
}

// ---- loops that count from 0 ----------------------------------------------------------------------------------------------

/** `for (k = 0; k < c; k++)` whose body uses `t * c + k`: the places that say so, and the value of `t * c`. */
interface Counted {
  readonly places: readonly Expr[];
  readonly start: Polynomial;
  readonly variable: Local;
}

/**
 * The same chunks counted from 0: `for (k = 0; k < c; k++) { i = t * c + k; … }`. The turns stay, their elements become `t + k * threads`.
 */
function countedChunkOf(
  context: PatternContext,
  loop: ForStmt,
  locals: Locals,
  launches: readonly ChunkLaunch[],
): ChunkLoopFact | undefined {
  const header = headerOf(loop, locals);
  const first = header && polynomialOf(header.start, context, locals);
  if (
    !header ||
    !first ||
    numberOf(first) !== 0 ||
    header.cond.kind !== 'binary' ||
    header.cond.op !== '<' ||
    header.cond.left.kind !== 'name' ||
    locals.of(header.cond.left) !== header.variable
  )
    return undefined;
  const size = polynomialOf(header.cond.right, context, locals);
  if (!size || numberOf(size) === 1 || mentions(size, isThreadAtom) || ![...size.locals].every(isStable))
    return undefined;
  const { variable } = header;
  const atom: Polynomial = { terms: new Map([[atomName(variable, locals), 1]]), locals: new Set([variable]) };
  const candidates = [
    { thread: 'grid', start: multiply(gridThread, size) },
    { thread: 'block', start: multiply(atomPolynomial('threadIdx.x'), size) },
  ] as const;
  for (const { thread, start } of candidates) {
    const element = add(start, atom);
    const places: Expr[] = [];
    const complete = variable.uses.every((use) => {
      if ([header.cond, header.step].some((part) => isInside(use, part, locals))) return true;
      for (let at: AnySyntax | undefined = locals.parent(use); at && at.kind === 'binary'; at = locals.parent(at)) {
        const value = polynomialOf(at, context, locals);
        if (!value || !equal(value, element)) continue;
        if (!places.includes(at)) places.push(at);
        return true;
      }
      return false;
    });
    if (!complete || !places.length) continue;
    const counted: Counted = { places, start, variable };
    const headerText = textOf(context, { start: loop.start, end: loop.headerEnd }).trimEnd();
    const shown = {
      loopAt: spanOf(context, loop),
      headerAt: spanOf(context, { start: loop.start, end: loop.start + headerText.length }),
      variable: variable.name,
      newHeader: headerText,
    };
    const why = dependence(header, { thread }, context, locals, counted) ?? reach(header, context, locals, launches);
    if (why || loop.macro || places.some(hasMacro))
      return { ...shown, independent: false, why: why ?? 'its elements stand in a macro' };
    const name =
      nameFor(thread === 'grid' ? gridThread : atomPolynomial('threadIdx.x'), loop, context, locals) ??
      (thread === 'grid' ? 'blockIdx.x * blockDim.x + threadIdx.x' : 'threadIdx.x');
    const stride =
      nameFor(totalOf(thread), loop, context, locals) ?? (thread === 'grid' ? 'gridDim.x * blockDim.x' : 'blockDim.x');
    const text = `${name} + ${variable.name} * ${stride}`;
    const edits = places.map((place): Edit => {
      const parent = locals.parent(place);
      const alone =
        parent?.kind === 'var' ||
        parent?.kind === 'assign' ||
        parent?.kind === 'call' ||
        parent?.kind === 'initList' ||
        (parent?.kind === 'index' && parent.index === place) ||
        bracketsStand(context, place);
      return { at: spanOf(context, place), newText: alone ? text : `(${text})` };
    });
    return {
      ...shown,
      independent: true,
      otherEdits: [...edits, ...tidied(loop, places, [text, headerText], context, locals)],
    };
  }
  return undefined;
}
function bracketsStand(context: PatternContext, place: Expr): boolean {
  const text = context.file.text;
  return text[context.fn.base + place.start - 1] === '(' && text[context.fn.base + place.end] === ')';
}
/** `if (i >= n) break;` with `i` the element's number: the later elements of a thread are beyond n too, before and after. */
function isPastEnd(jump: AnySyntax, counted: Counted, context: PatternContext, locals: Locals): boolean {
  let at = locals.parent(jump);
  if (at?.kind === 'block' && at.body.length === 1) at = locals.parent(at);
  if (at?.kind !== 'if' || at.else || at.cond.kind !== 'binary' || !/^(>=|>)$/.test(at.cond.op)) return false;
  const element: Polynomial = add(counted.start, {
    terms: new Map([[atomName(counted.variable, locals), 1]]),
    locals: new Set([counted.variable]),
  });
  const [value, bound] = [polynomialOf(at.cond.left, context, locals), polynomialOf(at.cond.right, context, locals)];
  return (
    !!value && !!bound && equal(value, element) && !mentions(bound, isThreadAtom) && [...bound.locals].every(isStable)
  );
}

// ---- the edit --------------------------------------------------------------------------------------------------------------

function rewrite(
  header: Header,
  chunk: Chunk,
  context: PatternContext,
  locals: Locals,
  launches: readonly ChunkLaunch[],
  shown: Pick<ChunkLoopFact, 'loopAt' | 'headerAt' | 'variable'>,
): ChunkLoopFact | undefined {
  const { loop } = header;
  if (hasMacro(header.start) || hasMacro(header.step) || (header.cond.macro ?? false) || loop.macro) return undefined;
  const wanted = chunk.thread === 'grid' ? gridThread : atomPolynomial('threadIdx.x');
  const total = totalOf(chunk.thread);
  const thread =
    nameFor(wanted, loop, context, locals) ??
    (chunk.thread === 'grid' ? 'blockIdx.x * blockDim.x + threadIdx.x' : 'threadIdx.x');
  const stride =
    nameFor(total, loop, context, locals) ?? (chunk.thread === 'grid' ? 'gridDim.x * blockDim.x' : 'blockDim.x');
  const variable = header.variable.name;
  const limitTexts = chunk.limits.map((limit) =>
    limit.macro && limit.kind !== 'number' ? undefined : textOf(context, limit).trim(),
  );
  if (limitTexts.some((text) => text === undefined)) return undefined;
  const conditions = limitTexts.map((text, at) => `${variable} < ${bracketed(text!, chunk.limits[at]!)}`);
  if (!chunk.whole && !chunk.limits.some((limit) => covers(limit, chunk, total, context, locals, launches))) {
    const factor = /^[\w.]+$|^\(.*\)$/.test(chunk.sizeExpr) ? chunk.sizeExpr : `(${chunk.sizeExpr})`;
    conditions.push(`${variable} < ${factor} * ${/[+\-]/.test(stride) ? `(${stride})` : stride}`);
  }
  const newCond = conditions.join(' && ');
  const newStep = `${variable} += ${stride}`;
  const edits: Edit[] = [];
  let newHeader: string;
  if (loop.kind === 'for') {
    newHeader = splice(textOf(context, { start: loop.start, end: loop.headerEnd }).trimEnd(), loop.start, [
      [header.start.start, header.start.end, thread],
      [loop.cond!.start, loop.cond!.end, newCond],
      [header.step.start, header.step.end, newStep],
    ]);
  } else {
    newHeader = splice(textOf(context, { start: loop.start, end: loop.body.start }).trimEnd(), loop.start, [
      [loop.cond.start, loop.cond.end, newCond],
    ]);
    edits.push(
      { at: spanOf(context, header.start), newText: thread },
      { at: spanOf(context, header.step), newText: newStep },
    );
  }
  edits.push(
    ...tidied(
      loop,
      [header.start, header.cond, header.step],
      [newHeader, ...edits.map((edit) => edit.newText)],
      context,
      locals,
    ),
  );
  return { ...shown, newHeader, independent: true, ...(edits.length ? { otherEdits: edits } : {}) };
}

function bracketed(text: string, expr: Expr): string {
  return expr.kind === 'conditional' || (expr.kind === 'binary' && !/^[*/%+-]$/.test(expr.op)) ? `(${text})` : text;
}

function splice(text: string, offset: number, pieces: readonly (readonly [number, number, string])[]): string {
  let out = text;
  for (const [start, end, newText] of [...pieces].sort((left, right) => right[0] - left[0]))
    out = out.slice(0, start - offset) + newText + out.slice(end - offset);
  return out;
}

/** A variable in scope before the loop that holds the value. */
function nameFor(value: Polynomial, loop: AnySyntax, context: PatternContext, locals: Locals): string | undefined {
  const scopes = new Set<AnySyntax>(ancestorsOf(loop, locals));
  for (const local of locals.all) {
    if (
      !local.variable?.init ||
      !isStable(local) ||
      !local.scope ||
      !scopes.has(local.scope) ||
      locals.order(local.variable) > locals.order(loop)
    )
      continue;
    if (locals.all.some((other) => other !== local && other.name === local.name)) continue;
    const type = context.types.resolve(local.variable.type);
    if (type.kind !== 'unknown' && !(type.kind === 'scalar' && !type.float && type.size >= 4)) continue;
    const held = polynomialOf(local.variable.init, context, locals);
    if (held && equal(held, value)) return local.name;
  }
  return undefined;
}

/**
 * Do the chunks of all threads reach `limit`, so that cutting at it alone covers what they covered? By a ceil-division of the limit by the number of threads,
 * or by the numbers of every launch in sight.
 */
function covers(
  limit: Expr,
  chunk: Chunk,
  total: Polynomial,
  context: PatternContext,
  locals: Locals,
  launches: readonly ChunkLaunch[],
): boolean {
  const end = polynomialOf(limit, context, locals);
  if (!end) return false;
  const key = chunk.size.terms.size === 1 ? [...chunk.size.terms] : [];
  if (key.length === 1 && key[0]![1] === 1) {
    if (key[0]![0] === quotient(add(add(end, total), constantPolynomial(-1)), total)) return true;
  }
  return (
    launches.length > 0 &&
    launches.every((launch) => {
      const size = sizeIn(launch, chunk, locals);
      const threads = chunk.thread === 'grid' ? (launch.gridX ?? NaN) * (launch.blockX ?? NaN) : (launch.blockX ?? NaN);
      const extent = numberOf(end) ?? valueIn(launch, limit, locals, 0);
      return size !== undefined && extent !== undefined && size * threads >= extent && extent + threads < 2 ** 31;
    })
  );
}
function sizeIn(launch: ChunkLaunch, chunk: Chunk, locals: Locals): number | undefined {
  const [first, second] = [0, 1].map((thread) => valueIn(launch, chunk.start, locals, thread));
  return numberOf(chunk.size) ?? (first === undefined || second === undefined ? undefined : second - first);
}

/** `if (t >= k) return;` where no launch in sight has a thread beyond k. */
function isVacuousGuard(
  stmt: Stmt,
  context: PatternContext,
  locals: Locals,
  launches: readonly ChunkLaunch[],
): boolean {
  if (stmt.kind !== 'if' || stmt.else || stmt.cond.kind !== 'binary' || launches.length === 0) return false;
  const { op, left, right } = stmt.cond;
  const [thread, bound] = op === '>=' ? [left, right] : op === '<=' ? [right, left] : [];
  const value = thread && polynomialOf(thread, context, locals);
  if (!value || !bound || !equal(value, gridThread)) return false;
  return launches.every((launch) => {
    const limit = valueIn(launch, bound, locals, 0);
    return (
      limit !== undefined &&
      launch.gridX !== undefined &&
      launch.blockX !== undefined &&
      launch.gridX * launch.blockX <= limit
    );
  });
}

/** The number that an expression is in a launch, for thread `thread` of block 0. */
function valueIn(launch: ChunkLaunch, expr: Expr, locals: Locals, thread: number, depth = 0): number | undefined {
  if (depth > 30) return undefined;
  const again = (inner: Expr): number | undefined => valueIn(launch, inner, locals, thread, depth + 1);
  switch (expr.kind) {
    case 'number':
      return expr.value;
    case 'cast':
      return again(expr.operand);
    case 'unary': {
      const value = again(expr.operand);
      return value === undefined ? undefined : expr.op === '-' ? -value : expr.op === '+' ? value : undefined;
    }
    case 'member': {
      if (expr.object.kind !== 'name' || expr.field !== 'x') return undefined;
      return { threadIdx: thread, blockIdx: 0, blockDim: launch.blockX, gridDim: launch.gridX }[expr.object.name];
    }
    case 'name': {
      const local = locals.of(expr);
      const definition = local && definitionOf(local, locals);
      return definition ? again(definition) : launch.values?.get(expr.name);
    }
    case 'binary': {
      const left = again(expr.left);
      const right = again(expr.right);
      return left === undefined || right === undefined ? undefined : applyConstant(expr.op, left, right, false);
    }
    default:
      return undefined;
  }
}

/** Removes the locals that only the old bounds used. */
function tidied(
  loop: AnySyntax,
  replaced: readonly Expr[],
  newTexts: readonly string[],
  context: PatternContext,
  locals: Locals,
): Edit[] {
  const removed = new Set<Local>();
  const out: Edit[] = [];
  const newText = newTexts.join(' ');
  const gone = (node: AnySyntax): boolean => {
    for (let at: AnySyntax | undefined = node; at; at = locals.parent(at)) {
      if (replaced.some((each) => each === at)) return true;
      if (at.kind === 'var') return [...removed].some((local) => local.variable === at);
    }
    return false;
  };
  for (let again = true; again; ) {
    again = false;
    for (const local of locals.all) {
      if (removed.has(local) || !local.variable?.init || local.writes.length || !local.uses.length) continue;
      if (!local.uses.every(gone) || new RegExp(`\\b${local.name}\\b`).test(newText)) continue;
      const statement = locals.parent(local.variable);
      if (
        statement?.kind !== 'decl' ||
        statement.vars.length !== 1 ||
        statement.macro ||
        statement.pragmas?.length ||
        locals.order(statement) > locals.order(loop)
      )
        continue;
      let pure = true;
      walk(local.variable.init, (node) => {
        if (
          node.kind === 'assign' ||
          node.kind === 'update' ||
          node.kind === 'index' ||
          (node.kind === 'call' && !isPureCall(node, context))
        )
          pure = false;
      });
      if (!pure) continue;
      removed.add(local);
      out.push(deletionOf(context, statement));
      again = true;
    }
  }
  return out;
}
