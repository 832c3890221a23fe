// Atomics on an element that no other thread of the grid reaches, where a plain update does the same.
import type { Expr, ForStmt } from '../../../syntax/ast';
import type { RewriteFact } from '../../model';
import { callAround, calleeName, fixedPolynomial, type Fn, type Index, isThreadAtom, sameExpr } from '../../language';
import { guardOf, isFixedPointer, rangeOf, unfitSize } from './gemms';
import { factorOf } from './factors';
import type { AccessFamily, SeenAccess } from '../writing/family';

interface OwnAtomicFact extends RewriteFact {
  /** The innermost loops that leave the element as it is. */
  readonly loops: number;
}

export const ownAtomics: AccessFamily<'own-atomics', OwnAtomicFact> = {
  id: 'own-atomics',
  on: 'access',
  to: ['atomic'],
  when: ({ fn, elsewhere, fact, record }) =>
    !elsewhere && !!fn.decl.global && fact.space === 'global' && record.fn.key === fn.decl.key,
  find: (seen) => ownAtomicOf(seen),
};

const operators: Readonly<Record<string, string>> = { Add: '+=', Sub: '-=', And: '&=', Or: '|=', Xor: '^=' };

function ownAtomicOf({ fn, expr, fact, record, axes }: SeenAccess): OwnAtomicFact | undefined {
  const call = callAround(expr!, fn.locals);
  const operation = call && /^atomic([A-Z][a-z]+)$/.exec(calleeName(call) ?? '')?.[1];
  const operator = operation && operators[operation];
  const element = factorOf(expr!, fn.locals);
  const [index, ...others] = element?.indices ?? [];
  if (!call || !operator || !element || !index || others.length > 0 || !isFixedPointer(element.root)) return undefined;
  const loop = record.loops.findIndex(({ stmt }) => stmt.kind === 'for' && isStride(index, stmt, fn));
  const place = loop < 0 ? fn.index(index) : fn.index(fn.counted(record.loops[loop]!.stmt)!.first);
  if (!place || axes === undefined || !isOwn(place, axes, fn)) return undefined;
  const isSame = (use: Expr): boolean => {
    const around = fn.parent(use);
    return around?.kind === 'index' && around.base === use && sameExpr(around.index, index);
  };
  if (!element.root.uses.every((use) => isSame(use))) return undefined;
  const [, value] = call.args;
  const loops = loop < 0 ? fact.loops.length : loop;
  if (fn.parent(call)?.kind !== 'expr' || call.args.length !== 2 || call.macro || value?.macro) return undefined;
  const text = `${fn.text(expr!).trim()} ${operator} ${fn.text(value!).trim()}`;
  return {
    edits: [{ at: fn.span(call), newText: text }],
    title: `Update it without an atomic: \`${operator}\``,
    loops,
  };
}

/** Does the loop count the index from the thread's number on by the threads of the grid? */
function isStride(index: Expr, loop: ForStmt, fn: Fn): boolean {
  const head = fn.counted(loop);
  const by = head?.step?.by && fn.index(head.step.by);
  const all = fixedPolynomial('gridDim.x').times(fixedPolynomial('blockDim.x'));
  return index.kind === 'name' && fn.local(index) === head?.local && !!by && by.equals(all);
}

/** Is it another place for each thread of a grid with so many axes, by its text and the guard along a row? */
function isOwn(place: Index, axes: number, fn: Fn): boolean {
  const names = ['x', 'y'].slice(0, axes);
  const own = names.flatMap((axis) => [`threadIdx.${axis}`, `blockIdx.${axis}`, `blockDim.${axis}`]);
  if (names.length < axes || unfitSize([place], fn, own)) return false;
  const steps = names.map((axis) => {
    const of = place.split(`threadIdx.${axis}`)?.factor;
    const all = of?.times(fixedPolynomial(`blockDim.${axis}`));
    const isWhole = all && place.split(`blockIdx.${axis}`)?.factor.equals(all);
    return isWhole && !of?.has(isThreadAtom) ? of : undefined;
  });
  if (axes === 1) return !!steps[0]?.number;
  const [along, across] = steps[0]?.number === 1 ? steps : [...steps].reverse();
  if (along?.number !== 1) return false;
  const axis = along === steps[0] ? 'x' : 'y';
  return fn.locals.nodes.some((node) => {
    const guards = node.kind === 'binary' ? guardOf(node, fn) : [];
    return guards.some((guard) => {
      const range = rangeOf(guard);
      return range?.axis === axis && !!across && range.extent.equals(across);
    });
  });
}
