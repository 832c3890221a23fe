// Whether an expression depends on a thread's place, itself or through what the names in it were given.
import type { Expr, FunctionDecl, Stmt } from '../../syntax/ast';
import { walk } from './statements';
import { once } from './append';
import type { Program } from './program';

/** Nodes that are looked at to find on what an expression depends. */
const mostSteps = 500;

/** What is assigned to each name of a body, and what each name is initialised with. */
const valuesIn = once((body: Stmt): ReadonlyMap<string, readonly Expr[]> => {
  const values = new Map<string, Expr[]>();
  const add = (name: string, value: Expr | undefined): void => {
    const others = values.get(name);
    if (value && others) others.push(value);
    else if (value) values.set(name, [value]);
  };
  walk(body, (node) => {
    if (node.kind === 'decl') for (const { name, init } of node.vars) add(name, init);
    else if (node.kind === 'assign' && node.target.kind === 'name') add(node.target.name, node.value);
  });
  return values;
});

/** Whether an index depends on that axis of the thread, itself or through what the names in it were given. */
export function usesAxis(expr: Expr | undefined, fn: FunctionDecl, axis: string, program: Program): boolean {
  return usesBuiltin(expr, fn, (name, field) => name === 'threadIdx' && field === axis, program);
}

/** Whether an expression depends on a thread's place in its grid, itself or through what the names in it were given. */
export function dependsOnThread(expr: Expr, fn: FunctionDecl, program?: Program): boolean {
  return usesBuiltin(expr, fn, (name) => name === 'threadIdx' || name === 'blockIdx', program);
}

/** Whether an expression depends on the block, itself or through what the names in it were given. */
export function dependsOnBlock(expr: Expr, fn: FunctionDecl): boolean {
  return usesBuiltin(expr, fn, (name) => name === 'blockIdx', undefined);
}

function usesBuiltin(
  expr: Expr | undefined,
  fn: FunctionDecl,
  isMeant: (name: string, field: string) => boolean,
  program: Program | undefined,
): boolean {
  if (!expr || !fn.body) return false;
  const values = valuesIn(fn.body);
  const seen = new Set<string>();
  const pending: Expr[] = [expr];
  let found = false;
  // It is asked for each access, and a name may be given a value on every line.
  let steps = mostSteps;
  for (let next = pending.pop(); next && !found; next = pending.pop())
    walk(next, (node) => {
      if (--steps < 0) return false;
      if (node.kind === 'member' && node.object.kind === 'name' && /^(thread|block)(Idx|Dim)$/.test(node.object.name)) {
        found ||= isMeant(node.object.name, node.field);
        return false;
      }
      if (node.kind === 'name' && !seen.has(node.name)) {
        seen.add(node.name);
        if (steps > 0) pending.push(...(values.get(node.name) ?? []));
        if (steps > 0 && program && !values.has(node.name)) pending.push(...givenBy(node.name, program));
      }
      return !found;
    });
  return found;
}

/** What the functions of a name return. */
function givenBy(name: string, program: Program): Expr[] {
  const values: Expr[] = [];
  for (const { body, device } of program.functions(name))
    if (body && device)
      walk(body, (node) => {
        if (node.kind === 'return' && node.value) values.push(node.value);
      });
  return values;
}
