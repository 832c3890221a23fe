// Expressions as closures: each gives its value over the lanes of a path, or the place that it names.
import { compileInitialiser, compileInitList, compileLambda, compileNew, compileSizeof } from './objects';
import { convert } from './conversions';
import { formOf, open, requireEach } from './forms';
import type { Expr } from '../../syntax/ast';
import { withUsual } from './usual';
import { isUnsigned32, promote } from './arithmetic';
import {
  isOfVariable,
  boolType,
  intType,
  scalarNamed,
  voidType,
  type Type,
  sameExpr,
  some,
  isVolatile,
} from '../language';
import { callOperator, viaMethod } from './calling';
import { compileCall } from './calls';
import { fork, inShadow, type ForkPlan } from './control';
import { blend, laneAt, map1, map2, select } from './lanes';
import { compileLaunch } from './launchCalls';
import { addressOf, deref, elementOf, fieldPlace, load, store } from './memory';
import { compileName, compileNamePlace } from './names';
import { arithmetic, merge, sameValue, truthOf } from './operations';
import { computesOnly, type Scope } from './scope';
import { dataMask, loadedOf } from './snapshots';
import { isOfCall, baseNamed, resultingObject, unseen } from './state';
import { endSection, isHalf } from './stretchEnds';
import { scaled } from './unknowns';
import {
  blank,
  plain,
  Taint,
  uncertain,
  withMask,
  type Code,
  type Frame,
  type Path,
  type Place,
  type PlaceCode,
  type Run,
  type Value,
} from './values';

const one: Value = plain(intType, 1, 0);
const zeroOf = (type: Type): Value => plain(type, 0, 0);

/** Gives the value of `expr`; `wanted` is the type that it is read as, where that is known. */
export function compileExpr(scope: Scope, expr: Expr, wanted?: Type): Code {
  switch (expr.kind) {
    case 'number': {
      const type =
        scalarNamed(expr.type) ?? (expr.type === 'nullptr' ? { kind: 'pointer' as const, to: voidType } : intType);
      const value: Value = plain(type, expr.value, 0);
      return () => value;
    }
    case 'string':
      return (_, { run }) => ({
        ...blank,
        type: { kind: 'pointer', to: scalarNamed('char')! },
        lanes: 0,
        taint: 0,
        base: baseNamed(run, '"', 'unknown'),
      });
    case 'name':
      return compileName(scope, expr);
    case 'unary':
      return compileUnary(scope, expr);
    case 'update':
      return compileUpdate(scope, expr);
    case 'binary':
      return compileBinary(scope, expr);
    case 'assign':
      return compileAssign(scope, expr);
    case 'conditional':
      return compileConditional(scope, expr, wanted);
    case 'index':
    case 'member': {
      const place = compilePlace(scope, expr);
      return (path, frame) => load(frame.run, narrowed(place(path, frame), wanted), path, frame, expr);
    }
    case 'call': {
      const call = compileCall(scope, expr, wanted);
      return (path, frame) => {
        const value = call(path, frame);
        const { target } = value;
        return target && value.type.kind === 'reference' ? load(frame.run, target, path, frame, expr) : value;
      };
    }
    case 'launch':
      return compileLaunch(scope, expr);
    case 'cast':
      return compileCast(scope, expr);
    case 'sizeof':
      return compileSizeof(scope, expr);
    case 'initList':
      return compileInitList(scope, expr, wanted);
    case 'lambda':
      return compileLambda(scope, expr);
    case 'new':
      return compileNew(scope, expr);
    case 'delete': {
      const operand = compileExpr(scope, expr.operand);
      return (path, frame) => {
        operand(path, frame);
        return zeroOf(voidType);
      };
    }
    case 'opaque': {
      const parts = expr.parts.map((part) => compileExpr(scope, part));
      return (path, frame) => {
        let taint: number = Taint.chosen | Taint.maybe;
        for (const part of parts) taint |= part(path, frame).taint;
        return unseen(
          frame.run,
          intType,
          `opaque@${expr.start}`,
          taint,
          undefined,
          'an expression that cannot be analysed',
        );
      };
    }
  }
}

