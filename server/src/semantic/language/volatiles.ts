// Which memory is reached through a `volatile` type, so that each access as it is written is made.
import type { Expr, FunctionDecl } from '../../syntax/ast';
import { rootOfAddress, walk } from './statements';
import { once } from './append';

/** Is what the expression reaches, by the name that it begins with, said to be `volatile` in the function? */
export function isVolatile(fn: FunctionDecl, expr: Expr): boolean {
  const name = rootOfAddress(expr);
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
