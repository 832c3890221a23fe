// Compiles functions once for each set of template arguments: names become slots, types are resolved, statements become
// closures over lanes.

import { bindingsKey, createScope, type Scope, type ScopedCompiler } from './scope';
import type { Compiler, FunctionCode, ParamCode } from './values';
import type { FunctionDecl } from '../../syntax/ast';
import { once, stripReference, type Program, type Bindings, type TypeTable } from '../language';
import { compileExpr, compilePlace } from './expressions';
import { compileStmt } from './statements';

export function createCompiler(program: Program, types: TypeTable): Compiler {
  const compiledOf = once((_: FunctionDecl) => new Map<string, FunctionCode>());
  const compiler: ScopedCompiler = {
    program,
    types,
    expr: compileExpr,
    place: compilePlace,
    statement: compileStmt,
    codeOf(fn, bindings) {
      const byBindings = compiledOf(fn);
      const key = bindingsKey(bindings);
      let code = byBindings.get(key);
      if (!code) {
        code = compileFunction(compiler, fn, bindings);
        byBindings.set(key, code);
      }
      return code;
    },
  };
  return compiler;
}

function compileFunction(compiler: ScopedCompiler, fn: FunctionDecl, bindings: Bindings): FunctionCode {
  const scope: Scope = createScope(compiler, fn, bindings);
  const params = fn.params.map((node): ParamCode => {
    const type = compiler.types.resolve(node.type, bindings, scope.within);
    const init = node.init ? compileExpr(scope, node.init) : undefined;
    return { name: node.name, slot: scope.declare(node.name), type, plain: stripReference(type), node, init };
  });
  const body = fn.body ? compileStmt(scope, fn.body) : undefined;
  const returns = compiler.types.resolve(fn.returns, bindings, scope.within);
  return { params, returns, slots: scope.slotCount(), body, asked: scope.asked, lambdas: scope.lambdas };
}