/** Gives the place that `expr` names; a value without a place gets a new one. */
export function compilePlace(scope: Scope, expr: Expr): PlaceCode {
  switch (expr.kind) {
    case 'name': {
      const place = compileNamePlace(scope, expr);
      const value = compileName(scope, expr);
      return (path, frame) => place(path, frame) ?? valuePlace(value(path, frame));
    }
    case 'index': {
      const index = compileExpr(scope, expr.index);
      const base = compileArrayPlace(scope, expr.base);
      return (path, frame) => {
        const at = index(path, frame);
        const array = base(path, frame);
        if (array.kind === 'value' && isObject(array.value))
          return viaMethod('operator[]', array, [at], path, frame, expr);
        return elementOf(frame.run, array, at);
      };
    }
    case 'unary': {
      if (expr.op !== '*') break;
      const pointer = compileExpr(scope, expr.operand);
      return (path, frame) => {
        const value = pointer(path, frame);
        if (isObject(value) && !value.target) return viaMethod('operator*', valuePlace(value), [], path, frame, expr);
        return deref(frame.run, value);
      };
    }
    case 'member': {
      if (!expr.arrow) {
        const object = compilePlace(scope, expr.object);
        return (path, frame) => fieldPlace(frame.run, object(path, frame), expr.field);
      }
      const pointer = compileExpr(scope, expr.object);
      return (path, frame) => {
        const value = pointer(path, frame);
        if (value.type.kind === 'struct') return viaMethod('operator->', valuePlace(value), [], path, frame, expr);
        return fieldPlace(frame.run, deref(frame.run, value), expr.field);
      };
    }
    case 'cast': {
      const type = scope.types.resolve(expr.type, scope.bindings(), scope.within);
      if (type.kind !== 'reference') break;
      const inner = compilePlace(scope, expr.operand);
      return (path, frame) => {
        const place = inner(path, frame);
        return place.kind === 'memory' ? { ...place, type: type.to } : place;
      };
    }
    case 'call': {
      const call = compileCall(scope, expr);
      return (path, frame) => {
        const value = call(path, frame);
        return value.target && value.type.kind === 'reference' ? value.target : valuePlace(value);
      };
    }
    case 'conditional': {
      const cond = compileExpr(scope, expr.cond);
      const then = compilePlace(scope, expr.then);
      const otherwise = compilePlace(scope, expr.else);
      return (path, frame) => {
        const value = cond(path, frame);
        const first = then(path, frame);
        const second = otherwise(path, frame);
        return laneAt(value.lanes, 0) ? first : second;
      };
    }
    case 'update':
    case 'assign': {
      const run = compileExpr(scope, expr);
      const place = compilePlace(scope, expr.kind === 'assign' ? expr.target : expr.operand);
      return (path, frame) => {
        run(path, frame);
        return place(path, frame);
      };
    }
    default:
      break;
  }
  const value = compileExpr(scope, expr);
  return (path, frame) => valuePlace(value(path, frame));
}

/** Does a class, known or not, give it operators? */
function isObject(value: Value): boolean {
  return value.type.kind === 'struct' || (value.type.kind === 'unknown' && !value.base && isOfCall(value));
}

function valuePlace(value: Value): Place {
  return { kind: 'value', value, type: value.type };
}

function compileArrayPlace(scope: Scope, expr: Expr): PlaceCode {
  const code = compilePlace(scope, expr);
  return (path, frame) => {
    const place = code(path, frame);
    if (place.type.kind === 'array' && place.kind === 'memory') return place;
    return valuePlace(load(frame.run, place, path, frame, expr));
  };
}

