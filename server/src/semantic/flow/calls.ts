// The calls of the CUDA runtime in a host function, the loops around them, and what those loops launch, write and
// count.
import type {
  BlockStmt,
  CallExpr,
  DoStmt,
  Expr,
  ForStmt,
  FunctionDecl,
  LaunchExpr,
  RangeForStmt,
  Stmt,
  WhileStmt,
} from '../../syntax/ast';
import type { HostLoopRef, RuntimeCallFact } from '../model';
import {
  type AnySyntax,
  once,
  onceWith,
  walk,
  isStatement,
  callsOf,
  type Fn,
  calledName,
  calleeName,
  takesReference,
  isCalledInPlace,
  type Local,
  categoryOf,
  counted,
  tripsBetween,
  withoutCasts,
} from '../language';
import { methodsCalled } from './callees';
import { addressedVariable } from './places';
import { waitWithin } from './within';
import { isAggregate } from '../program';

export type HostLoop = ForStmt | RangeForStmt | WhileStmt | DoStmt;

/** A runtime call with where its statement stands as written, wrapper macro and `;` included. */
export interface RuntimeCall {
  readonly call: CallExpr;
  readonly name: string;
  readonly category: RuntimeCallFact['category'];
  readonly wrapper?: string;
  /** The function of the program that is called and makes it. */
  readonly through?: string;
  /** That function does more than this, and stays where it is. */
  readonly stays?: boolean;
  /** The statement of the list it is in: inside a function-like macro, the statement that the macro makes. */
  readonly statement: Stmt;
  /** Offsets in the function of the statement as written. */
  readonly written: { readonly start: number; readonly end: number };
  readonly loops: readonly HostLoop[];
}

/** A call in a loop of a function that no library brings. */
export type Called = Omit<RuntimeCall, 'name' | 'category'> & { readonly through: string };

export const runtimeCallsOf = once(
  (fn: Fn): readonly RuntimeCall[] =>
    fn.locals.nodes.flatMap((node): RuntimeCall[] => {
      if (node.kind !== 'call') return [];
      const written = calledName(node);
      const waits = written !== undefined && categoryOf(written) === undefined ? waitWithin(node, fn) : undefined;
      const name = waits?.only ? waits.name : calleeName(node);
      const category = name ? categoryOf(name) : undefined;
      if (!name || !category || !written) return [];
      if ([...fn.around(node)].some((around) => around.kind === 'lambda' && around.device)) return [];
      const through = waits?.only ? { through: written } : {};
      return [
        { call: node, name, category, ...through, ...statementOf(node, written, fn), loops: loopsAround(node, fn) },
      ];
    }),
  ({ decl }) => decl,
);

/** The loops around a node, innermost first; `do … while (0)` is not one. */
export function loopsAround(node: AnySyntax, fn: Fn): HostLoop[] {
  const loops: HostLoop[] = [];
  let inner: AnySyntax = node;
  for (const around of fn.around(node)) {
    if (around.kind === 'lambda' && !isCalledInPlace(around, fn.locals)) break;
    if (
      isLoop(around) &&
      !(
        (around.kind === 'for' || around.kind === 'rangeFor') &&
        inner !== around.body &&
        (around.kind !== 'for' || inner === around.init)
      )
    )
      loops.push(around);
    inner = around;
  }
  return loops;
}

export function isLoop(node: AnySyntax): node is HostLoop {
  if (node.kind === 'do') return !(node.cond.kind === 'number' && node.cond.value === 0);
  return node.kind === 'for' || node.kind === 'while' || node.kind === 'rangeFor';
}

export function loopRef(loop: HostLoop, fn: Fn): HostLoopRef {
  const headerEnd =
    loop.kind === 'for'
      ? loop.headerEnd
      : loop.kind === 'rangeFor'
        ? loop.body.start
        : loop.kind === 'while'
          ? loop.cond.end + 1
          : loop.start + 2;
  const header = { start: loop.start, end: Math.min(Math.max(headerEnd, loop.start + 2), loop.end) };
  const text = (loop.kind === 'do' ? `do … while (${fn.text(loop.cond)})` : fn.text(header))
    .replace(/\s+/g, ' ')
    .trim();
  return {
    at: fn.span(loop),
    headerAt: fn.span(header),
    text: text.slice(0, 100),
  };
}

