// Sums that a loop keeps in memory: a local variable takes the sum through the loop, and is stored after it.
import { titleWith } from '../excerpt';
import type { AssignExpr, Expr, Stmt } from '../../syntax/ast';
import type { Edit, Refusal, RewriteFact } from '../model';
import {
  type Fn,
  type Local,
  sameExpr,
  isConditionLoop,
  namesIn,
  isStatement,
  type AnySyntax,
  some,
  walk,
  reachesMemory,
  inBlock,
  writtenAround,
  counted,
  countsUp,
  turned,
  argumentOf,
} from '../language';
import { freshNamesOf } from './writing/edits';
import {
  runsOnce,
  argumentRoots,
  hasMacro,
  hidesEffects,
  isPure,
  isPureCall,
  mayChange,
  rootOf,
  touchesMemory,
  type Root,
} from '../program';
import { ownAccessesOf, sharedArrayOf } from './ownArray';
import type { AccessFamily } from './writing/family';
import { scalarTextOf } from './ownType';
import { refuser } from './writing/refusals';

const refused = refuser<'statement' | 'macros' | 'condition' | 'leaves' | 'overlap' | 'runs'>('register-sums');

export const registerSums: AccessFamily<'register-sums'> = {
  id: 'register-sums',
  on: 'access',
  to: ['global', 'shared'],
  when: ({ fact, expr }) => !!fact.accumulates && !!expr,
  find({ fn, fact, expr, record }) {
    const kept = record.loops.slice(0, fact.accumulates!.loops).map(({ stmt }) => stmt);
    return kept.length > 0 ? registerSumOf(fn, expr!, kept) : undefined;
  },
};

/** How the sum leaves its loop: bare where the place is the thread's own anyway, else under a separate guard. */
interface Way {
  readonly loop: Stmt;
  /** The condition under which the loop runs at all, where nothing else says that the place may be touched. */
  readonly guard?: string;
}

/**
 * The edits that keep the sum at `access` in a local variable through its loop. `loops` are the loops around it, from
 * the innermost, that leave its place as it is: the sum leaves the outermost of them that it may leave.
 * Other places of the loops that lie in other arrays are taken to be other places, which the title says.
 */
export function registerSumOf(fn: Fn, access: Expr, loops: readonly Stmt[]): RewriteFact | Refusal {
  const sum = fn.parent(access);
  const statement = sum && fn.parent(sum);
  if (sum?.kind !== 'assign' || sum.target !== access || statement?.kind !== 'expr')
    return refused('statement', 'the sum is part of another expression');
  if (access.kind === 'call') return refused('statement', 'an operator of a class makes the place');
  const root = rootOf(access, fn.locals);
  let way: Way | Refusal | undefined;
  for (const loop of loops) {
    const next = leaves(sum, statement, access, root, loop, fn);
    // Behind a loop that it may not leave it cannot leave one further out.
    if ('precondition' in next) {
      if (next.precondition === 'runs' && loop !== loops.at(-1)) {
        way ??= next;
        continue;
      }
      way ??= next;
      break;
    }
    way = next;
  }
  if (!way) return refused('statement', 'no enclosing loop keeps its address constant');
  return 'precondition' in way ? way : written(way, access, fn);
}

function leaves(
  sum: AssignExpr,
  statement: Stmt,
  access: Expr,
  root: Root | undefined,
  loop: Stmt,
  fn: Fn,
): Way | Refusal {
  if (!isConditionLoop(loop) || loop.macro) return refused('macros', 'the loop comes from a macro');
  if (samePlaces(loop, access).some(hasMacro)) return refused('macros', 'the sum comes from a macro');
  const problem = hindered(loop, access, fn);
  if (problem) return refused('leaves', problem);
  if (isSkipped(sum, statement, loop, fn))
    return refused('condition', 'an iteration may skip it, and the threads that add are not known');
  const shared = sharedName(loop, root, fn);
  if (shared) return refused('overlap', `a launch passes \`${shared}\` for two arrays of the loop`);
  if (isTouchedAround(loop, access, fn) || alwaysRuns(statement, loop, fn)) return { loop };
  const guard = innerLoopsRun(statement, loop, fn) ? guardOf(loop, fn) : undefined;
  if (guard !== undefined && isAskedAround(loop, undefined, fn)) return { loop };
  return guard
    ? { loop, guard }
    : refused('runs', 'only the loop accesses the element, and the loop may not run at all');
}

