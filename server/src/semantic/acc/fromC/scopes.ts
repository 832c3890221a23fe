// What the readers of statements and of expressions ask of declarations: which variable a name means at a place.
import type { Expr, ParamDecl, TypeSyntax, VarDecl } from '../../../syntax/ast';
import type { Place, Variable } from '../../../syntax/procedures';
import type { Type } from '../../language';

export interface Declarations {
  /** Makes a parameter, local or global known from here on. */
  declare(decl: VarDecl | ParamDecl, role: Variable['role'], init: Expr | undefined): void;
  /** Runs `inside` in a separate scope. */
  within<T>(scope: Place, inside: () => T): T;
  /** The type of a name here; looks into the class of a method and at globals. */
  typeOf(name: string): Type | undefined;
  /** Notes a member by its path, `A->vals`: it is listed among the variables under that name. */
  member(path: string, root: string, type: Type): void;
  resolve(type: TypeSyntax): Type;
  variables(): readonly Variable[];
}
