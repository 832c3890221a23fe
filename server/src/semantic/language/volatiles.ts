// Which memory is reached through a `volatile` type, so that each access as it is written is made.
import type { Expr, FunctionDecl } from '../../syntax/ast';
import { walk } from './statements';
import { once } from './append';

/** Is what the expression reaches, by the name that it begins with, said to be `volatile` in the function? */
export function isVolatile(fn: FunctionDecl, expr: Expr): boolean {
  const name = rootOf(expr);
  return name !== undefined && volatileNames(fn).has(name);
}

/** Parameters and variables of a function whose types say `volatile`. */
const volatileNames = once((fn: FunctionDecl): ReadonlySet<string> => {
  const names = new Set<string>();
  const isSaid = (type: { readonly kind: string }): boolean => JSON.stringify(type).includes('"volatile":true');
  for (const param of fn.params) if (isSaid(param.type)) names.add(param.name);
  walk(fn.body, (each) => {
    if (each.kind === 'var' && (each.volatile || isSaid(each.type))) names.add(each.name);
  });
  return names;
});

function rootOf(expr: Expr): string | undefined {
  let at = expr;
  for (;;) {
    if (at.kind === 'name') return at.name;
    if (at.kind === 'index') at = at.base;
    else if (at.kind === 'member') at = at.object;
    else if (at.kind === 'unary') at = at.operand;
    else if (at.kind === 'binary') at = at.left;
    else return undefined;
  }
}