/** The place of the sum wherever the loop names it. */
function samePlaces(loop: AnySyntax, place: Expr): Expr[] {
  const found: Expr[] = [];
  walk(loop, (node) => {
    if (node.kind !== place.kind || !sameExpr(node as Expr, place)) return true;
    found.push(node as Expr);
    return false;
  });
  return found;
}

/** What keeps the sum in its loop, where a run of both texts would refuse what it could leave one further in. */
function hindered(loop: Stmt, place: Expr, fn: Fn): string | undefined {
  if (some(loop, ({ kind }) => kind === 'return' || kind === 'goto' || kind === 'label' || kind === 'opaque'))
    return 'an iteration can leave the function';
  const isElsewhere = ownAccessesOf(loop, place, fn.locals) === 'elsewhere';
  return isElsewhere ? 'the loop accesses its array elsewhere' : undefined;
}

/** May an iteration of the loop pass the sum by: under a condition, or behind a `continue` or `break`? */
function isSkipped(sum: AssignExpr, statement: Stmt, loop: Stmt, fn: Fn): boolean {
  for (let at: AnySyntax = statement, up = fn.parent(at); up && at !== loop; at = up, up = fn.parent(at))
    if (up.kind === 'if' || up.kind === 'switch' || up.kind === 'case' || up.kind === 'try' || up.kind === 'rangeFor')
      return true;
  return some(
    loop,
    (node) => (node.kind === 'break' || node.kind === 'continue') && fn.locals.order(node) < fn.locals.order(sum),
  );
}

/** The array that a known launch passes both for the sum and for something else that the loop touches. */
function sharedName(loop: AnySyntax, root: Root | undefined, fn: Fn): string | undefined {
  if (!fn.decl.global || typeof root !== 'object') return undefined;
  const others = new Set<Local>();
  walk(loop, (node) => {
    const other = reachesMemory(node) ? rootOf(node, fn.locals) : undefined;
    if (typeof other === 'object' && other !== root) others.add(other);
  });
  for (const { launch, host } of fn.launchSites(fn.decl.name)) {
    const hostLocals = host.locals;
    const roots = (local: Local): ReadonlySet<string> | undefined =>
      argumentRoots(argumentOf(local.parameter, fn.decl, launch.args), hostLocals);
    const shared = [...(roots(root) ?? [])].find((name) => [...others].some((other) => roots(other)?.has(name)));
    if (shared !== undefined) return shared;
  }
  return undefined;
}

/**
 * Does the thread touch the place on every way to the loop, or right after it? Then it may be read and stored there
 * although the loop does not run.
 */
function isTouchedAround(loop: Stmt, place: Expr, fn: Fn): boolean {
  const names = namesIn(place);
  const touches = (stmt: Stmt): boolean =>
    stmt.kind === 'expr' && stmt.expr.kind === 'assign' && sameExpr(stmt.expr.target, place);
  const list = fn.parent(loop);
  if (list?.kind === 'block')
    for (const stmt of list.body.slice(list.body.indexOf(loop) + 1)) {
      if (touches(stmt)) return true;
      if ((stmt.kind !== 'expr' && stmt.kind !== 'decl') || mayChange(stmt, names, 'references')) break;
    }
  for (let at: AnySyntax = loop, up = fn.parent(at); up; at = up, up = fn.parent(at)) {
    // Around a loop the names may stand for other values than before it.
    if (isConditionLoop(up) || up.kind === 'rangeFor' || up.kind === 'lambda' || up.kind === 'case') return false;
    if (up.kind !== 'block') continue;
    for (const stmt of up.body.slice(0, up.body.indexOf(at as Stmt)).reverse()) {
      if (touches(stmt)) return true;
      if (mayChange(stmt, names, 'references')) return false;
    }
  }
  return false;
}

function alwaysRuns(statement: Stmt, loop: Stmt, fn: Fn): boolean {
  return (runsOnce(loop, fn) || startsBelow(loop, fn)) && innerLoopsRun(statement, loop, fn);
}

