// Lambdas of host code as functions, so that what is said of functions of the device can be said of them.
import type { FunctionDecl, LambdaExpr, ParamDecl } from '../../syntax/ast';
import { localsOf, type Local } from './scope';
import { once } from './append';
import { walk } from './statements';

const functions = new WeakMap<LambdaExpr, FunctionDecl>();

/**
 * A lambda that `fn` contains as a function of the device, whose first parameters are what it captures; `fn` itself
 * where that is code of the device.
 */
export function lambdaFunction(expr: LambdaExpr, fn: FunctionDecl): FunctionDecl {
  const host = fn.enclosing ?? fn;
  if (!host.host || host.device || host.global) return fn;
  let made = functions.get(expr);
  if (!made) functions.set(expr, (made = asFunction(expr, host)));
  return made;
}

/** The lambdas of a function of the host that are marked as code of the device. */
export const deviceLambdasOf = once((fn: FunctionDecl): readonly FunctionDecl[] => {
  const found: FunctionDecl[] = [];
  if (fn.body && fn.host && !fn.device && !fn.global)
    walk(fn.body, (node) => {
      if (node.kind === 'lambda' && node.device) found.push(lambdaFunction(node, fn));
    });
  return found;
});

function asFunction(expr: LambdaExpr, host: FunctionDecl): FunctionDecl {
  const { start, end, body } = expr;
  return {
    ...host,
    key: `${host.key}@${start}`,
    start,
    end,
    name: 'operator()',
    qualifiedName: host.qualifiedName.replace(/[^:]*$/, 'operator()'),
    nameStart: start,
    params: [...capturedBy(expr, host), ...expr.params],
    returns: { kind: 'auto' },
    host: false,
    device: true,
    body,
    enclosing: host,
    comments: host.comments.filter((comment) => comment.start >= start && comment.end <= end),
  };
}

function capturedBy({ start, end, body }: LambdaExpr, host: FunctionDecl): readonly ParamDecl[] {
  const locals = localsOf(host);
  const captured = new Set<Local>();
  walk(body, (node) => {
    const local = node.kind === 'name' ? locals.of(node) : undefined;
    const declared = local?.variable ?? local?.parameter;
    if (local && declared && (declared.start < start || declared.end > end)) captured.add(local);
  });
  return [...captured].map(({ name, variable, parameter }) => {
    const { type, nameStart } = (variable ?? parameter)!;
    return { start, end, name, nameStart, type };
  });
}
