// Chunks that are counted from 0, `for (k = 0; k < c; k++) { i = t * c + k; … }`, and the edits that deal their
// elements out.
import type { Expr, ForStmt } from '../../../syntax/ast';
import type { Edit } from '../../model';
import { type AnySyntax, type Fn, localPolynomial, type Index } from '../../language';
import { headOf, textsOf, tidied } from './edits';
import { headerOf, isFixed, sharing } from './shape';
import { hasMacro } from '../../program';

/**
 * The same chunks counted from 0: `for (k = 0; k < c; k++) { i = t * c + k; … }`. The turns stay, their elements become
 * `t + k * threads`. A text says why not.
 */
export function countedChunkOf(fn: Fn, loop: ForStmt): Edit[] | string | undefined {
  const header = headerOf(loop, fn);
  const first = header && fn.index(header.start);
  if (
    !header ||
    !first ||
    first.number !== 0 ||
    header.cond.kind !== 'binary' ||
    header.cond.op !== '<' ||
    header.cond.left.kind !== 'name' ||
    fn.local(header.cond.left) !== header.variable
  )
    return undefined;
  const size = fn.index(header.cond.right);
  if (!size || size.number === 1 || !isFixed(size)) return undefined;
  const { variable } = header;
  const atom: Index = localPolynomial(variable, fn);
  for (const threads of sharing) {
    const element = threads.number.times(size).plus(atom);
    const places: Expr[] = [];
    const complete = variable.uses.every((use) => {
      if ([header.cond, header.step].some((part) => fn.isInside(use, part))) return true;
      for (let at: AnySyntax | undefined = fn.parent(use); at && at.kind === 'binary'; at = fn.parent(at)) {
        const value = fn.index(at);
        if (!value?.equals(element)) continue;
        if (!places.includes(at)) places.push(at);
        return true;
      }
      return false;
    });
    if (!complete || !places.length) continue;
    const head = headOf(loop, fn);
    if (loop.macro || places.some(hasMacro)) return 'its elements come from a macro';
    const [name, stride] = textsOf(threads, loop, fn);
    const text = `${name} + ${variable.name} * ${stride}`;
    const edits = places.map((place): Edit => {
      const parent = fn.parent(place);
      const alone =
        parent?.kind === 'var' ||
        parent?.kind === 'assign' ||
        parent?.kind === 'call' ||
        parent?.kind === 'initList' ||
        (parent?.kind === 'index' && parent.index === place) ||
        bracketsStand(fn, place);
      return { at: fn.span(place), newText: alone ? text : `(${text})` };
    });
    const others = [...edits, ...tidied(loop, places, [text, head.text], fn)];
    return [{ at: head.at, newText: head.text }, ...others];
  }
  return undefined;
}
function bracketsStand(fn: Fn, place: Expr): boolean {
  const text = fn.file.text;
  return text[fn.decl.base + place.start - 1] === '(' && text[fn.decl.base + place.end] === ')';
}