/** `int x = longs[i]`: nvcc loads only the half of an eight-byte integer that is kept. */
function narrowed(place: Place, wanted: Type | undefined): Place {
  if (
    place.kind !== 'memory' ||
    wanted?.kind !== 'scalar' ||
    wanted.float ||
    wanted.size >= 8 ||
    wanted.name === 'bool'
  )
    return place;
  const { type } = place;
  const isWide = type.kind === 'scalar' && !type.float && type.size === 8 && place.base.space === 'global';
  return isWide ? { ...place, type: intType } : place;
}

function compileUnary(scope: Scope, expr: Expr & { kind: 'unary' }): Code {
  const { op } = expr;
  if (op === '*') {
    const place = compilePlace(scope, expr);
    return (path, frame) => load(frame.run, place(path, frame), path, frame, expr);
  }
  if (op === '&') {
    const named = expr.operand.kind === 'name' ? compileNamePlace(scope, expr.operand) : undefined;
    const value = expr.operand.kind === 'name' ? compileExpr(scope, expr.operand) : undefined;
    const place = named ?? compilePlace(scope, expr.operand);
    return (path, frame) => {
      const at = place(path, frame);
      return at ? addressOf(at) : value!(path, frame);
    };
  }
  const operand = compileExpr(scope, expr.operand);
  return (path, frame) => {
    const value = operand(path, frame);
    if (value.type.kind === 'struct') {
      const overloaded = callOperator(`operator${op}`, [value], path, frame, expr);
      return overloaded ?? resultingObject(frame.run, value.type, value.taint, `unary@${expr.start}`);
    }
    return unary(frame.run, op, value);
  };
}

function unary(run: Run, op: '+' | '-' | '!' | '~' | '*' | '&', value: Value): Value {
  const { lanes, taint } = value;
  switch (op) {
    case '-': {
      const type = promote(value.type);
      const form = value.taint & open && !(type.kind === 'scalar' && type.float) ? formOf(run, value) : undefined;
      return { ...blank, type, lanes: map1(lanes, (a) => -a), taint, form: form && scaled(form, -1) };
    }
    case '!': {
      const { lanes, taint } = truthOf(value);
      requireEach(run, value);
      return { ...blank, type: boolType, lanes: map1(lanes, (a) => (a ? 0 : 1)), taint, sides: value.sides };
    }
    case '~': {
      const type = promote(value.type);
      requireEach(run, value);
      return { ...blank, type, lanes: map1(lanes, (a) => (isUnsigned32(type) ? ~a >>> 0 : -a - 1)), taint };
    }
    default:
      return value;
  }
}

function compileUpdate(scope: Scope, expr: Expr & { kind: 'update' }): Code {
  const place = compilePlace(scope, expr.operand);
  const op = expr.op === '++' ? '+' : '-';
  return (path, frame) => {
    const { run } = frame;
    const at = place(path, frame);
    const old = load(run, at, path, frame, expr.operand);
    const operands = expr.prefix ? [old] : [old, one];
    const overloaded =
      old.type.kind === 'struct' ? callOperator(`operator${expr.op}`, operands, path, frame, expr, at) : undefined;
    if (overloaded) return overloaded;
    const next = arithmetic(run, op, old, one);
    store(run, at, next, path, frame, expr.operand, true);
    return expr.prefix ? next : old;
  };
}

