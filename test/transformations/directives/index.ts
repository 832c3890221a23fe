// All transformations of directives, and programs drawn from them.
import type { Syntax } from '../../../server/src/syntax';
import { markedText } from '../marked';
import type { Transformed } from '../program';
import { draws } from '../transformations';
import { code } from './code';
import { constructs } from './constructs';
import { forms } from './forms';
import { type DirectiveTransformation, readAccProgram } from './program';
import { spelling } from './spelling';

export const directiveTransformations: readonly DirectiveTransformation[] = [
  ...spelling,
  ...constructs,
  ...forms,
  ...code,
];

export function transformedDirectives(
  syntax: Syntax,
  path: string,
  text: string,
  one: DirectiveTransformation,
  random = draws(1),
): Transformed | undefined {
  const program = readAccProgram(syntax, path, markedText(text), random);
  return program && one.apply(program);
}

/** Up to `most` one after the other, as `composed` does with those of CUDA. */
export function composedDirectives(
  syntax: Syntax,
  path: string,
  text: string,
  seed: number,
  most: number,
): { readonly names: readonly string[]; readonly program: Transformed } | undefined {
  const random = draws(seed * 7919 + text.length);
  const order = directiveTransformations.map((one) => ({ one, rank: random() })).sort((a, b) => a.rank - b.rank);
  let made: Transformed = { main: markedText(text) };
  const names: string[] = [];
  for (const { one } of order) {
    if (names.length === most) break;
    const program = readAccProgram(syntax, made.path ?? path, made.main, random);
    const next = program && one.apply(program);
    if (!next) continue;
    made = { path: made.path ?? path, ...next };
    names.push(one.name);
  }
  return names.length ? { names, program: made } : undefined;
}
