// What a launch's block size hangs on: where its number stands, how the grid follows it, and what the kernel makes of
// it.
import type { Expr, LaunchExpr, Stmt } from '../../syntax/ast';
import type { LaunchFact, Span } from '../model';
import { lastPart } from '../language/program';
import { walk, type AnySyntax } from '../language/statements';
import { createFunctionContext, spanOf, textOf, type FunctionContext } from '../language/functionContext';
import { launchSitesOf, type LaunchSite } from '../language/launchSites';
import { calleeName, definitionOf, localsOf, type Local, type Locals } from '../language/scope';
import {
  add,
  atomPolynomial,
  atomsOf,
  constantPolynomial,
  equal,
  isStable,
  mentions,
  multiply,
  numberOf,
  polynomialOf,
  splitBy,
  type Polynomial,
} from '../language/polynomials';
import { isPure, isPureCall } from './edits';

export type LaunchShapeFacts = Pick<
  LaunchFact,
  'blockLiteral' | 'gridIsCeilDivision' | 'kernelGuardsIndex' | 'kernelNeedsShape' | 'kernelIsSetup'
>;

/**
 * The facts about `launch`, which stands in the function of `context`, and the kernel it starts. `threads` is the
 * block's size where it is known.
 * `blockLiteral` is present only where one edit of it is enough: everything else that its number flows into is the
 * shape of launches that would take it too.
 */
export function launchShapeOf(context: FunctionContext, launch: LaunchExpr, threads?: number): LaunchShapeFacts {
  const site = launchSitesOf(context).find((each) => each.launch === launch) ?? { launch, host: context };
  const kernel = site.kernel && kernelFacts(site, context, threads);
  const literal = literalOf(launch.config[1]!, context);
  const follows = !!literal && isCeilDivision(launch.config[0]!, literal, context);
  return {
    gridIsCeilDivision: follows,
    kernelGuardsIndex: kernel?.guards ?? false,
    kernelNeedsShape: kernel?.needsShape ?? false,
    kernelIsSetup: kernel?.setup ?? false,
    ...(literal && follows && kernel?.guards && !kernel.needsShape && flowsOnlyIntoShapes(literal, context)
      ? { blockLiteral: { at: literal.at, value: literal.value, axis: 'x' } }
      : {}),
  };
}

// ---- where the number stands
// -----------------------------------------------------------------------------------------------

/** The place of a literal, and the names through which it is reached. */
interface Literal {
  readonly at: Span;
  readonly value: number;
  readonly names: readonly string[];
  readonly scope: 'here' | 'function' | 'file';
}

function literalOf(expr: Expr, context: FunctionContext, depth = 0): Literal | undefined {
  if (depth > 10) return undefined;
  const locals = localsOf(context.fn);
  switch (expr.kind) {
    case 'number': {
      if (!Number.isInteger(expr.value) || expr.value < 1) return undefined;
      return expr.macro
        ? macroLiteral(expr, context)
        : { at: spanOf(context, expr), value: expr.value, names: [], scope: 'here' };
    }
    case 'cast':
      return literalOf(expr.operand, context, depth + 1);
    case 'member':
      return expr.field === 'x' &&
        expr.object.kind === 'name' &&
        isDim3(expr.object.name, locals.of(expr.object), context)
        ? literalOf(expr.object, context, depth + 1)
        : undefined;
    case 'initList':
      return dim3Part(expr.elements, context, depth);
    case 'call':
      return calleeName(expr) === 'dim3' ? dim3Part(expr.args, context, depth) : undefined;
    case 'name': {
      const local = locals.of(expr);
      if (local) {
        const definition =
          local.variable?.init && !local.writes.length && !local.addressTaken ? local.variable.init : undefined;
        const inner =
          definition && (local.variable!.type.kind === 'named' || local.variable!.type.kind === 'auto')
            ? literalOf(definition, context, depth + 1)
            : undefined;
        return (
          inner && {
            ...inner,
            names: [...inner.names, local.name],
            scope: inner.scope === 'here' ? 'function' : inner.scope,
          }
        );
      }
      const globals = context.program.globals(expr.name);
      const global = globals.length === 1 ? globals[0]! : undefined;
      if (
        !global?.constant ||
        !global.init ||
        global.init.kind !== 'number' ||
        global.init.macro ||
        !Number.isInteger(global.init.value)
      )
        return undefined;
      const main = context.unit.main;
      if (!main.globals.includes(global)) return undefined; // a header's constant has users out of sight
      return {
        at: { uri: main.uri, start: global.init.start, end: global.init.end },
        value: global.init.value,
        names: [global.name],
        scope: 'file',
      };
    }
    default:
      return undefined;
  }
}