function compileAssign(scope: Scope, expr: Expr & { kind: 'assign' }): Code {
  if (expr.initialises) return compileInitialiser(scope, expr);
  const value = compileExpr(scope, expr.value);
  const place = compilePlace(scope, expr.target);
  if (writesBack(expr) && !isVolatile(scope.fn, expr.target)) {
    return (path, frame) => {
      const at = place(path, frame);
      if (at.kind === 'memory' && at.type.kind === 'scalar')
        return unseen(frame.run, at.type, `kept@${expr.start}`, Taint.loaded);
      const assigned = value(path, frame);
      store(frame.run, at, assigned, path, frame, expr.target, true);
      return assigned;
    };
  }
  if (expr.op === '=') {
    return (path, frame) => {
      const assigned = value(path, frame);
      const at = place(path, frame);
      if (isHalf(at.type) !== isHalf(assigned.type)) endSection(frame.run, 'frontEnd');
      store(frame.run, at, assigned, path, frame, expr.target, true);
      return assigned;
    };
  }
  const op = expr.op.slice(0, -1);
  return (path, frame) => {
    const { run } = frame;
    const at = place(path, frame);
    const old = load(run, at, path, frame, expr.target);
    const right = value(path, frame);
    const overloaded =
      old.type.kind === 'struct' ? callOperator(`operator${expr.op}`, [old, right], path, frame, expr, at) : undefined;
    if (overloaded) return overloaded;
    const next = arithmetic(run, op, old, right);
    store(run, at, convert(run, next, at.type), path, frame, expr.target, true);
    return next;
  };
}

/** `tile[t] = tile[t];` in an `else`, for the sake of symmetry: compilers make nothing of it. */
function writesBack({ op, target, value }: Expr & { kind: 'assign' }): boolean {
  return op === '=' && target.kind === 'index' && sameExpr(target, value) && !mayChange(target);
}

function mayChange(expr: Expr): boolean {
  return some(expr, ({ kind }) => kind === 'update' || kind === 'assign' || kind === 'call');
}

function compileBinary(scope: Scope, expr: Expr & { kind: 'binary' }): Code {
  const left = compileExpr(scope, expr.left);
  const right = compileExpr(scope, expr.right);
  const { op } = expr;
  if (op === ',') {
    return (path, frame) => {
      left(path, frame);
      return right(path, frame);
    };
  }
  if (op === '&&' || op === '||') return logical(op, left, right);
  return (path, frame) => {
    const a = left(path, frame);
    const b = right(path, frame);
    if (isHalf(a.type) || isHalf(b.type)) endSection(frame.run, 'frontEnd');
    if (a.type.kind === 'struct' || b.type.kind === 'struct') return ofStructs(op, a, b, path, frame, expr);
    return arithmetic(frame.run, op, a, b);
  };
}

function ofStructs(op: string, a: Value, b: Value, path: Path, frame: Frame, expr: Expr): Value {
  const overloaded = callOperator(`operator${op}`, [a, b], path, frame, expr);
  if (overloaded) return overloaded;
  const { type } = a.type.kind === 'struct' ? a : b;
  if (frame.run.setup.host && (op === '<<' || op === '>>')) return a;
  return resultingObject(frame.run, type, a.taint | b.taint, `op@${expr.start}`);
}

function logical(op: '&&' | '||', left: Code, right: Code): Code {
  const both = op === '&&' ? (a: number, b: number) => (a && b ? 1 : 0) : (a: number, b: number) => (a || b ? 1 : 0);
  return (path, frame) => {
    const a = truthOf(left(path, frame));
    requireEach(frame.run, a);
    const certain = (a.taint & uncertain) === 0;
    const onward = certain ? select(path.mask, a.lanes, op === '&&') : path.mask;
    if (onward.count === 0) {
      const only: Value = {
        ...blank,
        type: boolType,
        lanes: map1(a.lanes, (lane) => (lane ? 1 : 0)),
        taint: a.taint,
        sides: a.sides,
      };
      if (!(a.taint & (Taint.chosen | Taint.block))) return only;
      const b = right(inShadow(path, a), frame);
      return { ...only, taint: a.taint | (b.taint & ~uncertain), sides: [a, truthOf(b)] };
    }
    const rest = (): Value => truthOf(right(withMask(path, onward), frame));
    const isOpen = (a.taint & (uncertain | Taint.chosen | Taint.loadedUniform | Taint.assumed)) !== 0;
    const b = isOpen ? frame.run.recorder.shared.inDoubt(rest) : rest();
    const lanes = map2(a.lanes, b.lanes, frame.run.threads, both);
    return { ...blank, type: boolType, lanes, taint: a.taint | b.taint, sides: [a, b] };
  };
}

