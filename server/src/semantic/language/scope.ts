// The variables of one function by scope: which declaration a name means, who writes it, and what stands around a node.
import type {
  AssignExpr,
  CallExpr,
  Expr,
  LambdaExpr,
  NameExpr,
  ParamDecl,
  Stmt,
  UpdateExpr,
  VarDecl,
} from '../../syntax/ast';
import { step, stepsOf } from '../steps';
import { oncePerBody } from './append';
import { childrenOf, isConditionLoop, type AnySyntax } from './statements';

interface Write {
  readonly node: AssignExpr | UpdateExpr;
  readonly op: string;
  readonly value?: Expr;
}
export interface Local {
  readonly name: string;
  readonly variable?: VarDecl;
  readonly parameter?: ParamDecl;
  /** The parameter is a field of the object that a method of the device is called on. */
  readonly field?: true;
  /** The statement whose scope the variable lives in; undefined for a parameter. */
  readonly scope?: AnySyntax;
  readonly writes: Write[];
  readonly uses: NameExpr[];
  /** Its address is taken, or it is captured by reference, so that unknown writes are possible. */
  addressTaken: boolean;
}
export interface Locals {
  /** What a name means; undefined for every other expression. */
  of(expr: Expr): Local | undefined;
  parent(node: AnySyntax): AnySyntax | undefined;
  /** Position of a node in the order of the text, outermost first. */
  order(node: AnySyntax): number;
  readonly all: readonly Local[];
  /** Statements and expressions of the function, outermost first. */
  readonly nodes: readonly AnySyntax[];
}

/** The names of a function, bound. */
export const localsOf = oncePerBody((fn): Locals => {
  const bound = new Map<Expr, Local>();
  const parents = new Map<AnySyntax, AnySyntax>();
  const orders = new Map<AnySyntax, number>();
  const all: Local[] = [];
  const nodes: AnySyntax[] = [];
  const scopes: Map<string, Local>[] = [new Map()];

  const declare = (name: string, rest: Pick<Local, 'variable' | 'parameter' | 'field' | 'scope'>): void => {
    if (!name) return;
    const local: Local = { name, ...rest, writes: [], uses: [], addressTaken: false };
    scopes[scopes.length - 1]!.set(name, local);
    all.push(local);
  };
  const find = (name: string): Local | undefined => {
    for (let at = scopes.length - 1; at >= 0; at--) {
      const local = scopes[at]!.get(name);
      if (local) return local;
    }
    return undefined;
  };
  const owner = (expr: Expr): Local | undefined => {
    return expr.kind === 'member' && !expr.arrow ? owner(expr.object) : bound.get(expr);
  };
  const visit = (node: AnySyntax, parent: AnySyntax | undefined, scope: AnySyntax | undefined): void => {
    if (parent) parents.set(node, parent);
    orders.set(node, nodes.length);
    nodes.push(node);
    const opens =
      node.kind === 'block' ||
      node.kind === 'for' ||
      node.kind === 'rangeFor' ||
      node.kind === 'if' ||
      node.kind === 'while' ||
      node.kind === 'lambda' ||
      node.kind === 'case';
    if (opens) scopes.push(new Map());
    const inner = opens ? node : scope;
    if (node.kind === 'lambda')
      (node as LambdaExpr).params.forEach((param) => declare(param.name, { parameter: param }));
    if (node.kind === 'name') {
      const local = find(node.name);
      if (local) {
        bound.set(node, local);
        local.uses.push(node);
      }
    }
    if (node.kind === 'var') {
      // The initialiser does not see the variable, sizes of arrays neither.
      childrenOf(node).forEach((child) => visit(child, node, inner));
      declare(node.name, { variable: node, ...(scope ? { scope } : {}) });
    } else childrenOf(node).forEach((child) => visit(child, node, inner));
    if (node.kind === 'assign') {
      const local = owner(node.target);
      local?.writes.push({ node, op: node.op, value: node.value });
    } else if (node.kind === 'call' && fn.members && callsMethod(node, fn.members.methods)) {
      for (const local of all) if (local.field) local.addressTaken = true;
    } else if (node.kind === 'update') owner(node.operand)?.writes.push({ node, op: node.op });
    else if (node.kind === 'unary' && node.op === '&') {
      const local = owner(node.operand);
      if (local) local.addressTaken = true;
    }
    if (opens) scopes.pop();
  };
  for (const field of fn.members?.fields ?? []) declare(field.name, { parameter: field, field: true });
  if (fn.members) scopes.push(new Map());
  fn.params.forEach((param) => declare(param.name, { parameter: param }));
  if (fn.body) visit(fn.body, undefined, undefined);
  return {
    of: (name) => bound.get(name),
    parent(node) {
      step();
      return parents.get(node);
    },
    order: (node) => orders.get(node) ?? -1,
    all,
    get nodes() {
      return stepsOf(nodes);
    },
  };
});

/** May a call change fields of the object by another of its methods? */
function callsMethod({ callee }: CallExpr, methods: ReadonlySet<string>): boolean {
  return callee.kind === 'name' && methods.has(callee.name);
}

/** The one expression that a variable always stands for; undefined where it is written more than once. */
export function definitionOf(local: Local, locals: Locals): Expr | undefined {
  const { variable } = local;
  if (!variable || local.addressTaken || variable.space !== 'none') return undefined;
  if (variable.init) {
    if (local.writes.length) return undefined;
    return variable.init.kind === 'initList' && variable.init.elements.length === 1 && variable.type.kind !== 'array'
      ? variable.init.elements[0]
      : variable.init;
  }
  const write = local.writes[0];
  if (
    local.writes.length !== 1 ||
    !write ||
    write.op !== '=' ||
    write.node.kind !== 'assign' ||
    write.node.target.kind !== 'name'
  )
    return undefined;
  const statement = locals.parent(write.node);
  return statement?.kind === 'expr' && locals.parent(statement) === local.scope ? write.value : undefined;
}