function isDim3(name: string, local: Local | undefined, context: FunctionContext): boolean {
  const type = (local?.variable ?? context.program.globals(name)[0])?.type;
  return type?.kind === 'named' && type.name === 'dim3';
}
/** The x of a `dim3` whose other parts are 1. */
function dim3Part(parts: readonly Expr[], context: FunctionContext, depth: number): Literal | undefined {
  return parts[0] && parts.slice(1).every((part) => context.types.constant(part) === 1)
    ? literalOf(parts[0], context, depth + 1)
    : undefined;
}
function macroLiteral(expr: Expr, context: FunctionContext): Literal | undefined {
  const name = textOf(context, expr);
  const definitions = context.unit.files.flatMap((file) => file.macros.filter((macro) => macro.name === name));
  const definition = definitions.length === 1 ? definitions[0]! : undefined;
  const main = context.unit.main;
  if (
    !definition ||
    definition.params ||
    definition.start < 0 ||
    definition.uri !== main.uri ||
    !/^\d+$/.test(definition.body.trim())
  )
    return undefined;
  const body = definition.body.trim();
  const start = main.text.indexOf(body, definition.start + name.length);
  if (start < 0 || main.text.slice(definition.start + name.length, start).trim() !== '') return undefined;
  return { at: { uri: main.uri, start, end: start + body.length }, value: Number(body), names: [name], scope: 'file' };
}

function sameLiteral(expr: Expr, literal: Literal, context: FunctionContext): boolean {
  const other = literalOf(expr, context);
  return !!other && other.at.uri === literal.at.uri && other.at.start === literal.at.start;
}

