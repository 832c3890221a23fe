// What a name means where it stands: a variable, a field of the object, a global, a template argument, a constant, a
// function.
import { convert } from './conversions';
import type { Expr, Node } from '../../syntax/ast';
import {
  globalsMeant,
  lastPart,
  boundValue,
  dim3Type,
  doubleType,
  intType,
  noBindings,
  once,
  type StructType,
  type Type,
  isThreadName,
} from '../language';
import { compileFill } from './fill';
import { cellPlace, fieldPlace, load } from './memory';
import { createScope, type Scope } from './scope';
import { functionNamed } from './callSite';
import { cellAt } from './snapshots';
import { baseNamed, builtinNamed, unseen } from './state';
import {
  memoryStart,
  blank,
  plain,
  Taint,
  type Cell,
  type Code,
  type Frame,
  type Path,
  type Place,
  type Value,
} from './values';

/** Globals whose value depends on globals beyond this are unknown. */
const deepestInit = 24;

type MaybePlace = (path: Path, frame: Frame) => Place | undefined;
type NameExpr = Expr & { readonly kind: 'name' };

/** The place of a name; undefined where it is none: a constant, a template argument, a function. */
export function compileNamePlace(scope: Scope, expr: NameExpr): MaybePlace {
  const { name } = expr;
  const ref = scope.lookup(name);
  if (ref) {
    return (_, frame) => {
      const cell = cellAt(frame, ref);
      return cell ? cellPlace(cell) : { kind: 'value', value: undeclared(name), type: intType };
    };
  }
  const fixed = compileFixedPlace(scope, expr);
  return (path, frame) => {
    const { self } = frame;
    if (self) {
      if (name === 'this') {
        const type: Type = { kind: 'pointer', to: self.type };
        return { kind: 'value', value: { ...blank, type, lanes: 0, taint: 0, target: self }, type };
      }
      if (self.type.kind === 'struct' && self.type.fields.has(name)) return fieldPlace(frame.run, self, name);
    }
    return fixed(path, frame);
  };
}

/** A variable whose declaration the run did not come through. */
function undeclared(name: string): Value {
  return { ...blank, type: intType, lanes: 0, taint: Taint.maybe, key: name };
}

const nowhere: MaybePlace = () => undefined;

/** A global's place. */
function compileFixedPlace(scope: Scope, expr: NameExpr): MaybePlace {
  const { name } = expr;
  // A member of a template is not a global of that name.
  if (expr.scopeArgs || boundValue(scope.bindings(), name) !== undefined) return nowhere;
  const candidates = globalsMeant(scope.program.globals(name), name, scope.within);
  const isNamed = (candidate: (typeof candidates)[number]): boolean =>
    candidate.qualifiedName === name || candidate.name === lastPart(name);
  const decl = candidates.find(isNamed) ?? candidates[0];
  if (!decl) return nowhere;
  const type = scope.types.resolve(decl.type, scope.bindings(), scope.within);
  const uri = scope.program.uriOf(decl) ?? scope.fn.uri;
  const node: Node = decl;
  const space =
    decl.space === 'shared' || decl.space === 'constant'
      ? decl.space
      : decl.space !== 'none'
        ? 'global'
        : decl.constant
          ? 'constant'
          : 'unknown';
  const inMemory: MaybePlace = (_, { run }) => {
    const base = baseNamed(run, `::${decl.qualifiedName}`, space, {
      type,
      declaration: { uri, node },
      name: decl.name,
    });
    // A scalar in device memory read by all threads: one place, whatever the type.
    return memoryStart(base, type);
  };
  if (decl.space !== 'none') return inMemory;
  const constant =
    decl.constant || decl.constexpr
      ? scope.types.constant({ kind: 'name', name, start: 0, end: 0 }, undefined, scope.within)
      : undefined;
  // Several namespaces have one, each another, and nothing here tells which is in use.
  const isAmbiguous = candidates.some(({ qualifiedName }) => qualifiedName !== decl.qualifiedName);
  const known: Place | undefined =
    constant === undefined ? undefined : { kind: 'value', value: plain(type, constant, 0), type };
  let init: Code | undefined;
  const list = type.kind === 'array' && decl.constant && decl.init?.kind === 'initList' ? decl.init : undefined;
  return (path, frame) => {
    const { run } = frame;
    if (type.kind === 'array' && !run.setup.host) return inMemory(path, frame);
    if (type.kind === 'array' && list && !isAmbiguous) {
      const declaration = { uri, node };
      const base = baseNamed(run, `::${decl.qualifiedName}`, 'local', { type, declaration, name: decl.name });
      if (base.elements!.size === 0)
        compileFill(createScope(scope.compiler, scope.fn, noBindings), type, 0, list)?.(base, path, frame);
      return memoryStart(base, type);
    }
    if (known) return known;
    let cell = run.globals.get(decl.qualifiedName);
    if (!cell) {
      cell = { name: decl.name, type, node, global: true };
      run.globals.set(decl.qualifiedName, cell);
      const key = `::${decl.qualifiedName}`;
      if (type.kind === 'array') cell.value = unseen(run, type, key, Taint.chosen);
      else if (decl.init && !isAmbiguous && frame.depth < deepestInit && (run.setup.host || decl.constant)) {
        init ??= createScope(scope.compiler, scope.fn, noBindings).expr(decl.init);
        const outside: Frame = { run, fn: frame.fn, slots: [], depth: frame.depth + 1, conditionsBefore: 0 };
        // What the text of another place would read is not an access of this kernel.
        cell.value = convert(run, init({ ...path, mask: run.full, quiet: true }, outside), type);
      } else cell.value = unseen(run, type, key, Taint.chosen, undefined, decl.name);
    }
    return cellPlace(cell);
  };
}

