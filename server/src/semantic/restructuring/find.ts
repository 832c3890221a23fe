// What a function holds that could be cut otherwise: see `model.ts`.
import type { FunctionDecl } from '../../syntax/ast';
import type { FunctionContext } from '../language/functionContext';
import { workOf } from '../language/forwarding';
import { launchesIn, launchSiteAt } from '../language/launchSites';
import { findFusions } from './fusions';
import { findBlockProducts } from './blockProducts';
import { findProducts } from './products';
import { findReplays } from './replays';
import type { Span } from '../span';
import type { Restructuring } from './model';

/** Who finds what: all that a new kind of fact needs beside its type. */
const finders: { readonly [K in keyof Restructuring]: (context: FunctionContext) => Restructuring[K] } = {
  fusion: findFusions,
  replay: findReplays,
  product: (context) => [...findProducts(context), ...findBlockProducts(context)],
};

/** Facts of one function, in the order of the text; each finder that fails finds nothing. */
export function findRestructuring(context: FunctionContext): Restructuring {
  return ofEachKind((kind) => orNothing<unknown>(() => finders[kind](context)));
}

/** The facts of many functions as those of one, as far as they are accepted. */
export function joinRestructuring(
  found: readonly Restructuring[],
  accepts: (fact: { readonly at: Span }) => boolean,
): Restructuring {
  return ofEachKind((kind) => found.flatMap((one) => one[kind].filter(accepts)));
}

export const noRestructuring: Restructuring = ofEachKind(() => []);

function ofEachKind(listed: (kind: keyof Restructuring) => readonly unknown[]): Restructuring {
  const kinds = Object.keys(finders) as (keyof Restructuring)[];
  return Object.fromEntries(kinds.map((kind) => [kind, listed(kind)])) as unknown as Restructuring;
}

/** The kernels that a host function launches, which its facts depend on as well; undefined where it can have none. */
export function restructuredWith(context: FunctionContext): readonly FunctionDecl[] | undefined {
  const { fn } = context;
  if (!fn.body) return undefined;
  if (fn.global || fn.enclosing || fn.members) return [];
  const launches = launchesIn(fn);
  if (launches.length === 0) return undefined;
  const kernels = launches.flatMap((launch) => launchSiteAt(context, launch)?.kernel ?? []);
  const works = launches.flatMap((launch) => {
    const kernel = launchSiteAt(context, launch)?.kernel;
    return kernel ? workOf(kernel, launch.args, fn, context.program).fn : [];
  });
  return [...new Set([...kernels, ...works])].filter((kernel) => kernel !== fn);
}

function orNothing<T>(find: () => readonly T[]): readonly T[] {
  try {
    return find();
  } catch {
    return [];
  }
}
