// A call as compiled, and what is asked of its arguments.
import type { CallExpr, Expr, NameExpr, TemplateArg } from '../../syntax/ast';
import { doubleType, intType, unsignedType, voidType, type Type } from '../language';
import type { Scope } from './scope';
import { unseen } from './state';
import {
  plain,
  Taint,
  type Code,
  type Frame,
  type FunctionNamed,
  type Path,
  type PlaceCode,
  type Run,
  type Value,
} from './values';

/** A call as compiled: its arguments as values and as places, for parameters that are references. */
export interface CallSite {
  readonly expr: CallExpr;
  readonly name: string;
  readonly args: readonly Code[];
  /** All arguments as values, with those that packs among them stand for. */
  readonly values: (path: Path, frame: Frame) => Value[];
  /** How many arguments there are is known when it runs: a pack is among them. */
  readonly open: boolean;
  /** Of arguments that have a place in memory. */
  readonly places: readonly (PlaceCode | undefined)[];
  /** Of arguments that can be looked at twice: a reference to them reads nothing before the function does. */
  readonly again: readonly (Code | undefined)[];
  readonly templateArgs: readonly TemplateArg[] | undefined;
  /** Template arguments that are numbers in the frame: constants of the function among them. */
  readonly templateNumbers: readonly (Code | undefined)[];
  readonly wanted: Type | undefined;
}

/** What a call writes between angle brackets. */
export interface Templated {
  readonly args: readonly TemplateArg[];
  /** What of it is a number here. */
  readonly numbers: readonly (number | undefined)[];
  /** They are at the class: `C<3>::f()`. */
  readonly ofClass: boolean;
}

export function compileTemplateNumbers(
  scope: Scope,
  args: readonly TemplateArg[] | undefined,
): readonly (Code | undefined)[] {
  return (args ?? []).map((arg) => {
    if ('expr' in arg) return scope.expr(arg.expr);
    const name = arg.type.kind === 'named' && !arg.type.args ? arg.type.name : undefined;
    if (name === undefined || !scope.lookup(name)) return undefined;
    return scope.expr({ kind: 'name', name, start: 0, end: 0 });
  });
}
export function numbersOf(codes: readonly (Code | undefined)[], path: Path, frame: Frame): (number | undefined)[] {
  return codes.map((code) => {
    const value = code?.(path, frame);
    if (!value || typeof value.lanes !== 'number' || value.type.kind !== 'scalar') return undefined;
    return value.taint & ~Taint.thread & ~Taint.block ? undefined : value.lanes;
  });
}

export function functionNamed(
  scope: Scope,
  { name, templateArgs }: NameExpr,
): (path: Path, frame: Frame) => FunctionNamed {
  const numbers = compileTemplateNumbers(scope, templateArgs);
  const bindings = scope.bindings();
  return (path, frame) => ({
    kernelName: name,
    templateArgs,
    templateNumbers: numbersOf(numbers, path, frame),
    bindings,
  });
}

/** `&a[i]` given to an atomic or a load intrinsic: the access is at `a[i]`. */
export function pointedAt(expr: Expr | undefined): Expr | undefined {
  if (expr?.kind === 'unary' && expr.op === '&') return expr.operand;
  return expr?.kind === 'cast' ? (pointedAt(expr.operand) ?? expr) : expr;
}
export function isFullMask(value: Value | undefined): boolean {
  if (!value || typeof value.lanes !== 'number' || value.taint & Taint.chosen) return false;
  return value.lanes === 4294967295 || value.lanes === -1;
}
/** A result that is the same in a warp, and that only the hardware knows. */
export function warpResult(run: Run, key: string, name: string): Value {
  return unseen(run, unsignedType, key, Taint.chosen | Taint.loadedUniform | Taint.maybe, undefined, name);
}

export type MaybeValue = (path: Path, frame: Frame) => Value | undefined;
/** What a function that CUDA or the C library brings does at a call. */
export type Builtin = (site: CallSite) => MaybeValue;

export const nothing: Value = plain(voidType, 0, 0);
export const zero: Value = plain(intType, 0, 0);

export function argument(site: CallSite, at: number, path: Path, frame: Frame): Value {
  return site.args[at]?.(path, frame) ?? zero;
}
/** What the math library returns for these arguments. */
export function floatOf(...values: readonly Value[]): Type {
  return values.find(({ type }) => type.kind === 'scalar' && type.float)?.type ?? doubleType;
}
export function evaluateAll(site: CallSite, path: Path, frame: Frame, from = 0): Value[] {
  return site.args.slice(from).map((arg) => arg(path, frame));
}
