// Kinds of facts that are found in the text of one function.
import { once } from '../language';
import { findRuntimeCalls } from '../flow';
import type { Fn } from '../language';
import type { DoubleFact, FusionFact, MathFact, ProductFact, ReplayFact, RuntimeCallFact } from '../model';
import { findSweeps } from '../fixes';
import { findFusions, findProducts, findReplays, keysOfLaunches } from '../fixes';
import { correctDefinitions, findDoubles, findSlowMath } from '../fixes';
import { attempt } from '../fixes';
import type { FunctionKind } from './kinds';

declare module '../model' {
  interface Facts {
    sweep: SweepFact;
    double: DoubleFact;
    math: MathFact;
    'runtime-call': RuntimeCallFact;
    fusion: FusionFact;
    replay: ReplayFact;
    product: ProductFact;
  }
}

export const sweep: FunctionKind<'sweep'> = { kind: 'sweep', from: 'function', find: findSweeps };

// A call of slow mathematics may be double by accident: each of the two kinds looks at the other.
const doublesOf = once((context: Fn) => findDoubles(context));
const mathOf = once((context: Fn): MathFact[] => {
  const [first = [], ...others] = context
    .eachTyped()
    .map((typed) => findSlowMath(typed, attempt(() => doublesOf(typed)) ?? []));
  return others.length === 0 ? first : first.flatMap((fact) => withAllTypes(fact, others));
});

/** What is slow with the types of all launches, at its least; the fix is one that is right with all of them. */
function withAllTypes(first: MathFact, others: readonly (readonly MathFact[])[]): MathFact[] {
  const isSame = ({ at, form }: MathFact): boolean => at.start === first.at.start && form === first.form;
  const all = [first, ...others.flatMap((facts) => facts.filter(isSame))];
  if (all.length <= others.length) return [];
  const { replacement, named, ...least } = all.find(({ double }) => !double) ?? first;
  // The name of the double function has an overload for floats.
  const { better } = all.find(({ double }) => double) ?? first;
  const isFixed = replacement !== undefined && all.every((one) => one.replacement === replacement);
  return [{ ...least, better, ...(isFixed && { replacement, ...(named && { named }) }) }];
}

export const double: FunctionKind<'double'> = {
  kind: 'double',
  from: 'function',
  find(context) {
    const math = attempt(() => mathOf(context)) ?? [];
    const products = new Set(math.flatMap(({ at, replacement }) => (replacement ? [at.start] : [])));
    return doublesOf(context).map((fact) =>
      fact.form === 'function' && products.has(fact.at.start) ? { ...fact, product: true } : fact,
    );
  },
  merge: correctDefinitions,
};
export const math: FunctionKind<'math'> = { kind: 'math', from: 'function', find: mathOf };
export const runtimeCall: FunctionKind<'runtime-call'> = {
  kind: 'runtime-call',
  from: 'function',
  find: findRuntimeCalls,
};

export const fusion: FunctionKind<'fusion'> = {
  kind: 'fusion',
  from: 'function',
  find: findFusions,
  keys: keysOfLaunches,
};
export const replay: FunctionKind<'replay'> = {
  kind: 'replay',
  from: 'function',
  find: findReplays,
  keys: keysOfLaunches,
};
export const product: FunctionKind<'product'> = {
  kind: 'product',
  from: 'function',
  find: findProducts,
  keys: keysOfLaunches,
};
