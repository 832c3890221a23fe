// Chunks that are counted from 0, `for (k = 0; k < c; k++) { i = t * c + k; … }`, and the edits that deal their
// elements out.
import type { Expr, ForStmt } from '../../../syntax/ast';
import type { Edit } from '../../model';
import {
  type AnySyntax,
  type FunctionContext,
  spanOf,
  isInside,
  add,
  equal,
  hasAtom,
  multiply,
  numberOf,
  fixedPolynomial,
  isStable,
  localPolynomial,
  localsIn,
  polynomialOf,
  type IndexPolynomial,
  isThreadAtom,
} from '../../language';
import { type ChunkLaunch, headOf, nameFor, tidied } from './edits';
import { gridThread, headerOf, totalOf } from './shape';
import { dependence, reach } from './independence';
import type { Counted } from './shape';
import { hasMacro } from '../../program';

/**
 * The same chunks counted from 0: `for (k = 0; k < c; k++) { i = t * c + k; … }`. The turns stay, their elements become
 * `t + k * threads`. A text says why not.
 */
export function countedChunkOf(
  context: FunctionContext,
  loop: ForStmt,
  launches: readonly ChunkLaunch[],
): Edit[] | string | undefined {
  const header = headerOf(loop, context.locals);
  const first = header && polynomialOf(header.start, context);
  if (
    !header ||
    !first ||
    numberOf(first) !== 0 ||
    header.cond.kind !== 'binary' ||
    header.cond.op !== '<' ||
    header.cond.left.kind !== 'name' ||
    context.locals.of(header.cond.left) !== header.variable
  )
    return undefined;
  const size = polynomialOf(header.cond.right, context);
  if (!size || numberOf(size) === 1 || hasAtom(size, isThreadAtom) || ![...localsIn(size)].every(isStable))
    return undefined;
  const { variable } = header;
  const atom: IndexPolynomial = localPolynomial(variable, context.locals);
  const candidates = [
    { thread: 'grid', start: multiply(gridThread, size) },
    { thread: 'block', start: multiply(fixedPolynomial('threadIdx.x'), size) },
  ] as const;
  for (const { thread, start } of candidates) {
    const element = add(start, atom);
    const places: Expr[] = [];
    const complete = variable.uses.every((use) => {
      if ([header.cond, header.step].some((part) => isInside(use, part, context.locals))) return true;
      for (
        let at: AnySyntax | undefined = context.locals.parent(use);
        at && at.kind === 'binary';
        at = context.locals.parent(at)
      ) {
        const value = polynomialOf(at, context);
        if (!value || !equal(value, element)) continue;
        if (!places.includes(at)) places.push(at);
        return true;
      }
      return false;
    });
    if (!complete || !places.length) continue;
    const counted: Counted = { places, start, variable };
    const head = headOf(loop, context);
    const why = dependence(header, { thread }, context, counted) ?? reach(header, context, launches);
    if (why || loop.macro || places.some(hasMacro)) return why ?? 'its elements come from a macro';
    const name =
      nameFor(thread === 'grid' ? gridThread : fixedPolynomial('threadIdx.x'), loop, context) ??
      (thread === 'grid' ? 'blockIdx.x * blockDim.x + threadIdx.x' : 'threadIdx.x');
    const stride =
      nameFor(totalOf(thread), loop, context) ?? (thread === 'grid' ? 'gridDim.x * blockDim.x' : 'blockDim.x');
    const text = `${name} + ${variable.name} * ${stride}`;
    const edits = places.map((place): Edit => {
      const parent = context.locals.parent(place);
      const alone =
        parent?.kind === 'var' ||
        parent?.kind === 'assign' ||
        parent?.kind === 'call' ||
        parent?.kind === 'initList' ||
        (parent?.kind === 'index' && parent.index === place) ||
        bracketsStand(context, place);
      return { at: spanOf(context, place), newText: alone ? text : `(${text})` };
    });
    const others = [...edits, ...tidied(loop, places, [text, head.text], context)];
    return [{ at: head.at, newText: head.text }, ...others];
  }
  return undefined;
}
function bracketsStand(context: FunctionContext, place: Expr): boolean {
  const text = context.file.text;
  return text[context.fn.base + place.start - 1] === '(' && text[context.fn.base + place.end] === ')';
}
