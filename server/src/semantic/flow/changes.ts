// What running a host loop may change: fields behind pointers, and variables outside of functions.
import type { Expr } from '../../syntax/ast';
import {
  calleeName,
  takesReference,
  rootName,
  some,
  walk,
  type AnySyntax,
  type Fn,
  categoryOf,
  isContainerMember,
  isLibraryClock,
  keepsToArguments,
} from '../language';

/**
 * May it write the field that a pointer reaches: one of that name, whatever it belongs to, the whole of something that
 * the pointer reaches, or what a call is handed the pointer for?
 */
export function isFieldWrittenIn(field: Extract<Expr, { kind: 'member' }>, node: AnySyntax): boolean {
  const pointer = rootName(field);
  const isPointer = (expr: Expr): boolean => expr.kind === 'name' && expr.name === pointer;
  return some(node, (inner) => {
    const target = inner.kind === 'assign' ? inner.target : inner.kind === 'update' ? inner.operand : undefined;
    const given = inner.kind === 'unary' && inner.op === '&' ? inner.operand : target;
    if (given?.kind === 'member' && given.field === field.field) return true;
    // `*s = other`, `s[0] = other`.
    if ((target?.kind === 'index' || target?.kind === 'unary') && rootName(target) === pointer) return true;
    return (
      inner.kind === 'call' &&
      categoryOf(calleeName(inner) ?? '') === undefined &&
      (inner.args.some(isPointer) || (inner.callee.kind === 'member' && isPointer(inner.callee.object)))
    );
  });
}

/** May it write a variable outside of functions, itself or by what it calls? */
export function isGlobalWrittenIn(name: string, node: AnySyntax, fn: Fn, depth = 0): boolean {
  if (depth > 4) return true;
  const globals = fn.program.globals(name);
  if (globals.some(({ constant }) => constant)) return false;
  // Unknown code cannot name a `static` of this file, a macro or an enumerator.
  const isKnownOutside = globals.some(({ storage }) => storage !== 'static');
  let written = false;
  walk(node, (inner) => {
    const target = inner.kind === 'assign' ? inner.target : inner.kind === 'update' ? inner.operand : undefined;
    const given = inner.kind === 'unary' && inner.op === '&' ? inner.operand : target;
    if (given && rootName(given) === name) written = true;
    if (inner.kind === 'launch') written ||= globals.some(({ space }) => space === 'managed');
    if (inner.kind !== 'call') return;
    if (inner.callee.kind === 'member') {
      written ||= isKnownOutside && !isContainerMember(inner.callee.field);
      return;
    }
    const called = calleeName(inner);
    if (called === undefined || categoryOf(called) !== undefined) return;
    const callees = fn.program.functions(called);
    inner.args.forEach((arg, position) => {
      if (arg.kind === 'name' && arg.name === name) written ||= takesReference(fn.program, called, position);
    });
    const bodies = callees.flatMap(({ body }) => (body ? [body] : []));
    written ||= bodies.length
      ? bodies.some((body) => isGlobalWrittenIn(name, body, fn, depth + 1))
      : isKnownOutside && !keepsToArguments(called) && !isLibraryClock(called);
  });
  return written;
}