/** `(n + b - 1) / b` and its equivalents, `b` being the literal through whatever names. */
function isCeilDivision(expr: Expr, literal: Literal, context: FunctionContext, depth = 0): boolean {
  if (depth > 10) return false;
  const locals = localsOf(context.fn);
  const again = (inner: Expr): boolean => isCeilDivision(inner, literal, context, depth + 1);
  const isSize = (inner: Expr): boolean => sameLiteral(inner, literal, context);
  const isOne = (inner: Expr): boolean => inner.kind === 'number' && !inner.macro && inner.value === 1;
  switch (expr.kind) {
    case 'cast':
      return again(expr.operand);
    case 'initList':
      return (
        !!expr.elements[0] &&
        again(expr.elements[0]) &&
        expr.elements.slice(1).every((part) => !mentionsSize(part, literal, context))
      );
    case 'name': {
      const local = locals.of(expr);
      return !!local?.variable?.init && !local.writes.length && !local.addressTaken && again(local.variable.init);
    }
    case 'binary': {
      if (expr.op === '/') {
        if (!isSize(expr.right)) return false;
        const terms = sumOf(expr.left);
        const sizes = terms.filter((term) => term.sign > 0 && isSize(term.expr));
        const ones = terms.filter((term) => term.sign < 0 && isOne(term.expr));
        return (
          sizes.length === 1 &&
          ones.length === 1 &&
          terms.length === 3 &&
          terms.every((term) => sizes.includes(term) || !mentionsSize(term.expr, literal, context))
        );
      }
      if (expr.op !== '+') return false;
      const parts: readonly (readonly [Expr, Expr])[] = [
        [expr.left, expr.right],
        [expr.right, expr.left],
      ];
      return parts.some(([quotient, more]) => {
        if (quotient.kind !== 'binary' || quotient.op !== '/' || !isSize(quotient.right)) return false;
        if (isOne(more)) {
          const terms = sumOf(quotient.left);
          return terms.length === 2 && terms.some((term) => term.sign < 0 && isOne(term.expr));
        }
        const rest = more.kind === 'conditional' ? more.cond : more;
        if (more.kind === 'conditional' && !(isOne(more.then) && more.else.kind === 'number' && more.else.value === 0))
          return false;
        const compared =
          rest.kind === 'binary' && /^(!=|>)$/.test(rest.op) && rest.right.kind === 'number' && rest.right.value === 0
            ? rest.left
            : more.kind === 'conditional'
              ? rest
              : undefined;
        return compared?.kind === 'binary' && compared.op === '%' && isSize(compared.right);
      });
    }
    case 'call': {
      const name = calleeName(expr);
      if (name === 'dim3')
        return (
          !!expr.args[0] &&
          again(expr.args[0]) &&
          expr.args.slice(1).every((part) => !mentionsSize(part, literal, context))
        );
      if ((name === 'min' || name === 'max') && expr.args.length === 2)
        return expr.args.some((arg, at) => again(arg) && !mentionsSize(expr.args[1 - at]!, literal, context));
      if (/^ceilf?$/.test(name ?? '') && expr.args.length === 1) {
        const division = expr.args[0]!;
        return (
          division.kind === 'binary' &&
          division.op === '/' &&
          isSize(division.right) &&
          isFloating(division) &&
          !mentionsSize(division.left, literal, context)
        );
      }
      return expr.args.length === 2 && isSize(expr.args[1]!) && !!name && isCeilFunction(name, context);
    }
    default:
      return false;
  }
}
function isFloating(expr: Expr): boolean {
  let floating = false;
  walk(expr, (node) => {
    if (node.kind === 'cast' && node.type.kind === 'named' && /^(float|double)$/.test(node.type.name)) floating = true;
    if (node.kind === 'call' && node.callee.kind === 'name' && /^(float|double)$/.test(node.callee.name))
      floating = true;
    if (node.kind === 'number' && /^(float|double)$/.test(node.type)) floating = true;
  });
  return floating;
}
function sumOf(expr: Expr, sign = 1): { sign: number; expr: Expr }[] {
  if (expr.kind === 'binary' && (expr.op === '+' || expr.op === '-'))
    return [...sumOf(expr.left, sign), ...sumOf(expr.right, expr.op === '+' ? sign : -sign)];
  return [{ sign, expr }];
}
function mentionsSize(expr: Expr, literal: Literal, context: FunctionContext): boolean {
  let found = false;
  walk(expr, (node) => {
    if ((node.kind === 'name' || node.kind === 'number') && sameLiteral(node, literal, context)) found = true;
  });
  return found;
}
/** A function in sight of two parameters whose one statement returns their ceil-division. */
function isCeilFunction(name: string, context: FunctionContext): boolean {
  const functions = context.program.functions(name).filter((fn) => fn.body && fn.params.length === 2);
  return (
    functions.length > 0 &&
    functions.every((fn) => {
      const only = fn.body!.body.length === 1 ? fn.body!.body[0]! : undefined;
      const value = only?.kind === 'return' ? only.value : undefined;
      const [n, b] = fn.params.map((param) => param.name);
      if (value?.kind !== 'binary' || value.op !== '/' || value.right.kind !== 'name' || value.right.name !== b)
        return false;
      const terms = sumOf(value.left);
      const has = (sign: number, test: (expr: Expr) => boolean): boolean =>
        terms.some((term) => term.sign === sign && test(term.expr));
      return (
        terms.length === 3 &&
        has(1, (expr) => expr.kind === 'name' && expr.name === n) &&
        has(1, (expr) => expr.kind === 'name' && expr.name === b) &&
        has(-1, (expr) => expr.kind === 'number' && expr.value === 1)
      );
    })
  );
}

