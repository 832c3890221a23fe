// Expressions about types and objects: sizeof, initialiser lists, lambdas, new.
import type { AssignExpr, Expr, LambdaExpr } from '../../syntax/ast';
import {
  stripReference,
  lambdaFunction,
  lastPart,
  alignOf,
  boundType,
  longType,
  scalarNamed,
  sizeOf,
  voidType,
  type StructType,
  type Type,
} from '../language';
import { construct, fieldTypeAt, initialise } from './construct';
import { unknownSize } from './conversions';
import { fieldPlace, store } from './memory';
import { compileNamePlace } from './names';
import type { Scope } from './scope';
import { baseNamed } from './state';
import { blank, plain, Taint, type Code, type Frame, type LambdaCode, type Path, type Run } from './values';

export function compileSizeof(scope: Scope, expr: Expr & { kind: 'sizeof' }): Code {
  const fixed = expr.type ? scope.types.resolve(expr.type, scope.bindings(), scope.within) : undefined;
  const operand = !fixed && expr.operand ? compileType(scope, expr.operand) : undefined;
  return (path, frame) => {
    const type = fixed ?? operand?.(path, frame);
    if (type?.kind === 'unknown') return unknownSize(frame.run, type);
    const size = type ? (expr.alignof ? alignOf(type) : sizeOf(type)) : undefined;
    return plain(longType, size ?? 8, size === undefined ? Taint.assumed : 0);
  };
}

/** The type of an operand that is not evaluated. */
function compileType(scope: Scope, expr: Expr): (path: Path, frame: Frame) => Type | undefined {
  const elementOfType = (type: Type | undefined): Type | undefined =>
    type?.kind === 'array' ? type.of : type?.kind === 'pointer' ? type.to : undefined;
  switch (expr.kind) {
    case 'name': {
      const place = compileNamePlace(scope, expr);
      const named =
        boundType(scope.bindings(), expr.name) ??
        scope.types.resolve({ kind: 'named', name: expr.name }, scope.bindings(), scope.within);
      return (path, frame) => place(path, frame)?.type ?? named;
    }
    case 'index': {
      const base = compileType(scope, expr.base);
      return (path, frame) => elementOfType(base(path, frame));
    }
    case 'unary': {
      if (expr.op !== '*') return () => undefined;
      const base = compileType(scope, expr.operand);
      return (path, frame) => elementOfType(base(path, frame));
    }
    case 'member': {
      const object = compileType(scope, expr.object);
      return (path, frame) => {
        const type = object(path, frame);
        const held = type?.kind === 'pointer' ? type.to : type;
        return held?.kind === 'struct' ? held.fields.get(expr.field)?.type : undefined;
      };
    }
    case 'cast': {
      const type = scope.types.resolve(expr.type, scope.bindings(), scope.within);
      return () => type;
    }
    case 'number': {
      const type = scalarNamed(expr.type);
      return () => type;
    }
    default:
      return () => undefined;
  }
}

export function compileInitList(scope: Scope, expr: Expr & { kind: 'initList' }, wanted: Type | undefined): Code {
  const struct = wanted?.kind === 'struct' ? wanted : undefined;
  const elements = expr.elements.map((element, at) => scope.expr(element, fieldTypeAt(struct, at)));
  return (path, frame) => {
    const values = elements.map((element) => element(path, frame));
    if (wanted) return construct(frame.run, wanted, values, path, frame, expr);
    return values.length === 1 ? values[0]! : plain({ kind: 'unknown', name: 'list' }, 0, 0);
  };
}

/** `name(values)` before a constructor's body: a member's value, or the constructor of a base or of the same class. */
export function compileInitialiser(scope: Scope, expr: AssignExpr): Code {
  const list = expr.value.kind === 'initList' ? expr.value.elements : [expr.value];
  const elements = list.map((element) => scope.expr(element));
  const name = expr.target.kind === 'member' ? lastPart(expr.target.field) : '';
  return (path, frame) => {
    const { run, self } = frame;
    const values = elements.map((element) => element(path, frame));
    const type = self?.type.kind === 'struct' ? self.type : undefined;
    if (self && type?.fields.has(name)) {
      const place = fieldPlace(run, self, name);
      const isCopied = values.length === 1 && !(place.type.kind === 'struct' && values[0]!.type.kind === 'scalar');
      const value = isCopied ? values[0]! : construct(run, place.type, values, path, frame, expr);
      // An array member keeps its own memory.
      if (place.kind !== 'memory') store(run, place, value, path, frame, expr.target, true);
    } else if (self && type) {
      const other = type.decl?.name === name ? type : baseOf(run, type, name);
      if (other) initialise(run, { ...self, type: other }, other, values, path, frame, expr);
    }
    return plain(voidType, 0, 0);
  };
}

function baseOf(run: Run, { decl, bindings }: StructType, name: string): StructType | undefined {
  for (const base of decl?.bases ?? []) {
    const type = run.setup.types.resolve(base, bindings, decl!.qualifiedName);
    if (type.kind === 'struct' && type.decl?.name === name) return type;
  }
  return undefined;
}

export function compileLambda(scope: Scope, expr: LambdaExpr): Code {
  const fn = lambdaFunction(expr, scope.fn);
  const inner = scope.inner(fn);
  const numbers = (expr.templateParams ?? []).map((param) =>
    param.kind === 'value' ? { name: param.name, slot: inner.declare(param.name), node: expr } : undefined,
  );
  const params = expr.params.map((param) => ({
    name: param.name,
    type: stripReference(scope.types.resolve(param.type, scope.bindings(), scope.within)),
    slot: inner.declare(param.name),
    node: param,
  }));
  const body = inner.statement(expr.body);
  const code: LambdaCode = { fn, numbers, params, slots: inner.slotCount(), body, captured: inner.captured };
  scope.lambdas.set(expr, code);
  return (_, frame) => ({
    ...blank,
    type: { kind: 'unknown', name: 'lambda' },
    lanes: 0,
    taint: 0,
    lambda: { code, expr, frame },
  });
}

export function compileNew(scope: Scope, expr: Expr & { kind: 'new' }): Code {
  const args = [...(expr.args ?? []), ...(expr.size ? [expr.size] : [])].map((arg) => scope.expr(arg));
  const to = scope.types.resolve(expr.type, scope.bindings(), scope.within);
  return (path, frame) => {
    for (const arg of args) arg(path, frame);
    const base = baseNamed(frame.run, `new@${frame.fn.key}:${expr.start}`, 'unknown', { type: to });
    return { ...blank, type: { kind: 'pointer', to }, lanes: 0, taint: 0, base };
  };
}
