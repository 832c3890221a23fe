// Barriers inside a guard that threads of one block answer differently: the guard is divided at them, so that every
// thread arrives and only the work between them stays guarded.
import { isAggregate, isKnownCall, hasMacro, isBlockBarrier, leavings } from '../program';
import type { DeclStmt, Expr, IfStmt, Stmt, VarDecl } from '../../syntax/ast';
import type { Refusal, RewriteFact } from '../model';
import {
  type Fn,
  startWithPragmas,
  indentBeyond,
  calleeName,
  type Local,
  isConditionLoop,
  isStable,
  some,
  walk,
  type AnySyntax,
  meetsThreads,
  innermost,
  isThreadName,
  reachesMemory,
  usesAxis,
} from '../language';
import { wholeLines } from '../../syntax/lines';
import { freshNamesOf } from './writing/edits';
import type { Family } from './writing/family';
import { refuser } from './writing/refusals';

const refused = refuser<'guard' | 'leaves' | 'barriers' | 'loops' | 'declared' | 'macros'>('divided-guard');

export const dividedGuard: Family<'divided-guard', 'barrier'> = {
  id: 'divided-guard',
  on: 'barrier',
  find: ({ fn, cond }) => dividedGuardOf(fn, cond),
};

/**
 * The edit that divides the `if` whose condition is `cond`. Threads for which it does not hold then run nothing but
 * barriers and the heads of loops around them, which are the same for all threads of a block; the others run what they
 * ran. Where all threads of a block agreed, nothing changes.
 */
