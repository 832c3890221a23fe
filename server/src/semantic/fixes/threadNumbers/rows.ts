// Kernels whose threads each take a row: where they say which thread they are, and whether a guard ends the rows.
import type { Expr } from '../../../syntax/ast';
import {
  type Fn,
  type Local,
  constantPolynomial,
  fixedPolynomial,
  type Index,
  type AnySyntax,
  isThreadPlace,
} from '../../language';

export interface NumberPlaces {
  /** Expressions that are the thread's number in the grid. */
  readonly numbers: readonly Expr[];
  /** Expressions that are the number of all threads of the grid. */
  readonly totals: readonly Expr[];
  /** Variables that only held parts of the number (`int tx = threadIdx.x`). */
  readonly parts: readonly Local[];
}

export type Axis = 'x' | 'y';

/** The thread's number in the grid along an axis, in blocks of that extent. */
export const threadNumber = (block: Index, axis: Axis = 'x'): Index =>
  fixedPolynomial(`blockIdx.${axis}`)
    .times(block)
    .plus(fixedPolynomial(`threadIdx.${axis}`));
const allThreads = (block: Index, axis: Axis = 'x'): Index => fixedPolynomial(`gridDim.${axis}`).times(block);

/** A value under each of the ways in which a block's extent may be written. */
function inEachExtent(
  build: (block: Index, axis?: Axis) => Index,
  blockX: number | undefined,
  axis: Axis = 'x',
): readonly Index[] {
  const extents = [fixedPolynomial(`blockDim.${axis}`), ...(blockX === undefined ? [] : [constantPolynomial(blockX)])];
  return extents.map((extent) => build(extent, axis));
}
const isOneOf = (value: Index, forms: readonly Index[]): boolean => forms.some((form) => value.equals(form));

/**
 * Every place that names the thread, its block or their extents along x, as parts of the thread's number in the grid or
 * of the number of all threads; a sentence where one of them is something else. `blockX` is the block's extent where
 * all launches have that one, so that `blockIdx.x * 256 + threadIdx.x` is read as well. Of a kernel whose blocks are
 * planes the places along one `axis` are given.
 */
export function numberPlacesOf(fn: Fn, blockX: number | undefined, axis?: Axis): NumberPlaces | string {
  const numbers = new Set<Expr>();
  const totals = new Set<Expr>();
  const parts = new Set<Local>();
  const pending: Expr[] = [];
  for (const node of fn.locals.nodes) {
    if (node.kind !== 'name' || fn.local(node)) continue;
    if (node.name === 'warpSize') return 'it uses lane numbers';
    if (!isThreadPlace(node.name)) continue;
    const member = fn.parent(node);
    if (member?.kind !== 'member') return `\`${node.name}\` is passed on as a whole`;
    if (member.field === (axis ?? 'x')) pending.push(member);
    else if (axis !== undefined) continue;
    else if (node.name === 'threadIdx' || node.name === 'blockDim') return 'its blocks have more than one dimension';
  }
  const ofNumber = inEachExtent(threadNumber, blockX, axis);
  const ofTotal = inEachExtent(allThreads, blockX, axis);
  for (let part = pending.pop(); part; part = pending.pop()) {
    let found: Expr | undefined;
    let kind: Set<Expr> | undefined;
    for (let at: AnySyntax | undefined = part; at && isExpr(at); at = fn.parent(at)) {
      const value = fn.index(at);
      // A part that is not a polynomial makes the whole none.
      if (!value) break;
      if (isOneOf(value, ofNumber)) [found, kind] = [at, numbers];
      else if (isOneOf(value, ofTotal)) [found, kind] = [at, totals];
    }
    if (found && kind) {
      kind.add(found);
      continue;
    }
    const holder = fn.parent(part);
    const local = holder?.kind === 'var' ? fn.locals.all.find(({ variable }) => variable === holder) : undefined;
    if (!local || fn.definition(local) !== part) return 'the thread index is used for more than choosing the row';
    parts.add(local);
    pending.push(...local.uses);
  }
  // `blockDim.x * gridDim.x` inside a number was taken with it.
  for (const inner of [...totals])
    if ([...fn.around(inner)].some((outer) => isExpr(outer) && numbers.has(outer))) totals.delete(inner);
  return { numbers: [...numbers], totals: [...totals], parts: [...parts] };
}

/** The places of the thread's number, each of which is a variable that holds a row; a sentence where one is not. */
export function rowPlacesOf(fn: Fn, blockX: number | undefined): NumberPlaces | string {
  const places = numberPlacesOf(fn, blockX);
  if (typeof places === 'string') return places;
  const { numbers, totals } = places;
  for (const number of numbers) {
    if (number.macro) return 'its thread index comes from a macro';
    const holder = fn.parent(number);
    const local =
      holder?.kind === 'var'
        ? fn.locals.all.find(({ variable }) => variable === holder)
        : holder?.kind === 'assign' && holder.op === '=' && holder.target.kind === 'name'
          ? fn.local(holder.target)
          : undefined;
    if (!local) return 'its thread index is not a variable';
  }
  if (totals.some(({ macro }) => macro)) return 'the total number of threads comes from a macro';
  if (numbers.length === 0) return 'its threads have no index over the whole grid';
  return places;
}

function isExpr(node: AnySyntax): node is Expr {
  return /^(?:name|member|binary|cast|call|unary|initList)$/.test(node.kind);
}
