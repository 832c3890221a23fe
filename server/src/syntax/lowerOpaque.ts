// A construct without meaning in the tree, whose parts are still expressions.
import type { Expr } from './ast';
import { at, type Lowering } from './lowering';
import type { RawNode } from './tree';

export function opaque(lowering: Lowering, node: RawNode): Expr {
  const parts: Expr[] = [];
  for (const each of node.children)
    if (each.named && isExpressionLike(each)) parts.push(lowering.lower.expression(lowering, each));
  return { kind: 'opaque', ...at(lowering, node), parts };
}

const NOT_EXPRESSIONS = new RegExp(
  [
    '^(?:type_|primitive_type|sized_type|parameter|template_argument|template_parameter|storage_class',
    'comment|string_content|escape_sequence|character|abstract_|attribute|lambda_capture|ms_',
    'compound_statement$|access_|literal_suffix)',
  ].join('|'),
);

export function isExpressionLike(node: RawNode): boolean {
  return !NOT_EXPRESSIONS.test(node.type);
}
