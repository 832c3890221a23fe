// Conditions that an unknown function decides: whether its value is the same in all threads is unknown.
import type { Expr, FunctionDecl, Stmt } from '../../syntax/ast';
import { calleeName, localsOf, walk, type Program } from '../language';

/** Values that lead to a condition are followed over so many variables. */
const furthest = 4;

/** What CUDA, cooperative groups and the C library bring, whose values are known to be of each thread or of all. */
const brought = /^(?:__\w+|atomic\w+|make_\w+|(?:thread|block|group|num|meta_group)_\w+|size)$/;
const mathematical =
  /^[fl]{0,2}(?:abs|min|max|floor|ceil|round|sqrt|rint|trunc|pow|exp|log|sin|cos|mod|isnan|isinf)[fl]?$/;

/** Is a function called that no known code defines, in `cond` or on the way to a variable in it? */
export function isDecidedOutOfSight(cond: Expr, fn: FunctionDecl, program: Program): boolean {
  const locals = localsOf(fn);
  const isHidden = (name: string | undefined): boolean =>
    name !== undefined &&
    !brought.test(name) &&
    !mathematical.test(name) &&
    !program.functions(name).some(({ body }) => body);
  const met = new Set<unknown>();
  const leads = (expr: Expr | Stmt, steps: number): boolean => {
    let found = false;
    walk(expr, (node) => {
      if (node.kind === 'call')
        found ||= isHidden(node.callee.kind === 'member' ? node.callee.field : calleeName(node));
      const local = node.kind === 'name' ? locals.of(node) : undefined;
      if (found || !local || steps >= furthest || met.has(local)) return !found;
      met.add(local);
      const values = [local.variable?.init, ...local.writes.map(({ value }) => value)];
      found = values.some((value) => value !== undefined && leads(value, steps + 1));
      return !found;
    });
    return found;
  };
  return leads(cond, 0);
}