/** Does the number decide nothing but grids and blocks of launches whose kernels take any size? */
function flowsOnlyIntoShapes(literal: Literal, context: FunctionContext): boolean {
  if (literal.scope === 'here') return false; // the grid follows a literal of its own
  const allowed: Span[] = [];
  for (const site of launchSitesOf(context)) {
    const [grid, block] = site.launch.config;
    if (!sameLiteral(block!, literal, site.host) || !isCeilDivision(grid!, literal, site.host)) continue;
    const kernel = site.kernel && kernelFacts(site, site.host, literal.value);
    if (!kernel?.guards || kernel.needsShape) continue;
    allowed.push(spanOf(site.host, grid!), spanOf(site.host, block!));
  }
  if (!allowed.length) return false;
  return literal.names.every((name) => everyUseIn(name, allowed, literal, context, 0));
}

/** Do all mentions of a name stand in the spans, or in the initialisers of variables of which that is true again? */
function everyUseIn(
  name: string,
  allowed: readonly Span[],
  literal: Literal,
  context: FunctionContext,
  depth: number,
): boolean {
  if (depth > 4) return false;
  const fileWide = literal.scope === 'file' && literal.names[0] === name;
  const files = fileWide ? context.unit.files : [context.file];
  for (const file of files) {
    const from = fileWide ? 0 : context.fn.base + context.fn.start;
    const to = fileWide ? file.text.length : context.fn.base + context.fn.end;
    for (const match of file.text.slice(from, to).matchAll(new RegExp(`(?<![\\w.])${name}(?!\\w)`, 'g'))) {
      const at = from + match.index;
      if (allowed.some((span) => span.uri === file.uri && span.start <= at && at < span.end) || isComment(file, at))
        continue;
      const fn = file.functions.find((each) => each.body && each.base + each.start <= at && at < each.base + each.end);
      if (!fn) {
        if (isDeclaration(file.text, at, literal)) continue;
        return false;
      }
      const host =
        fn === context.fn
          ? context
          : createFunctionContext(context.unit, file, fn, { program: context.program, types: context.types });
      const locals = localsOf(fn);
      const variable = locals.all.find(
        (local) => local.variable && fn.base + local.variable.start <= at && at < fn.base + local.variable.end,
      );
      if (!variable?.variable || (variable.variable.type.kind !== 'named' && variable.variable.type.kind !== 'auto'))
        return false;
      if (variable.name === name && fn.base + variable.variable.nameStart === at) continue;
      if (
        !variable.variable.init ||
        fn.base + variable.variable.init.start > at ||
        variable.writes.length ||
        variable.name === name ||
        !(isArithmetic(variable.variable.init, host) || isShape(variable.variable.init))
      )
        return false;
      if (!everyUseIn(variable.name, allowed, { ...literal, scope: 'function' }, host, depth + 1)) return false;
    }
  }
  return true;
}
/** `dim3(…)`, `{…}`. */
function isShape(expr: Expr): boolean {
  return expr.kind === 'initList' || calleeName(expr) === 'dim3';
}
function isDeclaration(text: string, at: number, literal: Literal): boolean {
  const between = text.slice(at, literal.at.start);
  return at < literal.at.start && !between.includes(';') && !between.includes('\n');
}
function isComment(file: FunctionContext['file'], at: number): boolean {
  return (
    file.comments.some((comment) => comment.start <= at && at < comment.end) ||
    file.functions.some((fn) =>
      fn.comments.some((comment) => fn.base + comment.start <= at && at < fn.base + comment.end),
    )
  );
}

// ---- what the kernel makes of it
// -------------------------------------------------------------------------------------------

interface KernelFacts {
  readonly guards: boolean;
  readonly needsShape: boolean;
  readonly setup: boolean;
}

function kernelFacts(site: LaunchSite, context: FunctionContext, threads: number | undefined): KernelFacts {
  const kernel = site.kernel!;
  const file = context.program.fileOf(kernel) ?? context.file;
  const inside = createFunctionContext(context.unit, file, kernel, { program: context.program, types: context.types });
  return { guards: guardsIndex(inside), needsShape: needsShape(inside, site, threads), setup: isSetup(inside) };
}

