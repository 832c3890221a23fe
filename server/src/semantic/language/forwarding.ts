// Kernels that only call what does their work: a function of the device, a functor, or a lambda that they are given.
import type { Expr, FunctionDecl, Stmt } from '../../syntax/ast';
import { argumentOf } from './callSites';
import { once } from './append';
import type { Fn } from './fn';
import { lambdaFunction } from './lambdas';
import { functionsWith, lastPart, type Program } from './program';
import { definitionOf, localsOf } from './scope';

/** What does the work of a launch, as a function, and what each of its parameters is given. */
interface Work {
  readonly fn: FunctionDecl;
  readonly args: readonly Expr[];
}

/** Calls of calls are followed so far. */
const deepest = 4;

/** Of a kernel that `host` launches with `args`; fields of a functor are parameters, as what a lambda captures is. */
export function workOf(kernel: FunctionDecl, args: readonly Expr[], host: FunctionDecl, program: Program): Work {
  let work: Work = { fn: kernel, args };
  for (let depth = 0; depth < deepest; depth++) {
    const next = forwardedBy(work, host, program);
    if (!next?.fn.body) break;
    work = next;
  }
  return work;
}

/** Is this all that a kernel does: a kernel, or a function, functor or lambda that one does nothing but call? */
export function isWork({ decl, program }: Fn): boolean {
  return !!(decl.global || decl.enclosing || decl.members) || worksOf(program).has(decl);
}

const worksOf = once(
  (program: Program): ReadonlySet<FunctionDecl> =>
    new Set(
      functionsWith(program.unit, ['__global__']).flatMap((fn) =>
        fn.global && fn.body ? [calledBy(fn, program)] : [],
      ),
    ),
);

function calledBy(kernel: FunctionDecl, program: Program): FunctionDecl {
  const args = kernel.params.map(({ name, start, end }): Expr => ({ kind: 'name', name, start, end }));
  return workOf(kernel, args, kernel, program).fn;
}

/** The operator of a functor that is all that a kernel calls. */
export function functorOf(kernel: FunctionDecl, program: Program): FunctionDecl | undefined {
  const fn = calledBy(kernel, program);
  return fn.members ? program.functions(fn.name).find(({ body }) => body === fn.body) : undefined;
}

function forwardedBy(work: Work, host: FunctionDecl, program: Program): Work | undefined {
  const { body } = work.fn;
  const statements = body?.body ?? [];
  const last = statements.at(-1);
  const call = last?.kind === 'expr' && last.expr.kind === 'call' ? last.expr : undefined;
  if (!call || !statements.slice(0, -1).every(isObject)) return undefined;
  const locals = localsOf(work.fn);
  /** In terms of the launch. */
  const given = (expr: Expr): Expr | undefined => {
    if (expr.kind === 'number') return expr;
    const local = expr.kind === 'name' ? locals.of(expr) : undefined;
    if (!local || local.writes.length > 0 || local.addressTaken) return undefined;
    return argumentOf(local.parameter, work.fn, work.args);
  };
  const args = allOf(call.args.map(given));
  if (!args) return undefined;
  const { callee } = call;
  if (callee.kind === 'name' && !locals.of(callee)) {
    const called = program.functions(callee.name).filter(({ body: its, device }) => its && device);
    return called.length === 1 && called[0]!.params.length === args.length ? { fn: called[0]!, args } : undefined;
  }
  const own = madeObject(callee, work.fn, program);
  const values = own && 'type' in own ? allOf(own.values.map(given)) : undefined;
  if (own && 'type' in own) return values && operatorOf({ ...own, values }, args, program);
  const passed = given(callee);
  const object = passed && madeObject(passed, host, program);
  if (!object) return undefined;
  return 'type' in object ? operatorOf(object, args, program) : { fn: object.fn, args: [...object.values, ...args] };
}

const isObject = (statement: Stmt): boolean =>
  statement.kind === 'decl' && statement.vars.every(({ type, space }) => type.kind === 'named' && space === 'none');

function allOf(exprs: readonly (Expr | undefined)[]): readonly Expr[] | undefined {
  return exprs.every((expr) => expr !== undefined) ? exprs : undefined;
}

interface Made {
  readonly values: readonly Expr[];
}

/** `Type{a, b}`, `Type(a, b)`, a lambda, or a variable that holds one: what its fields are given. */
function madeObject(
  expr: Expr,
  fn: FunctionDecl,
  program: Program,
): (Made & ({ readonly type: string } | { readonly fn: FunctionDecl })) | undefined {
  if (expr.kind === 'lambda') {
    const made = lambdaFunction(expr, fn);
    const captured = made.params.slice(0, made.params.length - expr.params.length);
    const { start, end } = expr;
    return { fn: made, values: captured.map(({ name }): Expr => ({ kind: 'name', name, start, end })) };
  }
  if (expr.kind === 'call' && expr.callee.kind === 'name') {
    const { name } = expr.callee;
    return program.structs(lastPart(name)).length === 1 ? { type: name, values: expr.args } : undefined;
  }
  if (expr.kind !== 'name') return undefined;
  const locals = localsOf(fn);
  const local = locals.of(expr);
  const { variable } = local ?? {};
  if (!local || !variable || local.writes.length > 0) return undefined;
  if (variable.init?.kind === 'initList' && variable.type.kind === 'named')
    return { type: variable.type.name, values: variable.init.elements };
  const definition = definitionOf(local, locals);
  return definition && definition.kind !== 'name' ? madeObject(definition, fn, program) : undefined;
}

/** The operator of an aggregate: its fields in order are what they are given. */
function operatorOf(
  { type, values }: { readonly type: string; readonly values: readonly Expr[] },
  args: readonly Expr[],
  program: Program,
): Work | undefined {
  const [decl, ...others] = program.structs(lastPart(type));
  const operators = decl?.methods.filter(({ name, body }) => name === 'operator()' && body) ?? [];
  const [operator] = operators;
  const fields = operator?.members?.fields;
  if (others.length > 0 || operators.length !== 1 || !operator || fields?.length !== values.length) return undefined;
  if (decl!.bases.length > 0 || decl!.methods.some(({ name }) => name === decl!.name)) return undefined;
  // Bound as a method first: its fields stay what they are.
  localsOf(operator);
  return { fn: { ...operator, params: [...fields, ...operator.params] }, args: [...values, ...args] };
}