function compileConditional(scope: Scope, expr: Expr & { kind: 'conditional' }, wanted: Type | undefined): Code {
  const cond = compileExpr(scope, expr.cond);
  const then = compileExpr(scope, expr.then, wanted);
  const otherwise = compileExpr(scope, expr.else, wanted);
  const plan: ForkPlan = {
    cond: expr.cond,
    statement: expr,
    form: 'conditional',
    fn: scope.fn,
    selects: false,
    thenAssigns: [],
    elseAssigns: [],
    thenElements: [],
    elseElements: [],
    hasThen: true,
    hasElse: true,
    thenIsTrivial: computesOnly(expr.then),
    elseIsTrivial: computesOnly(expr.else),
    thenLeaves: false,
  };
  return (path, frame) => {
    const { run } = frame;
    const value = truthOf(cond(path, frame));
    if (typeof value.lanes === 'number' && (value.taint & ~(Taint.assumed | Taint.iterated)) === 0)
      return value.lanes ? then(path, frame) : otherwise(path, frame);
    const results: Value[] = [];
    let untaken: Value | undefined;
    const armOf = (code: Code, at: 0 | 1) => (arm: Path) => {
      const result = code(arm, frame);
      if (arm.shadow > path.shadow) untaken = result;
      else results[at] = result;
      return arm.mask;
    };
    fork(run, plan, value, path, frame, armOf(then, 0), armOf(otherwise, 1));
    const [first, second] = results;
    if (!first || !second) {
      const only = first ?? second;
      const taint = value.taint & ~Taint.float;
      return only
        ? loadedOf({ ...only, taint: only.taint | taint }, taint & Taint.chosen ? untaken : undefined)
        : zeroOf(intType);
    }
    const joined = chosenOf(run, value, first, second, path);
    return run.setup.host ? withUsual(joined, first, second) : joined;
  };
}

function chosenOf(run: Run, cond: Value, first: Value, second: Value, path: Path): Value {
  if (cond.taint & uncertain || typeof cond.lanes === 'number') {
    if (sameValue(first, second)) return first;
    const picks = dataMask(run, cond, path.mask);
    const mixes = picks && first.base === second.base && !first.fields && !second.fields;
    const pick = laneAt(cond.lanes, 0) ? first : second;
    const stands: Value = { ...(mixes ? first : pick), sides: undefined };
    const carried = Taint.thread | Taint.block | Taint.chosen | Taint.loaded | Taint.hash;
    const mark = cond.taint & uncertain ? Taint.maybe : Taint.assumed;
    const taint = first.taint | second.taint | mark | (cond.taint & carried);
    if (mixes) return { ...stands, form: undefined, lanes: blend(second.lanes, first.lanes, picks), taint };
    // Which of the two it is depends on the condition alone: the one that the witnesses choose stands for both.
    const isOpen = cond.taint & uncertain || !stands.form;
    return isOpen ? { ...stands, form: undefined, taint } : { ...stands, taint: taint & ~Taint.assumed };
  }
  const merged = merge(run, second, first, select(path.mask, cond.lanes, true));
  return { ...merged, taint: merged.taint | cond.taint };
}

function compileCast(scope: Scope, expr: Expr & { kind: 'cast' }): Code {
  const type = scope.types.resolve(expr.type, scope.bindings(), scope.within);
  if (type.kind === 'reference') {
    const place = compilePlace(scope, expr);
    return (path, frame) => load(frame.run, place(path, frame), path, frame, expr);
  }
  if (isOfVariable(expr, scope.program))
    return (_, frame) => unseen(frame.run, intType, `cast@${expr.start}`, Taint.chosen | Taint.maybe);
  const operand = compileExpr(scope, expr.operand, type);
  return (path, frame) => {
    const value = operand(path, frame);
    if (isHalf(value.type) !== isHalf(type)) endSection(frame.run, 'frontEnd');
    return convert(frame.run, value, type);
  };
}