/** Launches in a loop: those written in it, and calls of known functions that launch. */
export function launchesIn(node: AnySyntax, fn: Fn): (LaunchExpr | CallExpr)[] {
  const found: (LaunchExpr | CallExpr)[] = [];
  walk(node, (inner) => {
    if (inner.kind === 'launch') found.push(inner);
    if (inner.kind === 'call') {
      const name = calleeName(inner);
      // CUB's device-wide algorithms are launches in another dress.
      if (inner.callee.kind === 'name' && /(^|::)Device[A-Z]\w*::\w+$/.test(inner.callee.name)) found.push(inner);
      else if (name && (categoryOf(name) === 'launch' || launches(name, fn, 0))) found.push(inner);
      else if (methodsCalled(inner, fn).some((method) => startsLaunch(method, fn, 0))) found.push(inner);
    }
  });
  return found;
}

/**
 * Does running the loop write the variable: by assignment, by address, or by a reference that an unknown function
 * may take?
 */
export function writesIn(local: Local, loop: HostLoop, fn: Fn): boolean {
  if (local.writes.some((write) => fn.isInside(write.node, loop))) return true;
  if (local.variable?.constant) return false;
  return local.uses.some((use) => {
    if (!fn.isInside(use, loop)) return false;
    const parent = fn.parent(use);
    if (parent?.kind === 'unary' && parent.op === '&') return true;
    if (parent?.kind === 'lambda') return true;
    if (parent?.kind !== 'call' || parent.callee === use)
      return (
        parent?.kind === 'member' &&
        fn.parent(parent)?.kind === 'call' &&
        (fn.parent(parent) as { callee?: unknown }).callee === parent
      );
    const name = calleeName(parent);
    if (
      !name ||
      categoryOf(name) !== undefined ||
      /^(dim3|min|max|ceil|sizeof|f?printf|memset|memcpy|malloc|free|float|double|int)$/.test(name)
    )
      return false;
    if (isAggregate(parent, fn)) return false;
    return !fn.program.functions(name).length || takesReference(fn.program, name, parent.args.indexOf(use));
  });
}

/** Turns of a counted loop with constant bounds. */
export function tripsOf(loop: HostLoop, fn: Fn): number | undefined {
  if (loop.kind !== 'for') return undefined;
  const constant = (expr: Expr, depth = 0): number | undefined => {
    if (depth > 4) return undefined;
    const value = fn.types.constant(expr);
    if (value !== undefined && !(expr.kind === 'name' && fn.local(expr))) return value;
    const local = expr.kind === 'name' ? fn.local(expr) : undefined;
    const definition = local && fn.definition(local);
    return definition ? constant(definition, depth + 1) : undefined;
  };
  const head = counted(loop);
  return head && tripsBetween(head, constant);
}

export function statementOf(
  call: CallExpr,
  name: string,
  fn: Fn,
): Pick<RuntimeCall, 'wrapper' | 'statement' | 'written'> {
  const text = fn.file.text;
  const { base } = fn.decl;
  let wrapper: string | undefined;
  let invocation: { start: number; end: number } | undefined;
  let statement: Stmt | undefined;
  let inner: AnySyntax = call;
  for (const around of fn.around(call)) {
    if (around.kind === 'block' && !around.macro) break;
    if (around.macro && around.kind !== 'var') {
      // A wrapper macro writes `NAME(` where the outermost node it made begins.
      const found = /^([A-Za-z_]\w*)\s*\(/.exec(text.slice(base + around.start, base + around.start + 80));
      if (found && found[1] !== name && isFunctionMacro(found[1]!, fn) && around.start <= call.start) {
        const end = balancedEnd(text, base + around.start + found[0].length - 1);
        if (end !== undefined && end >= base + call.end) {
          wrapper = found[1];
          invocation = { start: around.start, end: end - base };
        }
      }
    }
    if (!wrapper && around.kind === 'call' && around.callee.kind === 'name' && inner !== around.callee && !statement)
      wrapper = around.callee.name;
    if (isStatement(around) || around.kind === 'opaque') {
      // Above the call's own statement, only what the same macro invocation wrote belongs to it.
      if (!statement) statement = around;
      else if (
        invocation &&
        around.start >= invocation.start &&
        around.end <= invocation.end + 8 &&
        around.kind !== 'case'
      )
        statement = around;
      else break;
    }
    inner = around;
  }
  statement ??= { kind: 'expr', expr: call, start: call.start, end: call.end };
  let { start, end } = statement;
  if (invocation && invocation.start <= start) {
    start = invocation.start;
    end = Math.max(invocation.end, statement.macro ? invocation.end : end);
    if (statement.kind !== 'if' && statement.kind !== 'decl') end = invocation.end;
  }
  const semicolon = /^\s*;/.exec(text.slice(base + end, base + end + 20));
  if (semicolon && text[base + end - 1] !== ';') end += semicolon[0].length;
  return { ...(wrapper ? { wrapper } : {}), statement, written: { start, end } };
}

function isFunctionMacro(name: string, fn: Fn): boolean {
  return fn.unit.files.some((file) => file.macros.some((macro) => macro.name === name && macro.params !== undefined));
}

function balancedEnd(text: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < Math.min(text.length, open + 4000); at++) {
    const letter = text[at];
    if (letter === '"') {
      at++;
      while (at < text.length && text[at] !== '"') {
        if (text[at] === '\\') at++;
        at++;
      }
      continue;
    }
    if (letter === '(') depth++;
    else if (letter === ')' && --depth === 0) return at + 1;
  }
  return undefined;
}