const gridThread = add(
  multiply(atomPolynomial('blockIdx.x'), atomPolynomial('blockDim.x')),
  atomPolynomial('threadIdx.x'),
);
const isBuiltin = (atom: string): boolean => /threadIdx|blockIdx/.test(atom);

/** Is everything the kernel does to memory behind a comparison of the thread's global x index with an extent? */
export function guardsIndex(context: FunctionContext): boolean {
  const locals = localsOf(context.fn);
  let guarded = false;
  for (const stmt of context.fn.body?.body ?? []) {
    const kind = statementKind(stmt, context, locals);
    if (kind === 'leaves') return true;
    if (kind === 'guarded') guarded = true;
    else if (kind === 'other') return false;
  }
  return guarded;
}
function statementKind(
  stmt: Stmt,
  context: FunctionContext,
  locals: Locals,
): 'leaves' | 'guarded' | 'harmless' | 'other' {
  switch (stmt.kind) {
    case 'empty':
    case 'type':
      return 'harmless';
    case 'decl':
      return stmt.vars.every(
        (variable) => variable.space === 'none' && (!variable.init || isArithmetic(variable.init, context)),
      )
        ? 'harmless'
        : 'other';
    case 'expr': {
      const { expr } = stmt;
      if (expr.kind === 'call' && calleeName(expr) === '__syncthreads') return 'harmless';
      if (
        expr.kind === 'assign' &&
        expr.target.kind === 'name' &&
        locals.of(expr.target)?.variable &&
        isArithmetic(expr.value, context)
      )
        return 'harmless';
      return 'other';
    }
    case 'if': {
      if (stmt.else || stmt.init || !isArithmetic(stmt.cond, context)) return 'other';
      const then = stmt.then.kind === 'block' ? stmt.then.body : [stmt.then];
      if (then.length === 1 && then[0]!.kind === 'return')
        return isBound(stmt.cond, 'outside', context, locals) ? 'leaves' : 'other';
      return isBound(stmt.cond, 'inside', context, locals) ? 'guarded' : 'other';
    }
    case 'for': {
      const variable = stmt.init?.kind === 'decl' && stmt.init.vars.length === 1 ? stmt.init.vars[0]! : undefined;
      const start = variable?.init && polynomialOf(variable.init, context, locals);
      if (!variable || !start || !stmt.cond || stmt.cond.kind !== 'binary' || !isIndex(start)) return 'other';
      const { op, left, right } = stmt.cond;
      const bound =
        op === '<' && left.kind === 'name' && left.name === variable.name
          ? right
          : op === '>' && right.kind === 'name' && right.name === variable.name
            ? left
            : undefined;
      return bound && isUniform(bound, context, locals) ? 'guarded' : 'other';
    }
    default:
      return 'other';
  }
}
/** Computes without reading memory. */
function isArithmetic(expr: Expr, context: FunctionContext): boolean {
  let reads = false;
  walk(expr, (node) => {
    if (node.kind === 'index' || (node.kind === 'unary' && node.op === '*') || (node.kind === 'member' && node.arrow))
      reads = true;
  });
  return !reads && isPure(expr, context);
}
/** The global x index, moved by something uniform. */
function isIndex(value: Polynomial): boolean {
  const rest = add(value, gridThread, -1);
  return !mentions(rest, isBuiltin) && [...rest.locals].every(isStable);
}
function isUniform(expr: Expr, context: FunctionContext, locals: Locals): boolean {
  if (!isArithmetic(expr, context)) return false;
  const value = polynomialOf(expr, context, locals);
  return !!value && !mentions(value, isBuiltin);
}
function isBound(cond: Expr, side: 'inside' | 'outside', context: FunctionContext, locals: Locals): boolean {
  if (cond.kind === 'unary' && cond.op === '!')
    return isBound(cond.operand, side === 'inside' ? 'outside' : 'inside', context, locals);
  if (cond.kind !== 'binary') return false;
  if (cond.op === (side === 'inside' ? '&&' : '||'))
    return isBound(cond.left, side, context, locals) || isBound(cond.right, side, context, locals);
  const less = side === 'inside' ? ['<', '<='] : ['>=', '>'];
  const more = side === 'inside' ? ['>', '>='] : ['<=', '<'];
  const [index, bound] = less.includes(cond.op)
    ? [cond.left, cond.right]
    : more.includes(cond.op)
      ? [cond.right, cond.left]
      : [];
  const value = index && polynomialOf(index, context, locals);
  return !!value && !!bound && isIndex(value) && isUniform(bound, context, locals);
}

