// Facts kept between versions of a file: what was computed of functions that are unchanged moves with them.
import type { FunctionDecl } from '../../syntax/ast';
import { identified } from '../identity';
import { once } from '../language';
import type { Span } from '../model';
import { counted, step } from '../steps';

/** Where a function stood when something was computed of it. */
interface Place {
  readonly uri: string;
  readonly key: string;
  /** Characters from the file's start. */
  readonly start: number;
  readonly end: number;
}

interface Kept {
  readonly under: readonly unknown[];
  readonly places: readonly Place[];
  readonly value: unknown;
  readonly steps: number;
}

/**
 * What `compute` gives, or what it gave for an earlier version under the same `under` (compared by identity, strings by
 * their text) where all `functions` are as they were, with every span in them moved to where its function stands now.
 * What speaks of places outside of these functions is computed again, since those may have moved otherwise.
 */
export function keptFacts<T>(
  entries: Map<string, unknown> | undefined,
  key: string,
  under: readonly unknown[],
  functions: readonly FunctionDecl[],
  compute: () => T,
): T {
  const places = functions.map(placeOf);
  const known = entries?.get(key) as Kept | undefined;
  const isSame = known?.under.length === under.length && known.under.every((each, at) => each === under[at]);
  let value = isSame ? movedTo(known.value as T, known.places, places) : undefined;
  let steps = known?.steps ?? 0;
  if (value !== undefined) step(steps);
  else {
    ({ value, steps } = counted(compute));
    if (!isWithin(value, places)) {
      entries?.delete(key);
      return value;
    }
  }
  entries?.set(key, { under, places, value, steps } satisfies Kept);
  return value;
}

function placeOf({ uri, key, base, start, end }: FunctionDecl): Place {
  return { uri, key, start: base + start, end: base + end };
}

/** Undefined where a function is no longer as it was. */
function movedTo<T>(value: T, before: readonly Place[], now: readonly Place[]): T | undefined {
  if (before.length !== now.length) return undefined;
  const moves: (Place & { readonly by: number })[] = [];
  for (const [at, old] of before.entries()) {
    const place = now[at]!;
    if (old.uri !== place.uri || old.key !== place.key) return undefined;
    moves.push({ ...old, by: place.start - old.start });
  }
  if (moves.every(({ by }) => by === 0)) return value;
  // What facts share they go on to share.
  const move = (part: unknown): unknown => (typeof part === 'object' && part !== null ? moved(part) : part);
  const moved = once((part: object): unknown => {
    if (Array.isArray(part)) return part.length === 0 ? part : part.map(move);
    const span = part as Span;
    const within = isSpan(span) ? placeWith(span, moves) : undefined;
    const copy: Record<string, unknown> = { ...(part as Record<string, unknown>) };
    for (const name in copy) {
      const inner = copy[name];
      if (typeof inner === 'object') copy[name] = move(inner);
    }
    if (within) {
      copy.start = span.start + within.by;
      copy.end = span.end + within.by;
    }
    return copy;
  });
  const moveFacts = (part: object | undefined): unknown =>
    Array.isArray(part) ? part.map(moveFacts) : part && identified(move(part) as object, part);
  return moveFacts(value as object) as T;
}

/** Whether every span in `value` lies in one of the places. */
function isWithin(value: unknown, places: readonly Place[]): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every((each) => isWithin(each, places));
  if (isSpan(value as Span) && !placeWith(value as Span, places)) return false;
  for (const name in value) if (!isWithin((value as Record<string, unknown>)[name], places)) return false;
  return true;
}

function isSpan({ uri, start, end }: Partial<Span>): boolean {
  return typeof uri === 'string' && typeof start === 'number' && typeof end === 'number';
}

function placeWith<P extends Place>({ uri, start, end }: Span, places: readonly P[]): P | undefined {
  return places.find((each) => each.uri === uri && each.start <= start && end <= each.end);
}
