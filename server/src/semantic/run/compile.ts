// Compiles functions once for each set of template arguments: names become slots, types are resolved, statements become closures over lanes.
import type { FunctionDecl, ParamDecl } from '../../syntax/ast';
import { stripReference } from '../deduction';
import type { Program } from '../language/program';
import type { Bindings, Type, TypeTable } from '../language/types';
import { compileExpr } from './expressions';
import { bindingsKey, createScope, type Scope } from './scope';
import { compileStmt } from './statements';
import type { Act, Code } from './values';

/** A function ready to run. */
export interface FunctionCode {
  readonly fn: FunctionDecl;
  readonly bindings: Bindings;
  readonly params: readonly ParamCode[];
  readonly returns: Type;
  readonly slots: number;
  readonly body: Act | undefined;
  /** Names of functions that its text looked up. */
  readonly asked: ReadonlySet<string>;
}
export interface ParamCode {
  readonly name: string;
  readonly slot: number;
  readonly type: Type;
  /** Without its reference. */
  readonly plain: Type;
  readonly node: ParamDecl;
  readonly init: Code | undefined;
}

export interface Compiler {
  readonly program: Program;
  readonly types: TypeTable;
  /** The code of a function under template arguments; made on the first call. */
  codeOf(fn: FunctionDecl, bindings: Bindings): FunctionCode;
}

export function createCompiler(program: Program, types: TypeTable): Compiler {
  const made = new Map<FunctionDecl, Map<string, FunctionCode>>();
  const compiler: Compiler = {
    program,
    types,
    codeOf(fn, bindings) {
      let byBindings = made.get(fn);
      if (!byBindings) {
        byBindings = new Map();
        made.set(fn, byBindings);
      }
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

function compileFunction(compiler: Compiler, fn: FunctionDecl, bindings: Bindings): FunctionCode {
  const scope: Scope = createScope(compiler, fn, bindings);
  const params = fn.params.map((node): ParamCode => {
    const type = compiler.types.resolve(node.type, bindings, scope.within);
    const init = node.init ? compileExpr(scope, node.init) : undefined;
    return { name: node.name, slot: scope.declare(node.name), type, plain: stripReference(type), node, init };
  });
  const body = fn.body ? compileStmt(scope, fn.body) : undefined;
  const returns = compiler.types.resolve(fn.returns, bindings, scope.within);
  return { fn, bindings, params, returns, slots: scope.slotCount(), body, asked: scope.asked };
}
