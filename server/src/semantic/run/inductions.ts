// Which variables of a loop advance by the same step on every iteration, and which carry nothing from one iteration to
// the next.
import type { Expr, FunctionDecl, Stmt } from '../../syntax/ast';
import { append, childrenOf, isElement, mentions, rootName, some, walk, type AnySyntax, countStep } from '../language';

/** `i++`, `i += step`, `p -= step`: `by` is absent for steps of one. */
interface Induction {
  readonly name: string;
  readonly sign: 1 | -1;
  readonly by: Expr | undefined;
}
interface Carried {
  readonly inductions: readonly Induction[];
  /** Variables that one iteration hands to the next in another way. */
  readonly others: readonly string[];
  /** Arrays, or what points to them, of which elements are written. */
  readonly elements: readonly string[];
}

/** What iterations pass on, as the text tells: not what only collects, or is assigned before it is read. */
export function carriedBy(
  body: Stmt,
  step: Expr | undefined,
  functionsOf: (name: string) => readonly FunctionDecl[],
): Carried {
  const assignments = new Map<string, AnySyntax[]>();
  const elements = new Set<string>();
  const add = (expr: Expr, node: AnySyntax): void => {
    const name = rootName(expr);
    if (name === undefined) return;
    if (isElement(expr)) {
      elements.add(name);
      return;
    }
    append(assignments, name, node);
  };
  const declared = new Set<string>();
  const collect = (node: AnySyntax): void => {
    if (node.kind === 'assign') add(node.target, node);
    else if (node.kind === 'update' || (node.kind === 'unary' && node.op === '&')) add(node.operand, node);
    else if (node.kind === 'asm') for (const output of node.outputs) add(output, node);
    else if (node.kind === 'var') declared.add(node.name);
    else if (node.kind === 'call') {
      if (node.callee.kind === 'member') add(node.callee.object, node);
      node.args.forEach((arg, at) => {
        if ((arg.kind === 'name' || arg.kind === 'member') && takesReference(node.callee, at, functionsOf))
          add(arg, node);
      });
    }
  };
  walk(body, collect);
  if (step) walk(step, collect);
  const inductions: Induction[] = [];
  const others: string[] = [];
  const top = statementsOf(body);
  const skips = contains(body, 'continue');
  for (const [name, nodes] of assignments) {
    if (declared.has(name)) continue;
    const induction = nodes.length === 1 ? inductionOf(name, nodes[0]!, assignments, declared) : undefined;
    const isUnconditional =
      isIn(step, nodes[0]!) || (!skips && top.some((stmt) => stmt.kind === 'expr' && stmt.expr === nodes[0]));
    if (induction && isUnconditional) inductions.push(induction);
    else if (!onlyCollects(name, body, nodes) && !isAssignedFirst(name, top)) others.push(name);
  }
  return { inductions, others, elements: [...elements].filter((name) => !declared.has(name)) };
}

/** Something that a variable points to or holds as an array, and not the variable. */

function takesReference(callee: Expr, at: number, functionsOf: (name: string) => readonly FunctionDecl[]): boolean {
  if (callee.kind !== 'name') return callee.kind !== 'member';
  return functionsOf(callee.name).some((fn) => fn.params[at]?.type.kind === 'reference');
}

function inductionOf(
  name: string,
  node: AnySyntax,
  assignments: ReadonlyMap<string, unknown>,
  declared: ReadonlySet<string>,
): Induction | undefined {
  if (node.kind !== 'update' && node.kind !== 'assign') return undefined;
  const step = countStep(node, (expr) => expr.kind === 'name' && expr.name === name);
  // A variable of the body is another one in each iteration.
  const isSteady = (by: Expr): boolean =>
    isFixed(by, assignments) && ![...declared].some((inside) => mentions(by, inside));
  return step && (!step.by || isSteady(step.by)) ? { name, ...step } : undefined;
}

/** Arithmetic over names that the loop leaves alone. */
function isFixed(expr: Expr, assignments: ReadonlyMap<string, unknown>): boolean {
  switch (expr.kind) {
    case 'name':
      return !assignments.has(expr.name);
    case 'number':
    case 'sizeof':
      return true;
    case 'binary':
      return isFixed(expr.left, assignments) && isFixed(expr.right, assignments);
    case 'unary':
      return expr.op !== '*' && expr.op !== '&' && isFixed(expr.operand, assignments);
    case 'cast':
      return isFixed(expr.operand, assignments);
    case 'member':
      return isFixed(expr.object, assignments);
    default:
      return false;
  }
}

function statementsOf(body: Stmt): readonly Stmt[] {
  return body.kind === 'block' ? body.body : [body];
}

function contains(node: Stmt, kind: AnySyntax['kind']): boolean {
  return some(node, (inner) => inner.kind === kind);
}
function isIn(step: Expr | undefined, node: AnySyntax): boolean {
  if (!step) return false;
  if (step === node) return true;
  return step.kind === 'binary' && step.op === ',' && (isIn(step.left, node) || isIn(step.right, node));
}

/** Does the name stand nowhere but in its own assignments? */
function onlyCollects(name: string, body: Stmt, nodes: readonly AnySyntax[]): boolean {
  if (nodes.some((node) => node.kind !== 'assign' && node.kind !== 'update')) return false;
  const inLoop = new Set<AnySyntax>(nodes);
  let elsewhere = false;
  const visit = (node: AnySyntax): void => {
    if (elsewhere) return;
    if (inLoop.has(node)) {
      if (node.kind !== 'assign') return;
      if (node.target.kind !== 'name') elsewhere = true;
      // `x = x + …` reads itself alone; what it collects may be anything.
      const reads =
        node.op === '=' &&
        node.value.kind === 'binary' &&
        node.value.left.kind === 'name' &&
        node.value.left.name === name;
      if (reads) visit((node.value as Expr & { kind: 'binary' }).right);
      else visit(node.value);
      return;
    }
    if (node.kind === 'name' && node.name === name) elsewhere = true;
    for (const child of childrenOf(node)) visit(child);
  };
  visit(body);
  return !elsewhere;
}

/** Is the first statement that mentions the name one that assigns it? */
function isAssignedFirst(name: string, statements: readonly Stmt[]): boolean {
  for (const stmt of statements) {
    if (stmt.kind === 'expr' && stmt.expr.kind === 'assign' && isSelfValue(stmt.expr, name)) return true;
    if (
      stmt.kind === 'for' &&
      stmt.init?.kind === 'expr' &&
      stmt.init.expr.kind === 'assign' &&
      isSelfValue(stmt.init.expr, name)
    )
      return true;
    const found = some(stmt, (node) => node.kind === 'name' && node.name === name);
    if (found) return false;
  }
  return false;
}
function isSelfValue(expr: Expr & { kind: 'assign' }, name: string): boolean {
  return expr.op === '=' && expr.target.kind === 'name' && expr.target.name === name && !mentions(expr.value, name);
}