/** How many calls below a name launches are looked for. */
const deepestLaunch = 3;
/** Does a function of this name launch a kernel, itself or through what it calls? By the context that asks. */
const launchesFrom = onceWith((fn: Fn, name: string, depth: number): boolean =>
  fn.program.functions(name).some((decl) => startsLaunch(decl, fn, depth)),
);
function launches(name: string, fn: Fn, depth = 0): boolean {
  return depth <= deepestLaunch && launchesFrom(fn, name, depth);
}

function startsLaunch(decl: FunctionDecl, fn: Fn, depth: number): boolean {
  if (!decl.body || decl.global || decl.device || decl === fn.decl) return false;
  const { launches: isLaunching, called } = callsOf(decl.body);
  if (isLaunching) return true;
  for (const callee of called) if (callee !== decl.name && launches(callee, fn, depth + 1)) return true;
  return false;
}
/** The variable whose address an allocation takes: `&p`, `(void **)&p`. */
export function madeVariable(made: RuntimeCall, fn: Fn): Local | undefined {
  const [arg] = made.call.args;
  return addressedVariable(arg, fn) ?? (made.name === 'cudaHostRegister' ? argumentVariable(arg, fn) : undefined);
}

/** The variable that an argument is, under casts. */
export function argumentVariable(arg: Expr | undefined, fn: Fn): Local | undefined {
  const inner = arg && withoutCasts(arg);
  return inner?.kind === 'name' ? fn.local(inner) : undefined;
}

/** Whether the call is in the text from its name to its last parenthesis, in the argument of a macro at most. */
export function isWritten(call: CallExpr, fn: Fn): boolean {
  const text = fn.text(call);
  const isNamed = call.callee.kind === 'name' && text.startsWith(call.callee.name);
  return isNamed && balancedEnd(text, text.indexOf('(')) === text.length;
}

/**
 * Whether nothing but the call would go with its statement as written: what wraps it checks it for errors and holds no
 * other call, launch or assignment. A macro that launches and waits (`RUN(kernel, blocks, threads)`) does more.
 */
export function standsAlone({ call, wrapper, written }: RuntimeCall, fn: Fn): boolean {
  if (wrapper === undefined) return true;
  if (!isWritten(call, fn)) return false;
  const textIn = (start: number, end: number): string => fn.text({ start, end });
  const before = textIn(written.start, call.start);
  const after = textIn(call.end, written.end).replaceAll(/"(\\.|[^"\\])*"/g, '');
  return (
    /^(\(void\)\s*)?([\w:]+\s*\(\s*)*(cudaSuccess\s*[!=]=\s*)?$/.test(before) && !/[({]|<<<|(?<![!=])=(?!=)/.test(after)
  );
}

/** The block that a loop is a statement of, as text. */
export function blockOf(loop: HostLoop, fn: Fn): BlockStmt | undefined {
  const parent = fn.parent(loop);
  return parent?.kind === 'block' && !parent.macro ? parent : undefined;
}

/** Can the call's statement be taken out of the braces of the loop, with nothing else in it? */
export function isTakenAlone(one: RuntimeCall, loop: HostLoop, fn: Fn): boolean {
  if (loop.body.kind !== 'block' || fn.parent(one.statement) !== loop.body) return false;
  return (one.statement.kind === 'expr' || (!!one.statement.macro && !!one.wrapper)) && standsAlone(one, fn);
}