/** The statements around a node, innermost first, the node itself left out. */
export function* ancestorsOf(node: AnySyntax, locals: Locals): Iterable<AnySyntax> {
  for (let at = locals.parent(node); at; at = locals.parent(at)) yield at;
}

/** The loop or switch that a `break` here would end. */
export function endedBy(node: AnySyntax, locals: Locals): AnySyntax | undefined {
  for (const around of ancestorsOf(node, locals))
    if (isConditionLoop(around) || around.kind === 'rangeFor' || around.kind === 'switch') return around;
  return undefined;
}

/** The call that a node is, or is in an argument of, innermost. */
export function callAround(node: AnySyntax, locals: Locals): CallExpr | undefined {
  if (node.kind === 'call') return node;
  for (const around of ancestorsOf(node, locals)) if (around.kind === 'call') return around;
  return undefined;
}

/** The loop that comes here again: not where the block leaves it for good (`if (done) { …; return; }`). */
export function repeatedBy(node: AnySyntax, locals: Locals): AnySyntax | undefined {
  let leaves: 'break' | 'return' | undefined;
  for (const around of ancestorsOf(node, locals)) {
    if (around.kind === 'block') {
      const last = around.body.at(-1)?.kind;
      if (last === 'return' || (last === 'break' && !leaves)) leaves = last;
    }
    if (around.kind === 'switch' && leaves === 'break') leaves = undefined;
    if (!isConditionLoop(around) && around.kind !== 'rangeFor') continue;
    if (!leaves) return around;
    if (leaves === 'break') leaves = undefined;
  }
  return undefined;
}

/** A lambda that is called where it is written, so that its body runs there: `[&] { … }()`. */
export function isCalledInPlace(node: AnySyntax, locals: Locals): boolean {
  const parent = node.kind === 'lambda' ? locals.parent(node) : undefined;
  return parent?.kind === 'call' && parent.callee === node;
}

/** `throw` leaves; what it makes of its value is looked at as well. */
export function throws(node: AnySyntax): boolean {
  return node.kind === 'opaque' && 'throws' in node && node.throws === true;
}

export function isInside(node: AnySyntax, outer: AnySyntax, locals: Locals): boolean {
  for (let at: AnySyntax | undefined = node; at; at = locals.parent(at)) if (at === outer) return true;
  return false;
}

/** The same expression but for spaces and parentheses. */
/** Another name for something else: what is done to it is done to that. */
export function isReference(local: Local | undefined): boolean {
  return (local?.variable ?? local?.parameter)?.type.kind === 'reference';
}

/** `a`, `a.b`: a variable of the thread or a field of one, not a reference, whose address nothing takes. */
export function isOwnValue(expr: Expr, locals: Locals): boolean {
  if (expr.kind === 'member') return !expr.arrow && isOwnValue(expr.object, locals);
  const local = expr.kind === 'name' ? locals.of(expr) : undefined;
  const isOfThread = local && !local.field && (local.variable?.space ?? 'none') === 'none';
  return !!isOfThread && !isReference(local) && !local.addressTaken;
}

export function sameExpr(left: Expr, right: Expr): boolean {
  if (left.kind !== right.kind) return false;
  switch (left.kind) {
    case 'name':
      return left.name === (right as typeof left).name;
    case 'number':
      return left.value === (right as typeof left).value && left.type === (right as typeof left).type;
    case 'string':
      return left.text === (right as typeof left).text;
    case 'unary':
      return left.op === (right as typeof left).op && sameExpr(left.operand, (right as typeof left).operand);
    case 'binary': {
      const other = right as typeof left;
      return left.op === other.op && sameExpr(left.left, other.left) && sameExpr(left.right, other.right);
    }
    case 'index': {
      const other = right as typeof left;
      return sameExpr(left.base, other.base) && sameExpr(left.index, other.index);
    }
    case 'member': {
      const other = right as typeof left;
      return left.field === other.field && left.arrow === other.arrow && sameExpr(left.object, other.object);
    }
    case 'cast': {
      const other = right as typeof left;
      return JSON.stringify(left.type) === JSON.stringify(other.type) && sameExpr(left.operand, other.operand);
    }
    case 'call': {
      const other = right as typeof left;
      return (
        left.args.length === other.args.length &&
        sameExpr(left.callee, other.callee) &&
        left.args.every((arg, at) => sameExpr(arg, other.args[at]!))
      );
    }
    case 'conditional': {
      const other = right as typeof left;
      return sameExpr(left.cond, other.cond) && sameExpr(left.then, other.then) && sameExpr(left.else, other.else);
    }
    case 'sizeof':
      return false;
    default:
      return false;
  }
}

/** The statements of a body, whether or not it is a block. */
export function statementsOf(stmt: Stmt): readonly Stmt[] {
  return stmt.kind === 'block' ? stmt.body : stmt.kind === 'empty' ? [] : [stmt];
}

/** The last part of a called function's name; undefined for calls through other expressions. */
export function calleeName(expr: AnySyntax): string | undefined {
  if (expr.kind !== 'call') return undefined;
  if (expr.callee.kind === 'name') {
    const name = expr.callee.name;
    const at = name.lastIndexOf('::');
    return at < 0 ? name : name.slice(at + 2);
  }
  return undefined;
}
