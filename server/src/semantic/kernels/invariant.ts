// Loads that a loop does not change, and that the compiler therefore makes once, in front of it.
import type { Expr, Stmt } from '../../syntax/ast';
import { assignedNames, takesByValue, walk } from '../language/statements';
import type { AccessRecord } from '../run/values';

/** How many of the loops around a load, from the innermost, neither move its address nor write to any memory. */
export function invariantLoops({ mode, expr, fn, loops, space }: AccessRecord): number {
  if (mode !== 'load' || !expr || space === 'shared') return 0;
  const names = namesIn(expr);
  let count = 0;
  for (const loop of loops) {
    if (loop.fn !== fn || writesMemory(loop.stmt)) break;
    const assigned = assignedNames(loop.stmt);
    if ([...names].some((name) => assigned.has(name)) || declares(loop.stmt, names)) break;
    count++;
  }
  return count;
}

function namesIn(expr: Expr): ReadonlySet<string> {
  const names = new Set<string>();
  walk(expr, (node) => {
    if (node.kind === 'name') names.add(node.name);
  });
  return names;
}

const writing = new WeakMap<Stmt, boolean>();

/** Stores, barriers, and calls of functions that may do either. */
function writesMemory(stmt: Stmt): boolean {
  const known = writing.get(stmt);
  if (known !== undefined) return known;
  let writes = false;
  walk(stmt, (node) => {
    if (node.kind === 'assign') writes ||= node.target.kind !== 'name';
    else if (node.kind === 'update') writes ||= node.operand.kind !== 'name';
    else if (node.kind === 'call') writes ||= node.callee.kind !== 'name' || !takesByValue(node.callee.name);
    else if (node.kind === 'asm') writes = true;
    return !writes;
  });
  writing.set(stmt, writes);
  return writes;
}

/** A variable of the loop's own is another in each iteration. */
function declares(stmt: Stmt, names: ReadonlySet<string>): boolean {
  let found = false;
  walk(stmt, (node) => {
    if (node.kind === 'decl') found ||= node.vars.some(({ name }) => names.has(name));
    return !found;
  });
  return found;
}