/** `for (j = 0; j < i + 1; …)` in `for (i = 0; …; i++)`: the end is beyond the start from its first value on. */
function startsBelow(loop: Stmt, fn: Fn): boolean {
  const { first, bound } = counted(loop) ?? {};
  const isSum = bound?.end.kind === 'binary' && bound.end.op === '+';
  const [end, added] = isSum ? [bound.end.left, bound.end.right] : [bound?.end];
  const local = end?.kind === 'name' ? fn.local(end) : undefined;
  const heads = [...fn.around(loop)].map((up) => (isStatement(up) ? counted(up) : undefined));
  const outer = heads.find((head) => head?.name === local?.name);
  if (!first || !bound || !local || !outer || local.addressTaken) return false;
  if (!countsUp(outer) || local.writes.some(({ node }) => fn.isInside(node, outer.loop.body))) return false;
  const constant = (expr: Expr | undefined): number => (expr ? (fn.types.constant(expr) ?? NaN) : 0);
  const [from, least] = [constant(first), constant(outer.first) + constant(added)];
  return bound.op === '<' ? from < least : bound.op === '<=' && from <= least;
}

/** Do all loops between the loop and the sum run at least once? */
function innerLoopsRun(statement: Stmt, loop: Stmt, fn: Fn): boolean {
  for (let at = fn.parent(statement); at && at !== loop; at = fn.parent(at))
    if (isStatement(at) && isConditionLoop(at) && !runsOnce(at, fn) && !isAskedAround(at, loop, fn)) return false;
  return true;
}

/** Does a loop around this one, out to `last`, run under the same condition? */
function isAskedAround(loop: Stmt, last: Stmt | undefined, fn: Fn): boolean {
  const guard = guardOf(loop, fn);
  // A value read from memory may have changed since.
  if (guard === undefined || loop.kind !== 'for' || touchesMemory(loop.cond!, fn)) return false;
  const names = new Set(guard.match(/[A-Za-z_]\w*/g));
  for (let at: AnySyntax = loop, up = fn.parent(at); up && at !== last; at = up, up = fn.parent(at)) {
    if (up.kind !== 'for') continue;
    if (mayChange(up, names, 'references')) return false;
    if (guardOf(up, fn) === guard) return true;
  }
  return false;
}

/** Whether the first iteration runs, as text before the loop: `n > 0`, the condition of a `while`. */
function guardOf(loop: Stmt, fn: Fn): string | undefined {
  const isAskedTwice = (expr: Expr): boolean => isPure(expr, fn) && !hasMacro(expr);
  if (loop.kind === 'while') return isAskedTwice(loop.cond) ? fn.text(loop.cond).trim() : undefined;
  if (loop.kind !== 'for' || !loop.cond) return undefined;
  const { first, bound } = counted(loop) ?? {};
  if (!first || !bound || !isAskedTwice(first) || !isAskedTwice(bound.end)) return undefined;
  const from = fn.text(first).trim();
  const to = fn.text(bound.end).trim();
  const side = (expr: Expr, text: string): string =>
    expr.kind === 'conditional' || (expr.kind === 'binary' && !/^[-+*/%]$/.test(expr.op)) ? `(${text})` : text;
  // A number belongs on the right.
  return first.kind === 'number'
    ? `${side(bound.end, to)} ${turned[bound.op]} ${from}`
    : `${side(first, from)} ${bound.op} ${side(bound.end, to)}`;
}

/** `place = value;` or `place *= value;` right behind the loop; calls in it may do nothing but compute. */
function assignmentBehind(loop: Stmt, place: Expr, fn: Fn): AssignExpr | undefined {
  const list = fn.parent(loop);
  const stmt = list?.kind === 'block' ? list.body[list.body.indexOf(loop) + 1] : undefined;
  return stmt && assignmentIn(stmt, place, fn);
}

/** `place = value;` or `place *= value;` before the loop; what is between computes and leaves the place as it is. */
function assignmentBefore(loop: Stmt, place: Expr, fn: Fn): AssignExpr | undefined {
  const list = fn.parent(loop);
  if (list?.kind !== 'block') return undefined;
  const root = rootOf(place, fn.locals);
  const names = namesIn(place);
  for (const stmt of list.body.slice(0, list.body.indexOf(loop)).reverse()) {
    const assign = assignmentIn(stmt, place, fn);
    if (assign) return /^[-+*/]?=$/.test(assign.op) ? assign : undefined;
    if (!onlyComputes(stmt, fn) || mayChange(stmt, names, 'references') || samePlaces(stmt, place).length > 0)
      return undefined;
    if (ownAccessesOf(stmt, place, fn.locals) === 'elsewhere' || sharedName(stmt, root, fn)) return undefined;
  }
  return undefined;
}

