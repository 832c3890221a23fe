// Names at compile time: which variable of which frame a name stands for, and the template arguments that hold.

import type { Expr, FunctionDecl, LambdaExpr, Stmt, VarDecl } from '../../syntax/ast';
import {
  lastPart,
  type Program,
  scopeAround,
  assignedNames,
  elementNames,
  type AnySyntax,
  type Bindings,
  type Type,
  type TypeTable,
} from '../language';
import type { Act, Code, Compiler, LambdaCode, PlaceCode } from './values';
import type { SlotRef } from './snapshots';

/** What compiles the pieces of a function: a scope hands it on, so that the pieces need not know each other. */
export interface ScopedCompiler extends Compiler {
  expr(scope: Scope, expr: Expr, wanted?: Type): Code;
  place(scope: Scope, expr: Expr): PlaceCode;
  statement(scope: Scope, stmt: Stmt): Act;
}

export interface Scope {
  readonly compiler: ScopedCompiler;
  readonly program: Program;
  readonly types: TypeTable;
  readonly fn: FunctionDecl;
  /** Class or namespace that the function is in. */
  readonly within: string | undefined;
  readonly asked: Set<string>;
  /** The lambdas of the function. */
  readonly lambdas: Map<LambdaExpr, LambdaCode>;
  /** Of a lambda's scope, what was found in those around it. */
  readonly captured: Map<string, SlotRef>;
  /** Template arguments, and constants of the function itself that array sizes and template arguments may name. */
  bindings(): Bindings;
  /** Makes a slot for a name in the innermost block. */
  declare(name: string): number;
  /** A constant of the function: `const int N = 4;`. */
  declareConstant(name: string, value: number): void;
  /** A type of the innermost block: `using T = float;`. */
  declareType(name: string, type: Type): void;
  open(): void;
  close(): void;
  lookup(name: string): SlotRef | undefined;
  slotCount(): number;
  /** Functions of a name; the question is remembered, since the answer may change with the text. */
  functions(name: string): readonly FunctionDecl[];
  /** Variables that running these pieces may change. */
  assignedBy(...nodes: readonly (AnySyntax | undefined)[]): SlotRef[];
  /** Of those, arrays and pointers of which it changes nothing but elements. */
  elementsBy(node: AnySyntax | undefined): SlotRef[];
  /** A scope for a lambda's own frame; `fn` is the lambda as a function. */
  inner(fn: FunctionDecl): Scope;
  expr(expr: Expr, wanted?: Type): Code;
  place(expr: Expr): PlaceCode;
  statement(stmt: Stmt): Act;
}

export function createScope(compiler: ScopedCompiler, fn: FunctionDecl, bindings: Bindings, parent?: Scope): Scope {
  const { program, types } = compiler;
  const blocks: Map<string, number>[] = [new Map()];
  const constants = new Map<string, number>();
  const named = new Map<string, Type>();
  /** Of each block, what the names of its types stood for outside. */
  const hidden: [string, Type | undefined][][] = [[]];
  const asked = parent?.asked ?? new Set<string>();
  const captured = new Map<string, SlotRef>();
  let slots = 0;
  let layered: Bindings | undefined;
  const refsOf = (names: Iterable<string>): SlotRef[] => {
    const refs: SlotRef[] = [];
    for (const name of names) {
      const ref = scope.lookup(name);
      if (ref) refs.push(ref);
    }
    return refs;
  };
  const scope: Scope = {
    compiler,
    program,
    types,
    fn,
    within: scopeAround(fn),
    asked,
    lambdas: parent?.lambdas ?? new Map(),
    captured,
    bindings: () => layered ?? bindings,
    declare(name) {
      const slot = slots++;
      blocks.at(-1)!.set(name, slot);
      if (constants.delete(name)) layered = layeredOver(bindings, constants, named);
      return slot;
    },
    declareConstant(name, value) {
      constants.set(name, value);
      layered = layeredOver(bindings, constants, named);
    },
    declareType(name, type) {
      hidden.at(-1)!.push([name, named.get(name)]);
      named.set(name, type);
      layered = layeredOver(bindings, constants, named);
    },
    open() {
      blocks.push(new Map());
      hidden.push([]);
    },
    close() {
      blocks.pop();
      const ended = hidden.pop()!.reverse();
      for (const [name, type] of ended) {
        if (type) named.set(name, type);
        else named.delete(name);
      }
      if (ended.length) layered = layeredOver(bindings, constants, named);
    },
    lookup(name) {
      for (let at = blocks.length - 1; at >= 0; at--) {
        const slot = blocks[at]!.get(name);
        if (slot !== undefined) return { hops: 0, slot };
      }
      const outer = parent?.lookup(name);
      if (!outer) return undefined;
      captured.set(name, outer);
      return { hops: outer.hops + 1, slot: outer.slot };
    },
    slotCount: () => slots,
    functions(name) {
      asked.add(lastPart(name));
      return program.functions(name);
    },
    assignedBy(...nodes) {
      const names = new Set<string>();
      for (const node of nodes) if (node) for (const name of assignedNames(node)) names.add(name);
      return refsOf(names);
    },
    elementsBy: (node) => (node ? refsOf(elementNames(node)) : []),
    inner: (lambda) => createScope(compiler, lambda, scope.bindings(), scope),
    expr: (expr, wanted) => compiler.expr(scope, expr, wanted),
    place: (expr) => compiler.place(scope, expr),
    statement: (stmt) => compiler.statement(scope, stmt),
  };
  return scope;
}

