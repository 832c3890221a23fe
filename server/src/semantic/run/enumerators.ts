// The names of an enumeration inside a function are constants there: `enum { X, Y, Z };` before `r[X]`.
import type { EnumDecl, Expr, VarDecl } from '../../syntax/ast';

/** Each as the constant that it is: its own value, or one more than the one before it. */
export function enumeratorsOf(declared: EnumDecl): VarDecl[] {
  const { start, end } = declared;
  const number = (value: number): Expr => ({ kind: 'number', start, end, value, type: 'int', text: `${value}` });
  let base = number(0);
  let offset = 0;
  return declared.values.map(({ name, value }): VarDecl => {
    if (value) {
      base = value;
      offset = 0;
    }
    const init: Expr =
      offset === 0 ? base : { kind: 'binary', start, end, op: '+', opStart: start, left: base, right: number(offset) };
    offset++;
    return {
      kind: 'var',
      start,
      end,
      name,
      nameStart: start,
      type: { kind: 'named', name: 'int', const: true },
      init,
      initStyle: '=',
      space: 'none',
      constant: true,
    };
  });
}