export function dividedGuardOf(fn: Fn, cond: Expr): RewriteFact | Refusal {
  const { decl, locals } = fn;
  const guard = locals.parent(cond);
  if (!decl.global || !decl.body) return refused('guard', 'it is in a function that the kernel calls');
  if (guard?.kind !== 'if' || guard.cond !== cond || guard.else || guard.init || guard.constexpr)
    return refused('guard', 'the condition does not belong to a plain `if`');
  if (locals.parent(guard) !== decl.body) return refused('guard', 'it is inside another condition or loop');
  if (guard.then.kind !== 'block') return refused('guard', 'it guards nothing but the barrier');
  if (leavesEarly(guard.then)) return refused('leaves', 'some threads may leave it before its end');
  if (hasMacro(guard)) {
    const macro = unexpected(guard);
    if (macro) return refused('macros', macro);
  }
  const plan = planOf(guard.then.body, guard, fn);
  if (typeof plan !== 'object') return plan === 'loops' ? refused('loops', unevenLoop) : refused('barriers', deeper);
  if (/^[ \t]*#/m.test(fn.text(guard))) return refused('macros', 'it contains preprocessor lines');
  const declarations = movedDeclarations(plan, fn);
  if (typeof declarations === 'string') return refused('declared', declarations);
  return written(guard, plan, declarations, fn);
}

const unevenLoop = 'a loop around a barrier may iterate more often in some threads than in others';
const deeper = 'a barrier in it has its own condition';

/** A list of statements, cut at barriers and at loops that hold barriers. */
interface Plan {
  readonly pieces: readonly (readonly Stmt[])[];
  /** Between the pieces, so one fewer. */
  readonly between: readonly { readonly stmt: Stmt; readonly inner?: Plan }[];
}

export const isBarrier = (name: string): boolean => /^__(syncthreads|barrier)/.test(name);

/** May a thread meet others in it, by functions of such names, or in what it calls? What is not seen may. */
export function meets(
  node: AnySyntax,
  fn: Fn,
  isMeeting: (name: string) => boolean = meetsThreads,
  asked = new Set<AnySyntax>(),
): boolean {
  return some(node, (inner) => {
    if (inner.kind !== 'call') return inner.kind === 'asm' || inner.kind === 'opaque';
    const { callee } = inner;
    const name = calleeName(inner) ?? (callee.kind === 'member' ? callee.field : undefined);
    if (name !== undefined && isMeeting(name)) return true;
    const bodies = fn.program.functions(name ?? '').flatMap(({ body }) => body ?? []);
    if (bodies.length === 0) return !isKnownCall(inner, fn) && !isAggregate(inner, fn);
    return bodies.some((body) => !asked.has(body) && meets(body, fn, isMeeting, asked.add(body)));
  });
}

function planOf(list: readonly Stmt[], guard: IfStmt, fn: Fn): Plan | 'barriers' | 'loops' {
  const pieces: Stmt[][] = [[]];
  const between: { stmt: Stmt; inner?: Plan }[] = [];
  for (const stmt of list) {
    if (isBlockBarrier(stmt)) between.push({ stmt });
    else if (!meets(stmt, fn, isBarrier)) {
      pieces.at(-1)!.push(stmt);
      continue;
    } else if (stmt.kind === 'for' && stmt.body.kind === 'block') {
      if (!isEven(stmt, guard, fn)) return 'loops';
      const inner = planOf(stmt.body.body, guard, fn);
      if (typeof inner !== 'object') return inner;
      between.push({ stmt, inner });
    } else return 'barriers';
    pieces.push([]);
  }
  return { pieces, between };
}

/** Does every thread of a block iterate as often, whether or not it is inside the guard? */
function isEven({ init, cond, step, body }: Extract<Stmt, { kind: 'for' }>, guard: IfStmt, fn: Fn): boolean {
  const counter = init?.kind === 'decl' ? fn.locals.all.find((local) => local.variable === init.vars[0]) : undefined;
  if (!counter || counter.addressTaken || counter.writes.some(({ node }) => fn.isInside(node, body))) return false;
  const mayDiffer = (local: Local): boolean =>
    local.addressTaken ||
    (local !== counter && (local.writes.length > 0 || (!!local.variable && fn.isInside(local.variable, guard))));
  const isOfFile = (node: AnySyntax): boolean =>
    node.kind === 'name' &&
    fn.program.globals(node.name).some(({ constant, space }) => !constant && space !== 'constant');
  const isFixed = (expr: Expr): boolean =>
    !['x', 'y', 'z'].some((axis) => usesAxis(expr, fn.decl, axis, fn.program)) &&
    !some(expr, (node) => reachesMemory(node) || isOfFile(node)) &&
    !fn.locals.all.some((local) => mayDiffer(local) && local.uses.some((use) => fn.isInside(use, expr)));
  return [counter.variable!.init, cond, step].every((expr) => expr && expr.kind !== 'initList' && isFixed(expr));
}

/** May some threads leave the guard, or a loop that holds a barrier, before its end? */
function leavesEarly(body: Stmt): boolean {
  const isLeft = (node: AnySyntax): boolean =>
    isConditionLoop(node) && some(node, isBlockBarrier) && leavings(node.body).size > 0;
  return leavings(body).size > 0 || some(body, isLeft);
}

/** Where a macro writes statements, or braces, the text cannot be divided. */
function unexpected(guard: IfStmt): string | undefined {
  let why: string | undefined;
  walk(guard, (node) => {
    const isStatement = node.kind === 'block' || node.kind === 'decl' || node.kind === 'if' || isConditionLoop(node);
    if (node.macro && (isStatement || node.kind === 'var')) why ??= 'a macro expands to statements in it';
    if (node.macro && node.kind === 'call' && isBlockBarrier(node)) why ??= 'its barrier comes from a macro';
  });
  return why;
}

interface Moved {
  /** Text before the divided list. */
  readonly hoisted: ReadonlyMap<Plan, readonly string[]>;
  /** The text in place of a statement. */
  readonly left: ReadonlyMap<Stmt, string>;
}

/** Declarations that a later piece needs, moved out of the guard; a sentence where one cannot be. */
function movedDeclarations(plan: Plan, fn: Fn): Moved | string {
  const hoisted = new Map<Plan, string[]>();
  const left = new Map<Stmt, string>();
  const visit = (at: Plan): string | undefined => {
    const lines: string[] = [];
    hoisted.set(at, lines);
    for (const piece of at.pieces)
      for (const stmt of piece) {
        if (stmt.kind === 'type') return 'it declares a type';
        if (stmt.kind !== 'decl') continue;
        const needed = stmt.vars.filter((variable) => isUsedBeyond(variable, piece, fn));
        if (needed.length === 0) continue;
        const why = moveOut(stmt, lines, left, fn);
        if (why) return why;
      }
    for (const { inner } of at.between) {
      const why = inner && visit(inner);
      if (why) return why;
    }
    return undefined;
  };
  return visit(plan) ?? { hoisted, left };
}

function isUsedBeyond(variable: VarDecl, piece: readonly Stmt[], fn: Fn): boolean {
  const local = fn.locals.all.find((one) => one.variable === variable);
  return !local || local.uses.some((use) => !piece.some((stmt) => fn.isInside(use, stmt)));
}

function moveOut(stmt: DeclStmt, lines: string[], left: Map<Stmt, string>, fn: Fn): string | undefined {
  for (const { name } of stmt.vars) {
    // Further out the name would be seen by others of that name, or hide them.
    const same = fn.locals.nodes.filter((node) => node.kind === 'name' && node.name === name);
    if (fn.locals.all.filter((local) => local.name === name).length > 1 || same.some((node) => !isBound(node, fn)))
      return `there is another \`${name}\``;
  }
  const { above, behind } = remarksOf(fn, stmt);
  const isWhole = (variable: VarDecl): boolean =>
    variable.space === 'shared' ||
    !!variable.constexpr ||
    (!variable.init && isPlain({ ...variable, type: innermost(variable.type) }, fn)) ||
    (!!variable.init && isSteady(variable.init, fn));
  if (stmt.vars.every(isWhole)) {
    lines.push(...above, fn.text(stmt).trim() + behind);
    left.set(stmt, '');
    return undefined;
  }
  if (stmt.vars.some((variable) => !isPlain(variable, fn) || (variable.init && variable.initStyle !== '=')))
    return `\`${stmt.vars[0]!.name}\` cannot be declared without its initial value`;
  const [first, ...more] = stmt.vars;
  if (more.length > 0 && stmt.vars.some(({ type }) => type.kind !== 'named'))
    return `\`${first!.name}\` cannot be declared without its initial value`;
  const prefix = fn.file.text.slice(fn.decl.base + stmt.start, fn.decl.base + first!.nameStart);
  const type = first!.type.kind === 'named' ? prefix.replace(/\b(const|constexpr)\b\s*/g, '') : prefix;
  lines.push(`${type.trimStart()}${stmt.vars.map(({ name }) => name).join(', ')};`);
  left.set(
    stmt,
    stmt.vars
      .filter(({ init }) => init)
      .map(({ name, init }) => `${name} = ${fn.text(init!)};`)
      .join(' '),
  );
  return undefined;
}

/** Any thread may compute it, anywhere in the kernel: of numbers, built-in names and what is never assigned. */
function isSteady(init: Expr, fn: Fn): boolean {
  if (hasMacro(init)) return false;
  return !some(init, (node) => {
    const local = node.kind === 'name' ? fn.local(node) : undefined;
    if (local && !(local.parameter && isStable(local))) return true;
    if (node.kind === 'call') return !fn.decl.templateParams?.some(({ name }) => name === calleeName(node));
    if (node.kind === 'member') return !!node.arrow || !isThreadName(fn.text(node.object));
    return !/^(name|number|binary|cast)$/.test(node.kind);
  });
}

/** The comments on the lines right above a statement and the one behind it on its line, which speak of it. */
function remarksOf(
  fn: Fn,
  stmt: Stmt,
  from = 0,
): {
  readonly start: number;
  readonly begin: number;
  readonly end: number;
  readonly above: readonly string[];
  readonly behind: string;
} {
  const text = fn.text({ start: 0, end: fn.decl.end });
  const begin = startWithPragmas(stmt);
  let start = begin;
  for (const comment of [...fn.decl.comments].reverse()) {
    const line = text.slice(text.lastIndexOf('\n', comment.start - 1) + 1, comment.start);
    if (comment.start < from || comment.end > start || line.trim() !== '') continue;
    if (!/^[ \t]*\r?\n?[ \t]*$/.test(text.slice(comment.end, start))) break;
    start = comment.start;
  }
  const above = text.slice(start, begin).split(/\r?\n/);
  const behind = /^[ \t]*\/\/[^\r\n]*/.exec(text.slice(stmt.end))?.[0].trimEnd() ?? '';
  return {
    start,
    begin,
    end: stmt.end + behind.length,
    above: above.map((line) => line.trim()).filter((line) => line !== ''),
    behind,
  };
}

/** The comment behind a statement on its line, with those of the next lines that begin in the same column. */
function trailingComment(text: string, from: number): string {
  const [first = ''] = /^[ \t]*\/\/[^\r\n]*/.exec(text.slice(from)) ?? [];
  if (!first) return '';
  const column = from + first.indexOf('/') - (text.lastIndexOf('\n', from) + 1);
  const more = new RegExp(`^(?:\\r?\\n[ \\t]{${column}}//[^\\r\\n]*)*`);
  return first + more.exec(text.slice(from + first.length))![0];
}

function isBound(node: AnySyntax, fn: Fn): boolean {
  return node.kind === 'name' && !!fn.local(node);
}

/** A number, a pointer or a vector of CUDA: what may be declared without a value and assigned. */
function isPlain({ type, storage }: VarDecl, fn: Fn): boolean {
  if (storage) return false;
  if (type.kind === 'pointer') return !type.const;
  if (type.kind !== 'named') return false;
  const resolved = fn.types.resolve({ ...type });
  if (resolved.kind === 'scalar' || resolved.kind === 'pointer') return true;
  if (resolved.kind === 'struct') return resolved.vector !== undefined;
  return fn.decl.templateParams?.some((param) => param.kind === 'type' && param.name === type.name) ?? false;
}

function written(guard: IfStmt, plan: Plan, moved: Moved, fn: Fn): RewriteFact {
  const { file, decl } = fn;
  // Guards of one function are divided together, too: each has a separate name.
  const before = fn.locals.nodes.filter(
    (node) => node.kind === 'if' && node.start < guard.start && meets(node, fn, isBarrier),
  ).length;
  const inside = freshNamesOf(fn)(before === 0 ? 'inside' : `inside${before + 1}`);
  const indent = fn.indent(guard.start);
  const first = guard.then.kind === 'block' ? guard.then.body[0] : undefined;
  const deeper = first && first.start > guard.then.start ? fn.indent(first.start) : indent;
  // Statements that stay guarded keep their depth.
  const unit = indentBeyond(indent, deeper) || fn.indentStep;

  const lineOf = (stmt: Stmt): { readonly start: number; readonly end: number } => {
    const span = fn.span(remarksOf(fn, stmt));
    const { start, end } = wholeLines(file.text, span) ?? span;
    return { start: start - decl.base, end: end - decl.base };
  };
  /** The text between two places with what was moved out, each line as deep as `to`. */
  const piece = (from: number, to: number, stmts: readonly Stmt[], depth: string): string[] => {
    let text = file.text.slice(decl.base + from, decl.base + to);
    for (const stmt of [...stmts].reverse()) {
      const left = moved.left.get(stmt);
      if (left === undefined) continue;
      const { start, end } = left === '' ? lineOf(stmt) : stmt;
      text = text.slice(0, start - from) + left + text.slice(end - from);
    }
    const lines = text.split(/\r?\n/).filter((line, at, all) => line.trim() !== '' || (at > 0 && at < all.length - 1));
    while (lines.length > 0 && lines[0]!.trim() === '') lines.shift();
    while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop();
    // The first line may begin behind its indentation.
    const deep = stmts[0] ? fn.indent(stmts[0].start) : depth;
    return lines.map((line) => {
      if (line.trim() === '') return line;
      // Blanks and tabs in another order: as much deeper as it was.
      const more = ' '.repeat(Math.max(0, line.length - line.trimStart().length - deep.length));
      return depth + (line.startsWith(deep) ? line.slice(deep.length) : more + line.trimStart()).trimEnd();
    });
  };
  const emit = (at: Plan, from: number, to: number, depth: string): string[] => {
    const lines = [...moved.hoisted.get(at)!.map((line) => depth + line)];
    let start = from;
    for (const [number, stmts] of at.pieces.entries()) {
      const next = at.between[number];
      // A comment on the line of the barrier stays there, with the lines that go on below its first.
      const trailing = trailingComment(file.text.slice(0, decl.base + (next?.stmt.start ?? to)), decl.base + start);
      const moves = Math.max(0, fn.indent(at.between[number - 1]?.stmt.start ?? start).length - depth.length);
      if (number > 0 && trailing)
        lines[lines.length - 1] += trailing
          .trimEnd()
          .replace(/(\n)([ \t]*)/g, (_, line, left) => line + left.slice(moves));
      const skipped = number > 0 ? trailing.length : 0;
      const remarks = next && remarksOf(fn, next.stmt, start + skipped);
      const end = remarks?.start ?? to;
      const inner = piece(start + skipped, end, stmts, depth + unit);
      const holds = stmts.some((stmt) => moved.left.get(stmt) !== '');
      if (holds) lines.push(`${depth}if (${inside}) {`, ...inner, `${depth}}`);
      else lines.push(...inner.map((line) => depth + line.trimStart()));
      if (!next) break;
      lines.push(...remarks!.above.map((line) => depth + line));
      if (next.inner && next.stmt.kind === 'for' && next.stmt.body.kind === 'block') {
        const { body } = next.stmt;
        const head = file.text.slice(decl.base + remarks!.begin, decl.base + body.start).trim();
        lines.push(`${depth}${head} {`, ...emit(next.inner, body.start + 1, body.end - 1, depth + unit), `${depth}}`);
      } else lines.push(`${depth}${fn.text(next.stmt).trim()}`);
      start = next.stmt.end;
    }
    return lines;
  };
  const head = file.text.slice(decl.base + guard.cond.end, decl.base + guard.then.start);
  const remark = head.replace(/^[\s)]*/, '').trim();
  const lines = [
    ...(remark ? [indent + remark] : []),
    `${indent}const bool ${inside} = ${fn.text(guard.cond).trim()};`,
    ...emit(plan, guard.then.start + 1, guard.then.end - 1, indent),
  ];
  return {
    edits: [
      {
        at: { uri: file.uri, start: decl.base + guard.start, end: decl.base + guard.end },
        newText: lines.join(fn.newline).slice(indent.length),
      },
    ],
    title: 'Split the guard at its barriers, so that every thread arrives',
  };
}
