// Loads that a loop does not change, and that the compiler therefore makes once, before it.
import type { CallExpr, Expr, FunctionDecl, Node, Stmt } from '../../syntax/ast';
import {
  type Program,
  calleeName,
  assignedNames,
  rootName,
  takesByValue,
  namesIn,
  some,
  walk,
  type AnySyntax,
  oncePerFunction,
} from '../language';
import type { AccessRecord } from '../run';

/** How many of the loops around a load, from the innermost, neither move its address nor write to any memory. */
export function invariantLoops({ mode, expr, fn, loops, space, via }: AccessRecord, program: Program): number {
  if (mode !== 'load' || !expr || space === 'shared') return 0;
  let names: ReadonlySet<string> | undefined = namesIn(expr);
  let within = fn;
  let count = 0;
  for (const loop of loops) {
    // A loop of the kernel around the call of a function: what was passed decides.
    if (loop.fn !== within) names = argumentsFor(names, within, via);
    within = loop.fn;
    if (!names || writesMemory(loop.stmt, { program })) break;
    const assigned = assignedIn(loop.stmt, program);
    if ([...names].some((name) => assigned.has(name)) || declares(loop.stmt, names)) break;
    count++;
  }
  return count;
}

/** The caller's variables behind parameters of `fn` that it leaves as they are; undefined if others are named. */
function argumentsFor(
  names: ReadonlySet<string>,
  fn: FunctionDecl,
  via: Node | undefined,
): ReadonlySet<string> | undefined {
  const call = via as AnySyntax | undefined;
  if (call?.kind !== 'call' || calleeName(call) !== fn.name || !fn.body) return undefined;
  const changed = assignedNames(fn.body);
  const given = new Set<string>();
  for (const name of names) {
    const argument = call.args[fn.params.findIndex((param) => param.name === name)];
    if (!argument || changed.has(name)) return undefined;
    for (const each of namesIn(argument)) given.add(each);
  }
  return given;
}

/** Stores, barriers, and calls of functions that may do either; what calls itself is taken to write. */
const writesMemory = oncePerFunction(
  (stmt: Stmt, { program }: { readonly program: Program }) =>
    some(stmt, (node) =>
      node.kind === 'assign'
        ? node.target.kind !== 'name'
        : node.kind === 'update'
          ? node.operand.kind !== 'name'
          : node.kind === 'call'
            ? !keepsArguments(node, program)
            : node.kind === 'asm',
    ),
  true,
);

/** Does the function that is called only read what it is handed? */
function keepsArguments(call: CallExpr, program: Program): boolean {
  if (call.callee.kind !== 'name') return false;
  if (takesByValue(call.callee.name)) return true;
  const functions = program.functions(call.callee.name).filter((fn) => fn.body);
  return functions.length > 0 && functions.every((fn) => !fn.className && readsOnly(fn, program));
}

function readsOnly({ params, body }: FunctionDecl, program: Program): boolean {
  if (writesMemory(body!, { program })) return false;
  const changed = assignedNames(body!);
  return !params.some((param) => param.type.kind === 'reference' && param.name && changed.has(param.name));
}

/** `assignedNames`, less what is only handed to functions that read it. */
function assignedIn(stmt: Stmt, program: Program): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (expr: Expr): void => {
    const name = rootName(expr);
    if (name) names.add(name);
  };
  walk(stmt, (node) => {
    if (node.kind === 'assign') add(node.target);
    else if (node.kind === 'update') add(node.operand);
    else if (node.kind === 'unary' && node.op === '&') add(node.operand);
    else if (node.kind === 'call' && !keepsArguments(node, program)) {
      for (const name of assignedNames(node)) names.add(name);
    } else if (node.kind === 'asm') node.outputs.forEach(add);
  });
  return names;
}

/** A variable of the loop's own is another in each iteration. */
function declares(stmt: Stmt, names: ReadonlySet<string>): boolean {
  return some(stmt, (node) => node.kind === 'decl' && node.vars.some(({ name }) => names.has(name)));
}