/** Would another block size change what the kernel computes, as far as its text tells? */
function needsShape(context: FunctionContext, site: LaunchSite, threads: number | undefined): boolean {
  const { fn } = context;
  if (threads === 1) return false; // nothing is tied to a block of one
  if (fn.launchBounds?.length) return true;
  const locals = localsOf(fn);
  if (locals.all.some((local) => local.variable?.space === 'shared')) return true;
  const callee = site.launch.callee;
  if (
    threads !== undefined &&
    callee.kind === 'name' &&
    callee.templateArgs?.some((arg) => 'expr' in arg && site.host.types.constant(arg.expr) === threads)
  )
    return true;
  for (const node of locals.nodes) {
    if (
      threads !== undefined &&
      threads > 2 &&
      (node.kind === 'number' || (node.kind === 'name' && !locals.of(node))) &&
      context.types.constant(node) === threads
    )
      return true;
    if (node.kind === 'call' && !isPureCall(node, context)) {
      const name = calleeName(node);
      if (
        !name ||
        /^__(shfl|ballot|any|all|match|reduce|activemask)|^this_|tiled_partition|coalesced_threads/.test(name)
      )
        return true;
      if (mentionsThreads(name, context, 0)) return true;
    }
    if (
      node.kind === 'member' &&
      node.object.kind === 'name' &&
      !locals.of(node.object) &&
      /^(threadIdx|blockIdx|blockDim|gridDim)$/.test(node.object.name) &&
      node.field === 'x' &&
      !takesAnySize(node, context, locals, 0)
    )
      return true;
    if (node.kind === 'name' && node.name === 'warpSize' && !locals.of(node)) return true;
  }
  return false;
}

/**
 * Does the builtin at `node` only go into the global index or the number of all threads, directly or through a
 * variable?
 */
function takesAnySize(node: Expr, context: FunctionContext, locals: Locals, depth: number): boolean {
  if (depth > 5) return false;
  let top: Expr = node;
  let value: Polynomial | undefined = polynomialOf(node, context, locals);
  for (let parent = locals.parent(top); parent && isSumOrProduct(parent); parent = locals.parent(top)) {
    const wider: Polynomial | undefined = polynomialOf(parent, context, locals);
    if (!wider) break;
    top = parent;
    value = wider;
  }
  if (value && isSizeFree(value)) return true;
  const parent = locals.parent(top);
  // The leader of a block stays the leader; whoever counts blocks does not.
  if (
    parent?.kind === 'binary' &&
    /^(==|!=)$/.test(parent.op) &&
    value &&
    equal(value, atomPolynomial('threadIdx.x'))
  ) {
    const other = polynomialOf(parent.left === top ? parent.right : parent.left, context, locals);
    return !!other && numberOf(other) === 0;
  }
  if (parent?.kind !== 'var' && parent?.kind !== 'initList') return false;
  const variable = locals.all.find((local) => local.variable === parent);
  return (
    !!variable &&
    !!definitionOf(variable, locals) &&
    variable.uses.length > 0 &&
    variable.uses.every((use) => takesAnySize(use, context, locals, depth + 1))
  );
}
function isSumOrProduct(node: AnySyntax): node is Expr {
  return (node.kind === 'binary' && /^[+*-]$/.test(node.op)) || node.kind === 'cast';
}
function isSizeFree(value: Polynomial): boolean {
  const split = splitBy(value, 'threadIdx.x');
  if (!split) return false;
  const rest = add(value, multiply(split.factor, gridThread), -1);
  for (const key of rest.terms.keys()) {
    const atoms = atomsOf(key);
    const builtins = atoms.filter((atom) => /threadIdx\.x|blockIdx\.x|blockDim\.x|gridDim\.x/.test(atom));
    if (
      builtins.length &&
      !(builtins.length === 2 && builtins.includes('blockDim.x') && builtins.includes('gridDim.x'))
    )
      return false;
  }
  return true;
}

