// What iterations of a loop pass on, with names resolved.
import type { Expr, Stmt } from '../../syntax/ast';
import { carriedBy } from './inductions';
import type { Scope } from './scope';
import type { CarriedCode } from './loopPlan';

export function compileCarried(scope: Scope, body: Stmt, step: Expr | undefined): CarriedCode {
  const { inductions, others, elements } = carriedBy(body, step, (name) => scope.functions(name));
  return {
    inductions: inductions.flatMap(({ name, sign, by }) => {
      const ref = scope.lookup(name);
      return ref ? [{ ref, sign, by: by && scope.expr(by) }] : [];
    }),
    others: others.flatMap((name) => scope.lookup(name) ?? []),
    elements: elements.flatMap((name) => scope.lookup(name) ?? []),
    // A name that is not a variable of the function is one of the object, or global: what it passes on is not followed.
    isWhole: [...inductions.map((one) => one.name), ...others].every((name) => scope.lookup(name) !== undefined),
  };
}
