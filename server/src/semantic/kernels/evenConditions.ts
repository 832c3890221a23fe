// Conditions that keep no thread away from a barrier although the values in them look different: what a butterfly of
// shuffles left the same in all lanes, constants of types, which are chosen together with the block, and ends that are
// rounded up by a mask.
import type { Expr, FunctionDecl, TranslationUnit } from '../../syntax/ast';
import { some, walk, calleeName, localsOf, sameExpr, type Program, counted } from '../language';
import type { BarrierRecord } from '../run';

/** Is nothing known that parts the threads at a barrier under the condition `text`? */
export function isEvenCondition(record: BarrierRecord, text: string, program: Program): boolean {
  const { under } = record;
  if (!under) return false;
  const { cond, fn } = under;
  if (isUnknownMacro(text, cond, program.unit)) return true;
  if (record.proven) return false;
  return (
    isBoundOfType(cond) ||
    isOfAllThreads(cond, fn) ||
    isRoundedByMask(cond, fn) ||
    isWholeSteps(cond, fn) ||
    (record.scope === 'warp' && isButterflied(cond, fn, program))
  );
}

/** `KERNEL_LOOP(i, n)` of a macro that no known code defines: the loop that it was taken for may be another. */
function isUnknownMacro(text: string, cond: Expr, unit: TranslationUnit): boolean {
  const name = cond.macro ? /^([A-Za-z_]\w*)\s*\(/.exec(text)?.[1] : undefined;
  return name !== undefined && !unit.files.some((file) => file.macros.some((macro) => macro.name === name));
}

/** `if (failed)` of a `static __device__ int failed`: there is one of it, and what is read of it is read by all. */
function isOfAllThreads(cond: Expr, fn: FunctionDecl): boolean {
  const operand = cond.kind === 'unary' && cond.op === '!' ? cond.operand : cond;
  if (operand.kind !== 'name') return false;
  const variable = localsOf(fn).of(operand)?.variable;
  return variable !== undefined && (variable.storage === 'static' || variable.space === 'device');
}

/** `column < Traits::COLUMNS`: the constant of a type that no known code settles. */
function isBoundOfType(cond: Expr): boolean {
  if (cond.kind !== 'binary' || !/^[<>]=?$/.test(cond.op)) return false;
  return [cond.left, cond.right].some((side) => side.kind === 'name' && /\w::\w+$/.test(side.name));
}

/** `i < end` where `end = (n + 511) & ~511`: the threads of whole warps, and of blocks up to that size, come alike. */
function isRoundedByMask(cond: Expr, fn: FunctionDecl): boolean {
  if (cond.kind !== 'binary' || !/^(<|!=)$/.test(cond.op)) return false;
  const local = cond.right.kind === 'name' ? localsOf(fn).of(cond.right) : undefined;
  const bound = cond.right.kind === 'name' && local?.writes.length === 0 ? local.variable?.init : cond.right;
  if (bound?.kind !== 'binary' || bound.op !== '&') return false;
  return [bound.left, bound.right].some((side) => {
    if (side.kind !== 'unary' || side.op !== '~' || side.operand.kind !== 'number') return false;
    const unit = side.operand.value + 1;
    return unit >= 32 && Number.isInteger(Math.log2(unit));
  });
}

/** `for (x = t; x < steps * W; x += W)`: threads that start within the first W all take `steps` iterations. */
function isWholeSteps(cond: Expr, fn: FunctionDecl): boolean {
  if (cond.kind !== 'binary' || cond.op !== '<' || cond.left.kind !== 'name') return false;
  const { left, right } = cond;
  const local = right.kind === 'name' ? localsOf(fn).of(right) : undefined;
  const bound = local?.writes.length === 0 ? local.variable?.init : right;
  if (bound?.kind !== 'binary' || bound.op !== '*') return false;
  return some(fn.body, (node) => {
    const step = node.kind === 'for' && node.cond === cond ? node.step : undefined;
    if (step?.kind !== 'assign' || step.op !== '+=' || !sameExpr(step.target, left)) return false;
    return sameExpr(step.value, bound.left) || sameExpr(step.value, bound.right);
  });
}

/** Does every variable of the condition hold what shuffles over all lanes of the warp combined? */
function isButterflied(cond: Expr, fn: FunctionDecl, program: Program): boolean {
  const locals = localsOf(fn);
  let names = 0;
  let all = true;
  walk(cond, (node) => {
    if (node.kind === 'call' || node.kind === 'index' || node.kind === 'member') all = false;
    if (node.kind !== 'name') return all;
    names++;
    const local = locals.of(node);
    const value = local?.variable?.init ?? (local?.writes.length === 1 ? local.writes[0]!.value : undefined);
    const single = local?.variable?.init ? local.writes.length === 0 : true;
    const callee = value?.kind === 'call' ? calleeName(value) : undefined;
    if (!single || !callee || !program.functions(callee).some(isButterfly)) all = false;
    return all;
  });
  return all && names > 0;
}

/** A function that returns its parameter, combined by `__shfl_xor_sync` over the distances 16, 8, 4, 2 and 1. */
function isButterfly(fn: FunctionDecl): boolean {
  let distances = 0;
  let combined: string | undefined;
  let returned: string | undefined;
  walk(fn.body, (node) => {
    const first = node.kind === 'for' ? counted(node)?.first : undefined;
    if (first?.kind === 'number' && first.value === 16 && shufflesIn(node) > 0) distances += 5;
    if (node.kind === 'assign' && node.target.kind === 'name' && shufflesIn(node.value) > 0)
      combined = node.target.name;
    if (node.kind === 'return') {
      const stmt = node as { readonly value?: Expr };
      returned = stmt.value?.kind === 'name' ? stmt.value.name : undefined;
    }
  });
  if (!distances) distances = shufflesIn(fn.body);
  return distances >= 5 && combined !== undefined && combined === returned;
}
/** Shuffles over the whole warp: with every lane in the mask, and no narrower width. */
function shufflesIn(node: Parameters<typeof walk>[0]): number {
  let found = 0;
  walk(node, (inner) => {
    if (inner.kind !== 'call' || calleeName(inner) !== '__shfl_xor_sync') return;
    const [mask, , , width] = inner.args;
    const isFull = mask?.kind === 'number' && (mask.value === 0xffffffff || mask.value === -1);
    if (isFull && (width === undefined || (width.kind === 'number' && width.value === 32))) found++;
  });
  return found;
}
