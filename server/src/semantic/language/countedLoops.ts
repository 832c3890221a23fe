// Loops that count: `for (i = first; i < end; i += by)`, as their heads have it, and how often numbers let them run.
import type { Expr, ForStmt, Stmt, VarDecl } from '../../syntax/ast';
import type { Local, Locals } from './scope';
import { mentions, withoutCasts } from './statements';

export interface Bound {
  readonly op: '<' | '<=' | '>' | '>=' | '!=';
  readonly end: Expr;
}
export interface CountStep {
  readonly sign: 1 | -1;
  /** Undefined for `i++` and `i--`. */
  readonly by: Expr | undefined;
}
export interface CountedLoop {
  readonly loop: ForStmt;
  readonly name: string;
  readonly first: Expr;
  /** Where the head declares the variable. */
  readonly declared?: VarDecl;
  /** The head declares nothing else. */
  readonly alone: boolean;
  /** Where the head sets it without declaring it. */
  readonly target?: Expr;
  /** What the variable is compared with, as if it were on the left. */
  readonly bound?: Bound;
  readonly step?: CountStep;
}

export type LocalLoop = CountedLoop & { readonly local: Local };

export function counterOf({ declared, target }: CountedLoop, locals: Locals): Local | undefined {
  return target ? locals.of(target) : locals.all.find(({ variable }) => variable === declared);
}

/** The head of a `for` loop and the first variable that it sets, which may be cast where it is compared and stepped. */
export function counted(stmt: Stmt, throughCasts = false): CountedLoop | undefined {
  if (stmt.kind !== 'for') return undefined;
  const { init, cond, step } = stmt;
  const declared = init?.kind === 'decl' ? init.vars[0] : undefined;
  const assigned = init?.kind === 'expr' && init.expr.kind === 'assign' && init.expr.op === '=' ? init.expr : undefined;
  const name = declared?.name ?? (assigned?.target.kind === 'name' ? assigned.target.name : undefined);
  const value = declared?.init ?? assigned?.value;
  const first = value?.kind === 'initList' && value.elements.length === 1 ? value.elements[0] : value;
  if (name === undefined || !first) return undefined;
  const isCounter = (expr: Expr): boolean => {
    const place = throughCasts ? withoutCasts(expr) : expr;
    return place.kind === 'name' && place.name === name;
  };
  const bound = cond && boundOf(cond, name, isCounter);
  const stepped = step && countStep(step, isCounter);
  return {
    loop: stmt,
    name,
    first,
    alone: init?.kind !== 'decl' || init.vars.length === 1,
    ...(declared ? { declared } : { target: assigned!.target }),
    ...(bound ? { bound } : {}),
    ...(stepped && !(stepped.by && mentions(stepped.by, name)) ? { step: stepped } : {}),
  };
}

export const turned = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '!=': '!=' } as const;

function boundOf(cond: Expr, name: string, isCounter: (expr: Expr) => boolean): Bound | undefined {
  if (cond.kind !== 'binary' || !(cond.op in turned)) return undefined;
  const op = cond.op as Bound['op'];
  if (isCounter(cond.left) && !mentions(cond.right, name)) return { op, end: cond.right };
  return isCounter(cond.right) && !mentions(cond.left, name) ? { op: turned[op], end: cond.left } : undefined;
}

/** `i++`, `i += by`, `i = i + by`, `i = by + i`, and the like downwards. */
export function countStep(step: Expr, isCounter: (expr: Expr) => boolean): CountStep | undefined {
  if (step.kind === 'update')
    return isCounter(step.operand) ? { sign: step.op === '++' ? 1 : -1, by: undefined } : undefined;
  if (step.kind !== 'assign' || !isCounter(step.target)) return undefined;
  const { op, value } = step;
  if (op === '+=' || op === '-=') return { sign: op === '+=' ? 1 : -1, by: value };
  if (op !== '=' || value.kind !== 'binary' || (value.op !== '+' && value.op !== '-')) return undefined;
  if (isCounter(value.left)) return { sign: value.op === '+' ? 1 : -1, by: value.right };
  return value.op === '+' && isCounter(value.right) ? { sign: 1, by: value.left } : undefined;
}

/** Steps by one, upwards. */
export function countsUp({ step }: Pick<CountedLoop, 'step'>): boolean {
  return step?.sign === 1 && (step.by === undefined || (step.by.kind === 'number' && step.by.value === 1));
}

/** Iterations between numbers, up or down; undefined where the ends are none, and for a loop that runs away. */
export function tripsBetween(
  { first, bound, step }: CountedLoop,
  constant: (expr: Expr) => number | undefined,
): number | undefined {
  const [from, to] = [constant(first), bound && constant(bound.end)];
  const each = step && (step.by ? constant(step.by) : 1);
  if (!bound || from === undefined || to === undefined || !each) return undefined;
  const by = step.sign * each;
  const span = (to - from) / by;
  if (bound.op === '!=') return Number.isInteger(span) ? Math.max(0, span) : undefined;
  if (bound.op.startsWith('<') !== by > 0) return undefined;
  return Math.max(0, bound.op.endsWith('=') ? Math.floor(span) + 1 : Math.ceil(span));
}
