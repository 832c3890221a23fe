// All transformations, and programs drawn from them.
import type { Syntax } from '../../server/src/syntax';
import { bodies } from './list/bodies';
import { constants } from './list/constants';
import { launches } from './list/launches';
import { surroundings } from './list/surroundings';
import { spellings } from './list/spellings';
import { types } from './list/types';
import { markedText } from './marked';
import { readProgram, type Transformation, type Transformed } from './program';

export const transformations: readonly Transformation[] = [
  ...types,
  ...constants,
  ...launches,
  ...bodies,
  ...surroundings,
  ...spellings,
];

/** Numbers from 0 to 1 by seed. */
export function draws(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export function transformed(
  syntax: Syntax,
  text: string,
  one: Transformation,
  random = draws(1),
): Transformed | undefined {
  return one.apply(readProgram(syntax, markedText(text), random));
}

/** Up to `most` transformations one after the other, drawn without repetition; those that do not apply are passed over. */
export function composed(
  syntax: Syntax,
  text: string,
  seed: number,
  most: number,
): { readonly names: readonly string[]; readonly program: Transformed } | undefined {
  // Each program draws others.
  const random = draws(seed * 7919 + text.length);
  const order = [...transformations].map((one) => ({ one, rank: random() })).sort((a, b) => a.rank - b.rank);
  let program: Transformed = { main: markedText(text) };
  const names: string[] = [];
  for (const { one } of order) {
    // What is in a header is out of reach of the next one.
    if (names.length === most || program.headers) break;
    const next = one.apply(readProgram(syntax, program.main, random));
    if (!next) continue;
    program = next;
    names.push(one.name);
  }
  return names.length ? { names, program } : undefined;
}