/** Does a statement give variables and places values, and nothing else? */
function onlyComputes(stmt: Stmt, fn: Fn): boolean {
  const isMore = (node: AnySyntax): boolean => hidesEffects(node) || (node.kind === 'call' && !isPureCall(node, fn));
  return (stmt.kind === 'decl' || stmt.kind === 'expr') && !some(stmt, isMore);
}

function assignmentIn(stmt: Stmt, place: Expr, fn: Fn): AssignExpr | undefined {
  const assign = stmt.kind === 'expr' && stmt.expr.kind === 'assign' ? stmt.expr : undefined;
  if (!assign || !sameExpr(assign.target, place) || hasMacro(assign) || !isPure(assign.value, fn)) return undefined;
  return openedBy(assign, fn) === undefined ? undefined : assign;
}

/** The parentheses that open between the operator and the value; undefined where anything else is between them. */
function openedBy({ target, op, value }: AssignExpr, fn: Fn): string | undefined {
  const text = fn.text({ start: target.end, end: value.start }).trim();
  const opened = text.startsWith(op) ? text.slice(op.length).trim() : '-';
  return /^\(*$/.test(opened) ? opened : undefined;
}

/** The edits by which the assignment behind the loop takes the sum from the variable: `out[i] = sum / n`. */
function takenFrom(name: string, assign: AssignExpr, place: Expr, fn: Fn): Edit[] {
  const edits = samePlaces(assign.value, place).map((node): Edit => ({ at: fn.span(node), newText: name }));
  return [...edits, ...operated(name, assign, fn)];
}

/** The edits that write ` = name * (value)` behind the target of an assignment `*= value`; none for a plain one. */
function operated(name: string, assign: AssignExpr, fn: Fn): Edit[] {
  const { target, op, value } = assign;
  if (op === '=') return [];
  const opened = openedBy(assign, fn)!;
  const isLoose = opened === '' && /^(?:binary|conditional|assign)$/.test(value.kind);
  const between = { start: target.end, end: value.start - opened.length };
  const newText = ` = ${name} ${op.slice(0, -1)} ${isLoose ? '(' : ''}`;
  const closing = fn.span({ start: value.end, end: value.end });
  return [{ at: fn.span(between), newText }, ...(isLoose ? [{ at: closing, newText: ')' }] : [])];
}

function written({ loop, guard }: Way, access: Expr, fn: Fn): RewriteFact {
  const fresh = freshNamesOf(fn);
  const name = fresh('sum') === 'sum' ? 'sum' : fresh('total');
  const place = fn.text(access);
  const typeName = scalarTextOf(access, fn, fn.typing);
  const edits: Edit[] = samePlaces(loop, access).map((node) => ({ at: fn.span(node), newText: name }));
  const first = typeName !== 'auto' ? assignmentBefore(loop, access, fn) : undefined;
  if (first) {
    const declared = fn.span({ start: first.start, end: first.target.end });
    edits.push({ at: declared, newText: `${typeName} ${name}` }, ...operated(place, first, fn));
  }
  const last = assignmentBehind(loop, access, fn);
  const isOther =
    last &&
    ownAccessesOf(last.value, access, fn.locals) !== 'elsewhere' &&
    !sharedName(last.value, rootOf(access, fn.locals), fn);
  if (isOther) edits.push(...takenFrom(name, last, access, fn));
  const before = first ? [] : [`${typeName} ${name} = ${place};`];
  const after = isOther ? [] : [`${place} = ${name};`];
  edits.push(
    ...(guard === undefined
      ? writtenAround(fn, loop, { before, after })
      : inBlock(fn, loop, `if (${guard})`, { before, after })),
  );
  return {
    edits,
    // No pointer leads to an array in shared memory that the function names itself.
    title: sharedArrayOf(access, fn.locals)
      ? 'Add up in a local variable and store it after the loop'
      : titleWith(place, (text) => `Add up in a local variable (if no array overlaps \`${text}\`)`),
  };
}