function layeredOver(
  parent: Bindings,
  constants: ReadonlyMap<string, number>,
  types: ReadonlyMap<string, Type>,
): Bindings {
  return { types: new Map(types), values: new Map(constants), parent };
}

/** The value of `const int N = 4;` or a constexpr of integers, for array sizes and template arguments. */
export function localConstant(scope: Scope, variable: VarDecl, type: Type): number | undefined {
  if (!variable.constant || type.kind !== 'scalar' || type.float || !variable.init) return undefined;
  const { init } = variable;
  const expr = init.kind === 'initList' && init.elements.length === 1 ? init.elements[0]! : init;
  const value = scope.types.constant(expr, scope.bindings(), scope.within);
  return value === undefined || !Number.isFinite(value) ? undefined : Math.trunc(value);
}

const typeKeys = new WeakMap<object, string>();
const declNumbers = new WeakMap<object, number>();
let declCount = 0;

/** The same for types that are the same; cheap after the first time. */
function typeKey(type: Type): string {
  switch (type.kind) {
    case 'scalar':
      return type.name;
    case 'unknown':
      return `?${type.name}`;
    case 'pointer':
      return `${typeKey(type.to)}*${type.restrict ? 'r' : ''}`;
    case 'reference':
      return `${typeKey(type.to)}&`;
    case 'array':
      return `${typeKey(type.of)}[${type.length ?? ''}]`;
    case 'struct': {
      const known = typeKeys.get(type);
      if (known) return known;
      let number = type.decl ? declNumbers.get(type.decl) : 0;
      if (number === undefined) {
        number = ++declCount;
        declNumbers.set(type.decl!, number);
      }
      typeKeys.set(type, `${type.name}#${number}`);
      const key = `${type.name}#${number}<${type.bindings ? bindingsKey(type.bindings) : ''}>`;
      typeKeys.set(type, key);
      return key;
    }
  }
}
/** A number for each list of bindings: nested templates that repeat arguments double in length when written out. */
const bindingNumbers = new Map<string, number>();
const mostBindingNumbers = 50_000;
let bindingCount = 0;
function shortKey(key: string): string {
  let number = bindingNumbers.get(key);
  if (number === undefined) {
    // Numbers are not given twice: the same bindings get another one, and are compiled once more.
    if (bindingNumbers.size >= mostBindingNumbers) bindingNumbers.clear();
    number = ++bindingCount;
    bindingNumbers.set(key, number);
  }
  return String(number);
}

const keysOfBindings = new WeakMap<Bindings, string>();
export function bindingsKey(bindings: Bindings): string {
  const known = keysOfBindings.get(bindings);
  if (known !== undefined) return known;
  const parts: string[] = [];
  for (const [name, type] of bindings.types) parts.push(`${name}=${typeKey(type)}`);
  for (const [name, value] of bindings.values) parts.push(`${name}:${value}`);
  const key = shortKey(`${parts.sort().join(',')}${bindings.parent ? `|${bindingsKey(bindings.parent)}` : ''}`);
  keysOfBindings.set(bindings, key);
  return key;
}

/** Assignments to variables of plain arithmetic, no more than a few. */
export function selectsOnly(stmt: Stmt): boolean {
  if (stmt.kind === 'block') return stmt.body.length <= 3 && stmt.body.every(selectsOnly);
  if (stmt.kind === 'empty') return true;
  if (stmt.kind !== 'expr' || stmt.expr.kind !== 'assign' || stmt.expr.target.kind !== 'name') return false;
  return computesOnly(stmt.expr.value);
}
/** Names, numbers and arithmetic: evaluating it again does nothing. */
export function computesOnly(expr: AnySyntax): boolean {
  switch (expr.kind) {
    case 'name':
    case 'number':
      return true;
    case 'binary':
      return computesOnly(expr.left) && computesOnly(expr.right);
    case 'unary':
      return expr.op !== '*' && expr.op !== '&' && computesOnly(expr.operand);
    case 'cast':
      return computesOnly(expr.operand);
    case 'member':
      return !expr.arrow && computesOnly(expr.object);
    default:
      return false;
  }
}
/** An arm that does nothing but leave, or nothing at all, tells nothing when walked. */
export function isTrivial(stmt: Stmt): boolean {
  switch (stmt.kind) {
    case 'return':
      return !stmt.value || computesOnly(stmt.value);
    case 'break':
    case 'continue':
    case 'empty':
    case 'goto':
      return true;
    case 'block':
      return stmt.body.every(isTrivial);
    default:
      return false;
  }
}
