// Library functions whose work another call shares: a sine and a cosine of one angle.
import type { Expr } from '../../syntax/ast';
import { type AnySyntax, calleeName, costOfFunction, type Fn, isDouble, namesIn, sameExpr, some } from '../language';
import type { MathFact } from '../model';
import { isPure } from '../program';

export type Call = Expr & { kind: 'call' };

/** The later of a sine and a cosine of one number, both of which are computed, each with its own reduction. */
export function cosineAt(call: Call, fn: Fn): Pick<MathFact, 'form' | 'double' | 'better' | 'saved'> | undefined {
  const name = libraryName(call, 1, fn);
  const [, what, suffix] = (name && /^(?:std::)?(sin|cos)(f?)$/.exec(name)) || [];
  const [angle] = call.args;
  const type = fn.typing.typeOf(call);
  if (!what || call.macro || !isPure(angle!, fn) || isFolded(angle!, fn)) return undefined;
  /** Undefined in an arm of `a ? b : c`, after `&&` or `||`, or in a branch without braces. */
  const blockOf = (node: AnySyntax): AnySyntax | undefined => {
    const outer = [...fn.around(node)].find((around) =>
      around.kind === 'binary' ? /^(&&|\|\|)$/.test(around.op) : /^(block|if|conditional)$/.test(around.kind),
    );
    return outer?.kind === 'block' ? outer : undefined;
  };
  const block = blockOf(call);
  const names = namesIn(angle!);
  const writes = fn.locals.all.flatMap((local) => (names.has(local.name) ? local.writes : []));
  const isOther = (node: AnySyntax): boolean =>
    node.kind === 'call' &&
    node.start < call.start &&
    libraryName(node, 1, fn) === name!.replace(what, what === 'sin' ? 'cos' : 'sin') &&
    sameExpr(node.args[0]!, angle!) &&
    blockOf(node) === block &&
    !writes.some(({ node: write }) => write.start > node.start && write.start < call.start);
  if (!block || !fn.locals.nodes.some(isOther)) return undefined;
  const double = isDouble(type);
  const saved = savedOf(['sin', 'cos'], 'sincos', double);
  return { form: 'sincos', double, better: `sincos${double ? '' : suffix || 'f'}`, saved };
}

/** What functions do beyond a better one. */
export function savedOf(calls: readonly string[], by: string, double: boolean): NonNullable<MathFact['saved']> {
  const costs = [...calls, by].map((name) => costOfFunction(name, double)!);
  const sum = (of: 'slots' | 'doubles'): number =>
    costs.reduce((total, cost, at) => total + (at < calls.length ? cost[of] : -cost[of]), 0);
  return { slots: sum('slots'), doubles: sum('doubles') };
}

/** The name of a function of the language that is called with so many arguments; undefined for the program's own. */
export function libraryName(call: Call, count: number, { program }: Fn): string | undefined {
  const name = call.args.length === count ? calleeName(call) : undefined;
  return name !== undefined && program.functions(name).length === 0 ? name : undefined;
}

/** `M_PI / 2`: numbers and the names that the C library has for some, which the compiler computes with by itself. */
function isConstantText(expr: Expr): boolean {
  return !some(expr, (node) =>
    node.kind === 'name'
      ? !/^(?:M_[A-Z0-9_]+|CUDART_[A-Z0-9_]+|(?:FLT|DBL)_[A-Z]+)$/.test(node.name)
      : node.kind === 'call' || node.kind === 'index' || node.kind === 'member',
  );
}

/** `ceil(log(1.0 * threads) / log(2.0))` of a local constant: nvcc 13.0 computes all of it. */
export function isFolded(expr: Expr, fn: Fn): boolean {
  const all = (...parts: readonly Expr[]): boolean => parts.every((part) => isFolded(part, fn));
  switch (expr.kind) {
    case 'number':
      return true;
    case 'name': {
      const local = fn.local(expr);
      if (!local && fn.decl.templateParams?.some(({ name }) => name === expr.name)) return true;
      if (!local && (isConstantText(expr) || fn.types.constant(expr) !== undefined)) return true;
      const [global, other] = local ? [] : fn.program.globals(expr.name);
      const variable = local ? (local.writes.length === 0 ? local.variable : undefined) : other ? undefined : global;
      return variable?.init !== undefined && (!!local || variable.constant) && all(variable.init);
    }
    case 'unary':
    case 'cast':
      return all(expr.operand);
    case 'binary':
      return all(expr.left, expr.right);
    case 'call':
      return (
        /^(?:std::)?(?:log|log2|log10|exp|exp2|ceil|floor|sqrt)f?$/.test(calleeName(expr) ?? '') && all(...expr.args)
      );
    default:
      return false;
  }
}
