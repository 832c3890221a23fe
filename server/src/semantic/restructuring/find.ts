// What a function holds that could be cut otherwise: see `model.ts`.
import type { FunctionDecl } from '../../syntax/ast';
import type { FunctionContext } from '../language/functionContext';
import { launchesIn, launchSiteAt } from '../language/launchSites';
import { findFusions } from './fusions';
import { findBlockProducts } from './blockProducts';
import { findProducts } from './products';
import { findReplays } from './replays';
import type { Restructuring } from './model';

export const noRestructuring: Restructuring = { fusion: [], replay: [], product: [] };

/** Facts of one function, in the order of the text; each finder that fails finds nothing. */
export function findRestructuring(context: FunctionContext): Restructuring {
  return {
    fusion: orNothing(() => findFusions(context)),
    replay: orNothing(() => findReplays(context)),
    product: orNothing(() => [...findProducts(context), ...findBlockProducts(context)]),
  };
}

/** The kernels that a host function launches, which its facts hang on as well; undefined where it can have none. */
export function restructuredWith(context: FunctionContext): readonly FunctionDecl[] | undefined {
  const { fn } = context;
  if (!fn.body) return undefined;
  if (fn.global) return [];
  const launches = launchesIn(fn);
  if (launches.length === 0) return undefined;
  const kernels = launches.flatMap((launch) => launchSiteAt(context, launch)?.kernel ?? []);
  return [...new Set(kernels)].filter((kernel) => kernel !== fn);
}

function orNothing<T>(find: () => readonly T[]): readonly T[] {
  try {
    return find();
  } catch {
    return [];
  }
}