/** The value of a name. */
export function compileName(scope: Scope, expr: NameExpr): Code {
  const { name } = expr;
  const ref = scope.lookup(name);
  if (ref) {
    const { slot } = ref;
    const read = (cell: Cell | undefined, path: Path, frame: Frame): Value => {
      if (!cell) return undeclared(name);
      if (!cell.ref && cell.value && cell.type.kind !== 'array' && !cell.global) return cell.value;
      return load(frame.run, cellPlace(cell), path, frame, expr);
    };
    if (ref.hops === 0) return (path, frame) => read(frame.slots[slot], path, frame);
    return (path, frame) => read(cellAt(frame, ref), path, frame);
  }
  const place = compileNamePlace(scope, expr);
  const meant = compileMeaning(scope, expr);
  const held = scope.fn.className !== undefined && !name.includes('::') ? constantsOfObjects(scope, name) : undefined;
  return (path, frame) => {
    const constant = held?.(frame);
    if (constant) return constant;
    const at = place(path, frame);
    return at ? load(frame.run, at, path, frame, expr) : meant(path, frame);
  };
}

/** A constant of the class of the object that a method runs on, which hides what else has its name. */
function constantsOfObjects({ types }: Scope, name: string): (frame: Frame) => Value | undefined {
  const constantIn = once((type: StructType) => types.staticOf(type, name));
  return ({ self }) => {
    const constant = self?.type.kind === 'struct' ? constantIn(self.type) : undefined;
    return constant === undefined ? undefined : numberValue(constant);
  };
}

function numberValue(constant: number): Value {
  return plain(Number.isInteger(constant) ? intType : doubleType, constant, 0);
}

const builtins = ['threadIdx', 'blockIdx', 'blockDim', 'gridDim'];

/** What a name without a place stands for. */
function compileMeaning(scope: Scope, expr: NameExpr): Code {
  const { name } = expr;
  const bound = boundValue(scope.bindings(), name);
  if (bound !== undefined) {
    const value: Value = plain(intType, bound, 0);
    return () => value;
  }
  const constant = scope.types.constant(expr, scope.bindings(), scope.within);
  // Host code has no such variables: there a class may use these names for constants.
  if (isThreadName(name))
    return (_, { run }) => {
      if (!run.setup.host) return builtinNamed(run, name)!;
      if (constant !== undefined) return plain(intType, constant, 0);
      return unseen(run, name === 'warpSize' ? intType : dim3Type, name, Taint.chosen);
    };
  if (constant !== undefined) {
    const value = numberValue(constant);
    return () => value;
  }
  if (scope.functions(name).length) {
    const type: Type = { kind: 'unknown', name: 'function' };
    const named = functionNamed(scope, expr);
    return (path, frame) => ({ ...blank, type, lanes: 0, taint: 0, function: named(path, frame) });
  }
  const type = name === 'blockDim' ? dim3Type : intType;
  const axis = /^(?:hip)?_?(threadIdx|blockIdx|blockDim|gridDim)_([xyz])$/i.exec(name);
  const builtin = axis && builtins.find((each) => each.toLowerCase() === axis[1]!.toLowerCase());
  // `hipThreadIdx_x`, and an unknown macro of that name.
  if (builtin)
    return (_, { run }) =>
      (run.setup.host ? undefined : builtinNamed(run, builtin)?.fields?.get(axis[2]!.toLowerCase())) ??
      unseen(run, type, name, Taint.chosen);
  return (_, { run }) => unseen(run, type, name, Taint.chosen);
}