function mentionsThreads(name: string, context: FunctionContext, depth: number): boolean {
  if (depth > 4) return true;
  return context.program.functions(name).some((fn) => {
    let found = false;
    walk(fn.body, (node) => {
      if (
        node.kind === 'name' &&
        /^(threadIdx|blockIdx|blockDim|gridDim|warpSize|this_grid|this_thread_block)$/.test(lastPart(node.name))
      )
        found = true;
      if (node.kind === 'var' && node.space === 'shared') found = true;
      if (node.kind === 'call') {
        const inner = calleeName(node);
        if (
          inner &&
          inner !== name &&
          context.program.functions(inner).length &&
          mentionsThreads(inner, context, depth + 1)
        )
          found = true;
      }
      return !found;
    });
    return found;
  });
}

/** A kernel that knows nothing of its threads, or lets one of them do all its work. */
function isSetup(context: FunctionContext): boolean {
  const locals = localsOf(context.fn);
  let threads = false;
  let unknown = false;
  for (const node of locals.nodes) {
    if (
      node.kind === 'name' &&
      !locals.of(node) &&
      /^(threadIdx|blockIdx|blockDim|gridDim|this_grid|this_thread_block)$/.test(lastPart(node.name))
    )
      threads = true;
    if (node.kind === 'asm' || node.kind === 'opaque') unknown = true;
    if (node.kind === 'call') {
      const name = calleeName(node);
      if (name && mentionsThreads(name, context, 0)) threads = true;
      else if (
        !name ||
        (!context.program.functions(name).some((fn) => fn.body) &&
          !isPureCall(node, context) &&
          !/^(printf|assert|__syncthreads|atomic\w+|malloc|free|memset|memcpy)$/.test(name) &&
          !/^[A-Z]/.test(name))
      )
        unknown = true;
    }
  }
  if (!threads) return !unknown;
  return (
    (context.fn.body?.body ?? []).length > 0 &&
    context.fn.body!.body.every((stmt, at, all) => {
      if (stmt.kind === 'decl')
        return stmt.vars.every((variable) => !variable.init || isArithmetic(variable.init, context));
      if (stmt.kind === 'empty') return true;
      if (stmt.kind !== 'if' || stmt.else)
        return all.slice(0, at).some((before) => before.kind === 'if' && leavesButOne(before, context, locals));
      return (
        isLeader(stmt.cond, context, locals) ||
        leavesButOne(stmt, context, locals) ||
        all.slice(0, at).some((before) => before.kind === 'if' && leavesButOne(before, context, locals))
      );
    })
  );
}
function leavesButOne(stmt: Stmt, context: FunctionContext, locals: Locals): boolean {
  if (stmt.kind !== 'if' || stmt.else) return false;
  const then = stmt.then.kind === 'block' ? stmt.then.body : [stmt.then];
  if (then.length !== 1 || then[0]!.kind !== 'return' || stmt.cond.kind !== 'binary' || !/^(!=|>)$/.test(stmt.cond.op))
    return false;
  return isLeader({ ...stmt.cond, op: '==' }, context, locals);
}
/** `threadIdx.x == 0 && blockIdx.x == 0`, or the global index equal to 0. */
function isLeader(cond: Expr, context: FunctionContext, locals: Locals): boolean {
  if (cond.kind === 'binary' && cond.op === '&&')
    return isLeader(cond.left, context, locals) || isLeader(cond.right, context, locals);
  if (cond.kind !== 'binary' || cond.op !== '==') return false;
  const [left, right] = [polynomialOf(cond.left, context, locals), polynomialOf(cond.right, context, locals)];
  if (!left || !right || !equal(right, constantPolynomial(0))) return false;
  return equal(left, atomPolynomial('threadIdx.x')) || equal(left, gridThread);
}
